"""Solver: a problem that is built once and solved as often as wanted, for targets that move."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure, Pose
from limbik.goals import Goal, Reach
from limbik.goals.close import with_loops
from limbik.goals.moving import targets_of
from limbik.goals.terms import LARGEST
from limbik.methods import Method
from limbik.solver.explanation.report import result_of_run
from limbik.solver.ordered import runner_of
from limbik.solver.problem import Problem
from limbik.solver.result import Result
from limbik.solver.runner import find_method, whole_number
from limbik.solver.targets.target_slots import target_writes

Targets = Mapping[Any, Any]
"""New targets by goal (its label, its place among the goals, or itself): a position, a pair
(position, wxyz), or a mapping of the goal's own names to values."""


class Solver:
    """Goals for a figure, compiled once and solved as often as wanted.

    There are no restarts unless asked for: a solver mostly follows targets that move a little.

    Args:
        figure: the figure to pose.
        goals: one goal or several; a Pin keeps the place that ``start`` gives it.
        start: where to start, (n,) or values by name such as ``{"Joint1": 0.3}``; the rest pose
            unless given.  Outside its limits it is projected first.
        method: a name in ``limbik.methods``, or a Method with settings.
        tolerance: one number, or (position in the figure's unit, rotation in rad); 1e-4 of the
            figure's size and 1e-3 rad unless given.
        budget: iterations (an int) or seconds (a float) per solve.
        restarts: how often to start again where an attempt ends short; None: as many as help.
        seed: chooses the random numbers of restarts.
        lock: names of joints that keep their start values.
        weights: a full W (rows, rows) over all rows, in place of the goals' own weights.
        loops: close the figure's loops (``figure.loops``) before anything else; their errors
            follow those of the goals.

    Example:
        >>> import limbik
        >>> arm = limbik.figures.arm()
        >>> solver = limbik.Solver(arm, [limbik.Reach("Tool", position=[0.4, 0.2, 0.5])])
        >>> result = solver.solve()
        >>> for x in (0.41, 0.42, 0.43):
        ...     result = solver.solve(result.q, {"Tool": [x, 0.2, 0.5]})
        >>> result.ok
        True
    """

    def __init__(
        self,
        figure: Figure,
        goals: Goal | Iterable[Goal],
        *,
        start: Pose | None = None,
        method: str | Method | None = None,
        tolerance: float | tuple[float, float] | None = None,
        budget: int | float | None = None,
        restarts: int | None = 0,
        seed: int = 0,
        lock: Iterable[str] = (),
        weights: np.ndarray | None = None,
        loops: bool = True,
    ) -> None:
        goals = with_loops(figure, goals, loops if weights is None else False)
        self.problem = problem = Problem(
            figure, goals, start=start, tolerance=tolerance, lock=lock, weights=weights
        )
        # A character is wanted near the pose it starts from; a robot's solutions lie far apart.
        near = start is not None and problem.root >= 0
        self._seed, self._budget = whole_number(seed, "seed"), budget
        self._runner = runner_of(problem, find_method(method), near=near, restarts=restarts)
        self._n = figure.n

    @cached_property
    def _target_offsets(self) -> dict[Any, int]:
        """Where in the problem's floats the positions of Reach goals lie, by their labels."""
        labels = [goal.label for goal in self.goals]
        return {
            goal.label: target_writes(self.problem, k, {"position": np.zeros((1, 3))})[0][0]
            for k, goal in enumerate(self.goals)
            if isinstance(goal, Reach)
            and goal.position is not None
            and labels.count(goal.label) == 1
        }

    @property
    def figure(self) -> Figure:
        """The figure that is solved for."""
        return self.problem.figure

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals as they were given; their targets may have moved since."""
        return self.problem.goals

    @property
    def method(self) -> Method:
        """The method with its settings."""
        return self._runner.method

    def set_target(self, goal: Goal | int | str, **target: Any) -> None:
        """Give a goal a new target (``Problem.set_target``).

        Args:
            goal: the goal, its place among the goals, or its label.
            target: named as in the goal: ``position=``, ``wxyz=``, ``target=``, ``normal=``,
                ``offset=``, ``distance=``, ``pose=`` or ``data=``.

        Raises:
            GoalError: there is no such goal, or it has no such target.
        """
        self.problem.set_target(goal, **target)

    def solve(
        self,
        start: Pose | None = None,
        targets: Targets | None = None,
        *,
        history: bool = False,
    ) -> Result:
        """Joint values for the targets as they stand now.

        What the result says of errors, limits and why is worked out when it is asked for.

        Args:
            start: (n,), or values by name; the solver's own start unless given.
            targets: new targets, which the goals keep: ``{"LeftHand": position}``, ``{"LeftHand":
                (position, wxyz)}`` or ``{"Feet": {"distance": 0.4}}``.
            history: keep f and q of every accepted iterate.

        Returns:
            The result, as that of ``limbik.solve``.

        Raises:
            GoalError: a target cannot be asked.
        """
        began = time.perf_counter()
        if targets is not None:
            self._move(targets)
        problem, runner = self.problem, self._runner
        if start is None:
            q = problem.start.copy()
        else:
            q = problem.figure.single_pose(start, "start")
        # Room for the best attempt and its end, and as much again for the one under way.
        noted = np.empty((4 * self.method.iterations + 4, self._n + 1)) if history else None
        budget = self._budget
        if budget is None or isinstance(budget, Integral):
            code, totals = runner.run(q, self._seed, noted, None if budget is None else int(budget))
        else:
            code, totals = runner.run_for(q, budget, self._seed, noted)
        return result_of_run(problem, q, code, totals, noted, began)

    def _move(self, targets: Targets) -> None:
        if type(targets) is not dict and not isinstance(targets, Mapping):
            raise GoalError(f"targets: needs targets by goal, got {targets!r}")
        problem = self.problem
        for key, value in targets.items():
            quick = (
                type(value) is np.ndarray and value.shape == (3,) and key in self._target_offsets
            )
            if quick and float(value @ value) <= LARGEST:
                first = self._target_offsets[key]
                problem.floats[first : first + 3] = value
                continue
            if isinstance(value, Mapping):
                problem.set_target(key, **value)
                continue
            number = problem.number_of(key)
            names = list(targets_of(problem.goals[number]))
            if not names:
                raise GoalError(f"{problem.goals[number].label}: has no target that can be moved")
            if isinstance(value, tuple) and len(value) == 2 and len(names) > 1:
                problem.set_target(number, **dict(zip(names, value, strict=False)))
            else:
                known = [n for n in names if getattr(problem.goals[number], n) is not None]
                problem.set_target(number, **{(known or names)[0]: value})
