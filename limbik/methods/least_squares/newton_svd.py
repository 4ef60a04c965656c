"""Newton's method by SVD as newton_svd teaches it, plain and with its halved steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from limbik.errors import MethodError
from limbik.figure.kinematics import N_COORDS
from limbik.figure.projection import project
from limbik.goals.terms import N_ROWS
from limbik.jit import kernel
from limbik.methods.base import (
    O_ITERATIONS,
    OWN,
    REACHED,
    Method,
    finish,
    record,
)
from limbik.methods.least_squares.svd_step import (
    fill_stack,
    lay_stack,
    pseudo_inverse_step,
    stack_size,
)
from limbik.methods.workspace import end_inside, open_sheet, sheet_size
from limbik.solver.objective import F_REST, descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

Limits = Literal["end", "each step"]

_NO_STEP = 1e-12  # rad or the figure's unit: a step that changes nothing any more


@kernel
def _slope(ints, floats, jt, push, f):
    """‖Jᵀe‖/‖J‖‖e‖: the cosine between what is missing and what J can give, without limits."""
    along, square = 0.0, 0.0
    for c in range(ints[N_COORDS]):
        along += push[c] * push[c]
        square += floats[ints[F_REST] + c]
        for i in range(ints[N_ROWS]):
            square += jt[c, i] * jt[c, i]
    return math.sqrt(along / (square * f)) if square * f > 0.0 else 0.0


@kernel
def newton_svd(ints, floats, work, options, q, out, history):
    """Section 3.3 of newton_svd: Δp = Goal − p (6), Δθ = J⁺Δp by SVD (8, 9), θ ← θ + Δθ (5).

    With halvings left, a Δθ that does not bring the goal nearer is halved and tried again (section
    3.3.3); the distance is √f, the length of Δp and of the diagonal goals.  The exit code is judged
    after P.  Where a step leads to numbers that are not finite, the last finite pose stays.
    """
    n = ints[N_COORDS]
    sheet = open_sheet(ints, work)
    state, r, trial, step, jt = sheet.state, sheet.r, sheet.trial, sheet.step, sheet.jt
    stack = lay_stack(ints, sheet.spare)
    halvings, every, cutoff = int(options[OWN]), options[OWN + 1] > 0.0, options[OWN + 2]
    stationary = options[OWN + 3]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration, singular = 1, 0, 0, 0
    while iteration < options[O_ITERATIONS] and not reached(ints, floats, state):
        bent = linearise(ints, floats, q, state, r, jt, sheet.target)
        jacobians += 1
        descent(ints, floats, q, jt, r, sheet.push)
        if _slope(ints, floats, jt, sheet.push, f) <= stationary and not bent:
            break
        fill_stack(ints, floats, q, jt, sheet.target, stack)
        rank = pseudo_inverse_step(stack, cutoff, step)
        singular += rank < len(stack.sigma)
        most = 0.0
        for c in range(n):
            most = max(most, abs(step[c]))
        if not _NO_STEP < most < math.inf:
            break
        length, value, accepted = 1.0, f, False
        for _ in range(1 + max(halvings, 0)):
            for c in range(n):
                trial[c] = q[c] + length * step[c]
            if every:
                project(ints, floats, trial, sheet.scratch)
            value = evaluate(ints, floats, trial, state, r)
            evaluations += 1
            accepted = math.isfinite(value) and (halvings < 0 or value < f)
            if accepted:
                break
            length *= 0.5
        if not accepted:
            break
        f = value
        q[:] = trial
        iteration += 1
        noted = record(history, noted, f, q)
    spent = iteration >= options[O_ITERATIONS]
    code, f, noted = end_inside(ints, floats, q, sheet, spent, stationary, history, noted)
    evaluations += 1
    jacobians += code != REACHED
    finish(out, f, iteration, evaluations, jacobians, noted, singular)
    return code


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

    iterations: int = 100
    """Iterations an attempt may take; each costs one SVD of J."""
    halving: bool = True
    """Halve a step until the distance decreases (section 3.3.3); False takes every step whole."""
    halvings: int = 60
    """How often a step may be halved before the method gives up; the notes name no end.  Near a
    singular pose steps are so long that it takes dozens."""
    limits: Limits = "end"
    """When P is applied: "end", to the answer; "each step", to every pose before its distance is
    measured."""
    cutoff: float = 1e-9
    """Singular values up to this part of the largest count as 0.  The notes invert all but zeros,
    so it only keeps rounding out."""
    stationary: float = 1e-6
    """The answer is stationary at this ‖J‖·‖P(q − ∇f/2‖J‖²) − q‖/√f, a cosine inside the limits."""

    def __post_init__(self) -> None:
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
        return (halvings, self.limits == "each step", self.cutoff, self.stationary)

    def workspace(self, problem: Problem) -> int:
        return sheet_size(problem) + stack_size(problem)
