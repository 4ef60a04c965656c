"""What steps make of a clip, and what is measured of it."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik.jobs.job_file import read_job
from limbik.jobs.measures import MEASURES, quality_of
from limbik.jobs.steps import StepRefusedError, Work

CHAIN = limbik.figures.chain([1.0, 1.0, 0.5])
CLIP = limbik.Motion(CHAIN, [[0.1 + 0.02 * t, 0.5, -0.2] for t in range(12)], 30, name="arc")


def done(clip: limbik.Motion, *steps: dict[str, object]) -> Work:
    work = Work(clip)
    for step in read_job({"steps": list(steps)}).steps:
        step.run(work)
    return work


def test_track_follows_with_the_clips_own_figure() -> None:
    work = done(CLIP, {"do": "track", "effectors": ["Tip"]})
    assert work.motion.figure is CHAIN
    assert (work.motion.name, work.motion.fps) == ("arc", 30)
    tip = CHAIN.index("Tip")
    off = np.linalg.norm(work.motion.positions()[:, tip] - CLIP.positions()[:, tip], axis=-1)
    assert off.max() == pytest.approx(work.quality["error_max"], rel=1e-6)
    assert off.max() < 1e-3
    assert (work.quality["unreached"], work.quality["jumps"]) == (0, 0)


def test_track_onto_another_figure_with_other_names_and_fewer_frames() -> None:
    onto = limbik.figures.chain([0.9, 0.9, 0.7])
    step = {"do": "track", "effectors": {"Joint3": "Tip"}, "onto": onto, "every": 0.1}
    far = done(CLIP, step)
    assert far.motion.figure is onto
    assert far.motion.frames == 4
    assert far.motion.fps == pytest.approx(10)
    assert far.quality["unreached"] == 4  # Joint3 is 1.8 from the root, the tip 2.4
    assert far.quality["error_max"] > 0.5


def test_an_effector_that_the_clip_has_not_is_refused() -> None:
    with pytest.raises(limbik.LimbikError, match='no joint "Top"'):
        done(CLIP, {"do": "track", "effectors": {"Tip": "Top"}})


def test_convert_changes_unit_axis_and_rate() -> None:
    step = {"do": "convert", "unit": "m", "from_unit": "cm", "up": "z", "from_up": "y", "fps": 60}
    work = done(CLIP, step)
    assert (work.motion.figure.unit, work.motion.figure.up, work.motion.fps) == ("m", "z", 60)
    at, was = work.motion.positions()[0], CLIP.positions()[0]
    np.testing.assert_allclose(at, 0.01 * was[:, [0, 2, 1]] * [1, -1, 1], atol=1e-12)


def test_speed_and_jerk_are_those_of_the_joints() -> None:
    fps, t = 100.0, np.arange(60) / 100.0
    turning = limbik.Motion(CHAIN, np.stack([2.0 * t**3, 0 * t, 0 * t], axis=1), fps)
    found = quality_of(turning)
    steps = np.diff(2.0 * t**3) * fps
    assert found["speed"] == pytest.approx(np.degrees(steps.max()), rel=1e-9)
    # The third derivative is 12 rad/s³ in one of three joints, in all frames.
    assert found["jerk"] == pytest.approx(12.0, rel=1e-6)
    assert found["violation"] == 0.0
    assert found["jumps"] == 0
    assert quality_of(turning[:1]) == {"jumps": 0, "violation": 0.0, "speed": 0.0, "jerk": 0.0}


def test_jumps_and_violations_are_found() -> None:
    narrow = CHAIN.with_limits({"Joint2": limbik.Range(-1, 1)})
    q = np.zeros((4, 3))
    q[2:, 1] = 1.25
    found = quality_of(limbik.Motion(narrow, q, 30))
    assert found["jumps"] == 1
    assert found["violation"] == pytest.approx(0.25)


def test_check_refuses_what_is_worse_than_allowed() -> None:
    fine = done(CLIP, {"do": "check", "at_most": {"jumps": 0, "speed": 35}})
    assert fine.quality["speed"] == pytest.approx(np.degrees(0.6))
    with pytest.raises(StepRefusedError, match=r"check: speed is 34\.3775°/s, at most 34 is allow"):
        done(CLIP, {"do": "check", "at_most": {"speed": 34}})


def test_what_a_step_measured_is_not_measured_again() -> None:
    jumping = limbik.Motion(CHAIN, [[0, 0, 0], [2, 0, 0], [0, 0, 0]], 30)
    work = done(jumping, {"do": "track", "effectors": ["Tip"]}, {"do": "check"})
    assert work.quality["jumps"] == 0  # against the clip, which jumps itself
    assert set(work.quality) == set(MEASURES)
