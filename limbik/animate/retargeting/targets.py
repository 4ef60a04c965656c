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
from limbik.animate.retargeting.holds import hold_points
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
    body = SourceBody(clip, source, turn, ratio, ground)
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
        foot = FootTargets(out, body, side, feet[side], lift, contacts, clip.fps, up, known)
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
            own_spans = spans_of(contacts, source.figure.joints[source.at[hand]])
            holds = [((a, b), wrist[a:b].mean(axis=0)) for a, b in own_spans]
            out.points[hand] = Point(
                target.at[hand],
                np.zeros(3),
                hold_points(wrist, holds, clip.fps),
                flags_of(own_spans, clip.frames),
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


def _ankle_level(body: SourceBody, side: str, contacts: Sequence[Contact], up: np.ndarray) -> float:
    """The height of a source's ankle over the ground where it rests."""
    heights = body.point(side + "Foot") @ up
    spans = spans_of(contacts, body.shape.figure.joints[body.shape.at[side + "Foot"]])
    if spans:
        return float(np.median(np.concatenate([heights[a:b] for a, b in spans])))
    shape = body.shape
    if shape.stands:
        return body.scale * shape.foot(side).height
    return max(0.0, min(float(heights.min()), 0.12 * body.scale * shape.metre))


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
