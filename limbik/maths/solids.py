"""Volume, centre and moments of inertia of simple solids and of closed meshes.

Moments are those of density 1 about the centre; multiplied by a density they are kg·m².
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class Solid(NamedTuple):
    """volume: that of the solid, or the area of a shell
    center: (3,)
    moments: (3, 3) about the centre, for density 1
    """

    volume: float
    center: np.ndarray
    moments: np.ndarray

    def moved(self, rotation: np.ndarray, place: np.ndarray) -> Solid:
        """The same solid turned by a ``rotation`` (3, 3) and put to ``place`` (3,)."""
        return Solid(
            self.volume, rotation @ self.center + place, rotation @ self.moments @ rotation.T
        )


def box(a: float, b: float, c: float) -> Solid:
    """A box of half sizes a, b, c: Ixx = V(b² + c²)/3."""
    volume = 8.0 * a * b * c
    return Solid(volume, np.zeros(3), _diagonal(volume, (b * b + c * c) / 3, (a * a + c * c) / 3,
                                                (a * a + b * b) / 3))  # fmt: skip


def ellipsoid(a: float, b: float, c: float) -> Solid:
    """An ellipsoid of half axes a, b, c: Ixx = V(b² + c²)/5."""
    volume = 4.0 / 3.0 * math.pi * a * b * c
    return Solid(volume, np.zeros(3), _diagonal(volume, (b * b + c * c) / 5, (a * a + c * c) / 5,
                                                (a * a + b * b) / 5))  # fmt: skip


def sphere(radius: float) -> Solid:
    """A ball."""
    return ellipsoid(radius, radius, radius)


def cylinder(radius: float, half: float) -> Solid:
    """A cylinder along z."""
    volume = 2.0 * math.pi * radius**2 * half
    across = (3.0 * radius**2 + 4.0 * half**2) / 12.0
    return Solid(volume, np.zeros(3), _diagonal(volume, across, across, 0.5 * radius**2))


def capsule(radius: float, half: float) -> Solid:
    """A cylinder along z with a half ball on each end.

    Each half ball's centre of mass lies 3/8·r above its flat side.
    """
    middle, ball = cylinder(radius, half), sphere(radius)
    volume = middle.volume + ball.volume
    along = middle.moments[2, 2] + ball.moments[2, 2]
    shift = half * half + 0.75 * radius * half
    across = middle.moments[0, 0] + ball.moments[0, 0] + ball.volume * shift
    return Solid(volume, np.zeros(3), np.diag([across, across, along]))


def mesh(vertices: np.ndarray, triangles: np.ndarray, *, absolute: bool = False) -> Solid:
    """The solid inside a closed mesh: a sum over tetrahedra from a point to each triangle.

    With ``absolute``, volumes count without their sign, which is MuJoCo's rule for meshes that are
    not closed or whose triangles face any way: the centre is that of the tetrahedra from the centre
    of the surface, and the volume and the moments are those of the tetrahedra from that centre.
    """
    corners = np.asarray(vertices, float)[np.asarray(triangles, int)]
    if not absolute:
        volume, center, second = _tetrahedra(corners, np.zeros(3), False)
        second = second - volume * np.outer(center, center)
    else:
        surface = shell(vertices, triangles).center
        away = _tetrahedra(corners, surface, True)[1]
        center = surface + away
        volume, _, second = _tetrahedra(corners, center, True)
    if volume == 0.0:
        return Solid(0.0, center, np.zeros((3, 3)))
    return Solid(volume, center, np.trace(second) * np.eye(3) - second)


def _tetrahedra(
    corners: np.ndarray, apex: np.ndarray, absolute: bool
) -> tuple[float, np.ndarray, np.ndarray]:
    """(V, centre, ∫ x xᵀ) of the tetrahedra from an apex to triangles (k, 3, 3), from the apex on.

    That of one tetrahedron is V/20·(Σ vₖvₖᵀ + s·sᵀ), with s the sum of its corners vₖ.
    """
    a, b, c = (corners[:, k] - apex for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    volume = np.abs(volume) if absolute else volume
    total, s = float(volume.sum()), a + b + c
    if total == 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    second = sum(np.einsum("i,ij,ik->jk", volume, v, v) for v in (a, b, c, s)) / 20.0
    return total, volume @ s / (4.0 * total), np.asarray(second)


def shell(vertices: np.ndarray, triangles: np.ndarray) -> Solid:
    """A mesh as a thin shell: its area in the place of a volume."""
    corners = np.asarray(vertices, float)[np.asarray(triangles, int)]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    total = float(area.sum())
    if not total > 0.0:
        return Solid(0.0, np.zeros(3), np.zeros((3, 3)))
    s = a + b + c
    center = (area[:, None] * s).sum(axis=0) / (3.0 * total)
    second = np.zeros((3, 3))
    for v in (a, b, c, s):  # ∫ x xᵀ over a triangle is A/12·(Σ vₖvₖᵀ + s·sᵀ)
        second += np.einsum("i,ij,ik->jk", area, v, v)
    second = second / 12.0 - total * np.outer(center, center)
    return Solid(total, center, np.trace(second) * np.eye(3) - second)


def _diagonal(volume: float, x: float, y: float, z: float) -> np.ndarray:
    return volume * np.diag([x, y, z])
