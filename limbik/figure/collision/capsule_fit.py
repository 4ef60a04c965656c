"""A capsule around points: it holds all of them, and is as small as a few directions allow."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from limbik.figure.collision.mesh_hull import MeshHull
from limbik.figure.collision.shapes import Capsule
from limbik.maths.so3 import quat_to_matrix

_STEPS = 30  # towards the centre of the smallest circle
_MOST = 2_000  # points that the directions are compared on; the capsule then holds all
_OUTER = 500  # points that the centre of the circle is worked out from


def capsule_around(points: np.ndarray, joint: str = "", name: str = "") -> Capsule:
    """The capsule of the least volume, of those along the points' principal axes and along x, y and
    z, that holds all ``points`` (k, 3).

    >>> capsule_around(np.array([[0, 0, 0], [0, 0, 2.0]])).radius < 1e-6
    True
    """
    points = np.asarray(points, float)
    some = points[:: 1 + len(points) // _MOST]
    spread = some - some.mean(axis=0)
    axes = [*np.linalg.eigh(spread.T @ spread)[1].T, *np.eye(3)]
    best = min(axes, key=lambda axis: _volume(_along(some, axis)))
    radius, start, end = _along(points, best)
    return Capsule.between(start, end, radius, joint=joint, name=name)


def capsule_of_mesh(vertices: np.ndarray) -> Capsule:
    """The capsule around a mesh's vertices (k, 3), which knows the mesh.

    >>> capsule_of_mesh(np.array([[0, 0, 0], [0, 1, 0], [0, 0, 2.0]])).mesh is None
    False
    """
    around = capsule_around(vertices)
    turn = quat_to_matrix(np.array(around.wxyz))
    return replace(around, mesh=MeshHull((vertices - np.array(around.center)) @ turn))


def _volume(found: tuple[float, np.ndarray, np.ndarray]) -> float:
    radius, start, end = found
    return math.pi * radius**2 * (float(np.linalg.norm(end - start)) + 4.0 / 3.0 * radius)


def _along(points: np.ndarray, axis: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """(radius, start, end) of a capsule along a unit ``axis`` that holds the points."""
    u = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    u /= np.linalg.norm(u)
    v = np.cross(axis, u)
    flat, t = points @ np.column_stack([u, v]), points @ axis
    center = _circle(flat)
    away = np.linalg.norm(flat - center, axis=1)
    radius = float(away.max()) * (1.0 + 1e-9)
    # A point at the height t lies in the cap of an end e when t ≤ e + √(r² − ρ²).
    cap = np.sqrt(np.maximum(radius * radius - away * away, 0.0))
    high, low = float((t - cap).max()), float((t + cap).min())
    if high < low:  # one ball holds them
        high = low = 0.5 * (high + low)
    base = center[0] * u + center[1] * v
    return radius, base + low * axis, base + high * axis


def _circle(flat: np.ndarray) -> np.ndarray:
    """(2,) nearly the centre of the smallest circle around points (k, 2): ever smaller steps
    towards the furthest (Bădoiu and Clarkson 2003)."""
    center = 0.5 * (flat.min(axis=0) + flat.max(axis=0))
    away = np.linalg.norm(flat - center, axis=1)
    outer = flat[away >= 0.7 * away.max()]
    outer = outer[:: 1 + len(outer) // _OUTER]
    best, least = center, math.inf
    for k in range(_STEPS):
        far = np.linalg.norm(outer - center, axis=1)
        at = int(np.argmax(far))
        if far[at] < least:
            best, least = center, float(far[at])
        center = center + (outer[at] - center) / (k + 2.0) * 0.5
    return best
