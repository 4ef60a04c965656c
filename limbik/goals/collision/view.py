"""Where the numbers of an Avoid lie in a problem's buffers.

Table: how many shapes, pairs, joints and shapes of the scene; the kind of each shape, those of the
scene first; which of the term's joints each follows, or how many there are for one in the world;
two shapes per pair; where the field of each shape of the scene begins in the numbers, or 0.
Numbers: the margin and the skin; for all shapes their poses in their joints' frames (POSE each),
sizes (4 each) and the radii of the balls around them; then the distance that is enough for each
pair, whatever the margin, and the normal along which its shapes were last found nearest (3 each),
that of the rest pose before; then the fields (maths/distance_field.py).

Room: whether the candidates are known, how many there are, how many pairs are too near; where two
shapes are nearest; the sum of squares of each row; for each row a pair that is foreseen, and by
how much it is too near (negative); the poses of the shapes in the world (POSE
each); their centres when the candidates were found (3 each); the candidates; of the pairs that are
too near their number, by how much, and where they are nearest; then room for second derivatives.
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
SCENE_POSES = 2  # numbers before the poses of the scene
KNOWN, FOUND, NEAR = range(3)  # in the room, before all else
ACTIVE = 2 + RESULT
"""Floats per pair that is too near: its number, by how much it is, and where."""
PER_COORDINATE = 6 + MOST_ROWS
"""Floats per coordinate for second derivatives."""


class View(NamedTuple):
    """Offsets into the ints (kinds, follows, pair) and floats (all others), and counts."""

    shapes: int
    pairs: int
    kinds: int
    follows: int
    pair: int
    fields: int
    world: int  # what ``follows`` says of a shape in the world
    margin: int
    skin: int
    local: int
    sizes: int
    radii: int
    least: int
    normals: int
    state: int
    where: int
    squares: int
    next: int
    poses: int
    centers: int
    candidates: int
    active: int
    scratch: int


def room_size(shapes: int, pairs: int, n: int) -> int:
    """Floats of the room of a term."""
    by_pair = (1 + ACTIVE) * pairs
    return 3 + RESULT + 3 * MOST_ROWS + (POSE + 3) * shapes + by_pair + PER_COORDINATE * n


@inlined_by_llvm
def view_avoid(ints, i):
    """The View of the term at i."""
    table, (at, room) = own_table(ints, i), own_numbers(ints, i)
    shapes, pairs = int64(ints[table]), int64(ints[table + 1])
    kinds = int64(table + COUNTS)
    local = int64(at) + SCENE_POSES
    sizes = local + POSE * shapes
    radii = sizes + 4 * shapes
    least = radii + shapes
    where = int64(room) + 3
    poses = where + RESULT + 3 * MOST_ROWS
    centers = poses + POSE * shapes
    candidates = centers + 3 * shapes
    return View(
        shapes, pairs, kinds, kinds + shapes, kinds + 2 * shapes,
        kinds + 2 * (shapes + pairs), int64(ints[table + 2]),
        int64(at), int64(at) + 1, local, sizes, radii, least, least + pairs, int64(room), where,
        where + RESULT, where + RESULT + MOST_ROWS, poses, centers, candidates,
        candidates + pairs, candidates + (1 + ACTIVE) * pairs,
    )  # fmt: skip
