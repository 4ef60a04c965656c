"""Rows of Avoid: row k is √Σ h² over its pairs, with h = max(0, margin − d) of each.

Its derivative is Σ (h / row)·∂h, and ∂d = n·(v_b − v_a), the velocities of the two nearest points
along the normal between them.

First the balls around a shape and around all that it is tested against, which lie side by side,
are compared in one loop.  Of the pairs that are left, those that are apart along the normal where
they were last found nearest, or along the line between their centres, need no exact distance.
"""

from __future__ import annotations

import math

from numba import int64

from limbik.figure.collision.shape_buffers import POSE
from limbik.figure.layout import N_COORDS, N_ROWS, T_COUNT, T_WEIGHT, WORLD
from limbik.goals.collision.view import ACTIVE, FOUND, NEAR, RUN, view_avoid
from limbik.goals.kernels.functions import (
    ANY_COST,
    add_motion_row,
    foresees,
    open_floats,
    open_ints,
    own_joint,
    term_function,
)
from limbik.jit import inlined_by_llvm, inner
from limbik.maths.cores import (
    CYLINDER,
    FIELD,
    HALF_SPACE,
    turned_to_local,
)
from limbik.maths.distance import RESULT, shape_distance
from limbik.maths.distance_field import field_distance
from limbik.maths.hull_distance import hull_distance, hull_gap

_SURELY = 1e-5  # of what is foreseen: a gap that rounding cannot close


@inlined_by_llvm
def _place(ints, floats, world, i, view):
    """Poses of the shapes in the world, and their centres once more, axis by axis."""
    for s in range(view.shapes):
        p, n = view.poses + POSE * s, view.local + POSE * s
        if ints[view.follows + s] == view.world:
            for k in range(POSE):
                floats[p + k] = floats[n + k]
        else:
            joint, _, _ = own_joint(ints, i, ints[view.follows + s])
            w = WORLD * joint
            for row in range(3):
                a, b, c = world[w + 3 * row], world[w + 3 * row + 1], world[w + 3 * row + 2]
                for k in range(3):
                    floats[p + 3 * row + k] = (
                        a * floats[n + k] + b * floats[n + 3 + k] + c * floats[n + 6 + k]
                    )
                moved = a * floats[n + 9] + b * floats[n + 10] + c * floats[n + 11]
                floats[p + 9 + row] = world[w + 9 + row] + moved
        for row in range(3):
            floats[view.centers + row * view.shapes + s] = floats[p + 9 + row]


@inner
def _compare_balls(floats, view, a, first, count, pair):
    """floats[view.balls + k] < 0 where the balls around shape a and shape first + k, which are
    pair number pair + k, come so near that they must be looked at."""
    x = floats[view.centers : view.centers + view.shapes]
    y = floats[view.centers + view.shapes : view.centers + 2 * view.shapes]
    z = floats[view.centers + 2 * view.shapes : view.centers + 3 * view.shapes]
    cx, cy, cz = x[a], y[a], z[a]
    x, y, z = x[first : first + count], y[first : first + count], z[first : first + count]
    within = floats[view.within + pair : view.within + pair + count]
    out = floats[view.balls : view.balls + count]
    for k in range(count):
        dx, dy, dz = x[k] - cx, y[k] - cy, z[k] - cz
        out[k] = dx * dx + dy * dy + dz * dz - within[k]


@inlined_by_llvm
def _shapes(ints, floats, view):
    """kinds (shapes,), sizes (shapes, 4) and poses (shapes, 12), as maths/distance.py has them."""
    shapes = view.shapes
    kinds = ints[view.kinds : view.kinds + shapes]
    sizes = floats[view.sizes : view.sizes + 4 * shapes].reshape((shapes, 4))
    return kinds, sizes, floats[view.poses : view.poses + POSE * shapes].reshape((shapes, POSE))


@inlined_by_llvm
def _reach_along(ints, floats, view, a, x, y, z):
    """How far the core of shape a reaches along ±(x, y, z), times the length of that."""
    p, n = view.poses + POSE * a, view.sizes + 4 * a
    far = floats[n + 2] * abs(floats[p + 2] * x + floats[p + 5] * y + floats[p + 8] * z)
    if floats[n] > 0.0 or floats[n + 1] > 0.0:
        u = floats[p] * x + floats[p + 3] * y + floats[p + 6] * z
        v = floats[p + 1] * x + floats[p + 4] * y + floats[p + 7] * z
        if ints[view.kinds + a] == CYLINDER:
            far += floats[n] * math.sqrt(u * u + v * v)
        else:
            far += floats[n] * abs(u) + floats[n + 1] * abs(v)
    return far


@inlined_by_llvm
def _gap_along(ints, floats, view, a, b, x, y, z):
    """What lies between the cores of shapes a and b along (x, y, z), which points from a to b,
    times the length of that."""
    at, other = view.poses + POSE * a + 9, view.poses + POSE * b + 9
    gap = x * (floats[other] - floats[at]) + y * (floats[other + 1] - floats[at + 1])
    gap += z * (floats[other + 2] - floats[at + 2])
    gap -= _reach_along(ints, floats, view, a, x, y, z)
    return gap - _reach_along(ints, floats, view, b, x, y, z)


@inlined_by_llvm
def _hull_of(ints, view, a):
    """Where the hull of shape a begins in the floats from the margin on, or 0."""
    return int64(ints[view.fields + a])


@inlined_by_llvm
def _surely_hulls(ints, floats, view, p, a, b):
    """``_surely`` for a pair whose hulls are measured, along the last normal or that of the rest
    pose, which the frame of shape a has."""
    kinds, sizes, poses = _shapes(ints, floats, view)
    hulls, n = floats[view.margin :], view.normals + 3 * p
    at_a, at_b = _hull_of(ints, view, a), _hull_of(ints, view, b)
    margin = min(floats[view.margin], floats[view.least + p]) + _SURELY * floats[view.foreseen]
    x, y, z = floats[n], floats[n + 1], floats[n + 2]
    apart = hull_gap(kinds, sizes, poses, a, b, hulls, at_a, at_b, margin, x, y, z)
    if not apart > margin:
        n += 3 * view.pairs
        x, y, z = floats[n], floats[n + 1], floats[n + 2]
        apart = hull_gap(kinds, sizes, poses, a, b, hulls, at_a, at_b, margin, x, y, z)
    return apart - margin if apart > margin else -math.inf


@inlined_by_llvm
def _surely(ints, floats, view, p, a, b):
    """A distance by which the shapes a and b of pair p are surely further apart than their margin,
    or -inf where that needs the exact one."""
    if ints[view.hulls + p]:
        return _surely_hulls(ints, floats, view, p, a, b)
    if ints[view.kinds + a] >= HALF_SPACE or ints[view.kinds + b] >= HALF_SPACE:
        return -math.inf
    # Only where the cores are apart is their distance never less than such a gap.
    radii = floats[view.sizes + 4 * a + 3] + floats[view.sizes + 4 * b + 3]
    margin = min(floats[view.margin], floats[view.least + p]) + _SURELY * floats[view.foreseen]
    n, best = view.normals + 3 * p, -math.inf
    gap = _gap_along(ints, floats, view, a, b, floats[n], floats[n + 1], floats[n + 2])
    if gap > 0.0:
        best = gap - radii - margin
    if not best > floats[view.foreseen]:
        at, other = view.poses + POSE * a + 9, view.poses + POSE * b + 9
        x = floats[other] - floats[at]
        y = floats[other + 1] - floats[at + 1]
        z = floats[other + 2] - floats[at + 2]
        gap = _gap_along(ints, floats, view, a, b, x, y, z)
        if gap > 0.0:
            best = max(best, gap / math.sqrt(x * x + y * y + z * z) - radii - margin)
    return best if best > 0.0 else -math.inf


@inlined_by_llvm
def _short_of(ints, floats, view, p, a, b, at):
    """h of pair p of the shapes a and b, from their poses as they are placed; where they are
    nearest into the floats from ``at`` on."""
    kinds, sizes, poses = _shapes(ints, floats, view)
    where = floats[at : at + RESULT]
    if ints[view.kinds + b] == FIELD:
        d = field_distance(
            floats, view.sizes + 4 * a, view.poses + POSE * a,
            view.margin + int64(ints[view.fields + b]), view.poses + POSE * b, where,
        )  # fmt: skip
    else:
        if ints[view.hulls + p]:
            d = hull_distance(
                kinds, sizes, poses, a, b, floats[view.margin :], _hull_of(ints, view, a),
                _hull_of(ints, view, b), floats[view.margin] + floats[view.foreseen], where,
            )  # fmt: skip
            x, y, z = turned_to_local(poses, a, where[6], where[7], where[8])
        else:
            d = shape_distance(kinds, sizes, poses, a, b, where)
            x, y, z = where[6], where[7], where[8]
        n = view.normals + 3 * p
        floats[n], floats[n + 1], floats[n + 2] = x, y, z
    return min(floats[view.margin], floats[view.least + p]) - d


@term_function
def avoid_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    """w·√Σ short² over the pairs of each row, short = max(0, margin − d); the error is the largest
    short."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    view, rows = view_avoid(ints, i), int64(ints[i + T_COUNT])
    _place(ints, floats, world, i, view)
    for k in range(rows):
        floats[view.squares + k] = 0.0
    worst, near, found, p = 0.0, 0, 0, -1
    for run in range(view.runs, view.fields, RUN):
        a, first, count = ints[run], int64(ints[run + 1]), int64(ints[run + 2])
        _compare_balls(floats, view, a, first, count, p + 1)
        for k in range(count):
            p += 1
            if floats[view.balls + k] >= 0.0 or floats[view.least + p] == -math.inf:
                continue
            b = ints[run + 1] + k
            apart = _surely(ints, floats, view, p, a, b)
            if not apart > 0.0:
                at = view.active + ACTIVE * near
                short = _short_of(ints, floats, view, p, a, b, at + 2)
                if short > 0.0:
                    floats[view.squares + ints[view.row + p]] += short * short
                    floats[at], floats[at + 1] = p, short
                    near += 1
                    worst = max(worst, short)
                    continue
                apart = -short
            if apart <= floats[view.foreseen]:
                floats[view.candidates + 2 * found] = p
                floats[view.candidates + 2 * found + 1] = -apart
                found += 1
    floats[view.state + NEAR], floats[view.state + FOUND] = near, found
    r = open_floats(out_at)
    for k in range(rows):
        r[row + k] = floats[f + T_WEIGHT] * math.sqrt(floats[view.squares + k])
    open_floats(error_at)[0] = worst


@inner
def _add_pair(ints, floats, axes, i, view, p, where, w, row, jt):
    """Add w·∂d of pair p, which is nearest as the floats at ``where`` say, to a row of jt."""
    for end in range(2):
        own = ints[view.follows + ints[view.pair + 2 * p + end]]
        if own == view.world:
            continue
        _, path, length = own_joint(ints, i, own)
        share, at = (-w if end == 0 else w), where + 3 * end
        add_motion_row(
            ints, floats, axes, path, length, floats[at], floats[at + 1], floats[at + 2],
            share * floats[where + 6], share * floats[where + 7], share * floats[where + 8],
            0.0, 0.0, 0.0, row, jt,
        )  # fmt: skip


@inner
def _foresee(ints, floats, view, rows):
    """Of the pairs that ``avoid_residual`` found near, without being too near, the nearest ones,
    one for each row that has no other, at floats[view.next] and after: by how much it is too near
    (h < 0, or -inf for none), its number, and where it is nearest."""
    foreseen, free, least = floats[view.foreseen], 0, -math.inf
    for k in range(rows):
        floats[view.next + ACTIVE * k + 1] = -math.inf
        if floats[view.squares + k] == 0.0:
            free += 1
    if free == 0:
        return
    for c in range(int64(floats[view.state + FOUND])):
        p = int64(floats[view.candidates + 2 * c])
        if floats[view.candidates + 2 * c + 1] <= least:  # surely further apart
            continue
        a, b = ints[view.pair + 2 * p], ints[view.pair + 2 * p + 1]
        short = _short_of(ints, floats, view, p, a, b, view.where)
        if short > 0.0 or short < -foreseen or not short > least:
            continue
        # In the place of the one that is furthest away.
        last = -1
        for k in range(rows):
            own = floats[view.next + ACTIVE * k + 1]
            if floats[view.squares + k] == 0.0 and (
                last < 0 or own < floats[view.next + ACTIVE * last + 1]
            ):
                last = k
        at = view.next + ACTIVE * last
        floats[at], floats[at + 1] = p, short
        for k in range(RESULT):
            floats[at + 2 + k] = floats[view.where + k]
        least = math.inf
        for k in range(rows):
            if floats[view.squares + k] == 0.0:
                least = min(least, floats[view.next + ACTIVE * k + 1])


@term_function
def avoid_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, ahead_at):  # type: ignore[no-untyped-def]
    """For the pairs that ``avoid_residual`` found too near at this pose, and the next nearest ones
    in rows that have none, where they are foreseen."""
    ints, floats = open_ints(ints_at), open_floats(floats_at)
    axes, jt = open_floats(axes_at), open_floats(out_at)
    view, rows = view_avoid(ints, i), int64(ints[i + T_COUNT])
    for k in range(int64(floats[view.state + NEAR])):
        at = view.active + ACTIVE * k
        p = int64(floats[at])
        own = row + int64(ints[view.row + p])
        _add_pair(ints, floats, axes, i, view, p, at + 2, floats[at + 1], own, jt)
    for k in range(rows):
        if floats[view.squares + k] > 0.0:
            scale = floats[f + T_WEIGHT] / math.sqrt(floats[view.squares + k])
            for c in range(ints[N_COORDS]):
                jt[c * ints[N_ROWS] + row + k] *= scale
    ahead, w = open_floats(ahead_at), floats[f + T_WEIGHT]
    if ahead[0] >= ANY_COST:
        _foresee(ints, floats, view, rows)
        for k in range(rows):
            at = view.next + ACTIVE * k
            if floats[view.squares + k] == 0.0 and floats[at + 1] > -math.inf:
                foresees(ahead, row + k, w, floats[at + 1])
                _add_pair(ints, floats, axes, i, view, int64(floats[at]), at + 2, w, row + k, jt)
