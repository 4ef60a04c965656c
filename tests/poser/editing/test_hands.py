"""Hands by real messages: shapes, sliders, a palm to drag, a wrist that stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.poser.poser_talk import Talk, moved


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.builtin("hand", tmp_path)


def test_the_page_knows_the_hands_of_a_figure(talk: Talk, tmp_path: Path) -> None:
    (hand,) = talk.state["hands"]
    assert hand["side"] == "right"
    assert hand["fingers"] == ["Thumb", "Index", "Middle", "Ring", "Little"]
    assert hand["shapes"] == ["relaxed", "fist", "point", "pinch", "flat"]
    human = Talk.builtin("human", tmp_path / "human")
    assert [one["side"] for one in human.state["hands"]] == ["left", "right"]
    assert "point" not in human.state["hands"][0]["shapes"]  # its four fingers are one
    assert Talk.builtin("spider", tmp_path / "spider").state["hands"] == []


def test_a_shape_is_one_step_and_sliders_start_from_it(talk: Talk) -> None:
    before = talk.session.document.q
    talk.do("hand.shape", side="right", shape="fist")
    assert talk.state["undo"] == "Fist, right hand"
    assert talk.state["hands"][0]["curls"][1:] == pytest.approx([1.0] * 4, abs=0.02)
    for value in (0.8, 0.5, 0.2):
        talk.do("hand.curl", side="right", finger="Index", value=value, held=True)
    talk.do("hand.curl", side="right", finger="Index", value=0.2, held=False)
    curls = talk.state["hands"][0]["curls"]
    assert curls[1] == pytest.approx(0.2, abs=0.02)
    assert curls[2:] == pytest.approx([1.0] * 3, abs=0.02)
    talk.do("undo")
    assert talk.state["undo"] == "Fist, right hand"
    talk.do("undo")
    assert np.array_equal(talk.session.document.q, before)


def test_spread_fans_the_fingers_and_leaves_their_curl(talk: Talk) -> None:
    talk.do("hand.shape", side="right", shape="flat")
    gap = np.linalg.norm(talk.position("Index3") - talk.position("Little3"))
    talk.do("hand.curl", side="right", finger="spread", value=1.0)
    hand = talk.state["hands"][0]
    assert hand["spread"] == pytest.approx(1.0, abs=0.05)
    assert hand["curls"][1:] == pytest.approx([0.0] * 4, abs=0.05)
    wide = np.linalg.norm(talk.position("Index3") - talk.position("Little3"))
    assert wide > gap + 0.02


def test_the_wrist_is_held_while_a_finger_is_dragged(talk: Talk) -> None:
    tip = next(e for e in talk.session.document.effectors if e.joint == "Index3")
    wrist = talk.session.figure.coordinates_of("Wrist")
    before = talk.session.document.q[wrist].copy()
    for k in range(1, 9):
        told = talk.drag(tip.id, moved(tip, y=-0.01 * k, z=-0.005 * k))
    assert np.array_equal(talk.session.document.q[wrist], before)
    assert np.linalg.norm(talk.session.document.q) > 0.0
    told = talk.drag(tip.id, moved(tip, z=0.3))
    assert told.why.endswith("drag the hand to bring it along")
    talk.do("drop")
    assert np.array_equal(talk.session.document.q[wrist], before)


def test_a_palm_is_an_effector_between_wrist_and_knuckles(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    id = talk.do("hand.palm", side="left")["effector"]
    palm = next(e for e in talk.state["effectors"] if e["id"] == id)
    assert palm["name"] == "LeftHand"
    wrist, knuckle = talk.position("LeftHand"), talk.position("LeftFingerBase")
    assert np.allclose(palm["position"], 0.45 * wrist + 0.55 * knuckle, atol=1e-9)
    x, y, z = palm["position"]
    talk.drag(id, [x, y + 0.3, z + 0.2])
    talk.do("drop")
    figure = talk.session.figure
    frame = figure.frames(talk.session.document.q)[figure.index("LeftHand")]
    there = frame[:3, :3] @ np.array(palm["at"]) + frame[:3, 3]
    assert np.allclose(there, [x, y + 0.3, z + 0.2], atol=1e-3)
    assert "already" in talk.ask("hand.palm", side="left")["error"]


def test_a_figure_without_hands_says_so(tmp_path: Path) -> None:
    talk = Talk.builtin("spider", tmp_path)
    assert "no hand" in talk.ask("hand.shape", side="both", shape="fist")["error"]
    assert "no left hand" in talk.ask("hand.palm", side="left")["error"]
