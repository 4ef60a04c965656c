"""PythonGoal: a goal that a user writes as a Python function."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.errors import GoalError
from limbik.figure.layout import N_ROWS
from limbik.goals.kernels.functions import TermFunctions
from limbik.goals.priority import Prioritized
from limbik.goals.terms import FUNCTION, Scene, Term

_STEP = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class PythonGoal(Prioritized):
    """A goal of your own: f gains ‖residual(figure, q)‖²; a residual of 0 means the goal is met.

    ``residual(figure, q)`` returns (rows,) numbers, always as many; ``jacobian(figure, q)`` returns
    their derivatives (rows, n), and is made by central differences where it is not given.  The goal
    counts as reached when no entry is larger than ``tolerance``, whatever ``solve(tolerance=)``.

    >>> def head_height(figure, q):
    ...     return figure.positions(q)[figure.index("Head"), 1:2] - 1.5
    >>> PythonGoal(head_height, name="level").label
    'level'
    """

    residual: Callable[..., np.ndarray]
    jacobian: Callable[..., np.ndarray] | None = None
    tolerance: float = 1e-4
    name: str = "goal"

    @property
    def label(self) -> str:
        return self.name

    def terms(self, scene: Scene) -> list[Term]:
        if self.jacobian is not None and not callable(self.jacobian):
            raise GoalError(f"{self.name}: jacobian must be a function, got {self.jacobian!r}")
        if not callable(self.residual):
            raise GoalError(f"{self.name}: residual must be a function, got {self.residual!r}")
        if not isinstance(self.tolerance, int | float) or not self.tolerance >= 0:
            raise GoalError(f"{self.name}: tolerance {self.tolerance!r} is negative or NaN")
        return [Term(FUNCTION, -1, functions=_called(self, scene))]

    def rows(self, figure: object, q: np.ndarray, count: int | None = None) -> np.ndarray:
        """The residual at q, checked; ``count`` is how many rows there must be."""
        # A copy: what a user's function does to its q must not reach the solver's.
        r = np.atleast_1d(self._numbers(self.residual(figure, q.copy()), "residual"))
        if r.ndim != 1:
            raise GoalError(f"{self.name}: residual must be one-dimensional, got {r.shape}")
        if count is not None and len(r) != count:
            raise GoalError(f"{self.name}: residual has {len(r)} rows, and had {count} before")
        if not np.isfinite(r).all():
            raise GoalError(f"{self.name}: its residual is not finite")
        return r

    def _numbers(self, values: object, what: str) -> np.ndarray:
        """What a user's function returned as numbers; refuses anything else by name."""
        try:
            if values is not None:
                return np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            pass
        raise GoalError(f"{self.name}: its {what} must be numbers, got {values!r}")

    def derivative(self, figure: object, q: np.ndarray, count: int) -> np.ndarray:
        """(rows, n) derivative of the residual at q."""
        if self.jacobian is not None:
            out = self._numbers(self.jacobian(figure, q.copy()), "jacobian")
            if out.shape != (count, len(q)) or not np.isfinite(out).all():
                raise GoalError(f"{self.name}: jacobian must be finite, shape ({count}, {len(q)})")
            return out
        out = np.empty((count, len(q)))
        for c in range(len(q)):
            step = np.zeros(len(q))
            step[c] = _STEP
            ahead = self.rows(figure, q + step, count)
            out[:, c] = (ahead - self.rows(figure, q - step, count)) / (2 * _STEP)
        return out


_CALLBACK = ctypes.CFUNCTYPE(
    None, *[ctypes.c_void_p] * 5, *[ctypes.c_int64] * 3, *[ctypes.c_void_p] * 2
)
"""functions.TERM_FUNCTION for a function in Python, which takes the interpreter's lock itself."""


def _called(goal: PythonGoal, scene: Scene) -> TermFunctions:
    """The goal's two functions as a kernel can call them.

    What they raise is kept in ``failure``, since it cannot pass through compiled code; from then on
    rows are NaN, the method finds no way on, and the problem raises it.
    """
    figure, count = scene.figure, len(goal.rows(scene.figure, scene.start))
    functions = TermFunctions(count, 0, 0, direct=True, tolerance=float(goal.tolerance))

    def doubles(address: int, length: int) -> np.ndarray:
        return np.ctypeslib.as_array((ctypes.c_double * length).from_address(address))

    def guarded(
        function: Callable[[np.ndarray], np.ndarray], shape: tuple[int, ...], q: int
    ) -> Any:
        if functions.failure is None:
            try:
                return function(doubles(q, figure.n))
            except BaseException as error:  # raised again by the problem
                functions.failure = error
        return np.full(shape, np.nan)

    def residual(ints, floats, q, world, axes, i, f, row, out, error):  # type: ignore[no-untyped-def]
        values = guarded(lambda q: goal.rows(figure, q, count), (count,), q)
        doubles(out, row + count)[row:] = -values
        worst = float(np.abs(values).max(initial=0.0))
        doubles(error, 1)[0] = worst if np.isfinite(worst) else np.inf

    def jacobian(ints, floats, q, world, axes, i, f, row, out, error):  # type: ignore[no-untyped-def]
        values = guarded(lambda q: goal.derivative(figure, q, count), (count, figure.n), q)
        rows = ctypes.c_uint32.from_address(ints + 4 * N_ROWS).value
        jt = doubles(out, figure.n * rows).reshape(figure.n, rows)
        jt[:, row : row + count] = values.T

    functions.keep = (_CALLBACK(residual), _CALLBACK(jacobian))
    functions.residual, functions.jacobian = (
        int(ctypes.cast(callback, ctypes.c_void_p).value or 0) for callback in functions.keep
    )
    return functions
