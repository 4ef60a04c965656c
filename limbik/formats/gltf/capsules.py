"""Capsules for bones: a body for figures that have none."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.appearance.capsules import capsules
from limbik.figure.figure import Figure

AROUND, RINGS = 10, 4
"""Corners around a capsule, and rings in each of its two caps."""


class Body(NamedTuple):
    """(vertices, 3) positions and normals in the world, (triangles, 3), and each vertex's joint."""

    positions: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    joints: np.ndarray


def _template() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Directions (v, 3) of a capsule's surface along z, which end each is at, and triangles."""
    lift = np.concatenate([np.linspace(-90, 0, RINGS + 1), np.linspace(0, 90, RINGS + 1)])
    lift = np.radians(lift)[:, None]
    turn = np.linspace(0.0, 2.0 * math.pi, AROUND, endpoint=False)[None]
    wide = np.cos(lift)
    wide[[0, -1]] = 0.0  # exactly, so that the corners of a pole are one point
    directions = np.stack([wide * np.cos(turn), wide * np.sin(turn), np.sin(lift) + 0.0 * turn], -1)
    far = np.broadcast_to(np.arange(len(lift))[:, None] > RINGS, directions.shape[:2])
    ring, corner = np.meshgrid(np.arange(len(lift) - 1), np.arange(AROUND), indexing="ij")
    here, there = ring * AROUND + corner, ring * AROUND + (corner + 1) % AROUND
    lower = np.stack([here, there, there + AROUND], -1)
    upper = np.stack([here, there + AROUND, here + AROUND], -1)
    # The first and last ring are points: half of the triangles there have no area.
    triangles = np.concatenate([lower[1:].reshape(-1, 3), upper[:-1].reshape(-1, 3)])
    return directions.reshape(-1, 3), far.ravel(), triangles


def body(figure: Figure) -> Body:
    """A capsule for every bone, in the rest pose; a ball where a bone has no length."""
    owner, start, end, radius = capsules(figure)
    directions, far, triangles = _template()
    along = end - start
    length = np.linalg.norm(along, axis=1)
    basis = _bases(along, length)
    normals = np.einsum("bij,vj->bvi", basis, directions)
    centre = np.where(far[None, :, None], end[:, None], start[:, None])
    positions = centre + radius[:, None, None] * normals
    count = len(directions)
    shifts = count * np.arange(len(owner))[:, None, None]
    return Body(
        positions.reshape(-1, 3),
        normals.reshape(-1, 3),
        (triangles[None] + shifts).reshape(-1, 3),
        np.repeat(owner, count),
    )


def _bases(along: np.ndarray, length: np.ndarray) -> np.ndarray:
    """(bones, 3, 3) rotations whose third column runs along a bone."""
    z = np.where(length[:, None] > 0.0, along, [0.0, 0.0, 1.0])
    z = z / np.linalg.norm(z, axis=1, keepdims=True)
    aside = np.eye(3)[np.argmin(np.abs(z), axis=1)]
    x = np.cross(aside, z)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], axis=-1)
