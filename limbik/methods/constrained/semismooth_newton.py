"""Semi-smooth Newton on the optimality conditions, which line_search names as future work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import (
    CONE_A,
    CONE_B,
    CONE_KIND,
    CONE_START,
    CONE_SWING,
    CONE_X,
    CONE_Y,
    F_LOWER,
    F_METRIC,
    F_REACH,
    F_REST,
    F_UPPER,
    I_IN_CONE,
    N_CONES,
    N_COORDS,
    N_ROWS,
    NONE,
    cone_at,
)
from limbik.figure.projection import free_directions, project
from limbik.jit import inlined_by_llvm, kernel
from limbik.maths.linear import copy
from limbik.methods.base import O_STATIONARY, OUT_EVALUATIONS, OWN, Method
from limbik.methods.constrained.complementarity import edge_of_cone, fischer_burmeister, natural
from limbik.methods.constrained.reduced import (
    add_step,
    reduce_model,
    reduced_size,
    solve_reduced,
    view_reduced,
)
from limbik.methods.gradient.jacobian_transpose import best_linear_step
from limbik.methods.loop import GO_ON, by_model, iterate, no_way_down
from limbik.methods.settings import setting
from limbik.methods.workspace import gradient_size, view_gradient
from limbik.solver.objective import descent, evaluate
from limbik.solver.problem import Problem

EQUATIONS = ("natural", "fischer_burmeister")

_FISCHER, _ALPHA, _DAMPING = range(OWN, OWN + 3)  # settings in the order of ``options``

_SHORTEST = 1e-300  # the shortest gradient step that is tried
_HELD = 1e-12  # B below this part of A: the row says how far dq goes, whatever the gradient does
_HALVINGS = 5  # of a Newton step, before the gradient is tried
_RIDGE = 1e-14  # part of the largest curvature: keeps rounding from making H indefinite


@kernel
def _row(z, d, phi, by_q, by_s, scale):
    """Row d of the Newton system: A·x + γmB·(Hx) = −Φ, divided by γmB so that it is symmetric."""
    z.held[d] = by_s <= _HELD * by_q
    if z.held[d]:
        z.step[d], z.extra[d] = -phi / by_q, 0.0
    else:
        z.gradient[d], z.extra[d] = -phi / (by_s * scale), by_q / (by_s * scale)


@kernel
def _gamma(ints, floats, jt):
    """1/‖J‖² with the diagonal goals in it: the γ that gives s the units of q."""
    square = 1e-300
    for c in range(ints[N_COORDS]):
        square += floats[ints[F_REST] + c]
        for i in range(ints[N_ROWS]):
            square += jt[c, i] * jt[c, i]
    return 1.0 / square


@kernel
def newton_rows(ints, floats, q, half_descent, gamma, fischer, z, scratch):
    """The directions of the Newton system, and what each row says of them; returns how many.

    half_descent (n,) is −½∇f, so s = −γM·half_descent.  Ranges use either equation, a cone always
    q − P(q − s): where q − s is outside a swing cone, its two coordinates become the edge's tangent
    and normal at P(q − s).  On other balls the tangents of ``free_directions`` stand for P's
    derivative.
    """
    in_cone, metric = ints[I_IN_CONE], ints[F_METRIC]
    lower, upper = ints[F_LOWER], ints[F_UPPER]
    count = 0
    for d in range(
        free_directions(ints, floats, q, half_descent, z.starts, z.spans, z.coefficients, scratch)
    ):
        c, along = z.starts[d], 0.0
        cone = ints[in_cone + c]
        if cone == NONE or ints[cone_at(ints, cone)[0] + CONE_KIND] == CONE_SWING:
            continue
        z.starts[count], z.spans[count] = c, z.spans[d]
        for s in range(z.spans[count]):
            z.coefficients[count, s] = z.coefficients[d, s]
            along += z.coefficients[count, s] * half_descent[c + s]
        _row(z, count, -along, 0.0, 1.0, 1.0)
        count += 1
    for c in range(np.int64(ints[N_COORDS])):
        if ints[in_cone + c] != NONE:
            continue
        low, high, scale = floats[lower + c], floats[upper + c], gamma * floats[metric + c]
        z.starts[count], z.spans[count], z.coefficients[count, 0] = c, 1, 1.0
        if fischer > 0.0:
            phi, by_q, by_s = fischer_burmeister(q[c], -scale * half_descent[c], low, high)
        else:
            phi, by_q, by_s = natural(q[c], -scale * half_descent[c], low, high)
        _row(z, count, phi, by_q, by_s, scale)
        count += 1
    for cone in range(np.int64(ints[N_CONES])):
        i, f = cone_at(ints, cone)
        if ints[i + CONE_KIND] != CONE_SWING:
            continue
        c, scale = ints[i + CONE_START], gamma * floats[metric + ints[i + CONE_START]]
        a, b, x, y = (
            floats[f + CONE_A],
            floats[f + CONE_B],
            q[c] - floats[f + CONE_X],
            q[c + 1] - floats[f + CONE_Y],
        )
        to_x, to_y = x + scale * half_descent[c], y + scale * half_descent[c + 1]
        inside = (to_x / a) * (to_x / a) + (to_y / b) * (to_y / b) <= 1.0
        px, py, nx, ny, tau = edge_of_cone(to_x, to_y, a, b)
        for k in range(2):
            if inside:
                z.starts[count], z.spans[count], z.coefficients[count, 0] = c + k, 1, 1.0
                _row(z, count, -scale * half_descent[c + k], 0.0, 1.0, scale)
            else:
                ux, uy, share = (nx, ny, 0.0) if k else (-ny, nx, tau)
                z.starts[count], z.spans[count] = c, 2
                z.coefficients[count, 0], z.coefficients[count, 1] = ux, uy
                _row(z, count, ux * (x - px) + uy * (y - py), 1.0 - share, share, scale)
            count += 1
    return count


@kernel
def newton_step(ints, floats, q, aim, jt, fischer, lam, z, scratch):
    """z.step from (A + γMB(JᵀJ + D + λM⁻¹))·step = −Φ; how many directions, 0 where it fails."""
    gamma = _gamma(ints, floats, jt)
    count = newton_rows(ints, floats, q, aim, gamma, fischer, z, scratch)
    reduce_model(ints, floats, jt, count, z)
    for d in range(count):
        z.extra[d] += lam / floats[ints[F_METRIC] + z.starts[d]]
    return count if solve_reduced(z, count, _RIDGE) else 0


@kernel
def _slope(half_descent, q, trial):
    """∇fᵀ(trial − q)."""
    total = 0.0
    for c in range(len(q)):
        total -= 2.0 * half_descent[c] * (trial[c] - q[c])
    return total


class Memory(NamedTuple):
    """What is carried from step to step."""

    damping: float


@inlined_by_llvm
def _newton_trial(ints, floats, options, q, here, w, z, damping, detour, out):
    """A Newton step on Φ(q) = 0, halved until f falls enough; returns (f or inf, part taken)."""
    f = here.f
    descent(ints, floats, q, w.jt, w.model_residual if detour else w.r, w.step)
    lam = damping * min(f, floats[ints[F_REACH]])
    count = newton_step(ints, floats, q, w.step, w.jt, options[_FISCHER], lam, z, w.scratch)
    part = 1.0
    for _ in range(min(count, 1) * (1 if detour else _HALVINGS)):
        copy(q, ints[N_COORDS], w.trial)
        add_step(z, count, part, w.trial)
        project(ints, floats, w.trial, w.scratch)
        slope = _slope(w.half_descent, q, w.trial)
        value = evaluate(ints, floats, w.trial, w.state, w.trial_r)
        out[OUT_EVALUATIONS] += 1.0
        if value < (0.99 * f if detour else f) and value < f + options[_ALPHA] * slope:
            return value, part
        part *= 0.5
    return math.inf, part


@inlined_by_llvm
def _gradient_trial(ints, floats, options, q, here, w, out):
    """A projected gradient step, halved until f falls enough; returns f there, or inf."""
    f, tau = here.f, best_linear_step(ints, floats, w.jt, w.half_descent)
    while True:
        for c in range(ints[N_COORDS]):
            w.trial[c] = q[c] + tau * w.half_descent[c]
        project(ints, floats, w.trial, w.scratch)
        slope = _slope(w.half_descent, q, w.trial)
        # Written so that it also ends where the target is too far for f to be finite.
        if tau < _SHORTEST or not abs(slope) > 1e-17 * f:
            return math.inf
        value = evaluate(ints, floats, w.trial, w.state, w.trial_r)
        out[OUT_EVALUATIONS] += 1.0
        if value < f and value < f + options[_ALPHA] * slope:
            return value
        tau *= 0.5


@inlined_by_llvm
def semismooth_newton_step(ints, floats, options, q, here, w, z, memory, out):
    """A Newton step on Φ(q) = 0, projected and accepted by equation 39 of line_search.

    A step that does not lower f enough is halved; where that does not help either, a projected
    gradient step is made and the next Newton step damped more.  Near half a turn the gradient in Φ
    aims at what ``linearise`` says instead of r: such a step must pay at once.
    """
    damping, stationary = memory.damping, here.gain <= options[O_STATIONARY]
    value, part = math.inf, 1.0
    if here.detour:
        value, part = _newton_trial(ints, floats, options, q, here, w, z, damping, True, out)
    if not value < math.inf and not stationary:
        value, part = _newton_trial(ints, floats, options, q, here, w, z, damping, False, out)
    if value < math.inf:
        damping = max(damping / 3.0, 1e-8) if part == 1.0 else min(damping * 4.0, 1e8)
        return GO_ON, value, Memory(damping)
    if not stationary:
        value = _gradient_trial(ints, floats, options, q, here, w, out)
        if value < math.inf:
            return GO_ON, value, Memory(min(damping * 10.0, 1e8))
    evaluate(ints, floats, q, w.state, w.r)
    return no_way_down(options, here.gain), here.f, memory


@kernel(borrows=True)
def semismooth_newton(ints, floats, work, options, q, out, history):
    """The loop of all methods with the steps of ``semismooth_newton_step``."""
    w, work = view_gradient(ints, work)
    z, _ = view_reduced(ints, work)
    code, _ = iterate(
        ints, floats, options, q, out, history, w, z, Memory(options[_DAMPING]), by_model,
        semismooth_newton_step,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class SemismoothNewton(Method):
    """Newton on the optimality conditions within limits, written as equations Φ(q) = 0.

    Section 7 of line_search proposes it: limits are part of the equations, which say by themselves
    what is held and what is free (complementarity.py).  The derivative of the gradient is
    Gauss–Newton's, JᵀJ + D + λM⁻¹, so a step need not lower ‖Φ‖, and ‖Φ‖ is 0 at maxima too: f
    judges the steps, and P keeps them inside where Newton's would leave.  So f never rises and
    every iterate is inside the limits.
    """

    name = "semismooth_newton"
    kernel = semismooth_newton

    equation: Literal["natural", "fischer_burmeister"] = setting(
        "natural",
        "Φ of a range: q − P(q − s), which is a choice of what to hold, or Fischer and "
        "Burmeister's function, which is smooth and holds coordinates near their ends softly."
        " Cones: always the first.",
    )
    alpha: float = setting(1e-4, "Armijo constant of equation 39 of line_search.")
    damping: float = setting(0.1, "The first λ/f.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.equation not in EQUATIONS:
            raise MethodError(
                f'{self.name}: no equation "{self.equation}" (known are {", ".join(EQUATIONS)})'
            )
        if not 0.0 < self.alpha < 1.0:
            raise MethodError(f"{self.name}: needs 0 < alpha < 1, got {self.alpha:g}")
        if not 0.0 <= self.damping < math.inf:
            raise MethodError(f"{self.name}: damping must not be negative, got {self.damping:g}")

    def settings(self) -> tuple[float, ...]:
        fischer = EQUATIONS.index(self.equation)
        return (fischer, self.alpha, self.damping)

    def workspace(self, problem: Problem) -> int:
        return gradient_size(problem) + reduced_size(problem)
