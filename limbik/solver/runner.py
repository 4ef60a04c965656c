"""A problem and a method made ready to run: options, restart plan, workspace, and a quick call."""

from __future__ import annotations

import threading
import time
import weakref
from numbers import Integral, Real
from typing import Any

import numpy as np

from limbik.compiling import compile_ahead
from limbik.errors import MethodError, did_you_mean
from limbik.figure.figure import Figure
from limbik.methods import METHODS, Method, ProjectedLevenbergMarquardt
from limbik.methods.base import O_DRAFT, OUT_ITERATIONS, SPENT
from limbik.solver import frames
from limbik.solver.compiled_frames import compiled, missing_symbols
from limbik.solver.direct_call import one_by_address
from limbik.solver.problem import Problem
from limbik.solver.restarts import (
    P_AUTOMATIC,
    P_BUDGET,
    P_FAR,
    P_NEAR,
    P_NOTICE,
    P_PULL,
    P_RESTARTS,
    P_ROOT,
    RESTART_PLAN,
    TOTALS,
)

MOST_RESTARTS = 250
_GAIN = 0.003  # of a tolerance: in a chain what gains less than this is not worth an iteration
_FAR = 0.2  # of the figure's size: what is missed by more is seldom within reach
_SEEDS = 2**62
_PORTION = 25  # iterations before the first look at the clock


def whole_number(value: object, what: str) -> int:
    """A whole number as an int; refuses anything else by name."""
    if type(value) is int:
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise MethodError(f"{what} must be a whole number, got {value!r}")
    return int(value)


_DEFAULT = ProjectedLevenbergMarquardt()
compile_ahead.usually(lambda: missing_symbols(type(_DEFAULT).kernel, frames.one))


def find_method(method: str | Method | type[Method] | None) -> Method:
    """A method by name, as it is, or the default."""
    if method is None:
        return _DEFAULT
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


class Runner:
    """A problem and a method, made ready to run as often as wanted, by one thread at a time.

    ``near``: restarts begin near the last pose; ``restarts``: at most so many, None as many as
    help; ``pull`` and ``chain``: for problems that each start from the answer before (restarts.py);
    ``ease`` (n,): the pose that a chain drifts to, the middle of the limits unless given.
    """

    def __init__(
        self,
        problem: Problem,
        method: Method,
        *,
        near: bool,
        restarts: int | None,
        pull: float = 0.0,
        chain: bool = False,
        ease: np.ndarray | None = None,
    ) -> None:
        if restarts is not None and whole_number(restarts, "restarts") < 0:
            raise MethodError(f"restarts must not be negative, got {restarts}")
        figure = problem.figure
        self.problem, self.method = problem, method
        gain = _GAIN * problem.notice if chain else 0.0
        self.final_options = method.options(problem, gain=gain)
        self.draft_options = self.final_options.copy()
        self.draft_options[O_DRAFT] = 1.0
        self.restart_plan = np.empty(RESTART_PLAN)
        self.restart_plan[P_RESTARTS] = MOST_RESTARTS if restarts is None else restarts
        self.restart_plan[P_AUTOMATIC] = restarts is None
        self.restart_plan[P_NEAR] = near
        self.restart_plan[P_ROOT] = problem.root
        self.restart_plan[P_PULL] = pull
        self.restart_plan[P_BUDGET] = np.inf
        self.restart_plan[P_NOTICE] = problem.notice if chain else 0.0
        self.restart_plan[P_FAR] = _FAR * problem.reach
        self.mid_pose, spread = mid_pose_and_spread(figure, problem.scene.lever)
        self.ease = self.mid_pose if ease is None else ease
        self.spread = np.where(problem.moves & (figure.owner != problem.root), spread, 0.0)
        self._work = self.workspace()
        self._none = np.empty((0, figure.n + 1))
        self._lock = threading.Lock()
        self._call: tuple[Any, int, int] | None = None

    def compile(self) -> None:
        """Compile what a batch needs, so that it is not part of a measured time."""
        compiled(frames.batch, type(self.method).kernel)

    def workspace(self) -> np.ndarray:
        """A fresh workspace for one thread."""
        return np.empty(len(self.problem.state) + self.method.workspace(self.problem))

    def run(
        self,
        q: np.ndarray,
        seed: int = 0,
        history: np.ndarray | None = None,
        budget: int | None = None,
    ) -> tuple[int, np.ndarray]:
        """Solve from q (n,), projected first, in place; (exit code, totals)."""
        plan, totals = self.restart_plan, np.empty(TOTALS)
        if budget is not None:
            if budget < 1:
                raise MethodError(f"budget must be at least 1 iteration, got {budget}")
            plan = plan.copy()
            plan[P_BUDGET] = budget
        if self._call is None:
            self._call = one_by_address(type(self.method).kernel)
        call, frame, kernel = self._call
        problem = self.problem
        with self._lock:
            code = call(
                frame, kernel, problem.ints, problem.floats, self._work, self.draft_options,
                self.final_options, plan, self.mid_pose, self.spread, seed % _SEEDS, q, totals,
                self._none if history is None else history,
            )  # fmt: skip
        if problem.has_functions:
            problem.raise_failure()
        return code, totals

    def run_for(
        self, q: np.ndarray, seconds: float, seed: int, history: np.ndarray | None
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


_mid_poses: weakref.WeakKeyDictionary[Figure, Any] = weakref.WeakKeyDictionary()


def mid_pose_and_spread(figure: Figure, lever: float) -> tuple[np.ndarray, np.ndarray]:
    """(pose, spread): the middle of the limits, and how far each coordinate may go from there.

    Where there is no limit: the rest pose, half a turn, or ``lever`` for a slide.
    """
    known = _mid_poses.get(figure)
    if known is None:
        lower, upper = figure.lower, figure.upper
        bounded = np.isfinite(lower) & np.isfinite(upper)
        pose = figure.rest.copy()
        pose[bounded] = 0.5 * (lower[bounded] + upper[bounded])
        spread = np.where(figure.slides, lever, np.pi)
        spread[bounded] = 0.5 * (upper[bounded] - lower[bounded])
        known = _mid_poses[figure] = (figure.project(pose), spread)
    return known
