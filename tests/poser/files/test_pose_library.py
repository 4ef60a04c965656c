"""The pose library: on disk, whole or not at all, from one figure to another."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.poser.poser_talk import Talk
from limbik.errors import LimbikError
from limbik.humanoid import recognise
from limbik.poser.files.pose_library import LARGEST_PICTURE, MOST_DELETED, PoseLibrary

HUMAN, SPIDER = limbik.figures.human(), limbik.figures.spider()
BODY = recognise(HUMAN)
PICTURE = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(50)).decode()


@pytest.fixture
def library(tmp_path: Path) -> PoseLibrary:
    return PoseLibrary(tmp_path / "poses")


def test_a_pose_is_there_for_whoever_comes_next(library: PoseLibrary) -> None:
    q = HUMAN.project(HUMAN.rest + 0.1)
    assert library.entries() == []
    stored = library.add("  Wave \n hello ", HUMAN, q, BODY, picture=PICTURE)
    (entry,) = PoseLibrary(library.folder).entries()
    assert (entry.id, entry.name, entry.figure) == (stored.id, "Wave hello", "human")
    assert np.array_equal(entry.onto(HUMAN, BODY, HUMAN.rest, None), q)
    assert library.picture(entry.id) == (base64.b64decode(PICTURE.split(",")[1]), "image/png")
    assert [path.suffix for path in library.folder.iterdir()] == [".json"]


def test_poses_are_renamed_and_deleted_and_the_last_deleted_are_kept(library: PoseLibrary) -> None:
    first = library.add("One", HUMAN, HUMAN.rest, BODY)
    library.rename(first.id, "Two")
    assert library.get(first.id).name == "Two"
    library.delete(first.id)
    assert library.entries() == []
    with pytest.raises(LimbikError, match="not in the library any more"):
        library.get(first.id)
    for _ in range(MOST_DELETED + 2):
        library.delete(library.add("More", SPIDER, SPIDER.rest, recognise(SPIDER)).id)
    assert len(list((library.folder / "deleted").iterdir())) == MOST_DELETED


def test_what_is_no_picture_and_no_id_is_refused(library: PoseLibrary) -> None:
    too_large = base64.b64encode(b"\x89PNG" + bytes(LARGEST_PICTURE)).decode()
    script = base64.b64encode(b"<svg onload=...>").decode()
    for picture in (
        "http://elsewhere/x.png",
        "data:image/png;base64,???",
        f"data:image/svg+xml;base64,{script}",
        f"data:image/png;base64,{too_large}",
    ):
        with pytest.raises(LimbikError, match="picture"):
            library.add("Bad", HUMAN, HUMAN.rest, BODY, picture=picture)
    for id in ("../session", "", "0" * 15, "G" * 16):
        with pytest.raises(LimbikError, match="not in the library"):
            library.get(id)
    assert library.entries() == []


def test_a_damaged_file_is_left_out_and_does_no_harm(library: PoseLibrary) -> None:
    good = library.add("Good", HUMAN, HUMAN.rest, BODY)
    text = (library.folder / f"{good.id}.json").read_text()
    for k, wrong in enumerate(("", "[]", "{", text[:-9], text.replace('"pose": {', '"pose": [{'))):
        (library.folder / f"{k:016x}.json").write_text(wrong)
    (library.folder / "notes.json").write_text("{}")
    assert [entry.id for entry in library.entries()] == [good.id]


def test_a_pose_of_another_kind_of_figure_is_refused_by_name(library: PoseLibrary) -> None:
    entry = library.add("Crawl", SPIDER, SPIDER.rest, recognise(SPIDER))
    assert entry.fit(HUMAN, BODY) == "none"
    with pytest.raises(LimbikError, match='"Crawl" was stored from "spider"'):
        entry.onto(HUMAN, BODY, HUMAN.rest, None)


def test_the_library_outlives_a_figure_and_takes_one_step(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    talk.session.library = PoseLibrary(tmp_path / "poses")
    talk.drag(talk.effector("LeftHand").id, [0.5, 1.5, 0.3])
    talk.do("library.store", name="Hello", picture=[PICTURE[:30], PICTURE[30:]])
    (pose,), q = talk.session.library.entries(), talk.session.document.q  # the drag has ended
    talk.do("builtin", name="cartwheel")  # the same joints, another figure in the document
    talk.do("library.take", pose=pose.id)
    assert talk.state["undo"] == "Pose Hello"
    assert talk.position("LeftHand") == pytest.approx(
        HUMAN.positions(q)[HUMAN.index("LeftHand")], abs=1e-6
    )
    talk.do("undo")
    assert talk.state["undo"] != "Pose Hello"
    talk.do("builtin", name="spider")
    assert "other joints" in talk.ask("library.take", pose=pose.id)["error"]
    assert "not in the library" in talk.ask("library.take", pose="no")["error"]


def test_a_pose_is_taken_flipped_and_by_one_limb_alone(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    talk.session.library = PoseLibrary(tmp_path / "poses")
    talk.drag(talk.effector("LeftHand").id, [0.5, 1.5, 0.3])
    talk.drag(talk.effector("Head").id, [0.1, 1.5, 0.2])
    talk.do("library.store", name="Hello", picture=[])
    (pose,), q = talk.session.library.entries(), talk.session.document.q
    there = HUMAN.positions(q)
    talk.do("pose.reset")
    talk.do("library.take", pose=pose.id, flipped=True)
    left, right = HUMAN.index("LeftHand"), HUMAN.index("RightHand")
    flipped = HUMAN.positions(talk.session.document.q)
    hips = HUMAN.index("Hips")
    np.testing.assert_allclose(
        np.linalg.norm(flipped[[right, left]] - flipped[hips], axis=1),
        np.linalg.norm(there[[left, right]] - there[hips], axis=1),
        atol=1e-6,
    )
    assert flipped[right, 1] > flipped[left, 1] + 0.2
    talk.do("pose.reset")
    arm = HUMAN.index("LeftArm")
    talk.do("library.take", pose=pose.id, joint=arm)
    now, below = talk.session.document.q, {arm}
    for i, parent in enumerate(HUMAN.parents.tolist()):
        if parent in below:
            below.add(i)
    own = np.isin(HUMAN.owner, sorted(below))
    np.testing.assert_allclose(now[own], q[own], atol=1e-9)
    np.testing.assert_array_equal(now[~own], HUMAN.project(HUMAN.rest)[~own])
    refused = talk.ask("library.take", pose=pose.id, joint=999)["error"]
    assert refused == "There is no joint 999 any more."
