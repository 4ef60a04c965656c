"""Limits as a quadratic term beside f: the kernel of the penalty and of the slack variables.

minimise φ(q) = f(q) + μ‖z − Pₘ(z)‖² with z = q + shift, in rounds.  The norm is that of the metric,
in which turns and slides are comparable.  Without a shift it is a penalty on what lies outside;
with shift = multiplier/2μ it is the augmented Lagrangian, its slack variables eliminated
(slack_variables.py).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.cones import nearest_on_ellipse
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
    I_RUN_FIRST,
    N_CONES,
    N_COORDS,
    N_ROWS,
    NONE,
    cone_at,
)
from limbik.figure.projection import project
from limbik.jit import kernel, kernel_part
from limbik.maths.linear import cholesky, cholesky_solve, copy, dot
from limbik.methods.base import (
    O_ITERATIONS,
    O_STATIONARY,
    OWN,
    REACHED,
    SPENT,
    STATIONARY,
    STUCK,
    finish,
    record,
)
from limbik.methods.loop import gain_left
from limbik.methods.workspace import floats_taken, gradient_size, take_table, view_gradient
from limbik.solver.objective import descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_TRIES = 24  # raising the damping by 4 each time makes any step a tiny gradient step
_SLOW = 3  # so many iterations that hardly lower φ are the end of a round


class SoftLimitWorkspace(NamedTuple):
    """Arrays of the method's own."""

    system: np.ndarray  # (n, n) JᵀJ + D + μN and the damping, then its factor
    shift: np.ndarray  # (n,) what is added to q before it is compared with its limits
    away: np.ndarray  # (n,) z − Pₘ(z)
    nearest: np.ndarray  # (n,) Pₘ(z)


@kernel_part
def view_soft_limits(ints, work):
    """work -> SoftLimitWorkspace, and what is left."""
    n = np.int64(ints[N_COORDS])
    system, work = take_table(work, n, n)
    by_n, work = take_table(work, 3, n)
    return SoftLimitWorkspace(system, by_n[0], by_n[1], by_n[2]), work


def soft_limits_size(problem: Problem) -> int:
    """Floats that ``soft_limits`` needs beyond the problem's state."""
    return gradient_size(problem) + floats_taken(view_soft_limits, problem.ints)


@kernel
def draw_in(ints, floats, q, margin, nearest, scratch):
    """nearest = Pₘ(q): the nearest pose within limits that are drawn in by a part of themselves.

    Ranges with two ends lose ``margin`` of their half width at each, the others ``margin`` rad (or
    of a slide's metric), cones ``margin`` of both half axes.  Cones on exponential balls stay.
    """
    for c in range(ints[N_COORDS]):
        nearest[c] = q[c]
    project(ints, floats, nearest, scratch)
    if margin == 0.0:
        return
    for c in range(ints[N_COORDS]):
        low, high = floats[ints[F_LOWER] + c], floats[ints[F_UPPER] + c]
        if ints[ints[I_IN_CONE] + c] == NONE:
            width = 0.5 * (high - low)
            if width == math.inf:
                width = math.sqrt(floats[ints[F_METRIC] + c])
            nearest[c] = min(max(nearest[c], low + margin * width), high - margin * width)
    for cone in range(np.int64(ints[N_CONES])):
        i, f = cone_at(ints, cone)
        if ints[i + CONE_KIND] == CONE_SWING:
            c = ints[i + CONE_START]
            a, b = (1.0 - margin) * floats[f + CONE_A], (1.0 - margin) * floats[f + CONE_B]
            x, y = nearest_on_ellipse(
                q[c] - floats[f + CONE_X], q[c + 1] - floats[f + CONE_Y], a, b
            )
            nearest[c], nearest[c + 1] = x + floats[f + CONE_X], y + floats[f + CONE_Y]


@kernel
def look_outside(ints, floats, q, margin, soft, scratch):
    """soft.away = z − Pₘ(z) for z = q + shift; returns its square in the metric.

    Coordinates that no goal feels (locked ones too) have no part in it.
    """
    away, first = soft.away, ints[I_RUN_FIRST]
    for c in range(ints[N_COORDS]):
        away[c] = q[c] + soft.shift[c]
    draw_in(ints, floats, away, margin, soft.nearest, scratch)
    square = 0.0
    for c in range(ints[N_COORDS]):
        away[c] -= soft.nearest[c]
        if ints[first + c] == ints[first + c + 1] and floats[ints[F_REST] + c] == 0.0:
            away[c] = 0.0
        square += away[c] * away[c] / floats[ints[F_METRIC] + c]
    return square


@kernel
def outside(ints, floats, q, nearest, scratch):
    """The most that a coordinate of q lies outside its limits, in rad; nearest becomes P(q)."""
    draw_in(ints, floats, q, 0.0, nearest, scratch)
    most = 0.0
    for c in range(ints[N_COORDS]):
        most = max(most, abs(q[c] - nearest[c]) / math.sqrt(floats[ints[F_METRIC] + c]))
    return most


@kernel
def largest_column(ints, floats, jt):
    """The largest diagonal entry of M(JᵀJ + D): what a penalty is measured against."""
    largest = 0.0
    for c in range(ints[N_COORDS]):
        square = floats[ints[F_REST] + c]
        for i in range(ints[N_ROWS]):
            square += jt[c, i] * jt[c, i]
        largest = max(largest, square * floats[ints[F_METRIC] + c])
    return largest


@kernel
def soft_step(ints, floats, jt, half_descent, mu, lam, soft, step):
    """(JᵀJ + D + μN + λM⁻¹)·step = half_descent − μM⁻¹(z − P(z)); False where rounding forbids it.

    N is 1 on the diagonal for a coordinate outside its range and aaᵀ for a cone's outward normal a:
    the Hessian of half the squared distance, up to the curvature of the cone.
    """
    n, rows, metric = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS]), ints[F_METRIC]
    a, away = soft.system, soft.away
    for c in range(n):
        for e in range(c + 1):
            a[c, e] = dot(jt[c], jt[e], rows)
        a[c, c] += floats[ints[F_REST] + c] + lam / floats[metric + c]
        if ints[ints[I_IN_CONE] + c] == NONE and away[c] != 0.0:
            a[c, c] += mu / floats[metric + c]
        step[c] = half_descent[c] - mu * away[c] / floats[metric + c]
    for cone in range(np.int64(ints[N_CONES])):
        i, _ = cone_at(ints, cone)
        first, span = np.int64(ints[i + CONE_START]), 2 if ints[i + CONE_KIND] == CONE_SWING else 3
        square = dot(away[first:], away[first:], span)
        if square > 0.0:
            for c in range(first, first + span):
                for e in range(first, c + 1):
                    a[c, e] += mu * away[c] * away[e] / (square * floats[metric + c])
    if not cholesky(a, n):
        return False
    cholesky_solve(a, n, step)
    return True


@kernel
def _slope(ints, floats, half_descent, mu, soft, step):
    """−½∇φᵀ·step."""
    total = 0.0
    for c in range(ints[N_COORDS]):
        total += (half_descent[c] - mu * soft.away[c] / floats[ints[F_METRIC] + c]) * step[c]
    return total


@kernel(borrows=True)
def soft_limits(ints, floats, work, options, q, out, history):
    """Rounds of minimising φ by damped Gauss–Newton; the answer is P(q) of the last one.

    Between rounds P(q) is looked at: where it meets the goals or is stationary, that is the end.
    Otherwise μ grows, the margin shrinks, or the shift follows the multipliers, shift = z − P(z).
    """
    n = np.int64(ints[N_COORDS])
    w, spare = view_gradient(ints, work)
    state, r, half_descent, trial, step = w.state, w.r, w.half_descent, w.trial, w.step
    soft, _ = view_soft_limits(ints, spare)
    scratch = w.scratch
    weight, growth, rounds = options[OWN], options[OWN + 1], options[OWN + 2]
    margin, multipliers = options[OWN + 3], options[OWN + 4]
    settle, stationary = options[OWN + 5], options[O_STATIONARY]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration, singular = 1, 0, 0, 0
    code, turn, slow = SPENT, 0, 0
    mu, damping, last, clear = 0.0, 0.1, math.inf, True
    soft.shift[:] = 0.0
    while True:
        if clear and reached(ints, floats, state):
            code = REACHED
            break
        if not math.isfinite(f):
            code = STUCK
            break
        if iteration >= options[O_ITERATIONS]:
            break
        linearise(ints, floats, q, state, r, w.jt, w.model_residual)
        jacobians += 1
        descent(ints, floats, q, w.jt, r, half_descent)
        if mu == 0.0:
            mu = weight * largest_column(ints, floats, w.jt)
        phi = f + mu * look_outside(ints, floats, q, margin, soft, scratch)
        accepted, value = False, phi
        for _ in range(_TRIES):
            lam = max(damping * min(phi, floats[ints[F_REACH]]), 1e-300)
            if not soft_step(ints, floats, w.jt, half_descent, mu, lam, soft, step):
                singular += 1
                damping *= 4.0
                continue
            slope = _slope(ints, floats, half_descent, mu, soft, step)
            if not slope > 1e-16 * phi:
                break
            for c in range(n):
                trial[c] = q[c] + step[c]
            new = evaluate(ints, floats, trial, state, w.trial_r)
            evaluations += 1
            value = new + mu * look_outside(ints, floats, trial, margin, soft, scratch)
            if value < phi and value < phi - 2e-4 * slope:
                accepted, f = True, new
                # The model promises between slope and 2·slope.
                if phi - value > 0.75 * slope:
                    damping = max(damping / 3.0, 1e-10)
                elif phi - value < 0.25 * slope:
                    damping = min(damping * 4.0, 1e8)
                break
            look_outside(ints, floats, q, margin, soft, scratch)
            damping *= 4.0
        if accepted:
            copy(trial, len(trial), q)
            copy(w.trial_r, len(w.trial_r), r)
            iteration += 1
            noted = record(history, noted, f, q)
            clear = outside(ints, floats, q, trial, scratch) == 0.0
            slow = slow + 1 if phi - value <= settle * phi else 0
            if slow < _SLOW and value > 0.0:
                continue
        # The end of a round: is the pose that the limits make of this one good enough?
        turn, slow, damping = turn + 1, 0, 0.1
        far = outside(ints, floats, q, trial, scratch)
        copy(trial, len(trial), step)
        value = evaluate(ints, floats, step, state, w.trial_r)
        evaluations += 1
        if reached(ints, floats, state):
            code = REACHED
            break
        linearise(ints, floats, step, state, w.trial_r, w.jt, w.model_residual)
        jacobians += 1
        descent(ints, floats, step, w.jt, w.trial_r, half_descent)
        if gain_left(ints, floats, step, w, value) <= stationary:
            code = STATIONARY
            break
        if turn >= rounds:
            code = STUCK
            break
        if multipliers > 0.0:
            look_outside(ints, floats, q, margin, soft, scratch)
            grow = growth if far > 0.25 * last else 1.0
            # shift = λ/2μ for the multipliers λ = 2μ(z − P(z)) and the μ to come.
            for c in range(n):
                soft.shift[c] = soft.away[c] / grow
            last = far
            mu *= grow
        else:
            mu *= growth
            margin /= growth
        f = evaluate(ints, floats, q, state, r)
        evaluations += 1
    draw_in(ints, floats, q, 0.0, trial, scratch)
    moved = False
    for c in range(n):
        moved = moved or q[c] != trial[c]
        q[c] = trial[c]
    f = evaluate(ints, floats, q, state, r)
    evaluations += 1
    if moved:
        noted = record(history, noted, f, q)
    if code == SPENT and reached(ints, floats, state):
        code = REACHED
    finish(out, f, iteration, evaluations, jacobians, noted, singular)
    return code
