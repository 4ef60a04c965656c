"""What a session refuses: messages no page sends, and what a person can do wrong."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from helpers.poser.poser_talk import Talk, moved
from limbik.poser.document.effector import Vec3
from limbik.poser.protocol.commands.registry import KEEP, bounded, checked
from limbik.poser.protocol.text import ProtocolError


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.builtin("human", tmp_path)


@pytest.mark.parametrize(
    "message",
    [
        '{"id": 1, "do": "no.such.command"}',
        '{"id": 1, "do": "lock", "joint": 1}',
        '{"id": 1, "do": "lock", "joint": 1, "on": 1}',
        '{"id": 1, "do": "lock", "joint": 1.5, "on": true}',
        '{"id": 1, "do": "lock", "joint": "1", "on": true}',
        '{"id": 1, "do": "lock", "joint": 1, "on": true, "more": 1}',
        '{"id": 1, "do": "undo", "steps": 2}',
        '{"id": 1, "do": "effector.set", "effector": 1, "mode": "held"}',
        '{"id": 1, "do": "effector.set", "effector": 1, "position": [1, 2]}',
        '{"id": 1, "do": "effector.set", "effector": 1, "position": null}',
        '{"id": 1, "do": "pose.set", "q": [1, null]}',
        '{"id": 1, "do": "method.set", "name": "fabrik", "settings": {"a": [1]}}',
        '{"id": 1, "do": "limit.set", "joint": 3, "limit": {"kind": "range"}}',
        '{"id": 1, "do": "pose.store", "name": "' + "x" * 5000 + '"}',
        '{"id": 0, "do": "undo"}',
        "[]",
        "{",
    ],
)
def test_what_our_page_would_never_send_closes_the_client(talk: Talk, message: str) -> None:
    before = talk.session.document
    with pytest.raises(ProtocolError):
        talk.session.receive(message)
    assert talk.session.document is before
    assert talk.session.history.past == ()


def test_numbers_must_rise(talk: Talk) -> None:
    talk.do("pose.reset")
    with pytest.raises(ProtocolError):
        talk.session.receive('{"id": 1, "do": "pose.reset"}')
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, list(hand.position))
    with pytest.raises(ProtocolError):
        talk.session.receive(struct.pack("<BBHId", 2, 0, 0, 1, 0.0))
    talk.session.greeting()  # a page that was loaded again starts from 1
    talk.session.receive('{"id": 1, "do": "pose.reset"}')


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("lock", {"joint": 99, "on": True}, "no joint 99"),
        ("effector.set", {"effector": 77, "weight": 1.0}, "no effector 77"),
        ("effector.set", {"effector": 1, "weight": -1.0}, "above 0"),
        ("effector.set", {"effector": 1, "wxyz": [0, 0, 0, 0]}, "no direction"),
        ("coordinate.set", {"coordinate": 74, "value": 0.0}, "no coordinate 74"),
        ("pose.set", {"q": [1.0, 2.0]}, "74 values"),
        ("pose.recall", {"pose": 5}, "not stored"),
        ("method.set", {"name": "magic", "settings": {}}, "magic"),
        ("method.set", {"name": "projected_lm", "settings": {"speed": 3}}, "speed"),
        ("builtin", {"name": "humann"}, 'did you mean "human"'),
        ("open", {"files": ["nothing.bvh"]}, "not uploaded"),
        ("open", {"files": ["../secret.bvh"]}, "not the name"),
        ("open", {"files": []}, "No file"),
        ("clip.choose", {"index": 0}, "no clip 0"),
        ("limits.clip", {"margin": 5.0}, "no clip"),
        ("undo", {}, "nothing to undo"),
        ("redo", {}, "nothing to redo"),
    ],
)
def test_what_a_person_can_do_wrong_is_said_and_changes_nothing(
    talk: Talk, name: str, arguments: dict[str, Any], says: str
) -> None:
    before = talk.session.document
    reply = talk.ask(name, **arguments)
    assert says in reply["error"]
    assert talk.kinds == ["reply"]
    assert talk.session.document is before
    assert talk.session.history.past == ()
    talk.do("pose.store", name="and it goes on")


def test_lower_above_upper_is_said(talk: Talk) -> None:
    limit = {"kind": "range", "lower": [1.0], "upper": [0.5]}
    reply = talk.ask("limit.set", joint=talk.joint("LeftToeBase"), limit=limit)
    assert "above upper" in reply["error"]


def test_arguments_are_checked_by_their_annotations() -> None:
    assert checked([1, 2.5, 3], Vec3, "at") == (1.0, 2.5, 3.0)
    assert checked(3, float | int, "x") == 3
    assert isinstance(checked(3, float | int, "x"), int)
    assert checked(None, Vec3 | None, "x") is None
    assert repr(KEEP) == "KEEP"
    for value, wanted in ((True, int), (True, float), (2**60, int), (10**400, float), ("a", float)):
        with pytest.raises(ProtocolError, match="x is not"):
            checked(value, bounded(wanted), "x")


def test_a_limit_meant_for_another_figure_is_a_reply_and_no_end(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    limit = {"kind": "range", "lower": [-0.1, -0.1, -0.1], "upper": [0.1, 0.1, 0.1]}
    reply = talk.ask("limit.set", joint=talk.joint("LeftToeBase"), limit=limit)
    assert reply["error"] == "The limit that was sent does not fit LeftToeBase."
    assert talk.session.document.limits == {}


def test_a_refusal_tells_of_the_drag_that_it_ended(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, 0.1, 0.1, 0.1))
    assert "error" in talk.ask("effector.remove", effector=999)
    assert talk.state["undo"] == "Move LeftHand"
