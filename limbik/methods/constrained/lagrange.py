"""The Lagrange approach: minima without limits, then with coordinates set to their limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import F_REACH, N_COORDS, N_ROWS
from limbik.figure.projection import free_directions
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
from limbik.methods.constrained.equalities import (
    back_to_edges,
    equalities_size,
    fix_worst,
    free_wrong,
    is_inside,
    press_equalities,
    set_face,
    view_equalities,
)
from limbik.methods.constrained.limit_faces import first_face, next_face, possible_faces
from limbik.methods.default.damped_step import damped_step, weigh_coordinates
from limbik.methods.default.directions import pulls, take_columns, to_gain
from limbik.methods.default.hessian import assemble_hessian
from limbik.methods.default.workspace import lm_size, view_lm
from limbik.methods.loop import gain_left
from limbik.methods.settings import setting
from limbik.methods.workspace import GradientWorkspace
from limbik.solver.objective import descent, evaluate, linearise, reached, scratch_of
from limbik.solver.problem import Problem

_TRIES = 24  # raising the damping by 4 each time makes any step a tiny gradient step
_ROUNDING = 1e-5  # f is rounded, so no subproblem can be solved better than to about this gain
_ROUGH = 1e-4  # part of f: a minimum outside the limits only has to show which ones it violates
_SLOW = 3  # so many iterations that hardly lower f are the end of a subproblem


@kernel(borrows=True)
def lagrange(ints, floats, work, options, q, out, history):
    """Section 1.4.1 of extended_jacobian: minima inside the limits, or on their boundary.

    A subproblem is solved by damped Gauss–Newton as if there were no other limits than the
    equalities it has.  Where its minimum violates limits, either the one violated most becomes an
    equality too, or (exhaustive) the minimum is discarded and the next face tried.
    """
    n = np.int64(ints[N_COORDS])
    lm, work = view_lm(ints, work)
    state, r, trial, half_descent = lm.state, lm.r, lm.trial, lm.half_descent
    scratch, inside = scratch_of(ints, state), lm.base[:n]
    equalities, _ = view_equalities(ints, work)
    exhaustive, settle, stationary = options[OWN], options[OWN + 1], options[OWN + 2]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration = 1, 0, 0
    code, level, slow, damping = SPENT, 0, 0, 0.1
    lowest = f
    for array in (equalities.best, equalities.start, equalities.last):
        copy(q, len(q), array)
    equalities.fixed[:] = 0.0
    equalities.freed[:] = 0.0
    possible_faces(ints, floats, equalities.possible)
    while True:
        met = reached(ints, floats, state)
        if met and is_inside(ints, floats, q, inside, scratch):
            code = REACHED
            break
        if not math.isfinite(f):
            code = STUCK
            break
        if iteration >= options[O_ITERATIONS]:
            break
        linearise(ints, floats, q, state, r, lm.jt, lm.model_residual)
        jacobians += 1
        descent(ints, floats, q, lm.jt, r, half_descent)
        press_equalities(ints, floats, q, equalities, scratch)
        count = free_directions(
            ints, floats, q, equalities.press, lm.starts, lm.spans, lm.coefficients, scratch
        )
        count = take_columns(ints, floats, lm, count)
        pulls(ints, floats, q, lm, count, False)
        weigh_coordinates(ints, floats, f, lm)
        accepted = False
        if ints[N_ROWS] > n:
            assemble_hessian(ints, lm, count, False)
        if not met and slow < _SLOW and to_gain(ints, floats, q, lm, count) > stationary:
            for _ in range(_TRIES):
                lam = max(damping * min(f, floats[ints[F_REACH]]), 1e-300)
                if damped_step(ints, floats, q, lm, count, lam, 1, False, False):
                    copy(q, len(q), trial)
                    for d in range(count):
                        for s in range(lm.spans[d]):
                            trial[lm.starts[d] + s] += lm.coefficients[d, s] * lm.step[d]
                    back_to_edges(ints, floats, trial, equalities, inside, scratch)
                    slope = 0.0
                    for c in range(n):
                        slope += half_descent[c] * (trial[c] - q[c])
                    value = evaluate(ints, floats, trial, state, lm.trial_r)
                    evaluations += 1
                    if value < f and value < f - 2e-4 * slope:
                        accepted = True
                        part = settle
                        if exhaustive == 0.0 and not is_inside(
                            ints, floats, trial, inside, scratch
                        ):
                            part = max(settle, _ROUGH)
                        slow = slow + 1 if f - value <= part * f else 0
                        # The model promises between slope and 2·slope.
                        if f - value > 0.75 * slope:
                            damping = max(damping / 3.0, 1e-10)
                        elif f - value < 0.25 * slope:
                            damping = min(damping * 4.0, 1e8)
                        f = value
                        copy(trial, len(trial), q)
                        copy(lm.trial_r, len(lm.trial_r), r)
                        iteration += 1
                        noted = record(history, noted, f, q)
                        copy(q, len(q), equalities.last)
                        break
                damping *= 4.0
        if accepted:
            continue
        # The subproblem's minimum: inside the limits it counts, outside it leads to smaller ones.
        slow, damping = 0, 0.1
        if is_inside(ints, floats, q, inside, scratch) and f < lowest:
            lowest = f
            copy(q, len(q), equalities.best)
        on = fix_worst(ints, floats, q, inside, equalities, exhaustive > 0.0)
        if not on and exhaustive > 0.0:
            on = level > 0 and next_face(equalities.possible, equalities.chosen, level)
            if not on:
                level += 1
                on = level <= n and first_face(equalities.possible, equalities.chosen, level)
            if on:
                set_face(ints, floats, level, equalities, q)
                iteration += 1  # so that faces without a step to make have an end too
        elif not on:
            on = free_wrong(ints, floats, q, half_descent, equalities, scratch)
        if not on:
            code = STUCK
            break
        f = evaluate(ints, floats, q, state, r)
        evaluations += 1

    if code != REACHED:
        # Out of iterations in the middle of a subproblem: what the limits make of its pose.
        is_inside(ints, floats, q, inside, scratch)
        value = evaluate(ints, floats, inside, state, r)
        evaluations += 1
        copy(inside if value < lowest else equalities.best, len(q), q)
        f = evaluate(ints, floats, q, state, r)
        evaluations += 1
        if reached(ints, floats, state):
            code = REACHED
        elif math.isfinite(f):
            linearise(ints, floats, q, state, r, lm.jt, lm.model_residual)
            jacobians += 1
            descent(ints, floats, q, lm.jt, r, half_descent)
            w = GradientWorkspace(
                state, scratch, r, lm.trial_r, lm.model_residual, half_descent, trial, inside, lm.jt
            )
            if gain_left(ints, floats, q, w, f) <= max(stationary, _ROUNDING):
                code = STATIONARY
    for c in range(n):
        if q[c] != equalities.last[c]:
            noted = record(history, noted, f, q)
            break
    finish(out, f, iteration, evaluations, jacobians, noted)
    return code


@dataclass(frozen=True)
class Lagrange(Method):
    """Section 1.4.1 of extended_jacobian: solve without limits, then set coordinates to limits.

    A minimum outside the limits is discarded; those that the limits bring about lie on their
    boundary, so coordinates are set to their limits and problems with fewer variables solved.
    As printed that is 2n problems with one coordinate set, then those with two of them, 3ⁿ in all,
    each of which takes several iterations: ``exhaustive=True`` goes through them in this order as
    long as there are iterations left (27 problems for three joints, 1e34 for a body), and keeps
    the best minimum inside the limits.  Otherwise the limit that is violated most becomes an
    equality, one at a time; and one whose multiplier shows that f would fall inwards is given up
    again, once at most.  That costs at most 2n problems, mostly few iterations each, and may miss
    minima.  The edge of a cone takes away one variable too.

    Joints leave their limits on the way and f may rise; the answer is the best pose inside them
    that was found, never worse than the start.
    """

    name = "lagrange"
    kernel = lagrange
    descends = False
    feasible = False

    exhaustive: bool = setting(
        False,
        "Try all faces of the ranges, as printed, instead of the limits that are violated most.",
    )
    settle: float = setting(
        1e-11, "A subproblem ends when f hardly falls, by this part of it, three times in a row."
    )
    stationary: float = setting(
        1e-6,
        "Cosine between what is missing and the best free direction at which a subproblem ends.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.settle < 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ settle < 1, got {self.settle:g}")
        if not 0.0 < self.stationary < 1.0:
            raise MethodError(f"{self.name}: needs 0 < stationary < 1, got {self.stationary:g}")

    def settings(self) -> tuple[float, ...]:
        return (self.exhaustive, self.settle, self.stationary)

    def workspace(self, problem: Problem) -> int:
        return lm_size(problem) + equalities_size(problem)
