"""The Jacobian transpose: steepest descent with a step that nothing checks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from limbik.errors import MethodError
from limbik.figure.kinematics import N_COORDS
from limbik.figure.projection import project
from limbik.goals.terms import N_ROWS
from limbik.jit import kernel
from limbik.maths.linear import copy
from limbik.methods.base import (
    O_ITERATIONS,
    OWN,
    REACHED,
    SPENT,
    STATIONARY,
    STUCK,
    Method,
    finish,
    record,
)
from limbik.methods.least_squares.goal_blocks import block_ends, clamp_reach, reach_limits
from limbik.methods.settings import setting
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import F_METRIC, F_REST, descent, evaluate, linearise, reached
from limbik.solver.problem import Problem


@kernel
def best_linear_step(ints, floats, jt, push):
    """Equation 28 of line_search: τ = eᵀz/zᵀz with z = JJᵀe, best along Jᵀe for a linear F.

    push (n,) is Jᵀe, with the diagonal goals as further rows of J and e; so eᵀz = ‖push‖².
    """
    along, square = 0.0, 0.0
    for c in range(ints[N_COORDS]):
        along += push[c] * push[c]
        square += floats[ints[F_REST] + c] * push[c] * push[c]
    for i in range(ints[N_ROWS]):
        z = 0.0
        for c in range(ints[N_COORDS]):
            z += jt[c, i] * push[c]
        square += z * z
    return along / square if square > 0.0 else 0.0


@kernel
def jacobian_transpose(ints, floats, work, options, q, out, history):
    """Equation 27 of line_search: θ ← P(θ − τ∇f), τ fixed or from equation 28.

    With a fixed τ the step is −τ∇f = 2τJᵀe.  The τ of equation 28 belongs to Jᵀe, so there the step
    is τJᵀe.  Both can be clamped as section 4.2 tells: e, goal by goal, and the length of the step.
    Where a step leads to numbers that are not finite, the last finite pose stays.
    """
    n = ints[N_COORDS]
    sheet = open_sheet(ints, work)
    state, r, push, trial, jt = sheet.state, sheet.r, sheet.push, sheet.trial, sheet.jt
    fixed, rate, stationary = options[OWN], options[OWN + 1], options[OWN + 2]
    clamped, blocks = options[OWN + 3] > 0.0, int(options[OWN + 4])
    ends = options[OWN + 5 : OWN + 5 + blocks]
    limits = options[OWN + 5 + blocks : OWN + 5 + 2 * blocks]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration = 1, 0, 0
    code = SPENT
    while True:
        if reached(ints, floats, state):
            code = REACHED
            break
        if iteration >= options[O_ITERATIONS]:
            break
        linearise(ints, floats, q, state, r, jt, sheet.target)
        jacobians += 1
        descent(ints, floats, q, jt, r, push)
        if gain_left(ints, floats, q, sheet, f) <= stationary:
            code = STATIONARY
            break
        if clamped:
            copy(r, len(r), sheet.target)
            clamp_reach(ints, state, ends, limits, sheet.target)
            descent(ints, floats, q, jt, sheet.target, push)
        step = 2.0 * fixed if fixed > 0.0 else best_linear_step(ints, floats, jt, push)
        if rate < math.inf:
            length = 0.0
            for c in range(n):
                length += (step * push[c]) ** 2 / floats[ints[F_METRIC] + c]
            length = math.sqrt(length)
            if length > rate:
                step *= rate / length
        total = 0.0
        for c in range(n):
            trial[c] = q[c] + step * push[c]
            total += abs(trial[c])
        if not math.isfinite(total):
            code = STUCK
            break
        project(ints, floats, trial, sheet.scratch)
        value = evaluate(ints, floats, trial, state, r)
        evaluations += 1
        if not math.isfinite(value):
            code = STUCK
            break
        f = value
        q[:] = trial
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted)
    return code


@dataclass(frozen=True)
class JacobianTranspose(Method):
    """θ ← P(θ − τ∇f), the method that line_search compares with.

    Every iterate is inside the limits, but f may rise, and with a fixed step that is too long for
    the figure's unit it does not settle; the answer is the last finite iterate, not the best one.
    Exactly half a turn from an Aim, or from an orientation by axes, the gradient is 0, and it takes
    a restart to get away from there.
    """

    name = "jacobian_transpose"
    kernel = jacobian_transpose
    descends = False

    iterations: int = setting(
        1000, "Iterations an attempt may take; each costs one evaluation and one Jacobian."
    )
    step: float | None = setting(
        0.005,
        "τ of equation 27, the paper's for its figure and its unit: f is a length squared, so"
        " τ must shrink as a unit's square. None takes the step of equation 28, which fits "
        "any unit.",
    )
    reach_clamp: float | None = setting(
        None,
        "Goal clamping: shorten what a goal asks for to this part of the figure's size, and "
        "an angle to the one that moves as far at a quarter of it. Goals written in Python "
        "and Rest are not clamped. None: any.",
    )
    rate_clamp: float | None = setting(
        None,
        "Rate control: shorten Δθ to this length in rad, where a slide counts as the angle "
        "that moves as far at a quarter of the figure's size. None: any.",
    )

    def __post_init__(self) -> None:
        if self.step is not None and not 0.0 < self.step < math.inf:
            raise MethodError(f"{self.name}: step must be positive or None, got {self.step:g}")
        for clamp in ("reach_clamp", "rate_clamp"):
            value = getattr(self, clamp)
            if value is not None and not value > 0.0:
                raise MethodError(f"{self.name}: {clamp} must be positive or None, got {value:g}")

    def settings(self) -> tuple[float, ...]:
        rate = math.inf if self.rate_clamp is None else self.rate_clamp
        return (0.0 if self.step is None else self.step, rate, self.stationary)

    def tables(self, problem: Problem) -> list[float]:
        if self.reach_clamp is None:
            return [0.0, 0.0]
        ends = block_ends(problem)
        return [1.0, len(ends), *ends, *reach_limits(problem, self.reach_clamp, self.name)]

    def workspace(self, problem: Problem) -> int:
        return sheet_size(problem)
