"""Capsules that stand in for a body where a figure has no mesh: where each lies, and how thick.

The one table of body radii: the page, pictures and files written without a mesh use it.
On a body that is recognised, thickness follows anatomy: a thigh is thicker than a forearm, whatever
their lengths.  On other figures it follows the bones' lengths, evened out, and never grows from a
joint to its children.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from limbik.figure.figure import Figure

_PARTS: dict[str, float] = {
    "hips": 0.060, "spine": 0.062, "chest": 0.068, "upperChest": 0.070, "neck": 0.030,
    "head": 0.052, "jaw": 0.012, "Eye": 0.008, "Shoulder": 0.032, "UpperArm": 0.028,
    "LowerArm": 0.023, "Hand": 0.016, "UpperLeg": 0.046, "LowerLeg": 0.033, "Foot": 0.022,
    "Toes": 0.018,
}  # fmt: skip
"""Radius of the bones that follow a part, as a share of the body's height."""

_FINGER = 0.0065
_FACE = ("Eye", "jaw")
_BACK = ("spine", "chest", "upperChest")
_ARM_ROOTS = ("Shoulder", "UpperArm")
_LEG_ROOT = 0.044  # from the pelvis to a thigh
_HEAD = 0.085  # of the height: how long a head without a tip is drawn

SLIM = 0.17
"""On other figures, the radius as a share of the bone's length, evened out ..."""
THIN, THICK = 0.006, 0.034
"""... and within these shares of the figure's size."""
_STUBBY = 0.75  # a bone of a limb is no thicker than this share of its length


class Capsules(NamedTuple):
    """(capsules,) the joint each follows, (capsules, 3) its two ends in the world at rest, and
    (capsules,) its radius, all in the figure's unit."""

    joints: np.ndarray
    start: np.ndarray
    end: np.ndarray
    radius: np.ndarray


class Bones(NamedTuple):
    """(bones,) the joint each bone follows, and (bones, 3) its two ends in the world, at rest."""

    joints: np.ndarray
    start: np.ndarray
    end: np.ndarray


def bones(figure: Figure) -> Bones:
    """A bone from every joint to each of its children and to its tip, in the rest pose; at joints
    that have neither, one without length.  Each follows the joint it starts at."""
    frames = figure.frames(figure.rest)
    places = frames[:, :3, 3]
    ends: list[tuple[int, np.ndarray]] = []
    for i, joint in enumerate(figure.definition):
        parent = int(figure.parents[i])
        if parent >= 0 and np.linalg.norm(places[i] - places[parent]) > 1e-9 * figure.size:
            ends.append((parent, places[i]))
        if joint.tip is not None:
            ends.append((i, frames[i, :3, :3] @ np.array(joint.tip) + places[i]))
    bare = sorted(set(range(len(places))) - {i for i, _ in ends})
    ends += [(i, places[i]) for i in bare]
    owner = np.array([i for i, _ in ends])
    return Bones(owner, places[owner], np.array([end for _, end in ends]))


def capsules(figure: Figure, roles: Mapping[str, str] | None = None) -> Capsules:
    """One capsule for each bone of a figure, in the rest pose.

    ``roles`` are those of ``limbik.humanoid.recognise(figure)``: role → joint; without them the
    thickness follows the lengths of the bones.
    """
    roles = roles or {}
    owner, start, end = bones(figure)
    length = np.linalg.norm(end - start, axis=1)
    parts = _parts(figure, roles)
    height = _height(figure, roles)
    radius = _by_length(figure, owner, length)
    if height > 0.0:
        ends = _ends(figure, owner, end)
        for k, joint in enumerate(owner):
            known = _radius(parts[joint], parts[ends[k]] if ends[k] >= 0 else "")
            if known > 0.0:
                radius[k] = known * height
                limb = parts[joint] not in (*_BACK, "hips", "head", "neck")
                if limb and length[k] > 0.0:
                    radius[k] = min(radius[k], _STUBBY * length[k])
        head = figure.index(roles["head"])
        face = [ends[k] >= 0 and parts[ends[k]] in _FACE for k in range(len(owner))]
        own = np.flatnonzero(owner == head)
        if all(face[k] or length[k] == 0.0 for k in own):  # it has no top
            top, face[own[0]] = own[0], False
            onwards = _onwards(figure, figure.frames(figure.rest), head)
            end[top] = start[top] + onwards * _HEAD * height
        for k, joint in enumerate(owner):  # what lies within it
            below = joint != head and parts[joint] == "head" and length[k] == 0.0
            if below or (joint == head and face[k]):
                radius[k] = _PARTS["Eye"] * height
    return Capsules(owner, start, end, radius)


def joint_radii(figure: Figure, roles: Mapping[str, str] | None = None) -> np.ndarray:
    """(joints,) how thick a figure is at each joint: as its thickest capsule there.

    ``roles`` as for ``capsules``.
    """
    found = capsules(figure, roles)
    out = np.zeros(len(figure.joints))
    np.maximum.at(out, found.joints, found.radius)
    return out


def _parts(figure: Figure, roles: Mapping[str, str]) -> list[str]:
    """What each joint is part of, "UpperArm" and so on; joints between two parts belong to the
    first, and a joint above all of them to none."""
    own = {}
    for role, joint in roles.items():
        own[joint] = role.removeprefix("left").removeprefix("right")
    parts: list[str] = []
    for joint, parent in zip(figure.joints, figure.parents, strict=True):
        parts.append(own.get(joint, parts[parent] if parent >= 0 else ""))
    return parts


def _radius(part: str, next_part: str) -> float:
    """Share of the height for a bone of ``part`` that ends at ``next_part``; 0 where unknown."""
    if part == "hips" and next_part == "UpperLeg":
        return _LEG_ROOT
    if part in (*_BACK, "hips") and next_part in _ARM_ROOTS:
        return _PARTS["Shoulder"]
    if part in _PARTS:
        return _PARTS[part]
    finger = part.startswith(("Thumb", "Index", "Middle", "Ring", "Little"))
    return _FINGER if finger else 0.0


def _height(figure: Figure, roles: Mapping[str, str]) -> float:
    """A body's height from its bones, so that it does not matter how it stands; 0 for no body."""
    needed = ("hips", "head", "leftUpperLeg", "leftLowerLeg", "leftFoot")
    if any(role not in roles for role in needed):
        return 0.0
    places = figure.positions(figure.rest)
    hips, head, hip, knee, foot = (places[figure.index(roles[role])] for role in needed)
    steps = (head - hips, hip - knee, knee - foot)
    return 1.25 * float(sum(np.linalg.norm(step) for step in steps))


def _ends(figure: Figure, owner: np.ndarray, end: np.ndarray) -> list[int]:
    """The joint at which each bone ends, −1 for one that ends at a tip."""
    places = figure.positions(figure.rest)
    out = []
    for joint, place in zip(owner, end, strict=True):
        children = np.flatnonzero(figure.parents == joint)
        there = children[(places[children] == place).all(axis=1)]
        out.append(int(there[0]) if len(there) else -1)
    return out


def _by_length(figure: Figure, owner: np.ndarray, length: np.ndarray) -> np.ndarray:
    """(bones,) radii from lengths: the geometric mean with the usual bone, no thicker than what the
    bone hangs on; a bone without length is as thick as that."""
    long = length[length > 0.0]
    usual = float(np.median(long)) if len(long) else figure.size
    radius = np.clip(SLIM * np.sqrt(length * usual), THIN * figure.size, THICK * figure.size)
    thickest = np.full(len(figure.parents), THICK * figure.size)
    for joint in range(len(figure.parents)):
        parent = int(figure.parents[joint])
        above = thickest[parent] if parent >= 0 else THICK * figure.size
        mine = owner == joint
        radius[mine] = np.where(length[mine] > 0.0, np.minimum(radius[mine], above), above)
        drawn = mine & (length > 0.0)
        thickest[joint] = radius[drawn].max() if drawn.any() else above
    return radius


def _onwards(figure: Figure, frames: np.ndarray, joint: int) -> np.ndarray:
    """(3,) the direction in the world in which a joint carries its parent's bone on, at rest."""
    parent = int(figure.parents[joint])
    step = frames[joint, :3, 3] - frames[parent, :3, 3] if parent >= 0 else np.zeros(3)
    long = float(np.linalg.norm(step))
    return step / long if long > 0.0 else np.array([0.0, 1.0, 0.0])
