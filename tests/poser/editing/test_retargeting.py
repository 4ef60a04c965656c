"""Retargeting and contacts by real messages: in the background, undone, edited, cancelled."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.poser.poser_talk import Talk
from limbik.poser.editing.session import Session
from limbik.poser.protocol.origin_bytes import origin_bytes

CLIP = limbik.figures.cartwheel()[::12]


def wait(talk: Talk) -> None:
    assert talk.session.task is not None
    talk.session.task.wait(120.0)
    talk._read(talk.session.collect())


@pytest.fixture
def opened(tmp_path: Path) -> Talk:
    return Talk(Session.of_figure(CLIP.figure, tmp_path, motions=[CLIP]))


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A session whose clip was retargeted onto the built-in human; tests must not change it."""
    talk = Talk(Session.of_figure(CLIP.figure, tmp_path_factory.mktemp("one"), motions=[CLIP]))
    talk.do("retarget.onto", builtin="human")
    wait(talk)
    return talk.session


@pytest.fixture
def talk(carried: Session, tmp_path: Path) -> Talk:
    """A session of its own that stands where the retargeted one does."""
    saved = json.loads(json.dumps(carried.dump()))
    return Talk(Session.restore(saved, carried.folder))


def slide(talk: Talk, joint: str, start: int, end: int) -> float:
    clip = talk.session.document.timeline.clip
    assert clip is not None
    at = talk.session.figure.positions(clip.q[start:end], [joint])[:, 0]
    return float(np.linalg.norm(at - at[0], axis=1).max())


def test_a_clip_goes_onto_another_figure_as_one_step(talk: Talk) -> None:
    figure, document = talk.session.figure, talk.session.document
    assert talk.figure["builtin"] == "human"
    assert talk.state["undo"] == "Retarget onto human"
    assert document.timeline.clip is not None
    q = document.timeline.clip.q
    assert q.shape == (CLIP.frames, figure.n)
    assert figure.violation(q).max() == 0.0
    # It does the cartwheel: upside down in the middle, standing on its floor at the ends.
    hips, feet = (figure.positions(q, [name])[:, 0, 1] for name in ("Hips", "LeftFoot"))
    assert feet[0] < hips[0]
    assert feet[25] > hips[25] + 0.3
    assert -0.02 < figure.positions(q)[..., 1].min() < 0.05
    talk.do("undo")
    assert talk.state["origin"] is None
    assert talk.state["timeline"]["contacts"] == []
    talk.do("redo")
    assert talk.state["origin"]["name"] == document.origin.clip.name  # type: ignore[union-attr]


def test_the_source_is_sent_to_be_drawn_beside_it(talk: Talk) -> None:
    origin = talk.session.document.origin
    assert origin is not None
    data = origin_bytes(origin, talk.session.figure_cache.opened(origin.source))
    (size,) = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + size])
    joints = len(header["figure"]["joints"])
    numbers = np.frombuffer(data, "<f4", offset=4 + size).reshape(CLIP.frames, 7 * joints)
    placed = np.array(header["placement"]).reshape(4, 4).T
    at = numbers[:, : 3 * joints].reshape(-1, joints, 3) @ placed[:3, :3].T + placed[:3, 3]
    # In the figure's world the source's hips are where the figure's are, but for proportions.
    index = [joint["name"] for joint in header["figure"]["joints"]].index("Hips")
    clip = talk.session.document.timeline.clip
    assert clip is not None
    own = talk.session.figure.positions(clip.q, ["Hips"])[:, 0]
    assert np.abs(at[:, index] - own).max() < 0.1


def test_contacts_are_edited_and_the_motion_retargeted_again(talk: Talk) -> None:
    contacts, hand = talk.state["timeline"]["contacts"], talk.joint("LeftHand")
    first = next(c for c in contacts if c["joint"] == hand)
    start, end = first["end"], first["end"] + 3
    assert slide(talk, "LeftHand", start, end) > 0.05  # it leaves the ground
    talk.do("contact.set", contact=first["id"], end=end)
    talk.do("retarget.again")
    wait(talk)
    assert talk.notes == []
    assert slide(talk, "LeftHand", start, end) < 0.02
    # The contacts stay as they were edited, and undo brings the first clip back.
    kept = next(c for c in talk.state["timeline"]["contacts"] if c["id"] == first["id"])
    assert kept["end"] == end
    talk.do("undo")
    assert slide(talk, "LeftHand", start, end) > 0.05


def test_contacts_are_added_deleted_and_kept_apart(talk: Talk) -> None:
    left = talk.joint("LeftFoot")
    before = talk.state["timeline"]["contacts"]
    first, second = [c for c in before if c["joint"] == left][:2]
    made = talk.do("contact.add", joint=left, start=first["end"], end=first["end"] + 500)
    new = next(c for c in talk.state["timeline"]["contacts"] if c["id"] == made["contact"])
    assert (new["start"], new["end"]) == (first["end"], second["start"])  # cut to the room there is
    for refused in ({"end": new["end"] + 1}, {"start": -1}, {"start": new["end"]}):
        assert "error" in talk.ask("contact.set", contact=new["id"], **refused)
    assert "error" in talk.ask("contact.add", joint=left, start=first["start"], end=first["end"])
    talk.do("contact.set", contact=new["id"], held=True)
    assert talk.state["undo"] == "Lock LeftFoot"
    locked = [c["id"] for c in talk.state["timeline"]["contacts"] if c["held"]]
    assert locked == [new["id"]]
    talk.do("contact.delete", contacts=[new["id"]])
    assert talk.state["timeline"]["contacts"] == before
    assert "error" in talk.ask("contact.delete", contacts=[new["id"]])


def test_feet_are_planted_in_a_clip_that_was_not_retargeted(opened: Talk) -> None:
    talk = opened
    talk.do("contacts.find")
    right = talk.joint("RightFoot")
    first = next(c for c in talk.state["timeline"]["contacts"] if c["joint"] == right)
    longer = first["end"] + 3
    talk.do("contact.set", contact=first["id"], end=longer)
    before = slide(talk, "RightFoot", first["start"], longer)
    talk.do("contacts.plant")
    assert talk.session.task is not None
    wait(talk)
    # An ankle is held as long as its foot can be flat; the rest of the way is its own.
    assert slide(talk, "RightFoot", first["start"], first["end"]) < 0.5 * before
    assert talk.state["undo"] == "Plant feet"


def test_it_is_cancelled_and_one_at_a_time(opened: Talk) -> None:
    talk, told = opened, []
    document = talk.session.document
    talk.session.post = told.append
    talk.do("retarget.onto", builtin="human")
    refused = talk.ask("retarget.onto", builtin="human")
    assert "still at work" in refused["error"]
    talk.do("task.cancel")
    wait(talk)
    assert "cancelled" in talk.notes[-1]
    assert talk.session.document is document
    assert talk.session.task is None


def test_what_cannot_be_retargeted_is_said(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    assert "no clip" in talk.ask("retarget.onto", builtin="human")["error"]
    assert "not retargeted" in talk.ask("retarget.again")["error"]
    assert "open a clip" in talk.ask("contacts.find")["error"]
    limbik.save(CLIP[:4], tmp_path / "walk.bvh")
    spider = Talk.builtin("spider", tmp_path / "other")
    spider.do("retarget.motion", files=spider.upload(tmp_path / "walk.bvh"))
    wait(spider)
    assert spider.notes  # a spider is no body, and the sentence says what is missing
    assert not list((tmp_path / "other" / "opened").glob("*"))


def test_a_files_motion_goes_onto_the_figure_that_is_there(tmp_path: Path) -> None:
    limbik.save(CLIP[:6], tmp_path / "walk.bvh")
    talk = Talk.builtin("human", tmp_path / "human")
    talk.do("retarget.motion", files=talk.upload(tmp_path / "walk.bvh"))
    wait(talk)
    assert talk.notes == []
    assert (talk.figure["builtin"], talk.state["timeline"]["frames"]) == ("human", 6)
    assert talk.state["origin"]["name"].startswith("walk")
    assert list((tmp_path / "human" / "opened").glob("*/walk.bvh"))


def test_documents_of_older_versions_open_without_contacts(carried: Session) -> None:
    saved = json.loads(json.dumps(carried.dump()))
    for steps in (saved["past"], saved["future"], [saved]):
        for step in steps:
            step["document"].pop("origin")
    for part in saved["parts"]:
        if isinstance(part, dict) and "settings" in part and "clip" in part:
            part["settings"].pop("contacts", None)
    old = Session.restore(saved, carried.folder)
    assert old.document.origin is None
    assert old.document.timeline.contacts == ()
    assert np.array_equal(old.document.q, carried.document.q)
