"""Live: a figure that follows moving targets tick by tick, as a control loop or a game does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from limbik.animate.arguments import not_negative, positive
from limbik.errors import MethodError
from limbik.figure.figure import Figure, Pose
from limbik.goals import Goal, Rest
from limbik.goals.close import with_loops
from limbik.methods import Method
from limbik.methods.base import REACHED, STATIONARY
from limbik.solver.explanation.explain import explain, status_of, what_is_short
from limbik.solver.explanation.holders import worst_goal
from limbik.solver.problem import Problem
from limbik.solver.result import Miss, misses
from limbik.solver.runner import Runner, find_method, whole_number
from limbik.solver.stepping.stepper import Stepper, limits_of_change
from limbik.solver.targets.reach_targets import reach_offsets, write_reach

ITERATIONS = 30
"""A tick may take so many iterations; the next one goes on from there."""

_SEARCH = 60  # iterations of one attempt to find another way
_STANDS, _PATIENCE = 1e-2, 10  # rad/s or less for so many ticks: a limit has stopped it
_AT_LIMIT = 0.999  # of a speed limit: as fast as a joint may
_NOTHING = np.empty(0)
_POINT, _TURN = ((3,), (0,)), ((4,), (0,))
_ARRIVED = 1e-3  # rad: near enough to the pose that another way leads to


class Live:
    """A figure that follows moving targets, one answer per tick whatever they do.

    Args:
        figure: the figure to move.
        goals: one goal or several, all of one priority: weights decide between them.
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
        smoothness: weight of staying near the pose of the last tick, as ``Rest`` weighs a pose.
        loops: close the figure's loops (``figure.loops``), with a large weight.

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
        smoothness: float = 0.0,
        loops: bool = True,
    ) -> None:
        self.rate = positive(rate, "rate")
        if whole_number(iterations, "iterations") < 1:
            raise MethodError(f"iterations must be at least 1, got {iterations}")
        smoothness = not_negative(smoothness, "smoothness")
        goals = with_loops(figure, goals, loops, priority=0)
        self._asked = Problem(figure, goals, start=start, tolerance=tolerance, lock=lock)
        self.problem, smooth = self._asked, None
        if smoothness > 0.0:
            near = Rest(weight=smoothness)
            self.problem = Problem(
                figure, (*self._asked.goals, near), start=start, tolerance=tolerance, lock=lock
            )
            smooth = near.diagonal(self.problem.scene)[0] * self.problem.moves
        problem = self.problem
        runner = Runner(problem, find_method(method), near=True, restarts=0, chain=True)
        fastest = limits_of_change(figure, speed_limits, figure.speed_limits, "speed_limits")
        self._fastest, none = fastest, np.full(figure.n, np.inf)
        hardest = limits_of_change(figure, acceleration_limits, none, "acceleration_limits")
        self._stepper = Stepper(
            runner, 1.0 / self.rate, fastest, hardest, iterations=iterations,
            smooth=smooth,
        )  # fmt: skip
        self._set_posture()
        self._target_offsets: dict[str, tuple[int, int]] = {}
        self._code, self._stood = -1, 0
        self._recover = bool(recover)
        self._way: np.ndarray | None = None
        aside = problem.at(problem.floats.copy())
        self._explorer = Runner(aside, runner.method, near=False, restarts=0)
        self._random = np.random.default_rng(0)

    @property
    def figure(self) -> Figure:
        """The figure that follows."""
        return self.problem.figure

    @property
    def q(self) -> np.ndarray:
        """(n,) the pose of the last tick."""
        return self._stepper.q.copy()

    @property
    def speed(self) -> np.ndarray:
        """(n,) how fast each coordinate went in the last tick, per second."""
        return self._stepper.speed.copy()

    @property
    def ok(self) -> bool:
        """Whether every goal was within its tolerance after the last tick."""
        return self._code == REACHED

    @property
    def errors(self) -> tuple[Miss, ...]:
        """How far each goal is from being met now."""
        return misses(self.problem, self._stepper.q)

    @property
    def why(self) -> str:
        """What the goal that is furthest off lacks after the last tick, and what holds it back.

        A joint that goes as fast as it may is named; else it is what ``Result.why`` says.
        """
        if self.ok:
            return "every goal is within its tolerance"
        problem, q = self._explorer.problem, self._stepper.q.copy()
        problem.floats[:] = self.problem.floats
        problem.set_ranges(self.figure.lower, self.figure.upper)
        errors, goal = misses(problem, q), worst_goal(problem, q)
        fast = np.abs(self._stepper.speed) >= _AT_LIMIT * self._fastest
        if goal is None or not fast.any():
            status, holders = status_of(problem, STATIONARY, q)
            return explain(problem, q, status, holders, errors, 0)
        names = list(dict.fromkeys(self.figure.joints[j] for j in self.figure.owner[fast]))
        joints = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        moves = "moves as fast as it may" if len(names) == 1 else "move as fast as they may"
        return f"{what_is_short(problem, goal, q, errors)}: {joints} {moves}"

    def move(
        self,
        goal: Goal | int | str,
        position: Any = None,
        wxyz: Any = None,
        **target: Any,
    ) -> None:
        """Give a goal a new target (``Problem.set_target``).

        Args:
            goal: the goal, its place among the goals, or its label, which is the joint's name.
            position: (3,) of a ``Reach``.
            wxyz: (4,) of a ``Reach``.
            target: targets of other goals by name, such as ``distance=``, or ``pose=`` of a Rest.

        Raises:
            GoalError: there is no such goal or target, or the numbers are no target.
        """
        if not target and isinstance(goal, str) and self._write(goal, position, wxyz):
            return
        if position is not None:
            target["position"] = position
        if wxyz is not None:
            target["wxyz"] = wxyz
        number = self._asked.number_of(goal)
        if isinstance(self._asked.goals[number], Rest):
            self._asked.set_target(number, **target)
            self._set_posture()
        else:
            self.problem.set_target(number, **target)

    def _write(self, label: str, position: Any, wxyz: Any) -> bool:
        """Write a target of a Reach at once; False where ``set_target`` must look at it first."""
        offsets = self._target_offsets.get(label)
        if offsets is None:
            offsets = self._target_offsets[label] = reach_offsets(self._asked, label)
        try:
            point = _NOTHING if position is None else np.array(position, float)
            turn = _NOTHING if wxyz is None else np.array(wxyz, float)
        except (TypeError, ValueError):
            return False
        if point.shape not in _POINT or turn.shape not in _TURN:
            return False
        return write_reach(self.problem.floats, *offsets, point, turn)

    def _set_posture(self) -> None:
        """Tell the stepper the pose of the Rest goals, apart from that of the last tick."""
        self._stepper.set_posture(self._asked)

    def feedback(self, q: Pose, speed: Pose | None = None) -> None:
        """Go on from a measured pose, and speed where it is known.

        A pose outside the limits is kept as it is; the next ticks bring it back as fast as they
        may.  Without a speed, that of the last tick counts.

        Args:
            q: (n,), or values by name.
            speed: (n,), or values by name, per second.

        Raises:
            FigureError: one of them is no pose of this figure.
        """
        self._stepper.set_state(
            self.figure.single_pose(q, "feedback"),
            None if speed is None else self.figure.single_pose(speed, "feedback: speed"),
        )

    def step(self) -> np.ndarray:
        """(n,) the pose of the next tick, for the targets as they stand now."""
        stepper = self._stepper
        self._code = code = stepper.step()
        if code == REACHED:
            self._stood = 0
            if self._way is not None:
                self._go_to(None)
        elif self._way is not None:
            self._go_to(self._way if stepper.to_way > _ARRIVED else None)
        elif stepper.fastest > _STANDS:
            self._stood = 0
        else:
            self._stood += 1
            if self._recover and self._stood >= _PATIENCE:
                throw = self._random.uniform(-1.0, 1.0, self.figure.n)
                spread = self._explorer.spread
                self._go_to(
                    np.where(spread > 0, self._explorer.mid_pose + throw * spread, stepper.q)
                )
        return stepper.q.copy()

    def _go_to(self, pose: np.ndarray | None) -> None:
        """Go to the pose that is found from this one (n,), if it meets every goal."""
        self._way = None
        if pose is not None:
            explorer = self._explorer
            explorer.problem.floats[:] = self.problem.floats
            explorer.problem.set_ranges(self.figure.lower, self.figure.upper)
            if explorer.run(pose, budget=_SEARCH)[0] == REACHED:
                self._way, self._stood = pose, 0
        self._stepper.set_way(self._way)
