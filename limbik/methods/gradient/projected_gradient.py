"""The projected gradient with Armijo back-tracking, as line_search prints it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

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
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_ROUNDING = 1e-5  # where f is rounded, back-tracking fails at a gain up to about this one
_SHORTEST = 1e-300  # the shortest step that is tried
_LONGEST, _SHORTEST = 1e10, 1e-10  # what a Barzilai–Borwein step is kept between


@kernel
def _length(ints, floats, q, push, moved, scratch):
    """‖P(q − ∇f) − q‖, the projected gradient; moved (n,) is overwritten."""
    for c in range(ints[N_COORDS]):
        moved[c] = q[c] + 2.0 * push[c]
    project(ints, floats, moved, scratch)
    far = 0.0
    for c in range(ints[N_COORDS]):
        far += (moved[c] - q[c]) ** 2
    return math.sqrt(far)


@kernel
def _barzilai_borwein(q, push, before, pushed, otherwise):
    """sᵀs/sᵀy with s and y the last changes of q and ∇f, or ``otherwise`` where f curves down."""
    along, curve = 0.0, 0.0
    for c in range(len(q)):
        s = q[c] - before[c]
        along += s * s
        curve -= 2.0 * s * (push[c] - pushed[c])
    if curve <= 0.0:
        return otherwise
    return min(max(along / curve, _SHORTEST), _LONGEST)


@kernel
def projected_gradient(ints, floats, work, options, q, out, history):
    """Section 4 of line_search: Δθ = −∇f (26), projected (40), back-tracked (34) until (39) holds.

    (39) is strict, so where P(q − τ∇f) = q it fails, and then for every shorter τ too: limits that
    are convex make such a q stationary.  The search ends there, and where the fall that (39) asks
    for is lost in the rounding of f.
    """
    n = np.int64(ints[N_COORDS])
    sheet = open_sheet(ints, work)
    state, r, trial_r, scratch = sheet.state, sheet.r, sheet.trial_r, sheet.scratch
    push, trial, jt = sheet.push, sheet.trial, sheet.jt
    before, pushed = sheet.spare[:n], sheet.spare[n : 2 * n]
    alpha, beta, first_step = options[OWN], options[OWN + 1], options[OWN + 2]
    borwein, stationary = options[OWN + 3], options[OWN + 4]
    length, relative, still = options[OWN + 5], options[OWN + 6], options[OWN + 7]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration = 1, 0, 0
    code, settled = SPENT, False
    while True:
        if reached(ints, floats, state):
            code = REACHED
            break
        if iteration >= options[O_ITERATIONS]:
            break
        linearise(ints, floats, q, state, r, jt, sheet.target)
        jacobians += 1
        descent(ints, floats, q, jt, r, push)
        gain = gain_left(ints, floats, q, sheet, f)
        if gain <= stationary:
            code = STATIONARY
            break
        if settled or (length > 0.0 and _length(ints, floats, q, push, trial, scratch) <= length):
            code = STUCK
            break
        tau = first_step
        if borwein > 0.0 and iteration > 0:
            tau = _barzilai_borwein(q, push, before, pushed, first_step)
        accepted = False
        value, most = f, 0.0
        while tau > _SHORTEST:
            for c in range(n):
                trial[c] = q[c] + 2.0 * tau * push[c]
            project(ints, floats, trial, scratch)
            slope, most = 0.0, 0.0
            for c in range(n):
                slope -= 2.0 * push[c] * (trial[c] - q[c])
                most = max(most, abs(trial[c] - q[c]))
            # Written so that it also ends where the target is too far for f to be finite.
            if most == 0.0 or not abs(slope) > 1e-17 * f:
                break
            value = evaluate(ints, floats, trial, state, trial_r)
            evaluations += 1
            # Where P is not convex (a cone on an exponential ball) the slope may be uphill.
            if value < f and value < f + alpha * slope:
                accepted = True
                break
            tau *= beta
        if not accepted:
            code = STATIONARY if gain <= max(stationary, _ROUNDING) else STUCK
            break
        settled = f - value <= relative * f or most <= still
        f = value
        before[:] = q
        pushed[:] = push
        q[:] = trial
        r[:] = trial_r
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted)
    return code


@dataclass(frozen=True)
class ProjectedGradient(Method):
    """Steepest descent with the projected Armijo line search of line_search, equations 26–40.

    f never rises and every iterate is inside the limits.  A first step of 1 suits a figure that
    measures about 1 in its unit: larger ones back-track to what they need, on smaller ones every
    step is too short.  Limits that are not convex (a cone on an exponential ball) may stop it short
    of a minimum, which it then reports as stalled.  Exactly half a turn from an Aim, or from an
    orientation by axes, the gradient is 0: it takes a restart to get away from there.
    """

    name = "projected_gradient"
    kernel = projected_gradient

    iterations: int = 100
    """Iterations an attempt may take; each costs one Jacobian and a few evaluations."""
    alpha: float = 1e-4
    """Armijo constant of equation 39: the part of the promised fall that must come true."""
    beta: float = 0.5
    """Back-tracking factor of equation 34, α ≤ β < 1."""
    first_step: float = 1.0
    """τ¹, the step that every search starts with."""
    barzilai_borwein: bool = False
    """Start each search but the first with the step sᵀs/sᵀy instead, s and y the last changes of q
    and ∇f.  It is not in the paper, and converges many times faster."""
    stationary: float = 1e-6
    """Stop as stationary at this ‖J‖·‖P(q − ∇f/2‖J‖²) − q‖/√f, a cosine away from the limits."""
    gradient: float = 0.0
    """Give up at this ‖P(q − ∇f) − q‖, which depends on the figure's unit.  0: never."""
    relative: float = 0.0
    """Give up when f falls by no more than this part of itself.  0: never."""
    still: float = 0.0
    """Give up when no coordinate moves further than this (rad or the figure's unit).  0: never."""

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha <= self.beta < 1.0:
            raise MethodError(
                f"{self.name}: needs 0 < alpha ≤ beta < 1, got {self.alpha:g} and {self.beta:g}"
            )
        if not 0.0 < self.first_step < math.inf:
            raise MethodError(f"{self.name}: first_step must be positive, got {self.first_step:g}")

    @classmethod
    def as_released(cls) -> Self:
        """The settings of the authors' own release of line_search: 10 iterations, three tolerances.

        1e-3 for the gradient, 1e-5 for the relative change of f, 1e-5 for the change of any
        coordinate.  They end a solve; only ``stationary`` decides whether it ended at a minimum.
        """
        return cls(iterations=10, gradient=1e-3, relative=1e-5, still=1e-5)

    def settings(self) -> tuple[float, ...]:
        return (
            self.alpha,
            self.beta,
            self.first_step,
            self.barzilai_borwein,
            self.stationary,
            self.gradient,
            self.relative,
            self.still,
        )

    def workspace(self, problem: Problem) -> int:
        return sheet_size(problem) + 2 * problem.figure.n
