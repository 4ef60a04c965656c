"""Distances of hulls of points, against MuJoCo's of the same meshes, and hulls of meshes."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from limbik.figure.collision.capsule_fit import capsule_of_mesh
from limbik.figure.collision.shape_buffers import shape_buffers
from limbik.figure.collision.shapes import Capsule
from limbik.jit import kernel
from limbik.maths.hull_distance import far_from_hull, hull_distance, hull_gap
from limbik.maths.so3 import exp_map, quat_to_matrix

RNG = np.random.default_rng(0)
COUNT = 24
CLOUDS = [RNG.normal(size=(COUNT, 3)) * [0.1, 0.2, 0.4] for _ in range(6)]


@kernel
def gap(kinds, sizes, poses, hulls, at, other, enough, n):
    return hull_gap(kinds, sizes, poses, 0, 1, hulls, at, other, enough, n[0], n[1], n[2])


def directions(count: int) -> np.ndarray:
    out = np.random.default_rng(1).normal(size=(count, 3))
    return out / np.linalg.norm(out, axis=1, keepdims=True)


@pytest.mark.parametrize("points", [CLOUDS[0], np.random.default_rng(2).normal(size=(4000, 3))])
def test_a_mesh_lies_within_its_hull_and_capsule(points: np.ndarray) -> None:
    capsule = capsule_of_mesh(points + [1.0, 2.0, 3.0])
    assert capsule.mesh is not None
    numbers, local = capsule.mesh.numbers, capsule.mesh.vertices
    count, radius = int(numbers[0]), numbers[1]
    corners = numbers[8:].reshape(3, count).T
    assert count % 4 == 0
    along = directions(3000)
    hull, mesh = (corners @ along.T).max(axis=0), (local @ along.T).max(axis=0)
    assert (hull <= mesh + 1e-12).all()
    assert (mesh <= hull + radius + 1e-12).all()
    size = np.linalg.norm(local, axis=1).max()
    assert radius <= 5e-3 * size if len(local) < 128 else radius < 0.1 * size
    center, half = numbers[2:5], numbers[5:8]
    np.testing.assert_allclose(np.abs(corners - center).max(axis=0), half)
    beside = np.maximum(np.abs(local[:, 2]) - capsule.half_length, 0.0)
    away = np.sqrt((local[:, :2] ** 2).sum(axis=1) + beside**2)
    assert away.max() <= capsule.radius * (1.0 + 1e-9)
    larger = capsule.mesh.scaled(2.0).numbers
    np.testing.assert_allclose(larger[1:], 2.0 * numbers[1:], rtol=1e-9)


def test_how_far_points_are_from_a_hull() -> None:
    corners = np.array(np.meshgrid([0, 1], [0, 1], [0, 1.0])).reshape(3, -1).T
    inside, outside = np.array([[0.5, 0.5, 0.5], [0.2, 0.0, 0.3]]), np.array([[0.5, 0.5, 1.25]])
    assert far_from_hull(inside, corners, 1.0) == (0.0, -1)
    far, which = far_from_hull(np.concatenate((inside, [[2.0, 2.0, 0.5]], outside)), corners, 1.0)
    assert far == pytest.approx(np.sqrt(2.0))
    assert which == 2


def placed(a: np.ndarray, b: np.ndarray, rng: np.random.Generator):
    """Two capsules of meshes at random, as arrays, with the model of the same meshes."""
    shapes = [capsule_of_mesh(points) for points in (a, b)]
    spec = mujoco.MjSpec()  # type: ignore[attr-defined]
    poses = []
    for k, points in enumerate((a, b)):
        spec.add_mesh(name=f"m{k}", uservert=points.ravel().tolist())
        wxyz, at = exp_map(2.0 * rng.normal(size=3)), 0.35 * rng.normal(size=3)
        body = spec.worldbody.add_body(name=f"b{k}", pos=at, quat=wxyz)
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"m{k}")  # type: ignore[attr-defined]
        poses.append((quat_to_matrix(wxyz), at))
    model = spec.compile()
    data = mujoco.MjData(model)  # type: ignore[attr-defined]
    mujoco.mj_kinematics(model, data)  # type: ignore[attr-defined]
    theirs = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, None)  # type: ignore[attr-defined]
    return shapes, poses, theirs


def test_distances_are_those_of_mujoco() -> None:
    rng, apart, deep = np.random.default_rng(5), 0, 0
    for k in range(60):
        shapes, poses, theirs = placed(CLOUDS[k % 6], CLOUDS[(k + 1) % 6], rng)
        buffers = shape_buffers(shapes, {})
        placed_at = buffers.local.copy()
        for i, (turn, at) in enumerate(poses):
            placed_at[i, :9] = (turn @ buffers.local[i, :9].reshape(3, 3)).ravel()
            placed_at[i, 9:] = turn @ buffers.local[i, 9:] + at
        tables = [shape.mesh.numbers for shape in shapes]
        hulls = np.concatenate(([0.0], *tables))
        radius, at = sum(table[1] for table in tables), 1 + len(tables[0])
        assert radius < 0.01
        args = (buffers.kinds, buffers.sizes, placed_at, 0, 1, hulls, 1, at)
        out = np.empty(9)
        d = hull_distance(*args, np.inf, out)
        np.testing.assert_allclose(np.linalg.norm(out[6:]), 1.0)
        if theirs <= 0.0:
            assert d <= theirs + 1e-6
            deep += 1
            continue
        apart += 1
        assert theirs - radius - 1e-6 <= d <= theirs + 1e-6
        np.testing.assert_allclose(out[3:6] - out[:3], d * out[6:], atol=1e-9)
        # Where less is enough, the distance is a bound, and so is the gap along any normal.
        enough = 0.3 * d
        bound = hull_distance(*args, enough, np.empty(9))
        assert enough < bound <= d + 1e-12
        local = out[6:] @ placed_at[0, :9].reshape(3, 3)
        for n in (local, *directions(20)):
            along = gap(buffers.kinds, buffers.sizes, placed_at, hulls, 1, at, np.inf, n)
            assert along <= d + 1e-12
            assert gap(buffers.kinds, buffers.sizes, placed_at, hulls, 1, at, -9.0, n) <= along
        # Along the normal of the nearest points there is nothing less.
        assert gap(buffers.kinds, buffers.sizes, placed_at, hulls, 1, at, np.inf, local) == (
            pytest.approx(d, abs=1e-9)
        )
    assert apart >= 20
    assert deep >= 10


def test_a_capsule_without_a_mesh_is_measured_as_it_is() -> None:
    cloud = capsule_of_mesh(CLOUDS[2])
    ball = Capsule(0.1, 0.3, center=(1.0, 0.2, 0.1))
    buffers = shape_buffers([cloud, ball], {})
    assert cloud.mesh is not None
    hulls = np.concatenate(([0.0], cloud.mesh.numbers))
    out = np.empty(9)
    d = hull_distance(buffers.kinds, buffers.sizes, buffers.local, 0, 1, hulls, 1, 0, np.inf, out)
    a, b = ball.ends
    line = a + np.linspace(0, 1, 2001)[:, None] * (b - a)
    points = (line - buffers.local[0, 9:]) @ buffers.local[0, :9].reshape(3, 3)
    corners = cloud.mesh.numbers[8:].reshape(3, -1).T
    nearest = min(far_from_hull(point[None], corners, 1.0)[0] for point in points)
    assert d == pytest.approx(nearest - cloud.mesh.numbers[1] - 0.1, abs=1e-6)
