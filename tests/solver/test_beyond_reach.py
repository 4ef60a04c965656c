"""Beyond reach: an answer settles, restarts never harm it, and a motion stays calm."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Aim, Pin, Reach, Rest
from limbik.maths.quaternions import matrix_to_quat

EFFECTORS = ["Hips", "Head", "LeftHand", "RightHand", "LeftToeBase", "RightToeBase"]


def reach_for(shelf: list[float]) -> list:
    """README's goals, with the shelf somewhere else."""
    return [
        Reach("LeftHand", position=shelf),
        Aim("Head", axis="z", at=shelf),
        Pin("LeftFoot"),
        Pin("RightFoot"),
        Rest(weight=1e-3),
    ]


@pytest.mark.parametrize(
    "shelf",
    [[0.35, 2.2, 0.4], [2.2, 1.2, 0.3], [0.3, 1.5, 1.9], [-1.2, 1.9, 0.2], [0.2, 3.0, 0.0]],
)
def test_a_shelf_out_of_reach_is_settled_and_no_restart_harms(shelf: list[float]) -> None:
    human = limbik.figures.human()
    alone = limbik.solve(human, reach_for(shelf), restarts=0)
    again = limbik.solve(human, reach_for(shelf))
    for r in (alone, again):
        assert r.status in ("LIMITED", "OUT_OF_REACH", "HELD")
        assert human.violation(r.q) == 0.0
    assert again.objective <= alone.objective
    # The right arm is felt by Rest only, so it stays where it rests.
    for joint in ("RightArm", "RightForeArm", "RightHand"):
        c = human.coordinates_of(joint)
        assert np.abs(again.q[c] - human.rest[c]).max() < np.radians(1.0)


def test_cones_on_exponential_balls_settle_beyond_reach() -> None:
    human, rng = limbik.figures.human().with_balls("exponential"), np.random.default_rng(0)
    places = human.positions(human.rest)
    for _ in range(150):
        joint = ("LeftHand", "RightHand", "Head")[rng.integers(3)]
        away, far = rng.normal(size=3), human.size * rng.uniform(0.3, 1.5)
        goal = Reach(joint, position=places[human.index(joint)] + far * away / np.linalg.norm(away))
        r = limbik.solve(human, [goal], lock=[human.joints[0]], restarts=0)
        assert r.status != "STALLED"  # 5 were where steps left the edges that they follow
        assert human.violation(r.q) == 0.0


def test_a_long_valley_between_limits_is_followed_to_its_end() -> None:
    human = limbik.figures.human()
    goals = [Reach("LeftHand", position=[2.102, -0.376, -0.127]), Pin("LeftFoot"), Pin("RightFoot")]
    r = limbik.solve(human, goals, restarts=0)
    assert r.status == "LIMITED"
    assert r.iterations > 200  # a budget of 200 ended before the valley did


def test_a_corner_of_the_limits_is_reached_by_more_than_thirty_restarts() -> None:
    arm, rng = limbik.figures.arm(), np.random.default_rng(1)
    corners = np.where(rng.random((60, arm.n)) < 0.5, arm.lower, arm.upper)
    frames = arm.frames(corners)[:, arm.index("Tool")]
    wxyz = matrix_to_quat(frames[:, :3, :3])
    found = limbik.solve_many(arm, [Reach("Tool", position=frames[:, :3, 3], wxyz=wxyz)])
    assert found.ok.all()


def test_corners_of_a_figure_of_many_coordinates_are_reached_by_as_many_restarts() -> None:
    spider, rng = limbik.figures.spider(), np.random.default_rng(1)
    ends = np.where(rng.random((60, spider.n)) < 0.5, spider.lower, spider.upper)
    free = rng.uniform(-1.0, 1.0, (60, spider.n))
    corners = spider.project(np.where(np.isfinite(ends), ends, free))
    inner = {joint.parent for joint in spider.definition}
    feet = [joint for joint in spider.joints if joint not in inner]
    at = spider.positions(corners)[:, [spider.index(foot) for foot in feet]]
    assert limbik.solve_many(spider, feet, positions=at).ok.all()  # 3 were given up too early


def test_what_no_goal_feels_is_not_thrown_by_restarts() -> None:
    human = limbik.figures.human()
    rng = np.random.default_rng(5)
    idle = np.ones(human.n, bool)
    for joint in human.joints:
        if "Right" not in joint:
            idle[human.coordinates_of(joint)] = False
    short = 0
    for _ in range(12):
        away = rng.normal(size=3)
        position = [0.0, 1.3, 0.0] + 1.4 * away / np.linalg.norm(away)
        r = limbik.solve(human, [Reach("LeftHand", position=position)], lock=(human.joints[0],))
        if not r.ok:
            short += 1
            np.testing.assert_array_equal(r.q[idle], human.rest[idle])
    assert short > 6


@pytest.mark.parametrize("larger", [1.05, 1.4])
def test_targets_beyond_reach_are_followed_calmly(larger: float) -> None:
    clip = limbik.figures.cartwheel()
    figure, q = clip.figure, clip.q[100:400:3]
    at = figure.positions(q)[:, [figure.index(name) for name in EFFECTORS]]
    middle = at.mean(axis=1, keepdims=True)
    targets = middle + larger * (at - middle)
    t = limbik.track(figure, EFFECTORS, targets, start=q[0], fps=clip.fps / 3, reference=q)
    assert not len(t.jumps)
    assert not (t.status == "STALLED").any()
    assert t.attempts.mean() < 1.5

    def roughness(poses: np.ndarray) -> float:
        return float(np.linalg.norm(np.diff(figure.positions(poses), 2, axis=0), axis=-1).mean())

    assert roughness(t.motion.q[1:]) < 1.5 * roughness(q[1:])


def test_a_motion_in_blocks_is_the_same_motion() -> None:
    clip = limbik.figures.cartwheel()
    figure, q = clip.figure, clip.q[::12]
    at = figure.positions(q)[:, [figure.index(name) for name in EFFECTORS]]
    targets = at.mean(axis=1, keepdims=True) + 1.1 * (at - at.mean(axis=1, keepdims=True))
    whole = limbik.track(figure, EFFECTORS, targets, start=q[0], fps=10)
    parts = limbik.track(figure, EFFECTORS, targets, start=q[0], fps=10, progress=lambda done: None)
    np.testing.assert_array_equal(whole.motion.q, parts.motion.q)
