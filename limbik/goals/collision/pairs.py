"""Which shapes an Avoid tests against each other, and the flat tables of them."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np

from limbik.figure.collision.shape_buffers import POSE, Obstacle
from limbik.figure.collision.surfaces import SURFACES
from limbik.figure.collision_pairs import (
    buffers_with,
    collision_pairs,
    hulls_of,
    shape_distances,
    shape_poses,
)
from limbik.figure.figure import Figure
from limbik.goals.collision.view import MOST_ROWS, RUN, SCENE_POSES
from limbik.goals.terms import joint_index
from limbik.maths.broad_phase import bounding_radii

_KEPT = 8  # sets of pairs per figure
_POSES, _SPREAD = 256, 0.6  # random poses around the rest pose, and how far from it (rad)
_ROUNDING = 1e-9
_NEAR = 2  # steps in the tree between joints that are near
_FITTED = 0.01  # of the size: how much deeper than at rest their shapes may be
_ALWAYS = 0.75  # of the poses: pairs that touch more often are made that way


class Tested(NamedTuple):
    """pairs:   (k, 2) indices into the shapes of the figure and, after them, of the scene
    least:   (k,) the distance that is enough for each, whatever the margin
    shapes:  how many shapes are in the tables: all of the scene, then those of the figure in a pair
    joints:  of which each follows one, in the order of a term's joints
    rows:    how many rows the pairs share
    balls:   (slots,) the radii of both balls of each pair of the table, added
    enough:  (slots,) ``least`` for each pair of the table, or -inf for one that is not tested
    numbers: local poses, sizes and bounding radii of the shapes, ``enough``, the normals between
             the shapes of the pairs in the rest pose twice (the first become the last ones that
             were found), the fields of the scene and the hulls
    table:   ints of the term (view.py)
    """

    pairs: np.ndarray
    least: np.ndarray
    shapes: int
    joints: tuple[int, ...]
    rows: int
    balls: np.ndarray
    enough: np.ndarray
    numbers: np.ndarray
    table: np.ndarray

    def within(self, margin: Any, foreseen: float) -> np.ndarray:
        """(slots,) the squared distance of the centres from which on nothing can be seen of a
        pair; -1 for one that is not tested."""
        reach = np.full(len(self.enough), -1.0)
        asked = self.enough > -np.inf
        far = self.balls[asked] + np.minimum(margin, self.enough[asked]) + foreseen
        reach[asked] = np.maximum(far * (1.0 + _ROUNDING), 0.0) ** 2
        return reach


_known: weakref.WeakKeyDictionary[Figure, dict[Any, Tested]] = weakref.WeakKeyDictionary()


def tested_of(
    figure: Figure,
    scene: tuple[Obstacle, ...],
    exclude: tuple[tuple[str, str], ...],
    own: bool,
) -> Tested:
    """What is tested, made once per figure."""
    known, key = _known.setdefault(figure, {}), (scene, exclude, own)
    if key not in known:
        if len(known) >= _KEPT:
            known.clear()
        known[key] = _tested(figure, scene, exclude, own)
    return known[key]


def _tested(
    figure: Figure,
    scene: tuple[Obstacle, ...],
    exclude: tuple[tuple[str, str], ...],
    own: bool,
) -> Tested:
    named = {shape.name for shape in scene if shape.name}
    among, against = [], set()
    for pair in exclude:
        joints = [name for name in pair if name not in named]
        joints = [figure.joints[joint_index(figure, name, "Avoid: exclude")] for name in joints]
        if len(joints) == 2:
            among.append((joints[0], joints[1]))
        elif joints:
            against.add((joints[0], next(name for name in pair if name in named)))
    tested = _against_scene(figure, scene, against)
    least = np.full(len(tested), np.inf)
    if own:
        pairs, enough = _own_pairs(figure, among)
        tested, least = np.concatenate((pairs, tested)), np.concatenate((enough, least))
    # The scene comes first, all of it, so that the places of its poses are known beforehand.
    first = len(figure.shapes)
    used = np.unique(tested)
    used = np.concatenate((first + np.arange(len(scene)), used[used < first]))
    buffers = buffers_with(figure, scene)
    radii = np.empty(len(buffers.kinds))
    bounding_radii(buffers.kinds, buffers.sizes, radii)
    hulls, fields = hulls_of(figure), [np.zeros(0)] * len(used)
    for k, shape in enumerate(scene):
        if isinstance(shape, SURFACES):
            radii[first + k], fields[k] = shape.reach, shape.numbers
    by_hulls = np.zeros(len(tested), bool)
    among_own = (tested < first).all(axis=1)
    by_hulls[among_own] = hulls.pairs[tested[among_own, 0], tested[among_own, 1]]
    for k, shape in enumerate(used.tolist()):
        if shape in tested[by_hulls] and hulls.at[shape]:
            fields[k] = figure.shapes[shape].mesh.numbers  # type: ignore[union-attr]
    follows = buffers.joints[used].astype(np.int64)
    moving = follows < len(figure.joints)
    joints, which = np.unique(follows[moving], return_inverse=True)
    place = np.full(len(used), len(joints))
    place[moving] = which
    number = np.zeros(len(buffers.kinds), np.int64)
    number[used] = np.arange(len(used))
    rows = min(MOST_ROWS, len(tested))
    runs, slots, pair = _runs(number[tested])
    enough, row = np.full(len(slots), -np.inf), np.zeros(len(slots), np.int64)
    measured = np.zeros(len(slots), np.int64)
    normals = np.zeros((len(slots), 3))
    asked = slots >= 0
    enough[asked], row[asked] = least[slots[asked]], slots[asked] % max(1, rows)
    measured[asked] = by_hulls[slots[asked]]
    found = shape_distances(figure, figure.rest, tested, scene)[1][:, 6:]
    turns = shape_poses(figure, figure.rest, buffers)[tested[by_hulls, 0], :9].reshape(-1, 3, 3)
    found[by_hulls] = np.einsum("kij,ki->kj", turns, found[by_hulls])
    normals[asked] = found[slots[asked]]
    shapes = (buffers.local[used].ravel(), buffers.sizes[used].ravel(), radii[used])
    numbers = np.concatenate((*shapes, enough, normals.ravel(), normals.ravel(), *fields))
    lengths = np.array([0, *(len(table) for table in fields)])
    begin = SCENE_POSES + (POSE + 5) * len(used) + 7 * len(slots) + np.cumsum(lengths)[:-1]
    begin = np.where(lengths[1:] > 0, begin, 0)
    counts = [len(used), len(slots), len(joints), len(runs)]
    table = np.concatenate(
        (counts, buffers.kinds[used], place, pair.ravel(), row, measured, runs.ravel(), begin)
    ).astype(np.int64)
    balls = radii[used][pair].sum(axis=1)
    return Tested(
        tested, least, len(used), tuple(joints.tolist()), rows, balls, enough, numbers, table
    )


def _runs(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """((runs, RUN) of the pairs (k, 2), in their order; (slots,) which pair each slot of the runs
    is, or -1 for one that is not tested; (slots, 2) its shapes)."""
    runs, slots = np.zeros((0, RUN), np.int64), np.zeros(0, np.int64)
    if len(pairs):
        begins = np.diff(pairs[:, 0], prepend=-1) != 0
        begins[1:] |= np.diff(pairs[:, 1]) <= 0
        first, run = np.flatnonzero(begins), np.cumsum(begins) - 1
        last = np.append(first[1:], len(pairs)) - 1
        low = pairs[first, 1]
        count = pairs[last, 1] - low + 1
        runs = np.column_stack((pairs[first, 0], low, count))
        at = np.cumsum(count) - count
        slots = np.full(count.sum(), -1)
        slots[at[run] + pairs[:, 1] - low[run]] = np.arange(len(pairs))
    shapes = [(a, b) for a, low, count in runs.tolist() for b in range(low, low + count)]
    return runs, slots, np.array(shapes, np.int64).reshape(-1, 2)


def _own_pairs(figure: Figure, exclude: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    """((k, 2) pairs of the figure's shapes, (k,) the distance that is enough for each).

    That of the rest pose is enough: pairs that overlap there may be as deep anywhere, and no
    deeper.  Joints that are near in the tree move beside each other, where shapes that are fitted
    to meshes say little: theirs may be deeper by a part of the size.  Pairs that overlap in most
    poses are left out: they are made that way.
    """
    pairs = collision_pairs(figure, exclude=exclude, touching=True).astype(np.int64)
    rest = shape_distances(figure, figure.rest, pairs)[0]
    keep, least = rest > 0.0, rest.copy()
    doubtful = np.flatnonzero(~keep)
    if len(doubtful):
        rng = np.random.default_rng(0)
        poses = figure.rest + _SPREAD * rng.normal(size=(_POSES, figure.n))
        touching = [
            shape_distances(figure, q, pairs[doubtful])[0] <= 0.0 for q in figure.project(poses)
        ]
        keep[doubtful] = np.mean(touching, axis=0) < _ALWAYS
        owner = [figure.index(shape.joint) for shape in figure.shapes]
        for k in doubtful:
            if _steps(figure, *(owner[shape] for shape in pairs[k])) <= _NEAR:
                least[k] -= _FITTED * figure.size
    return pairs[keep], least[keep]


def _steps(figure: Figure, one: int, two: int) -> int:
    """How many steps from parent to child, or back, lead from one joint to another."""
    first, second = figure.tree.ancestors(one), figure.tree.ancestors(two)
    common = set(first) & set(second)
    return len(first) + len(second) - 2 * len(common)


def _against_scene(
    figure: Figure, scene: tuple[Obstacle, ...], exclude: set[tuple[str, str]]
) -> np.ndarray:
    """(k, 2) pairs of a shape of the figure that can move and one of the scene."""
    moves = np.zeros(len(figure.joints), bool)
    for joint, parent in enumerate(figure.parents.tolist()):
        moves[joint] = bool(figure.definition[joint].parts) or (parent >= 0 and moves[parent])
    first = len(figure.shapes)
    out = [
        (i, first + k)
        for i, own in enumerate(figure.shapes)
        for k, other in enumerate(scene)
        if moves[figure.index(own.joint)]
        and (own.joint, other.name) not in exclude
        and (own.contype & other.conaffinity or other.contype & own.conaffinity)
    ]
    return np.array(out, np.int64).reshape(-1, 2)
