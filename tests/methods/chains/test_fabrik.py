"""FABRIK against a NumPy version of the published algorithm, its limits, branches and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.method_samples import branched, count_reached
from limbik import (
    Aim,
    Figure,
    Joint,
    MethodError,
    Problem,
    PythonGoal,
    Range,
    Reach,
    Rest,
    Status,
    SwingTwist,
)
from limbik.figure.joints import euler, exponential, free, prismatic, revolute, swing_twist
from limbik.methods.chains.fabrik import Fabrik


def towards(start: np.ndarray, end: np.ndarray, length: float) -> np.ndarray:
    """The point so far from ``start`` on the way to ``end``."""
    return start + length * (end - start) / np.linalg.norm(end - start)


def published(p: np.ndarray, target: np.ndarray) -> np.ndarray:
    """One iteration of Aristidou & Lasenby's Algorithm 1 on the joints' places p (k, 3)."""
    lengths = np.linalg.norm(np.diff(p, axis=0), axis=1)
    p, root = p.copy(), p[0].copy()
    p[-1] = target
    for k in range(len(p) - 2, -1, -1):
        p[k] = towards(p[k + 1], p[k], lengths[k])
    p[0] = root
    for k in range(len(p) - 1):
        p[k + 1] = towards(p[k], p[k + 1], lengths[k])
    return p


def ball_chain(parts: tuple, limit: SwingTwist | Range | None = None, count: int = 3) -> Figure:
    joints = [Joint("J0", None, parts, limit=limit)]
    for k in range(1, count):
        joints.append(Joint(f"J{k}", f"J{k - 1}", parts, (0.0, 1.0 / k, 0.0), limit=limit))
    return Figure([*joints, Joint("Tip", f"J{count - 1}", offset=(0.0, 0.5, 0.0))])


CHAINS = {
    "hinges": (limbik.figures.chain([1.0, 0.8, 0.5]), [1.0, 1.1, 0.0]),
    "hinges, far behind": (limbik.figures.chain([1.0, 0.8, 0.5]), [-1.2, 0.3, 0.0]),
    "swing–twist balls": (ball_chain(swing_twist()), [0.9, 0.4, -0.8]),
    "exponential balls": (ball_chain(exponential()), [-0.9, 0.4, 0.8]),
    "Euler balls": (ball_chain(euler("ZXY")), [0.9, -0.4, 0.8]),
    "out of reach": (ball_chain(swing_twist()), [2.0, 2.0, -0.8]),
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_without_limits_goes_as_published(name: str) -> None:
    figure, target = CHAINS[name]
    start = np.full(figure.n, 0.01) if "hinges" in name else np.zeros(figure.n)
    method = Fabrik(iterations=12)
    goals = [Reach("Tip", position=target)]
    r = limbik.solve(
        figure, goals, start=start, method=method, restarts=0, history=True, tolerance=1e-9
    )
    assert r.history is not None
    assert len(r.history.q) > 3
    p = figure.positions(start)
    for q in r.history.q:
        np.testing.assert_allclose(figure.positions(q), p, atol=1e-9)
        p = published(p, np.array(target))


def fork(arms: int = 2) -> Figure:
    """A trunk of two bones that ends in a sub-base, from which chains of two bones go off."""
    ball = swing_twist()
    joints = [
        Joint("Root", None, ball),
        Joint("Mid", "Root", ball, offset=(0.0, 1.0, 0.0)),
        Joint("Base", "Mid", ball, offset=(0.0, 0.7, 0.0)),
    ]
    for k in range(arms):
        side = (0.6 * np.cos(2.0 * k), 0.3, 0.6 * np.sin(2.0 * k))
        joints += [
            Joint(f"{k}A", "Base", ball),
            Joint(f"{k}B", f"{k}A", ball, offset=side),
            Joint(f"{k}Tip", f"{k}B", offset=side),
        ]
    return Figure(joints)


def published_fork(p: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """One iteration with several effectors: the sub-base takes the centroid of what they ask."""
    arms = [np.array([2, 4 + 3 * k, 5 + 3 * k]) for k in range(len(targets))]
    asked, moved = [], p.copy()
    for arm, target in zip(arms, targets, strict=True):
        lengths = np.linalg.norm(np.diff(p[arm], axis=0), axis=1)
        moved[arm[2]] = target
        moved[arm[1]] = towards(target, p[arm[1]], lengths[1])
        asked.append(towards(moved[arm[1]], p[2], lengths[0]))
    trunk = np.linalg.norm(np.diff(p[:3], axis=0), axis=1)
    moved[2] = np.average(asked, axis=0, weights=weights)
    moved[1] = towards(moved[2], p[1], trunk[1])
    moved[1] = towards(p[0], moved[1], trunk[0])
    moved[2] = towards(moved[1], moved[2], trunk[1])
    for arm in arms:
        lengths = np.linalg.norm(np.diff(p[arm], axis=0), axis=1)
        moved[arm[1]] = towards(moved[2], moved[arm[1]], lengths[0])
        moved[arm[2]] = towards(moved[arm[1]], moved[arm[2]], lengths[1])
        moved[arm[0] + arm[1] - 3] = moved[2]  # the arm's first joint is the sub-base
    return moved


@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0], [1.0, 4.0, 0.5]], ids=str)
def test_branches_meet_in_the_weighted_centroid(weights: list[float]) -> None:
    figure = fork(3)
    targets = np.array([[0.9, 1.6, 0.5], [-0.5, 2.0, 0.6], [0.2, 1.3, -0.9]])
    goals = [
        Reach(f"{k}Tip", position=target, weight=weight)
        for k, (target, weight) in enumerate(zip(targets, weights, strict=True))
    ]
    method = Fabrik(iterations=8)
    r = limbik.solve(figure, goals, method=method, restarts=0, history=True, tolerance=1e-9)
    assert r.history is not None
    assert len(r.history.q) > 5
    places = [0, 1, 2, 4, 5, 7, 8, 10, 11]  # without the arms' first joints
    p = figure.positions(figure.rest)
    for q in r.history.q[: 1 + r.iterations]:
        np.testing.assert_allclose(figure.positions(q)[places], p[places], atol=1e-9)
        p = published_fork(p, targets, np.array(weights))


CONE = SwingTwist(swing=(60, 40), twist=(-30, 30), degrees=True)
REACHING = {
    "planar": (limbik.figures.chain([1, 1, 0.8, 0.5]), 40),
    "planar, limited": (limbik.figures.chain([1, 1, 0.8, 0.5], limits=Range(-1.5, 1.5)), 30),
    "balls": (ball_chain(swing_twist(), None, 4), 40),
    "balls in cones": (ball_chain(swing_twist(), CONE, 4), 28),
    "exponential balls in cones": (ball_chain(exponential("y"), CONE, 4), 26),
    "Euler balls, limited": (ball_chain(euler("ZYX"), Range(-0.8, 0.8), 4), 32),
    "arm": (limbik.figures.arm(), 26),
}


@pytest.mark.parametrize("name", REACHING)
def test_it_reaches_most_of_what_can_be_reached(name: str) -> None:
    figure, least = REACHING[name]
    assert count_reached(figure, "fabrik") >= least


@pytest.mark.parametrize(("case", "part"), [("human", 1e-4), ("spider", 1e-4), ("hand", 1e-4)])
def test_branched_figures_come_near_their_goals(case: str, part: float) -> None:
    figure, goals = branched(case)
    first = Problem(figure, goals).objective(figure.rest)
    r = limbik.solve(figure, goals, method="fabrik", restarts=0, history=True)
    assert r.history is not None
    assert r.objective < part * first
    assert np.max(figure.violation(r.history.q)) == 0.0
    assert r.ok or r.objective == r.history.f.min()  # the best pose on the way


def test_a_free_root_goes_along() -> None:
    figure = Figure(
        [
            Joint("Root", None, free()),
            Joint("A", "Root", swing_twist(), offset=(0.0, 1.0, 0.0), limit=CONE),
            Joint("Tip", "A", offset=(0.0, 1.0, 0.0)),
            Joint("B", "Root", revolute("z"), offset=(0.0, -1.0, 0.0), limit=Range(-0.5, 0.5)),
            Joint("Toe", "B", offset=(0.0, -1.0, 0.0)),
        ]
    )
    goals = [Reach("Tip", position=[30.0, 2.0, 1.0]), Reach("Toe", position=[30.0, 2.0, -2.6])]
    bent = np.array([0.0] * 6 + [0.2, -0.1, 0.0, 0.1])  # straight, it would stay so
    r = limbik.solve(figure, goals, start=bent, method="fabrik", restarts=0)
    assert r.ok
    assert r.iterations < 100  # pulled by its bones alone it would take thousands


def test_locked_joints_are_part_of_one_bone() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 1.0, 0.5])
    start = np.array([0.2, 0.9, 0.1, 0.3])
    target = figure.positions([1.0, 0.9, -0.6, 0.8])[-1]
    goals = [Reach("Tip", position=target)]
    r = limbik.solve(figure, goals, start=start, method="fabrik", lock=["Joint2"], restarts=0)
    assert r.ok
    assert r.q[1] == start[1]


def test_slides_take_up_what_turns_cannot() -> None:
    joints = [
        Joint("A", None, revolute("z")),
        Joint("B", "A", prismatic("x"), offset=(1.0, 0.0, 0.0), limit=Range(0.0, 2.0)),
        Joint("Tip", "B", offset=(0.5, 0.0, 0.0)),
    ]
    goals = [Reach("Tip", position=[0.0, 2.5, 0.0])]
    r = limbik.solve(Figure(joints), goals, method="fabrik", restarts=0)
    assert r.ok
    np.testing.assert_allclose(r.q, [np.pi / 2, 1.0], atol=1e-3)


def test_an_axis_without_weight_is_free() -> None:
    figure = ball_chain(swing_twist())
    target = [0.4, 1.2, 50.0]
    goals = [Reach("Tip", position=target, weight=[1.0, 1.0, 0.0])]
    r = limbik.solve(figure, goals, method="fabrik", restarts=0)
    assert r.ok
    np.testing.assert_allclose(figure.positions(r.q)[-1][:2], target[:2], atol=1e-3)


def test_limits_can_deadlock_it_and_it_says_so() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-2.0, 2.0))
    goals = [Reach("Tip", position=[1.0, 1.0, 0.0])]
    start = [0.3, 0.3, 0.3]
    r = limbik.solve(figure, goals, start=start, method="fabrik", restarts=0)
    assert r.status is Status.STALLED
    assert r.iterations < Fabrik.iterations  # it noticed
    assert limbik.solve(figure, goals, start=start, method="fabrik", restarts=20).ok


@pytest.mark.parametrize(
    ("goals", "weights", "said"),
    [
        ([Reach("Tip", wxyz=[1, 0, 0, 0])], None, "the goal of Tip"),
        ([Aim("Tip", axis="x", target=[1, 1, 1])], None, "the goal of Tip"),
        ([PythonGoal(lambda figure, q: q[:1], name="height")], None, "the goal of height"),
        ([Reach("Tip", position=[1, 1, 0]), Rest()], None, "a Rest goal"),
        ([Reach("Tip", position=[1, 1, 0])], np.eye(3) + 0.1, "a full weight matrix"),
    ],
)
def test_what_it_cannot_solve_is_refused(goals: list, weights, said: str) -> None:
    figure = limbik.figures.chain([1.0, 1.0])
    with pytest.raises(MethodError, match=f"fabrik cannot solve .*{said}"):
        limbik.solve(figure, goals, weights=weights, method="fabrik")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"stationary": -1.0}, "stationary must not be negative, got -1"),
        ({"patience": 0}, "patience must be at least 1, got 0"),
        ({"progress": 1.5}, "needs 0 < progress ≤ 1, got 1.5"),
    ],
)
def test_settings_are_checked_by_name(settings: dict, said: str) -> None:
    with pytest.raises(MethodError, match=f"fabrik: {said}"):
        Fabrik(**settings)
