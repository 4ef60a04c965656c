"""Nothing that was posed by hand is lost: auto-key, and poses that are kept without a key."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from helpers.poser.poser_talk import Talk, moved
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.editing.session import Session


def dragged(talk: Talk, joint: str = "LeftHand", *, up: float = 0.25) -> np.ndarray:
    """Drag a hand up and let go; where it is then."""
    effector = talk.effector(joint)
    talk.drag(effector.id, moved(effector, y=up))
    talk.do("drop")
    return talk.position(joint)


def test_a_drag_at_a_keyed_frame_survives_stepping_away_and_back(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    talk.do("key.insert", frame=0)
    start = talk.position("LeftHand")
    hand = dragged(talk)
    assert np.linalg.norm(hand - start) > 0.2
    talk.scrub(1.0)
    talk.scrub(0.0)
    np.testing.assert_allclose(talk.position("LeftHand"), hand, atol=1e-9)
    assert [key["frame"] for key in talk.state["timeline"]["keys"]] == [0]
    talk.do("undo")
    np.testing.assert_allclose(talk.position("LeftHand"), start, atol=1e-9)
    talk.scrub(1.0)
    talk.scrub(0.0)
    np.testing.assert_allclose(talk.position("LeftHand"), start, atol=1e-9)


def test_a_drag_at_another_frame_makes_a_key_there(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    talk.do("key.insert", frame=0)
    start = talk.position("LeftHand")
    talk.scrub(20.0)
    hand = dragged(talk)
    assert [key["frame"] for key in talk.state["timeline"]["keys"]] == [0, 20]
    talk.scrub(0.0)
    np.testing.assert_allclose(talk.position("LeftHand"), start, atol=1e-9)
    talk.scrub(20.0)
    np.testing.assert_allclose(talk.position("LeftHand"), hand, atol=1e-9)


def test_without_keys_nothing_is_keyed(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    hand = dragged(talk)
    talk.scrub(5.0)
    assert talk.state["timeline"]["keys"] == []
    np.testing.assert_allclose(talk.position("LeftHand"), hand, atol=1e-9)


def without_auto_key(folder: Path) -> Talk:
    talk = Talk.builtin("human", folder)
    talk.do("key.insert", frame=0)
    talk.do("timeline.set", auto_key=False)
    return talk


def test_with_auto_key_off_the_pose_is_kept_marked_and_undone(tmp_path: Path) -> None:
    talk = without_auto_key(tmp_path)
    start = talk.position("LeftHand")
    hand = dragged(talk)
    timeline = talk.state["timeline"]
    assert (len(timeline["keys"]), timeline["unkeyed"]) == (1, [0])
    talk.scrub(1.0)
    np.testing.assert_allclose(talk.position("LeftHand"), start, atol=1e-9)
    talk.scrub(0.0, playing=True)  # what is played is what the keys say
    np.testing.assert_allclose(talk.position("LeftHand"), start, atol=1e-9)
    talk.scrub(0.0)
    np.testing.assert_allclose(talk.position("LeftHand"), hand, atol=1e-9)
    # A session that is written and read again has it still.
    again = Talk(Session.restore(talk.session.dump(), tmp_path))
    assert again.state["timeline"]["unkeyed"] == [0]
    again.scrub(3.0)
    again.scrub(0.0)
    np.testing.assert_allclose(again.position("LeftHand"), hand, atol=1e-9)
    talk.do("key.insert", frame=0)
    assert talk.state["timeline"]["unkeyed"] == []
    talk.scrub(1.0)
    np.testing.assert_allclose(talk.position("LeftHand"), hand, atol=1e-9)
    talk.do("undo")
    talk.do("undo")
    assert talk.state["timeline"]["unkeyed"] == []
    np.testing.assert_allclose(talk.position("LeftHand"), start, atol=1e-9)
    talk.do("redo")
    np.testing.assert_allclose(talk.position("LeftHand"), hand, atol=1e-9)


def test_an_unkeyed_pose_can_be_dropped_and_got_back(tmp_path: Path) -> None:
    talk = without_auto_key(tmp_path)
    start = talk.position("LeftHand")
    talk.scrub(7.0)
    hand = dragged(talk)
    assert "no unkeyed pose" in talk.ask("unkeyed.drop", frame=3)["error"]
    talk.do("unkeyed.drop", frame=7)
    np.testing.assert_allclose(talk.position("LeftHand"), start, atol=1e-9)
    talk.do("undo")
    np.testing.assert_allclose(talk.position("LeftHand"), hand, atol=1e-9)


def test_a_timeline_that_was_saved_before_there_was_auto_key_has_it_on() -> None:
    saved = Timeline().to_json()
    del saved["auto_key"]
    assert Timeline.from_json(saved, 3).auto_key
    assert not Timeline.from_json({**saved, "auto_key": False}, 3).auto_key
