"""Sessions by real messages: the greeting, drags, and the timeline."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.poser.poser_talk import Talk, moved
from limbik.poser.files.default_document import default_effectors


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.builtin("human", tmp_path)


# ---- greeting -----------------------------------------------------------------------------------


def test_the_greeting_tells_all_that_the_page_types_say(talk: Talk) -> None:
    assert talk.kinds == ["hello", "figure", "state", "pose"]
    assert set(talk.hello) == {
        "session", "version", "builtin", "methods", "largest", "opens", "preparing",
    }  # fmt: skip
    assert talk.hello["session"] == talk.session.id
    assert {"human", "cartwheel", "spider"} <= set(talk.hello["builtin"])
    assert {".bvh", ".glb", ".urdf", ".amc"} <= set(talk.hello["opens"])
    assert set(talk.figure) == {
        "id", "name", "unit", "up", "size", "floor", "joints", "coordinates", "bones", "mesh",
        "clips", "file", "builtin", "mirrors", "limbs",
    }  # fmt: skip
    assert (talk.figure["builtin"], talk.figure["up"], talk.figure["mirrors"]) == (
        "human", "y", True,
    )  # fmt: skip
    assert talk.figure["floor"] == pytest.approx(0.0, abs=0.005)
    assert set(talk.state) == {
        "revision", "figure", "effectors", "locked", "fk", "limits", "edited", "method", "compare",
        "timeline", "poses", "undo", "redo", "advice", "goals", "offer", "scene", "origin",
        "symmetric",
        "hands", "name", "others",
    }  # fmt: skip
    assert set(talk.state["effectors"][0]) == {
        "id", "joint", "name", "at", "mode", "position", "wxyz", "weight", "rotation_weight",
        "axis", "look", "placed",
    }  # fmt: skip
    assert set(talk.state["timeline"]) == {
        "fps", "frames", "frame", "loop", "span", "ease", "auto_key", "keys", "clip",
        "unkeyed", "contacts",
    }  # fmt: skip
    assert len(talk.state["limits"]) == len(talk.figure["joints"]) == 31
    assert talk.state["advice"] is None
    assert talk.pose is not None
    human = limbik.figures.human()
    assert np.allclose(talk.pose.positions, human.positions(human.rest), atol=1e-6)


def test_a_body_starts_with_hands_feet_head_and_hips(talk: Talk) -> None:
    modes = {e["name"]: e["mode"] for e in talk.state["effectors"]}
    assert modes == {
        "LeftHand": "free", "RightHand": "free", "LeftFoot": "pin", "RightFoot": "pin",
        "Head": "free", "Hips": "free",
    }  # fmt: skip
    for effector in talk.state["effectors"]:
        assert effector["position"] == pytest.approx(talk.position(effector["name"]))
    assert talk.effector("Head").axis == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("name", "effectors"),
    [
        ("arm", {"free": 1}),
        ("hand", {"free": 5}),
        ("spider", {"free": 1, "pin": 8}),  # it stands on its feet
        ("chain", {"free": 1}),
        ("leg", {"free": 1}),
        ("cartwheel", {"free": 4, "pin": 2}),
    ],
)
def test_other_figures_start_with_the_ends_of_their_chains(
    tmp_path: Path, name: str, effectors: dict[str, int]
) -> None:
    talk = Talk.builtin(name, tmp_path)
    modes = [e["mode"] for e in talk.state["effectors"]]
    assert {mode: modes.count(mode) for mode in set(modes)} == effectors


@pytest.mark.filterwarnings("ignore:erd_(talos|panda):UserWarning")
def test_ends_are_spread_over_a_robot() -> None:
    talos = limbik.load(real_data.find("robots/erd_talos_full_v2.urdf"))
    names = " ".join(effector.joint for effector in default_effectors(talos))
    for part in ("arm_left", "arm_right", "leg_left", "leg_right", "head"):  # it is a body
        assert part in names
    panda = limbik.load(real_data.find("robots/erd_panda.urdf"))
    assert "hand" in " ".join(effector.joint for effector in default_effectors(panda))


def test_a_free_end_is_at_the_tip_of_its_bone(tmp_path: Path) -> None:
    talk = Talk.builtin("hand", tmp_path)
    joint, offset = limbik.figures.FINGERTIPS["Index"]
    assert talk.effector(joint).at == offset


# ---- drags --------------------------------------------------------------------------------------


def test_a_drag_moves_the_hand_and_stays_inside_limits_with_the_feet_put(talk: Talk) -> None:
    figure, hand = talk.session.figure, talk.effector("LeftHand")
    feet = talk.position("LeftFoot"), talk.position("RightFoot")
    target = moved(hand, 0.1, 0.4, 0.3)
    for k in range(1, 11):
        at = [a + (b - a) * k / 10 for a, b in zip(hand.position, target, strict=True)]
        pose = talk.drag(hand.id, at)
        assert pose.sequence == talk.sequence
        assert figure.violation(talk.session.document.q) == 0.0
    assert talk.kinds == ["pose"]
    assert pose.status == 0
    assert talk.position("LeftHand") == pytest.approx(target, abs=2e-4)
    assert pose.positions[talk.joint("LeftHand")] == pytest.approx(target, abs=2e-4)
    for before, foot in zip(feet, ("LeftFoot", "RightFoot"), strict=True):
        assert talk.position(foot) == pytest.approx(before, abs=2e-4)
    rows = {int(row[0]): row for row in pose.goals}
    assert set(rows) == {hand.id, talk.effector("LeftFoot").id, talk.effector("RightFoot").id}
    assert rows[hand.id][3] == 1.0
    assert rows[hand.id][4:7] == pytest.approx(target, abs=1e-6)


def test_a_whole_drag_is_one_step(talk: Talk) -> None:
    start, hand = talk.session.document, talk.effector("LeftHand")
    talk.do("grab", effector=hand.id)
    for k in range(5):
        talk.drag(hand.id, moved(hand, 0.02 * k, 0.02 * k))
    talk.do("drop")
    assert talk.state["undo"] == "Move LeftHand"
    assert len(talk.session.history.past) == 1
    after = talk.session.document
    talk.do("undo")
    assert talk.session.document is start
    assert (talk.state["undo"], talk.state["redo"]) == (None, "Move LeftHand")
    talk.do("redo")
    assert talk.session.document is after


def test_a_grab_that_moves_nothing_is_no_step(talk: Talk) -> None:
    talk.do("grab", effector=talk.effector("Head").id)
    talk.do("drop")
    assert talk.state["undo"] is None


def test_a_free_effector_keeps_its_target_until_something_else_is_done(talk: Talk) -> None:
    hand = talk.effector("LeftHand")
    far = moved(hand, 3.0, 0.0)
    pose = talk.drag(hand.id, far)
    assert pose.status in (1, 2)
    assert "LeftHand is" in pose.why
    talk.do("drop")
    assert talk.effector("LeftHand").position == pytest.approx(far)
    assert talk.pose is not None
    assert "LeftHand is" in talk.pose.why
    talk.do("lock", joint=talk.joint("Head"), on=True)
    assert talk.effector("LeftHand").position == pytest.approx(talk.position("LeftHand"))


def test_limits_that_hold_back_are_told(talk: Talk) -> None:
    head = talk.effector("Head")
    talk.do("lock", joint=talk.joint("Hips"), on=True)
    for k in range(1, 16):
        pose = talk.drag(head.id, moved(head, 0.0, -0.06 * k, -0.06 * k))
    assert pose.status == 1
    assert len(pose.limits) > 0
    assert pose.limits[0, 3] == 1.0
    assert pose.limits[:, 0].max() < 31


def test_turning_an_effector_makes_an_orientation_goal(talk: Talk) -> None:
    hand = talk.effector("LeftHand")
    turn = (math.cos(0.2), 0.0, 0.0, math.sin(0.2))
    frames = talk.session.figure.frames(talk.session.document.q)
    now = frames[talk.joint("LeftHand"), :3, :3]
    assert hand.wxyz is None
    pose = talk.drag(hand.id, None, turn)
    talk.do("drop")
    assert talk.state["undo"] == "Turn LeftHand"
    assert talk.effector("LeftHand").wxyz == pytest.approx(turn)
    after = talk.session.figure.frames(talk.session.document.q)[talk.joint("LeftHand"), :3, :3]
    assert np.abs(after - now).max() > 0.05
    row = next(row for row in pose.goals if int(row[0]) == hand.id)
    assert row[7:11] == pytest.approx(turn)
    talk.do("effector.set", effector=hand.id, wxyz=None)
    assert talk.effector("LeftHand").wxyz is None


def test_dragging_another_effector_ends_the_first_drag(talk: Talk) -> None:
    left, right = talk.effector("LeftHand"), talk.effector("RightHand")
    talk.drag(left.id, moved(left, y=0.1))
    talk.drag(right.id, moved(right, y=0.1))
    talk.do("drop")
    assert [s.label for s in talk.session.history.past] == ["Move LeftHand", "Move RightHand"]


def test_any_other_command_ends_a_drag(talk: Talk) -> None:
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, y=0.1))
    talk.do("frames", frames=[0.0])
    assert talk.session.gesture is not None
    talk.do("lock", joint=3, on=True)
    assert talk.session.gesture is None
    assert [s.label for s in talk.session.history.past] == ["Move LeftHand", "Lock LeftLeg"]


def test_a_drag_of_what_is_gone_is_answered_with_a_note(talk: Talk) -> None:
    before = talk.session.document
    pose = talk.drag(999, [0.0, 0.0, 0.0])
    assert pose.sequence == talk.sequence
    assert talk.notes == ["There is no effector 999 any more."]
    assert talk.session.document is before


def test_two_methods_side_by_side(talk: Talk) -> None:
    talk.do("compare.set", name="jacobian_transpose", settings={"iterations": 5})
    assert talk.state["compare"] == {"name": "jacobian_transpose", "settings": {"iterations": 5}}
    hand = talk.effector("LeftHand")
    pose = talk.drag(hand.id, moved(hand, 0.1, 0.3, 0.2))
    assert pose.ghost is not None
    joints = len(talk.figure["joints"])
    ghost = pose.ghost[: 3 * joints].reshape(-1, 3)[talk.joint("LeftHand")]
    assert np.isfinite(pose.ghost).all()
    solid = pose.positions[talk.joint("LeftHand")]
    assert np.linalg.norm(ghost - solid) > 1e-4  # five small steps do not reach
    talk.do("drop")
    talk.do("compare.set", name=None, settings={})
    assert talk.drag(hand.id, moved(hand, 0.1)).ghost is None


# ---- in time ------------------------------------------------------------------------------------


def test_scrubbing_shows_the_clip_and_is_no_step(tmp_path: Path) -> None:
    talk = Talk.builtin("cartwheel", tmp_path)
    clip = limbik.figures.cartwheel()
    assert talk.state["timeline"]["clip"] == "cartwheel"
    assert talk.state["timeline"]["frames"] == clip.frames
    pose = talk.scrub(300.0)
    assert pose.frame == 300.0
    assert np.allclose(pose.q, clip.q[300], atol=1e-6)
    assert talk.session.history.undo_label is None
    rows = {int(row[0]): row for row in pose.goals}
    foot = talk.effector("LeftFoot")
    assert rows[foot.id][4:7] == pytest.approx(
        clip.positions()[300, talk.joint("LeftFoot")], abs=1e-5
    )
    dirty = talk.session.dirty
    talk.scrub(301.0, playing=True)
    assert talk.session.dirty == dirty
    talk.scrub(1e8)
    assert talk.session.document.frame == clip.frames - 1


def test_a_drag_over_a_clip_is_an_edit_that_fades(tmp_path: Path) -> None:
    talk = Talk.builtin("cartwheel", tmp_path)
    talk.do("timeline.set", span=20)
    talk.scrub(100.0)
    hand = talk.effector("LeftHand")
    target = moved(hand, y=0.15)
    talk.drag(hand.id, target)
    talk.do("drop")
    assert [key["frame"] for key in talk.state["timeline"]["keys"]] == [100]
    clip, figure = limbik.figures.cartwheel(), talk.session.figure

    def away(frame: float) -> float:
        talk.scrub(frame)
        own = figure.positions(clip.q[int(frame)])[talk.joint("LeftHand")]
        return float(np.linalg.norm(talk.position("LeftHand") - own))

    assert away(100) == pytest.approx(0.15, abs=1e-3)
    assert 0.03 < away(110) < 0.14
    assert away(121) < 1e-6
    talk.do("undo")
    assert talk.session.document.frame == 100.0  # where the step was made
    assert away(100) < 1e-6
