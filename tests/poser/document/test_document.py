"""Documents: equal where they are, shared where they did not change, whole after a restart."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from limbik import Range, SwingTwist
from limbik.figure.joints import (
    Coupling,
    Joint,
    Slide,
    Turn,
    exponential,
    free,
    revolute,
    swing_twist,
)
from limbik.poser.document import codec as document_json
from limbik.poser.document import figure_codec as figure_json
from limbik.poser.document.clip import Clip
from limbik.poser.document.clip_files import ClipFiles
from limbik.poser.document.document import Choice, Document, Effector, Source, StoredPose
from limbik.poser.document.history import LONGEST, History, Step
from limbik.poser.document.timeline.keys import Key, Target
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.files.open import open_source

HUMAN = Source("builtin", "human")


def document(n: int = 4, **changes: object) -> Document:
    return replace(Document(HUMAN, np.arange(float(n))), **changes)  # type: ignore[arg-type]


def full(n: int = 4) -> Document:
    """A document with something in every field."""
    q = np.linspace(-1.0, 1.0, n)
    key = Key(3, 5, q, {1: Target((1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0), "pin")}, 7)
    clip = Clip(np.arange(6.0 * n).reshape(6, n) / 7.0, 29.97, "walk")
    return document(
        n,
        source=Source("files", "walk.bvh", ("opened/ab/walk.bvh",)),
        balls="swing-twist",
        limits=MappingProxyType(
            {
                "Arm": limbik.SwingTwist(swing=(0.5, 0.7), center=(0.1, -0.1), twist=(-1.0, 2.0)),
                "Leg": limbik.Range([-math.inf, -1.0], [0.5, math.inf]),
                "Toe": None,
            }
        ),
        effectors=(Effector(1, "Arm", (0.1, 0.2, 0.3), "aim", (1.0, 2.0, 3.0)), Effector(2, "Leg")),
        locked=("Leg",),
        method=Choice("fabrik", MappingProxyType({"iterations": 20})),
        compare=Choice(),
        timeline=Timeline(fps=29.97, frames=6, keys=(key,), clip=clip, next_id=4),
        frame=2.5,
        poses=(StoredPose(4, "stand", q + 1.0),),
        floor=False,
        next_id=9,
    )


# ---- documents ----------------------------------------------------------------------------------


def test_a_pose_in_a_document_cannot_be_changed() -> None:
    q = np.zeros(3)
    made = Document(HUMAN, q)
    q[0] = 7.0
    assert made.q[0] == 0.0
    with pytest.raises(ValueError):
        made.q[0] = 1.0


@pytest.mark.parametrize(
    "change",
    [
        {"q": np.array([0.0, 1.0, 2.0, 3.5])},
        {"source": Source("builtin", "hand")},
        {"balls": "euler"},
        {"limits": MappingProxyType({"Arm": None})},
        {"effectors": (Effector(1, "Arm"),)},
        {"locked": ("Arm",)},
        {"method": Choice("fabrik")},
        {"compare": Choice()},
        {"timeline": Timeline(fps=25.0)},
        {"frame": 1.0},
        {"poses": (StoredPose(1, "a", np.zeros(4)),)},
        {"floor": False},
        {"next_id": 2},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_field_counts_when_documents_are_compared(change: dict[str, object]) -> None:
    assert document() == document()
    assert document(**change) != document()
    assert document(**change) == document(**change)


# ---- history ------------------------------------------------------------------------------------


def test_undo_and_redo_go_back_and_forth() -> None:
    a, b, c = (document(frame=float(k)) for k in range(3))
    history = History()
    history.did("first", a)
    history.did("second", b)
    assert (history.undo_label, history.redo_label) == ("second", None)
    assert history.undo(c) is b
    assert (history.undo_label, history.redo_label) == ("first", "second")
    assert history.undo(b) is a
    assert history.undo(a) is None
    assert history.redo(a) is b
    assert history.redo(b) is c
    assert history.redo(c) is None


def test_something_new_forgets_what_could_be_redone() -> None:
    a, b = document(frame=0.0), document(frame=1.0)
    history = History()
    history.did("first", a)
    history.undo(b)
    history.did("other", a)
    assert history.redo_label is None
    assert [step.label for step in history.past] == ["other"]


def test_two_hundred_steps_are_kept() -> None:
    history = History()
    for k in range(LONGEST + 30):
        history.did(str(k), document(frame=float(k)))
    assert len(history.past) == LONGEST == 200
    assert history.past[0].label == "30"


def test_steps_merge_when_they_follow_at_once() -> None:
    history = History()
    for k, seconds in enumerate((0.0, 0.5, 1.4, 3.0)):
        history.did("Limit Arm", document(frame=float(k)), merge="Arm", seconds=seconds)
    history.did("Limit Leg", document(frame=9.0), merge="Leg", seconds=3.1)
    assert [step.document.frame for step in history.past] == [0.0, 3.0, 9.0]


def test_steps_of_one_gesture_are_one_however_long_it_rests() -> None:
    history = History()
    for k, (seconds, held) in enumerate([(0.0, True), (60.0, True), (90.0, False), (95.0, False)]):
        history.did("Limit", document(frame=float(k)), merge="Arm", seconds=seconds, held=held)
    assert [step.document.frame for step in history.past] == [0.0, 3.0]
    history.did("Limit", document(frame=9.0), merge="Leg", seconds=95.1, held=True)
    history.end_merging()
    history.did("Limit", document(frame=10.0), merge="Leg", seconds=99.0)
    assert [step.document.frame for step in history.past] == [0.0, 3.0, 9.0, 10.0]


def test_steps_with_large_clips_are_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limbik.poser.document.history.LARGEST_CLIPS", 1000)
    history = History()
    clips = [Clip(np.full((10, 4), float(k)), 30.0) for k in range(5)]  # 320 bytes each
    for clip in (*clips, clips[-1]):
        history.did("Open", document(timeline=Timeline.over(clip)))
    kept = [step.document.timeline.clip for step in history.past]
    assert kept == [*clips[2:], clips[-1]]


# ---- on disk ------------------------------------------------------------------------------------


def round_trip(snapshot: document_json.Snapshot, folder: Path) -> document_json.Snapshot:
    saved = document_json.dump(snapshot, ClipFiles(folder))
    read = json.loads(json.dumps(saved, allow_nan=False))
    return document_json.load(read, ClipFiles(folder))


def test_everything_survives(tmp_path: Path) -> None:
    first = full()
    second = replace(first, frame=3.0, effectors=first.effectors[:1])
    now = document_json.Snapshot(second, (Step("Move", first),), (Step("Turn", document()),))
    read = round_trip(now, tmp_path)
    assert read.document == second
    assert read.past[0].document == first
    assert [step.label for step in read.past + read.future] == ["Move", "Turn"]
    assert read.future[0].document == document()
    clip = read.document.timeline.clip
    assert clip is not None
    assert clip == first.timeline.clip
    # What was shared is shared again.
    assert read.past[0].document.timeline is read.document.timeline
    assert read.past[0].document.effectors[0] is read.document.effectors[0]


def test_a_history_of_two_hundred_drags_stays_small(tmp_path: Path) -> None:
    start = full(74)
    steps = []
    for k in range(200):
        moved = replace(start.effectors[0], position=(k / 7.0, 0.0, 0.0))
        steps.append(
            Step("Move", replace(start, q=start.q + k, effectors=(moved, start.effectors[1])))
        )
    files = ClipFiles(tmp_path)
    saved = document_json.dump(document_json.Snapshot(start, tuple(steps)), files)
    assert len(json.dumps(saved)) < 200 * (74 * 20 + 1000)
    assert len(list(tmp_path.glob("clips/*.npz"))) == 1


def test_clips_that_nobody_names_any_more_go_one_save_later(tmp_path: Path) -> None:
    files = ClipFiles(tmp_path)
    one = full()
    two = replace(one, timeline=replace(one.timeline, clip=Clip(np.ones((6, 4)), 30.0, "other")))
    document_json.dump(document_json.Snapshot(one), files)
    (first,) = tmp_path.glob("clips/*.npz")
    document_json.dump(document_json.Snapshot(two), files)
    assert first.exists()  # what is on disk may still be the save before
    assert len(list(tmp_path.glob("clips/*.npz"))) == 2
    document_json.dump(document_json.Snapshot(two), files)
    assert not first.exists()


@pytest.mark.parametrize("lost", ["parts", "document", "past"])
def test_a_damaged_save_is_refused(tmp_path: Path, lost: str) -> None:
    files = ClipFiles(tmp_path)
    saved = document_json.dump(document_json.Snapshot(full()), files)
    del saved[lost]
    with pytest.raises(limbik.LimbikError, match="damaged"):
        document_json.load(saved, files)


def test_a_lost_clip_is_named(tmp_path: Path) -> None:
    saved = document_json.dump(document_json.Snapshot(full()), ClipFiles(tmp_path))
    for path in tmp_path.glob("clips/*.npz"):
        path.write_bytes(b"nothing")
    with pytest.raises(limbik.LimbikError, match="clip cannot be read"):
        document_json.load(saved, ClipFiles(tmp_path))


# ---- figures in memory --------------------------------------------------------------------------


def odd_figure() -> limbik.Figure:
    """Every kind of part, limit and placement."""
    tilted = (math.cos(0.3), math.sin(0.3), 0.0, 0.0)
    cone = limbik.SwingTwist(swing=(0.4, 0.9), twist=(-0.5, math.inf), center=(0.1, 0.2))
    third = Coupling("Two.ry", 0.5, 0.1)
    return limbik.Figure(
        [
            Joint("One", parts=exponential("z"), limit=limbik.SwingTwist(swing=1.0)),
            Joint("Two", "One", (Slide((1.0, 0.0, 0.0)), Turn((0.0, 1.0, 0.0))), (0.1, 0.2, 0.3),
                  limit=limbik.Range([-1.0, -math.inf], [1.0, 0.5])),
            Joint("Three", "Two", revolute("x", coupled=third), (1.0, 0.0, 0.0), tilted),
            Joint("Four", "Three", swing_twist("y", "x"), (0.0, 1.0, 0.0), limit=cone,
                  tip=(0.0, 0.5, 0.0), alias="fourth"),
        ],
        rest=[0.1, 0.2, 0.3, 0.4, 0.2, 0.1, 0.3, 0.2],
        name="odd",
        unit="cm",
        up="z",
    )  # fmt: skip


def test_a_figure_in_memory_survives(tmp_path: Path) -> None:
    figure = odd_figure().with_speed_limits(2.0)
    first = figure.joints[0]
    figure = figure.with_masses({first: 2.0}).with_shapes([limbik.Sphere(1.0, joint=first)])
    clip = limbik.Motion(figure, np.tile(figure.rest, (3, 1)), 24.0, "still")
    figure_json.write(tmp_path / "figure.json", figure_json.Kept(figure, (clip,)))
    kept = figure_json.read(tmp_path / "figure.json")
    read = kept.figure
    assert read.definition == figure.definition
    assert read.physical == figure.physical
    assert np.array_equal(read.rest, figure.rest)
    assert (read.name, read.unit, read.up) == ("odd", "cm", "z")
    (motion,) = kept.motions
    assert (motion.name, motion.fps) == ("still", 24.0)
    assert np.array_equal(motion.q, clip.q)
    assert motion.figure is read


@settings(max_examples=40, deadline=None)
@given(
    low=st.lists(st.floats(-3.0, 0.0) | st.just(-math.inf), min_size=1, max_size=3),
    high=st.floats(0.0, 3.0) | st.just(math.inf),
)
def test_any_range_survives(low: list[float], high: float) -> None:
    limit = limbik.Range(low, [high] * len(low))
    text = json.dumps(figure_json.limit_to_json(limit), allow_nan=False)
    assert figure_json.limit_from_json(json.loads(text)) == limit


def test_something_else_is_no_kept_figure(tmp_path: Path) -> None:
    (tmp_path / "figure.json").write_text('{"name": "x"}')
    with pytest.raises(limbik.FormatError, match=r"figure\.json: is not a kept figure"):
        figure_json.read(tmp_path / "figure.json")


def test_what_a_cone_leaves_to_the_slides_is_kept(tmp_path: Path) -> None:
    sliding = Range([-0.1, -0.2, -0.3], [0.1, 0.2, 0.3])
    cone = SwingTwist(swing=0.5)
    joint = Joint("A", parts=free(swing_twist("y")), limit=cone, slide_limit=sliding)
    figure_json.write(tmp_path / "figure.json", figure_json.Kept(limbik.Figure([joint])))
    kept = figure_json.read(tmp_path / "figure.json").figure
    assert kept.definition == (joint,)
    np.testing.assert_allclose(kept.project(np.full(6, 0.9))[:3], [0.1, 0.2, 0.3])


def test_a_saved_chain_of_eight_links_stays_one(tmp_path: Path) -> None:
    """ "chain" had eight links in the poser, and has the library's three now."""
    for n, name in ((8, "chain of 8"), (3, "chain")):
        saved = round_trip(
            document_json.Snapshot(document(n, source=Source("builtin", "chain"))), tmp_path
        )
        assert saved.document.source.name == name
        figure = open_source(saved.document.source, tmp_path).figure
        assert figure.n == n
