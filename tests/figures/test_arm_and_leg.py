"""The robot arm against its published numbers, and the single leg against the human's."""

from __future__ import annotations

import numpy as np
import pytest

from limbik.figures import arm, human, leg


def test_arm_counts_and_limits() -> None:
    fig = arm()
    assert (fig.n, len(fig.joints), fig.joints[-1], fig.up) == (7, 8, "Tool", "z")
    assert fig.violation(fig.rest) == 0.0
    assert np.isfinite([fig.lower, fig.upper]).all()
    assert fig.upper[3] < 0  # the elbow never straightens
    assert fig.definition[-1].parts == ()


def test_arm_is_placed_by_its_denavit_hartenberg_parameters() -> None:
    def step(a: float, alpha: float, d: float, theta: float) -> np.ndarray:
        ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
        return np.array(
            [
                [ct, -st, 0, a],
                [st * ca, ct * ca, -sa, -d * sa],
                [st * sa, ct * sa, ca, d * ca],
                [0, 0, 0, 1],
            ]
        )

    a = [0, 0, 0, 0.0825, -0.0825, 0, 0.088, 0]
    d = [0.333, 0, 0.316, 0, 0.384, 0, 0, 0.107]
    alpha = np.array([0, -1, 1, 1, -1, 1, 1, 0]) * np.pi / 2
    rng = np.random.default_rng(1)
    for q in rng.uniform(arm().lower, arm().upper, (20, 7)):
        world = np.eye(4)
        for k, theta in enumerate([*q, 0.0]):
            world = world @ step(a[k], alpha[k], d[k], theta)
        np.testing.assert_allclose(arm().frames(q)[-1], world, atol=1e-12)


def test_arm_at_rest_points_its_tool_down() -> None:
    frame = arm().frames(arm().rest)[-1]
    np.testing.assert_allclose(frame[:3, 3], [0.3069, 0, 0.5903], atol=1e-4)
    np.testing.assert_allclose(frame[:3, 2], [0, 0, -1], atol=1e-12)


def test_leg_counts() -> None:
    fig = leg()
    assert (fig.n, fig.joints) == (7, ("Hip", "Knee", "Ankle", "Toes"))
    assert fig.violation(fig.rest) == 0.0
    assert np.isfinite([fig.lower, fig.upper]).all()
    assert fig.rest[3] > 0.1  # not straight


def test_leg_moves_as_the_humans_left_leg() -> None:
    fig, body = leg(), human()
    rng = np.random.default_rng(2)
    names = {"Hip": "LeftUpLeg", "Knee": "LeftLeg", "Ankle": "LeftFoot", "Toes": "LeftToeBase"}
    for q in fig.project(rng.uniform(fig.lower, fig.upper, (20, 7))):
        whole = np.zeros(body.n)
        whole[body.coordinates_of("LeftUpLeg")] = q[:3]
        whole[body.coordinates_of("LeftLeg")[0]] = q[3]
        whole[body.coordinates_of("LeftFoot")[[0, 2]]] = q[4:6]
        whole[body.coordinates_of("LeftToeBase")] = q[6]
        assert body.violation(whole) == 0.0
        there = body.positions(whole)[[body.index(name) for name in names.values()]]
        here = fig.positions(q)
        np.testing.assert_allclose(here - here[0], there - there[0], atol=1e-12)


def test_leg_at_rest_keeps_its_foot_flat_just_above_the_floor() -> None:
    frame = leg().frames(leg().rest)[leg().index("Ankle")]
    np.testing.assert_allclose(frame[:3, :3], np.eye(3), atol=1e-12)
    assert frame[1, 3] == pytest.approx(0.068, abs=0.012)
