"""Projected quasi-Newton against dense BFGS, against L-BFGS-B, and against naive projection."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.bounded_problems import BOUNDED, at_limits, scipy_minimum
from limbik import MethodError, Problem, Range, Reach, Status
from limbik.figure.projection import free_directions
from limbik.methods import ProjectedGradient, ProjectedQuasiNewton
from limbik.methods.gradient.projected_quasi_newton import two_loops, view_lbfgs
from limbik.methods.workspace import floats_taken


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("pairs", [1, 3, 10])
def test_the_minimiser_is_that_of_l_bfgs_b(pairs: int, name: str) -> None:
    problem = BOUNDED[name]
    theirs = scipy_minimum(problem, "L-BFGS-B")
    method = ProjectedQuasiNewton(pairs=pairs, stationary=1e-9)
    ours = limbik.solve(problem.figure, problem.goals, method=method, restarts=0)
    assert ours.objective <= theirs.fun * (1 + 1e-9)
    np.testing.assert_allclose(ours.q, theirs.x, atol=1e-5)
    assert at_limits(problem, ours.q) > 0


@pytest.mark.parametrize("kept", [0, 1, 4])
@pytest.mark.parametrize("held", [(), (1, 4)], ids=str)
def test_two_loops_are_dense_bfgs_on_the_free_coordinates(held: tuple[int, ...], kept: int) -> None:
    rng = np.random.default_rng(11)
    n, pairs, newest, scale = 6, 4, 1, 0.37
    figure = limbik.figures.chain([0.5] * n, limits=Range(-0.3, 0.5))
    problem = Problem(figure, [Reach("Tip", position=[1.0, 1.0, 0.0])])
    size = floats_taken(view_lbfgs, problem.ints, pairs)
    lbfgs, _ = view_lbfgs(problem.ints, pairs, np.zeros(size))
    root = rng.normal(size=(n, n))
    lbfgs.s[:] = rng.normal(size=(pairs, n))
    lbfgs.y[:] = lbfgs.s @ (root @ root.T + 0.2 * np.eye(n))
    q, half_descent = figure.rest.copy(), rng.normal(size=n)
    for c in held:
        q[c], half_descent[c] = 0.5, abs(half_descent[c])
    count = free_directions(
        problem.ints, problem.floats, q, half_descent, lbfgs.starts, lbfgs.spans,
        lbfgs.coefficients, np.empty(64),
    )  # fmt: skip
    free = [c for c in range(n) if c not in held]
    assert count == len(free)
    two_loops(problem.ints, problem.floats, half_descent, lbfgs, count, kept, newest, scale)

    order = [(newest - k) % pairs for k in range(kept)][::-1]  # oldest first
    h, used = None, 0
    for p in [order[-1]] if order else []:
        s, y = lbfgs.s[p][free], lbfgs.y[p][free]
        assert s @ y > 0
        scale = (s @ y) / (y @ y)
    h = scale * np.eye(len(free))
    for p in order:
        s, y = lbfgs.s[p][free], lbfgs.y[p][free]
        if s @ y > 1e-8 * np.linalg.norm(s) * np.linalg.norm(y):
            v = np.eye(len(free)) - np.outer(y, s) / (s @ y)
            h, used = v.T @ h @ v + np.outer(s, s) / (s @ y), used + 1
    assert used >= min(kept, 1)
    np.testing.assert_allclose(
        lbfgs.along[:count], h @ (2 * half_descent[free]), rtol=1e-9, atol=1e-9
    )


def test_a_projected_newton_step_may_rise_for_every_length_and_this_method_descends() -> None:
    """Section 4 of line_search gives this as the reason not to use quasi-Newton directions."""
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.9))
    rng, rising = np.random.default_rng(17), 0
    for _ in range(300):
        q = figure.project(rng.normal(size=3) * 1.2)
        goals = [Reach("Tip", position=[*rng.normal(size=2) * 2, 0.0])]
        problem = Problem(figure, goals, start=q)
        f, g, jacobian = problem.objective(q), problem.gradient(q), problem.jacobian(q)
        newton = -np.linalg.solve(2 * jacobian.T @ jacobian + 1e-2 * np.eye(3), g)
        lengths = 0.5 ** np.arange(40)
        best = min(problem.objective(figure.project(q + tau * newton)) for tau in lengths)
        if best < f:
            continue
        r = limbik.solve(
            figure, goals, start=q, method="projected_quasi_newton", restarts=0, tolerance=1e-9
        )
        if r.iterations > 0:  # otherwise q is stationary, and nothing can descend
            assert r.objective < f
            rising += 1
    assert rising >= 3


def test_it_needs_far_fewer_iterations_than_the_gradient() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-2.0, 0.6))
    goals = [Reach("Tip", position=[2.0, 2.0, 0.0])]
    asked = {"start": [0.3, 0.1, 0.2], "restarts": 0}
    plain = limbik.solve(figure, goals, method=ProjectedGradient(iterations=3000), **asked)
    quick = limbik.solve(figure, goals, method="projected_quasi_newton", **asked)
    assert plain.status is not Status.STALLED
    assert quick.status is plain.status
    assert quick.iterations < plain.iterations / 3
    assert quick.objective == pytest.approx(plain.objective, rel=1e-8)


@pytest.mark.parametrize("settings", [{"alpha": 0.0}, {"alpha": 0.7}, {"pairs": 0}], ids=str)
def test_refused(settings: dict) -> None:
    with pytest.raises(MethodError, match=f"projected_quasi_newton.*{next(iter(settings))}"):
        ProjectedQuasiNewton(**settings)
