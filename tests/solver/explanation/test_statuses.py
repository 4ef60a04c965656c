"""Statuses and sentences say what holds a goal back: limits, locks, other goals, Rest, or bones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import limbik
from helpers.random_figures import SEEDS, TREES, random_figure, random_pose
from limbik import Figure, Joint, Pin, Problem, PythonGoal, Range, Reach, Rest, Status
from limbik.figure.joints import exponential, prismatic, revolute
from limbik.solver.explanation.holders import holders_of, too_short, worst_goal
from limbik.solver.objective import too_far_apart


def planar(limit: Range | None = None, unit: str = "m", size: float = 1.0) -> Figure:
    """Two bones in a plane."""
    return Figure(
        [
            Joint("Shoulder", parts=revolute("z")),
            Joint("Elbow", "Shoulder", revolute("z"), offset=(size, 0, 0), limit=limit),
            Joint("Hand", "Elbow", offset=(size, 0, 0)),
        ],
        unit=unit,
    )


# ---- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("far", [2.5, 150.0, 1e6])
def test_a_limit_is_noticed_at_any_distance(far: float) -> None:
    figure = planar(Range(40, 60, degrees=True))
    r = limbik.solve(figure, [Reach("Hand", position=[0, far, 0])], start=[0.3, 0.8])
    assert r.status is Status.LIMITED
    assert "Elbow at its lower limit (40°) holds it back, and the bones between" in r.why


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_limit_is_noticed_in_any_unit(size: float) -> None:
    figure = planar(Range(0, 30, degrees=True), size=size)
    goal = Reach("Hand", position=[size, size, 0])
    r = limbik.solve(figure, [goal], start=[0.3, 0.3])
    assert r.status is Status.LIMITED
    assert r.why.endswith("Elbow at its upper limit (30°) holds it back")
    # A limit at which the arm merely stands is not to blame: straight, pulled straight away.
    straight = planar(Range(0, 30, degrees=True), size=size)
    r = limbik.solve(straight, [Reach("Hand", position=[9 * size, 0, 0])], start=[0.3, 0.3])
    assert r.status is Status.OUT_OF_REACH


def test_limits_and_pins_are_named_together() -> None:
    human = limbik.figures.human()
    goals = [Reach("LeftHand", position=[0.35, 2.2, 0.4]), Pin("LeftFoot"), Pin("RightFoot")]
    r = limbik.solve(human, [*goals, Rest()], restarts=0)
    assert r.status is Status.LIMITED
    assert "LeftShoulder" in r.why
    assert " and the pins of " in r.why
    assert {"LeftFoot", "RightFoot"} <= set(r.why.replace(",", "").split())
    assert "Rest" not in r.why


def test_a_limit_that_holds_the_holder_counts_too() -> None:
    # The root slides up freely; the goal of the foot holds it, because the knee bends no further.
    figure = Figure(
        [
            Joint("Root", parts=prismatic("y")),
            Joint("Knee", "Root", revolute("z"), limit=Range(-1.0, 1.0)),
            Joint("Foot", "Knee", offset=(1, 0, 0)),
            Joint("Head", "Root", offset=(0, 1, 0)),
        ]
    )
    goals = [Reach("Head", position=[0, 3, 0]), Reach("Foot", position=[0, 0, 0], weight=9)]
    r = limbik.solve(figure, goals, start=[0.0, -0.5])
    assert r.status is Status.LIMITED
    assert "Knee at its lower limit (-57°) and the goal of Foot hold it back" in r.why


# ---- locks, goals and Rest ----------------------------------------------------------------------


def test_a_lock_is_named() -> None:
    figure, goal = planar(), Reach("Hand", position=[0, 1, 0])
    r = limbik.solve(figure, [goal], start=[0.3, 0.3], lock=["Elbow"])
    assert r.status is Status.HELD
    assert r.why.endswith(" short: the lock of Elbow holds it back")
    assert limbik.solve(figure, [goal], start=[0.3, 0.3]).ok
    both = limbik.solve(figure, [goal], start=[0.3, 0.3], lock=["Elbow", "Shoulder"])
    assert both.status is Status.HELD
    assert both.why.endswith("the locks of Shoulder and Elbow hold it back")


def test_a_lock_that_does_not_matter_is_not_named() -> None:
    human = limbik.figures.human()
    goal = Reach("LeftHand", position=[0.35, 1.4, 0.3])
    free = [joint for joint in human.joints if "LeftArm" in joint or "LeftForeArm" in joint]
    others = [joint for joint in human.joints if joint not in free]
    r = limbik.solve(human, [goal], lock=others, restarts=0)
    assert not r.ok or r.why.startswith("every")
    far = limbik.solve(planar(), [Reach("Hand", position=[0, 3, 0])], start=[0.3, 0], lock="Elbow")
    assert far.status is Status.OUT_OF_REACH  # the arm is straight: the lock takes nothing away
    problem = Problem(human, [Reach("LeftHand", position=[0.3, 5.0, 0])], lock=["RightArm"])
    assert holders_of(problem, problem.start, 0).locks == ()


def test_a_lock_at_a_limit_is_not_to_blame() -> None:
    figure = planar(Range(0, 0.5))
    goal = Reach("Hand", position=[0, 1, 0])
    r = limbik.solve(figure, [goal], start=[0.3, 0.5], lock=["Elbow"])
    assert "lock" not in r.why


def test_a_goal_of_higher_weight_is_named() -> None:
    human = limbik.figures.human()
    goals = [Reach("LeftHand", position=[0.35, 2.6, 0.4], weight=1e4), Pin("LeftFoot")]
    r = limbik.solve(human, goals, restarts=0)
    # No pose brings hand and foot that far apart.
    assert r.status is Status.OUT_OF_REACH
    assert r.why.startswith("LeftFoot is ")
    assert "the goal of LeftHand holds it back, and the bones between LeftHand and LeftF" in r.why
    folded = [
        Reach("Hand", position=[-0.8, 0.2, 0]),
        Reach("Elbow", position=[-1, 0, 0], weight=99),
    ]
    r = limbik.solve(planar(), folded, start=[0.3, 0.3])
    assert r.status is Status.HELD
    assert "Hand is " in r.why
    assert "the goal of Elbow holds it back" in r.why


def test_goals_that_contradict_each_other_hold_each_other() -> None:
    figure = planar()
    goals = [Reach("Hand", position=[1, 1, 0]), Reach("Hand", position=[1, -1, 0], weight=3)]
    r = limbik.solve(figure, goals, start=[0.3, 0.3])
    assert r.status is Status.HELD
    assert r.why.endswith("the goal of Hand holds it back")


def test_a_heavy_rest_is_named_and_a_light_one_is_not() -> None:
    goal = Reach("Hand", position=[0, 1, 0])
    heavy = limbik.solve(planar(), [goal, Rest(weight=100.0)], start=[0.3, 0.3])
    assert heavy.status is Status.HELD
    assert heavy.why.endswith(" short: Rest holds it back")
    far = limbik.solve(planar(), [Reach("Hand", position=[0, 3, 0]), Rest()], start=[0.3, 0.3])
    assert far.status is Status.OUT_OF_REACH
    assert "Rest" not in far.why


def test_a_goal_in_python_holds_and_is_held() -> None:
    level = PythonGoal(lambda figure, q: np.array([3.0 * (q[0] + 1.0)]), name="level")
    goals = [Reach("Hand", position=[0, 1.9, 0]), level]
    r = limbik.solve(planar(), goals, start=[0.3, 0.3], restarts=0)
    assert r.status is Status.HELD
    assert "level" in r.why


def test_every_holder_has_its_turn_in_a_batch() -> None:
    figure = planar(Range(0, 60, degrees=True))
    there = np.array([[1.0, 1.0, 0], [0.0, 0.5, 0.0], [3.0, 0.0, 0.0]])
    many = limbik.solve_many(figure, ["Hand"], positions=there[:, None])
    assert many.status.tolist() == ["LIMITED", "LIMITED", "OUT_OF_REACH"]
    locked = limbik.solve_many(figure, ["Hand"], positions=there[:, None], lock=["Shoulder"])
    for k, status in enumerate(locked.status):
        r = limbik.solve(figure, [Reach("Hand", position=there[k])], lock=["Shoulder"])
        assert status is r.status


# ---- bones, and attempts ------------------------------------------------------------------------


def test_a_joint_that_can_only_turn_has_no_bones_that_are_too_short() -> None:
    human = limbik.figures.human()
    r = limbik.solve(human, limbik.Reach("LeftUpLeg", position=[0, 100, 0]), lock=["Hips"])
    assert r.status == "HELD"
    assert "bones" not in r.why
    assert "LeftUpLeg can only turn where it is, 99.1 m too far away" in r.why


def test_bones_that_are_too_short_are_named() -> None:
    r = limbik.solve(planar(), [Reach("Hand", position=[0, 3, 0])], start=[0.3, 0.3])
    assert r.why == "Hand is 1 m short: the bones between Shoulder and Hand are 1 m too short"
    human = limbik.figures.human()
    goals = [Reach("LeftHand", position=[0.35, 4, 0.4]), Pin("LeftFoot")]
    problem = Problem(human, goals)
    found = too_short(problem, 0)
    assert found is not None
    assert set(found[:2]) == {"LeftHand", "LeftFoot"}
    # Straightened out, hand and foot are as far apart as the bones between them allow.
    foot = human.positions(problem.start)[human.index("LeftFoot")]
    away = float(np.linalg.norm(foot - [0.35, 4, 0.4]))
    assert 1.5 < away - found[2] < 3.0


def test_attempts_are_spoken_of_only_where_they_were_made() -> None:
    # Near the base a stretched arm cannot come, and no bone is too short for it.
    figure = Figure(
        [
            Joint("Shoulder", parts=revolute("z")),
            Joint("Elbow", "Shoulder", revolute("z"), offset=(1, 0, 0)),
            Joint("Hand", "Elbow", offset=(0.5, 0, 0)),
        ],
        unit="m",
    )
    goal = Reach("Hand", position=[0.2, 0, 0])
    tried = limbik.solve(figure, [goal], start=[0.3, 0.3])
    assert tried.status is Status.OUT_OF_REACH
    assert tried.attempts > 1
    assert tried.why == (
        "Hand is 30 cm short: no limit holds it; the target is out of reach, as far as "
        f"{tried.attempts} attempts can tell"
    )
    once = limbik.solve(figure, [goal], start=[0.3, 0.3], restarts=0)
    assert once.why.endswith("no limit holds it and no small movement helps; allow restarts")


@given(SEEDS, TREES, st.booleans())
@settings(max_examples=60)
def test_bones_are_never_too_short_for_what_a_pose_attains(
    seed: int, kinds: list[str], locked: bool
) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds, limits=True)
    assume(figure.n > 0)
    start = random_pose(rng, figure, spread=3.0)
    lock = [str(rng.choice(figure.joints))] if locked else []
    moves = Problem(figure, [Rest()], lock=lock).moves
    # Inside the limits and with the locked joints as they start.
    there = figure.project(np.where(moves, rng.normal(size=figure.n) * 3.0, start))
    there = np.where(moves, there, start)
    assume(figure.violation(there) == 0.0)
    frames = figure.frames(there)
    goals = []
    for joint in rng.choice(len(figure.joints), min(3, len(figure.joints)), replace=False):
        at = rng.normal(size=3) * rng.choice([0.0, 1.0])
        point = frames[joint, :3, :3] @ at + frames[joint, :3, 3]
        goals.append(Reach(figure.joints[joint], position=point, at=at))
    problem = Problem(figure, goals, start=start, lock=lock, tolerance=1e-9)
    assert not too_far_apart(problem.ints, problem.floats)
    assert all(too_short(problem, k) is None for k in range(len(goals)))


def test_bones_are_too_short_for_what_is_beyond_them() -> None:
    problem = Problem(planar(), [Reach("Hand", position=[0, 2.01, 0])])
    assert too_far_apart(problem.ints, problem.floats)
    near = Problem(planar(), [Reach("Hand", position=[0, 1.99, 0])])
    assert not too_far_apart(near.ints, near.floats)


# ---- the default settles, and restarts serve ----------------------------------------------------


def beyond_reach(name: str, seed: int) -> tuple[Figure, list, np.ndarray]:
    """A random problem that nobody can solve: targets beyond the figure's size."""
    rng = np.random.default_rng(seed)
    figure = getattr(limbik.figures, {"pinned": "human"}.get(name, name))()
    start = figure.project(figure.rest + rng.normal(size=figure.n) * 0.2)
    ends = {"arm": ["Tool"], "pinned": ["LeftHand"], "human": ["LeftHand", "Head"]}
    ends = ends.get(name) or [figure.joints[k] for k in rng.choice(len(figure.joints), 2)]
    way = rng.normal(size=(len(ends), 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    goals: list = [
        Reach(end, position=figure.positions(start)[0] + w * figure.size * rng.uniform(1.1, 3.0))
        for end, w in zip(ends, way, strict=True)
    ]
    if name == "pinned":
        goals += [Pin("LeftFoot"), Pin("RightFoot")]
    return figure, goals, start


@pytest.mark.parametrize("name", ["arm", "hand", "spider", "human", "pinned"])
def test_the_default_settles_beyond_reach(name: str) -> None:
    for seed in range(12):
        figure, goals, start = beyond_reach(name, seed)
        alone = limbik.solve(figure, goals, start=start, restarts=0)
        r = limbik.solve(figure, goals, start=start)
        assert not r.ok
        assert alone.status is not Status.STALLED, f"{name} {seed}: {alone.why}"
        assert r.status is not Status.STALLED, f"{name} {seed}: {r.why}"
        assert r.objective <= alone.objective
        problem = Problem(figure, goals, start=start)
        worst = worst_goal(problem, r.q)
        assert worst is not None
        assert r.why.startswith(problem.goals[worst].label)
        assert figure.violation(r.q) == 0.0


@pytest.mark.parametrize("seed", range(10))
def test_restarts_never_make_an_answer_worse_within_reach_either(seed: int) -> None:
    spider, rng = limbik.figures.spider(), np.random.default_rng(seed)
    there = spider.positions(random_pose(rng, spider, spread=2.0))
    goals = [Reach(spider.joints[k], position=there[k]) for k in rng.choice(len(there), 4)]
    alone = limbik.solve(spider, goals, restarts=0)
    again = limbik.solve(spider, goals)
    assert again.ok or again.objective <= alone.objective
    assert again.ok or not alone.ok


def test_a_narrow_cone_ends_in_every_method_that_searches() -> None:
    ball = exponential("z")
    cone = limbik.SwingTwist(swing=1e-8, twist=(-1.0, 1.0))
    figure = Figure(
        [Joint("Arm", parts=ball, limit=cone), Joint("Hand", "Arm", offset=(0.3, 0.2, 1.0))]
    )
    for method in ("projected_gradient", "projected_lm"):
        r = limbik.solve(figure, [Reach("Hand", position=[1, 0, 0.2])], method=method, restarts=2)
        assert figure.violation(r.q) == 0.0
        assert not r.ok
        assert math.isfinite(r.objective)
