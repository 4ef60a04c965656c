"""Foot locks: a held contact of the timeline keeps its joint in place, in keys and clips."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import limbik
from limbik.poser.animation.in_betweens import bake, player
from limbik.poser.document.timeline.contact_span import ContactSpan
from limbik.poser.document.timeline.keys import Key
from limbik.poser.document.timeline.timeline import Timeline

HUMAN = limbik.figures.human()
CLIP = limbik.figures.cartwheel()[::4]


def held(joint: str, start: int, end: int, id: int = 1) -> ContactSpan:
    return ContactSpan(id, joint, start, end, held=True)


def way(motion: limbik.Motion, joint: str) -> np.ndarray:
    return motion.figure.positions(motion.q, [joint])[:, 0]


@pytest.fixture(scope="module")
def keys() -> Timeline:
    """The body goes half a metre ahead from key to key, feet and all."""
    slide = int(np.flatnonzero(HUMAN.slides)[2])
    q = HUMAN.rest.copy()
    q[slide] += 0.3
    timeline = Timeline(frames=41)
    return timeline.with_key(Key(1, 0, HUMAN.rest)).with_key(Key(2, 40, q))


def test_a_foot_is_held_between_keys_from_frame_to_frame(keys: Timeline) -> None:
    free = bake(HUMAN, keys, HUMAN.rest)
    locked = bake(HUMAN, replace(keys, contacts=(held("LeftFoot", 12, 22),)), HUMAN.rest)
    foot, before = way(locked, "LeftFoot"), way(free, "LeftFoot")
    assert np.abs(before[12:22] - before[12]).max() > 0.05
    assert np.abs(foot[12:22] - before[12]).max() < 1e-3
    # The sole stays as flat as it was, and the toes with it.
    toes = way(locked, "LeftToeBase")[12:22]
    assert np.abs(toes - toes[0]).max() < 2e-3
    # A fifth of a second before and after, nothing is held; the way there has no step.
    np.testing.assert_allclose(locked.q[[0, 3, 33, 40]], free.q[[0, 3, 33, 40]])
    steps = np.linalg.norm(np.diff(foot, axis=0), axis=1)
    assert steps.max() < 0.06
    assert HUMAN.violation(locked.q).max() == 0.0


def test_a_foot_is_held_in_a_clip_and_edits_stay(keys: Timeline) -> None:
    figure = CLIP.figure
    timeline = replace(Timeline.over(CLIP), contacts=(held("LeftFoot", 20, 34),))
    free, locked = CLIP, bake(figure, timeline, CLIP.q[0])
    foot = way(locked, "LeftFoot")
    assert np.abs(way(free, "LeftFoot")[20:34] - way(free, "LeftFoot")[20]).max() > 0.05
    assert np.abs(foot[20:34] - foot[20]).max() < 3e-3
    np.testing.assert_allclose(locked.q[80:], figure.project(free.q)[80:])


def test_two_locks_of_one_foot_share_the_time_between_them(keys: Timeline) -> None:
    contacts = (held("LeftFoot", 5, 15, 1), held("LeftFoot", 18, 30, 2))
    motion = bake(HUMAN, replace(keys, contacts=contacts), HUMAN.rest)
    foot = way(motion, "LeftFoot")
    assert np.abs(foot[5:15] - foot[5]).max() < 1e-3
    assert np.abs(foot[18:30] - foot[18]).max() < 1e-3
    assert np.linalg.norm(foot[18] - foot[14]) > 0.02


def test_scrubbing_shows_what_is_saved_and_nothing_is_held_without_locks(keys: Timeline) -> None:
    timeline = replace(keys, contacts=(held("RightFoot", 10, 20),))
    ready = player(HUMAN, timeline, ())
    assert ready is not None
    np.testing.assert_array_equal(ready.at(15.0).q, ready.poses()[15])
    loose = replace(keys, contacts=(replace(timeline.contacts[0], held=False),))
    np.testing.assert_array_equal(bake(HUMAN, loose, HUMAN.rest).q, bake(HUMAN, keys, HUMAN.rest).q)
