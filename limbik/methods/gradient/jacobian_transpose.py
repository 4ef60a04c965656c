"""The Jacobian transpose: steepest descent with a step that nothing checks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from limbik.errors import MethodError
from limbik.figure.layout import F_METRIC, F_REST, N_COORDS, N_ROWS
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel
from limbik.maths.linear import copy
from limbik.methods.base import OWN, STUCK, Method
from limbik.methods.least_squares.goal_blocks import block_ends, clamp_reach, reach_limits
from limbik.methods.loop import by_gradient, iterate, unchecked
from limbik.methods.settings import setting
from limbik.methods.workspace import gradient_size, view_gradient
from limbik.solver.objective import descent
from limbik.solver.problem import Problem

# Settings in the order of ``options``; the table of blocks follows.
_STEP, _RATE, _CLAMPED, _BLOCKS, _TABLE = range(OWN, OWN + 5)


@kernel
def best_linear_step(ints, floats, jt, half_descent):
    """Equation 28 of line_search: τ = eᵀz/zᵀz with z = JJᵀe, best along Jᵀe for a linear F.

    half_descent (n,) is Jᵀe, with the diagonal goals as further rows of J and e; so eᵀz = ‖Jᵀe‖².
    """
    along, square = 0.0, 0.0
    for c in range(ints[N_COORDS]):
        along += half_descent[c] * half_descent[c]
        square += floats[ints[F_REST] + c] * half_descent[c] * half_descent[c]
    for i in range(ints[N_ROWS]):
        z = 0.0
        for c in range(ints[N_COORDS]):
            z += jt[c, i] * half_descent[c]
        square += z * z
    return along / square if square > 0.0 else 0.0


@inlined_by_llvm
def jacobian_transpose_step(ints, floats, options, q, here, w, own, memory, out):
    """θ ← P(θ − τ∇f), τ fixed or from equation 28.

    With a fixed τ the step is −τ∇f = 2τJᵀe.  The τ of equation 28 belongs to Jᵀe, so there the step
    is τJᵀe.  Both can be clamped as section 4.2 tells: e, goal by goal, and the length of the step.
    """
    n, half_descent, trial = ints[N_COORDS], w.half_descent, w.trial
    fixed, rate = options[_STEP], options[_RATE]
    if options[_CLAMPED] > 0.0:
        blocks = int(options[_BLOCKS])
        ends = options[_TABLE : _TABLE + blocks]
        limits = options[_TABLE + blocks : _TABLE + 2 * blocks]
        copy(w.r, len(w.r), w.model_residual)
        clamp_reach(ints, w.state, ends, limits, w.model_residual)
        descent(ints, floats, q, w.jt, w.model_residual, half_descent)
    step = 2.0 * fixed if fixed > 0.0 else best_linear_step(ints, floats, w.jt, half_descent)
    if rate < math.inf:
        length = 0.0
        for c in range(n):
            length += (step * half_descent[c]) ** 2 / floats[ints[F_METRIC] + c]
        length = math.sqrt(length)
        if length > rate:
            step *= rate / length
    total = 0.0
    for c in range(n):
        trial[c] = q[c] + step * half_descent[c]
        total += abs(trial[c])
    if not math.isfinite(total):
        return STUCK, here.f, memory
    project(ints, floats, trial, w.scratch)
    return unchecked(ints, floats, here, w, memory, out)


@kernel(borrows=True)
def jacobian_transpose(ints, floats, work, options, q, out, history):
    """Equation 27 of line_search, with the steps of ``jacobian_transpose_step``.

    Where a step leads to numbers that are not finite, the last finite pose stays.
    """
    w, _ = view_gradient(ints, work)
    code, _ = iterate(
        ints, floats, options, q, out, history, w, (), (), by_gradient, jacobian_transpose_step,
    )  # fmt: skip
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
        super().__post_init__()
        if self.step is not None and not 0.0 < self.step < math.inf:
            raise MethodError(f"{self.name}: step must be positive or None, got {self.step:g}")
        for clamp in ("reach_clamp", "rate_clamp"):
            value = getattr(self, clamp)
            if value is not None and not value > 0.0:
                raise MethodError(f"{self.name}: {clamp} must be positive or None, got {value:g}")

    def settings(self) -> tuple[float, ...]:
        rate = math.inf if self.rate_clamp is None else self.rate_clamp
        return (0.0 if self.step is None else self.step, rate)

    def tables(self, problem: Problem) -> list[float]:
        if self.reach_clamp is None:
            return [0.0, 0.0]
        ends = block_ends(problem)
        return [1.0, len(ends), *ends, *reach_limits(problem, self.reach_clamp, self.name)]

    def workspace(self, problem: Problem) -> int:
        return gradient_size(problem)
