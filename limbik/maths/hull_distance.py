"""Distances of convex hulls of few points, with a radius around them.

A hull is HULL_HEAD numbers (how many points it has, its radius, and the box around it), then all x,
all y and all z in the frame of a solid, which lies around it: where the cores of two hulls overlap,
their distance is that of the solids around them, deep enough to part them, or deeper.  Otherwise it
is exact.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int64

from limbik.jit import FLOATS, INTS, TABLE, external, inner, kernel
from limbik.maths.convex_distance import (
    convex_distance,
    core_radius,
    reach_of_box,
    reach_of_core,
    reach_of_hull,
)
from limbik.maths.cores import POINT, turned_to_local, turned_to_world
from limbik.maths.distance import RESULT, shape_distance


@external(float64(INTS, TABLE, TABLE, int64, int64, FLOATS, int64, int64, float64, FLOATS))
def hull_distance(kinds, sizes, poses, i, j, hulls, at_i, at_j, enough, out):
    """The signed distance of solids i and j, as ``shape_distance`` has it, where one or both are
    hulls at hulls[at:]; ``at`` is 0 for one that is none.  ``enough`` as of ``convex_distance``."""
    apart, d = convex_distance(
        kinds[i], kinds[j], sizes, poses, i, j, hulls, at_i, at_j, enough, out
    )
    if apart:
        return d
    d = shape_distance(kinds, sizes, poses, i, j, out)
    return min(d, -core_radius(sizes, i, hulls, at_i) - core_radius(sizes, j, hulls, at_j))


@inner
def hull_gap(kinds, sizes, poses, i, j, hulls, at_i, at_j, enough, x, y, z):
    """What lies between solids i and j, as ``hull_distance`` takes them, along the unit vector
    (x, y, z) in the frame of solid i, or less: between the boxes around the hulls where that is
    more than ``enough``."""
    wx, wy, wz = turned_to_world(poses, i, x, y, z)
    u, v, w = turned_to_local(poses, j, -wx, -wy, -wz)
    gap = wx * (poses[j, 9] - poses[i, 9]) + wy * (poses[j, 10] - poses[i, 10])
    gap += wz * (poses[j, 11] - poses[i, 11])
    if not at_i:
        gap -= reach_of_core(kinds[i], sizes, i, x, y, z)
    if not at_j:
        gap -= reach_of_core(kinds[j], sizes, j, u, v, w)
    by_boxes = gap
    if at_i:
        by_boxes -= reach_of_box(hulls, at_i, x, y, z)
    if at_j:
        by_boxes -= reach_of_box(hulls, at_j, u, v, w)
    if by_boxes > enough:
        return by_boxes
    if at_i:
        gap -= reach_of_hull(hulls, at_i, x, y, z)
    if at_j:
        gap -= reach_of_hull(hulls, at_j, u, v, w)
    return gap


def hull_numbers(corners: np.ndarray, radius: float) -> np.ndarray:
    """The numbers of the hull of points (k, 3) with a radius around it, as convex_distance.py has
    them: the last point is repeated where there are not a multiple of four."""
    corners = np.concatenate((corners, np.repeat(corners[-1:], -len(corners) % 4, axis=0)))
    low, high = corners.min(axis=0), corners.max(axis=0)
    head = ([len(corners), radius], 0.5 * (low + high), 0.5 * (high - low))
    return np.concatenate((*head, corners.T.ravel()))


@kernel
def _furthest_point(points, hulls, at, kinds, sizes, poses, out):
    """(how far, which): of points (k, 3) in the frame of a hull the one that is furthest from the
    hull without its radius."""
    far, which = 0.0, -1
    for k in range(points.shape[0]):
        for c in range(3):
            poses[1, 9 + c] = points[k, c]
        apart, d = convex_distance(
            kinds[0], kinds[1], sizes, poses, 0, 1, hulls, at, 0, math.inf, out
        )
        if apart and d > far:
            far, which = d, k
    return far, which


def far_from_hull(points: np.ndarray, corners: np.ndarray, size: float) -> tuple[float, int]:
    """How far points (k, 3) are at most from the convex hull of ``corners`` (c, 3), where 1e-7 of
    the ``size`` of both counts as nothing, and which of them that is, or -1."""
    hulls = np.concatenate(([0.0], hull_numbers(corners, 0.0)))
    kinds, sizes, poses = np.full(2, POINT, np.uint32), np.zeros((2, 4)), np.zeros((2, 12))
    sizes[0, 2] = size
    poses[:, :9] = np.eye(3).ravel()
    points = np.ascontiguousarray(points, float)
    return _furthest_point(points, hulls, 1, kinds, sizes, poses, np.empty(RESULT))


@kernel
def furthest_points(points, directions):
    """(d,) which of the points (k, 3) is furthest along each direction (d, 3)."""
    out = np.empty(directions.shape[0], np.int64)
    for d in range(directions.shape[0]):
        x, y, z = directions[d, 0], directions[d, 1], directions[d, 2]
        best, far = 0, -math.inf
        for k in range(points.shape[0]):
            along = x * points[k, 0] + y * points[k, 1] + z * points[k, 2]
            if along > far:
                best, far = k, along
        out[d] = best
    return out
