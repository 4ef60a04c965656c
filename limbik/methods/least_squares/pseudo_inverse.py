"""The pseudo-inverse: Gauss–Newton by SVD without a look at the limits, applied once at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass

from limbik.errors import MethodError
from limbik.figure.layout import F_METRIC, N_COORDS
from limbik.jit import inlined_by_llvm, kernel
from limbik.methods.base import OUT_SINGULAR, OWN, STUCK, Method
from limbik.methods.least_squares.svd_step import (
    fill_svd,
    pseudo_inverse_step,
    svd_size,
    view_svd,
)
from limbik.methods.loop import by_jacobian, end_inside, iterate, unchecked
from limbik.methods.settings import setting
from limbik.methods.workspace import gradient_size, view_gradient
from limbik.solver.problem import Problem

_CUTOFF, _STEP, _CLAMP = range(OWN, OWN + 3)  # settings in the order of ``options``

_NO_STEP = 1e-12  # rad or the figure's unit: a step that changes nothing any more


@inlined_by_llvm
def pseudo_inverse_method_step(ints, floats, options, q, here, w, svd, memory, out):
    """θ ← θ + J⁺e, shortened as a whole so that no coordinate turns further than the clamp."""
    n, scale = ints[N_COORDS], options[_STEP]
    fill_svd(ints, floats, q, w.jt, w.model_residual, svd)
    rank = pseudo_inverse_step(svd, options[_CUTOFF], w.step)
    out[OUT_SINGULAR] += rank < len(svd.sigma)
    most = 0.0
    for c in range(n):
        most = max(most, abs(scale * w.step[c]) / math.sqrt(floats[ints[F_METRIC] + c]))
    if not _NO_STEP < most < math.inf:
        return STUCK, here.f, memory
    length = scale * min(1.0, options[_CLAMP] / most)
    for c in range(n):
        w.trial[c] = q[c] + length * w.step[c]
    return unchecked(ints, floats, here, w, memory, out)


@kernel(borrows=True)
def pseudo_inverse(ints, floats, work, options, q, out, history):
    """Section 2 of line_search, the way it says Blender goes: θ ← θ + J⁺e, and P(θ) at the end.

    The exit code is judged after P.  Where a step leads to numbers that are not finite, the last
    finite pose is projected.
    """
    w, work = view_gradient(ints, work)
    svd, _ = view_svd(ints, work)
    iterate(
        ints, floats, options, q, out, history, w, svd, (), by_jacobian,
        pseudo_inverse_method_step,
    )  # fmt: skip
    return end_inside(ints, floats, options, q, w, out, history)


@dataclass(frozen=True)
class PseudoInverse(Method):
    """θ ← θ + J⁺e, blind to the limits, which are applied to the answer: line_search's rival.

    Only the answer is inside the limits, and f may rise on the way.  What the limits then cut off
    is lost: such an answer counts as reached or stationary only if it still is.
    """

    name = "pseudo_inverse"
    kernel = pseudo_inverse
    descends = False
    feasible = False

    iterations: int = setting(100, "Iterations an attempt may take; each costs one SVD of J.")
    cutoff: float = setting(1e-3, "Singular values up to this part of the largest count as 0.")
    step: float = setting(1.0, "The part of J⁺e that is taken.")
    clamp: float | None = setting(
        None,
        "The most that a coordinate may turn in an iteration, in rad; the whole step shrinks "
        "to it. A slide counts as the angle that moves as far at a quarter of the figure's "
        "size. None: any.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.cutoff < 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ cutoff < 1, got {self.cutoff:g}")
        if not 0.0 < self.step < math.inf:
            raise MethodError(f"{self.name}: step must be positive, got {self.step:g}")
        if self.clamp is not None and not self.clamp > 0.0:
            raise MethodError(f"{self.name}: clamp must be positive or None, got {self.clamp:g}")

    def settings(self) -> tuple[float, ...]:
        clamp = math.inf if self.clamp is None else self.clamp
        return (self.cutoff, self.step, clamp)

    def workspace(self, problem: Problem) -> int:
        return gradient_size(problem) + svd_size(problem)
