"""What ``check`` measures, on motions whose slides, depths, jerks and speeds are known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.command_line import Ran
from limbik.animate.check import jerk, width
from limbik.animate.contacts import Contact
from limbik.errors import FigureError, GoalError
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, revolute
from limbik.figure.motion import Motion


def standing(slide: float = 0.0, frames: int = 61) -> Motion:
    """A body that stands for a second at 60 fps while all of it slides, in m, along x and z."""
    figure = limbik.figures.human()
    q = np.tile(figure.rest, (frames, 1))
    share = np.linspace(0.0, 1.0, frames)
    q[:, 0] += 0.6 * slide * share
    q[:, 2] += 0.8 * slide * share
    return Motion(figure, q, 60.0)


def hinge(angles: np.ndarray, fps: float = 100.0) -> Motion:
    limit = limbik.Range(-1.0, 1.0, degrees=False)
    figure = Figure([Joint("Base"), Joint("Hinge", "Base", revolute("x"), limit=limit)], unit="m")
    return Motion(figure, angles[:, None], fps)


def test_the_slide_of_a_contact_is_what_it_moved() -> None:
    still, moving = limbik.check(standing()), limbik.check(standing(0.020))
    assert {contact.joint for contact in still.contacts} >= {"LeftFoot", "RightFoot"}
    np.testing.assert_allclose(still.slide_mm, 0.0, atol=1e-9)
    assert still.sliding == 0.0
    np.testing.assert_allclose(moving.slide_mm, 20.0, rtol=2e-3)
    assert moving.sliding == 1.0  # 2 cm/s
    assert [c.end - c.start for c in moving.contacts] == [61] * len(moving.contacts)
    assert moving.ok
    assert moving.unit_known


def test_what_is_below_the_ground() -> None:
    motion = standing()
    report = limbik.check(motion)
    assert report.penetration_mm == pytest.approx(0.0, abs=1e-9)
    deep = limbik.check(motion, ground=report.ground + 0.012)
    assert deep.penetration_mm == pytest.approx(12.0)
    assert deep.heights.shape == (61,)


def test_given_contacts_are_measured() -> None:
    contact = Contact("LeftHand", 10, 41, (0.0, 0.0, 0.0))
    report = limbik.check(standing(0.06), contacts=(contact,))
    assert [c.joint for c in report.contacts] == ["LeftHand"]
    assert report.slide_mm[0] == pytest.approx(30.0, rel=2e-3)


def test_contacts_of_a_source_in_another_unit_and_frame_rate() -> None:
    source = standing(0.010).in_units("cm")
    report = limbik.check(standing(0.020).resample(30.0), source=source)
    assert len(report.contacts) >= 2
    for contact in report.contacts:
        assert contact.source_slide_mm == pytest.approx(10.0, rel=2e-3)
        assert contact.slide_mm == pytest.approx(20.0, rel=2e-3)
        assert (contact.start, contact.end) == (0, 31)
    assert report.source_jerk == pytest.approx(0.0, abs=1e-6)


def test_jerk_and_speed_of_a_hinge() -> None:
    t = np.arange(50) / 100.0
    motion = hinge(40.0 * t**3 / 6.0)
    assert jerk(motion) == pytest.approx(40.0, rel=1e-6)
    report = limbik.check(motion)
    assert report.speed == pytest.approx((motion.q[-1, 0] - motion.q[-2, 0]) * 100.0)
    assert report.contacts == ()
    assert report.ok
    assert limbik.check(motion[:2]).jerk == 0.0


def test_limits_speeds_and_jumps() -> None:
    angles = np.array([0.0, 0.1, 0.2, 1.5, 1.5])
    report = limbik.check(hinge(angles), speed_limits=11.0)
    assert report.jumps == (3,)
    assert report.limit_violation == pytest.approx(0.5)
    assert report.frames_outside == 2
    assert report.too_fast == ("Hinge",)
    assert not report.ok
    assert limbik.check(hinge(angles), source=hinge(angles)).jumps == ()
    slow = hinge(angles[:3])
    assert limbik.check(slow, speed_limits={"Hinge": 10.0}).too_fast == ()
    assert limbik.check(slow, speed_limits={"Hinge": 9.9}).too_fast == ("Hinge",)
    with pytest.raises(GoalError, match='no coordinate "Hin"'):
        limbik.check(slow, speed_limits={"Hin": 1.0})
    with pytest.raises(FigureError, match="must be a Motion"):
        limbik.check(slow.figure)  # type: ignore[arg-type]


def test_the_width_of_a_path() -> None:
    t = np.linspace(0, 2 * np.pi, 200)
    assert width(np.column_stack([np.cos(t), np.sin(t)])) == pytest.approx(2.0, rel=1e-3)
    assert width(np.array([[0.0, 0.0], [3.0, 4.0]])) == pytest.approx(5.0, rel=1e-3)


def test_the_command(tmp_path: Path) -> None:
    limbik.save(standing(0.020), tmp_path / "a.bvh", precision=12)
    picture = tmp_path / "a.png"
    ran = Ran("check", tmp_path / "a.bvh", "--json", "--out", picture)
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert found["ok"] is True
    assert found["unit_known"] is False
    assert len(found["contacts"]) >= 2
    assert picture.read_bytes()[:4] == b"\x89PNG"
    again = Ran("check", tmp_path / "a.bvh", "--out", picture)
    assert again.code == 2
    assert "already exists" in again.err
    fast = Ran("check", "cartwheel", "--speed", "1", "--source", "cartwheel")
    assert fast.code == 1
    assert "too fast" in fast.out
    assert "source mm" in fast.out
    assert "ends in one of .png" in Ran("check", "cartwheel", "--out", tmp_path / "a.txt").err
    assert "has no motion" in Ran("check", "human").err
