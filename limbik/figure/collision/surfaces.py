"""Obstacles that are surfaces, for scenes: triangle meshes and maps of heights."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from limbik.errors import FigureError
from limbik.figure.collision.shapes import Box, Quaternion
from limbik.figure.joints import Vector
from limbik.maths.distance_field import height_field, mesh_field

_WIDER = 3  # cells around a mesh
_WINDOW = 4  # spacings of a map of heights around a node
_MOST = 2_000_000  # numbers of a field


@dataclass(frozen=True, eq=False)
class _Surface:
    """What both share: a pose in the world, and distances on a grid, made when first needed."""

    center: Vector = field(default=(0.0, 0.0, 0.0), kw_only=True)
    wxyz: Quaternion = field(default=(1.0, 0.0, 0.0, 0.0), kw_only=True)
    name: str = field(default="", kw_only=True)
    contype: int = field(default=1, kw_only=True)
    conaffinity: int = field(default=1, kw_only=True)

    joint = ""

    def _place(self) -> None:
        try:
            box = Box((0.0, 0.0, 0.0), self.center, self.wxyz, name=self.name)
        except FigureError as error:
            raise FigureError(str(error).replace("Box", type(self).__name__, 1)) from None
        object.__setattr__(self, "center", box.center)
        object.__setattr__(self, "wxyz", box.wxyz)

    def _array(self, what: str, values: Any, kind: type, shape: tuple[int, ...]) -> np.ndarray:
        """A table of numbers; −1 in ``shape`` is any number above 0."""
        try:
            array = np.array(values, dtype=kind)
        except (TypeError, ValueError):
            array = np.empty(0)
        fits = array.ndim == len(shape) and all(
            have == want or (want < 0 and have > 0)
            for have, want in zip(array.shape, shape, strict=True)
        )
        if not fits or not np.isfinite(array).all():
            raise FigureError(f"{type(self).__name__}: {what} needs a table of finite numbers")
        array.setflags(write=False)
        return array

    def _field(self, low: np.ndarray, high: np.ndarray, cell: float) -> tuple[np.ndarray, ...]:
        """(first node, empty values) of a grid from low to high."""
        nodes = np.maximum(np.ceil((high - low) / cell - 1e-9).astype(int) + 1, 2)
        if int(np.prod(nodes)) > _MOST:
            raise FigureError(
                f"{type(self).__name__}: cells of {cell:g} make {int(np.prod(nodes))} distances; "
                "make them larger (cell=)"
            )
        return low, np.empty(nodes.tolist())


@dataclass(frozen=True, eq=False)
class TriangleMesh(_Surface):
    """A solid whose surface is triangles, for scenes: ``Avoid([TriangleMesh(vertices, faces)])``.

    vertices is (v, 3), faces (f, 3) has indices of vertices, anticlockwise seen from outside.  Its
    signed distance is worked out once on a grid of cells of the size ``cell`` (1/32 of its longest
    side unless given) and read between nodes: parts thinner than a cell are not seen.

    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> wedge = TriangleMesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], name="wedge")
    """

    vertices: Any
    faces: Any
    cell: float | None = None

    def __post_init__(self) -> None:
        self._place()
        vertices = self._array("vertices", self.vertices, float, (-1, 3))
        faces = self._array("faces", self.faces, np.int64, (-1, 3))  # type: ignore[arg-type]
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise FigureError("TriangleMesh: faces has an index of no vertex")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)
        if self.cell is not None and not 0.0 < self.cell < np.inf:
            raise FigureError(f"TriangleMesh: cell needs a number above 0, got {self.cell!r}")

    @cached_property
    def numbers(self) -> np.ndarray:
        """The first node, the cell, the numbers of nodes, and the distances: a distance field."""
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        cell = float((high - low).max() / 32 if self.cell is None else self.cell)
        first, values = self._field(low - _WIDER * cell, high + _WIDER * cell, cell)
        mesh_field(
            np.ascontiguousarray(self.vertices[self.faces].reshape(-1, 9)), first, cell, values
        )
        return np.concatenate((first, [cell], values.shape, [0.0], values.ravel()))

    @property
    def reach(self) -> float:
        """The radius of the ball around the origin of its frame that holds it."""
        return float(np.linalg.norm(self.vertices, axis=1).max())


@dataclass(frozen=True, eq=False)
class HeightMap(_Surface):
    """Ground of different heights, for scenes: all below z = heights[i, j] at (i, j)·spacing.

    x runs along the first axis and y along the second, both from the origin of the map's own
    frame; ``center`` and ``wxyz`` put that into the world.  Each square is two triangles.  Beyond
    its edges the ground goes on level.

    >>> ground = HeightMap([[0.0, 0.1], [0.0, 0.2]], 0.5, center=(-1, -1, 0), name="ground")
    """

    heights: Any
    spacing: float

    def __post_init__(self) -> None:
        self._place()
        heights = self._array("heights", self.heights, float, (-1, -1))
        if min(heights.shape) < 2:
            raise FigureError("HeightMap: heights needs at least two rows and two columns")
        if not isinstance(self.spacing, int | float) or not 0.0 < self.spacing < np.inf:
            raise FigureError(f"HeightMap: spacing needs a number above 0, got {self.spacing!r}")
        object.__setattr__(self, "heights", heights)

    @cached_property
    def numbers(self) -> np.ndarray:
        """The first node, the cell, the numbers of nodes, and the distances: a distance field."""
        cell, (rows, columns) = float(self.spacing), self.heights.shape
        low = np.array([0.0, 0.0, self.heights.min() - 4 * cell])
        high = np.array([(rows - 1) * cell, (columns - 1) * cell, self.heights.max() + 4 * cell])
        first, values = self._field(low, high, cell)
        height_field(np.ascontiguousarray(self.heights), cell, first, cell, values, _WINDOW)
        return np.concatenate((first, [cell], values.shape, [1.0], values.ravel()))

    @property
    def reach(self) -> float:
        """The ground has no end."""
        return np.inf


SURFACES = (TriangleMesh, HeightMap)
