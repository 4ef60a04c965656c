"""Few points of a mesh whose convex hull, with a radius, holds the mesh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from limbik.maths.hull_distance import far_from_hull, furthest_points, hull_numbers

_DIRECTIONS = 1_000  # that the points are chosen along
_MOST, _FEWEST = 128, 4  # points
_NEAR = 5e-3  # of the mesh: points that are nearer to the hull are left out


@dataclass(frozen=True, eq=False)
class MeshHull:
    """The vertices (k, 3) of a mesh, in the frame of the capsule that stands for it."""

    vertices: np.ndarray

    @cached_property
    def numbers(self) -> np.ndarray:
        """The numbers of a hull (``hull_numbers``): the mesh lies within its radius of the convex
        hull of its points.  Worked out when they are first asked for."""
        points = np.unique(self.vertices, axis=0)
        size = float(np.linalg.norm(points, axis=1).max())
        along = _sphere(_DIRECTIONS)
        outer = points[np.unique(furthest_points(points, along))]
        reach = outer @ along.T
        # What a hull lacks is the most that it lacks along any direction.
        top, chosen = reach.max(axis=0), [int(np.argmax(reach[:, 0]))]
        have = reach[chosen[0]]
        while len(chosen) < min(_MOST, len(outer)):
            lacks = top - have
            if len(chosen) >= _FEWEST and lacks.max() <= _NEAR * size:
                break
            chosen.append(int(np.argmax(reach[:, np.argmax(lacks)])))
            have = np.maximum(have, reach[chosen[-1]])
        corners = outer[chosen]
        radius, which = far_from_hull(points, corners, size)
        while radius > _NEAR * size and len(corners) < _MOST:  # a flat tip between the directions
            corners = np.concatenate((corners, points[which : which + 1]))
            radius, which = far_from_hull(points, corners, size)
        return hull_numbers(corners, radius)

    def scaled(self, scale: float) -> MeshHull:
        """That of the mesh with every length multiplied by ``scale``."""
        return MeshHull(scale * self.vertices)


def _sphere(count: int) -> np.ndarray:
    """(count, 3) unit vectors, spread evenly along a spiral."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + np.sqrt(5.0)) * k
    across = np.sqrt(1.0 - z * z)
    return np.column_stack((across * np.cos(turn), across * np.sin(turn), z))
