"""Restarts keep the best answer, end where there is nothing to find, and reach far targets."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.random_figures import ANY_GOAL
from limbik import Problem, PythonGoal, Reach, Rest


@pytest.mark.parametrize("name", ANY_GOAL)
def test_restarts_never_make_an_answer_worse(name: str) -> None:
    arm = limbik.figures.arm()
    rng = np.random.default_rng(3)
    for _ in range(6):
        goals = [Reach("Tool", position=rng.uniform(-0.9, 0.9, 3), wxyz=rng.normal(size=4))]
        alone = limbik.solve(arm, goals, method=name, restarts=0)
        again = limbik.solve(arm, goals, method=name, restarts=4)
        assert again.objective <= alone.objective
        assert arm.violation(again.q) == 0.0


@pytest.mark.parametrize("name", ANY_GOAL)
def test_rest_alone_is_reached_without_restarts(name: str) -> None:
    leg = limbik.figures.leg()
    start = leg.project(np.full(leg.n, 0.3))
    r = limbik.solve(leg, [Rest(weight=1.0)], start=start, method=name)
    if name in ("projected_lm", "pseudo_inverse"):
        assert r.ok
        assert r.attempts == 1
        np.testing.assert_allclose(r.q, leg.rest, atol=1e-6)
    assert limbik.solve(leg, [Rest(weight=1.0)], start=leg.rest, method=name).ok


@pytest.mark.parametrize("distance", [3.0, 30.0, 1e5])
def test_a_free_figure_goes_to_a_far_target_at_once(distance: float) -> None:
    human = limbik.figures.human()
    r = limbik.solve(human, [Reach("LeftHand", position=[0.0, 1.0, distance])])
    assert r.ok
    assert r.attempts == 1
    assert r.iterations <= 25


def test_every_restart_of_an_attempt_is_counted() -> None:
    arm = limbik.figures.arm()
    r = limbik.solve(arm, [Reach("Tool", position=[5.0, 0.0, 0.0])], restarts=3)
    assert r.attempts == 4
    assert not r.ok


def test_a_function_that_spoils_its_q_does_no_harm() -> None:
    arm = limbik.figures.arm()

    def residual(figure: limbik.Figure, q: np.ndarray) -> np.ndarray:
        away = figure.positions(q)[figure.index("Tool")] - [0.4, 0.1, 0.5]
        q[:] = 9.0
        return away

    assert limbik.solve(arm, [PythonGoal(residual)]).ok


def test_seconds_end_a_solve_and_history_holds_all_of_it() -> None:
    arm = limbik.figures.arm()
    goals = [Reach("Tool", position=[0.4, 0.1, 0.5], wxyz=[0.2, 0.9, 0.1, 0.3])]
    r = limbik.solve(
        arm, goals, method="projected_gradient", tolerance=1e-14, budget=0.3, restarts=0,
        history=True,
    )  # fmt: skip
    assert r.history is not None
    assert r.attempts == 1
    assert len(r.history.f) == r.iterations + 1
    np.testing.assert_array_equal(r.history.q[-1], r.q)


@pytest.mark.parametrize(("weight", "which"), [(0.01, 1491), (0.05, 1253)])
def test_a_restart_that_meets_the_goals_counts_more_than_wishes(weight: float, which: int) -> None:
    """The arm starts near its target and is stuck at its limits just short of it.  To stay near the
    start costs more where the target is met: f is higher than at the start, which only an answer
    that meets every goal may have."""
    arm, rng = limbik.figures.arm(), np.random.default_rng(0)
    starts = arm.project(arm.rest + rng.normal(size=(2000, arm.n)))
    there = arm.project(starts + 0.15 * rng.normal(size=(2000, arm.n)))[which]
    start, tool = starts[which], arm.joints[-1]
    goals = [
        limbik.Reach(tool, position=arm.positions(there)[-1]),
        limbik.Rest(weight=weight, pose=start),
    ]
    before = Problem(arm, goals).objective(start)
    stuck = limbik.solve(arm, goals, start=start, restarts=0)
    assert not stuck.ok
    assert stuck.objective < before
    met = limbik.solve(arm, goals, start=start)
    assert met.ok
    assert met.attempts > 1
    assert met.objective > before


def test_f_rises_in_no_answer_that_is_short() -> None:
    arm, rng, short = limbik.figures.arm(), np.random.default_rng(3), 0
    for _ in range(150):
        start = arm.project(arm.rest + rng.normal(size=arm.n))
        goals = [
            limbik.Reach(arm.joints[-1], position=1.2 * rng.normal(size=3)),
            limbik.Rest(weight=float(rng.uniform(0.0, 0.3)), pose=start),
        ]
        before = Problem(arm, goals).objective(start)
        r = limbik.solve(arm, goals, start=start, restarts=3)
        short += not r.ok
        if not (r.ok and r.attempts > 1):
            assert r.objective <= before * (1.0 + 1e-12)
    assert short > 20
