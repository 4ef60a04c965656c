"""Undo and redo of anything, restarts, and sessions beside each other."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import limbik
from helpers.poser.poser_talk import Talk, moved
from limbik.poser.document.effector import Effector
from limbik.poser.editing.session import Session


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.builtin("human", tmp_path)


EFFECTORS = st.integers(1, 6)
SMALL = st.floats(-0.4, 0.4)
PLACE = st.tuples(SMALL, st.floats(0.2, 1.8), SMALL).map(list)
STEPS = st.one_of(
    st.tuples(st.just("drag"), EFFECTORS, PLACE),
    st.tuples(st.just("scrub"), st.floats(0.0, 130.0)),
    st.tuples(
        st.just("lock"),
        st.fixed_dictionaries({"joint": st.integers(0, 30), "on": st.booleans()}),
    ),
    st.tuples(
        st.just("coordinate.set"),
        st.fixed_dictionaries({"coordinate": st.integers(0, 73), "value": st.floats(-3.0, 3.0)}),
    ),
    st.tuples(
        st.just("effector.set"),
        st.fixed_dictionaries(
            {"effector": EFFECTORS},
            optional={
                "mode": st.sampled_from(["free", "pin", "aim"]),
                "position": PLACE,
                "weight": st.floats(0.1, 5.0),
                "wxyz": st.none() | st.just([1.0, 0.0, 0.0, 0.0]),
            },
        ),
    ),
    st.tuples(st.just("effector.add"), st.fixed_dictionaries({"joint": st.integers(0, 30)})),
    st.tuples(st.just("effector.remove"), st.fixed_dictionaries({"effector": EFFECTORS})),
    st.tuples(
        st.just("limit.set"),
        st.fixed_dictionaries(
            {
                "joint": st.sampled_from([5, 10]),
                "limit": st.just({"kind": "range", "lower": [-0.1], "upper": [0.2]}),
            }
        ),
    ),
    st.tuples(
        st.just("key.insert"),
        st.fixed_dictionaries(
            {"frame": st.integers(0, 120), "pose": st.just(True), "goals": st.booleans()}
        ),
    ),
    st.tuples(
        st.just("timeline.set"),
        st.fixed_dictionaries(
            {}, optional={"fps": st.sampled_from([24.0, 60.0]), "loop": st.booleans()}
        ),
    ),
    st.tuples(st.just("pose.store"), st.fixed_dictionaries({"name": st.text(max_size=8)})),
    st.tuples(
        st.sampled_from(
            ["pose.reset", "pose.mirror", "limits.none", "limits.file", "clip.remove", "undo"]
        ),
        st.just({}),
    ),
    st.tuples(
        st.just("builtin"), st.fixed_dictionaries({"name": st.sampled_from(["hand", "cartwheel"])})
    ),
    st.tuples(
        st.just("method.set"),
        st.fixed_dictionaries(
            {"name": st.just("projected_lm"), "settings": st.just({"iterations": 50})}
        ),
    ),
)  # fmt: skip


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(STEPS, min_size=1, max_size=12))
def test_undo_all_gives_the_first_document_and_redo_all_the_last(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Any, ...]]
) -> None:
    talk = Talk.builtin("human", tmp_path_factory.mktemp("session"))
    session, first = talk.session, talk.session.document
    unlabelled = 0
    for step in steps:
        if step[0] == "drag":
            talk.drag(step[1], step[2])
        elif step[0] == "scrub":
            unlabelled += not session.history.past
            talk.scrub(step[1])
        elif step[0] != "limit.set" or talk.figure["name"] == "human":
            before = session.document
            reply = talk.ask(step[0], **step[1])
            if "error" in reply:
                # What ended a drag may have changed the document, the command has not.
                assert session.document == before or session.history.undo_label is not None
        assert session.figure.violation(session.document.q) == 0.0
        assert session.figure.n == len(session.document.q)
    talk.ask("drop")
    while session.history.redo_label is not None:
        talk.do("redo")
    read = Session.restore(json.loads(json.dumps(session.dump(), allow_nan=False)), session.folder)
    assert read.document == session.document
    assert [s.label for s in read.history.past] == [s.label for s in session.history.past]
    for one, other in zip(read.history.past, session.history.past, strict=True):
        assert one.document == other.document
    last = session.document
    while session.history.undo_label is not None:
        talk.do("undo")
    if not unlabelled:  # scrubbing is no step, so that the first step begins where it led
        assert session.document == first
    while session.history.redo_label is not None:
        talk.do("redo")
    assert session.document == last


def test_a_session_goes_on_after_a_restart(talk: Talk) -> None:
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, y=0.2))
    talk.do("drop")
    talk.do("pose.store", name="wave")
    talk.do("builtin", name="cartwheel")
    saved = json.loads(json.dumps(talk.session.dump()))
    again = Talk(Session.restore(saved, talk.session.folder))
    assert again.hello["session"] == talk.session.id
    assert again.figure["id"] == talk.figure["id"]
    assert again.state["undo"] == "Open cartwheel"
    again.do("undo")
    assert [pose["name"] for pose in again.state["poses"]] == ["wave"]
    again.do("undo")
    again.do("undo")
    assert np.array_equal(again.session.document.q, limbik.figures.human().rest)
    assert again.ask("undo")["error"] == "There is nothing to undo."


def test_a_figure_in_memory_goes_on_after_a_restart(tmp_path: Path) -> None:
    figure = limbik.figures.chain(lengths=[0.5, 0.4, 0.3])
    held = Effector(7, figure.joints[-1], mode="pin", position=(0.1, 0.2, 0.3))
    session = Session.of_figure(figure, tmp_path, effectors=[held])
    read = Session.restore(json.loads(json.dumps(session.dump())), tmp_path)
    assert read.document == session.document
    assert read.figure.definition == figure.definition
    assert read.document.effectors == (held,)
    talk = Talk(read)
    assert talk.do("effector.add", joint=0)["effector"] == 8


def test_sessions_do_not_know_each_other(tmp_path: Path) -> None:
    """Ten of them drag at once in threads; each ends where it would alone."""
    talks = [Talk.builtin("human", tmp_path / str(k)) for k in range(10)]
    alone = Talk.builtin("human", tmp_path / "alone")

    def work(talk: Talk) -> None:
        hand = talk.effector("LeftHand")
        for k in range(30):
            talk.drag(hand.id, moved(hand, 0.01 * k, 0.01 * k, 0.005 * k))
        talk.do("drop")
        talk.do("limit.set", joint=5, limit={"kind": "range", "lower": [0.0], "upper": [0.1]})

    work(alone)
    threads = [threading.Thread(target=work, args=(talk,)) for talk in talks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for talk in talks:
        assert np.array_equal(talk.session.document.q, alone.session.document.q)
    assert limbik.figures.human().definition[5].limit != alone.session.figure.definition[5].limit


def test_a_method_that_must_be_compiled_is_announced(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    talk.session.report_preparing = said.append
    monkeypatch.setattr("limbik.poser.editing.editor.is_ready", lambda name: False)
    monkeypatch.setattr("limbik.poser.editing.editor.SOON", 60.0)
    talk.do("method.set", name="projected_lm", settings={"iterations": 30})
    assert said == []  # it was there soon enough
    monkeypatch.setattr("limbik.poser.editing.editor.SOON", 0.0)
    monkeypatch.setattr("limbik.poser.editing.editor.prepare", lambda name: wait_for(said))
    talk.do("method.set", name="projected_lm", settings={"iterations": 40})
    assert len(said) == 2
    assert "projected_lm" in said[0]
    assert said[1] == ""  # until it is ready the sentence stays on the page


def wait_for(said: list[str]) -> None:
    end = time.monotonic() + 30.0
    while not said and time.monotonic() < end:
        time.sleep(0.001)


def test_a_knob_that_rests_in_the_hand_makes_one_step(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 1000, 100))  # seconds
    monkeypatch.setattr("limbik.poser.editing.session.time.monotonic", lambda: float(next(clock)))
    first = talk.session.document
    for upper, held in ((0.3, True), (0.2, True), (0.1, False), (0.05, False)):
        limit = {"kind": "range", "lower": [0.0], "upper": [upper]}
        talk.do("limit.set", joint=5, limit=limit, held=held)
    assert talk.session.history.past[0].document == first
    assert len(talk.session.history.past) == 2
    talk.do("undo")
    talk.do("undo")
    assert talk.session.document == first
    # A page that vanished with a knob in its hand has let it go.
    limits = [{"kind": "range", "lower": [0.0], "upper": [upper]} for upper in (0.3, 0.2)]
    talk.do("limit.set", joint=5, limit=limits[0], held=True)
    talk.session.greeting()
    talk.id = 0
    talk.do("limit.set", joint=5, limit=limits[1])
    assert len(talk.session.history.past) == 2


def test_two_effectors_of_one_joint_are_two_steps(talk: Talk) -> None:
    hand = talk.effector("LeftHand")
    other = talk.do("effector.add", joint=talk.joint("LeftHand"), at=[0.0, 0.05, 0.0])["effector"]
    steps = len(talk.session.history.past)
    for effector in (hand.id, hand.id, other):
        talk.do("effector.set", effector=effector, weight=2.0 + effector)
    assert len(talk.session.history.past) == steps + 2
