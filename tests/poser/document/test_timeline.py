"""The timeline as data, and its commands as a page sends them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbik
from limbik import LimbikError
from limbik.poser.document.clip import Clip
from limbik.poser.document.timeline.keys import Key, Target
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.editing.session import Session
from limbik.poser.protocol.text import ProtocolError


def keys_at(*frames: int) -> Timeline:
    timeline = Timeline()
    for k, frame in enumerate(frames):
        timeline = timeline.with_key(Key(k + 1, frame, pose=np.array([float(frame), 0.5])))
    return timeline


def frames_of(timeline: Timeline) -> list[tuple[int, int]]:
    return [(key.id, key.frame) for key in timeline.keys]


def test_keys_stand_in_the_order_of_their_frames() -> None:
    assert frames_of(keys_at(40, 0, 20)) == [(2, 0), (3, 20), (1, 40)]


def test_a_key_on_the_frame_of_another_takes_its_place() -> None:
    timeline = keys_at(0, 20, 40)
    assert frames_of(timeline.moved([1], 20)) == [(1, 20), (3, 40)]
    assert frames_of(timeline.with_key(Key(9, 40, goals={}))) == [(1, 0), (2, 20), (9, 40)]


def test_keys_that_move_together_do_not_replace_each_other() -> None:
    assert frames_of(keys_at(0, 20, 40).moved([1, 2], 20)) == [(1, 20), (2, 40)]


def test_copies_have_ids_of_their_own_and_the_same_content() -> None:
    timeline = keys_at(0, 20)
    copied = timeline.copied([1, 2], 50)
    assert frames_of(copied) == [(1, 0), (2, 20), (3, 50), (4, 70)]
    np.testing.assert_array_equal(copied.key(4).pose, [20.0, 0.5])
    # Ids are never used twice, even after the newest key is gone.
    assert frames_of(copied.without([4]).copied([1], 5))[1] == (5, 5)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda t: t.moved([3], 81),
            "frame 40 would go to frame 121, outside the timeline .0 to 120.",
        ),
        (lambda t: t.copied([1], -1), "frame 0 would go to frame -1"),
        (lambda t: t.without([7]), "no key 7"),
        (lambda t: t.with_key(Key(9, 121, goals={})), "Frame 121 is outside"),
        (lambda t: t.with_key(Key(9, 5)), "needs a pose or goals"),
        (lambda t: t.with_settings(frames=40), "must be 41 to 100,000 because frame 40"),
        (lambda t: t.with_settings(fps=0.0), "between 0.1 and 1000, not 0"),
        (lambda t: t.with_settings(span=0), "over 1 to 10,000 frames, not 0"),
        (lambda t: t.with_settings(ease="bouncy"), "smooth, linear, step"),
    ],
)
def test_what_cannot_be_is_refused(change: Callable[[Timeline], object], sentence: str) -> None:
    with pytest.raises(LimbikError, match=sentence):
        change(keys_at(0, 20, 40))


def test_settings_change_nothing_else() -> None:
    timeline = keys_at(0, 20, 40)
    other = timeline.with_settings(fps=60.0, frames=41, loop=False, span=3, ease="linear")
    assert (other.fps, other.frames, other.loop, other.span, other.ease) == (
        60.0, 41, False, 3, "linear",
    )  # fmt: skip
    assert other.keys == timeline.keys
    assert timeline.fps == 30.0


def full() -> Timeline:
    """A timeline with all there can be in one of a figure with two coordinates."""
    clip = Clip(np.array([[0.1, -2.0], [0.3, 1e-300], [np.pi, 4.0]]), 24.0, "walk")
    goals = {4: Target((1.0, 2.0, 3.0), (0.5, 0.5, 0.5, 0.5), "pin"), 7: Target((0.0, 0.1, 1e9))}
    timeline = Timeline.over(clip)
    return timeline.with_key(Key(3, 1, np.array([1 / 3, -0.0]), goals, 12)).with_key(
        Key(5, 2, goals={})
    )


def test_saved_and_read_again_nothing_is_lost() -> None:
    timeline = full()
    saved = json.loads(json.dumps(timeline.to_json()))
    again = Timeline.from_json(saved, 2, clip=timeline.clip)
    assert again == timeline
    assert again.next_id == 6
    assert Timeline.from_json(saved, 2) != timeline


def spoil(path: str, value: Any) -> dict[str, Any]:
    saved = deepcopy(full().to_json())
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    inside: Any = saved
    for step in way:
        inside = inside[step if isinstance(inside, list) else str(step)]
    inside[last if isinstance(inside, list) else str(last)] = value
    return saved


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("fps", 0, "fps must be above 0"),
        ("fps", float("nan"), "not finite"),
        ("fps", True, "needs a number"),
        ("frames", 2.0, "whole number"),
        ("frames", 5, "5 frames over a clip"),
        ("ease", "fast", "smooth, linear, step"),
        ("loop", 1, "true or false"),
        ("keys", {}, "must be a list"),
        ("keys.1.frame", 1, "two keys at frame 1"),
        ("keys.1.id", 3, "two keys at frame 2 or with id 3"),
        ("keys.1.frame", 3, "Frame 3 is outside"),
        ("keys.0.pose", [1.0], "list of 2 numbers"),
        ("keys.0.pose", [1.0, "x"], "needs a number"),
        ("keys.0.pose", [1.0, 10**400], "not finite"),
        ("keys.0.goals.4.wxyz", [0, 0, 0, 0], "not a rotation"),
        ("keys.0.goals.4.mode", "stuck", "free, pin, aim"),
        ("keys.0.goals.4.position", [0, 0], "needs 3 numbers"),
        ("keys.0.goals.x", {}, "not an id"),
    ],
)
def test_what_was_spoilt_is_refused_by_name(path: str, value: Any, sentence: str) -> None:
    with pytest.raises(LimbikError, match=sentence):
        Timeline.from_json(spoil(path, value), 2, clip=full().clip)


def test_a_clip_gives_the_timeline_its_length_and_rate() -> None:
    clip = limbik.figures.cartwheel()
    timeline = Timeline.over(clip)
    assert (timeline.frames, timeline.fps, timeline.span) == (601, 120.0, 60)
    with pytest.raises(LimbikError, match="clip has 601 frames"):
        timeline.with_settings(frames=10)
    bare = timeline.with_key(Key(1, 5, goals={})).without_clip()
    assert (bare.keys, bare.clip, bare.frames) == ((), None, 601)


# ---- commands --------------------------------------------------------------------------------


class Page:
    """What a page does, without one."""

    def __init__(self, folder: Path, name: str = "human") -> None:
        self.session = Session.builtin(name, folder)
        self.session.greeting()
        self._id = self._sequence = 0

    def scrub(self, frame: float) -> None:
        self._sequence += 1
        self.session.receive(struct.pack("<BBHId", 2, 0, 0, self._sequence, frame))

    def drag(self, effector: int, x: float, y: float, z: float) -> None:
        self._sequence += 1
        turn = (1.0, 0.0, 0.0, 0.0)
        self.session.receive(struct.pack("<BBHI7d", 1, 1, effector, self._sequence, x, y, z, *turn))

    def do(self, name: str, **arguments: Any) -> dict[str, Any]:
        self._id += 1
        text = json.dumps({"id": self._id, "do": name, **arguments})
        self.answers = self.session.receive(text)
        reply = json.loads(self.answers[0])
        assert reply["id"] == self._id
        return reply

    def bend(self, coordinate: str, value: float) -> None:
        at = self.session.figure.coordinates.index(coordinate)
        q = self.session.document.q.copy()
        q[at] = value
        assert self.do("pose.set", q=q.tolist())["ok"]

    def value(self, coordinate: str) -> float:
        at = self.session.figure.coordinates.index(coordinate)
        return float(self.session.document.q[at])

    @property
    def state(self) -> dict[str, Any]:
        return json.loads(self.answers[1])["state"]

    @property
    def frames(self) -> list[int]:
        return [key["frame"] for key in self.state["timeline"]["keys"]]


ELBOW = "LeftForeArm.ry"


@pytest.fixture
def page(tmp_path: Path) -> Page:
    """A page with keys at 0 and 40 between which the elbow bends from 0.2 to 1.0."""
    page = Page(tmp_path)
    page.bend(ELBOW, 0.2)
    page.do("key.insert", frame=0, pose=True, goals=False)
    page.scrub(40.0)
    page.bend(ELBOW, 1.0)
    page.do("key.insert", frame=40, pose=True, goals=False)
    return page


def test_a_page_keys_moves_copies_and_deletes(page: Page) -> None:
    assert page.frames == [0, 40]
    assert page.do("key.move", keys=[2], by=-10)["ok"]
    assert (page.frames, page.state["undo"]) == ([0, 30], "Move a key")
    assert page.do("key.copy", keys=[1, 2], by=50)["keys"] == [3, 4]
    assert (page.frames, page.state["undo"]) == ([0, 30, 50, 80], "Copy 2 keys")
    assert page.do("key.delete", keys=[1, 3, 4])["ok"]
    assert (page.frames, page.state["undo"]) == ([30], "Delete 3 keys")
    for _ in range(3):
        assert page.do("undo")["ok"]
    assert page.frames == [0, 40]


def test_deleting_a_key_shows_at_once(page: Page) -> None:
    page.scrub(20.0)
    assert page.value(ELBOW) == pytest.approx(0.6)
    page.do("key.delete", keys=[2])
    assert page.value(ELBOW) == pytest.approx(0.2)
    page.do("undo")
    assert page.value(ELBOW) == pytest.approx(0.6)


def test_linear_and_smooth_meet_in_the_middle_only(page: Page) -> None:
    page.scrub(10.0)
    assert page.value(ELBOW) == pytest.approx(0.2 + 0.8 * (3 / 16 - 2 / 64))
    page.do("timeline.set", ease="linear")
    assert page.value(ELBOW) == pytest.approx(0.4)
    page.do("timeline.set", ease="step")
    assert page.value(ELBOW) == pytest.approx(0.2)
    assert page.state["undo"] == "Change the ease"


def test_what_a_person_may_do_wrong_is_answered_with_a_sentence(page: Page) -> None:
    revision = page.session.document
    assert "outside the timeline" in page.do("key.move", keys=[2], by=500)["error"]
    assert "no key 9" in page.do("key.delete", keys=[9])["error"]
    assert "because frame 40 has a key" in page.do("timeline.set", frames=12)["error"]
    assert "no clip" in page.do("clip.remove")["error"]
    assert (
        "needs a pose or goals" in page.do("key.insert", frame=3, pose=False, goals=False)["error"]
    )
    assert "delete it instead" in page.do("key.set", key=1, pose=False)["error"]
    assert page.session.document is revision


def test_a_key_is_given_goals_and_loses_its_pose(page: Page) -> None:
    page.do("key.set", key=1, goals=True)
    key = page.session.document.timeline.key(1)
    assert key.goals is not None
    figure = page.session.figure
    hand = next(e for e in page.session.document.effectors if e.joint == "LeftHand")
    assert key.pose is not None
    there = figure.positions(key.pose)[figure.index("LeftHand")]
    np.testing.assert_allclose(key.goals[hand.id].position, there, atol=1e-12)
    page.do("key.set", key=1, pose=False)
    told = page.state["timeline"]["keys"][0]
    assert (told["id"], told["frame"], told["pose"], told["goals"]) == (1, 0, False, True)


def test_frames_for_onion_skins_come_in_one_message(page: Page) -> None:
    assert page.do("frames", frames=[0, 20.5, 99])["ok"]
    data = page.answers[-1]
    assert isinstance(data, bytes)
    kind, _, count, asked, joints, _ = struct.unpack_from("<BBHIHH", data)
    figure = page.session.figure
    assert (kind, count, asked, joints) == (2, 3, page._id, len(figure.joints))
    numbers = np.frombuffer(data, "<f4", offset=12)
    np.testing.assert_array_equal(numbers[:3], [0, 20.5, 99])
    rows = numbers[3:].reshape(3, 7 * joints)
    last = page.session.document.timeline.key(2).pose
    assert last is not None
    np.testing.assert_allclose(
        rows[2, : 3 * joints].reshape(-1, 3), figure.positions(last), atol=1e-6
    )
    with pytest.raises(ProtocolError):
        page.do("frames", frames=[0.0] * 65)


def test_a_clip_is_edited_by_dragging_and_removed(tmp_path: Path) -> None:
    page = Page(tmp_path, "cartwheel")
    clip = page.session.document.timeline.clip
    assert clip is not None
    page.scrub(100.0)
    hand = next(e for e in page.session.document.effectors if e.joint == "LeftHand")
    x, y, z = hand.position
    page.drag(hand.id, x, y + 0.05, z)
    page.do("drop")
    assert page.frames == [100]
    moved = page.session.document.q
    # Away and back: the edit is in the timeline.
    page.scrub(300.0)
    page.scrub(100.0)
    figure = page.session.figure
    there = figure.positions(page.session.document.q)[figure.index("LeftHand")]
    np.testing.assert_allclose(there, [x, y + 0.05, z], atol=1e-4 * figure.size)
    np.testing.assert_allclose(page.session.document.q, moved, atol=2e-3)
    page.do("undo")
    page.scrub(100.0)
    np.testing.assert_array_equal(page.session.document.q, figure.project(clip.q[100]))
    assert page.do("clip.remove")["ok"]
    assert page.state["timeline"]["clip"] is None
