"""Blender as a contestant: how its limits are measured, and a real run where it is installed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from limbik.figure.motion import Motion
from limbik.papers import blender
from limbik.papers.blender_scene import _beyond, _parts


def test_swing_is_measured_in_sines_of_half_angles_and_twist_as_an_angle() -> None:
    rng = np.random.default_rng(0)
    swing, twist = rng.uniform(-1.2, 1.2, (50, 2)), rng.uniform(-3.0, 3.0, 50)
    vector = np.column_stack([swing[:, 0], np.zeros(50), swing[:, 1]])
    turn = Rotation.from_rotvec(vector) * Rotation.from_euler("y", twist[:, None])
    sines, angle = _parts(turn.as_matrix())
    length = np.linalg.norm(swing, axis=1, keepdims=True)
    np.testing.assert_allclose(sines, swing / length * np.sin(length / 2), atol=1e-12)
    np.testing.assert_allclose(angle, twist, atol=1e-12)


def test_each_quadrant_has_an_ellipse_of_its_own() -> None:
    reach = np.radians([10.0, 90.0, 20.0, 40.0])  # −x, +x, −z, +z
    half = np.sin(0.5 * reach)
    edges = np.array([[-half[0], 0.0], [half[1], 0.0], [0.0, -half[2]], [0.0, half[3]]])
    np.testing.assert_allclose(_beyond(edges, reach), 1.0)
    corner = np.array([[half[1], half[3]], [-half[0], half[3]]]) / math.sqrt(2.0)
    np.testing.assert_allclose(_beyond(corner, reach), 1.0)
    np.testing.assert_allclose(_beyond(2.0 * corner, reach), 2.0)


def test_bones_end_where_the_next_begins_and_have_a_length() -> None:
    figure = limbik.figures.human()
    rest = figure.frames(figure.rest)
    tails = blender._tails(figure, rest)
    heads = rest[:, :3, 3]
    elbow = figure.index("LeftForeArm")
    np.testing.assert_allclose(tails[figure.parents[elbow]], heads[elbow])
    assert np.linalg.norm(tails - heads, axis=1).min() > 1e-3


@pytest.mark.skipif(not blender.available(), reason="needs Blender: pip install limbik[blender]")
def test_blender_follows_the_first_frames_of_the_cartwheel() -> None:
    whole = limbik.figures.cartwheel()
    clip = Motion(whole.figure, whole.q[:60:6], whole.fps / 6)
    effectors = ["Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"]
    at = [clip.figure.index(name) for name in effectors]
    targets = clip.positions()[:, at]
    runs = {run.name: run for run in blender.solve_chains(clip, effectors, [(clip.q[0], targets)])}
    assert list(runs) == list(blender.NAMES.values())
    for run in runs.values():
        assert run.positions.shape == clip.positions().shape
        assert (run.seconds > 0.0).all()
        np.testing.assert_allclose(run.positions[:, at[0]], targets[:, 0], atol=1e-5)
    carried = runs["Blender LEGACY, carried on"]
    error = np.linalg.norm(carried.positions[:, at] - targets, axis=-1)
    assert np.median(error) < 1e-3
    assert carried.outside.max() < 1e-3
    # The bones keep their lengths.
    parent = clip.figure.parents[1:]
    bones = [
        np.linalg.norm(p[:, 1:] - p[:, parent], axis=-1)
        for p in (carried.positions, clip.positions())
    ]
    np.testing.assert_allclose(bones[0], bones[1], atol=1e-5)
