"""Where a body of other proportions should be in every frame of a clip: points and rotations.

Everything is in the target's world, its ground at height 0.  A segment's rotation is given by the
world directions of its left, up and forward in a T-pose, which both bodies share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from limbik.animate.body_shape import BodyShape, Foot
from limbik.animate.contacts import Contact, runs
from limbik.animate.holds import Span, hold_points, hold_turns
from limbik.errors import GoalError
from limbik.figure.motion import Motion
from limbik.humanoid.recognise import SIDES
from limbik.maths.so3 import exp_map, log_map, matrix_to_quat, quat_to_matrix

LEVEL = float(np.cos(np.radians(30.0)))
"""A foot is flat where the cosine of its tilt is above this."""

SCALES = ("limbs", "common", "fitted")

TRUNK = ("spine", "chest", "upperChest", "neck")
SEGMENTS = (
    *TRUNK,
    *(
        side + part
        for side in SIDES
        for part in ("Shoulder", "UpperArm", "LowerArm", "UpperLeg", "LowerLeg", "Toes")
    ),
)  # fmt: skip
"""Roles whose rotation a character takes over where both bodies have them, beside hips, chest,
head, hands and feet."""


@dataclass
class Point:
    """A point of a link follows a track."""

    link: int
    at: np.ndarray
    track: np.ndarray
    held: np.ndarray
    """(frames,) whether it is held by a contact."""


@dataclass
class Turned:
    """A link is turned along a track of rotations (frames, 3, 3)."""

    link: int
    track: np.ndarray
    held: np.ndarray


@dataclass
class Targets:
    """By role: what the target's links should do."""

    scale: float
    points: dict[str, Point] = field(default_factory=dict)
    turned: dict[str, Turned] = field(default_factory=dict)
    contacts: list[Contact] = field(default_factory=list)


@dataclass(frozen=True)
class Seen:
    """A foot of the target as it was in a first pass."""

    turned: np.ndarray
    """(frames, 3, 3) its left, up and forward."""
    ball: np.ndarray
    """(frames, 3) where the ball of the foot was."""


class _Source:
    """A clip's points and segments in the target's world, heights above its ground, scaled."""

    def __init__(
        self, clip: Motion, shape: BodyShape, turn: np.ndarray, scale: float, ground: float
    ) -> None:
        self.shape, self.scale = shape, scale
        self._frames = clip.figure.frames(clip.q)
        self._turn = turn
        lift = np.zeros(3)
        lift[shape.up] = ground
        self._places = scale * (self._frames[..., :3, 3] - lift) @ turn.T

    def point(self, role: str) -> np.ndarray:
        """(frames, 3) where the joint of a role is."""
        return self._places[:, self.shape.at[role]]

    def centre(self, side: str, kind: str) -> np.ndarray:
        """(frames, 3) where a leg or an arm turns."""
        shape = self.shape
        role = f"{side}Upper{kind}"
        if role in shape.balls:
            return self.point(role)
        joint = shape.pelvis if kind == "Leg" else shape.chest
        local = shape.local(joint, (shape.hips if kind == "Leg" else shape.shoulders)[side])
        moved = self._frames[:, joint, :3, :3] @ local
        return self._places[:, joint] + self.scale * moved @ self._turn.T

    def segment(self, joint: int) -> np.ndarray:
        """(frames, 3, 3) left, up and forward of a joint's segment."""
        return self._turn @ self._frames[:, joint, :3, :3] @ self.shape.t_frames[joint].T


def world_turn(source: BodyShape, target: BodyShape) -> np.ndarray:
    """(3, 3) the rotation of worlds that brings the source's up to the target's."""
    if source.up == target.up:
        return np.eye(3)
    one, two = np.eye(3)[source.up], np.eye(3)[target.up]
    third = np.cross(one, two)
    return np.outer(two, one) - np.outer(one, two) + np.outer(third, third)


def build_targets(
    clip: Motion,
    source: BodyShape,
    target: BodyShape,
    contacts: Sequence[Contact],
    *,
    ground: float,
    scale: str = "limbs",
    soles: Mapping[str, float | None],
    seen: Mapping[str, Seen] | None = None,
) -> Targets:
    """What a clip asks of the target's body.

    ``seen`` is how the target's feet were in a first pass: contacts then hold them where its limits
    let them be.

    Hips and feet keep their stride: they are scaled by the ratio of the legs, heights are counted
    from ankles on the ground.  ``scale`` says how the rest is built on that: "limbs", every bone in
    the target's own length along the source's direction; "fitted", legs, trunk and arms each by one
    factor; "common", all by the ratio of the legs.
    """
    if scale not in SCALES:
        raise GoalError(f"scale must be one of {', '.join(SCALES)}, got {scale!r}")
    ratio = target.leg / source.leg
    out = Targets(ratio)
    turn = world_turn(source, target)
    body = _Source(clip, source, turn, ratio, ground)
    feet = {side: target.foot(side, soles.get(side)) for side in SIDES}
    up = np.eye(3)[target.up]
    stood = [_ankle_level(body, side, contacts, up) for side in SIDES]
    lift = float(np.mean([feet[s].height for s in SIDES]) - np.mean(stood)) * up

    hips = 0.5 * sum(body.centre(side, "Leg") for side in SIDES) + lift
    pelvis, chest = body.segment(source.pelvis), body.segment(source.chest)
    free = np.zeros(clip.frames, bool)
    out.points["hips"] = Point(
        target.pelvis, target.local(target.pelvis, target.hip_middle), hips, free
    )
    out.turned["hips"] = Turned(target.pelvis, pelvis, free)
    out.turned["trunk"] = Turned(target.chest, chest, free)
    if "head" in source.end and "head" in target.end:
        out.turned["head"] = Turned(target.end["head"], body.segment(source.end["head"]), free)
    for role in _segments(source, target):
        out.turned[role] = Turned(target.at[role], body.segment(source.at[role]), free)

    trunk = 0.5 * sum(body.centre(side, "Arm") for side in SIDES)
    trunk = trunk + lift - hips
    own = float(np.linalg.norm(target.shoulder_middle - target.hip_middle))
    if scale != "common":
        trunk = trunk * (own / np.maximum(np.linalg.norm(trunk, axis=1), 1e-9))[:, None]
    for side in SIDES:
        known = None if seen is None else seen[side]
        foot = _Foot(out, body, side, feet[side], lift, contacts, clip.fps, up, known)
        ankle = foot.track
        centre = target.in_body(target.hips[side] - target.hip_middle)
        if scale == "common":
            hip = body.centre(side, "Leg") + lift
        else:
            hip = hips + pelvis @ centre
        lengths = _lengths(source, target, side, "Leg", scale, ratio)
        knee = body.point(side + "LowerLeg") - body.centre(side, "Leg")
        out.points[side + "LowerLeg"] = Point(
            target.at[side + "LowerLeg"], np.zeros(3), hip + _along(knee, lengths[0]), free
        )
        foot.add(ankle)

        offset = target.in_body(target.shoulders[side] - target.shoulder_middle)
        shoulder = body.centre(side, "Arm")
        base = shoulder + lift if scale == "common" else hips + trunk + chest @ offset
        if scale != "common" and _shrugs(source, target, side):
            reach = np.linalg.norm(target.shoulders[side] - target.hip_middle)
            own = ratio * np.linalg.norm(source.shoulders[side] - source.hip_middle)
            base = hips + (shoulder + lift - hips) * float(reach / own)
        lengths = _lengths(source, target, side, "Arm", scale, ratio)
        elbow = base + _along(body.point(side + "LowerArm") - shoulder, lengths[0])
        out.points[side + "LowerArm"] = Point(
            target.at[side + "LowerArm"], np.zeros(3), elbow, free
        )
        hand = side + "Hand"
        if hand in source.at and hand in target.at:
            fore = body.point(hand) - body.point(side + "LowerArm")
            wrist = elbow + _along(fore, lengths[1])
            own_spans = _spans(contacts, source.figure.joints[source.at[hand]])
            holds = [((a, b), wrist[a:b].mean(axis=0)) for a, b in own_spans]
            out.points[hand] = Point(
                target.at[hand],
                np.zeros(3),
                hold_points(wrist, holds, clip.fps),
                _flags(own_spans, clip.frames),
            )
            turned = body.segment(source.at[hand])
            out.turned[hand] = Turned(target.end[hand], turned, free)
            name = target.figure.joints[target.at[hand]]
            out.contacts += [Contact(name, a, b, _three(p)) for (a, b), p in holds]
    out.contacts.sort(key=lambda contact: (contact.start, contact.joint))
    return out


def _segments(source: BodyShape, target: BodyShape) -> list[str]:
    """Roles in both bodies whose rotation is taken over: balls, in the target.

    A collarbone's only where the source's rest pose shows how it lies.
    """
    taken = {target.pelvis, target.chest}
    return [
        role
        for role in SEGMENTS
        if role in source.at
        and role in target.at
        and target.at[role] not in taken
        and len(target.figure.coordinates_of(target.body[role])) == 3
        and (source.stands or not role.endswith("Shoulder"))
    ]


def _shrugs(source: BodyShape, target: BodyShape, side: str) -> bool:
    """Whether shoulders move against the chest in both bodies, and the source's rest shows how."""
    role = side + "Shoulder"
    return (
        source.stands
        and role in source.at
        and role in target.at
        and len(target.figure.coordinates_of(target.body[role])) == 3
    )


class _Foot:
    """One foot: where its link goes, flat and still where the source's is."""

    def __init__(
        self,
        out: Targets,
        body: _Source,
        side: str,
        foot: Foot,
        lift: np.ndarray,
        contacts: Sequence[Contact],
        fps: float,
        up: np.ndarray,
        seen: Seen | None,
    ) -> None:
        self._out, self._body, self._side, self._foot = out, body, side, foot
        self._fps, self._up = fps, up
        shape = body.shape
        link = shape.at[side + "Foot"]
        heel = _spans(contacts, shape.figure.joints[link])
        toes = shape.at.get(side + "Toes")
        ball = heel if toes is None else _spans(contacts, shape.figure.joints[toes])
        frames = len(body.point(side + "Foot"))
        self._heel, self._ball = _flags(heel, frames), _flags(ball, frames)
        self._ball_spans = ball
        turned = self._levelled(body.segment(link), runs(self._heel & self._ball))
        self._heel &= turned[:, :, 1] @ up > LEVEL  # a pointed foot rests on its toes
        flat = runs(self._heel & self._ball)
        real = turned if seen is None else seen.turned
        turns = [((a, b), self._flat(real[a:b])) for a, b in flat]
        self._turned = hold_turns(turned, turns, fps)
        track = body.point(side + "Foot") + lift
        # Nothing of the sole below the ground, as it is turned.
        ends = np.stack([foot.heel, foot.ball * [1.0, 0.0, 1.0] - [0.0, foot.height, 0.0]])
        lowest = np.einsum("fij,kj->fki", self._turned, ends) @ up
        deep = track @ up + lowest.min(axis=1)
        track = track + np.maximum(0.0, -deep)[:, None] * up
        # While the ball of the foot rests it stays in one place; a flat foot stays with it.
        way = track + self._turned @ foot.ball if seen is None else seen.ball
        level = foot.ball[1] + foot.height
        self._points = [((a, b), self._on(way[a:b].mean(axis=0), level)) for a, b in ball]
        ankles = []
        for (a, b), turn in turns:
            place = next(p for (c, d), p in self._points if c <= a and b <= d)
            ankles.append(((a, b), self._on(place - turn @ foot.ball, foot.height)))
        self.track = hold_points(track, ankles, fps)
        self._way = hold_points(self.track + self._turned @ foot.ball, self._points, fps)
        self._ankles = ankles

    def _on(self, point: np.ndarray, level: float) -> np.ndarray:
        """The point at a height."""
        return point + (level - point @ self._up) * self._up

    def _levelled(self, turned: np.ndarray, flat: list[Span]) -> np.ndarray:
        """Rotations of the foot, corrected by how far its sole is from level where it is flat; for
        those figures whose rest pose does not show it."""
        if not flat or self._body.shape.stands:
            return turned
        seen = np.concatenate([turned[a:b] for a, b in flat])
        wanted = np.array([self._flat(one[None]) for one in seen])
        missing = log_map(matrix_to_quat(np.swapaxes(seen, 1, 2) @ wanted))
        return turned @ quat_to_matrix(exp_map(np.median(missing, axis=0)))

    def _flat(self, turned: np.ndarray) -> np.ndarray:
        """(3, 3) level, pointing ahead as rotations (frames, 3, 3) do in the mean."""
        ahead = turned[:, :, 2].mean(axis=0)
        ahead = ahead - (ahead @ self._up) * self._up
        ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-9)
        return np.column_stack([np.cross(self._up, ahead), self._up, ahead])

    def add(self, track: np.ndarray) -> None:
        """The foot's points, rotation and contacts among the targets."""
        foot, role = self._foot, self._side + "Foot"
        self._out.points[role] = Point(foot.link, np.zeros(3), track, self._heel & self._ball)
        self._out.points[self._side + "Ball"] = Point(foot.link, foot.ball, self._way, self._ball)
        self._out.turned[role] = Turned(foot.link, self._turned, self._heel & self._ball)


def _ankle_level(body: _Source, side: str, contacts: Sequence[Contact], up: np.ndarray) -> float:
    """The height of a source's ankle over the ground where it rests."""
    heights = body.point(side + "Foot") @ up
    spans = _spans(contacts, body.shape.figure.joints[body.shape.at[side + "Foot"]])
    if spans:
        return float(np.median(np.concatenate([heights[a:b] for a, b in spans])))
    shape = body.shape
    if shape.stands:
        return body.scale * shape.foot(side).height
    return max(0.0, min(float(heights.min()), 0.12 * body.scale * shape.metre))


def _spans(contacts: Sequence[Contact], joint: str) -> list[Span]:
    return sorted((c.start, c.end) for c in contacts if c.joint == joint)


def _flags(spans: Sequence[Span], frames: int) -> np.ndarray:
    out = np.zeros(frames, bool)
    for start, end in spans:
        out[start:end] = True
    return out


def _along(way: np.ndarray, length: float) -> np.ndarray:
    """(frames, 3) as long as ``length``; as they are where that is negative."""
    if length < 0.0:
        return way
    return way * (length / np.maximum(np.linalg.norm(way, axis=1), 1e-9))[:, None]


def _lengths(
    source: BodyShape, target: BodyShape, side: str, kind: str, scale: str, ratio: float
) -> tuple[float, float]:
    """How long the bones of a limb are to be; −1 for as they are."""
    if scale == "common":
        return -1.0, -1.0
    own, other = target.segments(side, kind), source.segments(side, kind)
    if scale == "limbs":
        return own
    factor = sum(own) / sum(other)
    return factor * other[0], factor * other[1]


def _three(point: np.ndarray) -> tuple[float, float, float]:
    x, y, z = point.tolist()
    return x, y, z
