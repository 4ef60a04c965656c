"""Balance and collisions while one drags."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.poser.poser_talk import Talk
from limbik.goals import Avoid, Balance
from limbik.poser.drag.prop_shapes import place_of, shapes_of
from limbik.poser.drag.scene_goals import BALANCE, COLLISIONS, balance_support

FEET = ["LeftFoot", "RightFoot"]


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.builtin("human", tmp_path)


def outside(talk: Talk) -> float:
    """How far the centre of mass is outside the feet, in metres."""
    return Balance(FEET).outside(talk.session.figure, talk.session.document.q)


def dragged(talk: Talk, joint: str, by: tuple[float, float, float], steps: int = 12) -> int:
    """The status after a drag in small steps; 0 is REACHED."""
    at, id = talk.position(joint), talk.effector(joint).id
    for k in range(1, steps + 1):
        talk.drag(id, tuple((at + np.array(by) * k / steps).tolist()))
    talk.do("drop")
    assert talk.pose is not None
    return talk.pose.status


def test_auto_balance_keeps_the_weight_above_the_feet(talk: Talk) -> None:
    dragged(talk, "Hips", (0.22, -0.12, 0.0))
    assert outside(talk) > 0.02
    talk.do("undo")
    talk.do("balance", on=True)
    assert talk.state["scene"]["balance"]
    assert dragged(talk, "Hips", (0.22, -0.12, 0.0)) == 0
    assert outside(talk) < 0.0
    talk.do("undo")
    assert dragged(talk, "Hips", (0.6, -0.12, 0.0)) != 0
    assert outside(talk) < 2e-3
    assert talk.session.answer is not None
    assert BALANCE in talk.session.answer.goals[:, 0]
    talk.do("undo")
    talk.do("undo")
    assert not talk.session.document.scene.balance


def test_switching_balance_on_brings_a_falling_figure_back(talk: Talk) -> None:
    dragged(talk, "Hips", (0.2, 0.0, 0.0))
    assert outside(talk) > 0.02
    talk.do("balance", on=True)
    assert outside(talk) <= 0.0


def test_a_figure_stands_on_its_low_pins_and_else_on_its_feet(talk: Talk) -> None:
    figure, document = talk.session.figure, talk.session.document
    assert balance_support(figure, document.effectors, document.q) == FEET
    assert balance_support(figure, (), document.q) == FEET
    talk.do("effector.set", effector=talk.effector("LeftHand").id, mode="pin")
    talk.do("effector.set", effector=talk.effector("Head").id, mode="pin")
    talk.do("effector.set", effector=talk.effector("Hips").id, mode="pin")
    document = talk.session.document
    hips = talk.position("Hips")[1] < figure.com(document.q)[1]
    support = balance_support(figure, document.effectors, document.q)
    assert "Head" not in support
    assert (("Hips", (0.0, 0.0, 0.0)) in support) is bool(hips)


def test_what_has_no_masses_or_nothing_to_stand_on_is_told(tmp_path: Path) -> None:
    chain = Talk.builtin("chain", tmp_path)
    assert "no masses" in chain.ask("balance", on=True)["error"]
    assert not chain.session.document.scene.balance


def test_collisions_keep_a_hand_out_of_the_body(talk: Talk) -> None:
    figure = talk.session.figure
    chest = talk.do("effector.add", joint=talk.joint("Spine1"))["effector"]
    talk.do("effector.set", effector=chest, mode="pin")
    into = tuple((talk.position("Spine1") - talk.position("LeftHand")).tolist())

    def depth() -> float:
        return -Avoid().nearest(figure, talk.session.document.q)[2]

    dragged(talk, "LeftHand", into, 16)
    assert depth() > 0.03
    talk.do("undo")
    talk.do("collisions", on=True)
    dragged(talk, "LeftHand", into, 16)
    assert depth() < 2e-3
    assert "touch" in talk.pose.why  # type: ignore[union-attr]
    assert talk.session.answer is not None
    assert COLLISIONS in talk.session.answer.goals[:, 0]


def test_collisions_count_props_and_a_figure_makes_room_for_one(talk: Talk) -> None:
    talk.do("collisions", on=True)
    ball = talk.do("prop.add", kind="ball")["prop"]
    figure, session = talk.session.figure, talk.session

    def away() -> float:
        prop = session.document.scene.prop(ball)
        assert prop is not None
        shapes = shapes_of(prop, place_of(prop, figure, figure.frames(session.document.q)))
        return Avoid(shapes, own=False).nearest(figure, session.document.q)[2]

    x, y, z = talk.position("LeftForeArm")
    talk.drag(ball, (x, y, z + 0.08))
    talk.do("drop")
    assert away() > -1e-3


def test_a_chair_that_carries_the_hips_is_said_to_hold_them(talk: Talk) -> None:
    talk.do("collisions", on=True)
    talk.do("prop.add", kind="chair")
    start = talk.position("Hips")
    dragged(talk, "Hips", tuple((np.array([0.0, 0.2, -0.3]) - start).tolist()), 15)
    assert talk.position("Hips")[1] > 0.5  # it sits
    assert "touch Chair" in talk.pose.why  # type: ignore[union-attr]


def test_the_page_gets_masses_soles_and_shapes_when_it_asks(talk: Talk) -> None:
    figure = talk.session.figure
    talk.id += 1
    told = talk.session.receive(json.dumps({"id": talk.id, "do": "body"}))
    body = json.loads(told[-1])["body"]
    assert sum(one["mass"] for one in body["masses"]) == pytest.approx(figure.mass)
    assert len(body["shapes"]) == len(figure.shapes)
    assert body["feet"] == [figure.index(foot) for foot in FEET]
    soles = {one["joint"]: one["points"] for one in body["soles"]}
    assert len(soles[figure.index("LeftFoot")]) > 3


def test_a_scene_of_a_robot_is_told_too(tmp_path: Path) -> None:
    arm = Talk.builtin("arm", tmp_path)
    box = arm.do("prop.add", kind="box")["prop"]
    assert arm.state["scene"]["props"][0]["id"] == box
    assert isinstance(limbik.figures.arm().shapes, tuple)
