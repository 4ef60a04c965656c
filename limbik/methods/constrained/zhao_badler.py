"""Zhao and Badler's quasi-Newton method: BFGS with an active set of limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import N_COORDS
from limbik.figure.projection import project
from limbik.jit import kernel
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
from limbik.methods.constrained.active_set import choose_step, forget, land, longest, open_book
from limbik.methods.gradient.inverse_hessian import (
    bfgs_update,
    curves,
    first_scale,
    gradient_change,
)
from limbik.methods.settings import setting
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_ROUNDING = 1e-5  # where f is rounded, the line search fails at a gain up to about this one
_TRIES = 40  # shortening a step so often takes it below rounding


@kernel
def zhao_badler(ints, floats, work, options, q, out, history):
    """Zhao and Badler 1994, as section 4 of line_search describes it: −H∇f kept inside the limits.

    Ranges are linear constraints with the normals ±e_c.  A step ends at the first one that blocks
    it; that one then is active, and projected out of H until its multiplier has the wrong sign.  A
    cone's edge is linearised where q is at it, and P brings back what a step takes it over.
    """
    n = np.int64(ints[N_COORDS])
    sheet = open_sheet(ints, work)
    state, r, push, trial, step = sheet.state, sheet.r, sheet.push, sheet.trial, sheet.step
    book, scratch = open_book(n, sheet.spare), sheet.scratch
    alpha, stationary = options[OWN], options[OWN + 1]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration = 1, 0, 0
    code, fresh = SPENT, True
    while True:
        if reached(ints, floats, state):
            code = REACHED
            break
        if not math.isfinite(f):
            code = STUCK
            break
        if iteration >= options[O_ITERATIONS]:
            break
        linearise(ints, floats, q, state, r, sheet.jt, sheet.target)
        jacobians += 1
        descent(ints, floats, q, sheet.jt, r, push)
        gain = gain_left(ints, floats, q, sheet, f)
        if gain <= stationary:
            code = STATIONARY
            break
        if iteration > 0:
            gradient_change(ints, floats, book.before, book.pushed, q, push, scratch, book.y)
            for c in range(n):
                step[c] = q[c] - book.before[c]
            if curves(ints, floats, step, book.y):
                bfgs_update(book.h, step, book.y, book.image)
                fresh = False
        else:
            forget(ints, floats, first_scale(ints, floats, sheet.jt, push), book)
        accepted, value = False, f
        while True:
            choose_step(ints, floats, q, push, step, book, scratch)
            part = longest(ints, floats, q, step, book)
            for _ in range(_TRIES):
                land(ints, floats, q, step, part, book, trial)
                project(ints, floats, trial, scratch)
                slope = 0.0
                for c in range(n):
                    slope += push[c] * (trial[c] - q[c])
                if not slope > 1e-17 * f:
                    part *= 0.25  # what P cut off outweighs the rest
                    continue
                value = evaluate(ints, floats, trial, state, sheet.trial_r)
                evaluations += 1
                if value < f and value < f - 2.0 * alpha * slope:
                    accepted = True
                    break
                # The lowest point of the parabola through f, its slope and the trial.
                shorter = slope / (value - f + 2.0 * slope)
                part *= min(max(shorter, 0.1), 0.5) if shorter == shorter else 0.1
            if accepted or fresh:
                break
            # What H has learnt misleads: start again with the gradient.
            forget(ints, floats, first_scale(ints, floats, sheet.jt, push), book)
            fresh = True
        if not accepted:
            evaluate(ints, floats, q, state, r)
            evaluations += 1
            code = STATIONARY if gain <= max(stationary, _ROUNDING) else STUCK
            break
        f = value
        book.before[:] = q
        book.pushed[:] = push
        q[:] = trial
        r[:] = sheet.trial_r
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted)
    return code


@dataclass(frozen=True)
class ZhaoBadler(Method):
    """BFGS with an active set, which Zhao and Badler (1994) brought to articulated figures.

    f never rises and every iterate is inside the limits.  An iteration costs one Jacobian, a few
    evaluations, and O(n²) for each active limit.  Unlike the authors' line search this one does not
    ask for the second Wolfe condition, which would cost a Jacobian a trial: H is not updated where
    f does not curve upwards along the step.  Exactly half a turn from an Aim, or from an
    orientation by axes, the gradient is 0: it takes a restart to get away from there.
    """

    name = "zhao_badler"
    kernel = zhao_badler

    alpha: float = setting(1e-4, "Armijo constant of equation 39 of line_search.")

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 0.5:
            raise MethodError(f"{self.name}: needs 0 < alpha < ½, got {self.alpha:g}")

    def settings(self) -> tuple[float, ...]:
        return (self.alpha, self.stationary)

    def workspace(self, problem: Problem) -> int:
        n = problem.figure.n
        return sheet_size(problem) + 2 * n * n + 5 * n
