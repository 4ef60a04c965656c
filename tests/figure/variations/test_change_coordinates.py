"""Limits of balls in other coordinates: ranges that lie beyond half a turn."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.real_data import find
from limbik.figure.joints import Joint, euler


@pytest.mark.parametrize("kind", ["swing-twist", "exponential"])
@pytest.mark.parametrize(
    ("low", "high", "degrees"),
    [(200.0, 300.0, 100.0), (-300.0, -200.0, 100.0), (330.0, 390.0, 60.0), (-20.0, 50.0, 70.0)],
)
def test_a_range_beyond_half_a_turn_is_enclosed(
    kind: str, low: float, high: float, degrees: float
) -> None:
    """The bone's twist is as wide as the range, and a little more for the swing and to spare."""
    ends = limbik.Range((-10.0, low, -10.0), (10.0, high, 10.0), degrees=True)
    joint = Joint("bone", "base", euler("ZYX"), (0.0, 1.0, 0.0), limit=ends, tip=(0.0, 1.0, 0.0))
    figure = limbik.Figure([Joint("base"), joint])
    other = figure.with_balls(kind)
    limit = other.definition[1].limit
    assert isinstance(limit, limbik.SwingTwist)
    assert 0.0 < np.degrees(limit.twist[1] - limit.twist[0]) - degrees < 8.0
    for q in np.random.default_rng(0).uniform(ends.lower, ends.upper, (100, 3)):
        carried = limbik.Motion(figure, q[None], 30.0).onto(other).q
        np.testing.assert_allclose(other.frames(carried), figure.frames(q[None]), atol=1e-9)
        assert other.violation(carried[0]) == 0.0


@pytest.mark.parametrize("kind", ["swing-twist", "exponential", "euler"])
def test_wide_ranges_of_a_file_fit_every_kind_of_ball(kind: str) -> None:
    """CMU's upper arms: their Euler ranges reach twists of almost half a turn."""
    figure = limbik.load(find("cmu_asfamc/02.asf"))
    other = figure.with_balls(kind)
    low, high = (np.where(np.isfinite(end), end, 0.0) for end in (figure.lower, figure.upper))
    for pose in np.random.default_rng(1).uniform(low, high, (20, figure.n)):
        carried = limbik.Motion(figure, pose[None], 120.0).onto(other).q[0]
        assert other.violation(carried) < 1e-9


def test_balls_around_a_pose_have_their_zero_there() -> None:
    """The rest pose and the motion stay; what is kept, and what is limited, keeps its own zero."""
    human = limbik.figures.human()
    bare = human.with_limits(dict.fromkeys(human.joints)).with_balls("euler", keep=["Head"])
    assert bare.definition[bare.index("Head")].parts == human.definition[human.index("Head")].parts
    limited = bare.with_limits({"LeftArm": limbik.Range(-1.0, 1.0)})
    pose = np.random.default_rng(3).uniform(-1.0, 1.0, bare.n)
    moved = limited.with_balls("swing-twist", keep=["Hips", "Head"], around=limited.project(pose))
    assert np.allclose(moved.positions(moved.rest), limited.positions(limited.rest), atol=1e-9)
    q = limbik.Motion(limited, limited.project(pose)[None], 1.0).onto(moved).q[0]
    assert q[moved.coordinates_of("LeftUpLeg")] == pytest.approx(np.zeros(3), abs=1e-9)
    assert np.abs(q[moved.coordinates_of("LeftArm")]).max() > 0.1
    assert np.abs(q[moved.coordinates_of("Head")]).max() > 0.1
    assert np.allclose(moved.positions(q), limited.positions(limited.project(pose)), atol=1e-9)
