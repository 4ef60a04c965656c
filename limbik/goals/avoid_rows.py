"""Rows of Avoid: row k is √Σ h² over its pairs, with h = max(0, margin − d) of each.

Its derivative is Σ (h / row)·∂h, and ∂d = n·(v_b − v_a), the velocities of the two nearest points
along the normal between them.  Pair number k belongs to row k modulo the number of rows.

Table: how many shapes, pairs and joints; the kind of each shape; which of the term's joints each
follows, or how many there are for one in the world; two shapes per pair.  Numbers: the margin, then
for all shapes their sizes (4 each), poses in their joints' frames (POSE each) and the radii of the
balls around them; then the distance that is enough for each pair, whatever the margin.  Room: ROOM
floats, then POSE per shape for their poses in the world.
"""

from __future__ import annotations

import math

from numba import int64

from limbik.figure.layout import N_COORDS, N_ROWS, T_COUNT, T_WEIGHT, WORLD
from limbik.figure.shape_buffers import POSE
from limbik.goals.functions import (
    add_motion_row,
    open_floats,
    open_ints,
    own_joint,
    own_numbers,
    own_table,
    term_function,
)
from limbik.jit import inlined_by_llvm, inner
from limbik.maths.distance import RESULT, shape_distance

MOST_ROWS = 4
ROOM = RESULT + MOST_ROWS
"""Floats before the poses: where two shapes are nearest, and the sum of squares of each row."""
_COUNTS = 3


@inner
def _place(ints, floats, world, i, shapes, at, poses):
    """Poses of the shapes in the world into floats[poses:]."""
    table = own_table(ints, i)
    joints, follows, local = ints[table + 2], table + _COUNTS + shapes, at + 1 + 4 * shapes
    for s in range(shapes):
        p, n = poses + POSE * s, local + POSE * s
        if ints[follows + s] == joints:
            for k in range(POSE):
                floats[p + k] = floats[n + k]
            continue
        joint, _, _ = own_joint(ints, i, ints[follows + s])
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
def _reach_along(floats, sizes, poses, a, x, y, z):
    """How far the core of shape a reaches along ±(x, y, z), times the length of that."""
    p, n = poses + POSE * a, sizes + 4 * a
    far = floats[n + 2] * abs(floats[p + 2] * x + floats[p + 5] * y + floats[p + 8] * z)
    if floats[n] > 0.0 or floats[n + 1] > 0.0:
        far += floats[n] * abs(floats[p] * x + floats[p + 3] * y + floats[p + 6] * z)
        far += floats[n + 1] * abs(floats[p + 1] * x + floats[p + 4] * y + floats[p + 7] * z)
    return far


@inlined_by_llvm
def _near(floats, sizes, poses, radii, a, b, margin):
    """Whether two shapes can be nearer than the margin: by the balls around them, then by what they
    take up along the line between their centres."""
    p, o = poses + POSE * a + 9, poses + POSE * b + 9
    x = floats[p] - floats[o]
    y = floats[p + 1] - floats[o + 1]
    z = floats[p + 2] - floats[o + 2]
    reach = floats[radii + a] + floats[radii + b] + margin
    square = x * x + y * y + z * z
    if reach <= 0.0 or square >= reach * reach:
        return False
    if math.isinf(reach):
        return True
    gap = square - _reach_along(floats, sizes, poses, a, x, y, z)
    gap -= _reach_along(floats, sizes, poses, b, x, y, z)
    thick = floats[sizes + 4 * a + 3] + floats[sizes + 4 * b + 3] + margin
    return thick > 0.0 and (gap <= 0.0 or gap * gap < thick * thick * square)


@term_function
def avoid_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    table, (at, room) = own_table(ints, i), own_numbers(ints, i)
    shapes, pairs, rows = int64(ints[table]), int64(ints[table + 1]), int64(ints[i + T_COUNT])
    margin, radii, poses = floats[at], at + 1 + (4 + POSE) * shapes, room + ROOM
    least = radii + shapes
    _place(ints, floats, world, i, shapes, at, poses)
    kinds = ints[table + _COUNTS : table + _COUNTS + shapes]
    sizes = floats[at + 1 : at + 1 + 4 * shapes].reshape((shapes, 4))
    placed = floats[poses : poses + POSE * shapes].reshape((shapes, POSE))
    where, squares = floats[room : room + RESULT], room + RESULT
    for k in range(rows):
        floats[squares + k] = 0.0
    pair, worst, k = table + _COUNTS + 2 * shapes, 0.0, 0
    for p in range(pairs):
        a, b = ints[pair + 2 * p], ints[pair + 2 * p + 1]
        if _near(floats, at + 1, poses, radii, a, b, margin):
            short = min(margin, floats[least + p])
            short -= shape_distance(kinds, sizes, placed, a, b, where)
            if short > 0.0:
                floats[squares + k] += short * short
                worst = max(worst, short)
        k = k + 1 if k + 1 < rows else 0
    r = open_floats(out_at)
    for k in range(rows):
        r[row + k] = floats[f + T_WEIGHT] * math.sqrt(floats[squares + k])
    open_floats(error_at)[0] = worst


@term_function
def avoid_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, error):  # type: ignore[no-untyped-def]
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    axes, jt = open_floats(axes_at), open_floats(out_at)
    table, (at, room) = own_table(ints, i), own_numbers(ints, i)
    shapes, pairs, rows = int64(ints[table]), int64(ints[table + 1]), int64(ints[i + T_COUNT])
    margin, radii, poses = floats[at], at + 1 + (4 + POSE) * shapes, room + ROOM
    least = radii + shapes
    _place(ints, floats, world, i, shapes, at, poses)
    kinds = ints[table + _COUNTS : table + _COUNTS + shapes]
    sizes = floats[at + 1 : at + 1 + 4 * shapes].reshape((shapes, 4))
    placed = floats[poses : poses + POSE * shapes].reshape((shapes, POSE))
    where, squares = floats[room : room + RESULT], room + RESULT
    for k in range(rows):
        floats[squares + k] = 0.0
    pair, follows, k = table + _COUNTS + 2 * shapes, table + _COUNTS + shapes, 0
    for p in range(pairs):
        a, b = ints[pair + 2 * p], ints[pair + 2 * p + 1]
        if _near(floats, at + 1, poses, radii, a, b, margin):
            short = min(margin, floats[least + p])
            short -= shape_distance(kinds, sizes, placed, a, b, where)
            if short > 0.0:
                floats[squares + k] += short * short
                for end in range(2):
                    own = ints[follows + (a if end == 0 else b)]
                    if own == ints[table + 2]:
                        continue
                    _, path, length = own_joint(ints, i, own)
                    w, at_end = (-short if end == 0 else short), 3 * end
                    add_motion_row(
                        ints, floats, axes, path, length,
                        where[at_end], where[at_end + 1], where[at_end + 2],
                        w * where[6], w * where[7], w * where[8], 0.0, 0.0, 0.0, row + k, jt,
                    )  # fmt: skip
        k = k + 1 if k + 1 < rows else 0
    for k in range(rows):
        if floats[squares + k] > 0.0:
            scale = floats[f + T_WEIGHT] / math.sqrt(floats[squares + k])
            for c in range(ints[N_COORDS]):
                jt[c * ints[N_ROWS] + row + k] *= scale
