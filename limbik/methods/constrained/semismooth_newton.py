"""Semi-smooth Newton on the optimality conditions, which line_search names as future work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import (
    F_CONE,
    F_LOWER,
    F_UPPER,
    I_CONE,
    I_IN_CONE,
    N_CONES,
    N_COORDS,
    NONE,
)
from limbik.figure.projection import CONE_FLOATS, CONE_INTS, CONE_SWING, free_directions, project
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
from limbik.methods.constrained.complementarity import edge_of_cone, fischer_burmeister, natural
from limbik.methods.constrained.reduced import (
    add_step,
    lay_reduced,
    reduce_model,
    reduced_size,
    solve_reduced,
)
from limbik.methods.gradient.jacobian_transpose import best_linear_step
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import F_METRIC, F_REACH, F_REST, descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

EQUATIONS = ("natural", "fischer_burmeister")

_ROUNDING = 1e-5  # where f is rounded, every step fails at a gain up to about this one
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
def newton_rows(ints, floats, q, push, gamma, fischer, z, scratch):
    """The directions of the Newton system, and what each row says of them; returns how many.

    push (n,) is −½∇f, so s = −γM·push.  Ranges use either equation, a cone always q − P(q − s):
    where q − s is outside a swing cone, its two coordinates become the edge's tangent and normal at
    P(q − s).  On other balls the tangents of ``free_directions`` stand for P's derivative.
    """
    in_cone, metric = ints[I_IN_CONE], ints[F_METRIC]
    lower, upper = ints[F_LOWER], ints[F_UPPER]
    count = 0
    for d in range(
        free_directions(ints, floats, q, push, z.starts, z.spans, z.coefficients, scratch)
    ):
        c, along = z.starts[d], 0.0
        cone = ints[in_cone + c]
        if cone == NONE or ints[ints[I_CONE] + CONE_INTS * cone] == CONE_SWING:
            continue
        z.starts[count], z.spans[count] = c, z.spans[d]
        for s in range(z.spans[count]):
            z.coefficients[count, s] = z.coefficients[d, s]
            along += z.coefficients[count, s] * push[c + s]
        _row(z, count, -along, 0.0, 1.0, 1.0)
        count += 1
    for c in range(np.int64(ints[N_COORDS])):
        if ints[in_cone + c] != NONE:
            continue
        low, high, scale = floats[lower + c], floats[upper + c], gamma * floats[metric + c]
        z.starts[count], z.spans[count], z.coefficients[count, 0] = c, 1, 1.0
        if fischer > 0.0:
            phi, by_q, by_s = fischer_burmeister(q[c], -scale * push[c], low, high)
        else:
            phi, by_q, by_s = natural(q[c], -scale * push[c], low, high)
        _row(z, count, phi, by_q, by_s, scale)
        count += 1
    for cone in range(np.int64(ints[N_CONES])):
        i, f = ints[I_CONE] + CONE_INTS * cone, ints[F_CONE] + CONE_FLOATS * cone
        if ints[i] != CONE_SWING:
            continue
        c, scale = ints[i + 1], gamma * floats[metric + ints[i + 1]]
        a, b, x, y = floats[f], floats[f + 1], q[c] - floats[f + 2], q[c + 1] - floats[f + 3]
        to_x, to_y = x + scale * push[c], y + scale * push[c + 1]
        inside = (to_x / a) * (to_x / a) + (to_y / b) * (to_y / b) <= 1.0
        px, py, nx, ny, tau = edge_of_cone(to_x, to_y, a, b)
        for k in range(2):
            if inside:
                z.starts[count], z.spans[count], z.coefficients[count, 0] = c + k, 1, 1.0
                _row(z, count, -scale * push[c + k], 0.0, 1.0, scale)
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
def _slope(push, q, trial):
    """∇fᵀ(trial − q)."""
    total = 0.0
    for c in range(len(q)):
        total -= 2.0 * push[c] * (trial[c] - q[c])
    return total


@kernel
def semismooth_newton(ints, floats, work, options, q, out, history):
    """Newton steps on Φ(q) = 0, projected and accepted by equation 39 of line_search.

    A step that does not lower f enough is halved; where that does not help either, a projected
    gradient step is made and the next Newton step damped more.  Near half a turn the gradient in Φ
    aims at what ``linearise`` says instead of r: such a step must pay at once.
    """
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    sheet = open_sheet(ints, work)
    state, r, trial_r, scratch = sheet.state, sheet.r, sheet.trial_r, sheet.scratch
    push, aim, trial, jt = sheet.push, sheet.step, sheet.trial, sheet.jt
    z, _ = lay_reduced(ints, sheet.spare)
    fischer, alpha, damping = options[OWN], options[OWN + 1], options[OWN + 2]
    stationary, reach = options[OWN + 3], floats[ints[F_REACH]]

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
        bent = linearise(ints, floats, q, state, r, jt, sheet.target)
        jacobians += 1
        descent(ints, floats, q, jt, r, push)
        gain = gain_left(ints, floats, q, sheet, f)
        accepted, value = False, f
        for straight in range(0 if bent else 1, 2):
            if straight and gain <= stationary:
                break
            descent(ints, floats, q, jt, r if straight else sheet.target, aim)
            lam = damping * min(f, reach)
            count = newton_step(ints, floats, q, aim, jt, fischer, lam, z, scratch)
            part = 1.0
            for _ in range(_HALVINGS if straight and count else min(count, 1)):
                copy(q, n, trial)
                add_step(z, count, part, trial)
                project(ints, floats, trial, scratch)
                slope = _slope(push, q, trial)
                value = evaluate(ints, floats, trial, state, trial_r)
                evaluations += 1
                if value < (f if straight else 0.99 * f) and value < f + alpha * slope:
                    accepted = True
                    break
                part *= 0.5
            if accepted:
                damping = max(damping / 3.0, 1e-8) if part == 1.0 else min(damping * 4.0, 1e8)
                break
        if not accepted and gain <= stationary:
            code = STATIONARY
            evaluate(ints, floats, q, state, r)
            break
        if not accepted:
            damping = min(damping * 10.0, 1e8)
            tau = best_linear_step(ints, floats, jt, push)
            while tau > _SHORTEST:
                for c in range(n):
                    trial[c] = q[c] + tau * push[c]
                project(ints, floats, trial, scratch)
                slope = _slope(push, q, trial)
                # Written so that it also ends where the target is too far for f to be finite.
                if not abs(slope) > 1e-17 * f:
                    break
                value = evaluate(ints, floats, trial, state, trial_r)
                evaluations += 1
                if value < f and value < f + alpha * slope:
                    accepted = True
                    break
                tau *= 0.5
        if not accepted:
            code = STATIONARY if gain <= max(stationary, _ROUNDING) else STUCK
            evaluate(ints, floats, q, state, r)
            break
        f = value
        copy(trial, n, q)
        copy(trial_r, rows, r)
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted)
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

    equation: Literal["natural", "fischer_burmeister"] = "natural"
    """Φ of a range: q − P(q − s), which is a choice of what to hold, or Fischer and Burmeister's
    function, which is smooth and holds coordinates near their ends softly.  Cones: always the
    first."""
    alpha: float = 1e-4
    """Armijo constant of equation 39 of line_search."""
    damping: float = 0.1
    """The first λ/f."""
    stationary: float = 1e-6
    """Stop as stationary at this ‖J‖·‖P(q − ∇f/2‖J‖²) − q‖/√f, a cosine away from the limits."""

    def __post_init__(self) -> None:
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
        return (fischer, self.alpha, self.damping, self.stationary)

    def workspace(self, problem: Problem) -> int:
        return sheet_size(problem) + reduced_size(problem)
