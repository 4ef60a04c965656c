"""The body that others are measured by: how far each role moves, from a T-pose, y up, facing +z.

The joints are those of the built-in human; how far they go is in ``limbik.humanoid.widest``, where
the sources are named.  Those fingers that the human lacks are added here.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np

from limbik.figure.coordinates import ball_of, to_quat
from limbik.figure.joints import Joint, Turn, unit_axis
from limbik.figure.limits import Range, SwingTwist
from limbik.figures import anatomy
from limbik.figures.human import human
from limbik.figures.mirror import mirrored
from limbik.humanoid import widest
from limbik.maths.so3 import exp_map, quat_multiply

_LIMBS = {
    "Shoulder": ("LeftShoulder", widest.GIRDLE),
    "UpperArm": ("LeftArm", widest.ARM),
    "LowerArm": ("LeftForeArm", widest.ELBOW),
    "Hand": ("LeftHand", widest.WRIST),
    "UpperLeg": ("LeftUpLeg", widest.HIP),
    "LowerLeg": ("LeftLeg", widest.KNEE),
    "Foot": ("LeftFoot", widest.ANKLE),
    "Toes": ("LeftToeBase", widest.TOES),
}
_FINGERS = ("Index", "Middle", "Ring", "Little")
_DIGITS = (*_FINGERS, "Thumb")

# Joints whose first two turns share one ellipse: nobody bends a wrist fully in two ways at once.
_ELLIPSES = ("Shoulder", "Hand", "Foot", "Toes", "Proximal", "ThumbMetacarpal", "Thumb")

# The thumb's nail faces sideways: its last two joints bend about this axis on a left hand in
# T-pose, that of ``limbik.figures.hand`` (38 degrees out, rolled by 55 towards the palm).
_OUT, _ROLLED = math.radians(38.0), math.radians(55.0)
_THUMB_BEND = unit_axis(
    (
        math.cos(_ROLLED) * math.sin(_OUT),
        math.sin(_ROLLED),
        -math.cos(_ROLLED) * math.cos(_OUT),
    )
)

# Straight limbs do not show how they are rolled, and rigs differ in it: a ball at the elbow, the
# knee or in a finger may bend about axes that lie so many degrees on both sides of the hinge's.
_HINGE_ROLL = {
    "LowerArm": 55.0,
    "LowerLeg": 15.0,
    "ThumbProximal": 90.0,
    "ThumbDistal": 90.0,
    **{finger + place: 30.0 for finger in _FINGERS for place in ("Intermediate", "Distal")},
}

_DIGIT_ENDS = ("Proximal", "Intermediate", "Distal", "Metacarpal")

_AROUND, _OUTWARD, _ACROSS = 24, 4, 7  # samples around an ellipse, along its radius, of a range


def part_of(role: str) -> str:
    """A role without its side: "UpperArm" for "leftUpperArm"."""
    for side in ("left", "right"):
        if role.startswith(side):
            return role.removeprefix(side)
    return role


@cache
def _left() -> dict[str, Joint]:
    """Role without side → joint of the left side in T-pose, with its limit."""
    own = {joint.name: joint for joint in human().definition}
    out = {part: replace(own[name], limit=limit) for part, (name, limit) in _LIMBS.items()}
    out["Toes"] = replace(out["Toes"], parts=out["Foot"].parts)  # rigs have balls there
    for finger in _FINGERS:
        out[finger + "Proximal"] = replace(own["LeftFingerBase"], limit=widest.KNUCKLE)
        out[finger + "Intermediate"] = replace(own["LeftHandIndex1"], limit=widest.FINGER)
        out[finger + "Distal"] = replace(own["LeftHandIndex1"], limit=widest.FINGER_END)
    out["SecondHand"] = replace(own["LeftHand"], limit=widest.SECOND_WRIST)
    out["Thumb"] = replace(own["LThumb"], limit=widest.WHOLE_THUMB)
    out["WristThumb"] = replace(own["LThumb"], limit=widest.THUMB_AT_WRIST)
    out["ThumbMetacarpal"] = replace(own["LThumb"], limit=widest.THUMB)
    bend = (Turn(_THUMB_BEND),)
    out["ThumbProximal"] = Joint("Thumb2", parts=bend, limit=widest.THUMB_MIDDLE)
    out["ThumbDistal"] = Joint("Thumb3", parts=bend, limit=widest.THUMB_END)
    return out


def along(role: str) -> np.ndarray | None:
    """(3,) where a role's bone points in T-pose; None for one whose bone says nothing."""
    part = part_of(role)
    if part.startswith("Thumb"):
        v = _thumb()
    elif part.endswith(("Arm", "Hand", "Proximal", "Intermediate", "Distal")):
        v = np.array([1.0, 0.0, 0.0])
    elif part.endswith("Leg"):
        v = np.array([0.0, -1.0, 0.0])
    elif part in ("Foot", "Toes"):
        v = np.array([0.0, 0.0, 1.0])
    else:
        return None
    return _flipped(role, v)


def thumb_side(role: str) -> np.ndarray:
    """(3,) from the wrist to the thumb's first joint in T-pose, for a role of that side."""
    return _flipped(role, np.array(_left()["Thumb"].offset))


def _thumb() -> np.ndarray:
    tip = np.array(_left()["Thumb"].tip)
    return tip / np.linalg.norm(tip)


def _flipped(role: str, v: np.ndarray) -> np.ndarray:
    return v * [-1.0, 1.0, 1.0] if role.startswith("right") else v


def movement(role: str, *, turns: int) -> np.ndarray | None:
    """(k, 4) rotations wxyz that fill what a role's joint may do against its parent, in body axes.

    ``turns`` is how many ways the joint turns that the movement is for.  A hinge gets each of the
    movements alone, for what it makes of two together means nothing; balls get also what a hinge
    could not show.  Besides roles there are "leftThumb" for a thumb of one bone, "leftWristThumb"
    for one that starts in the wrist, and "leftSecondHand" for a joint that shares the wrist's work.
    None for a role that no table knows.
    """
    part = part_of(role)
    joint = _joint(role, part)
    if joint is None:
        return None
    turn = math.radians(widest.WRIST_TURN if part.endswith("Hand") else widest.FINGER_TURN)
    bone = along(role)
    bone = np.array([1.0, 0.0, 0.0]) if bone is None or part.endswith("Hand") else bone
    rolls = np.linspace(-turn, turn, _ACROSS)[:, None] * bone
    if turns == 1:
        samples = rotations(joint, alone=True)
        return np.concatenate([samples, exp_map(rolls)]) if part.endswith("Hand") else samples
    samples = rotations(joint, ellipse=part.endswith(_ELLIPSES))
    if turns == 3 and part.endswith(("Hand", *_DIGIT_ENDS)):
        samples = np.concatenate([quat_multiply(samples, roll) for roll in exp_map(rolls)])
    return samples


def _joint(role: str, part: str) -> Joint | None:
    joint = _left().get(part)
    return mirrored(joint) if joint is not None and role.startswith("right") else joint


def hinge(role: str) -> np.ndarray | None:
    """(3,) the axis in T-pose of a finger's joint that only bends; None for other roles."""
    part = part_of(role)
    joint = _joint(role, part)
    if not part.startswith(_DIGITS) or joint is None or joint.hinge is None:
        return None
    return np.array(joint.hinge.axis)


def bend_axis(role: str) -> np.ndarray:
    """(3,) the axis in T-pose about which the joint after an upper arm or a thigh bends."""
    joint = _joint(role, part_of(role).replace("Upper", "Lower"))
    assert joint is not None
    return np.array(joint.turn_parts[0].axis)


def hinge_roll(role: str) -> float:
    """How far, in radians, the axis may be rolled about the bone that a role's ball bends about."""
    return math.radians(_HINGE_ROLL.get(part_of(role), 0.0))


def fanned(role: str, samples: np.ndarray) -> np.ndarray:
    """The rotations about the hinge's axis and about axes rolled to both sides of it."""
    axis = along(role)
    roll = hinge_roll(role)
    if axis is None or not roll:
        return samples
    rolls = exp_map(np.linspace(-roll, roll, 5)[:, None] * axis)
    return np.concatenate([_about(samples, turn) for turn in rolls])


def _about(samples: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """The same rotations about axes that were turned: t·R·t⁻¹."""
    back = turn * [1.0, -1.0, -1.0, -1.0]
    return quat_multiply(quat_multiply(turn, samples), back)


def column_movement(part: str, at: int, count: int) -> np.ndarray:
    """(k, 4) what one of ``count`` joints of the back or the neck may do, counted from below.

    The whole movement is shared out as the human's three joints share it: their shares, added up
    from below, give a curve over the column's height, and each joint gets the curve's rise over its
    own stretch, s, and may do s to the power of ``widest.SHARED`` of the whole.
    """
    shares = anatomy.SPINE_SHARES if part == "back" else anatomy.NECK_SHARES
    flexion, extension, side, turn = widest.BACK if part == "back" else widest.NECK
    heights = np.linspace(0.0, 1.0, len(shares) + 1)
    rise: list[float] = []
    for k in (0, 1):
        total = np.cumsum([0.0, *(share[k] for share in shares.values())])
        ends = np.interp([at / count, (at + 1) / count], heights, total)
        rise.append(float(ends[1] - ends[0]) ** widest.SHARED[part])
    (limit,) = anatomy.column({"": (rise[0], rise[1])}, flexion, extension, side, turn).values()
    joint = human().definition[human().index(next(iter(shares)))]
    return rotations(replace(joint, limit=limit))


def rotations(joint: Joint, *, ellipse: bool = False, alone: bool = False) -> np.ndarray:
    """(k, 4) rotations wxyz that fill a joint's limit, its ends among them.

    With ``ellipse`` the first two turns go only as far together as a quarter of an ellipse between
    the ends of their ranges allows; with ``alone`` each turn moves while the others are at zero.
    """
    limit = joint.limit
    found = ball_of(joint)
    if isinstance(limit, SwingTwist):
        assert found is not None
        assert limit.swing is not None
        s1, s2 = _disc()
        swings = np.array(limit.center) + np.column_stack([s1, s2]) * limit.swing
        return to_quat(found[0], _with_third(swings, *limit.twist))
    assert isinstance(limit, Range)
    turns = list(joint.turn_parts)
    lower = np.broadcast_to(limit.lower, len(turns))
    upper = np.broadcast_to(limit.upper, len(turns))
    if alone:
        lines = np.linspace(lower, upper, 15)
        one = np.eye(len(turns))
        values = np.concatenate([np.outer(lines[:, k], one[k]) for k in range(len(turns))])
    elif ellipse and len(turns) > 1:
        disc = np.column_stack(_disc())
        values = np.where(disc > 0.0, disc * upper[:2], -disc * lower[:2])
        if len(turns) == 3:
            values = _with_third(values, lower[2], upper[2])
    else:
        axes = [np.linspace(low, high, 15) for low, high in zip(lower, upper, strict=True)]
        values = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(turns))
    out = exp_map(values[:, :1] * np.array(turns[0].axis))
    for k, turn in enumerate(turns[1:], 1):
        out = quat_multiply(out, exp_map(values[:, k : k + 1] * np.array(turn.axis)))
    return out


def _disc() -> tuple[np.ndarray, np.ndarray]:
    """Points that fill the unit disc, its centre and its quarter points among them."""
    r, a = np.meshgrid(
        np.linspace(0.0, 1.0, _OUTWARD + 1),
        np.linspace(0.0, 2.0 * math.pi, _AROUND, endpoint=False),
        indexing="ij",
    )
    x, y = (r * np.cos(a)).ravel(), (r * np.sin(a)).ravel()
    return np.where(np.abs(x) < 1e-12, 0.0, x), np.where(np.abs(y) < 1e-12, 0.0, y)


def _with_third(pairs: np.ndarray, low: float, high: float) -> np.ndarray:
    third = np.linspace(low, high, _ACROSS)
    return np.column_stack([np.repeat(pairs, _ACROSS, axis=0), np.tile(third, len(pairs))])
