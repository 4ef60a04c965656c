"""How far a pose is outside its limits does not depend on whole turns in its angles."""

from __future__ import annotations

import math

import numpy as np
import pytest

import limbik
from limbik import Figure, Range, SwingTwist
from limbik.figure.joints import (
    Coupling,
    Joint,
    euler,
    exponential,
    prismatic,
    revolute,
    swing_twist,
)

TURN = 2 * math.pi


def one(parts: tuple, limit: object = None) -> Figure:
    return Figure([Joint("J", parts=parts, limit=limit)])  # type: ignore[arg-type]


@pytest.mark.parametrize("turns", [-3, -1, 1, 2])
@pytest.mark.parametrize(("angle", "outside"), [(0.3, 0.0), (-0.9, 0.4), (1.2, 0.2), (3.0, 2.0)])
def test_a_turn_is_measured_from_its_nearest_end(turns: int, angle: float, outside: float) -> None:
    figure = one(revolute("x"), Range(-0.5, 1.0))
    assert figure.violation([angle + turns * TURN]) == pytest.approx(outside, abs=1e-14)


def test_the_nearer_of_two_ends_counts_the_other_way_round_too() -> None:
    figure = one(revolute("x"), Range(-0.5, 1.0))
    assert figure.violation([5.0]) == pytest.approx(TURN - 5.0 - 0.5)
    assert figure.violation([-4.9]) == pytest.approx(TURN - 4.9 - 1.0)


def test_an_end_alone_is_always_within_reach_of_whole_turns() -> None:
    assert one(revolute("x"), Range(2.0, math.inf)).violation([-1.0]) == 0.0
    assert one(revolute("x"), Range(-math.inf, 2.0)).violation([3.0]) == 0.0


def test_lengths_have_no_turns() -> None:
    assert one(prismatic("x"), Range(0.0, 1.0)).violation([TURN + 0.5]) == pytest.approx(TURN - 0.5)


def test_every_angle_of_a_batch_is_unwound_by_itself() -> None:
    figure = one(euler("ZYX"), Range([-0.5] * 3, [0.5] * 3))
    q = np.array([[TURN, 0.1, -TURN], [0.7, TURN, 0.0], [0.1, -0.2, 0.3]])
    np.testing.assert_allclose(figure.violation(q), [0.0, 0.2, 0.0], atol=1e-14)
    still = figure.project(q)
    assert still[0, 0] == 0.5  # the projection is onto the numbers, as before


def test_the_twist_of_a_ball_and_a_rotation_vector_are_unwound() -> None:
    limit = SwingTwist(swing=0.5, twist=(-0.4, 0.4))
    assert one(swing_twist("y"), limit).violation([0.1, 0.2, 0.3 - TURN]) == 0.0
    figure = one(exponential("y"), limit)
    inside = np.array([0.1, 0.2, -0.1])
    length = float(np.linalg.norm(inside))
    same = inside * (1.0 - TURN / length)
    np.testing.assert_allclose(figure.frames(same), figure.frames(inside), atol=1e-12)
    assert figure.violation(same) == pytest.approx(0.0, abs=1e-14)
    beyond = inside * 8.0
    other = beyond * (1.0 - TURN / float(np.linalg.norm(beyond)))
    assert figure.violation(other) == pytest.approx(figure.violation(beyond), abs=1e-12)
    assert figure.violation(beyond) > 0.5


def test_an_angle_that_another_joint_follows_by_half_is_another_pose_a_turn_later() -> None:
    half = Coupling("J", 0.5)
    figure = Figure(
        [
            Joint("J", parts=revolute("x"), limit=Range(-1.0, 1.0)),
            Joint("K", "J", revolute("x", coupled=half), (0.0, 1.0, 0.0)),
        ]
    )
    assert figure.violation([TURN]) == pytest.approx(TURN - 1.0)


def test_a_clip_that_winds_up_is_inside_its_limits() -> None:
    human = limbik.figures.human()
    q = np.tile(human.rest, (4, 1))
    elbow = next(c for c, name in enumerate(human.coordinates) if name.startswith("LeftForeArm"))
    assert np.isfinite(human.lower[elbow])
    q[:, elbow] += TURN * np.arange(4)
    np.testing.assert_allclose(human.violation(q), 0.0, atol=1e-12)
