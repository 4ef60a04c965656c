"""Sweeps of projected Gauss–Seidel against NumPy and SciPy, and the orders they go in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import lsq_linear, minimize

from helpers.damped_systems import by_hand, hand_problem, run, system_of
from helpers.random_figures import SEEDS, TREES, random_figure, random_goals, random_pose
from limbik import Figure, Joint, Problem, Reach, SwingTwist
from limbik.figure.joints import prismatic, revolute, swing_twist
from limbik.methods.gauss_seidel.schedule import (
    SWEEPS,
    colors,
    coupled,
    groups_of,
    limb_of,
    units_of,
)


@given(seed=SEEDS, kinds=TREES)
@settings(max_examples=40, deadline=None)
def test_the_system_is_that_of_numpy(seed: int, kinds: list[str]) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds, limits=True)
    q = random_pose(rng, figure)
    goals = random_goals(rng, figure, ["Reach both", "Reach at", "Plane", "Rest"], q)
    problem = Problem(figure, goals, start=q, lock=[figure.joints[0]])
    system = system_of(problem, q, 1e-2)
    a, b = by_hand(problem, q, 1e-2)
    np.testing.assert_allclose(system.a, a, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(a).max()))
    np.testing.assert_allclose(system.b, b, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(b).max()))


def test_damping_means_the_same_in_every_unit() -> None:
    """In centimetres, and with heavier goals, the step in radians is the same."""
    steps = []
    for unit, weight in ((1.0, 1.0), (100.0, 1.0), (1.0, 50.0)):
        joints = [
            Joint("A", None, revolute("z")),
            Joint("B", "A", revolute("y"), offset=(unit, 0, 0)),
            Joint("C", "B", prismatic("x"), offset=(unit, 0, 0)),
        ]
        goals = [Reach("C", position=[unit, 1.2 * unit, 0.1 * unit], weight=weight)]
        problem = Problem(Figure(joints), goals)
        q = np.array([0.3, -0.2, 0.1 * unit])
        system = system_of(problem, q, 0.1)
        run(problem, system, "sequential", 2000)
        steps.append(system.x / [1.0, 1.0, unit])
    np.testing.assert_allclose(steps[1], steps[0], rtol=1e-9)
    np.testing.assert_allclose(steps[2], steps[0], rtol=1e-9)
    assert np.abs(steps[0]).min() > 1e-3


def test_a_sweep_is_algorithm_1_with_equation_31() -> None:
    problem, q = hand_problem(0.9)
    system = system_of(problem, q, 1e-4)
    a, b = by_hand(problem, q, 1e-4)
    x, figure = np.zeros(len(q)), problem.figure
    held = 0
    for _ in range(5):
        run(problem, system, "sequential", 1)
        for i in range(len(x)):
            moved = q[i] + x[i] + (b[i] - a[i] @ x) / a[i, i]
            clamped = np.clip(moved, figure.lower[i], figure.upper[i])
            held += clamped != moved
            x[i] = clamped - q[i]
        np.testing.assert_allclose(system.x, x, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(system.y, figure.project(system.y))
    assert held > 5


@pytest.mark.parametrize("sweep", SWEEPS)
def test_every_sweep_ends_at_the_bounded_least_squares_of_scipy(sweep: str) -> None:
    problem, q = hand_problem(0.9)
    damping = 1e-2
    system = system_of(problem, q, damping)
    run(problem, system, sweep, 20000)
    a, b = by_hand(problem, q, damping)
    root = np.linalg.cholesky(a).T
    limits = (problem.figure.lower - q, problem.figure.upper - q)
    theirs = lsq_linear(root, np.linalg.solve(root.T, b), limits, tol=1e-15, max_iter=1000).x
    np.testing.assert_allclose(system.x, theirs, atol=1e-6)
    at_limit = np.isclose(system.y, problem.figure.lower) | np.isclose(
        system.y, problem.figure.upper
    )
    assert at_limit.any()


@pytest.mark.parametrize("sweep", SWEEPS)
def test_a_convex_cone_holds_at_the_minimum_of_the_model(sweep: str) -> None:
    limit = SwingTwist(swing=(0.5, 0.2), twist=(-0.3, 0.3))
    joints = [
        Joint("A", None, swing_twist("y", "z"), limit=limit),
        Joint("B", "A", swing_twist("y", "z"), offset=(0.0, 1.0, 0.0), limit=limit),
        Joint("Tip", "B", offset=(0.0, 1.0, 0.3)),
    ]
    figure = Figure(joints)
    problem = Problem(figure, [Reach("Tip", position=[1.5, 0.5, 1.0])])
    q = figure.rest.copy()
    system = system_of(problem, q, 1e-2)
    run(problem, system, sweep, 5000)
    assert figure.violation(system.y) == 0.0
    a, b = by_hand(problem, q, 1e-2)
    cones = [
        {"type": "ineq", "fun": lambda x, k=k: 1 - (x[k] / 0.5) ** 2 - (x[k + 1] / 0.2) ** 2}
        for k in (0, 3)
    ]
    bounds = [(-1, 1), (-1, 1), (-0.3, 0.3)] * 2
    theirs = minimize(
        lambda x: 0.5 * x @ a @ x - b @ x, np.zeros(6), jac=lambda x: a @ x - b, bounds=bounds,
        constraints=cones, method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    model = 0.5 * system.x @ a @ system.x - b @ system.x
    assert model <= theirs.fun + 1e-7 * abs(theirs.fun)
    np.testing.assert_allclose(system.x, theirs.x, atol=1e-3)
    edge = (system.y[0] / 0.5) ** 2 + (system.y[1] / 0.2) ** 2
    assert edge == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("sweep", SWEEPS)
def test_no_sweep_raises_the_model(sweep: str) -> None:
    problem, q = hand_problem(0.9)
    system = system_of(problem, q, 1e-4)
    a, b = by_hand(problem, q, 1e-4)
    last = 0.0
    for _ in range(50):
        run(problem, system, sweep, 1)
        model = 0.5 * system.x @ a @ system.x - b @ system.x
        assert model <= last + 1e-15
        last = model
    assert last < -1e-6


def test_the_four_rules_that_end_the_sweeps() -> None:
    problem, q = hand_problem(0.02)
    a, b = by_hand(problem, q, 1e-2)

    def sweeps(count: int, *rules: float) -> tuple[int, np.ndarray]:
        system = system_of(problem, q, 1e-2)
        return run(problem, system, "sequential", count, *rules), system.x.copy()

    assert sweeps(7, 0.0, 0.0, -1.0)[0] == 7
    done, x = sweeps(5000, 1e-4, 0.0, -1.0)
    assert np.linalg.norm(a @ x - b) <= 1e-4 * np.linalg.norm(b)
    _, x = sweeps(done - 1)
    assert np.linalg.norm(a @ x - b) > 1e-4 * np.linalg.norm(b)
    changes = []
    for count in range(1, 60):
        changes.append(
            np.linalg.norm(sweeps(count)[1] - (sweeps(count - 1)[1] if count > 1 else 0))
        )
    small = next(k for k, change in enumerate(changes, 1) if change <= 1e-3)
    assert sweeps(5000, 0.0, 1e-3, -1.0)[0] == small
    alike = next(k for k in range(2, 60) if abs(changes[k - 1] - changes[k - 2]) <= 1e-4)
    assert sweeps(5000, 0.0, -1.0, 1e-4)[0] == alike
    assert 1 < alike != small > 1


def test_schedules_of_the_hand() -> None:
    problem, _ = hand_problem()
    assert groups_of(problem, "sequential") == ([list(range(22))], 1.0)
    groups, share = groups_of(problem, "colored")
    assert [len(group) for group in groups] == [
        1,
        1,
        5,
        5,
        5,
        5,
    ]  # wrist, then five fingers at once
    assert share == 1.0
    groups, share = groups_of(problem, "blocked")
    assert [len(group) for group in groups] == [2, 4, 4, 4, 4, 4]
    assert share == 0.5
    assert len(set(limb_of(problem.figure))) == 6


@given(seed=SEEDS, kinds=TREES)
@settings(max_examples=40, deadline=None)
def test_a_color_never_holds_two_that_are_coupled(seed: int, kinds: list[str]) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds, limits=True)
    q = random_pose(rng, figure)
    problem = Problem(figure, random_goals(rng, figure, ["Reach both", "Distance", "Aim"], q))
    units = units_of(problem)
    assert sorted(c for unit in units for c in unit) == list(range(figure.n))
    jacobian = problem.jacobian(q)
    found = colors(coupled(problem, units))
    for i, one in enumerate(units):
        for j, two in enumerate(units):
            if i != j and found[i] == found[j]:
                assert np.abs(jacobian[:, one].T @ jacobian[:, two]).max(initial=0.0) == 0.0
