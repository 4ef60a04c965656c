"""The extended Jacobian as a method: the paper's step in the plane, and beyond the plane."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Figure, Joint, MethodError, Problem, Range, Reach, Rest, Status
from limbik.figure.joints import free, revolute, swing_twist
from limbik.methods.redundancy.extended_jacobian import ExtendedJacobian
from limbik.methods.redundancy.segment_pairs import (
    basic_elements,
    element_rows,
    place_all,
    turns_with_others,
)
from limbik.papers.extended_jacobian.planar import planar_step

LENGTHS = np.array([90.0, 60.0, 90.0, 150.0, 150.0, 90.0])


def first_step(figure: Figure, goals: list, q: np.ndarray, method: ExtendedJacobian, **asked):
    r = limbik.solve(
        figure, goals, start=q, method=method, budget=1, restarts=0, tolerance=1e-12, **asked
    )
    assert r.iterations == 1
    return r.q - q, r


@pytest.mark.parametrize("weight", [1.0, 0.05])
@pytest.mark.parametrize("seed", range(4))
def test_in_the_plane_it_is_the_papers_step(seed: int, weight: float) -> None:
    rng = np.random.default_rng(seed)
    q, dx = rng.uniform(-1.5, 1.5, size=6), rng.normal(size=2) * 5.0
    figure = limbik.figures.chain(LENGTHS)
    target = figure.positions(q)[-1] + [*dx, 0.0]
    goals = [Reach("Tip", position=target)]
    step, r = first_step(figure, goals, q, ExtendedJacobian(weight=weight, clamp=None))
    printed, full = planar_step(LENGTHS, q, dx, weight=weight)
    assert full
    assert r.singular == 0
    np.testing.assert_allclose(step, printed, rtol=0, atol=1e-12)


def stacked(problem: Problem, q: np.ndarray, weight: float, stiffness: np.ndarray):
    """(A, b): goals, diagonal goals and w·S times the rows of the elements."""
    figure, elements = problem.figure, basic_elements(problem)
    world, axes = np.empty(12 * len(figure.joints)), np.empty(6 * figure.n + 60)
    rows = np.empty((figure.n, 3 * len(elements)))
    place_all(problem.ints, problem.floats, q, world, axes, np.empty(54))
    element_rows(problem.ints, problem.floats, np.ravel(elements), world, axes, 0, rows)
    a, b = [problem.jacobian(q)], [problem.residual(q)]
    for goal in problem.goals:
        if isinstance(goal, Rest):
            w, pose = goal.diagonal(problem.scene)
            w = w * problem.moves
            a.append(np.diag(np.sqrt(w)))
            b.append(np.sqrt(w) * (pose - q))
    a.append(weight * rows.T * stiffness)
    b.append(np.zeros(3 * len(elements)))
    own = turns_with_others(problem) * 0.2 * figure.size / 4  # the default of ``twist``
    a.append(np.diag(weight * stiffness * own))
    b.append(np.zeros(figure.n))
    whole = np.concatenate(a)
    whole[:, ~problem.moves] = 0.0
    return whole, np.concatenate(b)


def tree() -> Figure:
    """A free root, balls, a fork."""
    joints = [Joint("Root", None, free(swing_twist("y")))]
    for side, x in (("L", 0.4), ("R", -0.4)):
        joints += [
            Joint(f"{side}1", "Root", swing_twist("x"), offset=(x, 1.0, 0.0)),
            Joint(f"{side}2", f"{side}1", revolute("z"), offset=(x, 0.1, 0.2)),
            Joint(f"{side}3", f"{side}2", revolute("y"), offset=(x, 0.2, 0.1)),
            Joint(f"{side}4", f"{side}3", offset=(x, 0.0, 0.3)),
        ]
    return Figure(joints)


@pytest.mark.parametrize("rest", [False, True])
@pytest.mark.parametrize("lock", [(), ("L2",)])
def test_on_a_tree_it_is_least_squares_over_goals_and_elements(rest: bool, lock: tuple) -> None:
    figure = tree()
    q = np.random.default_rng(3).normal(size=figure.n) * 0.3
    at = figure.positions(q)
    goals: list = [
        Reach("L4", position=at[figure.index("L4")] + [0.02, -0.01, 0.03]),
        Reach("R4", position=at[figure.index("R4")] + [0.0, 0.03, -0.02]),
    ]
    goals += [Rest(weight=0.2)] * rest
    stiff = {"L1": 4.0, "R2": lambda v: 7.0 + v}
    step, r = first_step(
        figure, goals, q, ExtendedJacobian(weight=0.3, stiffness=stiff, clamp=None), lock=lock
    )
    s = np.ones(figure.n)
    s[figure.coordinates_of("L1")] = 4.0
    s[figure.coordinates_of("R2")] = 7.0 + q[figure.coordinates_of("R2")]
    a, b = stacked(Problem(figure, goals, start=q, lock=lock), q, 0.3, s)
    np.testing.assert_allclose(step, np.linalg.lstsq(a, b, rcond=1e-9)[0], atol=1e-7)
    assert r.singular == 0


def test_stiff_joints_move_less() -> None:
    figure = limbik.figures.arm()
    target = figure.positions(figure.rest)[-1] + [0.05, 0.03, -0.04]
    goals = [Reach("Tool", position=target)]
    for joint in ("Joint1", "Joint2", "Joint4", "Joint6"):
        c = figure.coordinates.index(joint)
        moved = []
        for stiffness in (1.0, 3.0, 10.0, 100.0):
            method = ExtendedJacobian(stiffness={joint: stiffness})
            r = limbik.solve(figure, goals, method=method, restarts=0)
            assert r.ok
            moved.append(abs(r.q[c] - figure.rest[c]))
        assert moved[0] > moved[1] > moved[2] > moved[3]
        assert moved[3] < 0.02 * moved[0]


def test_without_rows_for_twists_a_chain_of_balls_lacks_rank() -> None:
    """Bones along x, twists about x: in the straight pose no twist moves anything."""
    joints = [
        Joint(f"J{k}", f"J{k - 1}" if k else None, swing_twist("x"), offset=(0.5 * (k > 0), 0, 0))
        for k in range(3)
    ]
    figure = Figure([*joints, Joint("Tip", "J2", offset=(0.5, 0.0, 0.0))])
    goals = [Reach("Tip", position=[1.2, 0.3, 0.2])]
    asked = {"start": np.zeros(9), "budget": 1, "restarts": 0}
    printed = limbik.solve(figure, goals, method=ExtendedJacobian(twist=0.0), **asked)
    ours = limbik.solve(figure, goals, method=ExtendedJacobian(), **asked)
    assert printed.singular == 1
    assert ours.singular == 0
    twists = [c for c, name in enumerate(figure.coordinates) if name.endswith("twist")]
    np.testing.assert_allclose(ours.q[twists], 0.0, atol=1e-12)


def test_a_stiffness_may_depend_on_the_joints_value() -> None:
    """A joint that stiffens around 0.35 rad stops where others can take over."""
    figure = limbik.figures.chain([1.0, 1.0, 1.0, 0.5])
    goals, start = [Reach("Tip", position=[1.8, 2.2, 0.0])], [0.1, 0.2, 0.2, 0.2]
    wall = {"Joint2": lambda v: 1.0 + 200.0 / (1.0 + np.exp(-100.0 * (v - 0.3)))}
    plain, held = (
        limbik.solve(
            figure, goals, start=start, method=ExtendedJacobian(stiffness=stiffness), restarts=0
        )
        for stiffness in ({"Joint2": 1.0}, wall)
    )
    assert plain.ok
    assert held.ok
    assert plain.q[1] > 0.35 > 0.3 > held.q[1]


def test_without_rank_it_takes_the_shortest_step_and_says_so() -> None:
    """Pair 0 folded and the end at the base: joint 0 moves neither (section 3's claim fails)."""
    figure, q = limbik.figures.chain(np.ones(4)), np.array([0.3, np.pi, 0.7, np.pi])
    end = figure.positions(q)[-1]
    np.testing.assert_allclose(end, 0.0, atol=1e-15)
    step, r = first_step(figure, [Reach("Tip", position=[0.1, 0.2, 0.0])], q, ExtendedJacobian())
    assert r.singular == 1
    printed, full = planar_step(np.ones(4), q, np.array([0.1, 0.2]))
    assert not full
    np.testing.assert_allclose(step, printed, atol=1e-12)
    assert abs(step[0]) < 1e-12 < 1e-3 < np.abs(step).max()


def test_it_leaves_a_straight_pose_that_makes_the_jacobian_singular() -> None:
    figure = limbik.figures.chain(LENGTHS)
    r = limbik.solve(
        figure, [Reach("Tip", position=[600.0, 30.0, 0.0])], start=np.zeros(6),
        method=ExtendedJacobian(clamp=None), restarts=0, history=True,
    )  # fmt: skip
    assert r.ok
    assert r.singular == 0
    assert r.history is not None
    assert np.abs(np.diff(r.history.q, axis=0)).max() < 1.0


def test_limits_hold_in_every_step() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.2, 0.3))
    r = limbik.solve(
        figure, [Reach("Tip", position=[0.0, 2.0, 0.0])], method=ExtendedJacobian(), restarts=0,
        history=True,
    )  # fmt: skip
    assert r.history is not None
    assert np.max(figure.violation(r.history.q)) == 0.0
    assert r.status is Status.LIMITED
    np.testing.assert_array_equal(r.q, [0.3, 0.3, 0.3])


def test_a_clamp_shortens_the_whole_step() -> None:
    figure, q = limbik.figures.chain([1.0, 1.0, 0.5]), np.array([0.3, 0.4, 0.5])
    goals = [Reach("Tip", position=[-1.0, 1.0, 0.0])]
    whole, _ = first_step(figure, goals, q, ExtendedJacobian(clamp=None))
    short, _ = first_step(figure, goals, q, ExtendedJacobian(clamp=0.1))
    assert np.abs(whole).max() > 0.2
    np.testing.assert_allclose(short, 0.1 * whole / np.abs(whole).max(), atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"weight": 0.0}, "weight must be positive, got 0"),
        ({"twist": -1.0}, "twist must not be negative, got -1"),
        ({"cutoff": 1.0}, "0 ≤ cutoff < 1, got 1"),
        ({"clamp": -1.0}, "clamp must be positive or None, got -1"),
    ],
)
def test_refusals(settings: dict, says: str) -> None:
    with pytest.raises(MethodError, match="extended_jacobian.*" + says):
        ExtendedJacobian(**settings)


def test_an_unknown_joint_is_refused_before_solving() -> None:
    figure = limbik.figures.chain([1.0, 1.0])
    with pytest.raises(MethodError, match='no joint or coordinate "Joint9"'):
        limbik.solve(
            figure, [Reach("Tip", position=[1, 1, 0])],
            method=ExtendedJacobian(stiffness={"Joint9": 2.0}),
        )  # fmt: skip


def test_a_stiffness_that_is_no_number_is_refused_by_joint() -> None:
    figure = limbik.figures.chain([1.0, 1.0])
    with pytest.raises(MethodError, match="stiffness of Joint1 must be a number, got 'x'"):
        ExtendedJacobian(stiffness={"Joint1": "x"}).tables(  # pyright: ignore[reportArgumentType]
            Problem(figure, [Reach("Tip", position=[1, 1, 0])])
        )
