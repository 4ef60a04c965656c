"""Drags: targets met, pins held, limits kept, the way back the same as the way there, no flips."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from limbik import Figure, GoalError, Joint, LimbikError, MethodError, Range, Status, figures
from limbik import joints as jt
from limbik.methods import METHODS
from limbik.poser.effector import Effector
from limbik.poser.method_choice import is_ready, prepare
from limbik.poser.posing import SWINGS, Live

HUMAN = figures.human()
SIX = ["LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head", "Hips"]
FEET = ["LeftHand", "LeftFoot", "RightFoot"]


def held(figure: Figure, joints: list[str], q: np.ndarray | None = None) -> list[Effector]:
    """Effectors 1, 2, ... on the joints (at the tips of last bones), pinned where q has them."""
    frames = figure.frames(figure.rest if q is None else q)
    out = []
    for k, name in enumerate(joints):
        i = figure.index(name)
        at = figure.definition[i].tip or (0.0, 0.0, 0.0)
        x, y, z = (frames[i, :3, :3] @ np.array(at) + frames[i, :3, 3]).tolist()
        out.append(Effector(k + 1, name, at=at, mode="pin", position=(x, y, z)))
    return out


def turned(figure: Figure, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(joints,) degrees that each joint turns on its parent from one pose to the other."""
    angles = []
    frames = [figure.frames(q)[:, :3, :3] for q in (one, other)]
    for i, parent in enumerate(figure.parents):
        local = [f[i] if parent < 0 else f[parent].T @ f[i] for f in frames]
        angles.append(Rotation.from_matrix(local[0].T @ local[1]).magnitude())
    return np.degrees(angles)


def walk(rng: np.random.Generator, start: np.ndarray, reach: float, step: float, count: int):
    """Steps of one length that wander around a place, out to ``reach`` and a little beyond."""
    at, heading = start.copy(), rng.normal(size=3)
    for _ in range(count):
        away = np.linalg.norm(at - start)
        back = 2.0 * max(0.0, away - reach) * (at - start) / reach**2
        heading = 0.95 * heading + 0.3 * rng.normal(size=3) - back
        at = at + step * heading / np.linalg.norm(heading)
        yield at


# ---- meeting targets ----------------------------------------------------------------------------


def test_a_drag_meets_its_target_and_keeps_the_pins():
    effectors = held(HUMAN, FEET)
    live = Live(HUMAN, effectors, 1, HUMAN.rest)
    answer = live.drag((0.3, 1.3, 0.4))
    assert answer.status is Status.REACHED
    assert answer.ok
    assert answer.why == "every goal is within its tolerance"
    assert answer.limits.shape == (0, 4)
    assert answer.ms > 0.0
    assert answer.iterations >= 1
    places = HUMAN.positions(answer.q)
    np.testing.assert_array_equal(answer.goals[:, 0], [1, 2, 3])
    np.testing.assert_array_equal(answer.goals[0, 4:7], [0.3, 1.3, 0.4])
    for row, effector in zip(answer.goals, effectors, strict=True):
        target = (0.3, 1.3, 0.4) if effector.id == 1 else effector.position
        missed = math.dist(places[HUMAN.index(effector.joint)], target)
        assert row[1] == pytest.approx(missed, abs=1e-12)
        assert missed <= 1e-4 * HUMAN.size
        assert np.isnan(row[2])
        assert np.isnan(row[7:]).all()
    assert answer.error_of(1)[0] == answer.goals[0, 1]


def test_free_effectors_hold_only_while_they_are_dragged():
    effectors = [replace(e, mode="free") for e in held(HUMAN, SIX)]
    live = Live(HUMAN, effectors, 1, HUMAN.rest)
    answer = live.drag((2.0, 1.0, 0.0))
    assert answer.ok
    np.testing.assert_array_equal(answer.goals[:, 0], [1])
    nothing = Live(HUMAN, effectors, None, HUMAN.rest)
    for told in (nothing.solve(), nothing.finish(), nothing.look()):
        assert told.status is None
        assert told.goals.shape == (0, 11)
        np.testing.assert_array_equal(told.q, HUMAN.rest)


def test_looking_solves_nothing():
    live = Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
    live.move(1, (0.5, 1.0, 0.3))
    seen = live.look()
    assert seen.status is None
    np.testing.assert_array_equal(seen.q, HUMAN.rest)
    here = HUMAN.positions(HUMAN.rest)[HUMAN.index("LeftHand")]
    assert seen.error_of(1)[0] == pytest.approx(math.dist(here, (0.5, 1.0, 0.3)), rel=1e-12)
    assert not seen.ok
    assert math.isnan(seen.error_of(99)[0])


def test_an_orientation_becomes_a_goal_when_it_is_first_given():
    live = Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
    live.drag((0.3, 1.2, 0.35))
    now = Rotation.from_matrix(HUMAN.frames(live.q)[HUMAN.index("LeftHand"), :3, :3])
    aim = Rotation.from_rotvec([0.0, 0.4, 0.2]) * now
    answer = live.drag(None, tuple(3.0 * aim.as_quat(scalar_first=True)))
    assert answer.ok
    np.testing.assert_array_equal(answer.goals[0, 4:7], [0.3, 1.2, 0.35])
    there = Rotation.from_matrix(HUMAN.frames(answer.q)[HUMAN.index("LeftHand"), :3, :3])
    off = (aim * there.inv()).magnitude()
    assert off <= 1e-3
    assert answer.error_of(1) == (pytest.approx(answer.goals[0, 1]), pytest.approx(off, abs=1e-9))
    # It stays a goal when only the place is dragged on.
    later = live.drag((0.31, 1.2, 0.35))
    there = Rotation.from_matrix(HUMAN.frames(later.q)[HUMAN.index("LeftHand"), :3, :3])
    assert (aim * there.inv()).magnitude() <= 1e-3


def test_an_aim_follows_what_it_looks_at():
    head = Effector(9, "Head", mode="aim", position=(0.0, 1.6, 3.0), axis=(0.0, 0.0, 1.0))
    effectors = [*held(HUMAN, FEET), head]
    for dragged, target in ((9, (1.0, 1.2, 2.0)), (1, (0.3, 1.3, 0.4))):
        answer = Live(HUMAN, effectors, dragged, HUMAN.rest).drag(target, (1.0, 0.0, 0.0, 0.0))
        assert answer.ok or dragged == 1
        frame = HUMAN.frames(answer.q)[HUMAN.index("Head")]
        looked = np.array(target if dragged == 9 else head.position) - frame[:3, 3]
        cosine = frame[:3, 2] @ looked / np.linalg.norm(looked)
        row = answer.goals[answer.goals[:, 0] == 9][0]
        assert row[2] == pytest.approx(math.acos(min(1.0, cosine)), abs=1e-6)
        assert row[2] <= 1e-3
        assert np.isnan(row[[1, 7]]).all()


def test_locked_joints_keep_their_values():
    locked = ("LeftForeArm", "Spine1")
    live = Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest, locked=locked)
    answer = live.drag((0.3, 1.3, 0.4))
    assert answer.ok
    for joint in locked:
        own = HUMAN.coordinates_of(joint)
        np.testing.assert_array_equal(answer.q[own], HUMAN.rest[own])
    assert np.abs(answer.q - HUMAN.rest).max() > 0.1


def test_two_answers_do_not_share_their_pose():
    live = Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
    first = live.drag((0.3, 1.3, 0.4))
    kept = first.q.copy()
    live.drag((0.5, 1.0, 0.2))
    np.testing.assert_array_equal(first.q, kept)


# ---- out of reach -------------------------------------------------------------------------------


@pytest.mark.parametrize("away", [0.3, 1.0, 4.0, 1e3, 2e6])
def test_pins_hold_when_the_hand_cannot_follow(away):
    live = Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
    start = np.array(held(HUMAN, FEET)[0].position)
    target = start + (0.9 + away) * np.array([0.8, 0.6, 0.0])
    for share in np.linspace(0.1, 1.0, 10):
        answer = live.drag(start + share * (target - start))
    answer = live.finish()
    assert answer.status in (Status.LIMITED, Status.OUT_OF_REACH)
    assert answer.why.startswith("LeftHand is ")
    # The error is told for the target itself, however far away.
    place = HUMAN.positions(answer.q)[HUMAN.index("LeftHand")]
    assert answer.error_of(1)[0] == pytest.approx(math.dist(place, target), rel=1e-9)
    assert answer.error_of(1)[0] > 0.2
    slips = answer.goals[1:, 1]
    assert slips.max() < 0.008
    if away <= 1.0:
        assert slips.max() < 0.002
    # The arm points at the target.
    shoulder = HUMAN.positions(answer.q)[HUMAN.index("LeftArm")]
    arm, wish = place - shoulder, target - shoulder
    assert arm @ wish / np.linalg.norm(arm) / np.linalg.norm(wish) > 0.97


def test_the_limit_that_holds_back_is_told():
    elbow = Figure(
        [
            Joint("Upper", parts=jt.revolute("z"), limit=Range(-0.5, 0.5)),
            Joint(
                "Lower", "Upper", jt.revolute("z"), (1, 0, 0), limit=Range(0.0, 1.0), tip=(1, 0, 0)
            ),
        ],
        unit="m",
    )
    for target, joint, side in (((-1.0, 1.0, 0.0), 1, 1.0), ((1.4, -1.4, 0.0), 1, -1.0)):
        live = Live(elbow, held(elbow, ["Lower"]), 1, elbow.rest)
        live.drag(target)
        answer = live.finish()
        assert answer.status is Status.LIMITED
        assert answer.limits[0, 3] == 1.0
        assert (np.diff(answer.limits[:, 3]) <= 0).all()
        found = {(int(j), int(c)): s for j, c, s, _ in answer.limits}
        assert found[joint, joint] == side
        own = (elbow.lower, elbow.upper)[int(side > 0)]
        assert answer.q[joint] == own[joint]
        assert "Lower at its " in answer.why
        # What solve says of the same goal, without a pull and with all its iterations.
        at = live.figure.definition[1].tip or (0, 0, 0)
        reference = limbik.solve(
            elbow, limbik.Reach("Lower", position=target, at=at), start=answer.q
        )
        np.testing.assert_allclose(answer.q, reference.q, atol=1e-3)


def test_a_cone_that_holds_back_is_told():
    ball = Figure(
        [
            Joint(
                "Ball",
                parts=jt.swing_twist("y"),
                tip=(0, 1, 0),
                limit=limbik.SwingTwist(swing=0.5, twist=(-1, 1)),
            )
        ]
    )
    live = Live(ball, held(ball, ["Ball"]), 1, ball.rest)
    live.drag((1.0, 0.0, 0.0))
    answer = live.finish()
    assert answer.status is Status.LIMITED
    np.testing.assert_array_equal(answer.limits[:, :3], [[0, -1, 0]])
    assert np.hypot(*answer.q[:2]) == pytest.approx(0.5, abs=1e-9)


# ---- there and back -----------------------------------------------------------------------------


@pytest.mark.parametrize("joints", [FEET, SIX], ids=["feet pinned", "all pinned"])
def test_there_and_back_brings_the_pose_back(joints):
    rng = np.random.default_rng(3)
    q = HUMAN.project(HUMAN.rest + rng.normal(0, 0.1, HUMAN.n))
    effectors = held(HUMAN, joints, q)
    start = np.array(effectors[0].position)
    live = Live(HUMAN, effectors, 1, q)
    for target in walk(rng, start, 0.5, 0.02, 200):
        live.drag(target)
    assert turned(HUMAN, q, live.q).max() > 10.0
    for share in np.linspace(0.0, 1.0, 40):
        answer = live.drag(target + share * (start - target))
    assert turned(HUMAN, q, answer.q).max() < 0.5
    assert np.abs(HUMAN.positions(answer.q) - HUMAN.positions(q)).max() < 1e-3


@pytest.mark.parametrize("away", [1.5, 10.0, 1e6 * HUMAN.size])
def test_back_at_once_from_anywhere(away):
    effectors = held(HUMAN, SIX)
    live = Live(HUMAN, effectors, 1, HUMAN.rest)
    live.drag((away, away, -away))
    assert turned(HUMAN, HUMAN.rest, live.q).max() > 20.0
    answer = live.drag(effectors[0].position)
    assert answer.ok
    assert turned(HUMAN, HUMAN.rest, answer.q).max() < 0.5


def test_the_same_target_gives_nearly_the_same_pose_from_either_side():
    start = np.array(held(HUMAN, FEET)[0].position)
    target = start + (0.0, 0.3, 0.2)
    poses = []
    for detour in ((0.3, 0.2, 0.0), (-0.3, -0.1, 0.3)):
        live = Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
        for share in np.linspace(0.0, 1.0, 30):
            live.drag(start + share * np.array(detour))
        for share in np.linspace(0.0, 1.0, 60):
            live.drag(start + (1 - share) * np.array(detour) + share * (target - start))
        poses.append(live.q)
    assert turned(HUMAN, *poses).max() < 1.0
    assert turned(HUMAN, HUMAN.rest, poses[0]).max() > 5.0


def test_beginning_again_stays_near_the_new_pose():
    q = Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest).drag((0.1, 1.5, 0.4)).q
    assert turned(HUMAN, HUMAN.rest, q).max() > 15.0
    feet = held(HUMAN, FEET[1:])
    live = Live(HUMAN, feet, None, HUMAN.rest)
    live.begin(q)
    x, y, z = feet[0].position
    live.move(1, (x + 0.05, y, z))
    answer = live.solve()
    assert answer.ok
    assert answer.error_of(1)[0] < 1e-4 * HUMAN.size
    assert turned(HUMAN, q, answer.q).max() < 10.0
    live.move(1, (x, y, z))
    assert turned(HUMAN, q, live.solve().q).max() < 0.5


# ---- smooth drags -------------------------------------------------------------------------------

WALKS = {
    "human, feet pinned": (figures.human, FEET, 0.7, 0.01),
    "human, all pinned": (figures.human, SIX, 0.5, 0.01),
    "human, hips": (figures.human, [SIX[-1], *SIX[:-1]], 0.3, 0.01),
    "human, nothing pinned": (figures.human, ["LeftHand"], 0.7, 0.01),
    "hand": (
        figures.hand,
        ["Index3", "Wrist", "Thumb3", "Middle3", "Ring3", "Little3"],
        0.06,
        0.01,
    ),
    "spider, foot": (
        figures.spider,
        [f"{side}{k}Foot" for side in "LR" for k in "1234"],
        0.4,
        0.01,
    ),
    "spider, body": (
        figures.spider,
        ["Body", *(f"{side}{k}Foot" for side in "LR" for k in "1234")],
        0.4,
        0.01,
    ),
    "arm": (figures.arm, ["Tool"], 0.5, 0.01),
}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", WALKS)
def test_a_smooth_drag_turns_no_joint_by_more_than_60_degrees_at_once(name, seed):
    make, joints, reach, step = WALKS[name]
    figure = make()
    effectors = held(figure, joints)
    live = Live(figure, effectors, 1, figure.rest)
    start, last = np.array(effectors[0].position), figure.rest
    jumps, met, slips = [], [], []
    for target in walk(np.random.default_rng(seed), start, reach, step, 400):
        answer = live.drag(target)
        assert np.isfinite(answer.q).all()
        assert figure.violation(answer.q) == 0.0
        jumps.append(turned(figure, last, answer.q).max())
        met.append(answer.error_of(1)[0] <= 1e-4 * figure.size)
        slips.append(answer.goals[1:, 1].max(initial=0.0))
        last = answer.q
    assert max(jumps) <= 60.0
    assert np.median(jumps) < (20.0 if name == "hand" else 5.0)  # 1 cm is a lot for a finger
    assert max(slips) < 4e-3 * figure.size
    assert np.mean(met) > 0.5 or name in (
        "human, all pinned",
        "human, hips",
        "spider, body",
        "hand",
    )


def test_a_robot_swings_over_where_its_turntable_ends():
    """Behind its base the arm must come round the other way; it is shown on its way there."""
    arm = figures.arm()
    effectors = held(arm, ["Tool"])
    radius = math.hypot(*effectors[0].position[:2])
    live = Live(arm, effectors, 1, arm.rest)
    last, jumps, swinging, q = arm.rest, [], 0, arm.rest
    for angle in np.radians(np.arange(0.0, 260.0, 1.0)):
        target = (radius * math.cos(angle), radius * math.sin(angle), effectors[0].position[2])
        answer = live.drag(target)
        assert arm.violation(answer.q) == 0.0
        jumps.append(turned(arm, last, answer.q).max())
        swinging += answer.why == SWINGS
        last = q = answer.q
    assert max(jumps) <= 56.0
    assert answer.ok
    assert turned(arm, arm.rest, q)[0] > 40.0
    assert swinging <= 12


# ---- nothing breaks it --------------------------------------------------------------------------


@pytest.mark.parametrize("make", [figures.human, figures.hand, figures.spider, figures.arm])
def test_wild_targets_are_survived(make):
    figure = make()
    last = len(figure.joints) - 1
    effectors = held(figure, [figure.joints[last], figure.joints[last // 2]])
    rng = np.random.default_rng(8)
    for dragged in (1, 2):
        live = Live(figure, effectors, dragged, figure.rest)
        for _ in range(60):
            far = figure.size * 10.0 ** rng.uniform(-3, 6)
            wxyz = rng.normal(size=4) if rng.random() < 0.4 else None
            answer = live.drag(rng.normal(size=3) * far, wxyz)
            assert np.isfinite(answer.q).all()
            assert figure.violation(answer.q) == 0.0
            assert np.isfinite(answer.goals[:, 1]).all()
            assert answer.why
        for extreme in (1e30, -1e30, 0.0, 1e-300):
            answer = live.drag((extreme, 0.0, extreme))
            assert figure.violation(answer.q) == 0.0


def test_a_figure_that_cannot_move_stays_where_it_is():
    rigid = Figure([Joint("Base"), Joint("Top", "Base", offset=(0.0, 1.0, 0.0))])
    answer = Live(rigid, held(rigid, ["Top"]), 1, rigid.rest).drag((0.0, 2.0, 0.0))
    assert answer.q.shape == (0,)
    assert answer.error_of(1)[0] == 1.0
    assert not answer.ok


@pytest.mark.parametrize("name", METHODS)
def test_every_method_can_be_felt(name):
    arm = figures.arm()
    effectors = held(arm, ["Tool"])
    live = Live(arm, effectors, 1, arm.rest, method=name)
    start = np.array(effectors[0].position)
    errors = []
    for share in np.linspace(0.0, 1.0, 12):
        answer = live.drag(start + share * np.array([-0.1, 0.15, 0.1]))
        assert np.isfinite(answer.q).all()
        assert arm.violation(answer.q) == 0.0
        errors.append(answer.error_of(1)[0])
    assert errors[-1] < 0.02
    assert is_ready(name)


def test_a_method_that_cannot_solve_for_a_goal_says_so():
    aiming = Effector(4, "Head", mode="aim", position=(0.0, 1.6, 3.0))
    with pytest.raises(MethodError, match="fabrik cannot solve for the goal of Head"):
        Live(HUMAN, [*held(HUMAN, FEET), aiming], 1, HUMAN.rest, method="fabrik")
    live = Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest, method="fabrik")
    with pytest.raises(MethodError, match="fabrik cannot solve for the goal of LeftHand"):
        live.drag(None, (1.0, 0.0, 0.0, 0.0))
    # Nothing is broken by that: the place can be dragged on.
    answer = live.drag((0.45, 0.9, 0.2))
    assert answer.error_of(1)[0] < 1e-3
    assert answer.goals.shape == (3, 11)


def test_an_arm_moves_before_the_body_that_carries_it():
    effectors = held(HUMAN, FEET)
    live = Live(HUMAN, effectors, 1, HUMAN.rest)
    x, y, z = effectors[0].position
    answer = live.drag((x, y + 0.3, z + 0.2))
    assert answer.ok
    angles = dict(zip(HUMAN.joints, turned(HUMAN, HUMAN.rest, answer.q), strict=True))
    arm = angles["LeftShoulder"] + angles["LeftArm"] + angles["LeftForeArm"]
    back = angles["LowerBack"] + angles["Spine"] + angles["Spine1"]
    assert arm > 1.5 * back
    assert np.abs(HUMAN.positions(answer.q) - HUMAN.positions(HUMAN.rest))[0].max() < 0.03


def test_settings_are_felt():
    slow = Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest, settings={"iterations": 1})
    fast = Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
    target = (0.1, 1.5, 0.5)
    assert slow.drag(target).iterations == 2  # one with the pull, and one without
    assert fast.drag(target).error_of(1)[0] <= 1e-4 * HUMAN.size


def test_two_methods_side_by_side_do_not_disturb_each_other():
    prepare("damped_least_squares")
    effectors = held(HUMAN, FEET)
    alone = Live(HUMAN, effectors, 1, HUMAN.rest)
    solid = Live(HUMAN, effectors, 1, HUMAN.rest)
    ghost = Live(HUMAN, effectors, 1, HUMAN.rest, method="damped_least_squares")
    start = np.array(effectors[0].position)
    for target in walk(np.random.default_rng(1), start, 0.4, 0.02, 40):
        expected = alone.drag(target)
        answer, other = solid.drag(target), ghost.drag(target)
        np.testing.assert_array_equal(answer.q, expected.q)
    assert np.abs(other.q - answer.q).max() > 0.01
    assert other.ok


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Live(HUMAN, held(HUMAN, FEET), 99, HUMAN.rest), "no effector 99"),
        (
            lambda: Live(HUMAN, held(HUMAN, FEET), None, HUMAN.rest).drag((0, 0, 0)),
            "nothing is dra",
        ),
        (lambda: Live(HUMAN, [], None, HUMAN.rest).move(1, (0, 0, 0)), "effector 1 is not held"),
        (lambda: Live(HUMAN, [Effector(1, "Tail")], 1, HUMAN.rest), 'no joint "Tail"'),
        (lambda: Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest[:-1]), "needs 74 values"),
        (lambda: Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest, locked=["Tail"]), 'no joint "Tail"'),
        (lambda: Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest, method="x"), 'no method "x"'),
        (
            lambda: Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest).drag((0.0, math.nan, 0.0)),
            "not finite",
        ),
        (
            lambda: Live(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest).drag(None, (0.0, 0.0, 0.0, 0.0)),
            "zero length",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(make, complaint):
    with pytest.raises(LimbikError, match=complaint):
        make()
    assert issubclass(GoalError, LimbikError)


def test_pinned_feet_stay_flat_where_the_pose_allows_it() -> None:
    human = limbik.figures.human()
    places, rest = human.positions(human.rest), human.frames(human.rest)
    feet = [human.index("LeftFoot"), human.index("RightFoot")]
    effectors = [
        Effector(1, "LeftHand", position=tuple(places[human.index("LeftHand")])),
        *(Effector(k, human.joints[k], mode="pin", position=tuple(places[k])) for k in feet),
    ]
    live = Live(human, effectors, 1, human.rest)
    for part in np.linspace(0.05, 1.0, 30):
        answer = live.drag(places[human.index("LeftHand")] + part * np.array([0.1, -0.7, 0.3]))
    assert answer.status == "REACHED"
    turns = np.swapaxes(rest[feet, :3, :3], 1, 2) @ human.frames(answer.q)[feet, :3, :3]
    tilt = np.degrees(np.arccos((np.trace(turns, axis1=1, axis2=2) - 1.0) / 2.0))
    assert tilt.max() < 5.0  # some 45 without that
