"""Goals of a program as effectors that a person can hold, and goals that are kept beside them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.joints import unit_axis
from limbik.goals import Aim, Goal, Pin, Reach
from limbik.humanoid import recognise
from limbik.maths.so3 import matrix_to_quat
from limbik.poser.document.effector import HEAVIEST, Effector, Vec3
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.files.default_document import natural_axis


def split_goals(
    figure: Figure, goals: Iterable[Goal], start: np.ndarray, q: np.ndarray
) -> tuple[tuple[Effector, ...], tuple[KeptGoal, ...]]:
    """An effector for each Reach (free), Pin (holds its place in ``start`` (n,)) and Aim (aims);
    every other goal as it is, and those whose weight is more than one number.

    ``q`` (n,) is the pose found for them; a Reach without a position is held where it is there.
    The goals have been solved, so that their joints and numbers are known to be right.
    """
    body = recognise(figure)
    before, after = figure.frames(start), figure.frames(q)
    effectors: list[Effector] = []
    kept: list[KeptGoal] = []
    for id, goal in enumerate(goals, start=1):
        if isinstance(goal, Aim) and _one_weight(goal):
            effectors.append(_aiming(id, goal))
        elif isinstance(goal, Reach | Pin) and _one_weight(goal):
            frames = before if isinstance(goal, Pin) else after
            frame = frames[figure.index(goal.joint)]
            effectors.append(_reaching(id, goal, frame, natural_axis(figure, body, goal.joint)))
        else:
            if isinstance(goal, Pin):  # its place is that of the start, not of later drags
                goal = _pinned(goal, before[figure.index(goal.joint)])
            kept.append(KeptGoal.of(id, goal))
    return tuple(effectors), tuple(kept)


def _aiming(id: int, goal: Aim) -> Effector:
    assert goal.target is not None  # or it could not have been solved
    return Effector(
        id, goal.joint, _vec3(goal.at), "aim", _vec3(goal.target),
        weight=_number(goal.weight), axis=_vec3(unit_axis(goal.axis)),
    )  # fmt: skip


def _reaching(id: int, goal: Reach | Pin, frame: np.ndarray, axis: Vec3) -> Effector:
    at = _vec3(goal.at)
    position, wxyz = frame[:3, :3] @ np.array(at) + frame[:3, 3], None
    if isinstance(goal, Reach) and goal.position is not None:
        position = goal.position
    if isinstance(goal, Pin) and goal.rotation:
        wxyz = matrix_to_quat(frame[:3, :3])
    elif isinstance(goal, Reach) and goal.wxyz is not None:
        wxyz = np.array(goal.wxyz, float) / np.linalg.norm(goal.wxyz)
    return Effector(
        id, goal.joint, at, "pin" if isinstance(goal, Pin) else "free", _vec3(position),
        None if wxyz is None else tuple(wxyz.tolist()), _number(goal.weight),
        _number(goal.rotation_weight), axis,
    )  # fmt: skip


def _pinned(goal: Pin, frame: np.ndarray) -> Reach:
    return Reach(
        goal.joint,
        position=frame[:3, :3] @ np.asarray(goal.at, float) + frame[:3, 3],
        wxyz=matrix_to_quat(frame[:3, :3]) if goal.rotation else None,
        at=goal.at,
        weight=goal.weight,
        rotation_weight=goal.rotation_weight,
    )


def _one_weight(goal: Reach | Pin | Aim) -> bool:
    """Whether each weight is one number that an effector may have."""
    weights = (goal.weight, getattr(goal, "rotation_weight", 1.0))
    return all(not np.ndim(weight) and 0.0 < _number(weight) <= HEAVIEST for weight in weights)


def _number(weight: object) -> float:
    return float(np.asarray(weight))


def _vec3(values: object) -> Vec3:
    x, y, z = np.asarray(values, float).tolist()
    return x, y, z
