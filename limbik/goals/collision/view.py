"""Where the numbers of an Avoid lie in a problem's buffers.

Table: how many shapes, pairs, joints and runs; the kind of each shape, those of the scene first;
which of the term's joints each follows, or how many there are for one in the world; two shapes per
pair; its row; whether its hulls are measured; then the runs.  A run is a shape, and the first and
the number of those that it is tested against, which lie side by side; it has as many pairs, in the
order of the runs.  Then comes where the field or hull of each shape begins in the numbers, or 0.

Numbers: the margin, and how much further apart pairs are foreseen; for all shapes their poses in
their joints' frames (POSE each), sizes (4 each) and the radii of the balls around them; then the
distance that is enough for each pair, whatever the margin, or -inf for one that is in a run but not
tested; the normal along which its shapes were last found nearest (3 each; in the frame of the first
where hulls are measured), that of the rest pose before; those of the rest pose; then the fields
(maths/distance_field.py) and the hulls (maths/hull_distance.py); then the squared distance of the
centres of each pair from which on nothing can be seen.

Room: how many pairs are near without being too near, how many are too near; where two shapes are
nearest; the sum of squares of each row; for each row a pair that is foreseen; the poses of the
shapes in the world (POSE each); their centres, first all x; a number per shape of a run; of the
pairs that are near their number, and by how much they are too near at most (negative); those that
are too near.  A pair that is foreseen or too near is its number, by how much it is too near, and
where.  Then comes room for second derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import int64

from limbik.figure.collision.shape_buffers import POSE
from limbik.goals.kernels.functions import own_numbers, own_table
from limbik.jit import inlined_by_llvm
from limbik.maths.distance import RESULT

MOST_ROWS = 4
COUNTS = 4  # in the table
RUN = 3  # ints per run
SCENE_POSES = 2  # numbers before the poses of the scene
FOUND, NEAR = range(2)  # in the room, before all else
ACTIVE = 2 + RESULT
"""Floats per pair that is too near or foreseen: its number, by how much it is, and where."""
PER_COORDINATE = 6 + MOST_ROWS
"""Floats per coordinate for second derivatives."""


class View(NamedTuple):
    """Offsets into the ints (kinds, follows, pair, row, hulls, runs, fields) and floats (all
    others), and counts."""

    shapes: int
    pairs: int
    kinds: int
    follows: int
    pair: int
    row: int
    hulls: int
    runs: int
    fields: int
    world: int  # what ``follows`` says of a shape in the world
    margin: int
    foreseen: int
    local: int
    sizes: int
    radii: int
    least: int
    normals: int
    within: int
    state: int
    where: int
    squares: int
    next: int
    poses: int
    centers: int
    balls: int
    candidates: int
    active: int
    scratch: int


def room_size(shapes: int, pairs: int, n: int) -> int:
    """Floats of the room of a term."""
    by_row, by_shape, by_pair = 1 + ACTIVE, POSE + 4, 2 + ACTIVE
    fixed = 2 + RESULT + by_row * MOST_ROWS
    return fixed + by_shape * shapes + by_pair * pairs + PER_COORDINATE * n


@inlined_by_llvm
def view_avoid(ints, i):
    """Where the ints and floats of the term at i have its pairs, shapes and scratch, by name."""
    table, (at, room) = own_table(ints, i), own_numbers(ints, i)
    shapes, pairs = int64(ints[table]), int64(ints[table + 1])
    kinds = int64(table + COUNTS)
    pair = kinds + 2 * shapes
    runs = pair + 4 * pairs
    local = int64(at) + SCENE_POSES
    sizes = local + POSE * shapes
    radii = sizes + 4 * shapes
    least = radii + shapes
    where = int64(room) + 2
    poses = where + RESULT + (1 + ACTIVE) * MOST_ROWS
    centers = poses + POSE * shapes
    candidates = centers + 4 * shapes
    return View(
        shapes, pairs, kinds, kinds + shapes, pair, pair + 2 * pairs,
        pair + 3 * pairs, runs,
        runs + RUN * int64(ints[table + 3]), int64(ints[table + 2]),
        int64(at), int64(at) + 1, local, sizes, radii, least, least + pairs, int64(room) - pairs,
        int64(room), where, where + RESULT, where + RESULT + MOST_ROWS, poses, centers,
        centers + 3 * shapes, candidates, candidates + 2 * pairs,
        candidates + (2 + ACTIVE) * pairs,
    )  # fmt: skip
