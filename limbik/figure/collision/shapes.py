"""Simple solids that stand for a body or for an obstacle: what may not pass through what.

A shape lies in the frame of a joint, which it follows, or in the world where it has no joint.
Capsules and cylinders run along the z axis of their own frame.  Lengths are in the figure's unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from limbik.errors import FigureError
from limbik.figure.collision.mesh_hull import MeshHull
from limbik.figure.joints import Vector, unit_axis
from limbik.maths.so3 import quat_rotate

Quaternion = tuple[float, float, float, float]
_UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class _Shape:
    """What all shapes share; their sizes are checked by name."""

    def __post_init__(self) -> None:
        for name in (own.name for own in fields(self)):
            value = getattr(self, name)
            if name in ("center", "half_sizes", "wxyz", "normal"):
                size = 4 if name == "wxyz" else 3
                object.__setattr__(self, name, self._numbers(name, value, size))
            elif name in ("radius", "half_length", "offset"):
                number = self._numbers(name, [value], 1)[0]
                object.__setattr__(self, name, number)
            elif name in ("joint", "name") and not isinstance(value, str):
                raise FigureError(f"{self._kind}: {name} must be text, got {value!r}")
        for what in ("radius", "half_length", "half_sizes"):
            if np.min(getattr(self, what, 0.0)) < 0.0:
                raise FigureError(f"{self._kind}: {what} is below 0")
        for what in ("wxyz", "normal"):
            value = getattr(self, what, (1.0,))
            length = math.sqrt(sum(v * v for v in value))
            if length < 1e-12:
                raise FigureError(f"{self._kind}: {what} has zero length")
            if what in self.__dict__:
                object.__setattr__(self, what, tuple(v / length for v in value))

    @property
    def _kind(self) -> str:
        return type(self).__name__

    def _numbers(self, what: str, value: Any, size: int) -> tuple[float, ...]:
        try:
            array = np.asarray(value, float)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.shape != (size,) or not np.isfinite(array).all():
            many = "a finite number" if size == 1 else f"{size} finite numbers"
            raise FigureError(f"{self._kind}: {what} needs {many}, got {value!r}")
        return tuple(array.tolist())


@dataclass(frozen=True)
class Sphere(_Shape):
    """A ball around ``center``.

    >>> Sphere(0.1, (0, 0, 1)).radius
    0.1
    """

    radius: float
    center: Vector = (0.0, 0.0, 0.0)
    joint: str = ""
    name: str = ""
    contype: int = 1
    conaffinity: int = 1


@dataclass(frozen=True)
class _Round(_Shape):
    """A shape around a segment of its own z axis."""

    radius: float
    half_length: float
    center: Vector = (0.0, 0.0, 0.0)
    wxyz: Quaternion = _UPRIGHT
    joint: str = ""
    name: str = ""
    contype: int = 1
    conaffinity: int = 1


@dataclass(frozen=True)
class Capsule(_Round):
    """All points within ``radius`` of a segment of ±``half_length`` along z around ``center``.

    One that stands for a mesh of a robot's file knows the ``mesh``; files do not keep that.
    """

    mesh: MeshHull | None = field(default=None, repr=False, compare=False, kw_only=True)

    @classmethod
    def between(
        cls,
        start: Sequence[float] | np.ndarray,
        end: Sequence[float] | np.ndarray,
        radius: float,
        **other: Any,
    ) -> Capsule:
        """The capsule whose segment runs from ``start`` (3,) to ``end`` (3,).

        Args:
            start: (3,) one end of the segment.
            end: (3,) the other.
            radius: how far the surface is from it.
            other: ``joint``, ``name``, ``contype`` and ``conaffinity`` of the shape.

        Returns:
            The capsule.

        Raises:
            FigureError: a number is not finite, or the radius not above 0.

        Example:
            >>> Capsule.between((0, 0, 0), (0, 0, 2), 0.1).half_length
            1.0
        """
        a, b = np.asarray(start, float), np.asarray(end, float)
        middle, half = 0.5 * (a + b), 0.5 * float(np.linalg.norm(b - a))
        wxyz = between_z(b - a) if half > 0.0 else _UPRIGHT
        return cls(radius, half, tuple(middle.tolist()), wxyz, **other)  # type: ignore[arg-type]

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The two ends of the segment, (3,) each, in the frame that the capsule lies in."""
        along = quat_rotate(np.array(self.wxyz), np.array([0.0, 0.0, self.half_length]))
        return np.array(self.center) - along, np.array(self.center) + along


@dataclass(frozen=True)
class Box(_Shape):
    """A box of ±``half_sizes`` along its own axes around ``center``."""

    half_sizes: Vector
    center: Vector = (0.0, 0.0, 0.0)
    wxyz: Quaternion = _UPRIGHT
    joint: str = ""
    name: str = ""
    contype: int = 1
    conaffinity: int = 1


@dataclass(frozen=True)
class Cylinder(_Round):
    """A cylinder of ±``half_length`` along z around ``center``.

    Distances are exact.  Where solids overlap the depth is rough: enough to part them, or more.
    One that is more than four times as long as wide counts as the capsule around it.
    """


@dataclass(frozen=True)
class HalfSpace(_Shape):
    """All points x with ``normal``·x ≤ ``offset``: a floor or a wall, for scenes.

    >>> floor = HalfSpace((0, 1, 0))
    """

    normal: Vector
    offset: float = 0.0
    joint: str = ""
    name: str = ""
    contype: int = 1
    conaffinity: int = 1


Shape = Sphere | Capsule | Box | Cylinder
"""What a figure may be made of."""
SHAPES = (Sphere, Capsule, Box, Cylinder)


def scaled_shape(shape: Shape, scale: float) -> Shape:
    """The shape with every length multiplied by ``scale``."""
    center = _times(shape.center, scale)
    if isinstance(shape, Box):
        return replace(shape, center=center, half_sizes=_times(shape.half_sizes, scale))
    if isinstance(shape, Sphere):
        return replace(shape, center=center, radius=scale * shape.radius)
    shape = replace(
        shape, center=center, radius=scale * shape.radius, half_length=scale * shape.half_length
    )
    if isinstance(shape, Capsule) and shape.mesh is not None:
        return replace(shape, mesh=shape.mesh.scaled(scale))
    return shape


def between_z(direction: Sequence[float] | np.ndarray) -> Quaternion:
    """The least rotation wxyz that brings z to a ``direction`` (3,)."""
    x, y, z = unit_axis(direction, "direction")
    if z < -1.0 + 1e-15:
        return (0.0, 1.0, 0.0, 0.0)
    # (1 + z·d, z × d), made a unit.
    quat = np.array([1.0 + z, -y, x, 0.0])
    w, i, j, k = (quat / np.linalg.norm(quat)).tolist()
    return (w, i, j, k)


def _times(values: Vector, scale: float) -> Vector:
    return (scale * values[0], scale * values[1], scale * values[2])
