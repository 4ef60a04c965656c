"""What a figure says of its masses, shapes, speeds and loops, and how they are changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from limbik.errors import FigureError
from limbik.figure.collision.shapes import Shape
from limbik.figure.physical.center_of_mass import SUBTREE, com_many
from limbik.figure.physical.properties import (
    Inertia,
    JointNumbers,
    Loop,
    Physical,
    limits_of_coordinates,
    resolved,
)

if TYPE_CHECKING:
    from limbik.figure.figure import Figure

Masses = tuple[tuple[str, Inertia], ...]
_ESTIMATES: dict[str, Callable[[Any], Any]] = {}


def register_estimates(
    masses: Callable[[Any], Masses], shapes: Callable[[Any], tuple[Shape, ...]]
) -> None:
    """Let figures whose files say nothing of masses and shapes have some, by functions from a layer
    above this one that take the figure."""
    _ESTIMATES.update(masses=masses, shapes=shapes)


class PhysicalFigure:
    """The part of ``Figure`` that speaks of masses, shapes, speed limits and loops."""

    _physical: Physical

    if TYPE_CHECKING:  # what Figure has

        @property
        def joints(self) -> tuple[str, ...]: ...
        @property
        def n(self) -> int: ...

    @property
    def physical(self) -> Physical:
        """What was said of masses, shapes, speeds and loops; what is estimated is not in it.

        Masses and shapes that were worked out from meshes once are not worked out again.
        """
        known = {
            what: tuple(value.items()) if isinstance(value, Mapping) else value
            for what in ("inertias", "shapes")
            if callable(getattr(self._physical, what)) and (value := self.__dict__.get(what))
        }
        return replace(self._physical, **known) if known else self._physical

    # ---- masses ----------------------------------------------------------------------------

    @cached_property
    def inertias(self) -> Mapping[str, Inertia]:
        """The masses that follow the joints, by joint name.

        From the file; for a body whose file has none, from a table of body segments
        (``limbik.bodies``).  Empty where nothing is known.
        """
        given = self._physical.inertias
        if given is None:
            estimate = _ESTIMATES.get("masses")
            given = () if estimate is None else estimate(self)
        return _ReadOnly(resolved(given))

    @cached_property
    def masses(self) -> np.ndarray:
        """(joints,) the mass that follows each joint, kg."""
        out = np.array([self.inertias[j].mass if j in self.inertias else 0.0 for j in self.joints])
        out.setflags(write=False)
        return out

    @property
    def mass(self) -> float:
        """The whole mass, kg; 0.0 where nothing is known of it.

        >>> round(limbik.figures.human().mass, 6)
        73.0
        """
        return float(self.masses.sum())

    @cached_property
    def mass_buffer(self) -> np.ndarray:
        """(joints · 4) for the kernels of center_of_mass.py: m·c in the joint's frame, then m."""
        out = np.zeros((len(self.joints), SUBTREE))
        for i, name in enumerate(self.joints):
            own = self.inertias.get(name)
            if own is not None:
                out[i] = *(own.mass * np.array(own.center)), own.mass
        return out.ravel()

    def com(self: Any, q: Any) -> np.ndarray:
        """The centre of mass in the world: (3,), or (frames, 3) for (frames, n).

        Args:
            q: a pose (n,), or poses (frames, n).

        Returns:
            In the figure's unit.

        Raises:
            FigureError: the figure has no masses, or it is no pose of it.

        Example:
            >>> limbik.figures.human().com(limbik.figures.human().rest).shape
            (3,)
        """
        return self._com(q, False)[0]

    def com_jacobian(self: Any, q: Any) -> np.ndarray:
        """How the centre of mass moves per unit of each coordinate: (3, n) or (frames, 3, n).

        Args:
            q: a pose (n,), or poses (frames, n).

        Returns:
            In the figure's unit per rad or unit.

        Raises:
            FigureError: the figure has no masses, or it is no pose of it.
        """
        return self._com(q, True)[1]

    def _com(self: Any, q: Any, wanted: bool) -> tuple[np.ndarray, np.ndarray]:
        poses = self.pose(q)
        if not self.mass > 0.0:
            raise FigureError(
                f"{self.name or 'the figure'} has no masses; give it some: "
                "figure.with_masses({joint: kg})"
            )
        rows = np.atleast_2d(poses)
        out = np.empty((len(rows), 3))
        jacobian = np.empty((len(rows) if wanted else 0, 3, self.n))
        com_many(self._ints, self._floats, self.mass_buffer, rows, out, jacobian)
        if poses.ndim == 1:
            return out[0], jacobian[0] if wanted else jacobian
        return out, jacobian

    def with_masses(self: Any, masses: float | Mapping[str, float | Inertia]) -> Figure:
        """The same figure with other masses.

        A number is the whole mass in kg, shared as it is now.  Otherwise kg or an ``Inertia`` by
        joint name: a number moves neither the joint's centre of mass nor, but for their size, its
        moments; joints that are not named stay as they are.

        Args:
            masses: kg, or kg or ``Inertia`` by the name of a joint.

        Returns:
            The figure.

        Raises:
            FigureError: there is no such joint, or a mass is not above 0.

        Example:
            >>> limbik.figures.human().with_masses(60.0).mass
            60.0
        """
        now = dict(self.inertias)
        if isinstance(masses, Mapping):
            for key, value in masses.items():
                name = self.joints[self.index(key)]
                now[name] = (
                    value
                    if isinstance(value, Inertia)
                    else _with_mass(now.get(name, Inertia(0.0)), value)
                )
        else:
            if not self.mass > 0.0:
                raise FigureError("with_masses: no mass is known that a total could be shared by")
            share = _with_mass(Inertia(1.0), masses).mass / self.mass
            now = {name: _with_mass(own, own.mass * share) for name, own in now.items()}
        return self._with(replace(self.physical, inertias=tuple(now.items())))

    # ---- shapes ----------------------------------------------------------------------------

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The solids that follow the joints, for collisions.

        From the file's collision shapes; for figures from files that have none, capsules fitted to
        the skinned mesh, or to the bones (``limbik.bodies``).
        """
        given = self._physical.shapes
        if given is None:
            estimate = _ESTIMATES.get("shapes")
            given = () if estimate is None else estimate(self)
        return resolved(given)

    @property
    def exclusions(self) -> tuple[tuple[str, str], ...]:
        """Pairs of joints whose shapes may touch, as the file says (SRDF, MJCF)."""
        return self._physical.exclusions

    def with_shapes(
        self: Any,
        shapes: Iterable[Shape],
        *,
        exclusions: Iterable[tuple[str, str]] | None = None,
    ) -> Figure:
        """The same figure with these shapes, each with the name of the ``joint`` that it follows.

        ``exclusions`` are pairs of joints whose shapes may touch; as they are unless given.

        Args:
            shapes: ``Sphere``, ``Capsule``, ``Box``, ``Cylinder`` and the like.
            exclusions: pairs of names of joints.

        Returns:
            The figure.

        Raises:
            FigureError: a shape or a pair names no joint of the figure.

        Example:
            >>> arm = limbik.figures.arm()
            >>> arm = arm.with_shapes([*arm.shapes, limbik.Sphere(0.1, joint="Tool")])
        """
        if isinstance(shapes, str) or not isinstance(shapes, Iterable):
            raise FigureError(f"with_shapes: needs a list of shapes, got {shapes!r}")
        named = tuple(
            replace(shape, joint=self.joints[self.index(shape.joint)])
            if isinstance(getattr(shape, "joint", None), str)
            else shape
            for shape in shapes
        )
        pairs = self.exclusions
        if exclusions is not None:
            pairs = tuple(
                (self.joints[self.index(a)], self.joints[self.index(b)]) for a, b in exclusions
            )
        return self._with(replace(self.physical, shapes=named, exclusions=pairs))

    # ---- speeds, efforts, loops --------------------------------------------------------------

    @cached_property
    def speed_limits(self: Any) -> np.ndarray:
        """(n,) how fast each coordinate may change, rad/s or unit/s; inf where nobody says."""
        return self._limits(self._physical.speeds)

    @cached_property
    def effort_limits(self: Any) -> np.ndarray:
        """(n,) the largest torque (N·m) or force (N) at each coordinate; inf where nobody says."""
        return self._limits(self._physical.efforts)

    def _limits(self: Any, each: Iterable[JointNumbers]) -> np.ndarray:
        tree = self._tree
        return limits_of_coordinates(each, tree.index, tree.slots_of, tree.slots, self.n)

    def with_speed_limits(
        self: Any, limits: float | Sequence[float] | np.ndarray | Mapping[str, Any]
    ) -> Figure:
        """The same figure with other speed limits, rad/s and unit/s.

        One number for all coordinates, (n,) numbers, or numbers by the name of a joint or of a
        coordinate; those that are not named stay as they are.  inf is no limit.

        Args:
            limits: rad/s or the figure's unit per second, 0 or more.

        Returns:
            The figure.

        Raises:
            FigureError: there is no such joint or coordinate, or a limit is below 0.

        Example:
            >>> arm = limbik.figures.arm().with_speed_limits({"Joint1": 2.0})
            >>> float(arm.speed_limits[0])
            2.0
        """
        speeds = self.speed_limits.copy()
        if isinstance(limits, Mapping):
            for key, value in limits.items():
                if key in self.coordinates:
                    columns = np.array([self.coordinates.index(key)])
                else:
                    columns = np.flatnonzero(self.owner == self.index(key))
                if not len(columns):
                    raise FigureError(f'with_speed_limits: "{key}" has no coordinates of its own')
                speeds[columns] = _positive(value, (len(columns),))
        else:
            speeds[:] = _positive(limits, (self.n,))
        each: list[JointNumbers] = []
        for i, joint in enumerate(self.definition):
            own = self._tree.slots_of[i]
            if own:
                values = tuple(self._own_speed(speeds, k, i) for k in own)
                each.append(JointNumbers(joint.name, values))
        return self._with(replace(self.physical, speeds=tuple(each)))

    def _own_speed(self: Any, speeds: np.ndarray, slot: int, joint: int) -> float:
        """The speed limit of one way to move; one that follows another has none of its own."""
        coordinate = self._tree.slots[slot].coordinate
        own = self.owner[coordinate] == joint and self._tree.slots[slot].scale == 1.0
        return float(speeds[coordinate]) if own else math.inf

    @property
    def loops(self) -> tuple[Loop, ...]:
        """What holds the tree together across its branches (MJCF connect and weld)."""
        return self._physical.loops

    def with_loops(self: Any, loops: Iterable[Loop]) -> Figure:
        """The same figure with these loops instead of its own.

        Args:
            loops: each connects points of two joints.

        Returns:
            The figure.

        Raises:
            FigureError: a loop names no joint of the figure.
        """
        return self._with(replace(self.physical, loops=tuple(loops)))

    def _with(self: Any, physical: Physical) -> Figure:
        return self._rebuilt(self.definition, physical=physical)


class _ReadOnly(Mapping[str, Inertia]):
    """A mapping that cannot be changed and can be pickled."""

    def __init__(self, pairs: Iterable[tuple[str, Inertia]]) -> None:
        self._pairs = dict(pairs)

    def __getitem__(self, name: str) -> Inertia:
        return self._pairs[name]

    def __iter__(self) -> Any:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return repr(self._pairs)


def _with_mass(inertia: Inertia, mass: Any) -> Inertia:
    """The same distribution of another mass."""
    new = Inertia(mass)
    share = new.mass / inertia.mass if inertia.mass > 0.0 else 0.0
    moments: Any = tuple(share * value for value in inertia.moments)
    return Inertia(new.mass, inertia.center, moments)


def _positive(values: Any, shape: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.broadcast_to(np.asarray(values, float), shape)
    except (TypeError, ValueError):
        array = np.array([math.nan])
    if not (array >= 0.0).all():
        raise FigureError(f"with_speed_limits: needs {shape[0]} numbers of 0 or more: {values!r}")
    return array
