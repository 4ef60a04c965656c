"""Floor: points of a body stay above a plane; its Jacobian, its points and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.differences import differences
from limbik.posture.feet import feet_of
from limbik.posture.joint_weights import joint_weights


def test_its_jacobian_is_that_of_finite_differences() -> None:
    human = limbik.figures.human()
    rng = np.random.default_rng(1)
    q = human.project(human.rest + rng.normal(0, 0.2, human.n))
    problem = limbik.Problem(human, [limbik.Floor(0.5, weight=2.0)], start=q)
    r, jacobian = problem.residual(q), problem.jacobian(q)
    assert 4 <= np.count_nonzero(r) < len(r)  # what is below the plane, and what is not
    np.testing.assert_allclose(jacobian, -differences(problem.residual, q), atol=1e-7)


def test_soles_of_the_human_lie_on_its_floor() -> None:
    human = limbik.figures.human()
    depths = dict.fromkeys(["LeftFoot", "RightFoot", "LeftToeBase", "RightToeBase"], -1.0)
    for joint, depth in limbik.Floor(0.0).depths(human, human.rest):
        if joint in depths:
            depths[joint] = max(depths[joint], depth)
    assert max(map(abs, depths.values())) < 1e-9
    left, right = feet_of(human)
    np.testing.assert_allclose(left.heel * [-1, 1, 1], right.heel, atol=1e-9)
    assert left.heel[2] < -0.02  # behind the ankle
    assert left.ball[2] > 0.1


def test_a_hand_that_goes_for_the_ground_stays_above_it() -> None:
    human = limbik.figures.human()
    goals = [limbik.Reach("LeftHand", position=[0.3, -0.2, 0.3], weight=1e-3)]
    result = limbik.solve(human, [*goals, *limbik.natural(human)])
    assert not result.ok
    assert max(d for _, d in limbik.Floor(0.0).depths(human, result.q)) < 1e-3
    assert "on the floor" in result.why or "limit" in result.why


def test_weights_grow_from_the_limbs_to_the_hips() -> None:
    human = limbik.figures.human()
    weights = joint_weights(human)
    names = ["LeftForeArm", "LeftShoulder", "Neck", "Spine", "Hips"]
    first = [weights[human.coordinates_of(name)].min() for name in names]
    assert first == sorted(first)
    assert weights[human.coordinates_of("LeftArm")].max() == 1.0
    spider = limbik.figures.spider()
    loose = joint_weights(spider)
    assert (
        loose[spider.coordinates_of("Body")].min()
        > 20 * loose[spider.coordinates_of("L1Tarsus")].max()
    )


def test_what_cannot_be_asked_is_refused() -> None:
    human = limbik.figures.human()
    with pytest.raises(limbik.GoalError, match="Floor: needs"):
        limbik.Problem(human, [limbik.Floor(0.0, points=["LeftFoot"])])
    with pytest.raises(limbik.GoalError, match="weight"):
        limbik.natural(human, weight=-1.0)
    with pytest.raises(limbik.GoalError, match="floor"):
        limbik.natural(human, floor=float("nan"))
    assert [type(goal).__name__ for goal in limbik.natural(human)] == ["Rest", "Floor"]
    assert [type(goal).__name__ for goal in limbik.natural(limbik.figures.arm())] == ["Rest"]
