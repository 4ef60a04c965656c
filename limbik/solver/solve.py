"""solve: from goals to joint values inside the limits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from limbik.figure.figure import Figure, Pose
from limbik.goals import Goal
from limbik.methods import Method
from limbik.solver.result import Result
from limbik.solver.solver import Solver


def solve(
    figure: Figure,
    goals: Goal | Iterable[Goal],
    *,
    start: Pose | None = None,
    method: str | Method | None = None,
    tolerance: float | tuple[float, float] | None = None,
    budget: int | float | None = None,
    restarts: int | None = None,
    seed: int = 0,
    lock: Iterable[str] = (),
    weights: np.ndarray | None = None,
    loops: bool = True,
    history: bool = False,
) -> Result:
    """Joint values that meet the goals as well as the limits allow.

    Args:
        figure: the figure to pose.
        goals: one goal or several.
        start: where to start, (n,) or values by name such as ``{"Joint1": 0.3}``; the rest pose
            unless given.  Outside its limits it is projected first.
        method: a name in ``limbik.methods``, or a Method with settings.
        tolerance: one number, or (position in the figure's unit, rotation in rad); 1e-4 of the
            figure's size and 1e-3 rad unless given.
        budget: most iterations (an int) or seconds (a float); unless given, each attempt may take
            as many iterations as the method says (the default: 400).
        restarts: how many more attempts, from other poses, where goals are missed.  None: as many
            as help, at most 30 (or twice the coordinates that are thrown, where these are more),
            or 250 where little is missed.  0: none.
        seed: chooses the random numbers of restarts; the same arguments give the same answer.
        lock: names of joints that keep their start values.
        weights: a matrix (rows, rows) for all residuals, in place of the goals' own weights;
            seldom needed.
        loops: close the figure's loops (``figure.loops``) before anything else; their errors
            follow those of the goals.
        history: keep f and q of every accepted iterate.

    Returns:
        The pose with its status, errors, limits and a sentence that says why.

    Raises:
        GoalError: a goal cannot be asked of this figure.
        MethodError: the method or one of its settings cannot be used.
        FigureError: ``start`` is no pose of this figure.

    Example:
        >>> import limbik
        >>> fig = limbik.figures.human()
        >>> limbik.solve(fig, [limbik.Reach("LeftHand", position=[0.4, 1.2, 0.3])]).ok
        True
    """
    solver = Solver(
        figure, goals, start=start, method=method, tolerance=tolerance, budget=budget,
        restarts=restarts, seed=seed, lock=lock, weights=weights, loops=loops,
    )  # fmt: skip
    return solver.solve(history=history)
