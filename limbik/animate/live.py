"""Live: a figure that follows moving targets tick by tick, as a control loop or a game does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from limbik.animate.arguments import positive
from limbik.errors import MethodError
from limbik.figure.figure import Figure, Pose
from limbik.goals import Goal
from limbik.methods import Method
from limbik.methods.base import REACHED
from limbik.solver.ordered import runner_of
from limbik.solver.problem import Problem
from limbik.solver.result import Miss, misses
from limbik.solver.runner import find_method, whole_number
from limbik.solver.stepper import Stepper, limits_of_change

ITERATIONS = 30
"""A tick may take so many iterations; the next one goes on from there."""

_STANDS, _PATIENCE = 1e-2, 10  # rad/s or less for so many ticks: a limit has stopped it
_ARRIVED = 1e-3  # rad: near enough to the pose that another way leads to


class Live:
    """A figure that follows moving targets, one answer per tick whatever they do.

    Args:
        figure: the figure to move.
        goals: one goal or several.
        rate: ticks per second.
        start: (n,), or values by name, where it stands; the rest pose unless given.
        method: as in ``solve``.
        tolerance: as in ``solve``.
        lock: names of joints that keep their start values.
        speed_limits: no coordinate goes faster than the figure says (True), or than one number or n
            numbers (rad/s, or the figure's unit per second); None: as fast as it likes.
        acceleration_limits: one number or n numbers, per second squared.
        recover: where a limit has stopped it short of its targets, look for another way, one
            attempt per tick, and take it as soon as it reaches every goal.
        iterations: how many a tick may take at most; the next one goes on from there.

    Example:
        >>> import limbik
        >>> arm = limbik.figures.arm().with_speed_limits(2.0)
        >>> live = limbik.Live(arm, limbik.Reach("Tool", position=[0.4, 0.1, 0.5]), rate=500)
        >>> for _ in range(3):
        ...     q = live.step()
        >>> live.move("Tool", position=[0.4, 0.2, 0.5])
        >>> bool((abs(live.step() - q) <= 2.0 / 500 + 1e-12).all())
        True
    """

    def __init__(
        self,
        figure: Figure,
        goals: Goal | Iterable[Goal],
        *,
        rate: float = 500.0,
        start: Pose | None = None,
        method: str | Method | None = None,
        tolerance: float | tuple[float, float] | None = None,
        lock: Iterable[str] = (),
        speed_limits: Any = True,
        acceleration_limits: Any = None,
        recover: bool = True,
        iterations: int = ITERATIONS,
    ) -> None:
        self.rate = positive(rate, "rate")
        if whole_number(iterations, "iterations") < 1:
            raise MethodError(f"iterations must be at least 1, got {iterations}")
        self.problem = problem = Problem(figure, goals, start=start, tolerance=tolerance, lock=lock)
        runner = runner_of(problem, find_method(method), near=True, restarts=0, chain=True)
        fastest = limits_of_change(figure, speed_limits, figure.speed_limits, "speed_limits")
        none = np.full(figure.n, np.inf)
        hardest = limits_of_change(figure, acceleration_limits, none, "acceleration_limits")
        self._stepper = Stepper(runner, 1.0 / self.rate, fastest, hardest)
        self._iterations = iterations
        self._q, self._speed = problem.start.copy(), np.zeros(figure.n)
        self._code, self._stood = -1, 0
        self._recover = bool(recover)
        self._way: np.ndarray | None = None
        aside = problem.at(problem.floats.copy())
        self._explorer = runner_of(aside, runner.method, near=False, restarts=0)
        self._random = np.random.default_rng(0)

    @property
    def figure(self) -> Figure:
        """The figure that follows."""
        return self.problem.figure

    @property
    def q(self) -> np.ndarray:
        """(n,) the pose of the last tick."""
        return self._q.copy()

    @property
    def speed(self) -> np.ndarray:
        """(n,) how fast each coordinate went in the last tick, per second."""
        return self._speed.copy()

    @property
    def ok(self) -> bool:
        """Whether every goal was within its tolerance after the last tick."""
        return self._code == REACHED

    @property
    def errors(self) -> tuple[Miss, ...]:
        """How far each goal is from being met now."""
        return misses(self.problem, self._q)

    def move(
        self,
        goal: Goal | int | str,
        position: Any = None,
        wxyz: Any = None,
        **target: Any,
    ) -> None:
        """Give a goal a new target (``Problem.set_target``)."""
        if position is not None:
            target["position"] = position
        if wxyz is not None:
            target["wxyz"] = wxyz
        self.problem.set_target(goal, **target)

    def feedback(self, q: Pose, speed: Pose | None = None) -> None:
        """Go on from a measured pose (n,), and speed where it is known.

        A pose outside the limits is kept as it is; the next ticks bring it back as fast as they
        may.
        """
        self._q = self.figure.single_pose(q, "feedback")
        if speed is not None:
            self._speed = self.figure.single_pose(speed, "feedback: speed")

    def step(self) -> np.ndarray:
        """(n,) the pose of the next tick, for the targets as they stand now."""
        q, code, _ = self._stepper.step(self._q, self._speed, budget=self._iterations)
        if code == REACHED:
            self._way = None
        elif self._way is not None:
            q = self._stepper.towards(self._way, self._q, self._speed)
            if np.abs(q - self._way).max() <= _ARRIVED:
                self._way = None
        speed = (q - self._q) * self.rate
        stands = code != REACHED and self._way is None and np.abs(speed).max() <= _STANDS
        self._stood = self._stood + 1 if stands else 0
        if self._recover and self._stood >= _PATIENCE:
            self._way = self._another_way()
        self._q, self._speed, self._code = q, speed, code
        return q.copy()

    def _another_way(self) -> np.ndarray | None:
        """(n,) a pose that meets every goal, from a random start; None where this one does not."""
        problem, figure = self._explorer.problem, self.figure
        problem.floats[:] = self.problem.floats
        problem.set_ranges(figure.lower, figure.upper)
        comfort, room = self._explorer.comfort, self._explorer.room
        throw = self._random.uniform(-1.0, 1.0, figure.n)
        q = np.where(room > 0.0, comfort + throw * room, self._q)
        code, _ = self._explorer.run(q)
        return q if code == REACHED else None
