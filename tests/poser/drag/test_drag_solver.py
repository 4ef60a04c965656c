"""Drags: targets met, pins held, limits kept, the way back the same as the way there, no flips."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from helpers.poser.dragged import FEET, HUMAN, SIX, held, turned, walk
from limbik import Figure, Joint, Problem, Range, Status
from limbik.figure import joints as jt
from limbik.methods.base import SPENT, STUCK
from limbik.poser.document.effector import Effector
from limbik.poser.drag.answer import build_answer
from limbik.poser.drag.drag_solver import DragSolver

# ---- meeting targets ----------------------------------------------------------------------------


def test_a_drag_meets_its_target_and_keeps_the_pins():
    effectors = held(HUMAN, FEET)
    live = DragSolver(HUMAN, effectors, 1, HUMAN.rest)
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
    live = DragSolver(HUMAN, effectors, 1, HUMAN.rest)
    answer = live.drag((2.0, 1.0, 0.0))
    assert answer.ok
    np.testing.assert_array_equal(answer.goals[:, 0], [1])
    nothing = DragSolver(HUMAN, effectors, None, HUMAN.rest)
    for told in (nothing.solve(), nothing.finish(), nothing.report_pose()):
        assert told.status is None
        assert told.goals.shape == (0, 11)
        np.testing.assert_array_equal(told.q, HUMAN.rest)


def test_looking_solves_nothing():
    live = DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
    live.move(1, (0.5, 1.0, 0.3))
    seen = live.report_pose()
    assert seen.status is None
    np.testing.assert_array_equal(seen.q, HUMAN.rest)
    here = HUMAN.positions(HUMAN.rest)[HUMAN.index("LeftHand")]
    assert seen.error_of(1)[0] == pytest.approx(math.dist(here, (0.5, 1.0, 0.3)), rel=1e-12)
    assert not seen.ok
    assert math.isnan(seen.error_of(99)[0])


def test_an_orientation_becomes_a_goal_when_it_is_first_given():
    live = DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
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
        answer = DragSolver(HUMAN, effectors, dragged, HUMAN.rest).drag(
            target, (1.0, 0.0, 0.0, 0.0)
        )
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
    live = DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest, locked=locked)
    answer = live.drag((0.3, 1.3, 0.4))
    assert answer.ok
    for joint in locked:
        own = HUMAN.coordinates_of(joint)
        np.testing.assert_array_equal(answer.q[own], HUMAN.rest[own])
    assert np.abs(answer.q - HUMAN.rest).max() > 0.1


def test_two_answers_do_not_share_their_pose():
    live = DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
    first = live.drag((0.3, 1.3, 0.4))
    kept = first.q.copy()
    live.drag((0.5, 1.0, 0.2))
    np.testing.assert_array_equal(first.q, kept)


# ---- out of reach -------------------------------------------------------------------------------


@pytest.mark.parametrize("away", [0.3, 1.0, 4.0, 1e3, 2e6])
def test_pins_hold_when_the_hand_cannot_follow(away):
    live = DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
    start = np.array(held(HUMAN, FEET)[0].position)
    target = start + (0.9 + away) * np.array([0.8, 0.6, 0.0])
    for share in np.linspace(0.1, 1.0, 10):
        answer = live.drag(start + share * (target - start))
    answer = live.finish()
    assert answer.status in (Status.LIMITED, Status.HELD, Status.OUT_OF_REACH)
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
        live = DragSolver(elbow, held(elbow, ["Lower"]), 1, elbow.rest)
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
    live = DragSolver(ball, held(ball, ["Ball"]), 1, ball.rest)
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
    live = DragSolver(HUMAN, effectors, 1, q)
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
    live = DragSolver(HUMAN, effectors, 1, HUMAN.rest)
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
        live = DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
        for share in np.linspace(0.0, 1.0, 30):
            live.drag(start + share * np.array(detour))
        for share in np.linspace(0.0, 1.0, 60):
            live.drag(start + (1 - share) * np.array(detour) + share * (target - start))
        poses.append(live.q)
    assert turned(HUMAN, *poses).max() < 1.0
    assert turned(HUMAN, HUMAN.rest, poses[0]).max() > 5.0


def test_beginning_again_stays_near_the_new_pose():
    q = DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest).drag((0.1, 1.5, 0.4)).q
    assert turned(HUMAN, HUMAN.rest, q).max() > 15.0
    feet = held(HUMAN, FEET[1:])
    live = DragSolver(HUMAN, feet, None, HUMAN.rest)
    live.begin(q)
    x, y, z = feet[0].position
    live.move(1, (x + 0.05, y, z))
    answer = live.solve()
    assert answer.ok
    assert answer.error_of(1)[0] < 1e-4 * HUMAN.size
    assert turned(HUMAN, q, answer.q).max() < 10.0
    live.move(1, (x, y, z))
    assert turned(HUMAN, q, live.solve().q).max() < 0.5


def test_pinned_feet_stay_flat_where_the_pose_allows_it() -> None:
    human = limbik.figures.human()
    places, rest = human.positions(human.rest), human.frames(human.rest)
    feet = [human.index("LeftFoot"), human.index("RightFoot")]
    effectors = [
        Effector(1, "LeftHand", position=tuple(places[human.index("LeftHand")])),
        *(Effector(k, human.joints[k], mode="pin", position=tuple(places[k])) for k in feet),
    ]
    live = DragSolver(human, effectors, 1, human.rest)
    for part in np.linspace(0.05, 1.0, 30):
        answer = live.drag(places[human.index("LeftHand")] + part * np.array([0.1, -0.7, 0.3]))
    assert answer.status == "REACHED"
    turns = np.swapaxes(rest[feet, :3, :3], 1, 2) @ human.frames(answer.q)[feet, :3, :3]
    tilt = np.degrees(np.arccos((np.trace(turns, axis1=1, axis2=2) - 1.0) / 2.0))
    assert tilt.max() < 5.0  # some 45 without that


def test_a_step_that_ends_with_its_budget_says_that_the_next_goes_on() -> None:
    problem = Problem(HUMAN, limbik.Reach("LeftHand", position=[0.4, 1.2, 0.3]))
    spent = build_answer(problem, [], HUMAN.rest, SPENT, kept=[-1])
    assert spent.status is Status.STALLED
    assert re.fullmatch(r"LeftHand is [\d.]+ c?m short so far; .* goes on", spent.why)
    assert spent.is_following
    last = build_answer(problem, [], HUMAN.rest, SPENT, kept=[-1], is_last=True)
    assert last.status is Status.STALLED
    assert not last.is_following
    assert "goes on" not in last.why
    stuck = build_answer(problem, [], HUMAN.rest, STUCK, kept=[-1])
    assert "the method finds no way on; choose another method" in stuck.why
