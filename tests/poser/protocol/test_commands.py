"""Commands one by one: what each does to the document, and what the page is told."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.poser.poser_talk import Talk, moved
from limbik.poser.document.coordinate_change import across
from limbik.poser.editing.session import Session
from limbik.poser.files.pose_file import pose_json
from limbik.poser.protocol.commands import COMMANDS


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.builtin("human", tmp_path)


def test_every_command_of_the_design_is_there() -> None:
    wanted = """grab drop effector.add effector.remove effector.set lock coordinate.set limit.cone
    coordinates.drop limit.set limit.reset limits.humanoid limits.none limits.clip limits.file
    method.set compare.set pose.reset pose.mirror pose.store pose.recall pose.rename pose.delete
    pose.set pose.load goal.remove builtin open clip.choose timeline.set key.insert key.move
    key.copy key.delete key.set clip.remove frames undo redo
    offer.search offer.take offer.refuse hand.shape hand.curl hand.palm
    library.list library.store library.take library.rename library.delete
    unkeyed.drop
    retarget.onto retarget.motion retarget.again task.cancel
    contacts.find contact.add contact.set contact.delete contacts.hold contacts.plant
    samples key.ease key.value key.flip symmetric
    joint.turn limb.fk look.camera figure.add figure.activate figure.remove
    floor balance collisions body prop.add prop.open prop.remove prop.set prop.hold
    """
    assert set(COMMANDS) == set(wanted.split())


def test_the_page_is_answered_in_order(talk: Talk) -> None:
    talk.do("lock", joint=3, on=True)
    assert talk.kinds == ["reply", "state", "pose"]
    talk.do("builtin", name="hand")
    assert talk.kinds == ["reply", "figure", "state", "pose"]
    talk.do("frames", frames=[0.0, 1.0])
    assert talk.kinds == ["reply", "state", "pose", "frames"]


# ---- effectors ----------------------------------------------------------------------------------


def test_an_effector_is_added_where_its_joint_is_and_removed(talk: Talk) -> None:
    reply = talk.do("effector.add", joint=talk.joint("LeftForeArm"), at=[0.1, 0.0, 0.0])
    assert talk.state["undo"] == "Add LeftForeArm"
    new = talk.effector("LeftForeArm")
    assert (new.id, new.mode) == (reply["effector"], "free")
    frame = talk.session.figure.frames(talk.session.document.q)[talk.joint("LeftForeArm")]
    assert new.position == pytest.approx(frame[:3, :3] @ [0.1, 0.0, 0.0] + frame[:3, 3])
    assert new.axis == pytest.approx((1.0, 0.0, 0.0))  # along the bone
    assert (
        "already"
        in talk.ask("effector.add", joint=talk.joint("LeftForeArm"), at=[0.1, 0, 0])["error"]
    )
    talk.do("effector.remove", effector=new.id)
    assert talk.state["undo"] == "Remove LeftForeArm"
    assert len(talk.state["effectors"]) == 6
    talk.do("effector.add", joint=talk.joint("Spine"))
    assert talk.effector("Spine").id == new.id + 1  # ids are not used again


def test_a_pin_holds_where_the_effector_is(talk: Talk) -> None:
    hand = talk.effector("RightHand")
    talk.do("effector.set", effector=hand.id, mode="pin")
    assert talk.state["undo"] == "Pin RightHand"
    before = talk.position("RightHand")
    left = talk.effector("LeftHand")
    talk.drag(left.id, moved(left, 0.2, 0.3, 0.3))
    talk.do("drop")
    assert talk.position("RightHand") == pytest.approx(before, abs=2e-4)
    talk.do("effector.set", effector=hand.id, mode="free")
    assert talk.state["undo"] == "Free RightHand"
    talk.drag(left.id, moved(left, 0.4, 0.5, 0.5))
    assert np.linalg.norm(talk.position("RightHand") - before) > 0.01


def test_an_aim_points_at_its_target(talk: Talk) -> None:
    head = talk.effector("Head")
    talk.do("effector.set", effector=head.id, mode="aim")
    frame = talk.session.figure.frames(talk.session.document.q)[talk.joint("Head")]
    at = np.array(talk.effector("Head").at)  # between the eyes
    ahead = np.array(talk.effector("Head").position) - (frame[:3, :3] @ at + frame[:3, 3])
    assert ahead / np.linalg.norm(ahead) == pytest.approx([0, 0, 1], abs=1e-9)
    talk.do("effector.set", effector=head.id, position=[1.0, 1.5, 2.0])
    frame = talk.session.figure.frames(talk.session.document.q)[talk.joint("Head")]
    to = np.array([1.0, 1.5, 2.0]) - (frame[:3, :3] @ at + frame[:3, 3])
    looks = frame[:3, :3] @ np.array(head.axis)
    assert math.acos(float(looks @ to) / float(np.linalg.norm(to))) < 1e-3
    assert talk.pose is not None
    row = next(row for row in talk.pose.goals if int(row[0]) == head.id)
    assert row[3] == 1.0
    assert row[2] < 1e-3


def test_a_typed_target_is_solved_for(talk: Talk) -> None:
    hand = talk.effector("LeftHand")
    target = moved(hand, 0.05, 0.3, 0.2)
    talk.do("effector.set", effector=hand.id, position=target)
    assert talk.position("LeftHand") == pytest.approx(target, abs=2e-4)
    assert talk.pose is not None
    assert talk.pose.status == 0
    far = moved(hand, 4.0)
    talk.do("effector.set", effector=hand.id, position=far)
    assert talk.effector("LeftHand").position == pytest.approx(far)


def test_weights_are_kept_and_a_dragged_slider_is_one_step(talk: Talk) -> None:
    foot = talk.effector("LeftFoot")
    for weight in (2.0, 3.0, 4.0):
        talk.do("effector.set", effector=foot.id, weight=weight)
    talk.do("effector.set", effector=foot.id, rotation_weight=0.5)
    assert talk.effector("LeftFoot").weight == 4.0
    assert [step.label for step in talk.session.history.past] == ["Weigh LeftFoot"] * 2
    talk.do("undo")
    talk.do("undo")
    assert talk.effector("LeftFoot") == foot


def test_an_axis_becomes_a_unit_vector(talk: Talk) -> None:
    head = talk.effector("Head")
    talk.do("effector.set", effector=head.id, axis=[0.0, 3.0, 4.0])
    assert talk.effector("Head").axis == pytest.approx((0.0, 0.6, 0.8))


# ---- joints -------------------------------------------------------------------------------------


def test_a_locked_joint_keeps_its_values(talk: Talk) -> None:
    figure = talk.session.figure
    talk.do("lock", joint=talk.joint("LeftForeArm"), on=True)
    assert talk.state["undo"] == "Lock LeftForeArm"
    assert talk.state["locked"] == [talk.joint("LeftForeArm")]
    here = figure.coordinates_of("LeftForeArm")
    before, hand = talk.session.document.q[here], talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, 0.0, 0.4, 0.3))
    assert np.array_equal(talk.session.document.q[here], before)
    talk.do("lock", joint=talk.joint("LeftForeArm"), on=False)
    assert talk.state["undo"] == "Unlock LeftForeArm"
    talk.do("lock", joint=talk.joint("LeftForeArm"), on=False)
    assert len(talk.session.history.past) == 3  # what changes nothing is no step


def test_a_slider_moves_its_coordinate_and_the_feet_stay(talk: Talk) -> None:
    figure = talk.session.figure
    height = figure.coordinates.index("Hips.ty")
    feet = talk.position("LeftFoot"), talk.position("RightFoot")
    start = talk.session.document
    for value in (-0.05, -0.1, -0.15):
        talk.do("coordinate.set", coordinate=height, value=value)
        assert talk.session.document.q[height] == value
    for before, foot in zip(feet, ("LeftFoot", "RightFoot"), strict=True):
        assert talk.position(foot) == pytest.approx(before, abs=2e-4)
    knee = figure.coordinates.index("LeftLeg.rx")
    assert talk.session.document.q[knee] > start.q[knee] + 0.3
    talk.do("coordinates.drop")
    assert talk.state["undo"] == "Bend Hips"
    talk.do("undo")
    assert talk.session.document is start


def test_a_slider_stops_at_the_limit(talk: Talk) -> None:
    figure = talk.session.figure
    elbow = figure.coordinates.index("LeftForeArm.ry")
    talk.do("coordinate.set", coordinate=elbow, value=50.0)
    assert talk.session.document.q[elbow] == pytest.approx(figure.upper[elbow])
    swing = figure.coordinates.index("LeftArm.swing1")
    talk.do("coordinate.set", coordinate=swing, value=50.0)
    assert figure.violation(talk.session.document.q) == 0.0
    talk.do("drop")
    assert len(talk.session.history.past) == 2  # one a joint


# ---- limits -------------------------------------------------------------------------------------


def test_a_range_is_set_and_the_pose_follows(talk: Talk) -> None:
    joint = talk.joint("LeftForeArm")
    c = talk.session.figure.coordinates_of("LeftForeArm")
    limit = {"kind": "range", "lower": [0.5, -0.2], "upper": [1.0, None]}
    talk.do("limit.set", joint=joint, limit=limit)
    assert talk.state["undo"] == "Limit LeftForeArm"
    assert talk.state["limits"][joint] == limit
    assert talk.state["edited"] == [joint]
    assert talk.session.document.q[c[0]] == pytest.approx(0.5)
    assert np.isinf(talk.session.figure.upper[c[1]])
    talk.do("limit.reset", joint=joint)
    assert talk.state["edited"] == []
    own = limbik.figures.human().definition[joint].limit
    assert talk.session.figure.definition[joint].limit == own


def test_a_cone_is_set(talk: Talk) -> None:
    joint = talk.joint("LeftArm")
    limit = {"kind": "cone", "swing": [1.2, 1.1], "center": [-0.3, -0.2], "twist": [-0.1, None]}
    talk.do("limit.set", joint=joint, limit=limit)
    assert talk.state["limits"][joint] == limit
    assert talk.session.figure.violation(talk.session.document.q) == 0.0


def test_limits_dragged_by_a_handle_are_one_step(talk: Talk) -> None:
    joint = talk.joint("LeftToeBase")
    for k in range(5):
        limit = {"kind": "range", "lower": [-0.1 * k], "upper": [0.5]}
        talk.do("limit.set", joint=joint, limit=limit)
    assert len(talk.session.history.past) == 1


def test_no_limits_and_back_to_those_of_the_file(talk: Talk) -> None:
    talk.do("limits.none")
    assert not any(talk.state["limits"])
    assert len(talk.state["edited"]) == sum(
        joint.limit is not None for joint in limbik.figures.human().definition
    )
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, -0.3, 0.2, -0.6))
    talk.do("limits.file")
    assert talk.state["edited"] == []
    assert limbik.figures.human().violation(talk.session.document.q) == 0.0


def test_limits_from_a_clip(tmp_path: Path) -> None:
    talk = Talk.builtin("cartwheel", tmp_path)
    talk.do("limits.clip", margin=0.0)
    clip, toes = limbik.figures.cartwheel(), talk.joint("LeftToeBase")
    (c,) = talk.session.figure.coordinates_of("LeftToeBase")
    limit = talk.state["limits"][toes]
    assert limit["lower"] == pytest.approx([clip.q[:, c].min()])
    assert limit["upper"] == pytest.approx([clip.q[:, c].max()])
    assert "0 to 180" in talk.ask("limits.clip", margin=-1.0)["error"]


def test_anatomical_limits_keep_the_pose_the_keys_and_the_clip(tmp_path: Path) -> None:
    """A body of Euler angles without limits, as BVH files have it."""
    human = limbik.figures.human()
    bare = human.with_limits(dict.fromkeys(human.joints)).with_balls("euler")
    clip = limbik.Motion(bare, across(human, bare, limbik.figures.cartwheel().q), 120.0)
    talk = Talk(Session.of_figure(bare, tmp_path, motions=[clip[::20]]))
    assert talk.state["advice"]["button"] == "Use anatomical limits"
    assert talk.state["advice"]["command"] == "limits.humanoid"
    talk.scrub(5.0)
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, y=0.1))
    talk.do("drop")
    talk.do("pose.store", name="here")
    document, session = talk.session.document, talk.session
    shown = {frame: talk.scrub(frame).positions.copy() for frame in (0.0, 4.0, 5.0, 7.0)}
    talk.scrub(5.0)
    old = talk.figure["id"]
    talk.do(talk.state["advice"]["command"], **talk.state["advice"]["args"])
    assert talk.state["undo"] == "Anatomical limits"
    assert talk.state["advice"] is None
    assert talk.figure["id"] != old
    shoulder = talk.figure["joints"][talk.joint("LeftArm")]
    assert shoulder["parts"][0]["kind"] == "swing-twist"
    assert talk.state["limits"][talk.joint("LeftArm")]["kind"] == "cone"
    # The root still turns all the way round.
    assert [part["kind"] for part in talk.figure["joints"][0]["parts"]] == ["slide"] * 3 + [
        "turn"
    ] * 3
    size = session.figure.size
    for frame, before in shown.items():
        # Anatomical limits may hold a joint back a little.
        assert np.abs(talk.scrub(frame).positions - before).max() < 0.04 * size
    (stored,) = session.document.poses
    free = session.figure_cache.plain(session.document.source, "swing-twist")
    assert np.allclose(free.positions(stored.q), bare.positions(document.poses[0].q), atol=1e-9)
    talk.do("undo")
    assert talk.figure["id"] == old
    assert talk.state["advice"] is not None
    assert np.array_equal(session.document.timeline.keys[0].pose, document.timeline.keys[0].pose)  # type: ignore[arg-type]


def test_anatomical_limits_need_a_body(tmp_path: Path) -> None:
    talk = Talk.builtin("spider", tmp_path)
    assert "not known as a body" in talk.ask("limits.humanoid")["error"]


# ---- methods ------------------------------------------------------------------------------------


def test_another_method_with_settings(talk: Talk) -> None:
    talk.do("method.set", name="damped_least_squares", settings={"iterations": 40})
    assert talk.state["method"] == {"name": "damped_least_squares", "settings": {"iterations": 40}}
    assert talk.state["undo"] == "Use damped_least_squares"
    hand = talk.effector("LeftHand")
    for _ in range(20):
        talk.drag(hand.id, moved(hand, 0.0, 0.1, 0.1))
    assert talk.position("LeftHand") == pytest.approx(moved(hand, 0.0, 0.1, 0.1), abs=0.01)
    assert talk.session.figure.violation(talk.session.document.q) == 0.0
    talk.do("builtin", name="hand")
    assert talk.state["method"]["name"] == "damped_least_squares"  # it stays with the person


# ---- poses --------------------------------------------------------------------------------------


def test_poses_are_stored_recalled_renamed_and_deleted(talk: Talk) -> None:
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, y=0.3))
    talk.do("drop")
    q = talk.session.document.q
    stored = talk.do("pose.store", name="  up   there ")["pose"]
    assert talk.state["poses"] == [{"id": stored, "name": "up there"}]
    talk.do("pose.reset")
    assert np.array_equal(talk.session.document.q, talk.session.figure.rest)
    assert talk.effector("LeftFoot").position == pytest.approx(talk.position("LeftFoot"))
    talk.do("pose.recall", pose=stored)
    assert talk.state["undo"] == "Recall up there"
    assert np.array_equal(talk.session.document.q, q)
    talk.do("pose.rename", pose=stored, name="high")
    assert talk.state["poses"] == [{"id": stored, "name": "high"}]
    talk.do("pose.delete", pose=stored)
    assert talk.state["undo"] == "Delete high"
    assert talk.state["poses"] == []
    assert talk.do("pose.store", name="")["pose"] != stored
    assert talk.state["poses"][0]["name"] == "Pose 1"


def test_a_pose_by_its_numbers_is_brought_inside_the_limits(talk: Talk) -> None:
    talk.do("pose.set", q=[5.0] * 74)
    assert talk.session.figure.violation(talk.session.document.q) == 0.0
    assert talk.session.document.q[0] == 5.0
    assert talk.effector("LeftFoot").position == pytest.approx(talk.position("LeftFoot"))


def test_a_saved_pose_is_loaded(talk: Talk) -> None:
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, y=0.3))
    talk.do("drop")
    document = talk.session.document
    saved = pose_json(talk.session.figure, document.q, document.effectors)
    talk.do("pose.reset")
    talk.do("pose.load", pose=json.loads(json.dumps(saved)))
    assert np.allclose(talk.session.document.q, document.q, atol=1e-12)
    assert talk.effector("LeftFoot").mode == "pin"
    assert "format" in talk.ask("pose.load", pose={"q": [1]})["error"]


# ---- time ---------------------------------------------------------------------------------------


def test_keys_hold_pinned_feet_between_two_poses(talk: Talk) -> None:
    talk.do("key.insert", frame=0, pose=True, goals=True)
    talk.scrub(20.0)
    hips = talk.effector("Hips")
    talk.drag(hips.id, moved(hips, 0.0, -0.25, 0.0))
    talk.do("key.insert", frame=20, pose=True, goals=True)
    assert [key["frame"] for key in talk.state["timeline"]["keys"]] == [0, 20]
    foot = talk.position("LeftFoot")
    heights = []
    for frame in (0.0, 5.0, 10.0, 15.0, 20.0):
        pose = talk.scrub(frame)
        heights.append(float(pose.positions[0, 1]))
        assert pose.positions[talk.joint("LeftFoot")] == pytest.approx(foot, abs=5e-4)
    assert heights == sorted(heights, reverse=True)
    assert heights[0] - heights[-1] == pytest.approx(0.25, abs=1e-3)
    assert talk.session.history.undo_label == "Insert a key at frame 20"


def test_undo_returns_to_the_frame_of_the_step(talk: Talk) -> None:
    talk.do("key.insert", frame=0, pose=True, goals=False)
    talk.scrub(30.0)
    talk.do("pose.store", name="a")
    talk.scrub(60.0)
    talk.do("undo")
    assert talk.state["timeline"]["frame"] == 30.0
