"""A window of a clip solved at once: projected Gauss–Newton on a banded system.

F(q) = Σ f_t(q_t) + smoothness over the frames of a window, the others fixed.  Each frame has the
rows of one problem, whose numbers at ``target_offsets`` change from frame to frame.  The step
solves (JᵀJ + smoothness + damping)·x = −½∇F on the directions that the limits leave free; it is
projected frame by frame and kept only where F falls by the Armijo test along the projection.  Else
it is solved for again with what the projection cut off held fast, before there is more damping.
"""

from __future__ import annotations

import numpy as np

from limbik.animate.whole_clip.banded import banded_cholesky, banded_solve
from limbik.animate.whole_clip.smoothness import (
    difference,
    retract,
    smooth_block,
    smooth_cost,
    smooth_half_descent,
    to_tangent,
)
from limbik.figure import layout as lay
from limbik.figure.cones import SCRATCH
from limbik.figure.projection import free_directions, project
from limbik.jit import inner, kernel
from limbik.solver import objective as ob

ARMIJO = 1e-4
DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-5, 1e-9, 1e8
RISE, FALL = 6.0, 0.25
TRUSTED = 0.1  # of the descent along the gradient: an exact model makes half of it come true
PASSES = 6  # times per step that what limits cut off is held where they leave it
FIRM = 1e6  # times its own stiffness: how firmly
CUT = 1e-7  # of a coordinate's unit: what is cut off by less is not
FRESH = 40  # iterations of a frame that does not start from the one before


_free_directions = free_directions.kernel  # starts and spans are 64-bit here
_evaluate = ob.evaluate.kernel  # poses may be read-only here


@inner
def _place(floats, target_offsets, values):
    """floats[target_offsets] = values (k,): the targets of one frame."""
    for k in range(target_offsets.shape[0]):
        floats[target_offsets[k]] = values[k]


@kernel
def goal_costs(ints, floats, target_offsets, values, q, out):
    """f of every frame of q (frames, n) into out (frames,)."""
    state, r = np.zeros(ob.state_size(ints)), np.zeros(ints[ob.lay.N_ROWS])
    for t in range(q.shape[0]):
        _place(floats, target_offsets, values[t])
        out[t] = _evaluate(ints, floats, q[t], state, r)


@inner
def _directions(ints, floats, q, half_descent, moves, starts, spans, coefficients, scratch):
    """The directions in which limits and locks let one frame move; returns how many."""
    found = _free_directions(ints, floats, q, half_descent, starts, spans, coefficients, scratch)
    size = 0
    for d in range(found):
        if moves[starts[d]]:
            starts[size], spans[size] = starts[d], spans[d]
            for i in range(3):
                coefficients[size, i] = coefficients[d, i]
            size += 1
    return size


@inner
def _rows_along(jt, rows, size, starts, spans, coefficients, jd):
    """jd (size, rows): J along each direction."""
    for a in range(size):
        for m in range(rows):
            jd[a, m] = coefficients[a, 0] * jt[starts[a], m]
        for i in range(1, spans[a]):
            for m in range(rows):
                jd[a, m] += coefficients[a, i] * jt[starts[a] + i, m]


@inner(fastmath={"reassoc", "contract"})
def _add_products(ints, jd, size, starts, base, matrix):
    """Add the lower triangle of jd·jdᵀ to a frame's own block; rows that a direction does not
    touch are left out."""
    first, index, edge = ints[lay.I_RUN_FIRST], ints[lay.I_RUN], matrix.shape[1] - 1
    for a in range(size):
        begin, end = index + ints[first + starts[a]], index + ints[first + starts[a] + 1]
        row = matrix[base + a]
        for b in range(a + 1):
            total = 0.0
            for k in range(begin, end, 2):
                one, two = jd[a, ints[k] : ints[k + 1]], jd[b, ints[k] : ints[k + 1]]
                for i in range(len(one)):
                    total += one[i] * two[i]
            row[edge - a + b] += total


@inner
def _add_diagonal(
    diagonal, place, size, base, starts, spans, coefficients,
    other_size, other_base, other_starts, other_spans, other_coefficients, matrix,
):  # fmt: skip
    """Add Bᵀ·diag·B′ of two frames' directions to the block of these frames.

    Directions come in the order of ``place``, so only few are looked at for each.
    """
    edge, met = matrix.shape[1] - 1, 0
    for a in range(size):
        low = place[starts[a]]
        row = base + a
        while met < other_size and place[other_starts[met]] + other_spans[met] <= low:
            met += 1
        for b in range(met, other_size):
            there = place[other_starts[b]]
            begin, end = max(low, there), min(low + spans[a], there + other_spans[b])
            column = other_base + b
            if begin >= end or column > row:
                break
            total = 0.0
            for c in range(begin, end):
                total += (
                    coefficients[a, c - low]
                    * diagonal[starts[a] + c - low]
                    * other_coefficients[b, c - there]
                )
            matrix[row, column - row + edge] += total


@inner
def _first_columns(place, k, sizes, base, starts, spans, first):
    """The first column of each row of frame k: the direction two frames before that meets its own.

    Smoothness couples equal coordinates, so that those before it stay zero in the factor too.  Two
    rows have the same, as ``banded_cholesky`` likes it; the first frame's rows begin with it.
    """
    far, met, begin = max(k - 2, 0), 0, 0
    for a in range(sizes[k]):
        if a % 2 == 0 and k > 0:
            own = place[starts[k, a]]
            while met < sizes[far] and place[starts[far, met]] + spans[far, met] <= own:
                met += 1
            begin = met - met % 2
        first[base[k] + a] = base[far] + begin


@inner
def _mark_cut(cut, moved, size, base, starts, spans, coefficients, held, cutting, left):
    """Marks in ``cutting`` the directions of one frame that limits cut off, and says whether one of
    them is not held yet; ``left`` gets how far such a direction may go.

    ``cut`` (n,) is what the limits took away from a frame's step, ``moved`` (n,) what they left.
    """
    found = False
    for a in range(size):
        most, way = 0.0, 0.0
        for i in range(spans[a]):
            most = max(most, abs(cut[starts[a] + i]))
            way += coefficients[a, i] * moved[starts[a] + i]
        cutting[base + a] = most > CUT
        if most > CUT and not held[base + a]:
            found, left[base + a] = True, way
    return found


@inner
def _solve_window(
    ints,
    floats,
    target_offsets,
    values,
    q,
    low,
    high,
    moves,
    balls,
    weights,
    drift,
    iterations,
    tolerance,
):
    """Improve frames low … high − 1 of q (frames, n) in place; returns how many steps.

    ``values`` (frames, k) are a frame's numbers for ``target_offsets`` (k,); ``moves`` (n,) which
    coordinates may move; ``weights`` (4, n) and ``drift`` (frames, n) as in ``smooth_cost``.
    """
    n, rows = q.shape[1], np.int64(ints[ob.lay.N_ROWS])
    count, last = high - low, q.shape[0] - 1
    state, r, model = np.zeros(ob.state_size(ints)), np.zeros(rows), np.zeros(rows)
    jt, jd, own = np.zeros((n, rows)), np.zeros((n, rows)), np.zeros((n, 1))
    scratch, diagonal, full = np.zeros(SCRATCH + 40 + n), np.zeros(n), np.zeros(n)
    steps = np.zeros((q.shape[0], n))
    half_descent, kept = np.zeros((count, n)), np.zeros((count, n))
    starts, spans = np.zeros((count, n), np.int64), np.zeros((count, n), np.int64)
    coefficients = np.zeros((count, n, 3))
    sizes, base = np.zeros(count, np.int64), np.zeros(count + 1, np.int64)
    free, place = 0, np.zeros(n, np.int64)
    for c in range(n):
        free += 1 if moves[c] else 0
        place[c] = c
    for cone in range(np.int64(ints[lay.N_CONES])):
        start = ints[lay.cone_at(ints, cone)[0] + lay.CONE_START]
        for i in range(3):  # those of cones come after all others
            if start + i < n and ints[ints[lay.I_IN_CONE] + start + i] == cone:
                place[start + i] = n + 3 * cone + i
    width = min(3, count) * free
    matrix, factor = np.zeros((count * free, width)), np.zeros((count * free, width))
    first, x = np.zeros(count * free, np.int64), np.zeros(count * free)
    held, cutting = np.zeros(count * free, np.bool_), np.zeros(count * free, np.bool_)
    left, moved = np.zeros(count * free), np.zeros(n)
    rest_weight = np.int64(ints[lay.F_REST])

    cost = smooth_cost(q, low, high, balls, weights, drift, steps, scratch)
    for t in range(low, high):
        _place(floats, target_offsets, values[t])
        cost += ob.evaluate(ints, floats, q[t], state, r)
    damping, taken = DAMPING, 0
    slow, tried = 0, cost
    for _ in range(iterations):
        # The model: directions that are free, and the banded matrix on them.
        smooth_cost(q, low, high, balls, weights, drift, steps, scratch)
        smooth_half_descent(q, low, high, balls, weights, drift, steps, half_descent, scratch)
        for k in range(count):
            t = low + k
            _place(floats, target_offsets, values[t])
            ob.evaluate(ints, floats, q[t], state, r)
            ob.linearise(ints, floats, q[t], state, r, jt, model)
            ob.descent(ints, floats, q[t], jt, r, own[:, 0])
            to_tangent(q[t], balls, 1, own, scratch)
            to_tangent(q[t], balls, rows, jt, scratch)
            for c in range(n):
                half_descent[k, c] += own[c, 0]
            sizes[k] = _directions(
                ints,
                floats,
                q[t],
                half_descent[k],
                moves,
                starts[k],
                spans[k],
                coefficients[k],
                scratch,
            )
            base[k + 1] = base[k] + sizes[k]
            _first_columns(place, k, sizes, base, starts, spans, first)
            for row in range(base[k], base[k + 1]):
                for i in range(width):
                    matrix[row, i] = 0.0
            _rows_along(jt, rows, sizes[k], starts[k], spans[k], coefficients[k], jd)
            _add_products(ints, jd, sizes[k], starts[k], base[k], matrix)
            for back in range(min(k, 2) + 1):
                smooth_block(t, t - back, last, weights, steps, diagonal)
                if back == 0:
                    for c in range(n):
                        diagonal[c] += floats[rest_weight + c]
                o = k - back
                _add_diagonal(
                    diagonal, place, sizes[k], base[k], starts[k], spans[k], coefficients[k],
                    sizes[o], base[o], starts[o], spans[o], coefficients[o], matrix,
                )  # fmt: skip
        total_size = base[count]
        # The step.  Where F does not fall, what the limits cut off is held where they leave it, so
        # that all else makes up for that; then damping is raised.
        accepted, refused, expected = False, False, 0.0
        passes, held[:total_size] = 0, False
        while damping <= MOST_DAMPING:
            for k in range(count):
                for a in range(sizes[k]):
                    total = 0.0
                    for i in range(spans[k, a]):
                        total += coefficients[k, a, i] * half_descent[k, starts[k, a] + i]
                    x[base[k] + a] = total
            for i in range(total_size):
                for j in range(first[i] - i + width - 1, width):
                    factor[i, j] = matrix[i, j]
                factor[i, width - 1] += damping * matrix[i, width - 1] + 1e-12
                if held[i]:
                    firm = FIRM * factor[i, width - 1]
                    factor[i, width - 1] += firm
                    x[i] += firm * left[i]
            if not banded_cholesky(factor, first, total_size):
                damping *= RISE
                continue
            banded_solve(factor, first, total_size, x)
            expected, cut = 0.0, False
            for k in range(count):
                full[:] = 0.0
                for a in range(sizes[k]):
                    for i in range(spans[k, a]):
                        full[starts[k, a] + i] += coefficients[k, a, i] * x[base[k] + a]
                for c in range(n):
                    kept[k, c] = q[low + k, c]
                retract(q[low + k], full, balls, scratch)
                project(ints, floats, q[low + k], scratch)
                difference(kept[k], q[low + k], balls, moved, scratch)
                for c in range(n):
                    expected += 2.0 * half_descent[k, c] * moved[c]
                    full[c] -= moved[c]
                cut |= _mark_cut(
                    full, moved, sizes[k], base[k], starts[k], spans[k], coefficients[k], held,
                    cutting, left,
                )  # fmt: skip
            tried = smooth_cost(q, low, high, balls, weights, drift, steps, scratch)
            for t in range(low, high):
                if tried >= cost:
                    break
                _place(floats, target_offsets, values[t])
                tried += ob.evaluate(ints, floats, q[t], state, r)
            if tried < cost and cost - tried >= ARMIJO * expected:
                accepted = True
                break
            for k in range(count):
                for c in range(n):
                    q[low + k, c] = kept[k, c]
            if cut and passes < PASSES:
                passes += 1
                for i in range(total_size):
                    held[i] = held[i] or cutting[i]
            else:
                damping, refused = damping * RISE, True
                passes, held[:total_size] = PASSES, False
        if not accepted:
            break
        gain = cost - tried
        cost, taken = tried, taken + 1
        if not refused or gain > TRUSTED * expected:
            damping = max(damping * FALL, LEAST_DAMPING)
        slow = slow + 1 if gain <= tolerance * cost else 0
        if slow >= 2 or gain <= 1e-15 * cost:
            break
    return taken


@kernel
def solve_frames(
    ints, floats, target_offsets, values, starts, every, q, low, high, moves, balls, weights, drift,
    iterations, tolerance,
):  # fmt: skip
    """Improve frames low … high − 1 of q (frames, n) in place; returns how many steps.

    All of them together where ``every`` is 0.  Else one after the other: each starts from the pose
    before it and stays near it by the velocity weights; the first and every ``every``-th start from
    ``starts`` (frames, n) instead.
    """
    chained, taken = every > 0, 0
    for t in range(low, high if chained else low + 1):
        fresh = chained and t % every == 0
        if chained:
            for c in range(q.shape[1]):
                q[t, c] = starts[t, c] if fresh else q[t - 1, c]
        tail, end = 0, q.shape[0]
        if chained:
            tail, end = (t if fresh else t - 1), t + 1
        taken += _solve_window(
            ints, floats, target_offsets, values[tail:end], q[tail:end], t - tail,
            end - tail if chained else high, moves, balls, weights, drift[tail:end],
            FRESH if fresh else iterations, tolerance,
        )  # fmt: skip
    return taken
