"""solve: from goals to joint values inside the limits."""

from __future__ import annotations

import time
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from limbik.errors import MethodError, did_you_mean
from limbik.figure.figure import Figure, Pose
from limbik.figure.free_root import free_root
from limbik.goals import Goal
from limbik.methods import METHODS, Method, ProjectedLevenbergMarquardt
from limbik.methods.base import (
    OUT_EVALUATIONS,
    OUT_HISTORY,
    OUT_ITERATIONS,
    OUT_SINGULAR,
    SPENT,
    STUCK,
)
from limbik.solver import restarts as att
from limbik.solver.explain import explain, status_of
from limbik.solver.holders import active_limits
from limbik.solver.objective import state_size
from limbik.solver.problem import Problem
from limbik.solver.result import History, Result, misses

MOST_RESTARTS = 30
_GAIN = 0.003  # of a tolerance: in a chain what gains less than this is not worth an iteration
_FAR = 0.2  # of the figure's size: what is missed by more is seldom within reach
_PORTION = 25  # iterations before the first look at the clock


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
    history: bool = False,
) -> Result:
    """Joint values that meet the goals as well as the limits allow.

    ``start`` (n,), or values by name such as ``{"Joint1": 0.3}``, is where to start, the rest pose
    unless given; outside its limits it is projected first. ``method`` is a name in
    ``limbik.methods`` or a Method with settings. ``tolerance`` is one number or (position in the
    figure's unit, rotation in rad); 1e-4 of the figure's size and 1e-3 rad unless given. ``budget``
    is iterations (an int) or seconds (a float). ``restarts`` limits how often to start again where
    an attempt ends short: None means as many as help, at most 30, and 0 none. ``lock`` names joints
    that keep their start values, ``weights`` a full W over all rows (problem.Problem). The same
    arguments and ``seed`` give the same answer.

    >>> import limbik
    >>> fig = limbik.figures.human()
    >>> limbik.solve(fig, [limbik.Reach("LeftHand", position=[0.4, 1.2, 0.3])]).ok
    True
    """
    began = time.perf_counter()
    chosen, seed = find_method(method), whole_number(seed, "seed")
    problem = Problem(figure, goals, start=start, tolerance=tolerance, lock=lock, weights=weights)
    # A character is wanted near the pose it starts from; a robot's solutions lie far apart.
    near = start is not None and free_root(figure, problem.moves) >= 0
    solver = Solver(problem, chosen, near=near, restarts=restarts)
    q = problem.start.copy()
    # Room for the best attempt and its end, and as much again for the one under way.
    noted = np.empty((4 * chosen.iterations + 4 if history else 0, figure.n + 1))
    if budget is None or isinstance(budget, Integral):
        code, totals = solver.run(q, seed, noted, None if budget is None else int(budget))
    else:
        code, totals = solver.run_for(q, budget, seed, noted)
    errors = misses(problem, q)
    status, holders = status_of(problem, code, q)
    attempts = int(totals[att.TOTAL_ATTEMPTS])
    kept = noted[: int(totals[OUT_HISTORY])]
    return Result(
        status=status,
        why=explain(problem, q, status, holders, errors, attempts, code == STUCK),
        q=q,
        errors=errors,
        objective=problem.objective(q),
        iterations=int(totals[OUT_ITERATIONS]),
        evaluations=int(totals[OUT_EVALUATIONS]),
        attempts=attempts,
        singular=int(totals[OUT_SINGULAR]),
        seconds=time.perf_counter() - began,
        limits=active_limits(problem, q),
        problem=problem,
        history=History(kept[:, 0].copy(), kept[:, 1:].copy()) if history else None,
    )


def whole_number(value: object, what: str) -> int:
    """A whole number as an int; refuses anything else by name."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise MethodError(f"{what} must be a whole number, got {value!r}")
    return int(value)


def find_method(method: str | Method | type[Method] | None) -> Method:
    """A method by name, as it is, or the default."""
    if method is None:
        return ProjectedLevenbergMarquardt()
    if isinstance(method, Method):
        return method
    if isinstance(method, type) and issubclass(method, Method):
        return method()
    if not isinstance(method, str):
        raise MethodError(f"method: needs a name in limbik.methods or a Method, got {method!r}")
    if method not in METHODS:
        hint = did_you_mean(str(method), METHODS) or f" (known are {', '.join(METHODS)})"
        raise MethodError(f'no method "{method}"{hint}')
    return METHODS[method]()


class Solver:
    """A problem and a method, made ready to run: options, restart plan and workspace."""

    def __init__(
        self,
        problem: Problem,
        method: Method,
        *,
        near: bool,
        restarts: int | None,
        pull: float = 0.0,
        chain: bool = False,
    ) -> None:
        if restarts is not None and whole_number(restarts, "restarts") < 0:
            raise MethodError(f"restarts must not be negative, got {restarts}")
        figure = problem.figure
        self.problem, self.method = problem, method
        gain = _GAIN * problem.notice if chain else 0.0
        self.hasty = method.options(problem, hasty=True, gain=gain)
        self.full = method.options(problem, gain=gain)
        self.plan = np.zeros(att.PLAN)
        self.plan[att.P_RESTARTS] = MOST_RESTARTS if restarts is None else restarts
        self.plan[att.P_AUTOMATIC] = restarts is None
        self.plan[att.P_NEAR] = near
        self.plan[att.P_ROOT] = root = free_root(figure, problem.moves)
        self.plan[att.P_PULL] = pull
        self.plan[att.P_BUDGET] = np.inf
        self.plan[att.P_NOTICE] = problem.notice if chain else 0.0
        self.plan[att.P_FAR] = _FAR * problem.reach
        self.comfort, self.room = comfortable(figure, problem.scene.lever)
        self.room[~problem.moves | (figure.owner == root)] = 0.0

    def compile(self) -> None:
        """Compile what a batch needs, so that it is not part of a measured time."""
        att.compiled(att.batch, type(self.method).kernel)

    def workspace(self) -> np.ndarray:
        """A fresh workspace for one thread."""
        problem = self.problem
        size = self.method.workspace(problem)
        return np.empty(int(state_size(problem.ints)) + size)

    def run(
        self, q: np.ndarray, seed: int, history: np.ndarray, budget: int | None = None
    ) -> tuple[int, np.ndarray]:
        """Solve from q in place; (exit code, totals)."""
        plan, totals = self.plan.copy(), np.zeros(att.TOTALS)
        if budget is not None:
            if budget < 1:
                raise MethodError(f"budget must be at least 1 iteration, got {budget}")
            plan[att.P_BUDGET] = budget
        kernel: Any = type(self.method).kernel
        frame = att.compiled(att.one, kernel)
        code = frame(
            kernel, self.problem.ints, self.problem.floats, self.workspace(), self.hasty, self.full,
            plan, self.comfort, self.room, int(seed) % 2**62, q, totals, history,
        )  # fmt: skip
        self.problem.raise_failure()
        return int(code), totals

    def run_for(
        self, q: np.ndarray, seconds: float, seed: int, history: np.ndarray
    ) -> tuple[int, np.ndarray]:
        """Solve from q within so many seconds: with few iterations first, then again with twice as
        many as long as there is time for that, so that the answer is that of a single run."""
        if not isinstance(seconds, Real) or not 0 < seconds < float("inf"):
            raise MethodError(f"budget must be a finite number of seconds above 0, got {seconds}")
        end = time.perf_counter() + seconds
        start, portion = q.copy(), _PORTION
        while True:
            began = time.perf_counter()
            q[:] = start
            code, totals = self.run(q, seed, history, portion)
            took = time.perf_counter() - began
            if code != SPENT or totals[OUT_ITERATIONS] < portion:
                return code, totals
            if time.perf_counter() + 2.0 * took > end:
                return code, totals
            portion *= 2


def comfortable(figure: Figure, lever: float) -> tuple[np.ndarray, np.ndarray]:
    """(pose, room): the middle of the limits, and how far each coordinate may go from there.

    Where there is no limit: the rest pose, half a turn, or ``lever`` for a slide.
    """
    lower, upper = figure.lower, figure.upper
    bounded = np.isfinite(lower) & np.isfinite(upper)
    pose = figure.rest.copy()
    pose[bounded] = 0.5 * (lower[bounded] + upper[bounded])
    room = np.where(figure.slides, lever, np.pi)
    room[bounded] = 0.5 * (upper[bounded] - lower[bounded])
    return figure.project(pose), room
