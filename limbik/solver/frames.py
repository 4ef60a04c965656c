"""The compiled frames around a method: one problem, or a batch of them, in one call.

The method comes in as a first-class function, so one compiled frame serves every method, and the
compiled code is found in Numba's cache whatever the method.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types, uint64

from limbik.figure import layout as lay
from limbik.figure.layout import N_ROWS
from limbik.figure.projection import project
from limbik.jit import FLOATS, INTS, TABLE, inlined, kernel
from limbik.maths.linear import copy
from limbik.methods.base import (
    KERNEL,
    REACHED,
)
from limbik.solver.objective import SCRATCH
from limbik.solver.restarts import P_PULL, TOTAL_ATTEMPTS, TOTALS, attempts

_MOMENTUM = 0.8  # part of the last movement that the next frame starts with


@kernel
def one(
    method, ints, floats, work, draft_options, final_options, plan, mid_pose, spread, seed, q,
    totals, history,
):  # fmt: skip
    """One problem from P(q); returns the exit code."""
    width = max(ints[lay.N_COORDS], TOTALS, len(final_options), ints[N_ROWS])
    random = np.empty(1, np.uint64)
    random[0] = uint64(seed)
    project(ints, floats, q, work[:SCRATCH])
    return attempts(
        method, ints, floats, work, draft_options, final_options, plan, mid_pose, spread, 0, q,
        np.empty((6, width)), random, totals, history,
    )  # fmt: skip


@inlined
def _carry_on(ints, floats, work, plan, ease, spread, moving, before, q):
    """Where a chained problem starts, from the last answer in q and the one ``before`` it.

    The motion goes on much as it did (_MOMENTUM); and what the goals leave free is drawn a little
    towards the pose ``ease``, or it would wander with the motion until the limits stop it.
    ``before`` becomes the last answer.
    """
    for c in range(ints[lay.N_COORDS]):
        last = q[c]
        if spread[c] > 0.0:
            q[c] += plan[P_PULL] * (ease[c] - last)
        if moving:
            q[c] += _MOMENTUM * (last - before[c])
        before[c] = last
    project(ints, floats, q, work[:SCRATCH])


def carried_on(
    last: np.ndarray,
    before: np.ndarray,
    mid_pose: np.ndarray,
    spread: np.ndarray,
    pull: float,
    moving: bool,
) -> np.ndarray:
    """(n,) what ``_carry_on`` makes of the last answer and the one before it, not projected."""
    q = np.where(spread > 0.0, last + pull * (mid_pose - last), last)
    return q + _MOMENTUM * (last - before) if moving else q


@kernel
def batch(
    method, ints, floats, work, draft_options, final_options, plan, mid_pose, spread,
    target_offsets, targets, starts, chain, short_before, seed, first, poses, codes, totals,
):  # fmt: skip
    """Problems that differ in their targets, one after the other.

    targets (problems, k) are written to floats[target_offsets]; ``mid_pose`` (2n,) is the pose in
    the middle of the limits that restarts know, and the one at ease that a chain drifts to.  Each
    problem starts from its row of ``starts``.  With ``chain`` each starts from the answer before
    it, and ``starts`` is the answer before the first, where there is none the start, or the last
    two answers where the motion may be carried on; ``short_before`` is how many problems right
    before the first ended short.  The random numbers of a problem depend on the seed and its own
    number only, so any split of a batch gives the same answers.
    """
    n = np.int64(ints[lay.N_COORDS])
    other = np.empty((6, max(n, TOTALS, len(final_options), ints[N_ROWS])))
    random = np.empty(1, np.uint64)
    none = np.empty((0, n + 1))
    before, q = starts[0].copy(), starts[len(starts) - 1].copy()
    moving = chain and len(starts) == 2
    for problem in range(len(targets)):
        for k in range(len(target_offsets)):
            floats[target_offsets[k]] = targets[problem, k]
        if not chain:
            copy(starts[problem], n, q)
            project(ints, floats, q, work[:SCRATCH])
        elif first + problem > 0:
            _carry_on(ints, floats, work, plan, mid_pose[n:], spread, moving, before, q)
            moving = True
        random[0] = uint64(seed) + uint64(first + problem) * uint64(0xD1342543DE82EF95)
        codes[problem] = attempts(
            method, ints, floats, work, draft_options, final_options, plan, mid_pose, spread,
            short_before, q, other, random, totals[problem], none,
        )  # fmt: skip
        copy(q, n, poses[problem])
        short_before = short_before + 1 if codes[problem] != REACHED else 0
        moving = moving and totals[problem, TOTAL_ATTEMPTS] == 1.0


SIGNATURES = {
    "one": int64(
        KERNEL, INTS, *[FLOATS] * 7, int64, FLOATS, FLOATS, TABLE
    ),
    "batch": types.void(
        KERNEL, INTS, *[FLOATS] * 7, int64[::1], TABLE, TABLE, boolean, int64, int64,
        int64, TABLE, int64[::1], TABLE,
    ),
}  # fmt: skip
