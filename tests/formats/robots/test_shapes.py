"""Shapes of robots, beside what MuJoCo makes of them."""

from __future__ import annotations

import pickle

import mujoco
import numpy as np
import pytest

from helpers import real_data
from helpers.robot_comparisons import load, mujoco_of, set_pose
from limbik import Box, Capsule, Cylinder, Sphere
from limbik.formats.mesh_files import read_mesh
from limbik.maths.so3 import quat_to_matrix


def test_shapes_of_a_model_are_its_geoms_that_touch() -> None:
    path = real_data.find("robots_mjcf/booster_t1/t1.xml")
    figure, (model, data) = load(path), mujoco_of(path)
    touch = [g for g in range(model.ngeom) if model.geom_contype[g] or model.geom_conaffinity[g]]
    kinds = {2: Sphere, 3: Capsule, 5: Cylinder, 6: Box}
    assert [type(shape) for shape in figure.shapes] == [kinds[model.geom_type[g]] for g in touch]
    q = figure.rest
    set_pose(figure, q, model, data)
    mujoco.mj_forward(model, data)  # type: ignore[attr-defined]
    for g, shape in zip(touch, figure.shapes, strict=True):
        frame = figure.frame(q, shape.joint)
        place = frame[:3, :3] @ np.array(shape.center) + frame[:3, 3]
        np.testing.assert_allclose(place, data.geom_xpos[g], atol=1e-9)
        if not isinstance(shape, Sphere):
            turn = frame[:3, :3] @ quat_to_matrix(np.array(shape.wxyz))
            np.testing.assert_allclose(turn, data.geom_xmat[g].reshape(3, 3), atol=1e-9)
        sizes = shape.half_sizes if isinstance(shape, Box) else (shape.radius,)
        np.testing.assert_allclose(model.geom_size[g][: len(sizes)], sizes)


def test_meshes_become_capsules_around_them() -> None:
    path = real_data.find("robots_mjcf/robotiq_2f85/2f85.xml")
    figure = load(path)
    assert {type(shape) for shape in figure.shapes} == {Box, Capsule}
    assert ("base", "left_driver") in figure.exclusions
    own = next(s for s in figure.shapes if s.joint == "left_coupler")
    assert isinstance(own, Capsule)
    points = 0.001 * read_mesh(path.parent / "assets" / "coupler.stl").vertices
    start, end = own.ends
    s = np.clip((points - start) @ (end - start) / float((end - start) @ (end - start)), 0, 1)
    away = np.linalg.norm(points - start - np.outer(s, end - start), axis=1)
    assert away.max() == pytest.approx(own.radius, rel=1e-6)
    # What was read once is not read again, and a copy has it.
    assert pickle.loads(pickle.dumps(figure)).physical.shapes == figure.shapes
