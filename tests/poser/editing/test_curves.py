"""Ease per key, curves and trails, keys pasted flipped, and symmetric drags, by real messages."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.poser.poser_talk import Talk, moved
from limbik.poser.document.timeline.ease import Shape, bezier
from limbik.poser.document.timeline.keys import Key
from limbik.poser.editing.session import Session

HUMAN = limbik.figures.human()
ELBOW = HUMAN.coordinates.index(next(c for c in HUMAN.coordinates if c.startswith("LeftForeArm")))


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """Two keys 40 frames apart: the left elbow bends by half a radian."""
    talk = Talk.builtin("human", tmp_path)
    for effector in talk.state["effectors"]:
        talk.do("effector.remove", effector=effector["id"])
    talk.do("key.insert", frame=0)
    talk.scrub(40.0)
    q = HUMAN.rest.copy()
    q[ELBOW] += 0.5
    talk.do("pose.set", q=q.tolist())
    if len(talk.state["timeline"]["keys"]) < 2:
        talk.do("key.insert", frame=40)
    return talk


def shares(talk: Talk, frames: list[float]) -> np.ndarray:
    """How far the elbow is on its way at some frames."""
    values = talk.do("samples", frames=frames, joints=[], coordinates=[ELBOW])["values"]
    return (np.array(values)[:, 0] - HUMAN.rest[ELBOW]) / 0.5


def test_each_key_has_its_own_ease(talk: Talk) -> None:
    key = talk.state["timeline"]["keys"][0]["id"]
    quarter = {"linear": 0.25, "smooth": 0.15625, "step": 0.0}
    quarter |= {"in": bezier((0.42, 0, 1, 1), 0.25), "out": bezier((0, 0, 0.58, 1), 0.25)}
    assert quarter["in"] < 0.15 < 0.35 < quarter["out"]
    for ease, wanted in quarter.items():
        talk.do("key.ease", keys=[key], ease=ease)
        assert talk.state["timeline"]["keys"][0]["ease"] == ease
        assert shares(talk, [0.0, 10.0, 40.0]) == pytest.approx([0.0, wanted, 1.0], abs=1e-6)
    talk.do("key.ease", keys=[key], ease="bezier", handles=[0.2, -0.5, 0.8, 1.0])
    at = shares(talk, [6.0, 20.0, 34.0])
    assert at[0] < -0.02  # it swings back before it goes
    assert at[1] == pytest.approx(bezier((0.2, -0.5, 0.8, 1.0), 0.5), abs=1e-6)
    talk.do("key.ease", keys=[key], ease=None)
    assert shares(talk, [10.0])[0] == pytest.approx(0.15625)
    assert "error" in talk.ask("key.ease", keys=[key], ease="bezier", handles=[1.5, 0, 1, 1])
    assert talk.state["undo"] == "Change the ease of keys"


def test_the_ease_survives_a_key_that_is_set_again_a_save_and_an_old_file(talk: Talk) -> None:
    key = talk.state["timeline"]["keys"][0]["id"]
    talk.do("key.ease", keys=[key], ease="out")
    talk.scrub(0.0)
    talk.do("key.insert", frame=0)
    saved = json.loads(json.dumps(talk.session.dump()))
    again = Session.restore(saved, talk.session.folder)
    assert again.document.timeline.keys[0].ease == "out"
    old = again.document.timeline.keys[0].to_json()
    del old["ease"], old["handles"]
    assert Key.from_json(old, HUMAN.n).ease is None


def test_a_bezier_is_the_curve_that_its_handles_say() -> None:
    assert bezier((1 / 3, 1 / 3, 2 / 3, 2 / 3), 0.37) == pytest.approx(0.37)
    t = 0.3
    x = 3 * t * (1 - t) ** 2 * 0.1 + 3 * t * t * (1 - t) * 0.4 + t**3
    y = 3 * t * (1 - t) ** 2 * 0.9 + 3 * t * t * (1 - t) * 1.3 + t**3
    assert bezier((0.1, 0.9, 0.4, 1.3), x) == pytest.approx(y, abs=1e-9)
    assert [Shape("bezier").share(u) for u in (0.0, 1.0)] == [0.0, 1.0]


def test_trails_are_where_the_joints_go(talk: Talk) -> None:
    hand = talk.joint("LeftHand")
    points = talk.do("samples", frames=[0.0, 20.0, 40.0], joints=[hand, 0], coordinates=[])[
        "points"
    ]
    assert np.shape(points) == (3, 6)
    for frame, row in zip((0.0, 20.0, 40.0), points, strict=True):
        talk.scrub(frame)
        assert row[:3] == pytest.approx(talk.position("LeftHand"), abs=2e-6)


def test_a_point_of_a_curve_is_dragged_within_the_limits(talk: Talk) -> None:
    second = talk.state["timeline"]["keys"][1]["id"]
    before = HUMAN.rest[ELBOW]
    talk.do("key.value", key=second, coordinate=ELBOW, value=before + 0.25)
    assert shares(talk, [40.0])[0] == pytest.approx(0.5, abs=1e-6)
    talk.do("key.value", key=second, coordinate=ELBOW, value=1e3)
    assert talk.session.figure.violation(talk.session.document.timeline.keys[1].pose) == 0.0
    talk.do("undo")
    assert shares(talk, [40.0])[0] == pytest.approx(1.0, abs=1e-6)


def test_a_point_of_a_clips_edit_is_dragged(tmp_path: Path) -> None:
    clip = limbik.figures.cartwheel()[:60:2]
    talk = Talk(Session.of_figure(clip.figure, tmp_path, motions=[clip]))
    talk.scrub(10.0)
    talk.do("key.insert", frame=10)
    key = talk.state["timeline"]["keys"][0]["id"]
    c = clip.figure.coordinates.index("Head.rx") if "Head.rx" in clip.figure.coordinates else 20
    (now,) = talk.do("samples", frames=[10.0], joints=[], coordinates=[c])["values"][0]
    talk.do("key.value", key=key, coordinate=c, value=now + 0.1)
    (after,) = talk.do("samples", frames=[10.0], joints=[], coordinates=[c])["values"][0]
    assert after == pytest.approx(now + 0.1, abs=2e-3)


def test_keys_are_pasted_flipped(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, y=0.4, z=0.2))
    talk.do("drop")
    left = talk.position("LeftHand")
    talk.do("key.insert", frame=0)
    made = talk.do("key.flip", keys=[talk.state["timeline"]["keys"][0]["id"]], by=30)["keys"]
    assert [k["frame"] for k in talk.state["timeline"]["keys"]] == [0, 30]
    talk.scrub(30.0)
    right = talk.position("RightHand")
    assert right == pytest.approx(left * [-1, 1, 1], abs=1e-3)
    assert np.linalg.norm(talk.position("LeftHand") - left) > 0.2
    talk.do("key.flip", keys=made, by=0)  # the copy itself, back again
    assert talk.position("LeftHand") == pytest.approx(left, abs=1e-3)


def test_dragging_one_hand_moves_the_other_mirrored(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    talk.do("symmetric", on=True)
    assert talk.state["symmetric"]
    hand = talk.effector("LeftHand")
    for k in range(1, 6):
        talk.drag(hand.id, moved(hand, x=0.02 * k, y=0.08 * k, z=0.05 * k))
    talk.do("drop")
    left, right = talk.position("LeftHand"), talk.position("RightHand")
    assert np.linalg.norm(left - hand.position) > 0.3
    assert right == pytest.approx(left * [-1, 1, 1], abs=1e-3)
    assert [e.mode for e in talk.session.document.effectors if "Hand" in e.joint] == ["free"] * 2
    talk.do("undo")  # both at once
    assert talk.position("RightHand")[1] == pytest.approx(hand.position[1], abs=1e-9)
    talk.do("symmetric", on=False)
    talk.drag(hand.id, moved(hand, y=0.3))
    talk.do("drop")
    apart = talk.position("RightHand") - talk.position("LeftHand") * [-1, 1, 1]
    assert np.linalg.norm(apart) > 0.2
    arm = Talk.builtin("arm", tmp_path / "arm")
    assert "left and right" in arm.ask("symmetric", on=True)["error"]
