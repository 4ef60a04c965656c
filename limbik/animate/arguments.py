"""Checks of what people give to ``track``: wrong types, shapes and numbers, refused by name."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from limbik.errors import GoalError, MethodError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.solver.runner import whole_number
from limbik.solver.stepping.stepper import limits_of_change


def positive(value: object, what: str) -> float:
    """A number above 0."""
    number = _number(value, what)
    if not (math.isfinite(number) and number > 0.0):
        raise GoalError(f"{what} must be positive, got {value}")
    return number


def not_negative(value: object, what: str) -> float:
    """A number from 0 on."""
    number = _number(value, what)
    if not (math.isfinite(number) and number >= 0.0):
        raise GoalError(f"{what} must not be negative, got {value}")
    return number


def at_least_one(value: object, what: str) -> int:
    """A whole number from 1 on."""
    number = whole_number(value, what)
    if number < 1:
        raise MethodError(f"{what} must be at least 1, got {number}")
    return number


def target_table(values: Any, effectors: Any) -> np.ndarray:
    """(frames, effectors, 3) targets; (frames, 3) where there is one effector.

    ``effectors`` are names of joints: goals hold their own targets.
    """
    if hasattr(effectors, "terms") or any(hasattr(e, "terms") for e in _listed(effectors)):
        raise GoalError("targets= goes with names of joints; goals hold their own")
    names = _listed(effectors)
    if not names:
        raise GoalError("effectors: there are none, so that nothing follows the targets")
    try:
        table = np.asarray(values)
        if table.dtype.kind == "c":
            raise TypeError
        table = table.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise GoalError(f"targets: needs numbers, got {type(values).__name__}") from None
    if table.ndim == 4:
        raise GoalError("targets of several clips: use track_many")
    if table.ndim == 2 and len(names) == 1:
        table = table[:, None]
    if table.ndim != 3 or table.shape[1:] != (len(names), 3):
        raise GoalError(f"targets: needs shape (frames, {len(names)}, 3), got {table.shape}")
    if not len(table):
        raise GoalError("targets: there are no frames")
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        raise GoalError(f'targets: target {wrong[0, 0]} of "{names[wrong[0, 1]]}" is not finite')
    return table


def reference_poses(figure: Figure, values: Any, frames: int) -> np.ndarray | None:
    """(frames, n) poses to measure jumps against, of a Motion too."""
    if values is None:
        return None
    poses = figure.pose(values.q if isinstance(values, Motion) else values, "reference")
    if poses.ndim != 2:
        raise GoalError(f"reference: needs a pose for each of {frames} frames, got one pose")
    if len(poses) != frames:
        raise GoalError(f"reference: {len(poses)} frames for {frames}")
    return poses


def near_poses(figure: Figure, values: Any, frames: int) -> np.ndarray | None:
    """(frames, n) poses to stay near: of a Motion, also one in other coordinates, or one pose."""
    if values is None:
        return None
    if isinstance(values, Motion):
        values = (values if values.figure is figure else values.onto(figure)).q
    poses = figure.pose(values, "near")
    if poses.ndim == 1:
        return np.repeat(poses[None], frames, axis=0)
    if len(poses) != frames:
        raise GoalError(
            f"near: {len(poses)} frames for targets of {frames}; cut or resample the one like the "
            "other (motion[a:b], motion.resample(fps))"
        )
    return figure.project(poses)


def refuse_with_whole_clip(**given: Any) -> None:
    """Refuse what has no meaning where a whole clip is solved at once."""
    for what, value in given.items():
        if value is not None:
            raise GoalError(f"{what}= is for frames one by one, not with near= or smooth=")


def speeds_at_once(figure: Figure, given: Any) -> np.ndarray | None:
    """(n,) speed limits between the frames of a clip; None where there are none.

    Balls have none: their coordinates are no angles.
    """
    speeds = limits_of_change(figure, given, figure.speed_limits, "speed_limits")
    for i in range(len(figure.joints)):
        own = np.flatnonzero(figure.owner == i)
        if len(own) > 2:
            speeds[own] = math.inf
    return speeds if np.isfinite(speeds).any() else None


def _number(value: object, what: str) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise GoalError(f"{what} must be a number, got {value!r}")
    return float(value)


def _listed(effectors: Any) -> list[Any]:
    several = isinstance(effectors, Iterable) and not isinstance(effectors, str)
    return list(effectors) if several else [effectors]
