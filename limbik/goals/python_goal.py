"""PythonGoal: a goal that a user writes as a Python function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from limbik.equality import ByValue
from limbik.errors import GoalError
from limbik.goals.terms import Scene, Term

_STEP = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class PythonGoal(ByValue):
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
        return []

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
