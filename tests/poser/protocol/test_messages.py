"""Messages between page and server: read strictly, written to the byte as the page expects."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik import figures
from limbik.maths.quaternions import quat_to_matrix
from limbik.poser.drag.answer import Answer
from limbik.poser.protocol.binary import Drag, Scrub, frames_message, pose_message, read_binary
from limbik.poser.protocol.inbox import Inbox
from limbik.poser.protocol.messages import CoordinateInfo, NoteMessage
from limbik.poser.protocol.text import MOST_TEXT, ProtocolError, json_of, read_json, text
from limbik.solver.result import Status

NAN, INF = float("nan"), float("inf")


def drag(sequence=1, flags=3, effector=7, position=(1.0, 2.0, 3.0), wxyz=(1.0, 0.0, 0.0, 0.0)):
    return struct.pack("<BBHI7d", 1, flags, effector, sequence, *position, *wxyz)


def scrub(sequence=1, flags=0, reserved=0, frame=12.5):
    return struct.pack("<BBHId", 2, flags, reserved, sequence, frame)


# ---- binary, from the page ----------------------------------------------------------------------


def test_a_drag_is_64_bytes_and_its_rotation_is_made_one():
    message = drag(sequence=9, wxyz=(0.0, 0.0, 3.0, 4.0))
    assert len(message) == 64
    assert read_binary(message) == Drag(7, 9, (1.0, 2.0, 3.0), (0.0, 0.0, 0.6, 0.8))


def test_flags_say_what_is_given():
    assert read_binary(drag(flags=1, wxyz=(NAN,) * 4)) == Drag(7, 1, (1.0, 2.0, 3.0), None)
    assert read_binary(drag(flags=2, position=(NAN,) * 3)) == Drag(7, 1, None, (1.0, 0.0, 0.0, 0.0))


def test_a_scrub_is_16_bytes():
    assert len(scrub()) == 16
    assert read_binary(scrub(sequence=4, flags=1, frame=3.25)) == Scrub(3.25, True, 4)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\x01",
        drag()[:-1],
        drag() + b"\0",
        scrub() + b"\0",
        bytes([3]) + drag()[1:],
        bytes([2]) + drag()[1:],
        drag(flags=0),
        drag(flags=4),
        drag(position=(NAN, 0.0, 0.0)),
        drag(position=(0.0, INF, 0.0)),
        drag(position=(0.0, 0.0, 1e31)),
        drag(wxyz=(0.0,) * 4),
        drag(wxyz=(NAN, 0.0, 0.0, 0.0)),
        drag(wxyz=(INF, 0.0, 0.0, 0.0)),
        drag(wxyz=(1e300, 1e300, 0.0, 0.0)),
        scrub(flags=2),
        scrub(reserved=1),
        scrub(frame=NAN),
        scrub(frame=-INF),
        scrub(frame=1e10),
    ],
)
def test_binary_that_no_page_sends_is_refused(message):
    with pytest.raises(ProtocolError):
        read_binary(message)


def test_drags_and_scrubs_share_a_counter_that_rises():
    inbox = Inbox()
    inbox.read(drag(sequence=5))
    inbox.read(scrub(sequence=6))
    for message in (drag(sequence=6), scrub(sequence=5), drag(sequence=0)):
        with pytest.raises(ProtocolError, match="came after"):
            inbox.read(message)
    inbox.read(drag(sequence=100))
    with pytest.raises(ProtocolError):
        Inbox().read(drag(sequence=0))


def test_commands_have_a_counter_of_their_own():
    inbox = Inbox()
    inbox.read(drag(sequence=50))
    assert inbox.read('{"id": 2, "do": "undo"}') == {"id": 2, "do": "undo"}
    with pytest.raises(ProtocolError, match="command 2 came after command 2"):
        inbox.read('{"id": 2, "do": "redo"}')
    inbox.read(drag(sequence=51))


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(message):
    try:
        found = read_binary(message)
    except ProtocolError:
        return
    if isinstance(found, Drag):
        assert found.position is not None or found.wxyz is not None
        assert np.isfinite([*(found.position or ()), *(found.wxyz or ())]).all()
    else:
        assert np.isfinite(found.frame)


# ---- text, from the page ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[1, 2]", "must be an object"),
        ("null", "must be an object"),
        ('{"do": "undo"}', '"id"'),
        ('{"id": 0, "do": "undo"}', '"id"'),
        ('{"id": true, "do": "undo"}', '"id"'),
        ('{"id": 1.0, "do": "undo"}', '"id"'),
        ('{"id": "1", "do": "undo"}', '"id"'),
        ('{"id": 1}', '"do"'),
        ('{"id": 1, "do": ""}', '"do"'),
        ('{"id": 1, "do": ["undo"]}', '"do"'),
        ('{"id": 1, "do": "undo", "id": 2}', "given twice"),
        ('{"id": 1, "do": "pose.set", "q": [NaN]}', "NaN is not a number"),
        ('{"id": 1, "do": "pose.set", "q": [-Infinity]}', "-Infinity is not a number"),
        ('{"id": 1, "do": "pose.set", "q": [1e999]}', "too large"),
        ('{"id": 9007199254740993, "do": "undo"}', "too large"),
        ('{"id": 1, "do": "x", "n": ' + "9" * 5000 + "}", "too large"),
        ('{"id": 1, "do": "x", "n": ' + "[" * 30000, "nested too deeply|not JSON"),
        ('{"id": 1, "do": "x", "n": ' + '{"a":' * 10000 + "1" + "}" * 10001, "nested too deeply"),
        ('{"id": 1, "do": "x", "name": "\\ud800"}', "half a character"),
        ('{"id": 1, "do": "x", "name": "\ud800"}', "half a character"),
        ('{"id": 1, "do": "undo"} {}', "not JSON"),
    ],
)
def test_text_that_no_page_sends_is_refused(message, complaint):
    with pytest.raises(ProtocolError, match=complaint):
        Inbox().read(message)


def test_text_is_bounded_in_bytes_not_in_characters():
    def command(filling: str) -> str:
        return json.dumps({"id": 1, "do": "x", "a": filling}, ensure_ascii=False)

    room = MOST_TEXT - len(command(""))
    assert Inbox().read(command("a" * room))["a"] == "a" * room
    for filling in ("a" * (room + 1), "ä" * (room // 2 + 1), "a" * 10_000_000):
        with pytest.raises(ProtocolError, match="at most 65536"):
            Inbox().read(command(filling))


@given(st.text(max_size=60) | st.recursive(st.none() | st.floats() | st.text(), st.lists).map(str))
def test_any_text_is_read_or_refused(message):
    try:
        found = read_json(message)
    except ProtocolError:
        return
    json.dumps(found, allow_nan=False, ensure_ascii=False).encode()


def test_what_goes_out_is_json_without_nan():
    assert text(NoteMessage("größer")) == '{"note":"größer"}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_of(CoordinateInfo("Knee", 1, False, NAN))


# ---- to the page --------------------------------------------------------------------------------


def decoded(message: bytes) -> dict:
    """A pose message taken apart as the page's contract says, field by field."""
    kind, status, goals, sequence = struct.unpack_from("<BBHI", message, 0)
    joints, coordinates, limits, ghost = struct.unpack_from("<HHHH", message, 8)
    ms, frame, revision, why, iterations = struct.unpack_from("<ffIHH", message, 16)
    at = 32

    def take(*shape: int) -> np.ndarray:
        nonlocal at
        count = int(np.prod(shape))
        found = np.frombuffer(message, "<f4", count, at).reshape(shape)
        at += 4 * count
        return found

    out = {
        "kind": kind,
        "status": status,
        "sequence": sequence,
        "ms": ms,
        "frame": frame,
        "revision": revision,
        "iterations": iterations,
        "positions": take(joints, 3),
        "wxyz": take(joints, 4),
        "q": take(coordinates),
        "goals": take(goals, 11),
        "limits": take(limits, 4),
    }
    if ghost:
        out["ghost"] = (take(joints, 3), take(joints, 4), take(2))
    out["why"] = message[at : at + why].decode()
    assert at + why == len(message)
    return out


def check_frames(figure, q, positions, wxyz):
    frames = figure.frames(q)
    np.testing.assert_allclose(positions, frames[:, :3, 3], atol=1e-6)
    np.testing.assert_allclose(quat_to_matrix(wxyz), frames[:, :3, :3], atol=1e-6)


def some_pose(figure, seed=0):
    return figure.project(figure.rest + np.random.default_rng(seed).normal(0, 0.4, figure.n))


def answer_of(figure, seed, **other):
    told = {
        "status": Status.LIMITED,
        "why": "LeftHand is 4.2 cm short: LeftForeArm at its upper limit (145°) holds it back",
        "goals": np.arange(22.0).reshape(2, 11),
        "limits": np.array([[3, 5, -1, 1.0], [7, -1, 0, 0.25], [8, 9, 1, 0.125]]),
        "ms": 0.5,
        "iterations": 40,
    }
    return Answer(q=some_pose(figure, seed), **(told | other))


def test_a_pose_alone():
    figure = figures.human()
    q = some_pose(figure)
    message = pose_message(figure, q, frame=7.5, revision=2**32 + 3)
    assert len(message) == 32 + 4 * (31 * 7 + 74)
    found = decoded(message)
    assert (found["kind"], found["status"], found["sequence"]) == (1, 255, 0)
    assert (found["frame"], found["revision"], found["why"]) == (7.5, 3, "")
    assert found["goals"].shape == (0, 11)
    check_frames(figure, q, found["positions"], found["wxyz"])
    np.testing.assert_allclose(found["q"], q, atol=1e-6)


@pytest.mark.parametrize(
    ("status", "number"),
    [
        (Status.REACHED, 0),
        (Status.LIMITED, 1),
        (Status.OUT_OF_REACH, 2),
        (Status.STALLED, 3),
        (Status.HELD, 4),
        (None, 255),
    ],
)
def test_a_pose_with_its_answer_and_a_ghost(status, number):
    figure = figures.spider()
    goals = np.arange(22.0).reshape(2, 11)
    goals[1, 2] = NAN
    answer = answer_of(figure, 1, status=status, goals=goals, iterations=70_000)
    ghost = answer_of(figure, 2, ms=3.25)
    found = decoded(pose_message(figure, answer.q, answer, ghost=ghost, sequence=2**32 - 1))
    assert (found["status"], found["sequence"], found["ms"]) == (number, 2**32 - 1, 0.5)
    assert found["iterations"] == 65535
    assert found["why"] == answer.why
    np.testing.assert_array_equal(found["goals"], goals)
    np.testing.assert_array_equal(found["limits"], answer.limits)
    check_frames(figure, answer.q, found["positions"], found["wxyz"])
    check_frames(figure, ghost.q, *found["ghost"][:2])
    # Goal 0 has a 3 in the column that says whether it is met, and so has goal 1.
    np.testing.assert_array_equal(found["ghost"][2], [3.25, 1.0])


def test_frames_for_onion_skins():
    figure = figures.hand()
    poses = np.stack([some_pose(figure, seed) for seed in range(3)])
    message = frames_message(figure, poses, np.array([0.0, 2.5, 9.0]), 41)
    kind, zero, count, command, joints, _ = struct.unpack_from("<BBHIHH", message)
    assert (kind, zero, count, command, joints) == (2, 0, 3, 41, 16)
    np.testing.assert_array_equal(np.frombuffer(message, "<f4", 3, 12), [0.0, 2.5, 9.0])
    each = np.frombuffer(message, "<f4", offset=24).reshape(3, 16 * 7)
    for pose, row in zip(poses, each, strict=True):
        check_frames(figure, pose, row[:48].reshape(16, 3), row[48:].reshape(16, 4))


def test_no_frames_and_too_many_frames():
    figure = figures.arm()
    assert len(frames_message(figure, np.empty((0, 7)), np.empty(0), 1)) == 12
    with pytest.raises(ProtocolError, match="at most 64"):
        frames_message(figure, np.zeros((65, 7)), np.zeros(65), 1)
