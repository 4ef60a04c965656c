"""The goals that effectors stand for, and where their targets lie in a compiled problem.

A target can be written into a problem without compiling it again, which is what makes a drag fast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from limbik.figure.figure import Figure
from limbik.goals import Aim, Goal, Reach
from limbik.poser.document.effector import Effector
from limbik.solver.problem import Problem

FAR = 3.0
"""Targets further than this many sizes from what holds the figure are solved for at that distance:
the pose is the same, and numbers stay small."""

FAR_OF_BODY = 1.1
"""The same for bodies: a little more than any reaches from its feet, so that it does not strain
more for what is further away."""


def goal_of(effector: Effector, give: float) -> Goal:
    """The goal of an effector that is held; ``give`` multiplies its weights."""
    if effector.mode == "aim":
        return Aim(
            effector.joint,
            axis=effector.axis,
            target=effector.position,
            at=effector.at,
            weight=give * effector.weight,
        )
    return Reach(
        effector.joint,
        position=effector.position,
        wxyz=effector.wxyz,
        at=effector.at,
        weight=give * effector.weight,
        rotation_weight=give * effector.rotation_weight,
    )


def put_target(problem: Problem, goal: int, effector: Effector) -> None:
    """Write an effector's target into a problem, whose goal number ``goal`` is of that effector."""
    if effector.mode != "aim" and effector.wxyz is not None:
        problem.set_target(goal, position=effector.position, wxyz=effector.wxyz)
    else:
        put_place(problem, goal, effector.position)


def put_place(problem: Problem, goal: int, place: Sequence[float] | np.ndarray) -> None:
    """Write only the place (3,)."""
    name = "target" if isinstance(problem.goals[goal], Aim) else "position"
    problem.set_target(goal, **{name: place})


def anchor(figure: Figure, pins: Sequence[Sequence[float]], q: np.ndarray) -> np.ndarray | None:
    """(3,) what the figure hangs on: the middle of its ``pins``, or its root where that is fixed.

    None where it hangs on nothing, or where parts of it slide without end: there, no target is too
    far away.
    """
    endless = figure.slides & ~(np.isfinite(figure.lower) & np.isfinite(figure.upper))
    loose = set(figure.owner[endless].tolist())
    roots = np.flatnonzero(figure.parents < 0)
    if len(roots) > 1 or not loose <= {int(roots[0])}:
        return None
    if pins:
        return np.mean(pins, axis=0)
    return None if loose else figure.positions(q)[roots[0]]


def nearer(place: Sequence[float], middle: np.ndarray, most: float) -> np.ndarray | None:
    """(3,) the place at the distance ``most`` from ``middle`` in the same direction; None where it
    is not that far away."""
    away = np.array(place) - middle
    distance = math.hypot(*away)
    return middle + away * (most / distance) if distance > most else None
