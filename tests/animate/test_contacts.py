"""Contacts with the ground: found by height and speed, in any unit, whichever way time runs."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik.animate.contacts import Contact, find_contacts, find_ground, metre, speeds
from tests.helpers import real_data

FEET = ("LeftFoot", "LeftToeBase", "RightFoot", "RightToeBase")


@pytest.fixture(scope="module")
def walk() -> limbik.Motion:
    return limbik.load_motion(real_data.find("cmu_bvh/02_01.bvh"))[1:]


def test_a_walk_steps_left_and_right_in_turn(walk: limbik.Motion) -> None:
    steps = [c for c in find_contacts(walk) if c.joint in ("LeftFoot", "RightFoot")]
    assert [c.joint for c in steps] == ["LeftFoot", "RightFoot"] * 2 + ["LeftFoot"]
    assert all(30 < c.end - c.start < 80 for c in steps)  # 0.25 to 0.67 s of a walking stance
    ahead = [c.point[2] for c in steps]
    stride = np.diff(ahead) / metre(walk.figure)
    assert (np.abs(stride) > 0.4).all()
    assert len({*np.sign(stride)}) == 1


def test_contacts_do_not_depend_on_the_unit_or_on_which_axis_is_up(walk: limbik.Motion) -> None:
    other = walk.in_units("mm", up="z", from_unit="in", from_up="y")
    here, there = find_contacts(walk), find_contacts(other)
    assert [(c.joint, c.start, c.end) for c in here] == [(c.joint, c.start, c.end) for c in there]
    turned = np.array([c.point for c in here])[:, [0, 2, 1]] * [25.4, -25.4, 25.4]
    assert np.allclose([c.point for c in there], turned, atol=1e-6)


def test_a_floor_that_rises_is_followed_wherever_the_clip_begins(walk: limbik.Motion) -> None:
    """Toes are 4 cm higher in the last step of this walk than in the first."""
    steps = [c for c in find_contacts(walk) if c.joint in FEET]
    heights = [c.point[1] / metre(walk.figure) for c in steps if c.joint == "LeftToeBase"]
    assert heights[-1] - heights[0] > 0.03
    for first in (90, 150, 220):
        late = [(c.joint, c.start, c.end) for c in steps if c.start > first + 30]
        part = find_contacts(walk[first:], FEET)
        found = [(c.joint, c.start + first, c.end + first) for c in part if c.start > 30]
        assert found == late


def test_time_may_run_backwards(walk: limbik.Motion) -> None:
    back = limbik.Motion(walk.figure, walk.q[::-1], walk.fps)
    mirrored = {(c.joint, walk.frames - c.end, walk.frames - c.start) for c in find_contacts(back)}
    assert {(c.joint, c.start, c.end) for c in find_contacts(walk)} == mirrored


def test_a_point_is_the_mean_place_of_the_joint(walk: limbik.Motion) -> None:
    for contact in find_contacts(walk):
        places = walk.figure.positions(walk.q[contact.start : contact.end], contact.joint)
        assert np.allclose(contact.point, places.mean(axis=0))
        slide = np.ptp(places, axis=0).max() / metre(walk.figure)
        assert slide < 0.06


def test_the_cartwheel_puts_both_hands_down_while_its_feet_are_up() -> None:
    clip = limbik.figures.cartwheel()
    found = find_contacts(clip)
    hands = [c for c in found if c.joint in ("LeftHand", "RightHand")]
    assert {c.joint for c in hands} == {"LeftHand", "RightHand"}
    middle = (hands[0].start + hands[0].end) // 2
    assert sum(middle in c.frames for c in found if c.joint in FEET) < 4
    assert abs(find_ground(clip)) < 0.01


def test_joints_may_be_named_and_a_still_figure_rests(walk: limbik.Motion) -> None:
    still = limbik.Motion(walk.figure, np.repeat(walk.q[40:41], 60, axis=0), walk.fps)
    found = find_contacts(still, ["LeftToeBase"])
    assert found == (Contact("LeftToeBase", 0, 60, found[0].point),)
    assert find_contacts(still, ["Head"]) == ()
    with pytest.raises(limbik.FigureError, match="LeftToeBase"):
        find_contacts(still, ["LeftToBase"])
    with pytest.raises(limbik.FigureError, match="needs a Motion"):
        find_contacts(walk.figure)  # type: ignore[arg-type]


def test_speeds_are_lengths_per_second() -> None:
    line = np.arange(30.0)[:, None] * [0.3, 0.4, 0.0]
    assert np.allclose(speeds(line, 120.0), 60.0)
