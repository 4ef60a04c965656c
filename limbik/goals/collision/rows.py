"""Rows of Avoid: row k is √Σ h² over its pairs, with h = max(0, margin − d) of each.

Its derivative is Σ (h / row)·∂h, and ∂d = n·(v_b − v_a), the velocities of the two nearest points
along the normal between them.  Pair number k belongs to row k modulo the number of rows.

Pairs that cannot touch cost nothing for a while: pairs whose bounding balls are further apart than
the margin and a skin are left out until a ball has moved by half the skin.  Of the others, those
that are still apart along the normal where they were last found nearest need no exact distance.
"""

from __future__ import annotations

import math

from numba import int64

from limbik.figure.collision.shape_buffers import POSE
from limbik.figure.layout import N_COORDS, N_ROWS, T_COUNT, T_WEIGHT, WORLD
from limbik.goals.collision.view import ACTIVE, FOUND, KNOWN, MOST_ROWS, NEAR, view_avoid
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
from limbik.maths.cores import CYLINDER, FIELD, HALF_SPACE
from limbik.maths.distance import RESULT, shape_distance
from limbik.maths.distance_field import field_distance

_FORESEEN = 0.1  # of the skin: pairs that are further apart are not foreseen
_SURELY = 1e-6  # of the skin: a gap that rounding cannot close


@inlined_by_llvm
def _place(ints, floats, world, i, view):
    """Poses of the shapes in the world."""
    for s in range(view.shapes):
        p, n = view.poses + POSE * s, view.local + POSE * s
        if ints[view.follows + s] == view.world:
            for k in range(POSE):
                floats[p + k] = floats[n + k]
            continue
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


@inlined_by_llvm
def _moved(floats, view):
    """Whether a shape's centre has moved by half the skin since the candidates were found."""
    if floats[view.state + KNOWN] == 0.0:
        return True
    most = 0.25 * floats[view.skin] * floats[view.skin]
    for s in range(view.shapes):
        p, c = view.poses + POSE * s + 9, view.centers + 3 * s
        x, y, z = (
            floats[p] - floats[c],
            floats[p + 1] - floats[c + 1],
            floats[p + 2] - floats[c + 2],
        )
        if not x * x + y * y + z * z <= most:
            return True
    return False


@inner
def _find_candidates(ints, floats, view):
    """The pairs whose balls come nearer than the margin and the skin, and where they are now."""
    for s in range(view.shapes):
        for k in range(3):
            floats[view.centers + 3 * s + k] = floats[view.poses + POSE * s + 9 + k]
    margin, found = floats[view.margin] + floats[view.skin], 0
    for p in range(view.pairs):
        a, b = ints[view.pair + 2 * p], ints[view.pair + 2 * p + 1]
        c, o = view.centers + 3 * a, view.centers + 3 * b
        x, y, z = (
            floats[c] - floats[o],
            floats[c + 1] - floats[o + 1],
            floats[c + 2] - floats[o + 2],
        )
        reach = floats[view.radii + a] + floats[view.radii + b] + margin
        if reach > 0.0 and not x * x + y * y + z * z >= reach * reach:
            floats[view.candidates + found] = p
            found += 1
    floats[view.state + FOUND], floats[view.state + KNOWN] = found, 1.0


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
def _near(ints, floats, view, a, b, margin):
    """Whether two shapes can be nearer than the margin: by the balls around them, then by what they
    take up along the line between their centres."""
    p, o = view.poses + POSE * a + 9, view.poses + POSE * b + 9
    x = floats[p] - floats[o]
    y = floats[p + 1] - floats[o + 1]
    z = floats[p + 2] - floats[o + 2]
    reach = floats[view.radii + a] + floats[view.radii + b] + margin
    square = x * x + y * y + z * z
    if reach <= 0.0 or square >= reach * reach:
        return False
    if math.isinf(reach):
        return True
    gap = square - _reach_along(ints, floats, view, a, x, y, z)
    gap -= _reach_along(ints, floats, view, b, x, y, z)
    thick = floats[view.sizes + 4 * a + 3] + floats[view.sizes + 4 * b + 3] + margin
    return thick > 0.0 and (gap <= 0.0 or gap * gap < thick * thick * square)


@inlined_by_llvm
def _still_apart(ints, floats, view, p, a, b, more):
    """Whether the shapes a and b of pair p are surely further apart than their margin and ``more``,
    because a plane with the normal of last time lies between them."""
    n = view.normals + 3 * p
    x, y, z = floats[n], floats[n + 1], floats[n + 2]
    at, other = view.poses + POSE * a + 9, view.poses + POSE * b + 9
    gap = x * (floats[other] - floats[at]) + y * (floats[other + 1] - floats[at + 1])
    gap += z * (floats[other + 2] - floats[at + 2])
    for s in (a, b):
        gap -= _reach_along(ints, floats, view, s, x, y, z) + floats[view.sizes + 4 * s + 3]
    margin = min(floats[view.margin], floats[view.least + p])
    return gap > margin + more + _SURELY * floats[view.skin]


@inlined_by_llvm
def _is_far(ints, floats, view, p, more):
    """Whether pair p is surely further apart than its margin and ``more``."""
    a, b = ints[view.pair + 2 * p], ints[view.pair + 2 * p + 1]
    if ints[view.kinds + b] == FIELD:
        return False
    if not _near(ints, floats, view, a, b, floats[view.margin] + more):
        return True
    plain = ints[view.kinds + a] != HALF_SPACE and ints[view.kinds + b] != HALF_SPACE
    return plain and _still_apart(ints, floats, view, p, a, b, more)


@inlined_by_llvm
def _short_of(ints, floats, view, p, at):
    """h of pair p, from the shapes' poses as they are placed; where they are nearest into the
    floats from ``at`` on."""
    shapes = view.shapes
    kinds = ints[view.kinds : view.kinds + shapes]
    sizes = floats[view.sizes : view.sizes + 4 * shapes].reshape((shapes, 4))
    poses = floats[view.poses : view.poses + POSE * shapes].reshape((shapes, POSE))
    a, b = ints[view.pair + 2 * p], ints[view.pair + 2 * p + 1]
    where = floats[at : at + RESULT]
    if ints[view.kinds + b] == FIELD:
        d = field_distance(
            floats, view.sizes + 4 * a, view.poses + POSE * a,
            view.margin + int64(ints[view.fields + b]), view.poses + POSE * b, where,
        )  # fmt: skip
    else:
        d = shape_distance(kinds, sizes, poses, a, b, where)
        for k in range(3):
            floats[view.normals + 3 * p + k] = where[6 + k]
    return min(floats[view.margin], floats[view.least + p]) - d


@term_function
def avoid_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    view, rows = view_avoid(ints, i), int64(ints[i + T_COUNT])
    _place(ints, floats, world, i, view)
    if _moved(floats, view):
        _find_candidates(ints, floats, view)
    for k in range(rows):
        floats[view.squares + k] = 0.0
    worst, near = 0.0, 0
    for c in range(view.candidates, view.candidates + int64(floats[view.state + FOUND])):
        p = int64(floats[c])
        if not _is_far(ints, floats, view, p, 0.0):
            at = view.active + ACTIVE * near
            short = _short_of(ints, floats, view, p, at + 2)
            if short > 0.0:
                floats[view.squares + p % rows] += short * short
                floats[at], floats[at + 1] = p, short
                near += 1
                worst = max(worst, short)
    floats[view.state + NEAR] = near
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
    """The pairs that are nearest without being too near, one for each row that has no other, at
    floats[view.next] and after: row by row the pair, and h < 0 (or -inf for none)."""
    reach, free = _FORESEEN * floats[view.skin], 0
    for k in range(rows):
        floats[view.next + MOST_ROWS + k] = -math.inf
        if floats[view.squares + k] == 0.0:
            free += 1
    if free == 0:
        return
    for c in range(view.candidates, view.candidates + int64(floats[view.state + FOUND])):
        p = int64(floats[c])
        if _is_far(ints, floats, view, p, reach):
            continue
        short = _short_of(ints, floats, view, p, view.where)
        if short > 0.0 or short < -reach:
            continue
        # In the place of the one that is furthest away, if that is further.
        last = -1
        for k in range(rows):
            if floats[view.squares + k] == 0.0 and (
                last < 0 or floats[view.next + MOST_ROWS + k] < floats[view.next + MOST_ROWS + last]
            ):
                last = k
        if short > floats[view.next + MOST_ROWS + last]:
            floats[view.next + last], floats[view.next + MOST_ROWS + last] = p, short


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
        _add_pair(ints, floats, axes, i, view, p, at + 2, floats[at + 1], row + p % rows, jt)
    for k in range(rows):
        if floats[view.squares + k] > 0.0:
            scale = floats[f + T_WEIGHT] / math.sqrt(floats[view.squares + k])
            for c in range(ints[N_COORDS]):
                jt[c * ints[N_ROWS] + row + k] *= scale
    ahead, w = open_floats(ahead_at), floats[f + T_WEIGHT]
    if ahead[0] >= ANY_COST:
        _foresee(ints, floats, view, rows)
        for k in range(rows):
            short = floats[view.next + MOST_ROWS + k]
            if floats[view.squares + k] == 0.0 and short > -math.inf:
                p = int64(floats[view.next + k])
                _short_of(ints, floats, view, p, view.where)
                foresees(ahead, row + k, w, short)
                _add_pair(ints, floats, axes, i, view, p, view.where, w, row + k, jt)
