"""limits_from: ranges that hold a clip, and no more than its margin beyond it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbik
from helpers import real_data
from limbik.animate.learn import limits_from
from limbik.figure.joints import (
    Coupling,
    Joint,
    exponential,
    free,
    prismatic,
    revolute,
    swing_twist,
)


@pytest.mark.parametrize("margin", [0.0, 10.0])
def test_the_clip_fits_exactly_and_slides_stay_free(margin: float) -> None:
    clip = limbik.figures.cartwheel()
    figure = clip.figure.with_limits(limits_from(clip, margin=margin))
    assert np.max(figure.violation(clip.q)) == 0.0
    turns = ~figure.slides
    wide = math.radians(margin)
    assert np.allclose(figure.lower[turns], clip.q.min(axis=0)[turns] - wide, atol=1e-15)
    assert np.allclose(figure.upper[turns], clip.q.max(axis=0)[turns] + wide, atol=1e-15)
    assert figure.slides.sum() == 3
    assert np.isinf(figure.lower[figure.slides]).all()


def test_a_real_clip() -> None:
    clip = limbik.load_motion(real_data.find("cmu_bvh/49_08.bvh"))
    figure = clip.figure.with_limits(limits_from(clip, margin=10.0))
    assert np.max(figure.violation(clip.q)) == 0.0
    beyond = np.where(figure.slides, 0.0, math.radians(10.001))
    assert figure.violation(clip.q.max(axis=0) + beyond) > 0.0
    same = clip.figure.with_limits(limits_from(clip, margin=math.radians(10.0), degrees=False))
    assert np.array_equal(same.upper, figure.upper)


def test_every_kind_of_joint() -> None:
    """A slide keeps its own limits, a coupled turn follows its driver, and a ball whose range
    would reach beyond its coordinates is left free there."""
    joints = [
        Joint("Root", parts=free(swing_twist("y"))),
        Joint("Rail", "Root", prismatic("x"), limit=limbik.Range(0.0, 2.0)),
        Joint("Finger1", "Rail", revolute("z")),
        Joint("Finger2", "Finger1", revolute("z", coupled=Coupling("Finger1", 0.5))),
        Joint("Ball", "Rail", exponential()),
    ]
    figure = limbik.Figure(joints)
    q = np.zeros((2, figure.n))
    where = {name: c for c, name in enumerate(figure.coordinates)}
    q[0, where["Root.swing1"]] = 2.9  # each allowed, their corner not
    q[1, [where["Root.swing2"], where["Root.twist"]]] = 2.9, 0.4
    q[1, where["Rail"]] = 1.0
    q[1, where["Finger1"]] = 1.0
    q[1, where["Ball.wx"]] = 0.3
    clip = limbik.Motion(figure, q, fps=1)
    assert np.max(figure.violation(q)) == 0.0
    limits = limits_from(clip, margin=0.0)
    assert set(limits) == {"Root", "Rail", "Finger1", "Ball"}
    assert np.isinf(limits["Root"].lower[:5]).all()  # three slides and the swing
    limited = figure.with_limits(limits)
    assert limited.upper[where["Root.twist"]] == clip.q[1, where["Root.twist"]]
    assert limited.upper[where["Rail"]] == 2.0
    assert limited.upper[where["Finger1"]] == 1.0
    assert limited.upper[where["Ball.wx"]] == 0.3
    assert np.max(limited.violation(clip.q)) == 0.0


@pytest.mark.parametrize("margin", [-1.0, math.nan, math.inf, "x", None, [1.0], 10**400])
def test_a_margin_that_cannot_be(margin: Any) -> None:
    with pytest.raises(limbik.FigureError, match="margin"):
        limits_from(limbik.figures.cartwheel(), margin=margin)
