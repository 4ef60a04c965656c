"""Speed and acceleration limits: in Live, tick by tick, and in track."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import limbik
from limbik import Figure, FigureError, Joint, Live, MethodError, Range, Reach
from limbik.figure.joints import exponential, free, revolute

ARM = limbik.figures.arm()
RATE = 200.0


def path(ticks: int) -> np.ndarray:
    """A target that circles fast, leaves the reach of the arm, and comes back."""
    turn = np.linspace(0.0, 6.0 * np.pi, ticks)
    out = 0.45 + 1.5 * np.clip(np.sin(turn / 6.0), 0.0, 1.0)
    return np.column_stack([out, 0.2 * np.sin(turn), 0.4 + 0.1 * np.cos(turn)])


def follow(live: Live, targets: np.ndarray) -> np.ndarray:
    poses = [live.q]
    for target in targets:
        live.move("Tool", target)
        poses.append(live.step())
    return np.array(poses)


def test_no_tick_is_faster_or_harder_than_allowed_and_none_leaves_the_limits() -> None:
    fastest, hardest = 1.5, 12.0
    live = Live(
        ARM, Reach("Tool", position=[0.45, 0.0, 0.6]), rate=RATE, start=np.full(7, 0.4),
        speed_limits=fastest, acceleration_limits=hardest,
    )  # fmt: skip
    poses = follow(live, path(400))
    speed = np.diff(poses, axis=0) * RATE
    assert np.abs(speed).max() <= fastest * (1 + 1e-9)
    assert np.abs(speed).max() > 0.9 * fastest  # the path asks for more
    change = np.diff(np.vstack([np.zeros(7), speed]), axis=0) * RATE
    assert np.abs(change).max() <= hardest * (1 + 1e-6)
    assert np.max(ARM.violation(poses)) == 0.0
    assert len(np.unique(poses, axis=0)) == len(poses)  # no tick stands still
    while not live.ok and len(poses) < 2400:  # the target came back into reach
        poses = np.vstack([poses, live.step()])
    assert live.ok
    speed = np.diff(poses, axis=0) * RATE
    change = np.diff(speed, axis=0) * RATE
    assert np.abs(speed).max() <= fastest * (1 + 1e-9)
    assert np.abs(change).max() <= hardest * (1 + 1e-6)


def test_a_pose_outside_the_limits_comes_back_at_the_limit_of_speed() -> None:
    figure = Figure(
        [Joint("A", parts=revolute("z"), limit=Range(-1.0, 1.0)), Joint("B", "A", offset=(1, 0, 0))]
    )
    live = Live(figure, Reach("B", position=[1.0, 0.0, 0.0]), rate=100, speed_limits=2.0)
    live.feedback([1.5])
    angles = [live.step()[0] for _ in range(30)]
    np.testing.assert_allclose(angles[:25], 1.5 - 0.02 * np.arange(1, 26), atol=1e-12)
    assert np.diff(angles).min() >= -0.02 - 1e-12


def test_a_balls_speed_is_its_angular_speed() -> None:
    figure = Figure([Joint("A", parts=exponential()), Joint("B", "A", offset=(1, 0, 0))])
    start = np.array([0.3, 0.2, 0.1])
    live = Live(
        figure, Reach("B", position=[-0.5, 0.8, 0.0]), rate=50, start=start, speed_limits=1.0
    )
    poses = [live.q, *(live.step() for _ in range(20))]
    turns = figure.frames(np.array(poses))[:, 0, :3, :3]
    cosine = [(np.trace(a.T @ b) - 1) / 2 for a, b in pairwise(turns)]
    angles = np.arccos(np.clip(cosine, -1, 1)) * 50
    assert angles.max() <= 1.0 + 1e-6
    assert angles.max() > 0.9


def test_track_keeps_the_figures_own_speed_limits() -> None:
    arm, targets = ARM.with_speed_limits(2.0), path(60)
    start = arm.project(np.full(7, 0.4))
    unlimited = limbik.track(arm, ["Tool"], targets[:, None], start=start, fps=60.0)
    kept = limbik.track(
        arm, [Reach("Tool", position=targets)], start=start, fps=60.0, speed_limits=True
    )
    speeds = [
        np.abs(np.diff(t.motion.q, axis=0, prepend=start[None])).max() * 60
        for t in (unlimited, kept)
    ]
    assert speeds[0] > 3.0
    assert speeds[1] <= 2.0 * (1 + 1e-9)
    assert np.max(arm.violation(kept.motion.q)) == 0.0


def test_without_limits_a_tick_reaches_at_once() -> None:
    live = Live(ARM, Reach("Tool", position=[0.45, 0.0, 0.6]), speed_limits=None)
    live.step()
    assert live.ok
    figure = Figure([Joint("A", parts=free()), Joint("B", "A", offset=(1, 0, 0))])
    live = Live(figure, Reach("B", position=[3.0, 4.0, 5.0]))  # it has no limits of speed
    live.step()
    assert live.ok


@pytest.mark.parametrize(
    ("more", "error", "says"),
    [
        ({"rate": 0}, limbik.GoalError, "rate must be positive"),
        ({"rate": "fast"}, limbik.GoalError, "rate must be a number"),
        ({"speed_limits": [1.0, 2.0]}, FigureError, "speed_limits: needs one number or 7"),
        ({"speed_limits": -1.0}, FigureError, "speed_limits: must be above 0"),
        ({"acceleration_limits": "x"}, FigureError, "acceleration_limits: needs"),
        ({"iterations": 0}, MethodError, "iterations must be at least 1"),
    ],
)
def test_what_cannot_be_is_refused(more: dict, error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        Live(ARM, Reach("Tool", position=[0.45, 0.0, 0.6]), **more)


def test_moving_a_target_is_setting_it_and_what_is_no_target_is_refused() -> None:
    hand = Reach("Tool", position=[0.4, 0.0, 0.6], wxyz=[1, 0, 0, 0])
    moved, asked = Live(ARM, [hand]), limbik.Problem(ARM, [hand])
    for target in (
        {"position": (0.3, 0.1, 0.5)},
        {"wxyz": np.array([2.0, 0.0, 2.0, 0.0])},
        {"position": np.ones((3, 2))[:, 0], "wxyz": [0.5, -0.5, 0.5, 0.5]},
    ):
        moved.move("Tool", **target)
        asked.set_target(0, **target)
        np.testing.assert_array_equal(moved.problem.floats, asked.floats)
    kept = moved.problem.floats.copy()
    for target, says in (
        ({"position": [0.1, 0.2]}, "needs 3 numbers"),
        ({"position": [0.1, 0.2, np.nan]}, "not finite"),
        ({"position": [0.1, 0.2, 0.3], "wxyz": [0.0] * 4}, "zero length"),
        ({"wxyz": "x"}, "needs numbers"),
        ({"distance": 1.0}, "has no target"),
    ):
        with pytest.raises(limbik.GoalError, match=says):
            moved.move("Tool", **target)
        np.testing.assert_array_equal(moved.problem.floats, kept)
    with pytest.raises(limbik.GoalError, match="none of the goals"):
        moved.move("Elbow", [0.1, 0.2, 0.3])


def test_smoothness_stays_near_the_last_pose_and_the_posture_can_still_move() -> None:
    hand, posture = Reach("Tool", position=[0.4, 0.1, 0.6]), limbik.Rest(weight=0.02)
    live = Live(
        ARM, [hand, posture], smoothness=0.1, tolerance=1e-9, recover=False, start=np.full(7, 0.3)
    )
    for pose in (ARM.rest, np.full(7, 0.2)):
        live.move("Rest", pose=pose)
        last = live.q
        q = live.step()
        goals = [hand, limbik.Rest(weight=0.02, pose=pose), limbik.Rest(weight=0.1, pose=last)]
        whole = limbik.Problem(ARM, goals)
        downhill = [ARM.project(at - whole.gradient(at)) - at for at in (q, last)]
        assert np.abs(downhill[0]).max() < 1e-5 * np.abs(downhill[1]).max()
        assert live.problem.objective(q) == pytest.approx(whole.objective(q), rel=1e-9)
