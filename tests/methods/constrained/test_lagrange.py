"""The Lagrange approach against SciPy, and against every face of the box solved by SciPy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import least_squares

import limbik
from helpers.bounded_problems import BOUNDED, at_limits, scipy_minimum
from helpers.common_problems import problem_of
from limbik import MethodError, Problem, Range, Reach, Status
from limbik.methods import Lagrange
from limbik.methods.constrained.limit_faces import first_face, next_face, possible_faces


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("rival", ["SLSQP", "L-BFGS-B"])
def test_the_minimiser_is_that_of_scipy(rival: str, name: str) -> None:
    problem = BOUNDED[name]
    theirs = scipy_minimum(problem, rival)
    ours = limbik.solve(problem.figure, problem.goals, method="lagrange", restarts=0)
    assert ours.objective <= theirs.fun * (1 + 1e-9)
    np.testing.assert_allclose(ours.q, theirs.x, atol=5e-5)
    assert at_limits(problem, ours.q) > 0


def test_faces_are_all_combinations_once() -> None:
    problem = BOUNDED["one-sided"]
    possible, chosen = np.empty(8), np.empty(4)
    possible_faces(problem.ints, problem.floats, possible)
    # Joint1 has a lower end, Joint2 an upper one, Joint3 none, Joint4 both.
    assert possible.tolist() == [1, 0, 0, 1, 0, 0, 1, 1]
    ends = [number for number in range(8) if possible[number]]
    for count in range(1, 5):
        found, on = [], first_face(possible, chosen, count)
        while on:
            found.append(tuple(int(number) for number in chosen[:count]))
            on = next_face(possible, chosen, count)
        expected = [
            face
            for face in itertools.combinations(ends, count)
            if len({number // 2 for number in face}) == count
        ]
        assert sorted(found) == expected
        assert len(found) == len(set(found))


@pytest.mark.parametrize("n", [1, 3, 5])
def test_a_box_has_as_many_faces_as_the_paper_counts(n: int) -> None:
    """2n problems with one variable less, 3ⁿ in all."""
    possible, chosen = np.ones(2 * n), np.empty(n)
    total = 1
    for count in range(1, n + 1):
        faces, on = 0, first_face(possible, chosen, count)
        while on:
            faces, on = faces + 1, next_face(possible, chosen, count)
        assert faces == math.comb(n, count) * 2**count
        total += faces
    assert total == 3**n


def best_face(problem: Problem) -> float:
    """The lowest minimum inside the limits, over all faces, by SciPy."""
    figure, best = problem.figure, math.inf
    ends = (np.full(figure.n, np.nan), figure.lower, figure.upper)
    for sides in itertools.product(range(3), repeat=figure.n):
        fixed = np.array([ends[side][c] for c, side in enumerate(sides)])
        free = np.isnan(fixed)

        def pose(x: np.ndarray, fixed: np.ndarray = fixed, free: np.ndarray = free) -> np.ndarray:
            q = fixed.copy()
            q[free] = x
            return q

        q = pose(problem.start[free])
        if free.any():
            q = pose(
                least_squares(
                    lambda x, pose=pose: problem.residual(pose(x)),
                    problem.start[free],
                    lambda x, pose=pose, free=free: -problem.jacobian(pose(x))[:, free],  # type: ignore[arg-type]
                    xtol=1e-14,
                    ftol=1e-14,
                    gtol=1e-14,
                ).x
            )
        if figure.violation(q) == 0.0:
            best = min(best, problem.objective(q))
    return best


@pytest.mark.parametrize("seed", range(6))
def test_exhaustive_finds_the_best_of_all_faces(seed: int) -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.9))
    target = np.random.default_rng(seed).normal(size=3) * [2.0, 2.0, 0.0]
    goals, start = [Reach("Tip", position=target)], [0.4, 0.3, -0.2]
    method = Lagrange(exhaustive=True, iterations=5000)
    r = limbik.solve(figure, goals, start=start, method=method, restarts=0, tolerance=1e-6)
    best = best_face(Problem(figure, goals, start=start))
    if r.ok:
        assert best < 1e-10
    else:
        assert r.objective == pytest.approx(best, rel=1e-7)


def test_exhaustive_costs_far_more_and_is_never_worse() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.9))
    better = 0
    for target in np.random.default_rng(1).normal(size=(30, 3)) * [2.0, 2.0, 0.0]:
        goals = [Reach("Tip", position=target)]
        quick, slow = (
            limbik.solve(
                figure, goals, start=[0.4, 0.3, -0.2], restarts=0,
                method=Lagrange(exhaustive=exhaustive, iterations=5000),
            )
            for exhaustive in (False, True)
        )  # fmt: skip
        if not slow.ok:
            assert slow.objective <= quick.objective * (1 + 1e-7)
            assert slow.iterations > 3 * quick.iterations
            better += slow.objective < 0.99 * quick.objective
    assert better > 0


def test_a_face_without_a_step_to_make_counts_as_an_iteration() -> None:
    """A stretched chain pulled along its line is stationary on every face it begins on."""
    figure = limbik.figures.chain([0.1] * 12, limits=Range(0.0, 0.5))
    goals = [Reach("Tip", position=[9.0, 0.0, 0.0])]
    method = Lagrange(exhaustive=True, iterations=300)
    r = limbik.solve(figure, goals, start=[0.0] * 12, method=method, restarts=0)
    assert r.iterations == 300
    assert r.objective == pytest.approx(7.8**2)


def test_inside_the_limits_it_is_gauss_newton() -> None:
    """No limit is met, so there is one problem only."""
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-2.5, 2.5))
    goals, start = [Reach("Tip", position=[1.8, 0.9, 0.0])], [0.3, 0.3, 0.3]
    r = limbik.solve(figure, goals, start=start, method="lagrange", restarts=0, history=True)
    assert r.history is not None
    assert r.ok
    assert len(r.history.q) == r.iterations + 1
    assert r.iterations < 8


def test_along_a_cones_edge_it_finds_the_minimum_of_the_default() -> None:
    asked = problem_of("cones")
    ours = limbik.solve(asked.figure, asked.goals, method="lagrange", restarts=0)
    default = limbik.solve(asked.figure, asked.goals, restarts=0)
    assert ours.status is Status.LIMITED
    assert ours.objective <= default.objective * (1 + 1e-6)


def test_out_of_iterations_the_answer_is_no_worse_than_the_start() -> None:
    asked = problem_of("human at_limits")
    before = asked.problem.objective(asked.problem.start)
    for budget in (1, 5, 30):
        r = limbik.solve(
            asked.figure, asked.goals, start=asked.start, method="lagrange", budget=budget,
            restarts=0,
        )  # fmt: skip
        assert r.objective <= before
        assert asked.figure.violation(r.q) == 0.0


@pytest.mark.parametrize(
    "settings", [{"settle": -1.0}, {"settle": 1.0}, {"stationary": 0.0}], ids=str
)
def test_refused(settings: dict) -> None:
    with pytest.raises(MethodError, match=f"lagrange.*{next(iter(settings))}"):
        Lagrange(**settings)
