"""Goals: their weights, what they settle on, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import limbik
from helpers.random_figures import direction, random_figure, random_pose, turned
from limbik import (
    Aim,
    Distance,
    Figure,
    GoalError,
    Joint,
    Pin,
    Plane,
    Problem,
    PythonGoal,
    Range,
    Reach,
    Rest,
)
from limbik.figure.joints import (
    euler,
    exponential,
    free,
    prismatic,
    revolute,
    swing_twist,
    unit_axis,
)
from limbik.goals import Goal

SIX = ["free euler", "swing–twist", "revolute", "euler XYZ", "prismatic", "exponential"]


# ---- weights: f = (g − F)ᵀW(g − F), by hand -----------------------------------------------------


def scene(seed: int) -> tuple[np.random.Generator, Figure, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, SIX)
    q = random_pose(rng, figure)
    return rng, figure, q, figure.frames(q)[figure.index("5 exponential")]


@pytest.mark.parametrize("seed", range(3))
def test_weights_of_a_position(seed: int) -> None:
    rng, figure, q, frame = scene(seed)
    target, at, v = rng.normal(size=(3, 3))
    e = target - (frame[:3, :3] @ at + frame[:3, 3])
    for weight, matrix in (
        (2.5, 2.5 * np.eye(3)),
        ((1.0, 0.0, 3.0), np.diag([1.0, 0.0, 3.0])),
        (np.eye(3) + np.outer(v, v), np.eye(3) + np.outer(v, v)),
    ):
        goal = Reach("5 exponential", position=target, at=at, weight=weight)
        assert Problem(figure, [goal]).objective(q) == pytest.approx(e @ matrix @ e, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_weights_of_an_orientation(seed: int) -> None:
    rng, figure, q, frame = scene(seed)
    turn = turned(rng)
    wanted = Rotation.from_quat(turn, scalar_first=True).as_matrix()
    lever = figure.size / 4
    w = np.array([0.5, 2.0, 1.0])
    e = Rotation.from_matrix(wanted @ frame[:3, :3].T).as_rotvec()
    vector = Problem(figure, [Reach("5 exponential", wxyz=turn, rotation_weight=w)])
    assert vector.objective(q) == pytest.approx(lever**2 * (w * e) @ e, rel=1e-9)
    assert vector.term_errors(q) == pytest.approx(np.linalg.norm(e), rel=1e-9)
    d = (wanted - frame[:3, :3])[:, :2]
    axes = Problem(figure, [Reach("5 exponential", wxyz=turn, rotation_weight=3.0, rows="axes")])
    assert axes.objective(q) == pytest.approx(lever**2 * 0.5 * 3.0 * (d**2).sum(), rel=1e-9)
    assert axes.term_errors(q) == pytest.approx(np.linalg.norm(e), rel=1e-9)


def test_weights_of_other_goals() -> None:
    rng, figure, q, frame = scene(9)
    place, lever = frame[:3, 3], figure.size / 4
    n, at = direction(rng), rng.normal(size=3) * 2
    plane = Problem(figure, [Plane("5 exponential", 3 * n, 0.7, weight=2.0)])
    assert plane.objective(q) == pytest.approx(2 * (0.7 - n @ place) ** 2, rel=1e-12)
    other = figure.positions(q)[0]
    apart = Problem(figure, [Distance("5 exponential", "0 free euler", 0.7, weight=2.0)])
    assert apart.objective(q) == pytest.approx(2 * (0.7 - np.linalg.norm(place - other)) ** 2)
    d = (at - place) / np.linalg.norm(at - place)
    aim = Problem(figure, [Aim("5 exponential", axis=n, at=at, weight=2.0)])
    e = d - frame[:3, :3] @ n
    assert aim.objective(q) == pytest.approx(2 * lever**2 * e @ e, rel=1e-12)
    assert aim.term_errors(q) == pytest.approx(math.acos(d @ frame[:3, :3] @ n), rel=1e-9)
    pose = random_pose(rng, figure)
    scale = np.where(figure.slides, 1.0, lever**2) / figure.n
    rests = Problem(figure, [Rest(weight=0.5, pose=pose), Rest(weight=2.0)])
    by_hand = 0.5 * scale @ (q - pose) ** 2 + 2.0 * scale @ (q - figure.rest) ** 2
    assert rests.objective(q) == pytest.approx(by_hand, rel=1e-12)


def test_a_full_weight_matrix_over_all_rows() -> None:
    rng, figure, q, frame = scene(4)
    target, turn = rng.normal(size=3), turned(rng)
    python = PythonGoal(lambda figure, q: figure.positions(q)[3, :2] - 0.2)
    goals = [
        Reach("5 exponential", position=target, wxyz=turn, weight=7.0),
        python,
        Plane("4 prismatic", (0, 0, 1), 0.3),
    ]
    problem = Problem(figure, goals, weights=np.eye(9))
    wanted = Rotation.from_quat(turn, scalar_first=True).as_matrix()
    e = np.concatenate(
        [
            target - frame[:3, 3],
            Rotation.from_matrix(wanted @ frame[:3, :3].T).as_rotvec(),
            [0.3 - figure.positions(q)[figure.index("4 prismatic"), 2]],
            -(figure.positions(q)[3, :2] - 0.2),
        ]
    )
    np.testing.assert_allclose(problem.residual(q), e, atol=1e-9)
    root = rng.normal(size=(9, 9))
    w = root @ root.T + 0.1 * np.eye(9)
    assert Problem(figure, goals, weights=w).objective(q) == pytest.approx(e @ w @ e, rel=1e-9)
    answer = limbik.solve(figure, goals[:1], start=q, weights=w[:6, :6], tolerance=1e-6)
    assert answer.ok
    np.testing.assert_allclose(
        figure.positions(answer.q)[figure.index("5 exponential")], target, atol=1e-6
    )


def test_a_row_of_no_weight_does_not_count() -> None:
    figure = limbik.figures.arm()
    answer = limbik.solve(figure, [Reach("Tool", position=[0.4, 0.3, 9.0], weight=(1, 1, 0))])
    np.testing.assert_allclose(figure.positions(answer.q)[-1, :2], [0.4, 0.3], atol=1e-3)
    assert answer.ok


# ---- orientations, also from half a turn away ---------------------------------------------------

BALLS = {
    "ZYX": euler("ZYX"),
    "XYZ": euler("XYZ"),
    "exponential": exponential(),
    "free": free(exponential()),
}
HALF_TURNS = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0, 0.8), (1, 1, 1), (-2, 1, 0.5)]


@pytest.mark.parametrize("rows", ["vector", "axes"])
@pytest.mark.parametrize("ball", BALLS)
def test_orientations_converge_in_few_iterations(ball: str, rows) -> None:
    rng = np.random.default_rng(1)
    figure = Figure([Joint("Ball", parts=BALLS[ball])])
    counts = []
    for start in rng.uniform(-1, 1, (50, figure.n)):
        goal = Reach("Ball", wxyz=turned(rng), rows=rows)
        answer = limbik.solve(figure, [goal], start=start, restarts=0, tolerance=1e-6)
        counts.append(answer.iterations if answer.ok else math.inf)
    assert np.mean(np.isfinite(counts)) >= 0.96
    assert np.median(counts) <= 8


@pytest.mark.parametrize("axis", HALF_TURNS)
@pytest.mark.parametrize("rows", ["vector", "axes"])
@pytest.mark.parametrize("ball", BALLS)
def test_half_a_turn_is_no_dead_end(ball: str, rows, axis) -> None:
    figure = Figure([Joint("Ball", parts=BALLS[ball])])
    goal = Reach("Ball", wxyz=[0.0, *axis], rows=rows)
    answer = limbik.solve(figure, [goal], start=np.zeros(figure.n), restarts=0)
    assert answer.ok
    assert answer.iterations <= 12


@pytest.mark.parametrize("axis", ["x", "-y", "z", (1, 2, -2)])
@pytest.mark.parametrize("ball", [*BALLS, "swing–twist"])
def test_an_aim_turns_around(ball: str, axis) -> None:
    parts = swing_twist((1, 1, 1)) if ball == "swing–twist" else BALLS[ball]
    figure = Figure([Joint("Ball", parts=parts)])
    goal = Aim("Ball", axis=axis, at=-2.0 * np.array(unit_axis(axis)))
    answer = limbik.solve(figure, [goal], start=np.zeros(figure.n), restarts=0)
    assert answer.ok
    assert answer.iterations <= (40 if ball == "swing–twist" else 15)


@pytest.mark.parametrize("rows", ["vector", "axes", "aim"])
def test_half_a_turn_is_no_dead_end_under_a_full_weight_matrix(rows) -> None:
    figure = Figure([Joint("Ball", parts=free(exponential()))])
    goal = Reach("Ball", wxyz=[0, 0, 0, 1], rows="axes" if rows == "axes" else "vector")
    goals = [Aim("Ball", axis="x", at=[-2, 0, 0]) if rows == "aim" else goal]
    count = Problem(figure, goals).rows
    answer = limbik.solve(figure, goals, restarts=0, weights=np.eye(count) + 0.1)
    assert answer.ok
    matrix = np.diag([1.0, 2.0, 3.0]) + 0.1
    goals.append(Reach("Ball", position=[0.1, 0, 0], weight=matrix))
    assert limbik.solve(figure, goals, restarts=0).ok


@pytest.mark.parametrize("kind", ["vector", "axes", "aim"])
def test_an_orientation_out_of_reach_settles_where_f_is_least(kind: str) -> None:
    rng = np.random.default_rng(0)
    parts = revolute((1, 2, 3)), revolute("x")
    figure = Figure([Joint("A", parts=parts[0]), Joint("B", "A", parts[1], (1, 0, 0))])
    for _ in range(10):
        turn: Goal = Reach("B", wxyz=turned(rng), rows="axes" if kind == "axes" else "vector")
        if kind == "aim":
            turn = Aim("B", at=rng.normal(size=3) * 2)
        goals = [turn, Reach("B", position=rng.normal(size=3))]
        answer = limbik.solve(figure, goals, start=rng.uniform(-3, 3, 2), restarts=0)
        assert answer.status in ("HELD", "OUT_OF_REACH")  # the goals hold each other
        least = minimize(Problem(figure, goals).objective, answer.q, method="BFGS").fun
        assert answer.objective <= least * (1 + 1e-4)


# ---- the other goals ----------------------------------------------------------------------------


def test_a_pin_keeps_its_joint() -> None:
    figure = limbik.figures.human()
    start = figure.project(np.random.default_rng(0).normal(size=figure.n) * 0.2)
    where = figure.frames(start)
    goals = [
        Pin("LeftFoot", rotation=True),
        Pin("RightFoot", at=(0, 0, 0.1)),
        Reach("LeftHand", position=where[figure.index("LeftHand"), :3, 3] + [0.1, 0.1, 0.1]),
    ]
    answer = limbik.solve(figure, goals, start=start, tolerance=1e-6)
    assert answer.ok
    now = figure.frames(answer.q)
    left, right = figure.index("LeftFoot"), figure.index("RightFoot")
    np.testing.assert_allclose(now[left], where[left], atol=3e-6)
    at = [0, 0, 0.1, 1]
    np.testing.assert_allclose(now[right] @ at, where[right] @ at, atol=2e-6)


@pytest.mark.parametrize("parts", [prismatic("x"), prismatic("y"), prismatic((0, 1, -1))])
def test_a_distance_parts_points_that_lie_together(parts) -> None:
    figure = Figure([Joint("Base"), Joint("A", "Base", parts), Joint("B", "Base")])
    answer = limbik.solve(figure, [Distance("A", "B", 0.5)], start=[0.0], restarts=0)
    assert answer.ok
    assert abs(answer.q[0]) == pytest.approx(0.5, abs=1e-3)


def test_rest_alone_gives_the_pose_inside_the_limits() -> None:
    figure = Figure([Joint("A", parts=free(), limit=Range([-1] * 6, [1, 1, 1, 0.5, 2, 2]))])
    pose = np.array([0.3, -2.0, 0.4, 0.9, 1.5, -0.2])
    one = limbik.solve(figure, [Rest(weight=0.7, pose=pose)], start=np.full(6, -0.5))
    assert one.ok
    np.testing.assert_allclose(one.q, figure.project(pose), atol=1e-5)
    two = limbik.solve(figure, [Rest(weight=3.0, pose=pose), Rest(weight=1.0, pose=np.zeros(6))])
    np.testing.assert_allclose(two.q, figure.project(0.75 * pose), atol=1e-5)


# ---- refused ------------------------------------------------------------------------------------

NAN, INF = math.nan, math.inf
SHEAR = np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    ("goals", "words"),
    [
        ([], "no goals"),
        (["Tool"], "not a goal"),
        ([Reach("Tool")], '"Tool": no target'),
        ([Reach("Tol", position=[0, 0, 0])], 'did you mean "Tool"'),
        ([Reach("Tool", position=[0, NAN, 0])], '"Tool": position.*not finite'),
        ([Reach("Tool", position=[0, 0, INF])], '"Tool": position.*not finite'),
        ([Reach("Tool", position=[0, 0])], '"Tool": position: needs 3'),
        ([Reach("Tool", position=[0, 0, 0], at=[0, 0, NAN])], '"Tool": at'),
        ([Reach("Tool", wxyz=[0, 0, 0, 0])], '"Tool": wxyz has zero length'),
        ([Reach("Tool", wxyz=[1, 0, 0, NAN])], '"Tool": wxyz.*not finite'),
        ([Reach("Tool", wxyz=[1, 0, 0, 0], rows="angles")], "rows must be"),  # type: ignore[arg-type]
        ([Reach("Tool", position=[0, 0, 0], weight=-1)], '"Tool".*negative'),
        ([Reach("Tool", position=[0, 0, 0], weight=NAN)], '"Tool".*not finite'),
        ([Reach("Tool", position=[0, 0, 0], weight=[1, 2])], '"Tool".*one number or 3'),
        ([Reach("Tool", position=[0, 0, 0], weight=SHEAR)], '"Tool".*symmetric'),
        ([Reach("Tool", position=[0, 0, 0], weight=np.diag([1, 1, -1]))], '"Tool".*definite'),
        ([Reach("Tool", wxyz=[1, 0, 0, 0], rotation_weight=np.eye(3))], "rotation_weight"),
        ([Aim("Tool")], '"Tool": no target'),
        ([Aim("Tool", at=[0, 0, INF])], '"Tool": at.*not finite'),
        ([Aim("Tool", axis="w", at=[0, 0, 1])], '"Tool": axis'),
        ([Aim("Tool", axis=(0, 0, 0), at=[0, 0, 1])], '"Tool": axis.*zero length'),
        ([Pin("Toool")], 'did you mean "Tool"'),
        ([Pin("Tool", rotation=True, rotation_weight=-1)], '"Tool".*negative'),
        ([Plane("Tool", [0, 0, 0], 1)], '"Tool": normal has zero length'),
        ([Plane("Tool", [0, 0, 1], NAN)], '"Tool": offset'),
        ([Plane("Tool", [0, 0, 1], 1, weight=[[4.0]])], "Tool"),
        ([Distance("Tool", "Joint9", 1)], 'did you mean "Joint'),
        ([Distance("Tool", "Joint1", -1)], "negative"),
        ([Distance("Tool", "Joint1", NAN)], "distance.*not finite"),
        ([Rest(weight=-1)], "Rest: weight"),
        ([Rest(pose=np.zeros(3))], "Rest: pose"),
        ([Rest(pose=np.zeros((2, 7)))], "Rest: pose"),
        ([PythonGoal(lambda figure, q: np.array([NAN]), name="mine")], "mine.*not finite"),
        ([PythonGoal(lambda figure, q: np.zeros((2, 2)), name="mine")], "mine"),
        ([PythonGoal(lambda figure, q: q[:1], tolerance=NAN, name="mine")], "mine"),
    ],
)  # fmt: skip
def test_impossible_goals_are_refused_by_name(goals, words: str) -> None:
    with pytest.raises(GoalError, match=words):
        limbik.solve(limbik.figures.arm(), goals)
