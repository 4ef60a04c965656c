"""Two figures in one scene: each has its own pose, effectors and keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.poser.poser_talk import Talk, moved
from limbik.poser.editing.session import Session


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(Session.builtin("human", tmp_path))


def other(talk: Talk, number: int) -> np.ndarray:
    """(joints, 3) where another figure is, as the page is told."""
    found = next(one for one in talk.state["others"] if one["number"] == number)
    return np.array(found["positions"]).reshape(-1, 3)


def test_a_second_figure_stands_beside_the_first_and_each_keeps_its_own(talk: Talk) -> None:
    assert (talk.state["others"], talk.state["name"]) == ([], "human 1")
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, y=0.3))
    talk.do("drop")
    talk.do("key.insert", frame=0)
    first, keys = talk.session.document.q, talk.session.document.timeline.keys
    places = talk.session.figure.positions(first)

    talk.do("figure.add")
    assert talk.state["name"] == "human 2"
    assert [one["name"] for one in talk.state["others"]] == ["human 1"]
    figure, q = talk.session.figure, talk.session.document.q
    np.testing.assert_allclose(other(talk, 1), places, atol=1e-5)
    gap = figure.positions(q)[:, 0].min() - places[:, 0].max()
    assert gap == pytest.approx(0.1 * figure.size, abs=1e-6)
    np.testing.assert_allclose(
        figure.positions(q)[:, 1:], figure.positions(figure.rest)[:, 1:], atol=1e-9
    )
    assert talk.session.document.timeline.keys == ()
    ids = {e.id for e in talk.session.document.effectors}
    assert not ids & {e.id for e in talk.session.document.others[0].document.effectors}

    # What is done now is done to the second; the first stays.
    hand = talk.effector("RightHand")
    talk.drag(hand.id, moved(hand, y=0.25))
    talk.do("drop")
    second = talk.session.document.q
    np.testing.assert_allclose(other(talk, 1), places, atol=1e-5)
    talk.do("figure.activate", figure=1)
    np.testing.assert_array_equal(talk.session.document.q, first)
    assert talk.session.document.timeline.keys == keys
    np.testing.assert_allclose(other(talk, 2), figure.positions(second), atol=1e-5)
    assert talk.state["undo"] == "Pose human 1"
    talk.do("undo")
    np.testing.assert_array_equal(talk.session.document.q, second)
    talk.do("redo")

    # All of it is kept on disk, and a session of one figure reads as before.
    again = Session.restore(talk.session.dump(), talk.session.folder)
    assert again.document == talk.session.document
    talk.do("figure.remove", figure=2)
    assert talk.state["others"] == []
    assert talk.ask("figure.activate", figure=2)["error"] == "That figure is not there any more."


def test_the_others_follow_their_own_keys_and_leave_their_props_in_place(talk: Talk) -> None:
    talk.do("prop.add", kind="box")
    box = talk.state["scene"]["props"][0]["id"]
    talk.do("prop.hold", prop=box, joints=[talk.joint("LeftHand"), talk.joint("RightHand")])
    talk.do("key.insert", frame=0)
    held = talk.state["scene"]["props"][0]["position"]
    hips = talk.effector("Hips")
    talk.scrub(30.0)
    talk.drag(hips.id, moved(hips, y=-0.12))
    talk.do("drop")
    talk.do("key.insert", frame=30)
    low = talk.position("Hips")
    talk.scrub(0.0)
    talk.do("figure.add")
    np.testing.assert_allclose(talk.state["scene"]["props"][0]["position"], held, atol=1e-6)
    assert talk.state["scene"]["props"][0]["holds"] == []
    talk.scrub(30.0)
    own = talk.session.document.others[0].document
    figure = talk.session.figure
    np.testing.assert_allclose(figure.positions(own.q)[figure.index("Hips")], low, atol=1e-4)
    talk.do("figure.activate", figure=1)
    assert len(talk.state["scene"]["props"][0]["holds"]) == 2


def test_opening_a_figure_replaces_the_one_that_is_posed(talk: Talk) -> None:
    talk.do("figure.add")
    talk.do("builtin", name="hand")
    assert talk.figure["builtin"] == "hand"
    assert [one["name"] for one in talk.state["others"]] == ["human 1"]
    assert "fixed to the ground" in talk.ask("figure.add")["error"]
    talk.do("figure.activate", figure=1)
    assert talk.figure["builtin"] == "human"


@pytest.mark.parametrize("name", ["human", "cartwheel"])
def test_a_figure_that_is_opened_stands_beside_the_others(talk: Talk, name: str) -> None:
    first = talk.session.figure.positions(talk.session.document.q)
    talk.do("figure.add")
    talk.do("builtin", name=name)
    document, figure = talk.session.document, talk.session.figure
    places = figure.positions(document.q)
    assert places[:, 0].min() > first[:, 0].max() + 0.05 * figure.size
    for effector in document.effectors:  # pins hold it where it stands
        assert np.linalg.norm(places[figure.index(effector.joint)] - effector.position) < 0.2
    if name == "cartwheel":
        clip = document.timeline.clip
        assert clip is not None
        np.testing.assert_allclose(figure.positions(clip.q[0]), places, atol=2e-2)
        (own,) = talk.session.opened.clips
        way = figure.positions(clip.q) - figure.positions(own.read().q)
        np.testing.assert_allclose(way, np.broadcast_to(way[0, 0], way.shape), atol=1e-9)
        np.testing.assert_allclose(way[0, 0, 1:], 0.0, atol=1e-9)  # sideways
