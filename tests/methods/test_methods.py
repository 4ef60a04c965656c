"""Every registered method on every problem of the common set: it must keep what it promises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares

import limbik
from helpers.common_problems import (
    FIGURES,
    SPECIAL,
    TABLE,
    Asked,
    frame_goal,
    near_rest,
    problem_of,
)
from limbik import MethodError, Problem, PythonGoal, Range, Reach, Rest, Result, Status
from limbik.methods import Method
from limbik.solver.runner import find_method

BUDGET = 60  # iterations: enough to see every kind of ending


def run(asked: Asked, **options: Any) -> Result:
    return limbik.solve(
        asked.figure,
        asked.goals,
        start=asked.start,
        lock=asked.lock,
        weights=asked.weights,
        **options,
    )


def refuses(name: str, asked: Asked) -> bool:
    """Whether a method says beforehand that this problem is not for it; it must say so by name."""
    said = None
    try:
        find_method(name).options(asked.problem)
    except MethodError as error:
        said = str(error)
    if said is None:
        return False
    assert name in said
    with pytest.raises(MethodError, match=re.escape(said)):
        run(asked, method=name, budget=BUDGET, restarts=0)
    return True


def left_to_gain(problem: Problem, q: np.ndarray) -> float:
    """‖J‖·‖P(q − ∇f/2‖J‖²) − q‖/√f: 0 where q is stationary within convex limits."""
    square = float((problem.jacobian(q) ** 2).sum())
    for goal in problem.goals:
        if isinstance(goal, Rest):
            square += float((goal.diagonal(problem.scene)[0] * problem.moves).sum())
    moved = problem.figure.project(q - problem.gradient(q) / (2 * square)) - q
    return float(np.sqrt(square * (moved @ moved) / problem.objective(q)))


@pytest.mark.parametrize("case", [*TABLE, *SPECIAL])
@pytest.mark.parametrize("name", limbik.methods)
def test_a_method_keeps_its_promises(name: str, case: str) -> None:
    asked, method = problem_of(case), limbik.methods[name]
    figure, problem = asked.figure, asked.problem
    if refuses(name, asked):
        return
    r = run(asked, method=name, budget=BUDGET, restarts=0, history=True)
    assert r.history is not None
    # The answer: finite, inside the limits, locked joints where they were, within the budget.
    assert np.isfinite(r.q).all()
    assert figure.violation(r.q) == 0.0
    np.testing.assert_array_equal(r.q[~problem.moves], problem.start[~problem.moves])
    assert r.iterations <= BUDGET
    assert r.objective == pytest.approx(problem.objective(r.q), rel=1e-12)
    # The history: from the start to the answer, each f the objective of its q.
    np.testing.assert_array_equal(r.history.q[0], problem.start)
    np.testing.assert_array_equal(r.history.q[-1], r.q)
    f = [problem.objective(q) for q in r.history.q]
    np.testing.assert_allclose(r.history.f, f, rtol=1e-12, atol=1e-300)
    # What the class promises.
    if method.descends:
        assert (np.diff(r.history.f) <= 0.0).all()
        assert r.objective <= problem.objective(problem.start)
    if method.feasible:
        assert np.max(figure.violation(r.history.q)) == 0.0
    # The status says what the errors say.
    assert r.ok or r.status is not Status.REACHED
    if len(problem.tolerances):
        within = bool((problem.term_errors(r.q) <= problem.tolerances).all())
        assert r.ok == within == all(miss.ok for miss in r.errors)
    stationary = r.status in (Status.LIMITED, Status.HELD, Status.OUT_OF_REACH)
    stationary = stationary or (r.ok and not len(problem.tolerances))
    # A cone on an exponential ball is not convex, and P not its nearest point.
    if stationary and case != "exponential_cones" and r.objective > 1e-20:
        assert left_to_gain(problem, r.q) < 2e-3  # f could fall by about this squared


@pytest.mark.parametrize("name", limbik.methods)
def test_no_method_refuses_points_to_reach(name: str) -> None:
    for case in ("planar reachable", "human reachable", "spider reachable", "fingertip_points"):
        assert not refuses(name, problem_of(case))


@pytest.mark.parametrize("figure", FIGURES)
def test_the_default_reaches_what_is_reachable(figure: str) -> None:
    for situation in ("reachable", "singular", "far"):
        r = run(problem_of(f"{figure} {situation}"))
        assert r.status is Status.REACHED


@pytest.mark.parametrize("figure", FIGURES)
def test_a_singular_start_lacks_rank(figure: str) -> None:
    problem = problem_of(f"{figure} singular").problem

    def rank(q: np.ndarray) -> int:
        return int(np.linalg.matrix_rank(problem.jacobian(q), tol=1e-6))

    around = [near_rest(problem.figure, seed) for seed in range(5)]
    others = [rank(np.where(problem.moves, q, problem.start)) for q in around]
    assert rank(problem.start) < max(others)


@pytest.mark.parametrize("figure", FIGURES)
def test_held_back_by_limits_means_that_the_goals_are_met_without_them(figure: str) -> None:
    asked = problem_of(f"{figure} at_limits")
    r = run(asked)
    assert r.status is Status.LIMITED
    free = asked.figure.with_limits(dict.fromkeys(asked.figure.joints))
    assert limbik.solve(free, asked.goals, start=r.q, restarts=0).ok
    # A multiplier says how much f falls per radian of slack.
    strongest = next(limit for limit in r.limits if limit.side != "cone")
    c, slack = asked.figure.coordinates.index(strongest.coordinate), 2e-3
    ends = Range(asked.figure.lower[c] - slack, asked.figure.upper[c] + slack)
    looser = asked.figure.with_limits({strongest.coordinate: ends})
    fall = r.objective - limbik.solve(looser, asked.goals, start=r.q, restarts=0).objective
    assert fall == pytest.approx(strongest.multiplier * slack, rel=0.05)


@pytest.mark.parametrize("figure", FIGURES)
def test_out_of_reach_means_that_no_limit_is_to_blame(figure: str) -> None:
    asked = problem_of(f"{figure} unreachable")
    r = run(asked)
    # A finger is straight at a limit, which a tip that is pulled straight away presses against.
    assert r.status is (Status.LIMITED if figure == "hand" else Status.OUT_OF_REACH)
    free = asked.figure.with_limits(dict.fromkeys(asked.figure.joints))
    freed = limbik.solve(free, asked.goals, start=r.q, restarts=0)
    assert 0.98 * r.objective < freed.objective <= r.objective


@pytest.mark.parametrize("name", limbik.methods)
def test_a_solved_problem_stays_as_it_is(name: str) -> None:
    asked = problem_of("planar reachable")
    first = run(asked, restarts=0)
    again = limbik.solve(asked.figure, asked.goals, start=first.q, method=name, restarts=0)
    assert again.ok
    assert again.iterations == 0
    np.testing.assert_array_equal(again.q, first.q)


@pytest.mark.parametrize("name", limbik.methods)
def test_a_target_too_far_for_f_to_be_finite_ends_all_the_same(name: str) -> None:
    figure = problem_of("planar reachable").figure
    goals = [Reach("Tip", position=[1e40, 1e40, 0.0], weight=1e250)]
    r = limbik.solve(figure, goals, start=[0.3, 0.3, 0.3], method=name, budget=9, restarts=0)
    assert not r.ok
    assert figure.violation(r.q) == 0.0


AROUND = (
    "projected_lm",
    "pseudo_inverse",
    "newton_svd",
    "damped_least_squares",
    "selectively_damped",
    "broyden",
    "gauss_seidel",
    "semismooth_newton",
    "trust_region",
)


@pytest.mark.parametrize("name", AROUND)
def test_half_a_turn_is_no_dead_end_for_gauss_newton(name: str) -> None:
    # By axes the gradient is 0 there; what ``linearise`` aims at leads around.
    figure = limbik.figures.arm().with_limits({"Joint7": None})
    turned = figure.rest + np.pi * (np.arange(figure.n) == figure.n - 1)
    goals = [frame_goal(figure, "Tool", turned, rows="axes")]
    assert np.abs(Problem(figure, goals).gradient(figure.rest)).max() < 1e-12
    assert limbik.solve(figure, goals, start=figure.rest, method=name, restarts=0).ok


@pytest.mark.parametrize("name", limbik.methods)
def test_the_same_answer_compiled_and_in_python(name: str) -> None:
    asked = problem_of("reach_and_rest")
    nothing = PythonGoal(lambda figure, q: np.zeros(1), lambda figure, q: np.zeros((1, figure.n)))
    more = Asked(asked.figure, [*asked.goals, nothing], asked.start)
    if refuses(name, more):
        return
    compiled = run(asked, method=name, restarts=0, budget=15)
    in_python = run(more, method=name, restarts=0, budget=15)
    assert in_python.iterations == compiled.iterations
    np.testing.assert_allclose(in_python.q, compiled.q, atol=1e-9)
    assert asked.problem.objective(in_python.q) == pytest.approx(compiled.objective, rel=1e-9)


@pytest.mark.parametrize("name", limbik.methods)
def test_solve_many_runs_every_method(name: str) -> None:
    figure = problem_of("planar reachable").figure
    targets = np.array([[1.0, 1.0, 0.0], [1.5, 0.5, 0.0], [5.0, 0.0, 0.0]])
    starts = np.array([0.3, 0.3, 0.3])
    asked = {"starts": starts, "method": name, "restarts": 0}
    many = limbik.solve_many(figure, ["Tip"], positions=targets[:, None], **asked)
    for k, target in enumerate(targets):
        goals = [Reach("Tip", position=target)]
        alone = limbik.solve(figure, goals, start=starts, method=name, restarts=0)
        np.testing.assert_array_equal(many.q[k], alone.q)
        assert many.status[k] == alone.status


def test_one_file_a_method() -> None:
    # What they share stands beside them, and imports no method.
    methods = {method.__module__ for method in limbik.methods.values()}
    assert len(methods) == len(limbik.methods)
    folder = Path(limbik.__file__).parent / "methods"
    imports = re.compile("^from (" + "|".join(map(re.escape, methods)) + ") ", re.MULTILINE)
    for source in folder.rglob("*.py"):
        name = ".".join(["limbik", "methods", *source.relative_to(folder).with_suffix("").parts])
        if name not in methods and source.name != "__init__.py":
            assert not imports.search(source.read_text(encoding="utf-8")), name


def test_names_and_settings() -> None:
    for name, method in limbik.methods.items():
        assert method.name == name
        assert issubclass(method, Method)
        chosen = find_method(name)
        assert type(chosen) is method
        problem = problem_of("planar reachable").problem
        assert chosen.options(problem, iterations=3, draft=True)[:2].tolist() == [3.0, 1.0]
        assert chosen.workspace(problem) > 0


SMALL = [
    "planar unreachable",
    "planar at_limits",
    "more_rows_than_coordinates",
    "reach_and_rest",
    "full_weights",
    "arm reachable",
]


@pytest.mark.parametrize("case", SMALL)
def test_the_default_is_no_worse_than_scipy_least_squares(case: str) -> None:
    asked = problem_of(case)
    problem = asked.problem
    rest = [goal.diagonal(problem.scene) for goal in problem.goals if isinstance(goal, Rest)]

    def rows(q: np.ndarray) -> np.ndarray:
        return np.concatenate([problem.residual(q), *(np.sqrt(w) * (p - q) for w, p in rest)])

    def jacobian(q: np.ndarray) -> np.ndarray:
        return -np.concatenate([problem.jacobian(q), *(np.diag(np.sqrt(w)) for w, _ in rest)])

    # SciPy wants to start strictly inside.
    start = np.clip(problem.start, asked.figure.lower + 1e-6, asked.figure.upper - 1e-6)
    theirs = least_squares(
        rows,
        start,
        jacobian,  # type: ignore[arg-type]
        bounds=(asked.figure.lower, asked.figure.upper),
        method="trf",
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-14,
    )
    ours = run(asked, tolerance=1e-12, restarts=0)
    assert ours.objective <= 2 * theirs.cost * (1 + 1e-6) + 1e-18
