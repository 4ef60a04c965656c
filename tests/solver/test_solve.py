"""solve and solve_many: statuses, sentences, multipliers, budgets, restarts, batches."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

import limbik
from helpers.random_figures import random_pose
from limbik import (
    Figure,
    Joint,
    LimbikError,
    MethodError,
    PythonGoal,
    Range,
    Reach,
    Rest,
    Status,
    SwingTwist,
)
from limbik.figure.joints import Coupling, revolute, swing_twist
from limbik.maths.so3 import matrix_to_quat

NAN = math.nan


def planar(elbow: Range | None = None, shoulder: Range | None = None) -> Figure:
    """Two links of length 1 in the plane, in metres."""
    return Figure(
        [
            Joint("Shoulder", parts=revolute("z"), limit=shoulder),
            Joint("Elbow", "Shoulder", revolute("z"), (1, 0, 0), limit=elbow),
            Joint("Hand", "Elbow", offset=(1, 0, 0)),
        ],
        unit="m",
    )


def arm() -> Figure:
    return limbik.figures.arm()


# ---- status and sentence ------------------------------------------------------------------------


def test_reached() -> None:
    figure = planar()
    r = limbik.solve(figure, [Reach("Hand", position=[1, 1, 0])], start=[0.3, 0.3])
    assert r.ok
    assert r.status is Status.REACHED
    np.testing.assert_allclose(figure.positions(r.q)[-1], [1, 1, 0], atol=2e-4)
    assert r.errors[0] == pytest.approx(np.linalg.norm(figure.positions(r.q)[-1] - [1, 1, 0]))
    assert r.errors[0] <= 1e-4 * figure.size
    assert r.objective == pytest.approx(r.errors[0] ** 2)
    assert r.limits == ()


def test_limited_names_the_limit() -> None:
    figure = planar(Range(0, 30, degrees=True))
    r = limbik.solve(figure, [Reach("Hand", position=[1, 1, 0])], start=[0.3, 0.3])
    assert r.status is Status.LIMITED
    assert not r.ok
    # The elbow bends no further: the hand stays on the circle that 30 degrees leave.
    short = math.sqrt(2 + 2 * math.cos(math.radians(30))) - math.sqrt(2)
    assert r.errors[0] == pytest.approx(short, abs=1e-6)
    assert [(x.joint, x.coordinate, x.side) for x in r.limits] == [("Elbow", "Elbow", "upper")]
    assert r.limits[0].value == pytest.approx(math.radians(30), abs=0)
    assert (
        r.why == f"Hand is {100 * short:.3g} cm short: Elbow at its upper limit (30°) holds it back"
    )


def test_limited_by_a_cone_names_the_cone() -> None:
    cone = SwingTwist(swing=(40, 20), twist=(-10, 10), degrees=True)
    figure = Figure(
        [Joint("Arm", parts=swing_twist("y"), limit=cone), Joint("Hand", "Arm", offset=(0, 1, 0))]
    )
    r = limbik.solve(figure, [Reach("Hand", position=[0.9, 0.1, 0.4])], start=[0, 0, 0])
    assert r.status is Status.LIMITED
    assert [(x.joint, x.side) for x in r.limits] == [("Arm", "cone")]
    assert "Arm at the edge of its cone holds it back" in r.why
    # The answer is the best point of the cone: no other swing is nearer.
    turns = np.linspace(0, 2 * math.pi, 3601)
    edge = np.radians(np.column_stack([40 * np.cos(turns), 20 * np.sin(turns), 0 * turns]))
    hands = figure.positions(edge * (1 - 1e-12))[:, 1]
    assert r.errors[0] <= np.linalg.norm(hands - [0.9, 0.1, 0.4], axis=1).min() + 1e-6


def test_out_of_reach_says_by_how_much() -> None:
    r = limbik.solve(planar(), [Reach("Hand", position=[0, 3, 0])], start=[0.3, 0.3])
    assert r.status is Status.OUT_OF_REACH
    assert r.errors[0] == pytest.approx(1.0, abs=1e-5)
    assert r.limits == ()
    assert r.why == "Hand is 1 m short: the bones between Shoulder and Hand are 1 m too short"


def test_stalled_when_the_budget_is_spent() -> None:
    figure = limbik.figures.human()
    goals = [Reach("LeftHand", position=[0.3, 1.9, 0.4]), Reach("Head", position=[0, 1.2, 0.5])]
    for budget in (1, 2, 3):
        r = limbik.solve(figure, goals, budget=budget)
        assert r.status is Status.STALLED
        assert r.iterations == budget
        assert "budget" in r.why
    assert limbik.solve(figure, goals, budget=1, restarts=0).status is Status.STALLED


def test_what_is_missing_is_named_in_its_own_unit() -> None:
    figure = arm()
    at = figure.frames(figure.rest)[-1]
    goal = Reach("Tool", position=at[:3, 3], wxyz=[1, 0, 0, 0], weight=1e4, rotation_weight=1e-3)
    r = limbik.solve(figure, [goal], restarts=0, budget=5)
    assert r.errors[0].length is not None
    assert r.errors[0].length < 1e-4
    assert r.errors[0].angle is not None
    assert f"{math.degrees(r.errors[0].angle):.3g}° off" in r.why
    assert "short" not in r.why


@pytest.mark.parametrize(
    ("limit", "wider"),
    [
        (Range(0, 0.5), lambda h: Range(0, 0.5 + h)),
        (SwingTwist(swing=0.5), lambda h: SwingTwist(swing=0.5 + h)),
        (
            SwingTwist(swing=3, twist=(-0.5, 0.2)),
            lambda h: SwingTwist(swing=3, twist=(-0.5, 0.2 + h)),
        ),
    ],
)
def test_a_multiplier_is_what_slack_would_gain(limit, wider) -> None:
    rng = np.random.default_rng(5)
    parts = revolute("z") if isinstance(limit, Range) else swing_twist("y")
    figure = Figure(
        [
            Joint("Base", parts=revolute("x"), limit=Range(-0.4, 0.4)),
            Joint("Arm", "Base", parts, offset=(0, 0.5, 0)),
            Joint("Hand", "Arm", offset=(0.7, 0.9, 0.3)),
        ]
    )
    bent = np.array([0.2, *([2.5] if isinstance(limit, Range) else [0.9, 0.9, 1.4])])
    there = figure.frames(bent)[-1]
    wanted = Reach("Hand", position=there[:3, 3], wxyz=matrix_to_quat(there[:3, :3]))
    goals = [wanted, Rest(weight=0.01)]

    def best(limit) -> limbik.Result:
        return limbik.solve(
            figure.with_limits({"Arm": limit}), goals, start=rng.normal(size=figure.n) * 0.01,
            tolerance=1e-12, method=limbik.methods["projected_lm"](stationary=1e-10),  # type: ignore[call-arg]
        )  # fmt: skip

    r = best(limit)
    held = [x for x in r.limits if x.joint == "Arm"]
    assert len(held) == 1
    h = 1e-4
    slope = -(best(wider(h)).objective - best(wider(-h)).objective) / (2 * h)
    assert held[0].multiplier == pytest.approx(slope, rel=1e-3)


# ---- start, tolerance, budget, seed -------------------------------------------------------------


def test_a_start_outside_its_limits_is_projected() -> None:
    figure = planar(Range(0, 0.5))
    r = limbik.solve(figure, [Rest()], start=[0.2, 3.0], history=True, restarts=0)
    assert r.history is not None
    assert r.history.q[0].tolist() == [0.2, 0.5]
    goal = Reach("Hand", position=figure.positions([0.2, 0.5])[-1])
    assert limbik.solve(figure, [goal], start=[0.2, 3.0]).iterations == 0


def test_a_tolerance_is_for_positions_and_rotations() -> None:
    figure = arm()
    there = figure.frames(figure.project(figure.rest + 0.4))[-1]
    goal = Reach("Tool", position=there[:3, 3], wxyz=matrix_to_quat(there[:3, :3]))
    loose = limbik.solve(figure, [goal], tolerance=(1e-9, 1.0))
    tight = limbik.solve(figure, [goal], tolerance=(1.0, 1e-9))
    both = limbik.solve(figure, [goal], tolerance=1e-9)
    usual = limbik.solve(figure, [goal])
    assert loose.ok and tight.ok and both.ok and usual.ok  # noqa: PT018
    assert loose.errors[0].length <= 1e-9
    assert tight.errors[0].angle <= 1e-9
    assert max(both.errors[0].length, both.errors[0].angle) <= 1e-9
    assert usual.errors[0].length <= 1e-4 * figure.size
    assert usual.errors[0].angle <= 1e-3
    assert usual.iterations < both.iterations


def test_seconds_are_a_budget_too() -> None:
    figure = arm()
    fine = limbik.solve(figure, [Reach("Tool", position=[0.4, 0.2, 0.5])], budget=5.0)
    assert fine.ok
    for restarts in (0, None):
        far = limbik.solve(
            figure, [Reach("Tool", position=[5, 0, 0])], budget=0.2, restarts=restarts
        )
        assert far.status is Status.OUT_OF_REACH
        assert far.seconds < 10.0
    with pytest.raises(MethodError, match="budget"):
        limbik.solve(figure, [Rest()], budget=0)
    with pytest.raises(MethodError, match="budget"):
        limbik.solve(figure, [Rest()], budget=-1.0)


def hard(seed: int) -> tuple[Figure, list[Reach], np.ndarray]:
    """A pose far from the start, behind limits."""
    figure, rng = arm(), np.random.default_rng(seed)
    there = figure.frames(rng.uniform(figure.lower, figure.upper))[-1]
    goal = Reach("Tool", position=there[:3, 3], wxyz=matrix_to_quat(there[:3, :3]))
    return figure, [goal], rng.uniform(figure.lower, figure.upper)


def test_the_same_seed_gives_the_same_answer() -> None:
    restarted = 0
    for k in range(10):
        figure, goals, start = hard(k)
        one, two = (limbik.solve(figure, goals, start=start, seed=3) for _ in range(2))
        np.testing.assert_array_equal(one.q, two.q)
        assert (one.iterations, one.attempts) == (two.iterations, two.attempts)
        other = limbik.solve(figure, goals, start=start, seed=4)
        assert one.attempts > 1 or (other.q == one.q).all()
        restarted += one.attempts > 1
    assert restarted > 0


def test_the_history_ends_in_the_answer() -> None:
    for k in range(8):
        figure, goals, start = hard(k)
        for restarts in (0, 20):
            r = limbik.solve(figure, goals, start=start, restarts=restarts, history=True)
            assert r.history is not None
            np.testing.assert_array_equal(r.history.q[-1], r.q)
            assert r.history.f[-1] == pytest.approx(r.objective, rel=1e-12)
            assert (np.diff(r.history.f) <= 0).all()


def test_a_result_can_be_copied_and_sent_to_another_process() -> None:
    r = limbik.solve(planar(Range(0, 0.5)), [Reach("Hand", position=[1, 1, 0])], history=True)
    for twin in (copy.deepcopy(r), pickle.loads(pickle.dumps(r))):
        np.testing.assert_array_equal(twin.q, r.q)
        assert (twin.why, twin.limits, twin.errors) == (r.why, r.limits, r.errors)
        assert twin.errors[0].label == "Hand"


def test_a_locked_joint_keeps_its_value_exactly() -> None:
    figure = limbik.figures.human()
    rng = np.random.default_rng(3)
    start = random_pose(rng, figure, spread=0.2)
    lock = ["Hips", "LeftArm", "Spine"]
    kept = np.concatenate([figure.coordinates_of(name) for name in lock])
    place = figure.positions(start)[figure.index("LeftHand")] + [0.05, 0.1, 0.05]
    python = PythonGoal(lambda fig, q: fig.positions(q)[fig.index("Head"), :1] - 0.1)
    for goals in ([Reach("LeftHand", position=place)], [Reach("LeftHand", position=place), python]):
        answer = limbik.solve(figure, [*goals, Rest()], start=start, lock=lock, restarts=3)
        np.testing.assert_array_equal(answer.q[kept], start[kept])
        assert (answer.q != start).any()


def test_a_lock_on_a_follower_holds_its_driver() -> None:
    cone = SwingTwist(swing=(0.8, 0.4))
    follower = revolute("x", coupled=Coupling("A.swing1"))
    figure = Figure(
        [
            Joint("A", parts=swing_twist("y"), limit=cone),
            Joint("B", "A", follower, (0, 1, 0)),
            Joint("C", "B", offset=(0, 1, 0)),
        ]
    )
    for place in np.random.default_rng(0).normal(size=(5, 3)):
        r = limbik.solve(figure, [Reach("C", position=place)], start=[0.3, 0.2, 0], lock=["B"])
        assert r.q[0] == 0.3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weights": np.triu(np.ones((3, 3)))}, "symmetric"),
        ({"weights": np.diag([1.0, 2.0, 0.0])}, "definite"),
        ({"weights": np.eye(4)}, "3 × 3"),
        ({"weights": np.ones(3)}, "matrix"),
        ({"weights": np.ones(4)}, "matrix"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"tolerance": (1e-3, NAN)}, "tolerance"),
        ({"tolerance": (1, 2, 3)}, "tolerance"),
        ({"lock": ["Joint8"]}, 'lock.*did you mean "Joint'),
        ({"start": np.zeros(6)}, "start"),
        ({"start": np.full(7, NAN)}, "start.*Joint1"),
        ({"start": np.zeros((2, 7))}, "start"),
    ],
)
def test_impossible_settings_are_refused(options, words: str) -> None:
    with pytest.raises(LimbikError, match=words):
        limbik.solve(arm(), [Reach("Tool", position=[0.3, 0.3, 0.3])], **options)
