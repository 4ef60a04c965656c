"""What a method is: settings for people, and one compiled kernel that sees r, J, P and f.

Every kernel has the same signature, so that one compiled frame (attempts.py) can drive any of them:

    kernel(ints, floats, work, options, q, out, history) -> exit code

q (n,) is the start, already inside its limits, and becomes the answer.  ``work`` is the workspace:
the problem's state first, then what the method asked for.  ``history`` (rows, 1 + n) takes f and q
of every accepted iterate as long as there is room.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import float64, int64, types, uint32

from limbik.compiling import kernel
from limbik.linear import copy

REACHED, STATIONARY, SPENT, SLOW = range(4)
"""Exit codes: goals met; no way down; iterations spent; given up early for a restart."""

# Entries of ``options`` that every method has; its own settings follow from OWN on.
O_ITERATIONS, O_HASTY, OWN = 0, 1, 2

# Entries of ``out``.
OUT_F, OUT_ITERATIONS, OUT_EVALUATIONS, OUT_JACOBIANS, OUT_HISTORY, OUT = range(6)

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
    kernel: ClassVar[Any]

    iterations: int = 200
    """Iterations an attempt may take."""

    @abstractmethod
    def settings(self) -> tuple[float, ...]:
        """The method's own numbers, in the order its kernel reads them."""

    @abstractmethod
    def workspace(self, n: int, rows: int) -> int:
        """Floats of work the kernel needs beyond the problem's state."""

    def options(self, *, iterations: int | None = None, hasty: bool = False) -> np.ndarray:
        """The kernel's options; ``hasty`` lets it give up early on a slow attempt."""
        count = self.iterations if iterations is None else iterations
        return np.array([count, hasty, *self.settings()], dtype=float)


@kernel
def finish(out, f, iterations, evaluations, jacobians, noted):
    """Fill in ``out`` at the end of a kernel."""
    out[OUT_F] = f
    out[OUT_ITERATIONS], out[OUT_EVALUATIONS] = iterations, evaluations
    out[OUT_JACOBIANS], out[OUT_HISTORY] = jacobians, noted


@kernel
def record(history, count, f, q):
    """Note an accepted iterate; returns how many are noted."""
    if count < history.shape[0]:
        history[count, 0] = f
        copy(q, len(q), history[count, 1:])
        count += 1
    return count
