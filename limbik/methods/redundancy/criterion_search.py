"""How far to go for the goals and how far for a criterion: the search that two methods share."""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from limbik.figure.projection import project
from limbik.goals.terms import N_ROWS
from limbik.jit import kernel
from limbik.methods.least_squares.svd_step import add_along, share_of
from limbik.methods.redundancy.criteria import value_of
from limbik.solver.objective import F_METRIC, F_REST, F_REST_POSE, evaluate, reached

NOWHERE, GOALS_ONLY, BOTH = range(3)
"""What ``search`` found: no way down for the goals; none for the criterion besides; both."""

_TRIES = 20  # halvings of a step before it is given up
_ARMIJO = 1e-4  # the part of the promised fall of g that must come true
_CORRECTIONS = 2  # times that J⁺ may bring a trial back to the goals
_KEPT = 0.5  # the part of what the first step gains that the second must leave
_FIRST = 0.3  # rad: how far the second step moves a coordinate at most, to begin with
_SETTLED = 1e-6  # g is at its lowest when it falls by no more than this part of it


@kernel
def first_gain(ints, floats, criterion, secondary, last):
    """The α to try first along −∇g: the best on the line for a distance, else twice the last."""
    most, square, curve = 0.0, 0.0, 0.0
    for c in range(len(secondary)):
        most = max(most, abs(secondary[c]) / math.sqrt(floats[ints[F_METRIC] + c]))
        square += secondary[c] * secondary[c]
        curve += 2.0 * criterion.weight[c] * secondary[c] * secondary[c]
    if most <= 1e-12:
        return 0.0
    if criterion.pose:
        return min(_FIRST / most, square / curve) if curve > 0.0 else 0.0
    return min(_FIRST / most, 2.0 * last)


@kernel
def go(ints, floats, q, step, length, secondary, alpha, scratch, trial):
    """trial = P(q + length·step + α·secondary); returns the furthest that a coordinate moves.

    Where that is not finite, trial is left outside the limits.
    """
    far = 0.0
    for c in range(len(q)):
        trial[c] = q[c] + length * step[c] + alpha * secondary[c]
        far += abs(trial[c])
    if not math.isfinite(far):
        return math.inf
    project(ints, floats, trial, scratch)
    most = 0.0
    for c in range(len(q)):
        most = max(most, abs(trial[c] - q[c]))
    return most


@kernel
def bring_back(ints, floats, stack, rank, r, scratch, trial):
    """trial ← P(trial + J⁺r(trial)), with the J⁺ that stack keeps as an SVD: a chord step.

    A step along the null space is straight and the poses that meet the goals are not.
    """
    rows = np.int64(ints[N_ROWS])
    for i in range(rows):
        stack.missing[i] = r[i]
    for i in range(rows, len(stack.missing)):
        c = i - rows
        root = math.sqrt(floats[ints[F_REST] + c])
        stack.missing[i] = root * (floats[ints[F_REST_POSE] + c] - trial[c])
    for k in range(rank):
        add_along(stack, k, share_of(stack, k) / stack.sigma[k], trial)
    project(ints, floats, trial, scratch)


@kernel
def has_settled(before, now):
    """Whether a fall of the criterion is too small to go on for."""
    return before - now <= _SETTLED * abs(before) + 1e-15


@register_jitable
def search(
    ints, floats, q, f, met, secondary, gradient, alpha, criterion, g_here, sheet, stack, rank, base
):
    """A pose sheet.trial = P(q + t·step + α·secondary): (what was found, f, g, α, evaluations).

    t is halved from 1 until f falls; then α until g falls by the Armijo test, compared with the
    pose for the goals alone, and half of what that gained is left, or the goals are met.  With the
    goals met (``met``) they must stay so, and g must fall from g(q).  A trial that costs too much f
    is first brought back by J⁺.  ``step`` is sheet.step; sheet.trial_r and sheet.state become those
    of the trial.
    """
    step, trial, state, scratch = sheet.step, sheet.trial, sheet.state, sheet.scratch
    length, value, evaluations = 1.0, math.inf, 0
    for _ in range(_TRIES):
        if go(ints, floats, q, step, length, secondary, 0.0, scratch, trial) < math.inf:
            value = evaluate(ints, floats, trial, state, sheet.trial_r)
            evaluations += 1
            if value < f:
                break
        length *= 0.5
    if not value < f:
        if not met:
            return NOWHERE, f, g_here, alpha, evaluations
        length, value = 0.0, f
        trial[:] = q
    base[:] = trial
    value_base, g_base = value, value_of(ints, floats, base, state, criterion)
    before = min(g_here, g_base) if met else g_base
    for _ in range(_TRIES if alpha > 0.0 else 0):
        if go(ints, floats, q, step, length, secondary, alpha, scratch, trial) < math.inf:
            kept = False
            for turn in range(_CORRECTIONS + 1):
                if turn > 0:
                    bring_back(ints, floats, stack, rank, sheet.trial_r, scratch, trial)
                value = evaluate(ints, floats, trial, state, sheet.trial_r)
                evaluations += 1
                kept = reached(ints, floats, state)
                if not met:
                    kept = kept or value <= f + _KEPT * (value_base - f)
                if kept or not math.isfinite(value):
                    break
            slope = 0.0
            for c in range(len(q)):
                slope += gradient[c] * (trial[c] - (q[c] if met else base[c]))
            if kept:
                g = value_of(ints, floats, trial, state, criterion)
                if g < before and g <= before + _ARMIJO * slope:
                    return BOTH, value, g, alpha, evaluations
        alpha *= 0.5
    trial[:] = base
    value = evaluate(ints, floats, trial, state, sheet.trial_r)
    return GOALS_ONLY, value, g_base, alpha, evaluations + 1
