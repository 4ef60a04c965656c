"""Every registered method on every problem of a common set: it must keep what it promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import limbik
from limbik import Figure, Joint, Problem, PythonGoal, Range, Reach, Rest, Status, SwingTwist
from limbik.figures import FINGERTIPS
from limbik.joints import exponential, swing_twist
from limbik.methods import Method
from limbik.solve import find_method

BUDGET = 60  # iterations: enough to see every kind of ending


@dataclass
class Case:
    """What ``solve`` is asked; start is the rest pose unless given."""

    figure: Figure
    goals: list
    start: np.ndarray | list[float] | None = None
    lock: tuple[str, ...] = ()
    weights: np.ndarray | None = None

    @property
    def problem(self) -> Problem:
        return Problem(
            self.figure, self.goals, start=self.start, lock=self.lock, weights=self.weights
        )


def near_rest(figure: Figure, seed: int, far: float = 0.3) -> np.ndarray:
    """A random pose inside the limits, some way from the rest pose."""
    return figure.project(figure.rest + np.random.default_rng(seed).normal(size=figure.n) * far)


def planar(low: float = -2.0, high: float = 2.0) -> Figure:
    return limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(low, high))


def reachable() -> Case:
    return Case(planar(), [Reach("Tip", position=[1.0, 1.0, 0.0])], [0.3, 0.3, 0.3])


def out_of_reach() -> Case:
    return Case(planar(), [Reach("Tip", position=[3.0, 3.0, 0.0])], [0.3, 0.3, 0.3])


def at_limits() -> Case:
    return Case(planar(0.0, 0.4), [Reach("Tip", position=[0.0, 2.0, 0.0])], [0.3, 0.1, 0.4])


def held_from_the_start() -> Case:
    return Case(planar(0.0, 0.4), [Reach("Tip", position=[0.0, 2.0, 0.0])], [0.4, 0.4, 0.4])


def singular() -> Case:
    return Case(planar(), [Reach("Tip", position=[1.0, 0.0, 0.0])], [0.0, 0.0, 0.0])


def far() -> Case:
    figure = limbik.figures.chain([0.5] * 8, limits=Range(-2.5, 2.5))
    return Case(figure, [Reach("Tip", position=[-2.0, -1.0, 0.0])], [0.4] * 8)


def more_rows_than_coordinates() -> Case:
    goals = [Reach(name, position=[0.5, 1.0, 0.0]) for name in ("Joint2", "Joint3", "Tip")]
    return Case(planar(), goals, [0.3, 0.3, 0.3])


def rest_only() -> Case:
    return Case(planar(), [Rest(weight=1.0, pose=[1.0, -1.0, 3.0])], [0.3, 0.3, 0.3])


def rest_inside() -> Case:
    return Case(planar(), [Rest(weight=1.0, pose=[1.0, -1.0, 1.0])], [0.3, 0.3, 0.3])


def reach_and_rest() -> Case:
    goals = [Reach("Tip", position=[1.0, 1.0, 0.0]), Rest(weight=0.1, pose=[1.0, 1.0, 1.0])]
    return Case(planar(), goals, [0.3, 0.3, 0.3])


def locked() -> Case:
    goals = [Reach("Tip", position=[1.0, 1.0, 0.0]), Rest()]
    return Case(planar(), goals, [0.3, 0.7, 0.3], lock=("Joint2",))


def full_weights() -> Case:
    weights = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    goals = [Reach("Tip", position=[3.0, 1.0, 0.0])]
    return Case(planar(), goals, [0.3, 0.3, 0.3], weights=weights)


def in_python() -> Case:
    def height(figure: Figure, q: np.ndarray) -> np.ndarray:
        return figure.positions(q)[figure.index("Tip"), 1:2] - 1.2

    goals = [PythonGoal(height, name="height"), Reach("Joint3", position=[1.2, 1.0, 0.0])]
    return Case(planar(), goals, [0.3, 0.3, 0.3], lock=("Joint1",))


def balls(kind: Callable[..., tuple]) -> Case:
    """Three limited balls; the target is beyond their cones."""
    limit = SwingTwist(swing=(50, 30), twist=(-20, 40), degrees=True)
    joints = [
        Joint("A", None, kind(), limit=limit),
        Joint("B", "A", kind(), offset=(0.0, 1.0, 0.0), limit=limit),
        Joint("C", "B", kind(), offset=(0.0, 1.0, 0.0), limit=limit),
        Joint("Tip", "C", offset=(0.0, 0.5, 0.0)),
    ]
    return Case(Figure(joints), [Reach("Tip", position=[1.5, -0.5, 1.0])])


def cones() -> Case:
    return balls(swing_twist)


def exponential_cones() -> Case:
    return balls(exponential)


def arm(rows: str = "vector") -> Case:
    figure = limbik.figures.arm()
    frame = figure.frames(near_rest(figure, 1, 0.5))[figure.index("Tool")]
    wxyz = Rotation.from_matrix(frame[:3, :3]).as_quat(scalar_first=True)
    return Case(figure, [Reach("Tool", position=frame[:3, 3], wxyz=wxyz, rows=rows)])  # type: ignore[arg-type]


def arm_by_axes() -> Case:
    return arm("axes")


def human() -> Case:
    figure = limbik.figures.human()
    at = figure.positions(near_rest(figure, 2))
    names = ("Head", "Hips", "LeftHand", "RightHand", "LeftFoot", "RightFoot")
    return Case(figure, [Reach(name, position=at[figure.index(name)]) for name in names])


def human_held() -> Case:
    case = human()
    return Case(case.figure, [*case.goals, Rest()], lock=("Hips", "LeftArm"))


def hand() -> Case:
    figure = limbik.figures.hand()
    frames = figure.frames(near_rest(figure, 3))
    goals = []
    for joint, offset in FINGERTIPS.values():
        frame = frames[figure.index(joint)]
        target = frame[:3, :3] @ np.array(offset) + frame[:3, 3]
        goals.append(Reach(joint, position=target, at=offset))
    return Case(figure, goals)


def spider() -> Case:
    figure = limbik.figures.spider()
    at = figure.positions(near_rest(figure, 4))
    feet = [name for name in figure.joints if name.endswith("Foot")]
    return Case(figure, [Reach(name, position=at[figure.index(name)]) for name in feet])


CASES = [
    reachable,
    out_of_reach,
    at_limits,
    held_from_the_start,
    singular,
    far,
    more_rows_than_coordinates,
    rest_only,
    rest_inside,
    reach_and_rest,
    locked,
    full_weights,
    in_python,
    cones,
    exponential_cones,
    arm,
    arm_by_axes,
    human,
    human_held,
    hand,
    spider,
]


def left_to_gain(problem: Problem, q: np.ndarray) -> float:
    """‖J‖·‖P(q − ∇f/2‖J‖²) − q‖/√f: 0 where q is stationary within convex limits."""
    square = float((problem.jacobian(q) ** 2).sum())
    for goal in problem.goals:
        if isinstance(goal, Rest):
            square += float((goal.diagonal(problem.scene)[0] * problem.moves).sum())
    moved = problem.figure.project(q - problem.gradient(q) / (2 * square)) - q
    return float(np.sqrt(square * (moved @ moved) / problem.objective(q)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("name", limbik.methods)
def test_a_method_keeps_its_promises(name: str, case: Callable[[], Case]) -> None:
    asked, method = case(), limbik.methods[name]
    figure, problem = asked.figure, asked.problem
    r = limbik.solve(
        figure,
        asked.goals,
        start=asked.start,
        lock=asked.lock,
        weights=asked.weights,
        method=name,
        budget=BUDGET,
        restarts=0,
        history=True,
    )
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
    stationary = r.status in (Status.LIMITED, Status.OUT_OF_REACH)
    stationary = stationary or (r.ok and not len(problem.tolerances))
    # A cone on an exponential ball is not convex, and P not its nearest point.
    if stationary and case is not exponential_cones and r.objective > 1e-20:
        assert left_to_gain(problem, r.q) < 2e-3  # f could fall by about this squared


@pytest.mark.parametrize("name", limbik.methods)
def test_a_solved_problem_stays_as_it_is(name: str) -> None:
    case = reachable()
    first = limbik.solve(case.figure, case.goals, start=case.start, restarts=0)
    again = limbik.solve(case.figure, case.goals, start=first.q, method=name, restarts=0)
    assert again.ok
    assert again.iterations == 0
    np.testing.assert_array_equal(again.q, first.q)


@pytest.mark.parametrize("name", limbik.methods)
def test_a_target_too_far_for_f_to_be_finite_ends_all_the_same(name: str) -> None:
    goals = [Reach("Tip", position=[1e40, 1e40, 0.0], weight=1e250)]
    r = limbik.solve(planar(), goals, start=[0.3, 0.3, 0.3], method=name, budget=9, restarts=0)
    assert not r.ok
    assert planar().violation(r.q) == 0.0


@pytest.mark.parametrize("name", limbik.methods)
def test_the_same_answer_compiled_and_in_python(name: str) -> None:
    case = reach_and_rest()
    problem = case.problem
    nothing = PythonGoal(lambda figure, q: np.zeros(1), lambda figure, q: np.zeros((1, figure.n)))
    goals = [*case.goals, nothing]
    asked = {"start": case.start, "method": name, "restarts": 0, "budget": 15}
    compiled = limbik.solve(case.figure, case.goals, **asked)
    in_python = limbik.solve(case.figure, goals, **asked)
    assert in_python.iterations == compiled.iterations
    np.testing.assert_allclose(in_python.q, compiled.q, atol=1e-9)
    assert problem.objective(in_python.q) == pytest.approx(compiled.objective, rel=1e-9)


@pytest.mark.parametrize("name", limbik.methods)
def test_solve_many_runs_every_method(name: str) -> None:
    case = reachable()
    targets = np.array([[1.0, 1.0, 0.0], [1.5, 0.5, 0.0], [5.0, 0.0, 0.0]])
    starts = np.array([0.3, 0.3, 0.3])
    asked = {"starts": starts, "method": name, "restarts": 0}
    many = limbik.solve_many(case.figure, ["Tip"], positions=targets[:, None], **asked)
    for k, target in enumerate(targets):
        goals = [Reach("Tip", position=target)]
        alone = limbik.solve(case.figure, goals, start=starts, method=name, restarts=0)
        np.testing.assert_array_equal(many.q[k], alone.q)
        assert many.status[k] == alone.status


def test_names_and_settings() -> None:
    for name, method in limbik.methods.items():
        assert method.name == name
        assert issubclass(method, Method)
        chosen = find_method(name)
        assert type(chosen) is method
        problem = reachable().problem
        assert chosen.options(problem, iterations=3, hasty=True)[:2].tolist() == [3.0, 1.0]
        assert chosen.workspace(problem) > 0


SMALL = [out_of_reach, at_limits, more_rows_than_coordinates, reach_and_rest, full_weights, arm]


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.__name__)
def test_the_default_is_no_worse_than_scipy_least_squares(case: Callable[[], Case]) -> None:
    asked = case()
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
    ours = limbik.solve(
        asked.figure,
        asked.goals,
        start=asked.start,
        weights=asked.weights,
        tolerance=1e-12,
        restarts=0,
    )
    assert ours.objective <= 2 * theirs.cost * (1 + 1e-6) + 1e-18
