"""A body at ease: the pose that joints go back to which nothing asks for anything.

The middle of a joint's limits is no such pose: a knee's is bent by 70 degrees.  People who move
keep their arms low with bent elbows, and their knees a little bent.
"""

from __future__ import annotations

import math
import weakref

import numpy as np

from limbik.errors import FigureError
from limbik.figure.coordinates import joint_values
from limbik.figure.figure import Figure
from limbik.humanoid.recognise import SIDES, recognise
from limbik.humanoid.t_frames import t_frames
from limbik.maths.so3 import exp_map, quat_to_matrix

ARM_DOWN, ARM_AHEAD, ELBOW = 60.0, 10.0, 30.0
THIGH_AHEAD, THIGH_OUT, KNEE = 20.0, 4.0, 35.0
"""Degrees by which limbs differ from those of a T-pose."""

_TRUNK = ("hips", "spine", "chest", "upperChest", "neck", "head", "leftShoulder", "rightShoulder")
_MIRROR = np.diag([-1.0, 1.0, 1.0])


def at_ease(figure: Figure, start: np.ndarray | None = None) -> np.ndarray | None:
    """(n,) the pose of a body at ease, inside its limits; None where no body of balls is found.

    Hips and back are as at rest, fingers and what has no role as in ``start`` (n,).

    >>> human = limbik.figures.human()
    >>> hand, hip = human.positions(at_ease(human), ["LeftHand", "LeftUpLeg"])
    >>> bool(abs(hand[1] - hip[1]) < 0.2)
    True
    """
    if figure not in _known:
        _known[figure] = _found(figure)
    found = _known[figure]
    if found is None:
        return None
    pose, others = found
    return pose.copy() if start is None else np.where(others, start, pose)


_known: weakref.WeakKeyDictionary[Figure, tuple[np.ndarray, np.ndarray] | None] = (
    weakref.WeakKeyDictionary()
)


def _found(figure: Figure) -> tuple[np.ndarray, np.ndarray] | None:
    """(pose (n,), which coordinates have no part in it (n,)) of a figure; None where no body of
    balls is found, or its rest pose does not stand."""
    body = recognise(figure)
    upper = [side + part for side in SIDES for part in ("UpperArm", "UpperLeg")]
    if not body.complete or any(len(figure.coordinates_of(body[r])) < 3 for r in upper):
        return None
    try:
        axes, straight = t_frames(figure, body)
    except FigureError:
        return None
    q = figure.rest.copy()
    at = {role: figure.index(joint) for role, joint in body.roles.items()}
    turns = _segments()
    for role, turned in turns.items():
        i = at.get(role, -1)
        columns = np.flatnonzero(figure.owner == i)
        if i < 0 or not len(columns):
            continue
        world = figure.frames(q)
        above = world[int(figure.parents[i])]
        local = np.linalg.inv(above) @ world[i]
        local[:3, :3] = above[:3, :3].T @ axes @ turned @ straight[i]
        q[columns] = joint_values(figure.definition[i], local[None], q[columns])[0]
        q = figure.project(q)
    kept = [i for role, i in at.items() if role in turns or role in _TRUNK]
    return q, ~np.isin(figure.owner, kept)


def _segments() -> dict[str, np.ndarray]:
    """Role → (3, 3) how its segment is turned against a T-pose, in body axes, from the body
    outward."""
    arm = _turn(0, -ARM_AHEAD) @ _turn(2, -ARM_DOWN)
    fore = arm @ _turn(1, -ELBOW)
    thigh = _turn(2, THIGH_OUT) @ _turn(0, -THIGH_AHEAD)
    shank = thigh @ _turn(0, KNEE)
    left = {
        "UpperArm": arm, "LowerArm": fore, "Hand": fore,
        "UpperLeg": thigh, "LowerLeg": shank, "Foot": np.eye(3), "Toes": np.eye(3),
    }  # fmt: skip
    out = {}
    for side in SIDES:
        for part, turned in left.items():
            out[side + part] = turned if side == "left" else _MIRROR @ turned @ _MIRROR
    return out


def _turn(axis: int, degrees: float) -> np.ndarray:
    """(3, 3) a turn about the body's left, up or forward."""
    return quat_to_matrix(exp_map(math.radians(degrees) * np.eye(3)[axis]))
