"""Which shapes of a figure are tested against each other, and how far apart they are in a pose."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from limbik.figure.collision.shape_buffers import (
    POSE,
    Obstacle,
    ShapeBuffers,
    place_shapes,
    shape_buffers,
)
from limbik.figure.collision.shapes import Capsule, Shape
from limbik.figure.collision.surfaces import SURFACES
from limbik.figure.figure import Figure
from limbik.maths.distance import RESULT, distances
from limbik.maths.distance_field import field_distance
from limbik.maths.hull_distance import hull_distance

_own: weakref.WeakKeyDictionary[Figure, ShapeBuffers] = weakref.WeakKeyDictionary()
_hulls: weakref.WeakKeyDictionary[Figure, Hulls] = weakref.WeakKeyDictionary()


class Hulls(NamedTuple):
    """pairs:   (shapes, shapes) whether two shapes of a figure are measured by their hulls
    numbers: those of the hulls (maths/hull_distance.py) one after the other, after a 0
    at:      (shapes,) where that of each shape begins, 0 for one that has none
    """

    pairs: np.ndarray
    numbers: np.ndarray
    at: np.ndarray


def collision_pairs(
    figure: Figure, *, exclude: Iterable[tuple[str, str]] = (), touching: bool = False
) -> np.ndarray:
    """(pairs, 2) indices into ``figure.shapes`` of shapes that must not pass through each other.

    Left out are shapes that move as one (on one joint, or on joints that are fixed to each other),
    shapes of neighbours (the nearest joint above that has shapes), pairs that the figure excludes
    (``figure.exclusions``) or ``exclude`` names, and pairs whose masks do not meet: as in MuJoCo,
    contype of the one and conaffinity of the other must have a bit in common.  So are pairs that
    overlap in the rest pose, because they are made that way, unless ``touching`` keeps them.

    >>> collision_pairs(limbik.figures.human()).shape[1]
    2
    """
    shapes = figure.shapes
    group = _rigid_groups(figure)
    owner = np.array([figure.index(shape.joint) for shape in shapes], int)
    of = group[owner] if len(shapes) else owner
    above = _groups_above(figure, group, set(of.tolist()))
    index = figure.index
    named = {frozenset((index(a), index(b))) for a, b in (*figure.exclusions, *exclude)}
    named |= {frozenset(group[list(pair)].tolist()) for pair in named}
    out = []
    for i in range(len(shapes)):
        for j in range(i + 1, len(shapes)):
            a, b = int(of[i]), int(of[j])
            if a == b or above.get(a) == b or above.get(b) == a:
                continue
            pair = {frozenset((int(owner[i]), int(owner[j]))), frozenset((a, b))}
            if pair & named or not _meet(shapes[i], shapes[j]):
                continue
            out.append((i, j))
    pairs = np.array(out, np.uint32).reshape(-1, 2)
    return pairs if touching else pairs[shape_distances(figure, figure.rest, pairs)[0] > 0.0]


def shape_distances(
    figure: Figure,
    q: Sequence[float] | np.ndarray,
    pairs: np.ndarray | None = None,
    scene: Sequence[Obstacle] = (),
    places: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Signed distances (pairs,) of shapes in a pose q (n,), and where.

    Where is (pairs, 9): the nearest points of both and the normal from the first to the second.

    ``pairs`` (k, 2) are those of ``collision_pairs`` unless given; the shapes of a ``scene`` in the
    world are counted on after those of the figure; they lie where they say, or at ``places``
    (shapes, 12): rotations, row by row, and positions.  Two shapes that overlap in the rest pose,
    although the convex hulls of the meshes that they stand for do not, are as far apart as these.

    >>> human = limbik.figures.human()
    >>> bool(shape_distances(human, human.rest)[0].min() > -0.1)
    True
    """
    pairs = collision_pairs(figure) if pairs is None else np.asarray(pairs, np.uint32)
    buffers = buffers_with(figure, scene)
    poses = shape_poses(figure, q, buffers)
    if places is not None:
        poses[len(figure.shapes) :] = places
    out, where = np.empty(len(pairs)), np.empty((len(pairs), RESULT))
    fields = {
        len(figure.shapes) + k: shape.numbers
        for k, shape in enumerate(scene)
        if isinstance(shape, SURFACES)
    }
    plain = ~np.isin(pairs, list(fields)).any(axis=1)
    found, places = out[plain], where[plain]
    distances(buffers.kinds, buffers.sizes, poses, pairs[plain], len(found), found, places)
    out[plain], where[plain] = found, places
    hulls = hulls_of(figure)
    own = np.asarray((pairs < len(figure.shapes)).all(axis=1))
    own[own] = hulls.pairs[pairs[own, 0], pairs[own, 1]]
    _by_hulls(hulls, buffers, poses, pairs, np.flatnonzero(own), out, where)
    for k in np.flatnonzero(~plain).tolist():
        i, j = pairs[k].tolist()
        floats = np.concatenate((buffers.sizes[i], poses[i], poses[j], fields[j]))
        out[k] = field_distance(floats, 0, 4, 4 + 2 * POSE, 4 + POSE, where[k])
    return out, where


def hulls_of(figure: Figure) -> Hulls:
    """The hulls of meshes of a figure, and which pairs they measure: those whose shapes overlap in
    the rest pose although the hulls do not.  Made once per figure."""
    known = _hulls.get(figure)
    if known is not None:
        return known
    count = len(figure.shapes)
    measured, at, tables = np.zeros((count, count), bool), np.zeros(count, np.int64), [np.zeros(1)]
    meshes = [shape.mesh if isinstance(shape, Capsule) else None for shape in figure.shapes]
    if any(meshes):
        pairs, buffers = collision_pairs(figure, touching=True), buffers_with(figure)
        pairs = pairs[[bool(meshes[a] or meshes[b]) for a, b in pairs.tolist()]]
        poses = shape_poses(figure, figure.rest, buffers)
        out, where = np.empty(len(pairs)), np.empty((len(pairs), RESULT))
        distances(buffers.kinds, buffers.sizes, poses, pairs, len(pairs), out, where)
        overlap = np.flatnonzero(out <= 0.0)
        for k in np.unique(pairs[overlap]).tolist():
            mesh = meshes[k]
            if mesh is not None:
                at[k] = sum(map(len, tables))
                tables.append(mesh.numbers)
        hulls = Hulls(measured, np.concatenate(tables), at)
        _by_hulls(hulls, buffers, poses, pairs, overlap, out, where)
        apart = pairs[overlap[out[overlap] > 0.0]]
        measured[apart[:, 0], apart[:, 1]] = measured[apart[:, 1], apart[:, 0]] = True
    known = _hulls[figure] = Hulls(measured, np.concatenate(tables), at)
    return known


def _by_hulls(
    hulls: Hulls,
    buffers: ShapeBuffers,
    poses: np.ndarray,
    pairs: np.ndarray,
    which: np.ndarray,
    out: np.ndarray,
    where: np.ndarray,
) -> None:
    """Distances of those ``pairs`` (k, 2) that have the numbers ``which``, by their hulls."""
    for k in which.tolist():
        i, j = pairs[k].tolist()
        out[k] = hull_distance(
            buffers.kinds, buffers.sizes, poses, i, j, hulls.numbers, hulls.at[i], hulls.at[j],
            np.inf, where[k],
        )  # fmt: skip


def buffers_with(figure: Figure, scene: Sequence[Obstacle] = ()) -> ShapeBuffers:
    """The arrays of the shapes of a figure, made once for it, and after them those of a scene."""
    own = _own.get(figure)
    if own is None:
        own = _own[figure] = shape_buffers(figure.shapes, figure.tree.index)
    if not scene:
        return own
    more = shape_buffers(scene, figure.tree.index)
    return ShapeBuffers(*(np.concatenate(both) for both in zip(own, more, strict=True)))


def shape_poses(
    figure: Figure, q: Sequence[float] | np.ndarray, buffers: ShapeBuffers
) -> np.ndarray:
    """(shapes, 12) rotations and positions of shapes in the world, for a pose q (n,)."""
    frames = figure.frames(figure.single_pose(q))
    world = np.concatenate([frames[:, :3, :3].reshape(-1, 9), frames[:, :3, 3]], axis=1).ravel()
    poses = np.empty((len(buffers.kinds), POSE))
    place_shapes(buffers.joints, buffers.local, world, poses)
    return poses


def _rigid_groups(figure: Figure) -> np.ndarray:
    """(joints,) the first joint of those that each is fixed to."""
    group = np.arange(len(figure.joints))
    for i, parent in enumerate(figure.parents):
        if parent >= 0 and not figure.definition[i].parts:
            group[i] = group[parent]
    return group


def _groups_above(figure: Figure, group: np.ndarray, with_shapes: set[int]) -> dict[int, int]:
    """For every group with shapes the nearest group above it that has shapes too."""
    out = {}
    for own in with_shapes:
        at = int(figure.parents[own])
        while at >= 0 and int(group[at]) not in with_shapes:
            at = int(figure.parents[group[at]])
        if at >= 0:
            out[own] = int(group[at])
    return out


def _meet(a: Shape, b: Shape) -> bool:
    return bool(a.contype & b.conaffinity or b.contype & a.conaffinity)
