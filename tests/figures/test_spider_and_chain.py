"""The spider and the planar chain."""

from __future__ import annotations

import math

import numpy as np
import pytest

from limbik.errors import FigureError
from limbik.figure.limits import Range
from limbik.figures import chain, spider

FEET = [f"{side}{k}Foot" for side in "LR" for k in range(1, 5)]


def test_spider_counts_and_limits() -> None:
    fig = spider()
    assert (len(fig.joints), fig.n) == (41, 38)
    turns = ~fig.slides
    assert np.isfinite([fig.lower[turns], fig.upper[turns]]).all()
    assert fig.violation(fig.rest) == 0.0
    assert all(fig.definition[fig.index(foot)].parts == () for foot in FEET)


def test_spider_stands_on_eight_feet_around_its_body() -> None:
    fig = spider()
    at = fig.positions(fig.rest)
    feet = at[[fig.index(foot) for foot in FEET]]
    np.testing.assert_allclose(feet[:, 1], 0.0, atol=1e-12)
    assert (feet[:4, 0] > 0.3).all()
    assert (feet[4:, 0] < -0.3).all()
    assert (np.diff(feet[:4, 2]) < 0).all()  # front to back
    knees = at[[fig.index(foot.replace("Foot", "Tibia")) for foot in FEET]]
    assert (knees[:, 1] > at[0, 1] + 0.1).all()  # above the body


@pytest.mark.parametrize(("part", "axis"), [("Coxa", 2), ("Femur", 1)])
def test_spider_legs_move_forward_and_up_on_both_sides(part: str, axis: int) -> None:
    fig = spider()
    for side in "LR":
        q = fig.rest.copy()
        q[fig.coordinates_of(f"{side}2{part}")] += 0.3
        moved = (fig.positions(q) - fig.positions(fig.rest))[fig.index(f"{side}2Foot")]
        assert moved[axis] > 0.05


def test_chain_lies_along_x_and_ends_in_a_tip() -> None:
    fig = chain()
    assert (fig.joints, fig.n) == (("Joint1", "Joint2", "Joint3", "Tip"), 3)
    np.testing.assert_allclose(fig.positions(np.zeros(3))[:, 0], [0, 1, 2, 2.5])
    assert not np.isfinite(fig.upper).any()


def test_chain_bends_in_its_plane() -> None:
    fig = chain([2, 1])
    q = np.radians([30, 45])
    tip = fig.positions(q)[-1]
    expected = 2 * np.exp(1j * q[0]) + np.exp(1j * q.sum())
    np.testing.assert_allclose(tip, [expected.real, expected.imag, 0], atol=1e-12)


def test_chain_limits_hold_for_every_hinge() -> None:
    fig = chain(np.ones(5), limits=Range(-90, 60, degrees=True))
    np.testing.assert_allclose(np.degrees(fig.lower), -90)
    np.testing.assert_allclose(np.degrees(fig.upper), 60)
    assert fig.violation(np.full(5, 2.0)) > 0.0


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([], "at least one length"),
        ([[1, 2]], "at least one length"),
        (3.0, "at least one length"),
        ([1, -1], "length 2 is -1"),
        ([0, 1], "length 1 is 0"),
        ([1, 1, math.nan], "length 3 is nan"),
        ([math.inf], "length 1 is inf"),
        (["long"], "must be numbers"),
        (None, "must be numbers|at least one"),
    ],
)
def test_chain_refuses_lengths_that_cannot_be(lengths: object, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        chain(lengths)  # type: ignore[arg-type]
