"""Damped least squares: the pseudo-inverse made safe near singular poses."""

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
from limbik.solver.objective import descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_FALL, _RISE, _TRIES = 1.0 / 3.0, 4.0, 24  # of λ after a success, after a failure, and how often
_LEAST, _MOST = 1e-6, 1e8  # what an adaptive damping is kept between
_ROUNDING = 1e-5  # where f is rounded, no step lowers it any more at a gain up to about this one


@kernel
def damped_least_squares(ints, floats, work, options, q, out, history):
    """θ ← P(θ + Δθ) with the Δθ of equation 15 of line_search.

    Adaptive, a step that does not lower f is not taken but solved for again with a larger λ, until
    it is as short and as steep as it takes.  Where a step leads to numbers that are not finite, the
    last finite pose stays.
    """
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    sheet = open_sheet(ints, work)
    state, r, trial, jt = sheet.state, sheet.r, sheet.trial, sheet.jt
    damping, adaptive, stationary = options[OWN], options[OWN + 1] > 0.0, options[OWN + 2]
    scale = options[OWN + 3]

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
        descent(ints, floats, q, jt, r, sheet.push)
        gain = gain_left(ints, floats, q, sheet, f)
        if gain <= stationary and not bent:
            code = STATIONARY
            break
        accepted, value = False, f
        for _ in range(_TRIES if adaptive else 1):
            value, tried = damped_trial(ints, floats, q, sheet, (damping * scale) ** 2)
            evaluations += tried
            accepted = value < f if adaptive else math.isfinite(value)
            if accepted:
                break
            if bent:
                # The way around half a turn led nowhere: try the residuals themselves.
                copy(r, rows, sheet.target)
                bent = False
            else:
                damping = min(damping * _RISE, _MOST)
        if not accepted:
            code = STATIONARY if gain <= max(stationary, _ROUNDING) else STUCK
            break
        if adaptive:
            damping = max(damping * _FALL, _LEAST)
        f = value
        copy(trial, n, q)
        copy(sheet.trial_r, rows, r)
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted)
    return code


@dataclass(frozen=True)
class DampedLeastSquares(Method):
    """θ ← P(θ + (JᵀJ + λ²I)⁻¹Jᵀe), equation 15 of line_search, projected after every step.

    Every iterate is inside the limits.  With a fixed λ f may rise; adaptive, it never does.  Limits
    are no part of the system: what they cut off a step is lost, so that near them an adaptive λ
    grows and the method creeps.
    """

    name = "damped_least_squares"
    kernel = damped_least_squares
    descends = False

    iterations: int = setting(
        200,
        "Iterations an attempt may take; each costs one Jacobian and one Cholesky factorisation.",
    )
    damping: float = setting(
        0.1,
        "λ in units of √w·lever, with the largest weight w of a row and a lever of a quarter "
        "of the figure's size: the same in metres and centimetres. Adaptive, it is the first "
        "λ.",
    )
    adaptive: bool = setting(
        False,
        "As Levenberg and Marquardt: λ falls to a third after a step that lowers f and grows "
        "fourfold after one that does not, which is then not taken.",
    )

    def __post_init__(self) -> None:
        if not 0.0 < self.damping < math.inf:
            raise MethodError(f"{self.name}: damping must be positive, got {self.damping:g}")

    def settings(self) -> tuple[float, ...]:
        return (self.damping, self.adaptive, self.stationary)

    def tables(self, problem: Problem) -> tuple[float, ...]:
        return (damping_scale(problem),)

    def workspace(self, problem: Problem) -> int:
        return sheet_size(problem) + system_size(problem)
