"""Shapes as flat arrays for the kernels of ``limbik.maths.distance``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from limbik.figure.collision.shapes import (
    Box,
    Capsule,
    Cylinder,
    HalfSpace,
    Quaternion,
    Shape,
    Sphere,
    between_z,
)
from limbik.figure.collision.surfaces import HeightMap, TriangleMesh
from limbik.figure.layout import NONE, WORLD
from limbik.jit import kernel
from limbik.maths.cores import BOX, CYLINDER, FIELD, HALF_SPACE, POINT, SEGMENT
from limbik.maths.so3 import quat_to_matrix

LONG = 4.0  # times as long as wide: a cylinder that counts as the capsule around it
Obstacle = Shape | HalfSpace | TriangleMesh | HeightMap
"""What a scene may hold."""
POSE = 12  # floats: rotation, row-major, then position


class ShapeBuffers(NamedTuple):
    """kinds:  (shapes,) POINT, SEGMENT, BOX, CYLINDER, HALF_SPACE or FIELD
    joints: (shapes,) index of the joint that each follows, NONE in the world
    sizes:  (shapes, 4) three half sizes and a radius
    local:  (shapes, 12) rotation and position in the joint's frame
    """

    kinds: np.ndarray
    joints: np.ndarray
    sizes: np.ndarray
    local: np.ndarray


def shape_buffers(shapes: Sequence[Obstacle], index: Mapping[str, int]) -> ShapeBuffers:
    """Shapes as arrays; ``index`` has the place of each joint name.

    A cylinder becomes the capsule around it where it is LONG.
    """
    count = len(shapes)
    kinds, joints = np.empty(count, np.uint32), np.full(count, NONE, np.uint32)
    sizes, local = np.zeros((count, 4)), np.zeros((count, POSE))
    for i, shape in enumerate(shapes):
        kinds[i], sizes[i] = _core(shape)
        if shape.joint:
            joints[i] = index[shape.joint]
        place, turn = _pose(shape)
        local[i, :9] = quat_to_matrix(np.array(turn)).ravel()
        local[i, 9:] = place
    return ShapeBuffers(kinds, joints, sizes, local)


def _core(shape: Obstacle) -> tuple[int, tuple[float, float, float, float]]:
    if isinstance(shape, Sphere):
        return POINT, (0.0, 0.0, 0.0, shape.radius)
    if isinstance(shape, HalfSpace):
        return HALF_SPACE, (0.0, 0.0, 0.0, 0.0)
    if isinstance(shape, TriangleMesh | HeightMap):
        return FIELD, (0.0, 0.0, 0.0, 0.0)
    if isinstance(shape, Box):
        a, b, c = shape.half_sizes
        return BOX, (a, b, c, 0.0)
    if isinstance(shape, Cylinder) and shape.half_length < LONG * shape.radius:
        return CYLINDER, (shape.radius, shape.radius, shape.half_length, 0.0)
    return SEGMENT, (0.0, 0.0, shape.half_length, shape.radius)


def _pose(shape: Obstacle) -> tuple[np.ndarray, Quaternion]:
    if isinstance(shape, HalfSpace):
        return shape.offset * np.array(shape.normal), between_z(shape.normal)
    if isinstance(shape, Capsule | Box | Cylinder | TriangleMesh | HeightMap):
        return np.array(shape.center), shape.wxyz
    return np.array(shape.center), (1.0, 0.0, 0.0, 0.0)


@kernel
def place_shapes(joints, local, world, poses):
    """Shapes in the world into ``poses`` (shapes, 12), from ``world`` (joints · WORLD) of
    ``kinematics.forward``; those without a joint are copied."""
    for i in range(joints.shape[0]):
        if joints[i] == NONE:
            for k in range(12):
                poses[i, k] = local[i, k]
            continue
        w = WORLD * joints[i]
        for row in range(3):
            a, b, c = world[w + 3 * row], world[w + 3 * row + 1], world[w + 3 * row + 2]
            for k in range(3):
                poses[i, 3 * row + k] = a * local[i, k] + b * local[i, 3 + k] + c * local[i, 6 + k]
            moved = a * local[i, 9] + b * local[i, 10] + c * local[i, 11]
            poses[i, 9 + row] = world[w + 9 + row] + moved
