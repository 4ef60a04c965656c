"""A cone for a joint that turned by three angles: the balls change, and nothing moves."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from helpers import real_data
from helpers.poser.poser_talk import Talk
from limbik.poser.editing.session import Session


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk(Session.builtin("human", tmp_path))
    talk.do("open", files=talk.upload(real_data.find("cmu_bvh/02_01.bvh")))
    talk.do("limits.file")  # without the anatomical limits that a body starts with
    return talk


def test_three_angles_become_swing_and_twist(talk: Talk) -> None:
    joint = talk.joint("LeftArm")
    assert talk.figure["joints"][joint]["kind"] == "ball (ZYX)"
    assert talk.pose is not None
    before = talk.pose.positions
    reply = talk.do("limit.cone", joint=joint)
    assert reply["dropped"] == []
    assert talk.figure["joints"][joint]["kind"] == "ball (swing–twist)"
    cone = talk.state["limits"][joint]
    assert cone["kind"] == "cone"
    assert cone["center"] == [0.0, 0.0]
    c = talk.session.figure.coordinates_of("LeftArm")
    s1, s2, twist = talk.session.document.q[c]
    assert cone["swing"] == pytest.approx([max(math.pi / 3, 1.1 * math.hypot(s1, s2))] * 2)
    assert cone["twist"][0] <= twist <= cone["twist"][1]
    np.testing.assert_allclose(talk.pose.positions, before, atol=1e-5 * talk.session.figure.size)
    talk.do("undo")
    assert talk.figure["joints"][joint]["kind"] == "ball (ZYX)"
    assert talk.state["limits"][joint] is None


def test_ranges_of_other_balls_are_named_where_they_are_dropped(talk: Talk) -> None:
    arm, leg = talk.joint("LeftArm"), talk.joint("LeftLeg")
    wide = {"kind": "range", "lower": [-3.0, -3.0, -3.0], "upper": [3.0, 3.0, 3.0]}
    talk.do("limit.set", joint=leg, limit=wide)
    assert talk.do("limit.cone", joint=arm)["dropped"] == ["LeftLeg"]
    assert talk.state["edited"] == [arm]
    # The balls have their coordinates now: the next cone costs nothing.
    assert talk.do("limit.cone", joint=leg)["dropped"] == []
    assert talk.state["edited"] == [leg, arm]


def test_a_root_has_no_cone(talk: Talk) -> None:
    reply = talk.ask("limit.cone", joint=0)
    assert reply["error"] == "Hips does not swing every way, so that a cone does not fit it."
    assert talk.state["edited"] == []
