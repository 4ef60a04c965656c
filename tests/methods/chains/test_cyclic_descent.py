"""Cyclic descent: its steps against a scan or SciPy, its sweeps against NumPy, and its reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from helpers.method_samples import branched, count_reached
from helpers.random_figures import COUPLED, GOALS, JOINTS, random_figure, random_goals, random_pose
from limbik import Figure, Joint, MethodError, Problem, Range, Reach, Rest, Status, SwingTwist
from limbik.figure.joints import (
    Coupling,
    euler,
    exponential,
    prismatic,
    revolute,
    slides,
    swing_twist,
)
from limbik.methods.chains.cyclic_descent import CyclicCoordinateDescent
from limbik.methods.chains.effector_points import best_value


def along(value, x, scale, a, b, c, s, rest, pose):
    angle = scale * (value - x)
    first = -2 * (a * np.cos(angle) + b * np.sin(angle))
    second = c * np.cos(2 * angle) + s * np.sin(2 * angle)
    return first + second + rest * (value - pose) ** 2


@pytest.mark.parametrize("scale", [1.0, -1.0])
@pytest.mark.parametrize("harmonics", [1, 2])
@pytest.mark.parametrize("rest", [0.0, 0.4])
def test_the_best_turn_is_the_best_of_a_scan(scale: float, harmonics: int, rest: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        low, x, high = np.sort(rng.uniform(-3.0, 3.0, 3))
        a, b = rng.normal(size=2)
        c, s = rng.normal(size=2) * (harmonics - 1)
        pose = rng.normal()
        value = best_value(x, scale, low, high, a, b, c, s, rest, pose)
        assert low <= value <= high
        # With a second harmonic or a rest pose it looks no further than half a turn.
        far = math.pi if harmonics == 2 or rest else 10.0
        grid = np.linspace(max(low, x - far), min(high, x + far), 20001)
        lowest = along(grid, x, scale, a, b, c, s, rest, pose).min()
        assert along(value, x, scale, a, b, c, s, rest, pose) <= lowest + 1e-12


def test_the_best_turn_without_limits_is_an_arc_tangent() -> None:
    assert best_value(0.5, 1.0, -math.inf, math.inf, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0) == pytest.approx(
        0.5 + math.pi / 4
    )
    # Whole turns are kept, and nothing moves where nothing pulls.
    assert best_value(7.0, 1.0, -9.0, 9.0, 1.0, 1.0, 0, 0, 0, 0) == pytest.approx(7 + math.pi / 4)
    assert best_value(0.5, 1.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0) == 0.5
    assert best_value(0.5, 1.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 3.0) == 1.0


def fan(parts: tuple, limit: Range | SwingTwist | None = None) -> Figure:
    """One joint that holds three points."""
    return Figure(
        [
            Joint("A", None, parts, offset=(0.1, 0.2, 0.3), wxyz=(0.8, 0.0, 0.6, 0.0), limit=limit),
            Joint("P", "A", offset=(1.0, 0.2, 0.0)),
            Joint("Q", "A", offset=(0.1, 0.8, 0.4)),
            Joint("R", "A", offset=(-0.3, 0.1, 0.9)),
        ]
    )


def three(rng: np.random.Generator, weights: list) -> list[Reach]:
    return [
        Reach(name, position=rng.normal(size=3), weight=weight)
        for name, weight in zip("PQR", weights, strict=True)
    ]


def one_sweep(figure: Figure, goals: list, **options) -> limbik.Result:
    method = CyclicCoordinateDescent(iterations=1)
    return limbik.solve(figure, goals, method=method, restarts=0, **options)


@pytest.mark.parametrize("weights", [[1, 2, 0.5], [[1, 2, 3], [0, 1, 0], 1.0]], ids=["one", "axes"])
@pytest.mark.parametrize("rest", [False, True])
def test_one_sweep_of_a_hinge_is_its_minimum(weights: list, rest: bool) -> None:
    figure = fan(revolute((0.3, -0.5, 0.8)), Range(-1.2, 2.0))
    rng = np.random.default_rng(4)
    for _ in range(5):
        goals = [*three(rng, weights), *[Rest(weight=0.7, pose=[0.4])] * rest]
        r = one_sweep(figure, goals, start=[0.3])
        problem = Problem(figure, goals, start=[0.3])
        grid = np.linspace(-1.2, 2.0, 8001)
        assert r.objective <= min(problem.objective(np.array([x])) for x in grid) + 1e-9


def test_one_sweep_of_slides_is_their_minimum() -> None:
    figure = fan(slides(), Range([-0.1, -9, -9], [0.2, 9, 9]))
    goals = three(np.random.default_rng(5), [1, 2, 0.5])
    r = one_sweep(figure, goals)
    exact = limbik.solve(figure, goals, restarts=0, tolerance=1e-12)
    assert r.objective == pytest.approx(exact.objective, rel=1e-12)
    assert r.q[0] in (-0.1, 0.2)


@pytest.mark.parametrize(
    "parts", [swing_twist("x"), exponential(), euler("ZYX"), euler("XYX")], ids=str
)
def test_one_sweep_of_a_ball_is_the_fit_of_scipy(parts: tuple) -> None:
    figure, rng = fan(parts), np.random.default_rng(6)
    at = figure.positions(figure.rest)
    for _ in range(5):
        goals = three(rng, [1.0, 2.0, 0.5])
        there = np.array([goal.position for goal in goals]) - at[0]
        theirs = Rotation.align_vectors(there, at[1:] - at[0], weights=[1.0, 2.0, 0.5])[0]
        missing = there - theirs.apply(at[1:] - at[0])
        expected = float(np.array([1.0, 2.0, 0.5]) @ (missing**2).sum(axis=1))
        assert one_sweep(figure, goals).objective == pytest.approx(expected, rel=1e-9)


def test_one_effector_turns_a_ball_by_the_shortest_arc() -> None:
    figure = Figure(
        [Joint("A", None, exponential()), Joint("Tip", "A", offset=(0.0, 2.0, 0.0))]
    )  # fmt: skip
    r = one_sweep(figure, [Reach("Tip", position=[3.0, 0.0, 0.0])])
    np.testing.assert_allclose(r.q, [0.0, 0.0, -math.pi / 2], atol=1e-12)


def test_a_sweep_is_the_one_of_numpy() -> None:
    """Planar: each link from the last turns so that the tip points at the target, then is kept
    within its range, which is all there is to it for one effector."""
    figure = limbik.figures.chain([1.0, 0.8, 0.6, 0.4], limits=Range(-1.3, 1.2))
    target, start = np.array([0.4, 1.3, 0.0]), np.array([0.2, 0.3, -0.4, 0.5])
    method = CyclicCoordinateDescent(iterations=6)
    goals = [Reach("Tip", position=target)]
    r = limbik.solve(figure, goals, start=start, method=method, restarts=0, history=True)
    assert r.history is not None
    q = start.copy()
    for sweep in range(len(r.history.q)):
        np.testing.assert_allclose(r.history.q[sweep], q, atol=1e-12)
        for joint in (3, 2, 1, 0):
            at = figure.positions(q)
            tip, goal = at[-1] - at[joint], target - at[joint]
            turn = math.atan2(goal[1], goal[0]) - math.atan2(tip[1], tip[0])
            turn = (turn + math.pi) % (2 * math.pi) - math.pi
            inside = -1.3 <= q[joint] + turn <= 1.2
            ends = [-1.3, 1.2]
            angles = [abs((e - q[joint] - turn + math.pi) % (2 * math.pi) - math.pi) for e in ends]
            q[joint] = q[joint] + turn if inside else ends[int(np.argmin(angles))]
    assert len(r.history.q) > 4


def balls(parts: tuple, limit: Range | SwingTwist | None) -> Figure:
    joints = [Joint("J0", None, parts, limit=limit)]
    joints += [Joint(f"J{k}", f"J{k - 1}", parts, (0, 1, 0), limit=limit) for k in (1, 2, 3)]
    return Figure([*joints, Joint("Tip", "J3", offset=(0.0, 1.0, 0.0))])


CONE = SwingTwist(swing=(60, 40), twist=(-30, 30), degrees=True)
REACHING = {
    "planar": (limbik.figures.chain([1, 1, 0.8, 0.5]), 40),
    "planar, limited": (limbik.figures.chain([1, 1, 0.8, 0.5], limits=Range(-1.5, 1.5)), 37),
    "balls": (balls(swing_twist(), None), 40),
    "balls in cones": (balls(swing_twist(), CONE), 40),
    "exponential balls in cones": (balls(exponential("y"), CONE), 38),
    "Euler balls, limited": (balls(euler("ZYX"), Range(-0.8, 0.8)), 38),
    "arm": (limbik.figures.arm(), 30),
}


@pytest.mark.parametrize("name", REACHING)
def test_it_reaches_most_of_what_can_be_reached(name: str) -> None:
    figure, least = REACHING[name]
    assert count_reached(figure, "ccd") >= least


@pytest.mark.parametrize("seed", range(12))
def test_f_never_rises_on_any_tree_for_any_goals(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.choice(sorted({*JOINTS, *COUPLED}), 7)]
    figure = random_figure(rng, kinds, limits=True)
    start = random_pose(rng, figure, spread=0.5)
    asked = [str(kind) for kind in rng.choice(sorted(set(GOALS) - {"PythonGoal"}), 4)]
    goals = random_goals(rng, figure, asked, start)
    if figure.n == 0:
        return
    method = CyclicCoordinateDescent(iterations=30)
    r = limbik.solve(figure, goals, start=start, method=method, restarts=0, history=True)
    assert r.history is not None
    assert (np.diff(r.history.f) < 0.0).all()
    assert np.max(figure.violation(r.history.q)) == 0.0


@pytest.mark.parametrize("case", ["human", "spider", "hand"])
def test_branched_figures_come_near_their_goals(case: str) -> None:
    figure, goals = branched(case)
    first = Problem(figure, goals).objective(figure.rest)
    method = CyclicCoordinateDescent(iterations=100)
    r = limbik.solve(figure, goals, method=method, restarts=0)
    assert r.objective < 2e-3 * first
    assert figure.violation(r.q) == 0.0


def test_it_leaves_a_straight_pose_that_points_at_its_target() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-2.0, 2.0))
    r = limbik.solve(
        figure, [Reach("Tip", position=[1, 0, 0])], start=[0, 0, 0], method="ccd", restarts=0
    )
    assert r.ok


def test_coupled_joints_move_together() -> None:
    joints = [
        Joint("A", None, revolute("z"), limit=Range(0.0, 1.5)),
        Joint("B", "A", revolute("z", coupled=Coupling("A", 0.8, 0.1)), offset=(1.0, 0.0, 0.0)),
        Joint("C", "B", prismatic("x"), offset=(1.0, 0.0, 0.0), limit=Range(0.0, 0.5)),
        Joint("Tip", "C", offset=(0.5, 0.0, 0.0)),
    ]
    figure = Figure(joints)
    target = figure.positions([0.9, 0.3])[-1]
    r = limbik.solve(figure, [Reach("Tip", position=target)], method="ccd", restarts=0)
    assert r.ok
    np.testing.assert_allclose(r.q, [0.9, 0.3], atol=2e-3)


def test_what_has_no_lever_is_left_alone() -> None:
    figure = limbik.figures.arm()  # the tool is on the axis of its last joint
    goals = [Reach("Tool", position=[0.5, 0.2, 0.4])]
    r = limbik.solve(figure, goals, method="ccd", restarts=0)
    assert r.ok
    assert r.q[6] == figure.rest[6]


def test_at_the_edge_of_cones_it_finds_the_minimum() -> None:
    figure = balls(swing_twist(), CONE)
    goals = [Reach("Tip", position=[1.5, -2.5, 1.0])]
    method = CyclicCoordinateDescent(iterations=1000)
    r = limbik.solve(figure, goals, method=method, restarts=0)
    exact = limbik.solve(figure, goals, start=r.q, restarts=0)
    assert r.status is Status.LIMITED
    assert r.objective == pytest.approx(exact.objective, rel=1e-6)


def test_settings_are_checked_by_name() -> None:
    with pytest.raises(MethodError, match="ccd: stationary must not be negative, got -1"):
        CyclicCoordinateDescent(stationary=-1.0)
