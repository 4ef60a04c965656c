"""What a method is: settings for people, and one compiled kernel that sees r, J, P and f.

Every kernel has the same signature, so that one compiled frame (frames.py) can drive any of them:

    kernel(ints, floats, work, options, q, out, history) -> exit code

q (n,) is the start, already inside its limits, and becomes the answer.  ``work`` is the workspace:
the problem's state first, then what the method asked for.  ``history`` (rows, 1 + n) takes f and q
of every accepted iterate as long as there is room.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import float64, int64, types, uint32

from limbik.errors import MethodError
from limbik.jit import kernel
from limbik.maths.linear import copy
from limbik.methods.settings import check_settings, setting
from limbik.solver.problem import Problem

REACHED, STATIONARY, SPENT, SLOW, STUCK = range(5)
"""Exit codes: goals met; no way down; iterations spent; given up early for a restart; not
stationary, yet the method finds no way on."""

# Entries of ``options`` that every method has; from OWN on follow its own settings and tables.
O_ITERATIONS, O_DRAFT, O_GAIN, O_STATIONARY, OWN = range(5)

# Entries of ``out``.
(
    OUT_F,
    OUT_ITERATIONS,
    OUT_EVALUATIONS,
    OUT_JACOBIANS,
    OUT_HISTORY,
    OUT_SINGULAR,  # iterations in which the method's own linear system lacked rank
    OUT_WORK,  # iterations weighed by their cost: the method's usual one counts 1
    OUT,
) = range(8)

KERNEL = types.FunctionType(
    int64(
        uint32[::1],
        float64[::1],
        float64[::1],
        float64[::1],
        float64[::1],
        float64[::1],
        float64[:, ::1],
    )
)


@dataclass(frozen=True)
class Method(ABC):
    """A method's settings; each subclass names its kernel and says what it promises."""

    name: ClassVar[str]
    """The key in ``limbik.methods``."""
    descends: ClassVar[bool] = True
    """f never rises from one accepted iterate to the next."""
    feasible: ClassVar[bool] = True
    """Every iterate is inside the limits."""
    handles: ClassVar[frozenset[int] | None] = None
    """Kinds of terms (goals.terms) it can solve for; None: any, and goals written in Python."""
    kernel: ClassVar[Any]

    iterations: int = setting(200, "Iterations an attempt may take.")
    stationary: float = setting(
        1e-6,
        "A pose is stationary, and the end, at this ‖J‖·‖P(q − ∇f/2‖J‖²) − q‖/√f, a cosine away "
        "from the limits.",
    )

    def __post_init__(self) -> None:
        check_settings(self)
        for name in ("iterations", "stationary"):
            value = getattr(self, name)
            if value < 0:
                raise MethodError(f"{self.name}: {name} must not be negative, got {value}")

    @abstractmethod
    def settings(self) -> tuple[float, ...]:
        """The method's own numbers, in the order its kernel reads them."""

    def tables(self, problem: Problem) -> Sequence[float] | np.ndarray:
        """Numbers that depend on the problem, such as one per coordinate; they follow the settings.

        Raises MethodError where the method cannot be used for this problem.
        """
        return ()

    @abstractmethod
    def workspace(self, problem: Problem) -> int:
        """Floats of work the kernel needs beyond the problem's state."""

    def options(
        self,
        problem: Problem,
        *,
        iterations: int | None = None,
        draft: bool = False,
        gain: float = 0.0,
    ) -> np.ndarray:
        """The kernel's options; ``draft`` lets it give up early on a slow attempt."""
        if self.handles is not None:
            for goal, terms in zip(problem.goals, problem.terms_of, strict=True):
                kinds = {problem.terms[term].kind for term in terms}
                if not kinds <= self.handles:
                    raise MethodError(f"{self.name} cannot solve for the goal of {goal.label}")
        count = self.iterations if iterations is None else iterations
        common = (count, draft, gain, self.stationary)
        return np.array([*common, *self.settings(), *self.tables(problem)], dtype=float)


@kernel
def finish(out, f, iterations, evaluations, jacobians, noted, singular=0):
    """Fill in ``out`` (OUT,) at the end of a kernel: f, counts, and how many rows of the history
    are noted."""
    out[OUT_F] = f
    out[OUT_ITERATIONS], out[OUT_EVALUATIONS] = iterations, evaluations
    out[OUT_JACOBIANS], out[OUT_HISTORY] = jacobians, noted
    out[OUT_SINGULAR], out[OUT_WORK] = singular, iterations


@kernel
def record(history, count, f, q):
    """Note an accepted iterate; returns how many are noted."""
    if count < history.shape[0]:
        history[count, 0] = f
        copy(q, len(q), history[count, 1:])
        count += 1
    return count
