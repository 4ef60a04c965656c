"""Newton's method by SVD as newton_svd teaches it, plain and with its halved steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from limbik.errors import MethodError
from limbik.figure.layout import F_REST, N_COORDS, N_ROWS
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel
from limbik.methods.base import (
    O_STATIONARY,
    OUT_EVALUATIONS,
    OUT_JACOBIANS,
    OUT_SINGULAR,
    OWN,
    STATIONARY,
    STUCK,
    Method,
)
from limbik.methods.least_squares.svd_step import (
    fill_svd,
    pseudo_inverse_step,
    svd_size,
    view_svd,
)
from limbik.methods.loop import GO_ON, end_inside, iterate
from limbik.methods.settings import setting
from limbik.methods.workspace import gradient_size, view_gradient
from limbik.solver.objective import descent, evaluate, linearise
from limbik.solver.problem import Problem

Limits = Literal["end", "each step"]

# Settings in the order of ``options``.
_HALVINGS, _EACH_STEP, _CUTOFF = range(OWN, OWN + 3)

_NO_STEP = 1e-12  # rad or the figure's unit: a step that changes nothing any more


@kernel
def _slope(ints, floats, jt, half_descent, f):
    """‖Jᵀe‖/‖J‖‖e‖: the cosine between what is missing and what J can give, without limits."""
    along, square = 0.0, 0.0
    for c in range(ints[N_COORDS]):
        along += half_descent[c] * half_descent[c]
        square += floats[ints[F_REST] + c]
        for i in range(ints[N_ROWS]):
            square += jt[c, i] * jt[c, i]
    return math.sqrt(along / (square * f)) if square * f > 0.0 else 0.0


@inlined_by_llvm
def unless_flat(ints, floats, options, q, f, w, own, memory, out):
    """Prepares a step: the end where the gradient is 0, whatever the limits say."""
    detour = linearise(ints, floats, q, w.state, w.r, w.jt, w.model_residual)
    out[OUT_JACOBIANS] += 1.0
    descent(ints, floats, q, w.jt, w.r, w.half_descent)
    slope = _slope(ints, floats, w.jt, w.half_descent, f)
    ends = slope <= options[O_STATIONARY] and not detour
    return (STATIONARY if ends else GO_ON), slope, detour


@inlined_by_llvm
def newton_svd_step(ints, floats, options, q, here, w, svd, memory, out):
    """Δp = Goal − p (6), Δθ = J⁺Δp by SVD (8, 9), θ ← θ + Δθ (5), with halved steps (3.3.3).

    With halvings left, a Δθ that does not bring the goal nearer is halved and tried again; the
    distance is √f, the length of Δp and of the diagonal goals.
    """
    n, trial, step = ints[N_COORDS], w.trial, w.step
    halvings, every = int(options[_HALVINGS]), options[_EACH_STEP] > 0.0
    fill_svd(ints, floats, q, w.jt, w.model_residual, svd)
    rank = pseudo_inverse_step(svd, options[_CUTOFF], step)
    out[OUT_SINGULAR] += rank < len(svd.sigma)
    most = 0.0
    for c in range(n):
        most = max(most, abs(step[c]))
    if not _NO_STEP < most < math.inf:
        return STUCK, here.f, memory
    length, value = 1.0, here.f
    for _ in range(1 + max(halvings, 0)):
        for c in range(n):
            trial[c] = q[c] + length * step[c]
        if every:
            project(ints, floats, trial, w.scratch)
        value = evaluate(ints, floats, trial, w.state, w.trial_r)
        out[OUT_EVALUATIONS] += 1.0
        if math.isfinite(value) and (halvings < 0 or value < here.f):
            return GO_ON, value, memory
        length *= 0.5
    return STUCK, value, memory


@kernel(borrows=True)
def newton_svd(ints, floats, work, options, q, out, history):
    """Section 3.3 of newton_svd, with the steps of ``newton_svd_step``.

    The exit code is judged after P.  Where a step leads to numbers that are not finite, the last
    finite pose stays.
    """
    w, work = view_gradient(ints, work)
    svd, _ = view_svd(ints, work)
    iterate(
        ints, floats, options, q, out, history, w, svd, (), unless_flat, newton_svd_step,
    )  # fmt: skip
    return end_inside(ints, floats, options, q, w, out, history)


@dataclass(frozen=True)
class NewtonSVD(Method):
    """θ ← θ + J⁺Δp, Δp what is missing, J⁺ by SVD; steps that lead away are halved.

    The goals of several arms are the rows of one J.  Locked joints are columns of zeros, which the
    pseudo-inverse leaves out: the same step as without those columns.  The notes have no limits, so
    only the answer is inside them, unless limits="each step", where every iterate is; with halving,
    f then never rises either.
    """

    name = "newton_svd"
    kernel = newton_svd
    descends = False
    feasible = False

    iterations: int = setting(100, "Iterations an attempt may take; each costs one SVD of J.")
    halving: bool = setting(
        True,
        "Halve a step until the distance decreases (section 3.3.3); False takes every step whole.",
    )
    halvings: int = setting(
        60,
        "How often a step may be halved before the method gives up; the notes name no end. "
        "Near a singular pose steps are so long that it takes dozens.",
    )
    limits: Limits = setting(
        "end",
        'When P is applied: "end", to the answer; "each step", to every pose before its '
        "distance is measured.",
    )
    cutoff: float = setting(
        1e-9,
        "Singular values up to this part of the largest count as 0. The notes invert all but "
        "zeros, so it only keeps rounding out.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.halvings < 0:
            raise MethodError(f"{self.name}: halvings must not be negative, got {self.halvings}")
        if self.limits not in get_args(Limits):
            raise MethodError(
                f'{self.name}: limits must be "end" or "each step", got {self.limits!r}'
            )
        if not 0.0 <= self.cutoff < 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ cutoff < 1, got {self.cutoff:g}")

    def settings(self) -> tuple[float, ...]:
        halvings = self.halvings if self.halving else -1
        return (halvings, self.limits == "each step", self.cutoff)

    def workspace(self, problem: Problem) -> int:
        return gradient_size(problem) + svd_size(problem)
