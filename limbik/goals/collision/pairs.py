"""Which shapes an Avoid tests against each other, and the flat tables of them."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np

from limbik.figure.collision.shape_buffers import POSE, Obstacle
from limbik.figure.collision.surfaces import SURFACES
from limbik.figure.collision_pairs import buffers_with, collision_pairs, shape_distances
from limbik.figure.figure import Figure
from limbik.goals.collision.view import SCENE_POSES
from limbik.goals.terms import joint_index
from limbik.maths.broad_phase import bounding_radii

_KEPT = 8  # sets of pairs per figure
_POSES, _SPREAD = 64, 0.6  # random poses around the rest pose, and how far from it (rad)
_NEAR = 2  # steps in the tree between joints whose shapes may overlap where they do at rest
_ALWAYS = 0.75  # of them: pairs that touch more often are made that way


class Tested(NamedTuple):
    """pairs:   (k, 2) indices into the shapes of the figure and, after them, of the scene
    least:   (k,) the distance that is enough for each, whatever the margin
    shapes:  how many shapes are in the tables: all of the scene, then those of the figure in a pair
    joints:  of which each follows one, in the order of a term's joints
    numbers: local poses, sizes and bounding radii of the shapes, the least distances of the pairs,
             the normals between them in the rest pose, and the fields of the scene
    table:   ints of the term (view.py)
    """

    pairs: np.ndarray
    least: np.ndarray
    shapes: int
    joints: tuple[int, ...]
    numbers: np.ndarray
    table: np.ndarray


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
    fields = [shape.numbers if isinstance(shape, SURFACES) else np.zeros(0) for shape in scene]
    for k, shape in enumerate(scene):
        if isinstance(shape, SURFACES):
            radii[first + k] = shape.reach
    follows = buffers.joints[used].astype(np.int64)
    moving = follows < len(figure.joints)
    joints, which = np.unique(follows[moving], return_inverse=True)
    place = np.full(len(used), len(joints))
    place[moving] = which
    normals = shape_distances(figure, figure.rest, tested, scene)[1][:, 6:]
    shapes = (buffers.local[used].ravel(), buffers.sizes[used].ravel(), radii[used])
    numbers = np.concatenate((*shapes, least, normals.ravel(), *fields))
    lengths = np.array([0, *(len(table) for table in fields)])
    begin = SCENE_POSES + (POSE + 5) * len(used) + 4 * len(least) + np.cumsum(lengths)[:-1]
    begin = np.where(lengths[1:] > 0, begin, 0)
    number = np.zeros(len(buffers.kinds), np.int64)
    number[used] = np.arange(len(used))
    counts = [len(used), len(tested), len(joints), len(scene)]
    table = np.concatenate((counts, buffers.kinds[used], place, number[tested].ravel(), begin))
    return Tested(tested, least, len(used), tuple(joints.tolist()), numbers, table.astype(np.int64))


def _own_pairs(figure: Figure, exclude: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    """((k, 2) pairs of the figure's shapes, (k,) the distance that is enough for each).

    That of the rest pose is enough.  Of pairs that overlap there, those that overlap in most
    poses and those of joints that are near in the tree are left out: they are made that way.
    """
    pairs = collision_pairs(figure, exclude=exclude, touching=True).astype(np.int64)
    rest = shape_distances(figure, figure.rest, pairs)[0]
    owner = [figure.index(shape.joint) for shape in figure.shapes]
    apart = np.array([_steps(figure, owner[a], owner[b]) for a, b in pairs[rest <= 0.0].tolist()])
    keep = rest > 0.0
    keep[~keep] = apart > _NEAR
    doubtful = np.flatnonzero(keep & (rest <= 0.0))
    if len(doubtful):
        rng = np.random.default_rng(0)
        poses = figure.rest + _SPREAD * rng.normal(size=(_POSES, figure.n))
        touching = [
            shape_distances(figure, q, pairs[doubtful])[0] <= 0.0 for q in figure.project(poses)
        ]
        keep[doubtful] = np.mean(touching, axis=0) < _ALWAYS
    return pairs[keep], rest[keep]


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
