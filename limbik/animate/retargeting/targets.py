"""Where a body of other proportions should be in every frame of a clip: points and rotations.

Everything is in the target's world, its ground at height 0.  A segment's rotation is given by the
world directions of its left, up and forward in a T-pose, which both bodies share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from limbik.animate.contacts import Contact
from limbik.animate.retargeting.body_shape import BodyShape
from limbik.animate.retargeting.foot_targets import FootTargets
from limbik.animate.retargeting.holds import hold_points, span_weights
from limbik.animate.retargeting.target_tracks import (
    Point,
    Seen,
    SourceBody,
    Targets,
    Turned,
    flags_of,
    spans_of,
)
from limbik.errors import GoalError
from limbik.figure.motion import Motion
from limbik.humanoid.recognise import SIDES

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


_BENT = 0.15  # of a limb: how far its middle is from the line between its ends where it is bent

KNEE = 0.01
BACK = 0.01
"""How firmly contacts hold knees and the back, as a share of how they hold feet: what is soft, or
rests on more than a point, gives way to feet and hands."""


class _Holds:
    """Points of the target that the source's contacts hold."""

    def __init__(
        self,
        source: BodyShape,
        contacts: Sequence[Contact],
        fps: float,
        reached: Mapping[str, np.ndarray],
    ) -> None:
        self._source, self._contacts = source, contacts
        self._fps, self._reached = fps, reached
        self.found: list[tuple[str, tuple[int, int], np.ndarray]] = []
        """(role, span, place) of each."""

    def spans(self, role: str) -> list[tuple[int, int]]:
        """When a role is in contact."""
        if role not in self._source.at:
            return []
        return spans_of(self._contacts, self._source.figure.joints[self._source.at[role]])

    def point(self, role: str, link: int, at: np.ndarray, track: np.ndarray, firm: float) -> Point:
        """A point that follows ``track`` (frames, 3), held while its role is in contact, at the
        mean of where it was reached."""
        spans, way = self.spans(role), self._reached.get(role, track)
        holds = [((a, b), way[a:b].mean(axis=0)) for a, b in spans]
        self.found += [(role, span, place) for span, place in holds]
        held = flags_of(spans, len(track))
        return Point(link, at, hold_points(track, holds, self._fps), held, firm)


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
    reached: Mapping[str, np.ndarray] | None = None,
) -> Targets:
    """What a clip asks of the target's body.

    ``seen`` is how the target's feet were in a first pass, and ``reached`` where its points were,
    (frames, 3) by role: contacts then hold them where its limits let them be.

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
    body = SourceBody(clip, source, turn, ratio, ground)
    feet = {side: target.foot(side, soles.get(side)) for side in SIDES}
    up = np.eye(3)[target.up]
    lift = _lift(body, {s: feet[s].height for s in SIDES}, contacts, clip.fps, up)

    hips = 0.5 * sum(body.centre(side, "Leg") for side in SIDES) + lift
    pelvis, chest = body.segment(source.pelvis), body.segment(source.chest)
    free = np.zeros(clip.frames, bool)
    hold = _Holds(source, contacts, clip.fps, reached or {})
    out.points["hips"] = hold.point(
        "hips", target.pelvis, target.local(target.pelvis, target.hip_middle), hips, BACK
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
    if hold.spans("chest"):
        between = target.local(target.chest, target.shoulder_middle)
        out.points["chest"] = hold.point("chest", target.chest, between, hips + trunk, BACK)
    for side in SIDES:
        known = None if seen is None else seen[side]
        moved = lift + _wider(source, target, side, ratio) * _level(pelvis[:, :, 0], up)
        foot = FootTargets(out, body, side, feet[side], moved, contacts, clip.fps, up, known)
        ankle = foot.track
        centre = target.in_body(target.hips[side] - target.hip_middle)
        if scale == "common":
            hip = body.centre(side, "Leg") + lift
        else:
            hip = hips + pelvis @ centre
        lengths = _lengths(source, target, side, "Leg", scale, ratio)
        knee = body.point(side + "LowerLeg") - body.centre(side, "Leg")
        bent = hip + _along(knee, lengths[0])
        if scale == "limbs":
            bent = _bent(hip, bent, ankle, lengths)
        role = side + "LowerLeg"
        out.points[role] = hold.point(role, target.at[role], np.zeros(3), bent, KNEE)
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
        if side in source.hands and side in target.hands:
            fore = body.hand(side) - body.point(side + "LowerArm")
            wrist = elbow + _along(fore, lengths[1])
            out.points[hand] = hold.point(hand, *target.hands[side], wrist, 1.0)
            if hand in source.end and hand in target.end:
                turned = body.segment(source.end[hand])
                out.turned[hand] = Turned(target.end[hand], turned, free)
    out.contacts += [
        Contact(target.figure.joints[target.at.get(role, out.points[role].link)], a, b, _three(p))
        for role, (a, b), p in hold.found
    ]
    out.contacts.sort(key=lambda contact: (contact.start, contact.joint))
    return out


def _wider(source: BodyShape, target: BodyShape, side: str, ratio: float) -> float:
    """How much further to the left a foot stands where the target's hips are wider, for a target
    that cannot tilt its feet: with flat soles its legs are upright, seen from the front."""
    if target.tilts:
        return 0.0
    wide, own = (
        float(np.linalg.norm(shape.hips["left"] - shape.hips["right"]))
        for shape in (target, source)
    )
    return (0.5 if side == "left" else -0.5) * (wide - ratio * own)


def _level(ways: np.ndarray, up: np.ndarray) -> np.ndarray:
    """(frames, 3) directions along the ground; shorter where the ways (frames, 3) are steep."""
    return ways - (ways @ up)[:, None] * up


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


def _lift(
    body: SourceBody,
    heights: Mapping[str, float],
    contacts: Sequence[Contact],
    fps: float,
    up: np.ndarray,
) -> np.ndarray:
    """(frames, 3) what brings the ankles of a scaled source to the target's ``heights``, by side,
    where its feet stand.

    Every stance counts where it is near in time.
    """
    frames = len(body.point("leftFoot"))
    total, share = np.zeros(frames), np.zeros(frames)
    for side in SIDES:
        ankle = body.point(side + "Foot") @ up
        foot = body.shape.figure.joints[body.shape.at[side + "Foot"]]
        spans = spans_of(contacts, foot)
        for (start, end), weight in zip(spans, span_weights(spans, frames, fps), strict=True):
            level = float(np.percentile(ankle[start:end], 20.0))  # heels rise in a stance
            total, share = total + weight * (heights[side] - level), share + weight
    if not share.any():
        missing = np.mean([heights[side] - _ankle_level(body, side, up) for side in SIDES])
        return np.broadcast_to(missing * up, (frames, 3))
    return (total / share)[:, None] * up


def _ankle_level(body: SourceBody, side: str, up: np.ndarray) -> float:
    """The height of a source's ankle over the ground, of a foot that never stands in the clip."""
    heights, shape = body.point(side + "Foot") @ up, body.shape
    if shape.stands:
        return body.scale * shape.foot(side).height
    return max(0.0, min(float(heights.min()), 0.12 * body.scale * shape.metre))


def _along(way: np.ndarray, length: float) -> np.ndarray:
    """(frames, 3) as long as ``length``; as they are where that is negative."""
    if length < 0.0:
        return way
    return way * (length / np.maximum(np.linalg.norm(way, axis=1), 1e-9))[:, None]


def _bent(
    start: np.ndarray, middle: np.ndarray, end: np.ndarray, lengths: tuple[float, float]
) -> np.ndarray:
    """(frames, 3) where the joint in the middle of a limb is, its ends at ``start`` and ``end`` and
    its two bones as long as they are: on the side of ``middle``, all (frames, 3).

    A millimetre turns a limb that is nearly straight by degrees: the straighter it is, the more it
    stays at ``middle``.
    """
    a, b = lengths
    way = end - start
    far = np.maximum(np.linalg.norm(way, axis=1), 1e-9)
    ahead = way / far[:, None]
    reach = np.clip(far, abs(a - b), a + b)
    # The law of cosines: a·cos of the angle at the start.
    along = (a * a + reach * reach - b * b) / (2.0 * np.maximum(reach, 1e-9))
    aside = middle - start
    aside = aside - (aside * ahead).sum(axis=1)[:, None] * ahead
    aside = aside / np.maximum(np.linalg.norm(aside, axis=1), 1e-9)[:, None]
    height = np.sqrt(np.maximum(a * a - along * along, 0.0))
    place = start + along[:, None] * ahead + height[:, None] * aside
    share = np.minimum(height / (_BENT * (a + b)), 1.0)[:, None]
    return middle + share**2 * (3.0 - 2.0 * share) * (place - middle)


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
