"""Zhao and Badler's method against the same written with Hessians in NumPy, and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.bounded_problems import BOUNDED, at_limits, scipy_minimum
from helpers.common_problems import problem_of
from limbik import Figure, Joint, MethodError, Problem, Range, Reach, Status, SwingTwist
from limbik.figure.joints import swing_twist
from limbik.methods import ProjectedGradient, ZhaoBadler
from limbik.methods.gradient.inverse_hessian import (
    bfgs_update,
    gradient_change,
    hold_coordinate,
    hold_normal,
)
from limbik.methods.workspace import LastStep


def positive(n: int, seed: int) -> np.ndarray:
    """A random positive definite matrix."""
    root = np.random.default_rng(seed).normal(size=(n, n))
    return root @ root.T + 0.1 * np.eye(n)


def newton_step(b: np.ndarray, g: np.ndarray, active: np.ndarray) -> np.ndarray:
    """−B⁻¹g on the free coordinates."""
    step, free = np.zeros(len(g)), ~active
    step[free] = -np.linalg.solve(b[np.ix_(free, free)], g[free])
    return step


def by_hand(problem: Problem, alpha: float, count: int) -> list[np.ndarray]:
    """``count`` iterations with the Hessian B instead of its inverse.

    Projecting normals out of H = B⁻¹ is the same as solving with the free rows and columns of B.
    """
    lower, upper = problem.figure.lower, problem.figure.upper
    q, f, g = problem.start, problem.objective(problem.start), problem.gradient(problem.start)
    jacobian = problem.jacobian(q)
    tau = (g @ g) / (2 * np.sum((jacobian @ g) ** 2))  # equation 28, for the step −τ∇f
    b = np.eye(problem.figure.n) / tau
    active = np.zeros(len(q), bool)
    poses = [q]
    for _ in range(count):
        step = newton_step(b, g, active)
        # One limit with a multiplier of the wrong sign leaves, if that gains more than the step.
        wrong = active & np.where(q == lower, g < 0, g > 0)
        cost = np.where(wrong, 0.5 * np.diag(np.linalg.inv(b)) * g**2, 0.0)
        if cost.max() > 0 and cost.max() >= -0.5 * g @ step:
            active[np.argmax(cost)] = False
            step = newton_step(b, g, active)
        while True:
            crossed = ~active & (((q == lower) & (step < 0)) | ((q == upper) & (step > 0)))
            if not crossed.any():
                break
            active |= crossed
            step = newton_step(b, g, active)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step < 0, (lower - q) / step, np.where(step > 0, (upper - q) / step, 9))
        part = min(1.0, room[~active].min())
        while True:
            trial = np.clip(q + part * step, lower, upper)
            for c in np.flatnonzero(~active & np.isclose(room, part, rtol=1e-12)):
                trial[c] = lower[c] if step[c] < 0 else upper[c]
            value, slope = problem.objective(trial), g @ (trial - q)
            if value < f + alpha * slope:
                break
            part *= np.clip(-slope / (2 * (value - f - slope)), 0.1, 0.5)
        s, y = trial - q, problem.gradient(trial) - g
        if s @ y > 1e-10 * np.linalg.norm(s) * np.linalg.norm(y):
            b = b - np.outer(b @ s, b @ s) / (s @ b @ s) + np.outer(y, y) / (s @ y)
        q, f, g = trial, value, problem.gradient(trial)
        poses.append(q)
    return poses


@pytest.mark.parametrize("target", [[1.0, 1.4, 0.0], [3.0, 2.0, 0.0], [0.3, -2.0, 0.0]], ids=str)
@pytest.mark.parametrize("limits", [Range(-0.5, 0.9), Range(-9.0, 9.0)], ids=str)
def test_iterates_are_those_of_bfgs_with_an_active_set(limits: Range, target: list[float]) -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=limits)
    goals, start = [Reach("Tip", position=target)], [0.4, 0.3, -0.2]
    r = limbik.solve(
        figure, goals, start=start, method=ZhaoBadler(), budget=9, tolerance=1e-9, restarts=0,
        history=True,
    )  # fmt: skip
    assert r.history is not None
    assert r.iterations >= 2
    expected = by_hand(Problem(figure, goals, start=start), 1e-4, r.iterations)
    np.testing.assert_allclose(r.history.q, expected, rtol=0, atol=1e-8)


def test_a_limit_can_leave_the_active_set() -> None:
    """On the way a joint meets its limit, and in the end it is free again."""
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.9))
    left = 0
    for target in np.random.default_rng(3).normal(size=(20, 3)) * [1.5, 1.5, 0.0]:
        goals = [Reach("Tip", position=target)]
        r = limbik.solve(
            figure, goals, start=[0.4, 0.3, -0.2], method=ZhaoBadler(), restarts=0, history=True
        )
        assert r.history is not None
        touched = ((r.history.q == -0.5) | (r.history.q == 0.9)).any(axis=0)
        left += int((touched & (r.q > -0.5) & (r.q < 0.9)).sum())
        assert r.status is not Status.STALLED
    assert left > 0


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("rival", ["SLSQP", "L-BFGS-B"])
def test_the_minimiser_is_that_of_scipy(rival: str, name: str) -> None:
    problem = BOUNDED[name]
    theirs = scipy_minimum(problem, rival)
    method = ZhaoBadler(stationary=1e-9)
    ours = limbik.solve(problem.figure, problem.goals, method=method, restarts=0)
    assert ours.objective <= theirs.fun * (1 + 1e-9)
    np.testing.assert_allclose(ours.q, theirs.x, atol=1e-5)
    assert at_limits(problem, ours.q) > 0


def test_bfgs_satisfies_the_secant_equation_and_inverts_the_hessian_form() -> None:
    rng = np.random.default_rng(1)
    h, b = positive(6, 2), np.linalg.inv(positive(6, 2))
    s = rng.normal(size=6)
    y = positive(6, 3) @ s
    bfgs_update(h, s, y, np.empty(6))
    np.testing.assert_allclose(h @ y, s, atol=1e-12)
    b = b - np.outer(b @ s, b @ s) / (s @ b @ s) + np.outer(y, y) / (s @ y)
    np.testing.assert_allclose(h, np.linalg.inv(b), atol=1e-9)


def test_projecting_normals_out_is_solving_on_what_is_left() -> None:
    b = positive(5, 4)
    h, g = np.linalg.inv(b), np.arange(1.0, 6.0)
    normal = np.array([0.6, 0.8])
    hold_coordinate(h, 1, np.empty(5))
    hold_normal(h, normal, 2, 2, np.empty(5))
    # Directions that are left: e0, the tangent of the normal, e4.
    free = np.zeros((5, 3))
    free[0, 0], free[2:4, 1], free[4, 2] = 1.0, [-0.8, 0.6], 1.0
    expected = free @ np.linalg.solve(free.T @ b @ free, free.T @ g)
    np.testing.assert_allclose(h @ g, expected, atol=1e-12)
    assert (h[1] == 0.0).all()
    assert (h[:, 1] == 0.0).all()


def ball() -> Problem:
    """A ball with a cone and a target that presses it outwards."""
    limit = SwingTwist(swing=(0.9, 0.5))
    joints = [Joint("A", None, swing_twist(), limit=limit), Joint("Tip", "A", offset=(1, 0.4, 2))]
    return Problem(Figure(joints), [Reach("Tip", position=[3.0, -2.0, -1.0])])


def test_the_gradient_change_along_an_edge_knows_its_curvature() -> None:
    """d²f/ds² along the edge by differences, against sᵀy/sᵀs."""
    problem = ball()

    def on_edge(angle: float) -> np.ndarray:
        return np.array([0.9 * np.cos(angle), 0.5 * np.sin(angle), 0.2])

    def edge_curvature(angle: float) -> float:
        # By arc length: f'' − f'·(v·v̇)/v² over v², with v the speed of the angle.
        h = 1e-4
        f = [problem.objective(on_edge(angle + k * h)) for k in (-1, 0, 1)]
        first, second = (f[2] - f[0]) / (2 * h), (f[2] - 2 * f[1] + f[0]) / h**2
        v = np.array([-0.9 * np.sin(angle), 0.5 * np.cos(angle)])
        turn = np.array([-0.9 * np.cos(angle), -0.5 * np.sin(angle)])
        return float((second - first * (v @ turn) / (v @ v)) / (v @ v))

    before, after = (problem.figure.project(on_edge(0.7 + k * 5e-4)) for k in (-1, 1))
    last = LastStep(before, -0.5 * problem.gradient(before))
    half_descent = -0.5 * problem.gradient(after)
    y = np.empty(3)
    scratch = np.empty(64)
    gradient_change(problem.ints, problem.floats, last, after, half_descent, scratch, y)
    s = after - before
    assert s @ y / (s @ s) == pytest.approx(edge_curvature(0.7), rel=1e-3)
    # Without the turning normal it would be far off.
    plain = problem.gradient(after) - problem.gradient(before)
    assert abs(s @ plain / (s @ y) - 1) > 0.1


def test_cones_take_fewer_iterations_than_with_the_gradient() -> None:
    asked = problem_of("cones")
    gradient = ProjectedGradient(iterations=3000)
    plain = limbik.solve(asked.figure, asked.goals, method=gradient, restarts=0)
    quick = limbik.solve(asked.figure, asked.goals, method="zhao_badler", restarts=0)
    assert plain.status is quick.status is Status.LIMITED
    assert quick.objective <= plain.objective * (1 + 1e-9)
    assert quick.iterations < plain.iterations


@pytest.mark.parametrize("alpha", [0.0, 0.5, -1.0, float("nan")])
def test_refused(alpha: float) -> None:
    with pytest.raises(MethodError, match=r"zhao_badler.*alpha"):
        ZhaoBadler(alpha=alpha)
