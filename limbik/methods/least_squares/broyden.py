"""Broyden's method: a Jacobian that learns from the steps instead of being computed again."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import N_COORDS
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
from limbik.methods.least_squares.damped_solve import damped_trial, damping_scale, system_size
from limbik.methods.settings import setting
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import F_METRIC, descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_FALL, _RISE, _TRIES = 1.0 / 3.0, 4.0, 24  # of λ after a success, after a failure, and how often
_LEAST, _MOST = 1e-6, 1e8  # what the damping is kept between
_ROUNDING = 1e-5  # where f is rounded, no step lowers it any more at a gain up to about this one


@kernel
def broyden_update(ints, floats, r, moved_r, step, jt):
    """B ← B + (Δy − BΔq)Δqᵀ/ΔqᵀΔq, Broyden's "good" update (1965), of jt = Bᵀ (n, rows).

    Δy = r − r(q + Δq) is what the step did to the rows.  ΔqᵀΔq counts a slide as the angle that
    moves as far at the lever.  Coordinates that did not move keep their columns.
    """
    n, metric = ints[N_COORDS], ints[F_METRIC]
    length = 0.0
    for c in range(n):
        length += step[c] * step[c] / floats[metric + c]
    if length == 0.0:
        return
    for i in range(ints[N_ROWS]):
        missed = r[i] - moved_r[i]
        for c in range(n):
            missed -= jt[c, i] * step[c]
        for c in range(n):
            jt[c, i] += missed * step[c] / (floats[metric + c] * length)


@kernel
def broyden(ints, floats, work, options, q, out, history):
    """θ ← P(θ + Δθ), Δθ the damped least-squares step (equation 15 of line_search) of B for J.

    B starts as J and is updated by every step.  It is computed anew after a step that lowered f too
    little and where a step of it does not lower f at all; with the true J, λ then grows until one
    does.
    """
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    sheet = open_sheet(ints, work)
    state, r, trial, step, jt = sheet.state, sheet.r, sheet.trial, sheet.step, sheet.jt
    damping, progress, stationary = options[OWN], options[OWN + 1], options[OWN + 2]
    scale = options[OWN + 3]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration = 1, 0, 0
    code, outdated, gain = SPENT, True, math.inf
    while True:
        if reached(ints, floats, state):
            code = REACHED
            break
        if iteration >= options[O_ITERATIONS]:
            break
        bent, true = False, outdated
        if outdated:
            bent = linearise(ints, floats, q, state, r, jt, sheet.target)
            jacobians += 1
            descent(ints, floats, q, jt, r, sheet.push)
            gain = gain_left(ints, floats, q, sheet, f)
            if gain <= stationary and not bent:
                code = STATIONARY
                break
        else:
            copy(r, rows, sheet.target)
        accepted, value = False, f
        for _ in range(_TRIES if true else 1):
            value, tried = damped_trial(ints, floats, q, sheet, (damping * scale) ** 2)
            evaluations += tried
            accepted = value < f
            if accepted or not true:
                break
            if bent:
                # The way around half a turn led nowhere: try the residuals themselves.
                copy(r, rows, sheet.target)
                bent = False
            else:
                damping = min(damping * _RISE, _MOST)
        if not accepted:
            if true:
                code = STATIONARY if gain <= max(stationary, _ROUNDING) else STUCK
                break
            evaluate(ints, floats, q, state, r)
            evaluations += 1
            outdated = True
            continue
        for c in range(n):
            step[c] = trial[c] - q[c]
        broyden_update(ints, floats, r, sheet.trial_r, step, jt)
        damping = max(damping * _FALL, _LEAST)
        outdated = value > progress * f
        f = value
        copy(trial, n, q)
        copy(sheet.trial_r, rows, r)
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted)
    return code


@dataclass(frozen=True)
class Broyden(Method):
    """Damped least squares with a Jacobian kept up to date by rank-one updates.

    dual_quaternion names it as a comparison and leaves it open.  f never rises and every iterate is
    inside the limits.  It needs fewer Jacobians than Gauss–Newton and more iterations; a figure's
    Jacobian costs about as much as evaluating it, so little is saved here.
    """

    name = "broyden"
    kernel = broyden

    iterations: int = setting(
        200, "Iterations an attempt may take; each costs a Cholesky factorisation, few a Jacobian."
    )
    damping: float = setting(
        0.1,
        "The first λ in units of √w·lever, with the largest weight w of a row and a lever of "
        "a quarter of the figure's size; it falls to a third after each step.",
    )
    progress: float = setting(
        0.5,
        "The Jacobian is computed anew after a step that leaves more than this part of f. 0: "
        "after every step, which is Levenberg–Marquardt.",
    )

    def __post_init__(self) -> None:
        if not 0.0 < self.damping < math.inf:
            raise MethodError(f"{self.name}: damping must be positive, got {self.damping:g}")
        if not 0.0 <= self.progress <= 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ progress ≤ 1, got {self.progress:g}")

    def settings(self) -> tuple[float, ...]:
        return (self.damping, self.progress, self.stationary)

    def tables(self, problem: Problem) -> tuple[float, ...]:
        return (damping_scale(problem),)

    def workspace(self, problem: Problem) -> int:
        return sheet_size(problem) + system_size(problem)
