"""The pseudo-inverse: Gauss–Newton by SVD without a look at the limits, applied once at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass

from limbik.errors import MethodError
from limbik.figure.kinematics import N_COORDS
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
from limbik.methods.settings import setting
from limbik.methods.workspace import end_inside, open_sheet, sheet_size
from limbik.solver.objective import F_METRIC, evaluate, linearise, reached
from limbik.solver.problem import Problem

_NO_STEP = 1e-12  # rad or the figure's unit: a step that changes nothing any more


@kernel
def pseudo_inverse(ints, floats, work, options, q, out, history):
    """Section 2 of line_search, the way it says Blender goes: θ ← θ + J⁺e, and P(θ) at the end.

    The exit code is judged after P.  Where a step leads to numbers that are not finite, the last
    finite pose is projected.
    """
    n = ints[N_COORDS]
    sheet = open_sheet(ints, work)
    state, r, trial, step, jt = sheet.state, sheet.r, sheet.trial, sheet.step, sheet.jt
    stack = lay_stack(ints, sheet.spare)
    cutoff, scale = options[OWN], options[OWN + 1]
    clamp, stationary = options[OWN + 2], options[OWN + 3]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration, singular = 1, 0, 0, 0
    while iteration < options[O_ITERATIONS] and not reached(ints, floats, state):
        linearise(ints, floats, q, state, r, jt, sheet.target)
        jacobians += 1
        fill_stack(ints, floats, q, jt, sheet.target, stack)
        rank = pseudo_inverse_step(stack, cutoff, step)
        singular += rank < len(stack.sigma)
        most = 0.0
        for c in range(n):
            most = max(most, abs(scale * step[c]) / math.sqrt(floats[ints[F_METRIC] + c]))
        if not _NO_STEP < most < math.inf:
            break
        length = scale * min(1.0, clamp / most)
        for c in range(n):
            trial[c] = q[c] + length * step[c]
        value = evaluate(ints, floats, trial, state, r)
        evaluations += 1
        if not math.isfinite(value):
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
        if not 0.0 <= self.cutoff < 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ cutoff < 1, got {self.cutoff:g}")
        if not 0.0 < self.step < math.inf:
            raise MethodError(f"{self.name}: step must be positive, got {self.step:g}")
        if self.clamp is not None and not self.clamp > 0.0:
            raise MethodError(f"{self.name}: clamp must be positive or None, got {self.clamp:g}")

    def settings(self) -> tuple[float, ...]:
        clamp = math.inf if self.clamp is None else self.clamp
        return (self.cutoff, self.step, clamp, self.stationary)

    def workspace(self, problem: Problem) -> int:
        return sheet_size(problem) + stack_size(problem)
