"""How far to go for the goals and how far for a criterion: the search that two methods share."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.layout import F_METRIC, F_REST, F_REST_POSE, N_COORDS, N_ROWS
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel, kernel_part
from limbik.maths.linear import copy
from limbik.methods.base import O_ITERATIONS, OUT_EVALUATIONS, OWN, REACHED, SPENT, STUCK
from limbik.methods.least_squares.svd_step import add_along, share_of
from limbik.methods.loop import GO_ON, by_gradient
from limbik.methods.redundancy.criteria import value_of
from limbik.methods.workspace import floats_taken, take_table
from limbik.solver.objective import evaluate, reached
from limbik.solver.problem import Problem

NOWHERE, GOALS_ONLY, BOTH = range(3)
"""What ``search`` found: no way down for the goals; none for the criterion besides; both."""

# Settings of a method with a criterion, in the order of ``options``; tables follow: which
# coordinates move, and the criterion's.
O_CUTOFF, O_FIXED, O_SETTLE, O_POLISH, O_USUAL_RANK, O_TABLE = range(OWN, OWN + 6)

_NO_STEP = 1e-12  # rad or the figure's unit: a step that changes nothing any more
_TRIES = 20  # halvings of a step before it is given up
_ARMIJO = 1e-4  # the part of the promised fall of g that must come true
_CORRECTIONS = 2  # times that J⁺ may bring a trial back to the goals
_KEPT = 0.5  # the part of what the first step gains that the second must leave
_FIRST = 0.3  # rad: how far the second step moves a coordinate at most, to begin with
_SETTLED = 1e-6  # g is at its lowest when it falls by no more than this part of it


class SecondaryWorkspace(NamedTuple):
    """What a method with a criterion works with."""

    free: np.ndarray  # (n,) 1 where a coordinate may move
    gradient: np.ndarray  # (n,) ∇g
    secondary: np.ndarray  # (n,) the step for the criterion
    base: np.ndarray  # (n,) the pose for the goals alone
    vectors: np.ndarray  # (n, n) a basis: what the goals feel first, then the null space


@kernel_part
def view_secondary(ints, work):
    """work -> SecondaryWorkspace, and what is left."""
    n = np.int64(ints[N_COORDS])
    by_n, work = take_table(work, 4, n)
    vectors, work = take_table(work, n, n)
    return SecondaryWorkspace(by_n[0], by_n[1], by_n[2], by_n[3], vectors), work


def secondary_size(problem: Problem) -> int:
    """Floats that ``view_secondary`` needs."""
    return floats_taken(view_secondary, problem.ints)


@inlined_by_llvm
def settled_or_spent(ints, floats, options, q, iteration, w, own, memory):
    """When a loop with a criterion ends: goals met and g at its lowest, or no iterations left."""
    met = reached(ints, floats, w.state)
    at_once = iteration == 0 and options[O_POLISH] == 0.0
    if met and (memory.settled or options[O_SETTLE] == 0.0 or at_once):
        return REACHED
    if iteration >= options[O_ITERATIONS]:
        return REACHED if met else SPENT
    return GO_ON


@inlined_by_llvm
def by_gradient_unless_met(ints, floats, options, q, f, w, own, memory, out):
    """Prepares a step: the end where q is stationary, unless the goals are met and g goes on."""
    code, gain, detour = by_gradient(ints, floats, options, q, f, w, own, memory, out)
    if reached(ints, floats, w.state):
        code = GO_ON
    return code, gain, detour


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
def bring_back(ints, floats, svd, rank, r, scratch, trial):
    """trial ← P(trial + J⁺r(trial)), with the J⁺ that svd keeps as an SVD: a chord step.

    A step along the null space is straight and the poses that meet the goals are not.
    """
    rows = np.int64(ints[N_ROWS])
    for i in range(rows):
        svd.missing[i] = r[i]
    for i in range(rows, len(svd.missing)):
        c = i - rows
        root = math.sqrt(floats[ints[F_REST] + c])
        svd.missing[i] = root * (floats[ints[F_REST_POSE] + c] - trial[c])
    for k in range(rank):
        add_along(svd, k, share_of(svd, k) / svd.sigma[k], trial)
    project(ints, floats, trial, scratch)


@kernel
def has_settled(before, now):
    """Whether a fall of the criterion is too small to go on for."""
    return before - now <= _SETTLED * abs(before) + 1e-15


@kernel_part
def fixed_step(ints, floats, q, met, alpha, criterion, g_here, w, second, out):
    """w.trial = P(q + step + α·secondary), α as it is; returns (code, f, g)."""
    most = go(ints, floats, q, w.step, 1.0, second.secondary, alpha, w.scratch, w.trial)
    value = math.inf
    if _NO_STEP < most < math.inf:
        value = evaluate(ints, floats, w.trial, w.state, w.trial_r)
        out[OUT_EVALUATIONS] += 1.0
    if not math.isfinite(value):
        return (REACHED if met else STUCK), value, g_here
    kept = reached(ints, floats, w.state)
    g = value_of(ints, floats, w.trial, w.state, criterion)
    return (REACHED if met and not (kept and g < g_here) else GO_ON), value, g


@kernel_part
def search(ints, floats, q, f, met, alpha, criterion, g_here, w, svd, rank, second, out):
    """A pose w.trial = P(q + t·step + α·secondary): (what was found, f, g, α).

    t is halved from 1 until f falls; then α until g falls by the Armijo test, compared with the
    pose for the goals alone, and half of what that gained is left, or the goals are met.  With the
    goals met (``met``) they must stay so, and g must fall from g(q).  A trial that costs too much f
    is first brought back by J⁺.  ``step`` is w.step; w.trial_r and w.state become those
    of the trial.
    """
    step, trial, state, scratch = w.step, w.trial, w.state, w.scratch
    secondary, gradient, base = second.secondary, second.gradient, second.base
    length, value = 1.0, math.inf
    for _ in range(_TRIES):
        if go(ints, floats, q, step, length, secondary, 0.0, scratch, trial) < math.inf:
            value = evaluate(ints, floats, trial, state, w.trial_r)
            out[OUT_EVALUATIONS] += 1.0
            if value < f:
                break
        length *= 0.5
    if not value < f:
        if not met:
            return NOWHERE, f, g_here, alpha
        length, value = 0.0, f
        copy(q, len(q), trial)
    copy(trial, len(trial), base)
    value_base, g_base = value, value_of(ints, floats, base, state, criterion)
    before = min(g_here, g_base) if met else g_base
    for _ in range(_TRIES if alpha > 0.0 else 0):
        if go(ints, floats, q, step, length, secondary, alpha, scratch, trial) < math.inf:
            kept = False
            for turn in range(_CORRECTIONS + 1):
                if turn > 0:
                    bring_back(ints, floats, svd, rank, w.trial_r, scratch, trial)
                value = evaluate(ints, floats, trial, state, w.trial_r)
                out[OUT_EVALUATIONS] += 1.0
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
                    return BOTH, value, g, alpha
        alpha *= 0.5
    copy(base, len(base), trial)
    value = evaluate(ints, floats, trial, state, w.trial_r)
    out[OUT_EVALUATIONS] += 1.0
    return GOALS_ONLY, value, g_base, alpha
