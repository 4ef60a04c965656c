"""Baillieul's extended Jacobian: equation 6 of extended_jacobian against NumPy and differences."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.criterion_samples import criterion
from helpers.differences import differences
from limbik import Figure, Problem, Range, Reach
from limbik.methods.redundancy.baillieul import Baillieul
from limbik.methods.redundancy.criteria import CRITERIA
from limbik.methods.redundancy.null_space import NullSpace


def chain(limits: Range | None = None) -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.chain([1.0, 0.8, 0.9, 0.5], limits=limits)
    return figure, [Reach("Tip", position=[1.0, 1.5, 0.0])], np.array([0.3, 0.5, 0.7, 0.4])


def free_basis(jacobian: np.ndarray) -> np.ndarray:
    """(n, n − rank) orthonormal."""
    _, sigma, vt = np.linalg.svd(jacobian)
    return vt[(sigma > 1e-9).sum() :].T


def gradient_of(name: str, problem: Problem, q: np.ndarray) -> np.ndarray:
    return differences(lambda at: criterion(name, problem, at), q, 1e-5)


def condition(name: str, problem: Problem, basis: np.ndarray, q: np.ndarray) -> np.ndarray:
    """ηᵢ(q)·∇g(q), the vectors followed from ``basis`` by turning the null space as a whole."""
    here = free_basis(problem.jacobian(q))
    u, _, vt = np.linalg.svd(here.T @ basis)
    return (here @ u @ vt).T @ gradient_of(name, problem, q)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("correction", [0.0, 0.6])
def test_the_step_solves_equation_6(name: str, correction: float) -> None:
    """The rows ∂(ηᵢ·∇g)/∂q by differences of a basis that follows q."""
    figure, goals, start = chain(Range(-3.0, 2.5))
    problem = Problem(figure, goals, start=start)
    r = limbik.solve(
        figure, goals, start=start, tolerance=1e-12, restarts=0, budget=1,
        method=Baillieul(criterion=name, correction=correction, cutoff=1e-9),
    )  # fmt: skip
    assert r.iterations == 1
    assert r.singular == 0
    basis = free_basis(problem.jacobian(start))
    h = 1e-4
    rows = np.transpose(
        [
            (
                condition(name, problem, basis, start + s)
                - condition(name, problem, basis, start - s)
            )
            / (2 * h)
            for s in h * np.eye(4)
        ]
    )
    system = np.concatenate([problem.jacobian(start)[:2], rows])
    wanted = [
        *problem.residual(start)[:2],
        *(-correction * basis.T @ gradient_of(name, problem, start)),
    ]
    step = np.linalg.solve(system, wanted)
    assert np.abs(step).max() < 2.0
    np.testing.assert_allclose(r.q, figure.project(start + step), atol=2e-4)


@pytest.mark.parametrize("name", CRITERIA)
def test_as_printed_it_stays_where_the_criterion_is_least(name: str) -> None:
    """Equation 6 with zeros, along a path that starts at a pose that is best for its goal."""
    figure, goals, start = chain(Range(-3.0, 2.5))
    best = limbik.solve(
        figure, goals, start=start, method=Baillieul(criterion=name), restarts=0, tolerance=1e-9
    )
    assert best.ok
    drift, target = [], [1.0, 1.5, 0.0]
    for steps in (20, 40):
        q = best.q
        for k in range(1, steps + 1):
            target = [1.0 + 0.5 * k / steps, 1.5 - 0.3 * k / steps, 0.0]
            method = Baillieul(criterion=name, correction=0.0, settle=False)
            q = limbik.solve(
                figure, [Reach("Tip", position=target)], start=q, method=method, budget=1,
                restarts=0, tolerance=1e-12,
            ).q  # fmt: skip
        problem = Problem(figure, [Reach("Tip", position=target)], start=q)
        basis = free_basis(problem.jacobian(q))
        drift.append(np.linalg.norm(basis.T @ gradient_of(name, problem, q)))
    # What is left is Euler's error of the path: half of it with steps of half the length.
    assert drift[0] < 0.03
    assert drift[1] < 0.6 * drift[0]


@pytest.mark.parametrize("name", CRITERIA)
def test_the_answer_is_an_optimum_on_the_goals(name: str) -> None:
    figure, goals, start = chain(Range(-3.0, 2.5))
    problem = Problem(figure, goals, start=start)
    r = limbik.solve(figure, goals, start=start, method=Baillieul(criterion=name), restarts=0)
    assert r.ok
    assert r.iterations < 30
    gradient = gradient_of(name, problem, r.q)
    left = free_basis(problem.jacobian(r.q)).T @ gradient
    assert np.linalg.norm(left) < 0.02 * np.linalg.norm(gradient)


def test_it_converges_faster_than_the_gradient_in_the_null_space() -> None:
    figure, goals, start = chain()
    asked = {"start": start, "restarts": 0, "tolerance": 1e-9}
    newton = limbik.solve(figure, goals, method=Baillieul(), **asked)
    gradient = limbik.solve(figure, goals, method=NullSpace(criterion="rest"), **asked)
    assert newton.ok
    assert gradient.ok
    assert newton.iterations < gradient.iterations
    np.testing.assert_allclose(newton.q, gradient.q, atol=2e-3)


def test_a_square_jacobian_needs_no_rows_below() -> None:
    figure = limbik.figures.chain([1.0, 1.0])
    start, target = np.array([0.4, 0.8]), [1.2, 0.9, 0.0]
    problem = Problem(figure, [Reach("Tip", position=target)], start=start)
    r = limbik.solve(
        figure, [Reach("Tip", position=target)], start=start, budget=1, restarts=0,
        method=Baillieul(correction=0.0),
    )  # fmt: skip
    step = np.linalg.solve(problem.jacobian(start)[:2], problem.residual(start)[:2])
    np.testing.assert_allclose(r.q, start + step, atol=1e-12)


def test_systems_that_lack_rank_are_handled_and_counted() -> None:
    # Straight: J loses a row.
    figure = limbik.figures.chain([1.0, 1.0, 1.0])
    goals = [Reach("Tip", position=[2.0, 0.8, 0.0])]
    straight = limbik.solve(
        figure, goals, start=np.zeros(3), method=Baillieul(), budget=1, restarts=0
    )
    assert straight.iterations == 1
    assert straight.singular == 1
    # No limits, so the criterion says nothing, and only zeros stand below J.
    empty = limbik.solve(
        figure, goals, start=[0.2, 0.5, 0.6], restarts=0, budget=1, tolerance=1e-12,
        method=Baillieul(criterion="limits", correction=0.0),
    )  # fmt: skip
    assert empty.iterations == empty.singular == 1
    # The shortest step is then the one of the pseudo-inverse.
    problem = Problem(figure, goals, start=[0.2, 0.5, 0.6])
    pinv = np.linalg.pinv(problem.jacobian(problem.start), rcond=1e-9)
    np.testing.assert_allclose(
        empty.q - problem.start, pinv @ problem.residual(problem.start), atol=1e-9
    )
