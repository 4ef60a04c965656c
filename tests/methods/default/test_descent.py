"""What the default method promises: f never rises and no iterate leaves the limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

import limbik
from helpers.random_figures import (
    ANY_GOAL,
    GOAL_KINDS,
    SEEDS,
    TREES,
    random_figure,
    random_goals,
    random_pose,
)
from limbik import Figure, Problem, Result
from limbik.goals import Goal


def followed(
    figure: Figure, goals: list[Goal], start: np.ndarray, **options
) -> tuple[Problem, Result]:
    """The problem and its answer, after the checks that hold for every single iterate."""
    problem = Problem(figure, goals, start=start)
    r = limbik.solve(figure, goals, start=start, restarts=0, history=True, **options)
    assert r.history is not None
    f, q = r.history
    method = limbik.methods[options.get("method", "projected_lm")]
    # A method that goes outside the limits ends with the projection of its last iterate.
    assert len(f) - r.iterations in ((1,) if method.feasible else (1, 2))
    np.testing.assert_array_equal(q[0], figure.project(start))
    np.testing.assert_array_equal(q[-1], r.q)
    if method.descends:
        assert (np.diff(f) < 0).all()
    if method.feasible:
        assert (figure.violation(q) == 0.0).all()
    assert figure.violation(r.q) == 0.0
    for value, pose in ((f[0], q[0]), (f[-1], q[-1]), (r.objective, r.q)):
        np.testing.assert_allclose(value, problem.objective(pose), rtol=1e-12, atol=1e-300)
    return problem, r


@pytest.mark.parametrize("name", ANY_GOAL)
@given(SEEDS, TREES, GOAL_KINDS)
@settings(max_examples=60)
def test_f_never_rises_and_every_iterate_is_inside(name, seed, kinds, goal_kinds) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds, limits=True)
    start = rng.normal(size=figure.n)
    if "PythonGoal" in goal_kinds:
        goal_kinds = [kind for kind in goal_kinds if kind != "PythonGoal"] or ["Reach"]
    goals = random_goals(rng, figure, goal_kinds, figure.project(start))
    _, r = followed(figure, goals, start, method=name, budget=60)
    assert r.status in ("REACHED", "LIMITED", "HELD", "OUT_OF_REACH", "STALLED")


@given(SEEDS, TREES)
@settings(max_examples=15)
def test_goals_written_in_python_descend_too(seed, kinds) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds, limits=True)
    start = rng.normal(size=figure.n)
    goals = random_goals(rng, figure, ["PythonGoal", "Reach"], figure.project(start))
    followed(figure, goals, start, budget=15)


@given(SEEDS, TREES, GOAL_KINDS)
@settings(max_examples=60)
def test_a_stationary_answer_has_no_way_down(seed, kinds, goal_kinds) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds, limits=True)
    start = random_pose(rng, figure)
    goal_kinds = [kind for kind in goal_kinds if kind != "PythonGoal"] or ["Reach at"]
    goals = random_goals(rng, figure, goal_kinds, start)
    problem, r = followed(figure, goals, start)
    assume(r.status in ("LIMITED", "HELD", "OUT_OF_REACH"))
    # A short projected gradient step (equation 39 of line_search) gains nothing to first order: f
    # falls by less than step · √f · 1e-2, where a stationary point allows 0.  Columns of J longer
    # than 1 (long levers) count by their length, as in the cosine that the method stops at.
    gradient = problem.gradient(r.q)
    levers = max(1.0, float(np.linalg.norm(problem.jacobian(r.q), axis=0).max(initial=0.0)))
    for step in (1e-4, 1e-5, 1e-6):
        to = figure.project(r.q - step * gradient / max(1e-12, np.abs(gradient).max()))
        allowed = 1e-2 * levers * step * np.sqrt(r.objective)
        assert problem.objective(to) > r.objective - allowed


@given(SEEDS, TREES)
@settings(max_examples=40)
def test_a_pose_that_was_reached_is_found_again(seed, kinds) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds, limits=True)
    there = random_pose(rng, figure)
    near = figure.project(there + rng.normal(size=figure.n) * 0.05)
    goals: list[Goal] = [
        limbik.Reach(name, position=place)
        for name, place in zip(figure.joints, figure.positions(there), strict=True)
    ]
    r = limbik.solve(figure, goals, start=near)
    assert r.ok


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_unit_of_length_does_not_matter(scale: float) -> None:
    figure = limbik.figures.human()
    joints = [replace(j, offset=tuple(np.array(j.offset) * scale)) for j in figure.definition]
    joints = [
        replace(j, tip=None if j.tip is None else tuple(np.array(j.tip) * scale)) for j in joints
    ]
    other = Figure(joints, rest=figure.rest * np.where(figure.slides, scale, 1.0))
    rng = np.random.default_rng(2)
    start, there = (random_pose(rng, figure, spread=0.3) for _ in range(2))
    answers = []
    for fig, unit in ((figure, 1.0), (other, scale)):
        goals: list[Goal] = [
            limbik.Reach(name, position=unit * figure.positions(there)[figure.index(name)])
            for name in ("LeftHand", "RightHand", "Head", "LeftFoot")
        ]
        goals += [limbik.Aim("Head", target=[0.0, unit, 3 * unit]), limbik.Rest()]
        begin = np.where(figure.slides, unit, 1.0) * start
        r = limbik.solve(fig, goals, start=begin, restarts=0)
        answers.append((r.status, r.iterations, r.q / np.where(figure.slides, unit, 1.0)))
    assert answers[0][:2] == answers[1][:2]
    np.testing.assert_allclose(answers[0][2], answers[1][2], atol=1e-9)
