"""The axes about which the joints of a body flex, spread and twist, by anatomical names.

They are told for a T-pose (x to the body's left, y up, z forward; palms down), and carried into the
frames of a rig by its T-pose.  Turned about these axes by a positive angle,

- flex bends a joint the way people bend it: trunk, neck and head forward, arms and thighs forward,
  elbows, knees, fingers and wrists closed, feet up;
- spread lifts arms and legs away from the body, leans trunk and head to the left, and moves hands,
  fingers and feet outward, hands and fingers towards the thumb;
- twist turns a bone about itself: trunk and head to the left, limbs outward.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.humanoid.recognise import Body
from limbik.humanoid.reference import along, hinge, part_of
from limbik.humanoid.t_frames import t_frames

NAMES = ("flex", "spread", "twist")
"""The names of the axes, in the order of the columns."""

_X, _Y, _Z = np.eye(3)

# Columns flex, spread, twist; of the left side.  Mirrored for the right: x stays, y and z change.
_TRUNK = np.column_stack([_X, -_Z, _Y])
_AXES = {
    "Shoulder": np.column_stack([-_Y, _Z, -_X]),
    "UpperArm": np.column_stack([-_Y, _Z, -_X]),
    "LowerArm": np.column_stack([-_Y, _Z, -_X]),
    "Hand": np.column_stack([-_Z, -_Y, -_X]),
    "UpperLeg": np.column_stack([-_X, _Z, _Y]),
    "LowerLeg": np.column_stack([_X, _Z, _Y]),
    "Foot": np.column_stack([-_X, _Y, -_Z]),
    "Toes": np.column_stack([_X, _Y, -_Z]),
}
_MIRRORED = np.array([[1.0], [-1.0], [-1.0]])


def role_axes(role: str) -> np.ndarray:
    """(3, 3) the axes of a role in T-pose: flex, spread and twist in columns, orthonormal.

    >>> role_axes("leftUpperLeg")[:, 0]  # a thigh goes forward about the axis to the right
    array([-1., -0., -0.])
    """
    part = part_of(role)
    if not role.startswith(("left", "right")):
        return _TRUNK.copy()
    if part.startswith("Thumb"):
        axes = _thumb(role)
        return axes if role.startswith("left") else axes * _MIRRORED
    left = _AXES.get(part, _AXES["Hand"])  # fingers lie as the hand does
    return left.copy() if role.startswith("left") else left * _MIRRORED


def _thumb(role: str) -> np.ndarray:
    """Of a left thumb: it bends about its own axis, which lies across the palm."""
    left = "left" + part_of(role)
    bone, bend = along(left), hinge("leftThumbDistal")
    if bone is None or bend is None:
        return _AXES["Hand"].copy()
    bend = bend - bone * (bone @ bend)
    bend = bend / np.linalg.norm(bend)
    return np.column_stack([bend, np.cross(bend, bone), bone])


def joint_axes(
    figure: Figure, body: Body, poses: np.ndarray | None = None
) -> Mapping[int, np.ndarray]:
    """The axes of a body's joints, each in the joint's own frame.  Joints without a role, such as a
    second bone of the neck, move as the joint above them that has one.

    Args:
        figure: a figure, of which ``body`` says which joint is which.
        body: as ``recognise`` finds it.
        poses: (frames, n) some poses of a clip, for files whose rest pose does not stand.

    Returns:
        Index of a joint → (3, 3), flex, spread and twist in columns.  Empty for a figure that is no
        body, or of whose T-pose nothing can be said.
    """
    if not body.complete:
        return {}
    try:
        _, frames = t_frames(figure, body, poses)
    except FigureError:
        return {}
    roles = {figure.index(joint): role for role, joint in body.roles.items()}
    for i, parent in enumerate(figure.parents.tolist()):  # parents come first
        if i not in roles and parent in roles:
            roles[i] = roles[parent]
    return {i: frames[i].T @ role_axes(role) for i, role in roles.items()}


LIMBS = {
    "left arm": "leftUpperArm",
    "right arm": "rightUpperArm",
    "left leg": "leftUpperLeg",
    "right leg": "rightUpperLeg",
}
"""Names of limbs, and the role of the joint in which each begins."""


def limb_joints(figure: Figure, body: Body) -> Mapping[str, tuple[str, ...]]:
    """The joints of each limb of a body, from the upper arm or the thigh outward, in the figure's
    order; empty for a figure that is no body."""
    out: dict[str, tuple[str, ...]] = {}
    for name, role in LIMBS.items() if body.complete else ():
        inside = {figure.index(body[role])}
        for i, parent in enumerate(figure.parents.tolist()):
            if parent in inside:
                inside.add(i)
        out[name] = tuple(figure.joints[i] for i in sorted(inside))
    return out
