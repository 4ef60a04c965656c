"""Slack variables: their elimination is exact, and the minimum is SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import limbik
from helpers.bounded_problems import BOUNDED, at_limits, first_weight, scipy_minimum
from limbik import MethodError, Problem
from limbik.methods import Penalty, SlackVariables

LOW, HIGH = -0.5, 0.9


def augmented(q: float, y: np.ndarray, lam: float, mu: float) -> float:
    """λ(q − p) + μ(q − p)² with p = l + y_l², and u − y_u² the same p."""
    p = LOW + y[0] ** 2
    return lam * (q - p) + mu * (q - p) ** 2


@pytest.mark.parametrize("mu", [0.3, 2.0, 40.0])
def test_the_best_slack_is_the_nearest_point_of_the_range(mu: float) -> None:
    rng = np.random.default_rng(3)
    for q, lam in zip(rng.uniform(-2, 2, 20), rng.normal(size=20), strict=True):
        # Over all y on the circle y_l² + y_u² = u − l, which both equalities leave.
        found = min(
            (
                minimize(
                    lambda a, q=q, lam=lam: augmented(
                        q, np.sqrt(HIGH - LOW) * np.array([np.sin(a[0]), np.cos(a[0])]), lam, mu
                    ),
                    [start],
                    options={"gtol": 1e-9},
                )
                for start in (0.1, 0.8, 1.5)
            ),
            key=lambda result: result.fun,
        )
        z = q + lam / (2 * mu)
        nearest = min(max(z, LOW), HIGH)
        assert found.fun == pytest.approx(mu * (z - nearest) ** 2 - lam**2 / (4 * mu), abs=1e-7)
        assert LOW + (HIGH - LOW) * np.sin(found.x[0]) ** 2 == pytest.approx(nearest, abs=1e-3)


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("rival", ["SLSQP", "L-BFGS-B"])
def test_the_minimiser_is_that_of_scipy(rival: str, name: str) -> None:
    problem = BOUNDED[name]
    theirs = scipy_minimum(problem, rival)
    method = SlackVariables(stationary=1e-9, settle=1e-13, iterations=1000)
    ours = limbik.solve(problem.figure, problem.goals, method=method, restarts=0)
    assert ours.objective <= theirs.fun * (1 + 1e-8)
    np.testing.assert_allclose(ours.q, theirs.x, atol=5e-5)
    assert at_limits(problem, ours.q) > 0


def rounds_of(problem: Problem, rounds: int) -> np.ndarray:
    """Where so many rounds at a constant μ end, before the limits are applied."""
    method = SlackVariables(
        growth=1.0, rounds=rounds, iterations=1000, settle=1e-15, stationary=1e-13
    )
    r = limbik.solve(problem.figure, problem.goals, method=method, restarts=0, history=True)
    assert r.history is not None
    return r.history.q[r.iterations]


def test_each_round_follows_the_multipliers_by_hand() -> None:
    """λ ← 2μ(z − P(z)), each round minimised by SciPy."""
    problem = BOUNDED["three joints"]
    mu, lam, q = first_weight(problem), np.zeros(3), problem.start
    for rounds in range(1, 6):

        def outside(q: np.ndarray, lam: np.ndarray = lam) -> np.ndarray:
            z = q + lam / (2 * mu)
            return z - np.clip(z, problem.figure.lower, problem.figure.upper)

        q = minimize(
            lambda q, out=outside: problem.objective(q) + mu * float((out(q) ** 2).sum()),
            q,
            jac=lambda q, out=outside: problem.gradient(q) + 2 * mu * out(q),
            method="BFGS",
            options={"gtol": 1e-11},
        ).x
        np.testing.assert_allclose(rounds_of(problem, rounds), q, atol=1e-5)
        lam = 2 * mu * outside(q)
    # They have become those of the limits: ∇f + λ = 0.
    np.testing.assert_allclose(lam, -problem.gradient(problem.figure.project(q)), atol=0.1)


def test_violation_vanishes_though_the_weight_does_not_grow() -> None:
    problem = BOUNDED["three joints"]
    over = []
    for rounds in (1, 4, 8, 12):
        q = rounds_of(problem, rounds)
        over.append(np.abs(q - problem.figure.project(q)).max())
    assert over[0] > 0.02
    assert (np.diff(over) < 0).all()
    assert over[-1] < 1e-3 * over[0]


def test_the_first_round_is_that_of_the_penalty() -> None:
    problem = BOUNDED["six joints"]
    slack, penalty = (
        limbik.solve(problem.figure, problem.goals, method=method, restarts=0).q
        for method in (SlackVariables(rounds=1), Penalty(rounds=1))
    )
    np.testing.assert_array_equal(slack, penalty)


@pytest.mark.parametrize(
    "settings", [{"weight": 0.0}, {"growth": 0.5}, {"rounds": 0}, {"weight": np.inf}], ids=str
)
def test_refused(settings: dict) -> None:
    with pytest.raises(MethodError, match=f"slack_variables.*{next(iter(settings))}"):
        SlackVariables(**settings)
