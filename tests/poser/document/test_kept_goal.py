"""Goals without an effector: kept in files, and carried over to other coordinates."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import limbik
from limbik.errors import LimbikError
from limbik.poser.animation.keying import keyed
from limbik.poser.document.coordinate_change import carried
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.editing.session import Session
from limbik.poser.files.pose_file import pose_json
from limbik.poser.files.save import baked

HUMAN = limbik.figures.human()
GOALS = [
    limbik.Plane("Hips", normal=np.array([0.0, 1.0, 0.0]), offset=0.9),
    limbik.Distance("LeftHand", "RightHand", 0.4, at=[0.1, 0, 0]),
    limbik.Rest(weight=np.full(HUMAN.n, 1e-3), pose=HUMAN.rest + 0.1),
    limbik.Reach("LeftFoot", position=[0.1, 0.1, 0.0], weight=[1.0, 2.0, 3.0]),
    limbik.Aim("Head", axis="z", at=[0.0, 1.0, 2.0], weight=[1.0, 2.0, 3.0]),
]


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: type(goal).__name__)
def test_a_goal_comes_back_from_a_file(goal: limbik.Reach) -> None:
    saved = json.loads(json.dumps(KeptGoal.of(7, goal).to_json(), allow_nan=False))
    again = KeptGoal.from_json(saved)
    assert (again.id, again.kind, again.label) == (7, type(goal).__name__, goal.label)
    one, other = (limbik.Problem(HUMAN, [g]) for g in (goal, again.goal))
    q = HUMAN.project(HUMAN.rest + np.random.default_rng(0).normal(0, 0.3, HUMAN.n))
    assert one.objective(q) == other.objective(q) > 0.0


def test_a_function_is_named_and_not_kept() -> None:
    goal = limbik.PythonGoal(lambda figure, q: q[:1], name="level")
    again = KeptGoal.from_json(json.loads(json.dumps(KeptGoal.of(1, goal).to_json())))
    assert (again.label, again.goal) == ("level", None)


def test_a_file_cannot_name_what_is_no_goal() -> None:
    saved = {"id": 1, "kind": "__loader__", "label": "x", "values": {}}
    with pytest.raises(LimbikError, match="no goal is called"):
        KeptGoal.from_json(saved)


def test_rest_is_carried_over_to_other_coordinates(tmp_path: Path) -> None:
    there = HUMAN.with_balls("exponential")
    q = HUMAN.project(HUMAN.rest + np.random.default_rng(1).normal(0, 0.2, HUMAN.n))
    document = Session.of_figure(HUMAN, tmp_path).document
    kept = KeptGoal.of(9, limbik.Rest(pose=q.tolist()))
    (moved,) = carried(replace(document, goals=(kept,)), HUMAN, there).goals
    assert isinstance(moved.goal, limbik.Rest)
    np.testing.assert_allclose(there.frames(moved.goal.pose), HUMAN.frames(q), atol=1e-9)


def test_a_session_saved_without_goals_is_still_read(tmp_path: Path) -> None:
    session = Session.builtin("arm", tmp_path)
    saved = json.loads(json.dumps(session.dump()))
    del saved["document"]["goals"], saved["document"]["floor"]
    document = Session.restore(saved, tmp_path).document
    assert document.goals == ()
    assert document.floor
    del saved["document"]["effectors"]
    with pytest.raises(LimbikError, match="has no effectors"):
        Session.restore(saved, tmp_path)


def test_loaded_effectors_and_goals_have_ids_of_their_own(tmp_path: Path) -> None:
    session = Session.of_figure(
        HUMAN, tmp_path, effectors=(), goals=[KeptGoal.of(1, limbik.Rest())]
    )
    other = Session.builtin("human", tmp_path / "other")
    pose = pose_json(HUMAN, other.document.q, other.document.effectors)
    session.greeting()
    session.receive(json.dumps({"id": 1, "do": "pose.load", "pose": pose}))
    ids = [one.id for one in (*session.document.effectors, *session.document.goals)]
    assert len(ids) == len(set(ids)) == 7
    assert max(ids) < session.document.next_id


def test_frames_between_keys_meet_it_on_the_page_and_in_files(tmp_path: Path) -> None:
    hands = limbik.Distance("LeftHand", "RightHand", 0.4)
    session = Session.of_figure(HUMAN, tmp_path, effectors=(), goals=[KeptGoal.of(1, hands)])
    timeline = Timeline(frames=41)
    for frame, place in ((0, [0.5, 0.9, 0.2]), (40, [-0.2, 1.6, 0.3])):
        found = limbik.solve(HUMAN, [limbik.Reach("LeftHand", position=place), hands])
        timeline = keyed(HUMAN, timeline, frame, found.q, ())
    session.document = replace(session.document, timeline=timeline)
    session.greeting()
    session.show(20.0)
    asked = session.receive(json.dumps({"id": 1, "do": "frames", "frames": [20.0]}))
    told = [message for message in asked if isinstance(message, bytes)][-1]
    joints = len(HUMAN.joints)  # at the end are a position and a rotation of each
    page = np.frombuffer(told[-4 * 7 * joints :], "<f4")[: 3 * joints].reshape(joints, 3)
    for at in (HUMAN.positions(session.document.q), HUMAN.positions(baked(session).q[20]), page):
        left, right = at[HUMAN.index("LeftHand")], at[HUMAN.index("RightHand")]
        assert np.linalg.norm(left - right) == pytest.approx(0.4, abs=3e-4)
