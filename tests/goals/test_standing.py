"""Standing: the weight of a body stays above its feet; its derivatives, and what it does."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.differences import differences
from limbik.posture.standing import Standing


@pytest.mark.parametrize("feet", [None, ["LeftFoot"]])
def test_its_jacobian_is_that_of_finite_differences(feet: list[str] | None) -> None:
    human = limbik.figures.human()
    rng = np.random.default_rng(1)
    for _ in range(3):
        q = human.project(human.rest + rng.normal(0, 0.4, human.n))
        goal = Standing(human.rest, feet, weight=2.0)
        problem = limbik.Problem(human, [goal], start=q)
        assert problem.residual(q)[0] == pytest.approx(
            2.0**0.5 * max(0.0, goal.away(human, q) - _allowed_distance(human, goal)), abs=1e-12
        )
        slope = -differences(problem.residual, q)
        np.testing.assert_allclose(problem.jacobian(q), slope, atol=1e-6)


@pytest.mark.parametrize("way", [(0.0, 0.0, 2.0), (2.0, 0.4, 0.0)], ids=["ahead", "aside"])
def test_a_body_that_stands_bends_where_it_would_lean_as_a_plank(
    way: tuple[float, float, float],
) -> None:
    human = limbik.figures.human()
    hand = human.positions(human.rest, "LeftHand")
    goals = [
        limbik.Reach("LeftHand", position=hand + way, weight=1e-2),
        limbik.Pin("LeftFoot", rotation=True),
    ]
    goals.append(limbik.Pin("RightFoot", rotation=True))
    leans = []
    for standing in (False, True):
        result = limbik.solve(human, [*goals, *limbik.natural(human, standing=standing)])
        hips, left, right = human.positions(result.q)[
            [human.index(joint) for joint in ("Hips", "LeftFoot", "RightFoot")]
        ]
        leg = hips - 0.5 * (left + right)
        leans.append(float(np.degrees(np.arccos(leg[1] / np.linalg.norm(leg)))))
        away = Standing(human.rest).away(human, result.q)
    assert leans[0] > 24.0
    assert leans[1] < 15.0
    assert away < _allowed_distance(human, Standing(human.rest)) + 0.03
    assert "the body would fall" in result.why


def test_what_cannot_stand_is_refused() -> None:
    human, arm = limbik.figures.human(), limbik.figures.arm()
    with pytest.raises(limbik.GoalError, match="body with two feet"):
        limbik.natural(arm, standing=True)
    with pytest.raises(limbik.GoalError, match="no body"):
        limbik.Problem(arm, [Standing(arm.rest)])
    with pytest.raises(limbik.GoalError, match="feet of the body"):
        limbik.Problem(human, [Standing(human.rest, ["LeftHand"])])


def _allowed_distance(figure: limbik.Figure, goal: Standing) -> float:
    (term,) = goal.terms(limbik.Problem(figure, [goal]).scene)
    assert term.functions is not None
    return float(term.functions.numbers[0])
