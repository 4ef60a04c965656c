"""f, r and J on flat buffers: what every method evaluates.

Methods call ``evaluate``, ``linearise`` and ``descent`` here and ``project`` and
``free_directions`` in projection.py; they never see bones.
"""

from __future__ import annotations

import math

import numpy as np
from numba import boolean, float64, types

from limbik.figure import kinematics as kin
from limbik.figure import layout as lay
from limbik.figure.layout import (
    F_FULL,
    F_REST,
    F_REST_OFFSET,
    F_REST_POSE,
    F_SPAN,
    F_TOLERANCE,
    I_ROW_ERROR,
    I_RUN,
    I_RUN_FIRST,
    I_SPAN,
    I_USED,
    N_ERRORS,
    N_FULL,
    N_SPANS,
    N_USED,
    SPAN_BASE,
    SPAN_FLOATS,
    SPAN_INTS,
    SPAN_LENGTH,
    SPAN_OTHER,
    SPAN_TERM,
    term_at,
)
from limbik.goals.kernels.curvature import second_derivatives
from limbik.goals.kernels.rows import jacobian_rows, residuals
from limbik.jit import FLOATS, INTS, TABLE, external, inlined, inner, kernel

SCRATCH = 64


@kernel
def state_size(ints):
    """How many floats ``evaluate`` and ``linearise`` need to remember where the joints are."""
    return (
        ints[lay.N_JOINTS] * lay.WORLD
        + (ints[lay.N_SLOTS] + 1) * lay.AXIS
        + SCRATCH
        + ints[N_ERRORS]
        + ints[lay.N_ROWS]
        + 1
    )


@inlined
def _split(ints, state):
    """state -> world, axes, scratch, errors, ahead."""
    a = ints[lay.N_JOINTS] * lay.WORLD
    b = a + (ints[lay.N_SLOTS] + 1) * lay.AXIS
    c = b + SCRATCH
    d = c + ints[N_ERRORS]
    return state[:a], state[a:b], state[b:c], state[c:d], state[d : d + ints[lay.N_ROWS] + 1]


@inlined
def errors_of(ints, state):
    """The unweighted error of each term at the last evaluated q."""
    return _split(ints, state)[3]


@inlined
def scratch_of(ints, state):
    """SCRATCH floats that anyone may use between two evaluations."""
    return _split(ints, state)[2]


@inlined
def ahead_of(ints, state):
    """(1 + rows,) what one-sided rows would be if they counted, where that is asked for.

    A method that writes ASKED or ANY_COST (goals/kernels/functions.py) to the first number before
    it calls ``linearise`` gets the Jacobian of one-sided rows that hold too, as far as their goals
    give it, and then entry 1 + i is w·h < 0 of such a row i; for all other rows it is 0.
    """
    return _split(ints, state)[4]


@inlined
def place(ints, floats, q, state):
    """Where q has the joints that matter: (world, scratch)."""
    world, axes, scratch, _, _ = _split(ints, state)
    kin.forward(ints, floats, q, ints[I_USED], ints[N_USED], world, axes, scratch)
    return world, scratch


@inlined
def _place(ints, floats, q, state, r):
    """Forward kinematics of the joints that matter, and the rows of the built-in goals."""
    world, axes, scratch, errors, ahead = _split(ints, state)
    kin.forward(ints, floats, q, ints[I_USED], ints[N_USED], world, axes, scratch)
    residuals(ints, floats, q, world, axes, scratch, r, errors)
    ahead[0] = 0.0


@inner
def _mix(floats, first, rows, v):
    """v ← Lᵀv in place, for the full weight matrix W = LLᵀ."""
    for i in range(rows):
        total = 0.0
        for j in range(i, rows):
            total += floats[first + j * rows + i] * v[j]
        v[i] = total


@inlined
def _objective(ints, floats, q, r):
    """f = rᵀWr plus the diagonal goals; r becomes weighted by a full W where there is one."""
    rows = ints[lay.N_ROWS]
    if ints[N_FULL]:
        _mix(floats, ints[F_FULL], rows, r)
    f = floats[ints[F_REST_OFFSET]]
    for i in range(rows):
        f += r[i] * r[i]
    if ints[lay.N_REST]:
        weight, pose = ints[F_REST], ints[F_REST_POSE]
        for c in range(ints[lay.N_COORDS]):
            away = q[c] - floats[pose + c]
            f += floats[weight + c] * away * away
    return f


@external(float64(INTS, FLOATS, FLOATS, FLOATS, FLOATS))
def evaluate(ints, floats, q, state, r):
    """f(q), its weighted residuals into r (rows,), and where everything is into ``state``.

    Equation 17 of line_search: f = (g − F)ᵀW(g − F).
    """
    _place(ints, floats, q, state, r)
    return _objective(ints, floats, q, r)


@inlined
def _aim_and_mix(ints, floats, jt, model, r):
    """model becomes r plus what bends it, both under the full weight matrix where there is one."""
    rows, first = ints[lay.N_ROWS], ints[F_FULL]
    if ints[N_FULL]:
        _mix(floats, first, rows, model)
        for c in range(ints[lay.N_COORDS]):
            _mix(floats, first, rows, jt[c])
    detour = False
    for i in range(rows):
        detour = detour or model[i] != 0.0
        model[i] += r[i]
    return detour


@external(boolean(INTS, FLOATS, FLOATS, FLOATS, FLOATS, TABLE, FLOATS))
def linearise(ints, floats, q, state, r, jt, model):
    """J(q)ᵀ into jt (n, rows) and the residuals to aim at into model (rows,).

    model is r, except near half a turn, where r goes flat (goals/kernels/rows.py); True if it
    differs.  q must be the pose that was evaluated last, with residuals r.
    """
    world, axes, scratch, _, ahead = _split(ints, state)
    jacobian_rows(ints, floats, q, world, axes, scratch, jt, model, ahead)
    return _aim_and_mix(ints, floats, jt, model, r)


@kernel
def reached(ints, floats, state):
    """Whether every goal was within its tolerance at the last evaluated q.

    Wishes, whose tolerance is infinite, are never met: without other goals f falls to its least.
    """
    errors, asks = errors_of(ints, state), False
    for k in range(ints[N_ERRORS]):
        tolerance = floats[ints[F_TOLERANCE] + k]
        if not errors[k] <= tolerance:
            return False
        asks = asks or tolerance < math.inf
    return asks


@kernel
def felt(ints, floats, state, everything, spread, felt_spread):
    """felt_spread (n,) = spread where a goal that is short of its tolerance feels the coordinate,
    else 0; with ``everything`` where any goal feels it.

    State must be that of the last evaluated q.  Returns how many coordinates are not 0.
    """
    errors = errors_of(ints, state)
    first, index, owner = ints[I_RUN_FIRST], ints[I_RUN], ints[I_ROW_ERROR]
    count = 0
    for c in range(ints[lay.N_COORDS]):
        felt_spread[c] = 0.0
        for k in range(index + ints[first + c], index + ints[first + c + 1], 2):
            for i in range(ints[k], ints[k + 1]):
                error = ints[owner + i]
                if everything or not errors[error] <= floats[ints[F_TOLERANCE] + error]:
                    felt_spread[c] = spread[c]
        if felt_spread[c] > 0.0:
            count += 1
    return count


@kernel
def too_far_apart(ints, floats):
    """Whether bones are too short for two of the position goals at once, or for one from its base.

    Pairs at I_SPAN: two terms (or NONE, for a base that does not move), F_SPAN: the longest
    distance that the bones between them allow, and the base's place.
    """
    for k in range(ints[N_SPANS]):
        pair, span = ints[I_SPAN] + SPAN_INTS * k, ints[F_SPAN] + SPAN_FLOATS * k
        one, two = ints[pair + SPAN_TERM], ints[pair + SPAN_OTHER]
        a = term_at(ints, one)[1] + lay.T_POINT
        away = 0.0
        for i in range(3):
            if two == lay.NONE:
                other = floats[span + SPAN_BASE + i]
            else:
                other = floats[term_at(ints, two)[1] + lay.T_POINT + i]
            away += (floats[a + i] - other) ** 2
        if away > floats[span + SPAN_LENGTH] ** 2:
            return True
    return False


@inner
def runs_before(ints, c, rows):
    """(run, stop, whether there are just three rows): the runs of rows below ``rows`` that
    coordinate c touches are at ints[run:stop]; the last of them may go on beyond ``rows``."""
    first, index = ints[I_RUN_FIRST] + c, ints[I_RUN]
    run, stop = np.uint64(index + ints[first]), np.uint64(index + ints[first + 1])
    while stop > run and ints[stop - np.uint64(2)] >= rows:
        stop -= np.uint64(2)
    return run, stop, stop - run == 2 and min(ints[run + 1], rows) - ints[run] == 3


@inner
def column_dot(ints, c, column, v, total, rows):
    """total + Σᵢ column[i]·v[i] over the rows below ``rows`` that coordinate c touches; column and
    v (rows,)."""
    run, stop, three = runs_before(ints, c, rows)
    if three:
        # Most coordinates move one point only; three rows cost less than a loop over them.
        i = ints[run]
        return total + (column[i] * v[i] + column[i + 1] * v[i + 1] + column[i + 2] * v[i + 2])
    for k in range(run, stop, 2):
        for i in range(ints[k], min(ints[k + 1], rows)):
            total += column[i] * v[i]
    return total


@kernel
def descent(ints, floats, q, jt, r, out):
    """−½∇f = JᵀW(g − F) + D(pose − q) into out (n,): equation 26 of line_search, halved."""
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    rows, one = np.uint64(ints[lay.N_ROWS]), np.uint64(1)
    while rows > 0 and r[rows - one] == 0.0:  # inequalities that hold
        rows -= one
    for c in range(ints[lay.N_COORDS]):
        pull = floats[weight + c] * (floats[pose + c] - q[c])
        out[c] = column_dot(ints, c, jt[c], r, pull, rows)


@external(types.none(INTS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, TABLE, TABLE, TABLE, TABLE))
def curvature(ints, floats, q, state, r, lam, moments, torques, columns, s):
    """S (n, n) of ½∇²f = JᵀJ + D + S, at the pose that was evaluated last, with residuals r.

    lam (rows,), moments and torques (slots, 3) and columns (n, 3) are overwritten.
    """
    world, axes, scratch, _, _ = _split(ints, state)
    rows = ints[lay.N_ROWS]
    if ints[N_FULL]:
        # r is Lᵀ(g − F), so that W(g − F) = Lr.
        for i in range(rows):
            total = 0.0
            for j in range(i + 1):
                total += floats[ints[F_FULL] + i * rows + j] * r[j]
            lam[i] = total
    else:
        for i in range(rows):
            lam[i] = r[i]
    second_derivatives(
        ints, floats, q, world, axes, scratch, lam, moments, torques, columns, s
    )  # fmt: skip
