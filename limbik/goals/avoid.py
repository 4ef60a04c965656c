"""Avoid: a figure's shapes pass neither through each other nor through those of a scene."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from limbik.errors import GoalError
from limbik.figure.collision_pairs import collision_pairs, shape_distances
from limbik.figure.figure import Figure
from limbik.figure.shape_buffers import POSE, shape_buffers
from limbik.figure.shapes import SHAPES, HalfSpace, Shape
from limbik.goals.avoid_rows import MOST_ROWS, ROOM, avoid_jacobian, avoid_residual
from limbik.goals.functions import TermFunctions
from limbik.goals.priority import Prioritized
from limbik.goals.terms import FUNCTION, Scene, Term, joint_index, vector, weights
from limbik.maths.broad_phase import bounding_radii

SLACK = 1e-4
"""Of the figure's size: how much further apart than the margin the goal asks for."""
_KEPT = 8  # sets of pairs per figure
_POSES, _SPREAD = 64, 0.6  # random poses around the rest pose, and how far from it (rad)
_NEAR = 2  # steps in the tree between joints whose shapes may overlap where they do at rest
_ALWAYS = 0.75  # of them: pairs that touch more often are made that way


@dataclass(frozen=True, eq=False, repr=False)
class Avoid(Prioritized):
    """Shapes stay apart: max(0, margin − d(q)) for every pair of them.

    The figure's own shapes (``figure.shapes``) count against each other, but for those of
    neighbours, those that overlap in the rest pose and are made that way (two joints apart, or in
    most poses), and those that the figure excludes; with ``own=False`` they do not.  They may
    always be as near to each other as the rest pose has them.  They count against those of
    ``scene``, a list of Sphere, Capsule, Box, Cylinder and HalfSpace in the world, unless they
    cannot move.  ``margin`` is how far apart they stay, in the figure's unit.  ``exclude`` has
    pairs of names whose shapes may touch: of joints, or of a joint and a shape of the scene.

    The goal is met when no pair is nearer than the margin, not only within a tolerance of it.

    Pairs share a few rows: a row is the root of the sum of the squares of what its pairs are short
    of, so that f is the sum over all pairs, whatever the number of rows.

    >>> Avoid([limbik.Sphere(0.2, (0.4, 1.2, 0.3), name="ball")], margin=0.01).label
    'collisions'
    """

    scene: Sequence[Shape | HalfSpace] = ()
    margin: float = 0.0
    exclude: Sequence[tuple[str, str]] = ()
    own: bool = True
    weight: float = 10.0

    def __post_init__(self) -> None:
        scene = (self.scene,) if isinstance(self.scene, (*SHAPES, HalfSpace)) else self.scene
        if isinstance(scene, str) or not isinstance(scene, Iterable):
            raise GoalError(f"Avoid: scene needs a list of shapes, got {scene!r}")
        scene = tuple(scene)
        for shape in scene:
            if not isinstance(shape, (*SHAPES, HalfSpace)):
                raise GoalError(f"Avoid: scene: {shape!r} is not a shape")
            if shape.joint:
                raise GoalError(
                    f'Avoid: scene: a shape lies in the world, this one follows "{shape.joint}"; '
                    "figure.with_shapes gives it to the figure"
                )
        object.__setattr__(self, "scene", scene)
        object.__setattr__(self, "exclude", _name_pairs(self.exclude))

    @property
    def label(self) -> str:
        return "collisions"

    def terms(self, scene: Scene) -> list[Term]:
        figure = scene.figure
        if not figure.shapes:
            name = figure.name or "the figure"
            raise GoalError(f"Avoid: {name} has no shapes; give it some: figure.with_shapes([...])")
        margin = vector([self.margin], 1, "Avoid: margin")
        diagonal, full = weights(self.weight, 1, "Avoid")
        if full is not None:
            raise GoalError("Avoid: weight takes one number")
        tested = self._tested(figure)
        if not len(tested.pairs):
            return []
        slack, rows = SLACK * figure.size, min(MOST_ROWS, len(tested.pairs))
        functions = TermFunctions(
            rows, avoid_residual.address, avoid_jacobian.address, tested.joints,
            np.concatenate((margin + slack, tested.numbers)),
            room=ROOM + POSE * tested.shapes, table=tested.table,
            unit="length", tolerance=slack, one_sided=True,
        )  # fmt: skip
        return [Term(FUNCTION, -1, weight=diagonal, functions=functions)]

    def _tested(self, figure: Figure) -> _Tested:
        """What is tested, made once per figure."""
        known = _known.setdefault(figure, {})
        key = (tuple(self.scene), tuple(self.exclude), self.own)
        if key not in known:
            if len(known) >= _KEPT:
                known.clear()
            known[key] = _tested(figure, *key)
        return known[key]

    def joint_pairs(self, figure: Figure, poses: np.ndarray, within: float) -> set[tuple[str, str]]:
        """Names of joints, or of a joint and a shape of the scene, whose shapes come nearer to each
        other than ``within`` in one of the poses (k, n)."""
        pairs, shapes = self._tested(figure).pairs, [*figure.shapes, *self.scene]
        near = np.zeros(len(pairs), bool)
        for q in poses:
            near |= shape_distances(figure, q, pairs, self.scene)[0] < within
        names = [shape.joint or shape.name for shape in shapes]
        return {(names[a], names[b]) for a, b in pairs[near].tolist()}

    def nearest(self, figure: Figure, q: np.ndarray) -> tuple[str, str, float]:
        """(name, name, distance) of the pair that lacks most, in a pose q (n,)."""
        pairs, least = self._tested(figure).pairs, self._tested(figure).least
        shapes = [*figure.shapes, *self.scene]
        distances = shape_distances(figure, q, pairs, self.scene)[0]
        k = int(np.argmin(distances - np.minimum(self.margin, least)))
        one, two = (shapes[i].joint or _scene_name(shapes[i]) for i in pairs[k].tolist())
        return one, two, float(distances[k])

    def describe(
        self, figure: Figure, q: np.ndarray, text: Callable[[float], str], holds: bool
    ) -> str:
        """What is missing, or why the goal ``holds`` another one; ``text`` writes a length."""
        one, two, distance = self.nearest(figure, q)
        if holds:
            return f"{one} would touch {two}"
        if distance < 0.0:
            return f"{one} is {text(-distance)} inside {two}"
        return f"{one} is only {text(distance)} away from {two}"


class _Tested(NamedTuple):
    """pairs:   (k, 2) indices into the shapes of the figure and the scene
    least:   (k,) the distance that is enough for each, whatever the margin
    shapes:  how many of these there are
    joints:  of which each follows one, in the order of a term's joints
    numbers: sizes and local poses of the shapes, and their bounding radii
    table:   ints of the term, as avoid_rows.py reads them
    """

    pairs: np.ndarray
    least: np.ndarray
    shapes: int
    joints: tuple[int, ...]
    numbers: np.ndarray
    table: np.ndarray


_known: weakref.WeakKeyDictionary[Figure, dict[Any, _Tested]] = weakref.WeakKeyDictionary()


def _tested(
    figure: Figure,
    scene: tuple[Shape | HalfSpace, ...],
    exclude: tuple[tuple[str, str], ...],
    own: bool,
) -> _Tested:
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
    used = np.unique(tested)
    buffers = shape_buffers([*figure.shapes, *scene], figure.tree.index)
    radii = np.empty(len(buffers.kinds))
    bounding_radii(buffers.kinds, buffers.sizes, radii)
    follows = buffers.joints[used].astype(np.int64)
    moving = follows < len(figure.joints)
    joints, which = np.unique(follows[moving], return_inverse=True)
    place = np.full(len(used), len(joints))
    place[moving] = which
    numbers = np.concatenate(
        (buffers.sizes[used].ravel(), buffers.local[used].ravel(), radii[used], least)
    )
    renumbered = np.searchsorted(used, tested)
    counts = [len(used), len(tested), len(joints)]
    table = np.concatenate((counts, buffers.kinds[used], place, renumbered.ravel()))
    return _Tested(
        tested, least, len(used), tuple(joints.tolist()), numbers, table.astype(np.int64)
    )


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
    above: dict[int, int] = {}
    while one >= 0:
        above[one] = len(above)
        one = int(figure.parents[one])
    count = 0
    while two >= 0 and two not in above:
        two, count = int(figure.parents[two]), count + 1
    return count + above.get(two, len(above))


def _against_scene(
    figure: Figure, scene: tuple[Shape | HalfSpace, ...], exclude: set[tuple[str, str]]
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


def _scene_name(shape: Shape | HalfSpace) -> str:
    return shape.name or f"the {type(shape).__name__} of the scene"


def _name_pairs(exclude: Any) -> tuple[tuple[str, str], ...]:
    try:
        pairs = tuple((one, two) for one, two in exclude)
    except (TypeError, ValueError):
        pairs = ((None, None),)
    if not all(isinstance(name, str) for pair in pairs for name in pair):
        raise GoalError(f"Avoid: exclude needs pairs of names, got {exclude!r}")
    return pairs
