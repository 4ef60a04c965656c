"""CompiledGoal: a user's Numba functions as rows, and PythonGoal called from compiled methods."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.random_figures import random_figure
from limbik import CompiledGoal, GoalError, Problem, PythonGoal, Reach

HUMAN = limbik.figures.human()
ARM = limbik.figures.arm()


def between(q, frames, data, r):  # type: ignore[no-untyped-def]
    """Two joints: their middle at data[:3], the first's x axis across the world's y, q[0] small."""
    for k in range(3):
        r[k] = 0.5 * (frames[0, k, 3] + frames[1, k, 3]) - data[k]
    r[3] = frames[0, 1, 0] + 0.1 * q[0] ** 2


def between_derivative(q, frames, data, by_frame, by_q):  # type: ignore[no-untyped-def]
    for k in range(3):
        by_frame[k, 0, k] = by_frame[k, 1, k] = 0.5
    by_frame[3, 0, 3] = -frames[0, 2, 0]  # (ω × x) along y is ωz·x₁ − ωx·x₃
    by_frame[3, 0, 5] = frames[0, 0, 0]
    by_q[3, 0] = 0.2 * q[0]


def goal(figure: limbik.Figure, jacobian: object = None) -> CompiledGoal:
    return CompiledGoal(
        between,
        jacobian,  # type: ignore[arg-type]
        joints=[figure.joints[-1], figure.joints[len(figure.joints) // 2]],
        data=[0.3, 0.2, 0.1],
        rows=4,
        weight=2.0,
        name="between",
    )


@pytest.mark.parametrize("jacobian", [None, between_derivative], ids=["differences", "given"])
def test_the_jacobian_is_the_derivative(jacobian: object) -> None:
    rng = np.random.default_rng(3)
    figure = random_figure(rng, ["free exponential", "swing–twist", "revolute", "slide then turn"])
    goals = [goal(figure, jacobian), Reach(figure.joints[-1], position=[1, 0, 0])]
    problem = Problem(figure, goals, lock=[figure.joints[2]])
    q = figure.project(figure.rest + 0.3 * rng.normal(size=figure.n))
    step = 1e-6
    ends = [problem.residual(q + e) - problem.residual(q - e) for e in step * np.eye(figure.n)]
    slope, moves = np.array(ends).T / (2 * step), problem.moves
    np.testing.assert_allclose(problem.jacobian(q)[:, moves], -slope[:, moves], atol=1e-7)
    assert not moves.all()
    assert not problem.jacobian(q)[:, ~moves].any()


def test_it_is_solved_for_like_the_goals_here() -> None:
    """The same task as a Reach and as a compiled goal gives the same answer."""

    def reach(q, frames, data, r):  # type: ignore[no-untyped-def]
        for k in range(3):
            r[k] = frames[0, k, 3] - data[k]

    def slope(q, frames, data, by_frame, by_q):  # type: ignore[no-untyped-def]
        for k in range(3):
            by_frame[k, 0, k] = 1.0

    place = ARM.positions(ARM.project(np.full(7, 0.4)), "Tool")
    mine = CompiledGoal(reach, slope, joints="Tool", data=place, rows=3, tolerance=1e-6)
    theirs = limbik.solve(ARM, Reach("Tool", position=place), tolerance=1e-6, restarts=0)
    ours = limbik.solve(ARM, mine, restarts=0)
    assert ours.ok
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-7)
    with limbik_refuses("fabrik cannot solve"):
        limbik.solve(ARM, mine, method="fabrik")


def limbik_refuses(says: str):  # type: ignore[no-untyped-def]
    return pytest.raises(limbik.LimbikError, match=says)


def test_its_numbers_vary_by_problem_and_by_frame() -> None:
    start = ARM.project(np.full(7, 0.3))
    joints = [ARM.joints[-1], ARM.joints[len(ARM.joints) // 2]]
    middle = np.mean(ARM.positions(start, joints), axis=0)
    data = middle + np.linspace(0.0, 0.02, 4)[:, None] * [1.0, 0.0, 0.0]

    def middle_at(q, frames, data, r):  # type: ignore[no-untyped-def]
        for k in range(3):
            r[k] = 0.5 * (frames[0, k, 3] + frames[1, k, 3]) - data[k]

    moving = CompiledGoal(middle_at, joints=joints, data=data, rows=3, tolerance=1e-6)
    many = limbik.solve_many(ARM, moving, starts=start)
    path = limbik.track(ARM, [moving], start=start)
    for k in range(4):
        for q in (many.q[k], path.motion.q[k]):
            found = np.mean(ARM.positions(q, joints), axis=0)
            np.testing.assert_allclose(found, data[k], atol=2e-6)
    solver = limbik.Solver(ARM, CompiledGoal(middle_at, joints=joints, data=data[0], rows=3))
    assert solver.solve(start, {"goal": data[3]}).ok
    found = np.mean(ARM.positions(solver.solve(start).q, joints), axis=0)
    np.testing.assert_allclose(found, data[3], atol=1e-4)


def test_what_cannot_be_a_goal_is_refused() -> None:
    for wrong, says in (
        ({"residual": 3}, "residual must be a function"),
        ({"residual": between, "jacobian": 3}, "jacobian must be a function"),
        ({"residual": between, "rows": 0}, "rows must be"),
        ({"residual": between, "tolerance": -1.0}, "tolerance"),
        ({"residual": between, "joints": [3]}, "given by its name"),
    ):
        with pytest.raises(GoalError, match=says):
            CompiledGoal(**wrong)  # type: ignore[arg-type]
    for wrong, says in (
        (CompiledGoal(between, joints=["Hand"]), "Hand"),
        (CompiledGoal(between, data=[np.nan]), "finite"),
        (CompiledGoal(between, data="x"), "numbers"),
        (CompiledGoal(lambda q, frames, data, r: nobody_knows(q)), "Numba cannot compile"),  # type: ignore[name-defined]  # noqa: F821
    ):
        with pytest.raises(GoalError, match=says):
            limbik.solve(HUMAN, wrong)


def test_a_python_goal_runs_in_batches_and_tracks() -> None:
    here = ARM.project(np.full(7, 0.3))
    level = PythonGoal(lambda figure, q: q[:1] - 0.5, name="level", tolerance=1e-8)
    there = ARM.positions(here, "Tool")
    place = np.array([there, there + [0.01, 0.0, 0.0]])
    many = limbik.solve_many(ARM, [Reach("Tool", position=place), level], starts=here)
    assert many.ok.all()
    np.testing.assert_allclose(many.q[:, 0], 0.5, atol=1e-8)
    path = limbik.track(ARM, [Reach("Tool", position=place), level], start=here)
    assert path.ok
    assert path.errors.shape == (2, 2)


@pytest.mark.parametrize("failure", [RuntimeError("no such hand"), KeyboardInterrupt()])
def test_what_a_python_goal_raises_inside_a_method_comes_out(failure: BaseException) -> None:
    calls = 0

    def residual(figure: limbik.Figure, q: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        if calls > 20:
            raise failure
        return figure.positions(q, "Tool")[:2] - 5.0

    with pytest.raises(type(failure)):
        limbik.solve(ARM, PythonGoal(residual))
    assert calls == 21  # nobody asks again after that
    calls = -1000
    assert limbik.solve(ARM, PythonGoal(lambda figure, q: q[:1])).ok
