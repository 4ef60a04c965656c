"""The penalty method against SciPy on f + μ‖q − P(q)‖², and what growing μ does to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import limbik
from helpers.bounded_problems import BOUNDED, at_limits, first_weight, scipy_minimum
from helpers.common_problems import problem_of
from limbik import Figure, Joint, MethodError, Problem, Range, Reach, Status
from limbik.figure.joints import prismatic, revolute
from limbik.methods import Penalty, SlackVariables
from limbik.methods.constrained.soft_limits import draw_in

TIGHT: dict[str, Any] = {"settle": 1e-15, "stationary": 1e-12}


def unprojected(problem: Problem, method: Penalty | SlackVariables) -> np.ndarray:
    """Where the last round ended, before the limits were applied."""
    r = limbik.solve(problem.figure, problem.goals, method=method, restarts=0, history=True)
    assert r.history is not None
    steps = r.history.q[: r.iterations + 1]
    np.testing.assert_array_equal(r.q, problem.figure.project(steps[-1]))
    return steps[-1]


@pytest.mark.parametrize("weight", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("name", BOUNDED)
def test_a_round_minimises_f_plus_the_penalty(name: str, weight: float) -> None:
    problem = BOUNDED[name]
    mu, project = weight * first_weight(problem), problem.figure.project

    def phi(q: np.ndarray) -> float:
        return problem.objective(q) + mu * float(((q - project(q)) ** 2).sum())

    def slope(q: np.ndarray) -> np.ndarray:
        return problem.gradient(q) + 2 * mu * (q - project(q))

    theirs = minimize(phi, problem.start, jac=slope, method="BFGS", options={"gtol": 1e-10})
    ours = unprojected(problem, Penalty(rounds=1, weight=weight, **TIGHT))
    assert np.abs(ours - project(ours)).max() > 1e-4
    assert phi(ours) <= theirs.fun * (1 + 1e-10)
    np.testing.assert_allclose(ours, theirs.x, atol=1e-5)


def test_slides_count_by_the_angle_that_moves_as_far() -> None:
    """In centimetres instead of metres the joints' angles stay what they are."""
    answers = []
    for unit in (1.0, 100.0):
        joints = [
            Joint("A", None, prismatic("x"), limit=Range(0.0, 0.2 * unit, degrees=False)),
            Joint("B", "A", revolute("z"), offset=(unit, 0.0, 0.0), limit=Range(-0.2, 0.2)),
            Joint("Tip", "B", offset=(unit, 0.0, 0.0)),
        ]
        goals = [Reach("Tip", position=[1.8 * unit, 1.6 * unit, 0.0])]
        problem = Problem(Figure(joints), goals, start=[0.1 * unit, 0.1])
        answers.append(unprojected(problem, Penalty(rounds=2)) / [unit, 1.0])
    assert answers[0][1] > 0.25
    np.testing.assert_allclose(answers[1], answers[0], rtol=1e-6)


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("kind", ["exterior", "approach"])
def test_the_minimiser_is_that_of_scipy(kind: str, name: str) -> None:
    problem = BOUNDED[name]
    theirs = scipy_minimum(problem, "trust-constr" if name == "six joints" else "SLSQP")
    method = Penalty(kind=kind, settle=1e-13, iterations=1000)  # type: ignore[arg-type]
    ours = limbik.solve(problem.figure, problem.goals, method=method, restarts=0)
    assert ours.objective <= theirs.fun * (1 + 1e-7)
    np.testing.assert_allclose(ours.q, theirs.x, atol=1e-4)
    assert at_limits(problem, theirs.x) > 0 or name == "six joints"


def descents(hessian: np.ndarray) -> int:
    """Steps of steepest descent, each of the best length, until f fell to 1e-6 of itself."""
    x = np.array([0.3, -0.2, 0.7])
    least, count = 1e-6 * (x @ hessian @ x), 0
    while x @ hessian @ x > least and count < 20000:
        slope = hessian @ x
        x = x - (slope @ slope) / (slope @ hessian @ slope) * slope
        count += 1
    return count


def test_violation_falls_and_condition_grows_with_the_weight() -> None:
    """Section 1.4.3 of extended_jacobian: "penalty function methods are not numerically stable".

    Measured: the violation falls as 1/μ and the condition number of JᵀJ + D + μN grows as μ, and a
    gradient method needs ever more steps.  But nothing is lost in solving for the Gauss–Newton
    step, whatever μ: the condition that counts there is the one after each row and column has been
    divided by the root of its diagonal entry, and it stays what it was.
    """
    problem = BOUNDED["three joints"]
    base, weights = first_weight(problem), 10.0 ** np.arange(2, 11, 2)
    violation, condition, scaled, lost, steps = [], [], [], [], []
    for weight in weights:
        q = unprojected(problem, Penalty(rounds=1, weight=float(weight), iterations=500, **TIGHT))
        out = q - problem.figure.project(q)
        violation.append(np.abs(out).max())
        jacobian = problem.jacobian(q)
        hessian = jacobian.T @ jacobian + 0.5 * np.eye(3) + weight * base * np.diag(out != 0.0)
        root = np.sqrt(np.diag(hessian))
        condition.append(np.linalg.cond(hessian))
        scaled.append(np.linalg.cond(hessian / np.outer(root, root)))
        there = np.array([0.3, -0.2, 0.7])
        lost.append(np.abs(np.linalg.solve(hessian, hessian @ there) - there).max())
        if weight <= 1e4:
            steps.append(descents(hessian))
    np.testing.assert_allclose(np.array(violation[:-1]) / violation[1:], 100.0, rtol=0.02)
    np.testing.assert_allclose(np.array(condition[1:]) / condition[:-1], 100.0, rtol=0.02)
    assert condition[-1] > 1e11
    assert max(scaled) < 4.0
    assert max(lost) < 1e-14
    assert steps[1] > 5 * steps[0]


def test_slack_variables_need_no_weight_that_grows() -> None:
    """At a constant μ they come closer to the limits than a penalty of a thousand times that μ."""
    problem = BOUNDED["three joints"]

    def violation(method: Penalty | SlackVariables) -> float:
        q = unprojected(problem, method)
        return float(np.abs(q - problem.figure.project(q)).max())

    constant = SlackVariables(growth=1.0, rounds=25, iterations=500, **TIGHT)
    multipliers = violation(constant)
    alone = violation(Penalty(rounds=1, weight=1e3, iterations=500, **TIGHT))
    assert multipliers < 1e-6
    assert alone > 1e-5


@pytest.mark.parametrize("margin", [0.1, 0.4])
def test_limits_drawn_in(margin: float) -> None:
    asked = problem_of("cones")
    problem, figure, rng = asked.problem, asked.figure, np.random.default_rng(5)
    cones = figure.tree.cones
    for _ in range(50):
        q, nearest = rng.normal(size=figure.n), np.empty(figure.n)
        draw_in(problem.ints, problem.floats, q, margin, nearest, np.empty(64))
        # A set shrunk about its centre: P of the shrunk set is the shrunk P.
        centre = 0.5 * (figure.lower + figure.upper)
        expected = centre + (1 - margin) * (
            figure.project(centre + (q - centre) / (1 - margin)) - centre
        )
        np.testing.assert_allclose(nearest, expected, atol=1e-9)
    assert len(cones) == 3


def test_approach_stays_further_inside() -> None:
    """With a wall before the limit the first round crosses it less."""
    problem = BOUNDED["three joints"]
    over = [
        figure_violation(problem, unprojected(problem, Penalty(kind=kind, rounds=1, margin=0.3)))
        for kind in ("exterior", "approach")
    ]
    assert over[1] < 0.7 * over[0]


def figure_violation(problem: Problem, q: np.ndarray) -> float:
    return float(np.abs(q - problem.figure.project(q)).max())


def test_approach_leaves_locked_joints_and_those_no_goal_feels_where_they_are() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.5))
    goals = [Reach("Joint3", position=[0.5, 1.5, 0.0])]
    asked = {"start": [0.2, 0.5, -0.5], "lock": ("Joint2",), "restarts": 0}
    r = limbik.solve(figure, goals, method=Penalty(kind="approach"), **asked)
    assert r.q[1] == 0.5
    assert r.q[2] == -0.5  # Joint3 turns about itself: no goal feels it
    assert r.q[0] != 0.2


def test_a_goal_reached_outside_the_limits_is_not_reached() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.2, 0.4))
    goals = [Reach("Tip", position=[1.0, 1.5, 0.0])]
    r = limbik.solve(figure, goals, start=[0.3, 0.3, 0.3], method="penalty", restarts=0)
    assert r.status is Status.LIMITED
    assert r.errors[0] > 0.1


@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "interior"},
        {"weight": 0.0},
        {"growth": 1.0},
        {"rounds": 0},
        {"margin": 0.0},
        {"margin": 1.0},
    ],
    ids=str,
)
def test_refused(settings: dict) -> None:
    with pytest.raises(MethodError, match=f"penalty.*{next(iter(settings))}"):
        Penalty(**settings)
