"""Goals of a program as effectors that a person can hold."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.figure.joints import unit_axis
from limbik.goals import Aim, Goal, Pin, Reach
from limbik.humanoid import recognise
from limbik.maths.so3 import matrix_to_quat
from limbik.poser.document.effector import Effector, Vec3
from limbik.poser.files.default_document import natural_axis


def effectors_of(
    figure: Figure, goals: Iterable[Goal], start: np.ndarray, q: np.ndarray
) -> tuple[Effector, ...]:
    """An effector a goal: Reach is free, Pin holds its place in ``start`` (n,), Aim aims.

    ``q`` (n,) is the pose found for them; a Reach without a position is held where it is there.
    The goals have been solved, so that their joints and numbers are known to be right; GoalError
    for goals of other kinds, and for weights that an effector does not have.
    """
    body = recognise(figure)
    before, after = figure.frames(start), figure.frames(q)
    out = []
    for id, goal in enumerate(goals, start=1):
        what = f'{type(goal).__name__} "{goal.label}"'
        if not isinstance(goal, Reach | Pin | Aim):
            raise GoalError(
                f"{what}: the poser shows Reach, Pin and Aim as effectors, and no other goals"
            )
        joint = figure.index(goal.joint)
        weight = _number(goal.weight, f"{what}: weight")
        if isinstance(goal, Aim):
            assert goal.target is not None  # or it could not have been solved
            out.append(
                Effector(
                    id, goal.joint, _vec3(goal.at), "aim", _vec3(goal.target), weight=weight,
                    axis=_vec3(unit_axis(goal.axis)),
                )
            )  # fmt: skip
            continue
        at = _vec3(goal.at)
        frame = (before if isinstance(goal, Pin) else after)[joint]
        position, wxyz = frame[:3, :3] @ np.array(at) + frame[:3, 3], None
        if isinstance(goal, Reach) and goal.position is not None:
            position = goal.position
        if isinstance(goal, Pin) and goal.rotation:
            wxyz = matrix_to_quat(frame[:3, :3])
        elif isinstance(goal, Reach) and goal.wxyz is not None:
            wxyz = np.array(goal.wxyz, float) / np.linalg.norm(goal.wxyz)
        out.append(
            Effector(
                id, goal.joint, at, "pin" if isinstance(goal, Pin) else "free", _vec3(position),
                None if wxyz is None else tuple(wxyz.tolist()), weight,
                _number(goal.rotation_weight, f"{what}: rotation_weight"),
                natural_axis(figure, body, goal.joint),
            )
        )  # fmt: skip
    return tuple(out)


def _vec3(values: object) -> Vec3:
    x, y, z = np.asarray(values, float).tolist()
    return x, y, z


def _number(weight: object, what: str) -> float:
    if np.ndim(weight):  # type: ignore[arg-type]
        raise GoalError(f"{what}: the poser takes one number, not {np.size(weight)}")  # type: ignore[arg-type]
    return float(np.asarray(weight))
