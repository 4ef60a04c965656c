"""Damped least squares against equation 15 in NumPy, in every unit, with fixed and adaptive λ."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.method_samples import with_rest
from limbik import Figure, Joint, MethodError, Problem, PythonGoal, Range, Reach, Rest, Result
from limbik.figure.joints import revolute, slides
from limbik.methods import DampedLeastSquares
from limbik.methods.least_squares.damped_solve import (
    damped_size,
    damped_solve,
    damping_scale,
    view_damped,
)


def planar(rest: bool) -> Problem:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.9))
    goals: list = [Reach("Tip", position=[0.6, 1.2, 0.0], weight=[2.0, 0.5, 1.0])]
    return Problem(figure, goals + [Rest(weight=0.3)] * rest, start=[0.4, 0.3, -0.2])


def tall(rest: bool) -> Problem:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    goals: list = [Reach(joint, position=[0.5, 1.0, 0.0]) for joint in ("Joint3", "Tip")]
    goals += [Rest(weight=[0.3, 0.0, 0.7], pose=[1.0, 0.0, 1.0])] * rest
    return Problem(figure, goals, start=[0.4, 0.3, -0.2])


def sliding(unit: float, rest: bool = False) -> Problem:
    """A cart with an arm on it, in any unit."""
    figure = Figure(
        [
            Joint("Cart", parts=slides()),
            Joint("Hinge", "Cart", revolute("z"), offset=(unit, 0.0, 0.0)),
            Joint("Wrist", "Hinge", revolute("y"), offset=(2.0 * unit, 0.0, 0.0)),
            Joint("Tip", "Wrist", offset=(unit, 0.0, 0.0)),
        ]
    )
    goals: list = [
        Reach("Tip", position=[-2.0 * unit, 3.0 * unit, unit], wxyz=[0.8, 0.0, 0.0, 0.6]),
        *[Rest(weight=0.2)] * rest,
    ]
    return Problem(figure, goals)


def human(rest: bool) -> Problem:
    figure = limbik.figures.human()
    at = figure.positions(figure.rest)
    names = ("Head", "LeftHand", "RightFoot")
    goals: list = [Reach(name, position=at[figure.index(name)] + 0.1) for name in names]
    return Problem(figure, goals + [Rest()] * rest)


PROBLEMS = {
    "planar": planar(False),
    "planar and rest": planar(True),
    "more rows than coordinates": tall(False),
    "more rows than coordinates and rest": tall(True),
    "slides": sliding(1.0),
    "slides and rest": sliding(1.0, True),
    "human": human(False),
    "human and rest": human(True),
    "rest only": Problem(limbik.figures.chain(), [Rest(weight=1.0, pose=[1.0, 2.0, 3.0])]),
}


def metric(problem: Problem) -> np.ndarray:
    """How much of λ² each coordinate gets: a slide counts as an angle at the lever."""
    return np.where(problem.figure.slides, problem.scene.lever**-2, 1.0)


def equation_15(problem: Problem, q: np.ndarray, lam: float) -> np.ndarray:
    e, jacobian = with_rest(problem, q)
    damped = jacobian.T @ jacobian + lam**2 * np.diag(metric(problem))
    return np.linalg.solve(damped, jacobian.T @ e)


def solve(problem: Problem, method: DampedLeastSquares, **asked: object) -> Result:
    defaults: dict = {"tolerance": 1e-9, "restarts": 0, "history": True, "start": problem.start}
    return limbik.solve(problem.figure, problem.goals, method=method, **(defaults | asked))


@pytest.mark.parametrize("lam", [1e-3, 0.1, 3.0])
@pytest.mark.parametrize("case", PROBLEMS)
def test_both_forms_of_the_system_are_equation_15(case: str, lam: float) -> None:
    problem = PROBLEMS[case]
    q = problem.start
    jt = np.ascontiguousarray(problem.jacobian(q).T)
    system, _ = view_damped(problem.ints, np.empty(damped_size(problem)))
    step = np.empty(problem.figure.n)
    ints, floats = problem.ints, problem.floats
    assert damped_solve(ints, floats, q, jt, problem.residual(q), lam**2, system, step)
    wanted = equation_15(problem, q, lam)
    np.testing.assert_allclose(step, wanted, atol=1e-7 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("case", PROBLEMS)
def test_a_fixed_damping_is_equation_15_projected(case: str) -> None:
    problem, method = PROBLEMS[case], DampedLeastSquares(damping=0.3)
    r = solve(problem, method, budget=6)
    assert r.history is not None
    assert r.iterations == 6
    lam = 0.3 * damping_scale(problem)
    for q, following in zip(r.history.q, r.history.q[1:], strict=False):
        wanted = problem.figure.project(q + equation_15(problem, q, lam))
        np.testing.assert_allclose(following, wanted, rtol=0, atol=1e-9)


def test_damping_is_measured_in_weighted_lengths() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 2.0])
    reach = Reach("Tip", position=[1.0, 1.0, 0.0])
    turn = Reach("Tip", wxyz=[1.0, 0.0, 0.0, 0.0], rotation_weight=4.0)
    heavy = Reach("Tip", position=[1.0, 1.0, 0.0], weight=[1.0, 25.0, 1.0])
    matrix = np.array([[9.0, 0.0, 0.0], [0.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    full = Reach("Tip", position=[1.0, 1.0, 0.0], weight=matrix)
    assert figure.size == 4.0
    assert damping_scale(Problem(figure, [reach])) == pytest.approx(1.0)
    assert damping_scale(Problem(figure, [turn])) == pytest.approx(2.0)
    assert damping_scale(Problem(figure, [turn, heavy])) == pytest.approx(5.0)
    assert damping_scale(Problem(figure, [full])) == pytest.approx(3.0)
    assert damping_scale(Problem(figure, [reach], weights=16 * np.eye(3))) == pytest.approx(4.0)
    assert damping_scale(Problem(figure, [PythonGoal(lambda f, q: q[:1])])) == pytest.approx(1.0)


@pytest.mark.parametrize("adaptive", [False, True])
def test_units_do_not_matter(adaptive: bool) -> None:
    method = DampedLeastSquares(adaptive=adaptive)
    metres, millimetres = sliding(1.0), sliding(1000.0)
    one = solve(metres, method, budget=5)
    other = solve(millimetres, method, budget=5)
    scale = np.where(metres.figure.slides, 1000.0, 1.0)
    np.testing.assert_allclose(other.q, one.q * scale, atol=1e-9)
    assert one.iterations > 3


@pytest.mark.parametrize("case", PROBLEMS)
def test_adaptive_it_descends(case: str) -> None:
    problem = PROBLEMS[case]
    r = solve(problem, DampedLeastSquares(adaptive=True))
    assert r.history is not None
    assert (np.diff(r.history.f) < 0).all()
    assert len(r.history.f) > 2


def test_adaptive_damping_falls_after_a_success_and_rises_after_a_failure() -> None:
    problem, method = planar(False), DampedLeastSquares(damping=1e-3, adaptive=True)
    r = solve(problem, method, budget=12)
    assert r.history is not None
    damping, scale, rose = method.damping, damping_scale(problem), 0
    for q, following in zip(r.history.q, r.history.q[1:], strict=False):
        while True:
            found = problem.figure.project(q + equation_15(problem, q, damping * scale))
            if problem.objective(found) < problem.objective(q):
                break
            damping, rose = damping * 4, rose + 1
        np.testing.assert_allclose(following, found, rtol=0, atol=1e-7)
        damping = max(damping / 3, 1e-6)
    assert rose > 0


def test_near_a_singular_pose_the_damping_keeps_the_step_short() -> None:
    """|Δθ| ≤ ‖e‖/2λ whatever J is, where the pseudo-inverse has no bound."""
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    problem = Problem(figure, [Reach("Tip", position=[2.0, 0.0, 0.0])], start=[0.0, 1e-5, 0.0])
    for damping in (0.05, 0.5):
        r = solve(problem, DampedLeastSquares(damping=damping), budget=1)
        step = np.linalg.norm(r.q - problem.start)
        assert 0 < step <= 0.5 / (2 * damping * damping_scale(problem))
    wild = np.linalg.pinv(problem.jacobian(problem.start)) @ problem.residual(problem.start)
    assert np.abs(wild).max() > 100.0


def test_out_of_reach_adaptive_damping_settles_where_a_small_fixed_one_does_not() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    problem = Problem(figure, [Reach("Tip", position=[3.0, 3.0, 0.0])], start=[0.3, 0.3, 0.3])
    nearest = (np.hypot(3.0, 3.0) - 2.5) ** 2
    settled = solve(problem, DampedLeastSquares(adaptive=True))
    fixed = solve(problem, DampedLeastSquares(damping=0.1))
    firm = solve(problem, DampedLeastSquares(damping=2.0))
    assert settled.objective == pytest.approx(nearest, rel=1e-9)
    assert firm.objective == pytest.approx(nearest, rel=1e-6)
    assert fixed.objective > 1.01 * nearest


@pytest.mark.parametrize("damping", [0.0, -1.0, np.nan, np.inf])
def test_refused(damping: float) -> None:
    with pytest.raises(MethodError, match="damped_least_squares: damping"):
        DampedLeastSquares(damping=damping)
