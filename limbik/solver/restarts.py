"""Attempts and restarts around a method: where to start again, and when that is worth its cost."""

from __future__ import annotations

import math

import numpy as np
from numba import int64, uint64

from limbik.figure import layout as lay
from limbik.figure.layout import F_METRIC, N_ERRORS
from limbik.figure.projection import project
from limbik.jit import FLOATS, INTS, TABLE, external, inlined, inner
from limbik.maths.linear import copy
from limbik.methods.base import (
    KERNEL,
    O_ITERATIONS,
    OUT,
    OUT_F,
    OUT_HISTORY,
    OUT_ITERATIONS,
    OUT_WORK,
    REACHED,
    SLOW,
)
from limbik.solver.objective import SCRATCH, evaluate, felt, place, too_far_apart
from limbik.solver.root_alignment import align_root

# Entries of ``plan``: how often and where to start again.
P_RESTARTS = 0  # at most so many restarts
P_AUTOMATIC = 1  # stop earlier where restarts find the same again and again
P_NEAR = 2  # start near the last pose first; otherwise anywhere inside the limits
P_ROOT = 3  # the joint that carries the whole figure, or −1
P_PULL = 4  # part of the way to the pose at ease that a chained problem starts with
P_BUDGET = 5  # iterations in all
P_NOTICE = 6  # a restart's answer is kept where √f falls by more than this
P_FAR = 7  # √f that is a long way from the targets
RESTART_PLAN = 8

# Entries of ``totals`` beyond a kernel's ``out``.
TOTAL_ATTEMPTS = OUT
TOTALS = OUT + 1

_SIGMA, _GROWTH = 0.05, 1.5  # rad, and per attempt: how far from the last pose to start again
_MID_POSE = 6  # the attempt that starts from the pose in the middle of the limits
_FAR = 20  # from this attempt on, start around the pose in the middle of the limits
_SAME = 0.02  # attempts whose f differ by less than this part of it ended at the same place
_EARLY = 4  # so many restarts of a figure that stands begin in the inner part of its ranges,
_INNER = 0.6  # which is so large, from where an attempt most often arrives
_AT_LIMIT = 0.3  # part of the thrown coordinates that start at an end of their range
_AROUND, _EVERY = 2.0, 4  # after as many a free figure begins around the best answer, so many times
# its ranges away (mostly at their ends); of the restarts of one that stands, one in _EVERY does
_FEW, _NEARLY = 30, 0.5  # more restarts than this, or than twice as many as coordinates are thrown,
# only where √f is less than this part of P_FAR
_LEAP = 0.5  # rad; in a chain no answer that is short may be further from the last one
_HAIR = 1.0 - 1e-9  # part of √f: what is no better than this is the same
_CLOSE = 1.1  # an attempt that was given up at less than this many times the best f is followed
_FRAME, _HELD_FRAME = 12, 4  # restarts of a frame, and of one whose last frame ended short
_ATTEMPT = 20.0  # iterations: an attempt counts as at least so much work
_MOST, _SMALL, _LARGE = 1.5, 30.0, 0.45  # attempts' work that restarts may cost where bones are too
# short: _SMALL over the number of coordinates less _LARGE, at most _MOST; a body's are not worth it
_LEAST = 16.0  # the same, at least, where nobody knows
_ENOUGH_CHAIN, _ENOUGH = 4, 100  # so many of them say that it is the optimum


@inner
def _uniform(state):
    """A number in [0, 1) by splitmix64, a counter-based generator; state (1,) uint64."""
    state[0] += uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    z = z ^ (z >> uint64(31))
    return (z >> uint64(11)) * (1.0 / 9007199254740992.0)


@inner
def _normal(state):
    """A standard normal number (Box and Muller)."""
    return math.sqrt(-2.0 * math.log(1.0 - _uniform(state))) * math.cos(
        2.0 * math.pi * _uniform(state)
    )


@inlined
def _start_again(ints, floats, work, plan, attempt, start, best, mid_pose, felt_spread, q, random):
    """Where restart number ``attempt`` begins, into q; True where that is far from ``start``.

    felt_spread (n,) is how far each coordinate may be thrown; one with 0 keeps its value in
    ``best``.  A free root is not thrown but put where its effectors lie nearest their targets.
    """
    wide = False
    if plan[P_NEAR] > 0.0:
        sigma = _SIGMA * _GROWTH ** (attempt - 2) if attempt > 1 else 0.0
        home = attempt == _MID_POSE or attempt >= _FAR
        if home:
            sigma = 0.0 if attempt == _MID_POSE else 0.3
        wide = home or sigma > 0.25
        for c in range(ints[lay.N_COORDS]):
            q[c] = best[c]
            if felt_spread[c] > 0.0:
                far = min(sigma, felt_spread[c]) * _normal(random)
                q[c] = (mid_pose[c] if home else start[c]) + far
    else:
        wide = True
        stands = plan[P_ROOT] < 0.0
        inner = stands and attempt <= _EARLY
        around = attempt > _EARLY and (attempt % _EVERY == 0 or not stands)
        reach = (_INNER if inner else 1.0) if stands else _uniform(random)
        for c in range(ints[lay.N_COORDS]):
            q[c] = best[c]
            if felt_spread[c] > 0.0:
                part = 2.0 * _uniform(random) - 1.0
                if around:
                    q[c] += _AROUND * felt_spread[c] * _normal(random)
                else:
                    if not inner and _uniform(random) < _AT_LIMIT:
                        part = 1.0 if part > 0.0 else -1.0
                    q[c] = mid_pose[c] + reach * felt_spread[c] * part
    project(ints, floats, q, work[:SCRATCH])
    if plan[P_ROOT] >= 0.0:
        world, scratch = place(ints, floats, q, work)
        align_root(ints, floats, world, int(plan[P_ROOT]), q, scratch)
        project(ints, floats, q, work[:SCRATCH])
    return wide


@inner
def _worth(plan, n, thrown, best, first_work, certain):
    """How much work restarts may cost where ``best`` is the least f found yet.

    As often an attempt's as coordinates are ``thrown``, at least _LEAST times; and the more, the
    smaller what is missing: targets that are missed by little are often within reach by another way
    round, targets missed by a fifth of the figure's size seldom.  Where bones are too short
    (``certain``) restarts only look for a better answer.
    """
    attempt = max(first_work, _ATTEMPT)
    if certain:
        return max(0.0, min(_MOST, _SMALL / n - _LARGE)) * attempt
    missing = math.sqrt(best) / max(plan[P_FAR], 1e-300)
    return max(_LEAST, thrown) * attempt * max(1.0, 1.0 / (missing * missing))


@inner
def _another_try(short_before):
    """Whether restarts are tried after so many problems that ended short: 0, 4, 16, 64, ..."""
    if short_before < 4:
        return short_before == 0
    while short_before % 4 == 0:
        short_before //= 4
    return short_before == 1


@inner
def _leaps(ints, floats, start, to):
    """Whether any coordinate is further than _LEAP (rad, or as much of the figure) from start."""
    for c in range(ints[lay.N_COORDS]):
        if abs(to[c] - start[c]) > _LEAP * math.sqrt(floats[ints[F_METRIC] + c]):
            return True
    return False


@external(int64(KERNEL, INTS, *[FLOATS] * 7, int64, FLOATS, TABLE, uint64[::1], FLOATS, TABLE))
def attempts(
    method, ints, floats, work, draft_options, final_options, plan, mid_pose, spread,
    short_before, q, other, random, totals, history,
):  # fmt: skip
    """Solve from q, restarting where an attempt ends short; the best answer is left in q.

    The first attempt is followed to its end, so that no answer is worse than without restarts.
    Restarts throw what a goal that is short feels; every second one what any goal feels, which
    counts only where it reaches every goal, so not where bones are too short for that.  What no
    short goal feels stays where it was.

    In a chain of problems ``short_before`` is how many before this one ended short.  Where the last
    one did this one will be held back in the same way: only now and then is another way tried, and
    one that does not reach every goal must be noticeably better without a leap.
    """
    n = np.int64(ints[lay.N_COORDS])
    start, trial, out, felt_spread = other[0], other[1], other[2], other[4]
    options = other[3, : len(final_options)]  # a method may read its tables to the end
    restarts, budget = int(plan[P_RESTARTS]), plan[P_BUDGET]
    copy(q, n, start)
    totals[:] = 0.0
    copy(final_options, len(final_options), options)
    options[O_ITERATIONS] = min(options[O_ITERATIONS], budget)
    # The first half of the history is the best attempt's, the second that of the one under way.
    half = len(history) // 2
    kept, under_way = history[:half], history[half:]
    code = method(ints, floats, work, options, q, out, kept)
    for k in range(1, OUT):
        totals[k] += out[k]
    best, noted = out[OUT_F], int(out[OUT_HISTORY])
    totals[TOTAL_ATTEMPTS] = 1.0
    totals[OUT_F], totals[OUT_HISTORY] = best, noted
    if code == REACHED or restarts == 0 or ints[N_ERRORS] == 0:
        return code
    first_work, same = out[OUT_WORK], 1
    chain, automatic = plan[P_NOTICE] > 0.0, plan[P_AUTOMATIC] > 0.0
    certain = automatic and too_far_apart(ints, floats)
    if chain and automatic:
        if certain or not _another_try(short_before):
            return code
        restarts = min(restarts, _FRAME if short_before == 0 else _HELD_FRAME)
    for attempt in range(1, restarts + 1):
        if totals[OUT_ITERATIONS] >= budget:
            break
        evaluate(ints, floats, q, work, other[5])
        everything = attempt % 2 == 0 and not certain
        thrown = felt(ints, floats, work, everything, spread, felt_spread)
        if automatic:
            if totals[OUT_WORK] - first_work >= _worth(plan, n, thrown, best, first_work, certain):
                break
            if attempt > max(_FEW, 2 * thrown) and math.sqrt(best) > _NEARLY * plan[P_FAR]:
                break
            if same >= (_ENOUGH_CHAIN if chain else _ENOUGH):
                break
        if thrown == 0 and plan[P_ROOT] < 0.0:
            break
        wide = _start_again(
            ints, floats, work, plan, attempt, start[:n], q, mid_pose, felt_spread, trial[:n],
            random,
        )  # fmt: skip
        copy(draft_options, len(draft_options), options)
        options[O_ITERATIONS] = min(options[O_ITERATIONS], budget - totals[OUT_ITERATIONS])
        found = method(ints, floats, work, options, trial[:n], out, under_way)
        for k in range(1, OUT):
            totals[k] += out[k]
        totals[TOTAL_ATTEMPTS] += 1.0
        if found == SLOW and out[OUT_F] <= _CLOSE * best and totals[OUT_ITERATIONS] < budget:
            # It was given up early, yet may end lower than the best.
            noted_here = max(0, int(out[OUT_HISTORY]) - 1)
            copy(final_options, len(final_options), options)
            options[O_ITERATIONS] = min(options[O_ITERATIONS], budget - totals[OUT_ITERATIONS])
            found = method(ints, floats, work, options, trial[:n], out, under_way[noted_here:])
            for k in range(1, OUT):
                totals[k] += out[k]
            out[OUT_HISTORY] += noted_here
        better = not everything and math.sqrt(out[OUT_F]) < _HAIR * math.sqrt(best) - plan[P_NOTICE]
        if better and chain:
            better = not _leaps(ints, floats, start, trial)
        if wide and abs(out[OUT_F] - best) <= _SAME * best:
            same += 1
        elif better:
            same = 1
        if found == REACHED or better:
            code, best, noted = found, out[OUT_F], int(out[OUT_HISTORY])
            copy(trial, n, q)
            for k in range(noted):
                copy(under_way[k], n + 1, kept[k])
        if code == REACHED:
            break
    totals[OUT_F], totals[OUT_HISTORY] = best, noted
    return code
