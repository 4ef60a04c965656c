"""CenterOfMass and Balance: what they settle on, judged from outside, and what they refuse."""

from __future__ import annotations

import numpy as np
import pinocchio
import pytest
from scipy.spatial import ConvexHull

import limbik
from helpers import real_data
from helpers.robot_comparisons import load, slot_values
from limbik import Balance, CenterOfMass, GoalError, Pin, Problem, Reach, Rest
from limbik.goals.masses.contacts import contact_points

HUMAN = limbik.figures.human()
FEET = ["LeftFoot", "RightFoot"]
PINS = [Pin(foot, rotation=True) for foot in FEET]


def outside(figure: limbik.Figure, q: np.ndarray, center: np.ndarray, support, up: int) -> float:
    """How far a centre of mass is outside the hull of the contacts, by SciPy."""
    frames, level = figure.frames(q), [k for k in range(3) if k != up]
    points = [
        (frames[j, :3, :3] @ p + frames[j, :3, 3])[level]
        for j, p in contact_points(figure, support, "test")
    ]
    plane = ConvexHull(points).equations
    return float((plane[:, :2] @ center[level] + plane[:, 2]).max())


def test_the_centre_of_mass_goes_to_its_place() -> None:
    target = HUMAN.com(HUMAN.rest) + [0.03, -0.2, 0.02]
    r = limbik.solve(HUMAN, [CenterOfMass(target), *PINS])
    assert r.ok
    np.testing.assert_allclose(HUMAN.com(r.q), target, atol=3e-4)
    free = limbik.solve(HUMAN, [CenterOfMass([5.0, 0.8, 5.0], weight=(0, 1, 0)), *PINS])
    assert free.ok
    assert HUMAN.com(free.q)[1] == pytest.approx(0.8, abs=3e-4)


def test_the_centre_of_mass_goes_above_joints() -> None:
    r = limbik.solve(HUMAN, [CenterOfMass(over=["LeftFoot"]), *PINS])
    assert r.ok
    foot = HUMAN.positions(r.q)[HUMAN.index("LeftFoot")]
    np.testing.assert_allclose(HUMAN.com(r.q)[[0, 2]], foot[[0, 2]], atol=3e-4)


def test_the_centre_of_mass_can_be_moved_in_every_way_of_solving() -> None:
    start = HUMAN.com(HUMAN.rest)
    targets = start + np.linspace([0, 0, 0], [0.02, -0.15, 0.0], 6)
    goals = [CenterOfMass(targets), Rest(weight=1e-6)]
    many = limbik.solve_many(HUMAN, [*PINS, *goals])
    track = limbik.track(HUMAN, [*PINS, *goals], fps=30)
    solver = limbik.Solver(HUMAN, [*PINS, CenterOfMass(start)])
    for k, target in enumerate(targets):
        one = solver.solve(targets={"the centre of mass": {"position": target}})
        assert one.ok
        assert many.ok[k]
        for q in (one.q, many.q[k], track.motion.q[k]):
            np.testing.assert_allclose(HUMAN.com(q), target, atol=3e-4)


@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_a_body_that_reaches_far_keeps_its_balance(margin: float) -> None:
    rng = np.random.default_rng(0)
    fell, reached = 0, 0
    for _ in range(12):
        target = [rng.uniform(-0.1, 0.5), rng.uniform(0.6, 1.3), rng.uniform(0.7, 1.0)]
        reach = Reach("LeftHand", position=target)
        careless = limbik.solve(HUMAN, [reach, *PINS])
        fell += outside(HUMAN, careless.q, HUMAN.com(careless.q), FEET, 1) > 0.0
        r = limbik.solve(HUMAN, [reach, *PINS, Balance(FEET, margin=margin)])
        if r.ok:
            reached += 1
            assert outside(HUMAN, r.q, HUMAN.com(r.q), FEET, 1) <= -margin
    assert fell >= 3
    assert reached >= 10


def test_a_robot_keeps_its_balance_by_pinocchio() -> None:
    path = real_data.find("robots/unitree_g1_29dof_rev_1_0.urdf")
    robot = load(path)
    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    data, neutral = model.createData(), pinocchio.neutral(model)
    support = [
        (f"{side}_ankle_roll_link", (x, y, -0.03))
        for side in ("left", "right")
        for x, y in ((-0.05, 0.025), (-0.05, -0.025), (0.12, 0.03), (0.12, -0.03))
    ]
    balance = Balance(support, margin=0.01)
    solver = limbik.Solver(robot, [balance, Rest(weight=1e-6)], restarts=4)
    rng, away = np.random.default_rng(1), 0
    for _ in range(8):
        start = robot.project(robot.rest + rng.uniform(-0.8, 0.8, robot.n))
        away += balance.outside(robot, start) > 0.0
        r = solver.solve(start)
        assert r.ok
        theirs = neutral.copy()
        for joint in list(model.names)[2:]:
            own = model.joints[model.getJointId(joint)]
            theirs[own.idx_q] = slot_values(robot, r.q, joint)[0]
        com = pinocchio.centerOfMass(model, data, theirs)
        assert outside(robot, r.q, com, support, 2) <= -0.01
    assert away >= 4


def test_contacts_are_points_or_soles() -> None:
    sole = contact_points(HUMAN, ["LeftFoot"], "test")
    joints = {HUMAN.joints[joint] for joint, _ in sole}
    assert joints == {"LeftFoot", "LeftToeBase"}
    frames = HUMAN.frames(HUMAN.rest)
    z = [(frames[j, :3, :3] @ p + frames[j, :3, 3])[2] for j, p in sole]
    assert 0.2 < max(z) - min(z) < 0.35  # as long as a foot
    ((joint, point),) = contact_points(HUMAN, [("Head", (0, 1, 2))], "test")
    assert HUMAN.joints[joint] == "Head"
    assert point.tolist() == [0, 1, 2]
    bare = HUMAN.with_shapes([])
    ((joint, point),) = contact_points(bare, ["LeftFoot"], "test")
    assert HUMAN.joints[joint] == "LeftFoot"
    assert not point.any()


def test_one_foot_and_one_point() -> None:
    r = limbik.solve(HUMAN, [Balance([("LeftFoot", (0, 0, 0.05))]), *PINS])
    frame = HUMAN.frames(r.q)[HUMAN.index("LeftFoot")]
    point = frame[:3, :3] @ [0, 0, 0.05] + frame[:3, 3]
    assert r.ok
    assert np.linalg.norm((HUMAN.com(r.q) - point)[[0, 2]]) < 3e-4


def test_why_speaks_of_balance() -> None:
    shoved = Reach("Hips", position=[0, 0.95, 0.6])
    r = limbik.solve(HUMAN, [shoved, *PINS, Balance(FEET), Rest(weight=1e-3)])
    assert not r.ok
    assert r.why.startswith("Hips is ")
    assert "the body would fall: its centre of mass is" in r.why
    far = [CenterOfMass([0, 0.9, 0.8], weight=100), *PINS]
    r = limbik.solve(HUMAN, [*far, Balance(FEET, weight=0.01), Rest(weight=1e-3)])
    assert not r.ok
    assert "centre of mass is" in r.why
    assert "outside" in r.why


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: CenterOfMass(), "give position= or over="),
        (lambda: CenterOfMass([0, 1, 0], over=["Head"]), "give position= or over="),
        (lambda: CenterOfMass([0, 1]), "position: needs 3 numbers"),
        (lambda: CenterOfMass([0, 1, np.nan]), "position: .* is not finite"),
        (lambda: CenterOfMass(over=["Hed"]), "CenterOfMass: over: .*Head"),
        (lambda: CenterOfMass(over="Head"), "needs a list of joints"),
        (lambda: CenterOfMass([0, 1, 0], weight=np.eye(3)), "one number or three"),
        (lambda: Balance(["LeftFot"]), "Balance: .*LeftFoot"),
        (lambda: Balance([]), "nothing to stand on"),
        (lambda: Balance("LeftFoot"), "needs a list of joints"),
        (lambda: Balance([("LeftFoot", (0, 1))]), '"LeftFoot": needs 3 numbers'),
        (lambda: Balance([3]), r"\(joint, point\) pair, got 3"),
        (lambda: Balance(FEET, margin=np.inf), "margin: .* is not finite"),
        (lambda: Balance(FEET, weight=(1, 2)), "weight needs one number"),
    ],
)
def test_impossible_goals_are_refused(make, words: str) -> None:
    with pytest.raises(GoalError, match=words):
        Problem(HUMAN, make())


@pytest.mark.parametrize("goal", [CenterOfMass([0, 0, 1]), Balance(["Tool"])])
def test_a_figure_without_masses_is_refused(goal) -> None:
    with pytest.raises(GoalError, match=r"has no masses.*with_masses"):
        Problem(limbik.figures.arm(), goal)
