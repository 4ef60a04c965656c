"""Priorities: a lower level does not move a higher one, and takes all that it leaves free."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.random_figures import random_pose
from limbik import (
    Above,
    Aim,
    Avoid,
    Balance,
    Distance,
    Figure,
    GoalError,
    Live,
    Pin,
    Plane,
    Reach,
    Rest,
    Solver,
    Status,
    solve,
    solve_many,
    track,
)
from limbik.goals import Goal
from limbik.goals.priority import levels_of

FEET = [Pin("LeftFoot"), Pin("RightFoot", rotation=True)]


def hand(place: list[float] | np.ndarray, priority: int = 1) -> Reach:
    return Reach("LeftHand", position=place, priority=priority)


def errors(result: limbik.Result, count: int) -> np.ndarray:
    """(count, 2) lengths and angles of the first goals."""
    return np.array([[e.length or 0.0, e.angle or 0.0] for e in result.errors[:count]])


def levels(figure: Figure, rng: np.random.Generator) -> tuple[list[Goal], list[Goal]]:
    """Contacts, and what comes after them, for one of the built-in figures."""
    ends = {"arm": ["Tool"], "spider": figure.joints[-1:]}.get(figure.name or "", ["LeftHand"])
    there = figure.positions(random_pose(rng, figure, spread=0.7))
    place = there[figure.index(ends[0])] * rng.uniform(0.7, 1.6)
    if figure.name == "arm":
        first: list[Goal] = [Plane("Tool", rng.normal(size=3), 0.4)]
    elif figure.name == "spider":
        first = [Reach(j, position=there[figure.index(j)]) for j in figure.joints[5:20:7]]
    else:
        first = [*FEET, Distance("LeftHand", "RightHand", 0.5)]
    return first, [Reach(ends[0], position=place, priority=1), Rest(1e-2, priority=2)]


@pytest.mark.parametrize("name", ["human", "arm", "spider"])
def test_lower_levels_leave_the_first_as_it_is_alone(name: str) -> None:
    figure = getattr(limbik.figures, name)()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        first, then = levels(figure, rng)
        start = random_pose(rng, figure, spread=0.2)
        alone = solve(figure, first, start=start)
        result = solve(figure, [*first, *then], start=start, restarts=2)
        both = np.abs(errors(result, len(first)) - errors(alone, len(first)))
        assert both.max() <= 1e-6, (seed, result)
        assert figure.violation(result.q) == 0.0


def test_a_first_level_that_is_met_moves_no_more_inside_its_tolerance() -> None:
    figure = limbik.figures.spider()
    rng = np.random.default_rng(51)  # a lower level brought these feet nearer, by 1.3e-6
    there = figure.positions(figure.project(0.7 * rng.normal(size=figure.n)))
    far = rng.uniform(0.7, 1.5)
    feet = rng.choice(figure.joints[1:], 3, replace=False).tolist()
    first: list[Goal] = [Reach(foot, position=there[figure.index(foot)]) for foot in feet]
    body = figure.joints[0]
    place = there[0] + 0.2 * far * rng.normal(size=3)
    then: list[Goal] = [Reach(body, position=place, priority=1), Rest(1e-3, priority=2)]
    start = figure.project(0.2 * rng.normal(size=figure.n))
    alone = solve(figure, first, start=start, restarts=2)
    assert alone.ok
    result = solve(figure, [*first, *then], start=start, restarts=2)
    assert np.abs(errors(result, 3) - errors(alone, 3)).max() <= 1e-6


def test_a_lower_level_gets_what_is_left_and_no_less() -> None:
    figure = limbik.figures.human()
    for place in ([0.3, 1.2, 0.4], [0.2, 0.1, 1.2], [2.0, 1.0, 0.0]):
        ordered = solve(figure, [*FEET, hand(place)], restarts=0)
        right = Pin("RightFoot", rotation=True, weight=1e4, rotation_weight=1e4)
        heavy = [Pin("LeftFoot", weight=1e4), right]
        weighed = solve(figure, [*heavy, Reach("LeftHand", position=place)], restarts=0)
        assert ordered.errors[2] <= weighed.errors[2] + 1e-3


def test_a_goal_of_higher_priority_is_named() -> None:
    figure = limbik.figures.human()
    there = figure.positions(figure.rest)[figure.index("LeftHand")]
    goals = [Reach("LeftHand", position=there), hand(there + [0.0, 0.1, 0.0])]
    result = solve(figure, goals)
    assert result.status is Status.HELD
    assert result.errors[0] <= 1e-6
    assert "(a goal of higher priority) holds it back" in result.why
    assert result.errors[1] == pytest.approx(0.1, abs=1e-6)
    with pytest.raises(GoalError, match="several priorities"):
        result.sensitivity(0)


def test_inequalities_above_hold() -> None:
    figure = limbik.figures.human()
    feet = ["LeftFoot", "RightFoot"]
    first = [*FEET, Balance(feet), Avoid(), Above("LeftHand", offset=0.4)]
    for place in ([0.5, 0.1, 0.5], [0.0, 1.1, 0.1]):
        result = solve(figure, [*first, hand(place)], restarts=0)
        assert all(float(e) <= 1e-6 for e in result.errors[:2])
        assert all(e.ok for e in result.errors[:5])


def test_a_rest_above_keeps_its_pose_and_one_that_does_not_say_comes_last() -> None:
    figure = limbik.figures.human()
    kept = solve(figure, [Rest(priority=0), hand([0.3, 1.2, 0.4])])
    assert kept.q == pytest.approx(figure.project(figure.rest), abs=1e-6)
    assert kept.status is Status.HELD
    assert "Rest (a goal of higher priority) holds it back" in kept.why
    assert solve(figure, [*FEET, hand([0.3, 1.2, 0.4]), Rest(1e-6)]).ok
    assert levels_of([Pin("a"), hand([0, 0, 0], 7), Rest(), Rest(priority=0)]) == (0, 1, 1, 0)


def test_targets_move_in_every_way_of_solving() -> None:
    figure = limbik.figures.human()
    places = np.linspace([0.3, 1.2, 0.3], [0.9, 1.0, 0.5], 4)
    goals = [*FEET, hand(places), Aim("Head", target=[1.0, 1.5, 1.0], priority=2)]
    many = solve_many(figure, goals)
    assert many.ok.all()
    threaded = solve_many(figure, goals, threads=2)
    assert (many.q == threaded.q).all()
    solver = Solver(figure, [*FEET, hand(places[0]), goals[3]])
    assert all(solver.solve(targets={"LeftHand": place}).ok for place in places)
    assert track(figure, goals).ok


def test_steps_inside_speed_limits_know_no_order() -> None:
    figure = limbik.figures.human()
    goals = [*FEET, hand([0.3, 1.2, 0.3])]
    with pytest.raises(GoalError, match="give them weights"):
        Live(figure, goals)
    with pytest.raises(GoalError, match="give them weights"):
        track(figure, [*FEET, hand(np.zeros((2, 3)))], speed_limits=3.0)


def test_a_budget_counts_all_levels_and_history_is_that_of_the_first() -> None:
    figure = limbik.figures.human()
    moved = Reach("RightHand", position=[-0.4, 1.3, 0.2])
    result = solve(figure, [moved, hand([0.4, 1.3, 0.2])], budget=1, restarts=0)
    assert result.status is Status.STALLED
    assert result.iterations == 1
    result = solve(figure, [moved, hand([0.4, 1.3, 0.2])], history=True)
    assert result.ok
    assert result.history is not None
    assert (np.diff(result.history.f) <= 0.0).all()


@pytest.mark.parametrize("priority", [-2, 0.5, "first", True])
def test_what_is_no_priority_is_refused(priority: object) -> None:
    figure = limbik.figures.arm()
    goal = Reach("Tool", position=[0.4, 0.2, 0.5], priority=priority)  # type: ignore[arg-type]
    with pytest.raises(GoalError, match="Tool: priority is 0, 1, 2"):
        solve(figure, goal)


def test_a_matrix_over_all_rows_leaves_no_room_for_priorities() -> None:
    figure = limbik.figures.arm()
    goals = [Reach("Tool", position=[0.4, 0.2, 0.5]), Plane("Tool", [0, 0, 1], 0.5, priority=1)]
    with pytest.raises(GoalError, match="no room for priorities"):
        solve(figure, goals, weights=np.eye(4))
