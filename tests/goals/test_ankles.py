"""Ankle: a foot bends up no further than ankles like to; its derivatives, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.differences import differences
from limbik.posture.ankles import Ankle, apart
from limbik.posture.feet import feet_of


@pytest.mark.parametrize("side", [0, 1])
def test_its_jacobian_is_that_of_finite_differences(side: int) -> None:
    human = limbik.figures.human()
    foot = feet_of(human)[side]
    rng = np.random.default_rng(1)
    for _ in range(3):
        q = human.project(human.rest + rng.normal(0, 0.4, human.n))
        near = apart(human, foot, q)
        goal = Ankle(human.joints[foot.joint], near + 0.01, weight=4.0)
        problem = limbik.Problem(human, [goal], start=q)
        assert problem.residual(q)[0] == pytest.approx(2.0 * 0.01)
        slope = -differences(problem.residual, q)
        assert np.abs(slope).max() > 0.1
        np.testing.assert_allclose(problem.jacobian(q), slope, atol=1e-6)
        problem.set_target(0, distance=near - 0.01)
        assert problem.residual(q)[0] == 0.0


def test_it_is_met_as_far_as_ankles_bend_with_ease() -> None:
    """The human's ankles end at 20 degrees; a shin 32 degrees ahead is where others begin to
    mind."""
    human = limbik.figures.human()
    foot = feet_of(human)[0]
    assert apart(human, foot) < apart(human, foot, human.rest)
    q = human.rest.copy()
    bend = int(human.coordinates_of("LeftFoot")[0])
    q[bend] = np.radians(20.0)
    at_limit = apart(human, foot, q)
    q[bend] = np.radians(35.0)
    assert apart(human, foot, q) < apart(human, foot) < at_limit < apart(human, foot, human.rest)


def test_what_is_no_foot_is_refused() -> None:
    human = limbik.figures.human()
    with pytest.raises(limbik.GoalError, match="no foot"):
        limbik.Problem(human, [Ankle("LeftHand", 0.3)])
