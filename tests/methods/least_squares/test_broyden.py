"""Broyden's method against the rank-one update in NumPy, and what it saves."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import MethodError, Problem, Range, Reach, Result, Status
from limbik.methods import Broyden, DampedLeastSquares
from limbik.methods.base import OUT, OUT_EVALUATIONS, OUT_ITERATIONS, OUT_JACOBIANS
from limbik.methods.least_squares.broyden import broyden_update
from limbik.methods.least_squares.damped_solve import damping_scale
from limbik.solver.objective import state_size

START = np.array([0.4, 0.3, -0.2])


def solve(problem: Problem, method: Broyden | DampedLeastSquares, **asked: object) -> Result:
    defaults: dict = {"tolerance": 1e-9, "restarts": 0, "history": True, "start": problem.start}
    return limbik.solve(problem.figure, problem.goals, method=method, **(defaults | asked))


def planar(limit: Range | None = None) -> Problem:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=limit)
    return Problem(figure, [Reach("Tip", position=[1.2, 1.5, 0.0])], start=START)


def arm() -> Problem:
    figure = limbik.figures.arm()
    goals = [Reach("Tool", position=[0.4, 0.3, 0.5], wxyz=[0.0, 0.8, 0.6, 0.0])]
    return Problem(figure, goals)


def counts(problem: Problem, method: Broyden) -> tuple[int, int, int]:
    """(iterations, evaluations, Jacobians) of one run."""
    out, q = np.zeros(OUT), problem.start.copy()
    size = int(state_size(problem.ints)) + method.workspace(problem)
    history = np.empty((0, 1 + problem.figure.n))
    Broyden.kernel(
        problem.ints, problem.floats, np.empty(size), method.options(problem), q, out, history
    )
    return int(out[OUT_ITERATIONS]), int(out[OUT_EVALUATIONS]), int(out[OUT_JACOBIANS])


def test_the_update_meets_the_secant_condition_and_changes_least() -> None:
    problem, rng = arm(), np.random.default_rng(3)
    before = problem.jacobian(problem.start)
    step = 0.1 * rng.normal(size=problem.figure.n)
    r, moved = problem.residual(problem.start), problem.residual(problem.start + step)
    jt = np.ascontiguousarray(before.T)
    broyden_update(problem.ints, problem.floats, r, moved, step, jt)
    np.testing.assert_allclose(jt.T @ step, r - moved, atol=1e-14)
    missed = r - moved - before @ step
    assert np.linalg.norm(missed) > 1e-3
    # Of all matrices that do, the nearest: it differs by one rank, along the step only.
    assert np.linalg.norm(jt.T - before) == pytest.approx(
        np.linalg.norm(missed) / np.linalg.norm(step)
    )
    across = rng.normal(size=problem.figure.n)
    across -= step * (across @ step) / (step @ step)
    np.testing.assert_allclose(jt.T @ across, before @ across, atol=1e-14)


def test_a_step_of_nothing_changes_nothing() -> None:
    problem = planar()
    before = problem.jacobian(START)
    jt = np.ascontiguousarray(before.T)
    r = problem.residual(START)
    broyden_update(problem.ints, problem.floats, r, r, np.zeros(3), jt)
    np.testing.assert_array_equal(jt.T, before)


def test_iterates_are_those_of_numpy() -> None:
    problem, method = planar(Range(-2.0, 1.8)), Broyden(progress=0.3)
    figure, scale = problem.figure, damping_scale(problem)
    r = solve(problem, method)
    assert r.ok
    assert r.history is not None
    q, matrix, damping = START, problem.jacobian(START), method.damping
    true, learnt = True, 0
    for following in r.history.q[1:]:
        while True:
            damped = matrix.T @ matrix + (damping * scale) ** 2 * np.eye(3)
            found = figure.project(q + np.linalg.solve(damped, matrix.T @ problem.residual(q)))
            if problem.objective(found) < problem.objective(q):
                break
            if true:
                damping *= 4
            else:
                matrix, true = problem.jacobian(q), True
        np.testing.assert_allclose(following, found, rtol=0, atol=1e-8)
        learnt += not true
        step, change = found - q, problem.residual(q) - problem.residual(found)
        matrix = matrix + np.outer(change - matrix @ step, step) / (step @ step)
        true = problem.objective(found) > method.progress * problem.objective(q)
        damping, q = max(damping / 3, 1e-6), found
        if true:
            matrix = problem.jacobian(q)
    assert learnt >= 3


def test_progress_zero_is_adaptive_damped_least_squares() -> None:
    for problem in (planar(), arm()):
        one = solve(problem, Broyden(progress=0.0))
        other = solve(problem, DampedLeastSquares(adaptive=True))
        assert one.history is not None
        assert other.history is not None
        np.testing.assert_array_equal(one.history.q, other.history.q)


def test_it_computes_fewer_jacobians_than_it_takes_steps() -> None:
    iterations, evaluations, jacobians = counts(planar(), Broyden())
    assert 0 < jacobians < iterations < evaluations
    iterations, _, jacobians = counts(planar(), Broyden(progress=0.0))
    assert jacobians == iterations


def test_out_of_reach_it_settles_at_the_nearest_point() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    problem = Problem(figure, [Reach("Tip", position=[3.0, 3.0, 0.0])], start=START)
    r = solve(problem, Broyden())
    assert r.status is Status.OUT_OF_REACH
    assert r.objective == pytest.approx((np.hypot(3.0, 3.0) - 2.5) ** 2, rel=1e-9)


@pytest.mark.parametrize(
    "settings", [{"damping": 0.0}, {"damping": np.inf}, {"progress": -0.1}, {"progress": 1.1}],
    ids=str,
)  # fmt: skip
def test_refused(settings: dict[str, float]) -> None:
    with pytest.raises(MethodError, match="broyden"):
        Broyden(**settings)  # type: ignore[arg-type]
