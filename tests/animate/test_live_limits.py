"""Limits of speed and acceleration that hold whatever the targets do: hinges, balls, feedback."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from limbik import Figure, Joint, Live, Range, Reach, SwingTwist
from limbik.figure.joints import exponential, revolute, swing_twist
from limbik.maths.so3 import matrix_to_quat

RATE = 200.0
CONE = SwingTwist(swing=(0.8, 0.5), twist=(-0.6, 0.9))


def ball(parts: tuple, limit: Range | SwingTwist | None) -> Figure:
    return Figure([Joint("A", parts=parts, limit=limit), Joint("B", "A", offset=(0.1, 0.2, 1.0))])


def turning(figure: Figure, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(ticks,) angular speed and acceleration of joint 0, from rest."""
    turns = Rotation.from_matrix(figure.frames(poses)[:, 0, :3, :3])
    omega = (turns[1:] * turns[:-1].inv()).as_rotvec() * RATE
    change = np.diff(np.vstack([np.zeros(3), omega]), axis=0) * RATE
    return np.linalg.norm(omega, axis=1), np.linalg.norm(change, axis=1)


def throw(live: Live, rng: np.random.Generator) -> None:
    """A random target, half of them at the limits."""
    figure = live.figure
    place = figure.frames(figure.project(rng.uniform(-1.5, 1.5, figure.n)))[-1]
    live.move("B", place[:3, 3], matrix_to_quat(place[:3, :3]))


@pytest.mark.parametrize(
    "figure",
    [
        ball(exponential(), None),
        ball(exponential(), Range(-0.6, 0.9)),
        ball(exponential(), CONE),
        ball(swing_twist("z"), CONE),
    ],
    ids=["free", "ranges", "exponential cone", "swing-twist cone"],
)
def test_a_balls_acceleration_is_limited_also_at_the_edge_of_its_cone(figure: Figure) -> None:
    rng, poses, reached = np.random.default_rng(2), [figure.rest], 0
    live = Live(
        figure, Reach("B", position=[0, 0, 1.0], wxyz=[1, 0, 0, 0]), rate=RATE, speed_limits=3.0,
        acceleration_limits=20.0,
    )  # fmt: skip
    for tick in range(700):
        if tick % (13 if tick < 300 else 400) == 0:
            throw(live, rng)
        poses.append(live.step())
        reached += live.ok
    speed, change = turning(figure, np.array(poses))
    assert 2.9 < speed.max() <= 3.0 * (1 + 1e-11)
    assert 19.0 < change.max() <= 20.0 * (1 + 1e-9)
    assert np.max(figure.violation(np.array(poses))) == 0.0
    assert live.ok  # it came to rest at the last target
    assert reached < 400  # and says so only where it is


def test_a_ball_that_turns_too_fast_slows_down_at_its_limit_of_acceleration() -> None:
    figure = ball(exponential(), None)
    live = Live(
        figure, Reach("B", position=[0.1, 0.2, 1.0]), rate=RATE, speed_limits=3.0,
        acceleration_limits=20.0,
    )  # fmt: skip
    live.feedback([0.0, 0.0, 0.0], speed=[5.0, 0.0, 0.0])
    poses = np.array([live.q, *(live.step() for _ in range(10))])
    speed, _ = turning(figure, poses)
    assert np.all(speed[:10] >= 5.0 - 20.0 / RATE * np.arange(1, 11) - 1e-9)
    assert np.all(np.diff(speed) < -0.05)


def test_hinges_brake_before_their_ends_whatever_the_targets_do() -> None:
    figure = Figure(
        [
            Joint("A", parts=revolute("z"), limit=Range(-1.0, 1.0)),
            Joint("B", "A", parts=revolute("y"), offset=(1, 0, 0), limit=Range(-0.5, 1.5)),
            Joint("C", "B", offset=(1, 0, 0)),
        ]
    )
    rng = np.random.default_rng(0)
    hardest = 23.0  # no whole number of ticks to stop from any speed
    live = Live(
        figure, Reach("C", position=[2.0, 0.0, 0.0]), rate=RATE, speed_limits=4.0,
        acceleration_limits=hardest,
    )  # fmt: skip
    poses = [live.q]
    for tick in range(1200):
        if tick % 17 == 0:
            live.move("C", rng.uniform(-2.0, 2.0, 3))
        poses.append(live.step())
    speed = np.diff(np.array(poses), axis=0) * RATE
    change = np.diff(np.vstack([np.zeros(2), speed]), axis=0) * RATE
    assert np.max(figure.violation(np.array(poses))) == 0.0
    assert np.abs(change).max() <= hardest * (1 + 1e-8)
    assert 3.5 < np.abs(speed).max() <= 4.0
    assert np.abs(figure.upper - np.array(poses)).min() < 1e-6  # it was at an end


def test_feedback_keeps_the_acceleration() -> None:
    arm, rng, hardest = limbik.figures.arm(), np.random.default_rng(1), 15.0
    live = Live(
        arm, Reach("Tool", position=[0.4, 0.2, 0.5]), rate=RATE, speed_limits=2.0,
        acceleration_limits=hardest,
    )  # fmt: skip
    before = np.zeros(arm.n)
    for tick in range(200):
        if tick % 25 == 0:
            live.move("Tool", rng.uniform([0.2, -0.5, 0.1], [0.6, 0.5, 0.8]))
        measured = live.q + rng.normal(0.0, 1e-4, arm.n)
        live.feedback(measured, speed=before)
        speed = (live.step() - measured) * RATE
        assert np.abs(speed - before).max() * RATE <= hardest * (1 + 1e-8)
        before = speed


def test_no_joint_is_faster_than_5_rad_per_second_on_the_way_to_a_target_out_of_reach() -> None:
    """The case of mink's issue 162: a floating body, one hand, a target far away: 134 rad/s."""
    human = limbik.figures.human()
    limits = np.full(human.n, 5.0)
    limits[human.coordinates_of(human.joints[0])] = np.inf  # the free root
    live = Live(
        human, [Reach("LeftHand", position=[3.0, 4.0, 5.0]), limbik.Rest()], rate=200.0,
        speed_limits=limits,
    )  # fmt: skip
    poses = np.array([live.q, *(live.step() for _ in range(15))])
    speed = np.abs(np.diff(poses, axis=0) * 200.0)
    assert speed[:, np.isfinite(limits)].max() == pytest.approx(5.0)
    assert (speed <= limits).all()
    assert np.max(human.violation(poses)) == 0.0


def test_a_start_outside_the_limits_comes_back_at_the_limits_of_speed_and_acceleration() -> None:
    """The case of pink's issue 206, which has no answer there."""
    figure = Figure(
        [Joint("A", parts=revolute("z"), limit=Range(-1.0, 1.0)), Joint("B", "A", offset=(1, 0, 0))]
    )
    goal = Reach("B", position=[np.cos(2.0), np.sin(2.0), 0.0])  # outside too
    live = Live(figure, goal, rate=100, speed_limits=2.0)
    live.feedback([1.5])
    angles = np.array([live.step()[0] for _ in range(40)])
    np.testing.assert_allclose(angles[:24], 1.5 - 0.02 * np.arange(1, 25), atol=1e-12)
    np.testing.assert_array_equal(angles[25:], 1.0)
    live = Live(figure, goal, rate=100, speed_limits=2.0, acceleration_limits=10.0)
    live.feedback([1.5])
    angles = np.array([1.5, *(live.step()[0] for _ in range(70))])
    speed = np.diff(angles) * 100
    assert np.abs(np.diff(speed, prepend=0.0)).max() * 100 <= 10.0 * (1 + 1e-8)
    assert -2.0 <= speed.min() < -1.9
    assert angles[-1] == pytest.approx(1.0, abs=1e-9)


def test_no_pose_of_a_slow_ball_is_worse_than_the_one_before() -> None:
    human = limbik.figures.human().with_speed_limits(1.0)
    goals = [Reach("LeftHand", position=[0.3, 1.6, 0.5]), limbik.Pin("LeftFoot"), limbik.Rest()]
    live = Live(human, goals, rate=60.0)
    costs = [live.problem.objective(live.q)]
    for _ in range(60):
        costs.append(live.problem.objective(live.step()))
    assert np.diff(costs).max() <= 1e-12 * costs[0]
    assert costs[-1] < 0.2 * costs[0]
