"""Avoid: a figure's shapes pass neither through each other nor through those of a scene."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from limbik.errors import GoalError
from limbik.figure.collision.shape_buffers import POSE, Obstacle
from limbik.figure.collision.shapes import SHAPES, HalfSpace
from limbik.figure.collision.surfaces import SURFACES
from limbik.figure.collision_pairs import shape_distances
from limbik.figure.figure import Figure
from limbik.goals.collision.pairs import Tested, tested_of
from limbik.goals.collision.rows import avoid_jacobian, avoid_residual
from limbik.goals.collision.second import avoid_second
from limbik.goals.collision.view import SCENE_POSES, room_size
from limbik.goals.kernels.functions import TermFunctions
from limbik.goals.priority import Prioritized
from limbik.goals.terms import (
    FUNCTION,
    NUMBERS,
    Answered,
    Scene,
    TargetWrite,
    Term,
    vector,
    weights,
)
from limbik.maths.so3 import quat_to_matrix

SLACK = 1e-4
"""Of the figure's size: how much further apart than the margin the goal asks for."""
OBSTACLES = (*SHAPES, HalfSpace, *SURFACES)
FORESEEN = 5e-3
"""Of the figure's size: pairs that are further apart than the margin and this are not foreseen."""


@dataclass(frozen=True, eq=False, repr=False)
class Avoid(Prioritized):
    """Shapes stay apart: max(0, margin − d(q)) for every pair of them.

    The figure's own shapes (``figure.shapes``) count against each other, but for those of
    neighbours, those that overlap in the rest pose and in most others, being made that way, and
    those that the figure excludes; with ``own=False`` they do not.  Meshes of a robot's file count
    as the capsules around them; two that overlap in the rest pose as the meshes' convex hulls,
    where these do not.  Shapes may always be as near to each other as the rest pose has them, and
    as deep; a little deeper where they overlap there and are two joints apart.  They count against
    those of ``scene``, a list of Sphere, Capsule, Box, Cylinder, HalfSpace, TriangleMesh and
    HeightMap in the world, unless they cannot move.  A scene moves with ``positions`` (shapes, 3)
    and ``wxyz`` (shapes, 4): where the shapes' centres (or frames; of a HalfSpace a point of its
    plane, its z axis being the normal) are, with one more axis where they differ by problem or
    frame; they can be moved with ``Solver`` and ``Live`` too.  ``margin`` is how far apart they
    stay, in the figure's unit.  ``exclude`` has pairs of names whose shapes may touch: of joints,
    or of a joint and a shape of the scene.

    The goal is met when no pair is nearer than the margin, not only within a tolerance of it.

    Pairs share a few rows: a row is the root of the sum of the squares of what its pairs are short
    of, so that f is the sum over all pairs, whatever the number of rows.

    >>> Avoid([limbik.Sphere(0.2, (0.4, 1.2, 0.3), name="ball")], margin=0.01).label
    'collisions'
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"positions": None, "wxyz": None}

    scene: Sequence[Obstacle] = ()
    margin: float = 0.0
    exclude: Sequence[tuple[str, str]] = ()
    own: bool = True
    weight: float = 10.0
    positions: Any = None
    wxyz: Any = None

    def __post_init__(self) -> None:
        scene = (self.scene,) if isinstance(self.scene, OBSTACLES) else self.scene
        if isinstance(scene, str) or not isinstance(scene, Iterable):
            raise GoalError(f"Avoid: scene needs a list of shapes, got {scene!r}")
        scene = tuple(scene)
        for shape in scene:
            if not isinstance(shape, OBSTACLES):
                raise GoalError(f"Avoid: scene: {shape!r} is not a shape")
            if shape.joint:
                raise GoalError(
                    f'Avoid: scene: a shape lies in the world, this one follows "{shape.joint}"; '
                    "figure.with_shapes gives it to the figure"
                )
        object.__setattr__(self, "scene", scene)
        object.__setattr__(self, "exclude", _name_pairs(self.exclude))
        for name in self.TARGETS:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, self.flat_target(name, getattr(self, name)))

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
        numbers = tested.numbers.copy()
        for name in self.TARGETS:
            if getattr(self, name) is not None:
                for write in self.target_writes({name: getattr(self, name)[None]}):
                    first = NUMBERS - write.at - SCENE_POSES
                    numbers[first : first + write.values.shape[1]] = write.values[0]
        slack, ahead = SLACK * figure.size, FORESEEN * figure.size
        within = tested.within(margin + slack, ahead)
        functions = TermFunctions(
            tested.rows, avoid_residual.address, avoid_jacobian.address, tested.joints,
            np.concatenate((margin + slack, [ahead], numbers, within)),
            room=room_size(tested.shapes, len(tested.enough), figure.n), table=tested.table,
            unit="length", tolerance=slack, one_sided=True, second=avoid_second.address,
        )  # fmt: skip
        return [Term(FUNCTION, -1, weight=diagonal, functions=functions)]

    def _tested(self, figure: Figure) -> Tested:
        return tested_of(figure, tuple(self.scene), tuple(self.exclude), self.own)

    def flat_target(self, name: str, values: Any) -> np.ndarray:
        """Places (…, shapes, 3) or orientations (…, shapes, 4) of the scene's shapes as rows."""
        try:
            array = np.asarray(values, float)
        except (TypeError, ValueError):
            raise GoalError(f"Avoid: {name} needs numbers, got {values!r}") from None
        count, width = len(self.scene), 3 if name == "positions" else 4
        if array.shape[-2:] == (count, width) and array.ndim in (2, 3):
            array = array.reshape(*array.shape[:-2], count * width)
        if array.ndim not in (1, 2) or array.shape[-1] != count * width:
            raise GoalError(
                f"Avoid: {name} needs {width} numbers for each of {count} shapes of the scene"
            )
        return array

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[TargetWrite]:
        out = []
        for k in range(len(self.scene)):
            first = NUMBERS - SCENE_POSES - POSE * k
            if "positions" in tables:
                out.append(TargetWrite(0, first - 9, tables["positions"][:, 3 * k : 3 * k + 3]))
            if "wxyz" in tables:
                turns = tables["wxyz"][:, 4 * k : 4 * k + 4]
                matrices = np.array([quat_to_matrix(turn).ravel() for turn in turns])
                out.append(TargetWrite(0, first, matrices))
        return out

    def joint_pairs(self, figure: Figure, poses: np.ndarray, within: float) -> set[tuple[str, str]]:
        """Names of joints, or of a joint and a shape of the scene, whose shapes come nearer to each
        other than ``within`` in one of the poses (k, n).

        Args:
            figure: whose shapes they are.
            poses: (k, n).
            within: a distance in the figure's unit.

        Returns:
            Pairs of names, each in order.
        """
        pairs, shapes = self._tested(figure).pairs, [*figure.shapes, *self.scene]
        near = np.zeros(len(pairs), bool)
        for q in poses:
            near |= shape_distances(figure, q, pairs, self.scene)[0] < within
        names = [shape.joint or shape.name for shape in shapes]
        return {(names[a], names[b]) for a, b in pairs[near].tolist()}

    def nearest(
        self, figure: Figure, q: np.ndarray, numbers: np.ndarray | None = None
    ) -> tuple[str, str, float]:
        """(name, name, distance) of the pair that lacks most, in a pose q (n,), with the scene
        where the ``numbers`` of the goal's term have it, or as it was given.

        Args:
            figure: whose shapes they are.
            q: a pose (n,).
            numbers: those of the goal's term, where a scene has moved.

        Returns:
            Two names, and their distance in the figure's unit, negative where they overlap.

        Raises:
            GoalError: the figure has no shapes.
        """
        pairs, least = self._tested(figure).pairs, self._tested(figure).least
        shapes, places = [*figure.shapes, *self.scene], None
        if numbers is not None and self.scene:
            places = numbers[SCENE_POSES:][: POSE * len(self.scene)].reshape(-1, POSE)
        distances = shape_distances(figure, q, pairs, self.scene, places)[0]
        k = int(np.argmin(distances - np.minimum(self.margin, least)))
        one, two = (shapes[i].joint or _scene_name(shapes[i]) for i in pairs[k].tolist())
        return one, two, float(distances[k])

    def describe(self, answered: Answered) -> str:
        """What is missing, or why the goal ``holds`` another one."""
        one, two, distance = self.nearest(answered.figure, answered.q, answered.numbers)
        if answered.holds:
            return f"{one} would touch {two}"
        if distance < 0.0:
            return f"{one} is {answered.text(-distance)} inside {two}"
        return f"{one} is only {answered.text(distance)} away from {two}"


def _scene_name(shape: Obstacle) -> str:
    return shape.name or f"the {type(shape).__name__} of the scene"


def _name_pairs(exclude: Any) -> tuple[tuple[str, str], ...]:
    try:
        pairs = tuple((one, two) for one, two in exclude)
    except (TypeError, ValueError):
        pairs = ((None, None),)
    if not all(isinstance(name, str) for pair in pairs for name in pair):
        raise GoalError(f"Avoid: exclude needs pairs of names, got {exclude!r}")
    return pairs
