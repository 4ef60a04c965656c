"""Where effectors are in a pose: their targets brought to where their joints stand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from limbik.figure.figure import Figure
from limbik.maths.so3 import matrix_to_quat
from limbik.poser.document.effector import Effector, Mode
from limbik.solver.problem_arguments import POSITION_TOLERANCE, ROTATION_TOLERANCE


def anchored(
    figure: Figure,
    effectors: Iterable[Effector],
    q: np.ndarray,
    *,
    modes: tuple[Mode, ...] = ("free", "pin"),
) -> tuple[Effector, ...]:
    """The effectors with their targets where they are in the pose q (n,), those of other modes as
    they were.  An orientation is only set where one is asked for.  An aim looks as far ahead as
    the figure is large.
    """
    effectors = tuple(effectors)
    if not any(effector.mode in modes for effector in effectors):
        return effectors
    frames = figure.frames(q)
    return tuple(
        placed(effector, frames[figure.index(effector.joint)], figure.size)
        if effector.mode in modes
        else effector
        for effector in effectors
    )


def placed(effector: Effector, frame: np.ndarray, size: float) -> Effector:
    """The effector with its target where it is, for the world transform (4, 4) of its joint."""
    local = np.array(effector.at)
    if effector.mode == "aim":
        local = local + size * np.array(effector.axis)
    x, y, z = (frame[:3, :3] @ local + frame[:3, 3]).tolist()
    wxyz = effector.wxyz
    if wxyz is not None:
        turn = matrix_to_quat(frame[:3, :3])
        # The sign nearest to what it was, so that nothing changes where nothing has moved.
        a, b, c, d = (turn if float(turn @ np.array(wxyz)) >= 0.0 else -turn).tolist()
        wxyz = (a, b, c, d)
    if (x, y, z) == effector.position and wxyz == effector.wxyz:
        return effector
    return replace(effector, position=(x, y, z), wxyz=wxyz)


def also_held(
    figure: Figure, effectors: Iterable[Effector], q: np.ndarray, known: np.ndarray
) -> np.ndarray:
    """(goals, 11) the rows of an answer's goals and those of pins and aims that are not among them,
    as they stand in the pose q (n,)."""
    there = set(known[:, 0].tolist())
    missing = [e for e in effectors if e.mode != "free" and e.id not in there]
    if not missing:
        return known
    frames = figure.frames(q)
    rows = [_row(e, frames[figure.index(e.joint)], figure.size) for e in missing]
    return np.concatenate([known, np.array(rows)])


def _row(effector: Effector, frame: np.ndarray, size: float) -> list[float]:
    point = frame[:3, :3] @ np.array(effector.at) + frame[:3, 3]
    away = np.array(effector.position) - point
    none = [math.nan] * 4
    if effector.mode == "aim":
        along = frame[:3, :3] @ np.array(effector.axis)
        angle = math.atan2(float(np.linalg.norm(np.cross(along, away))), float(along @ away))
        ok = angle <= ROTATION_TOLERANCE
        return [effector.id, math.nan, angle, ok, *effector.position, *none]
    length, angle = float(np.linalg.norm(away)), math.nan
    ok = length <= POSITION_TOLERANCE * size
    if effector.wxyz is not None:
        turned = abs(float(matrix_to_quat(frame[:3, :3]) @ np.array(effector.wxyz)))
        angle = 2.0 * math.acos(min(turned, 1.0))
        ok = ok and angle <= ROTATION_TOLERANCE
    return [effector.id, length, angle, ok, *effector.position, *(effector.wxyz or none)]
