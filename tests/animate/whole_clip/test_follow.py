"""Targets followed over a whole clip: near a reference where they leave the figure free."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik.animate.whole_clip.follow import follow

SIX = ["Hips", "Head", "LeftHand", "RightHand", "LeftToeBase", "RightToeBase"]
BETWEEN = ["LeftForeArm", "RightForeArm", "LeftLeg", "RightLeg"]


@pytest.fixture(scope="module")
def clip() -> limbik.Motion:
    return limbik.figures.cartwheel()[:300:15]


def places(motion: limbik.Motion, names: list[str]) -> np.ndarray:
    return motion.figure.positions(motion.q, names)


def test_near_a_clip_it_comes_back_to_the_clip(clip: limbik.Motion) -> None:
    targets = places(clip, SIX)
    found = {}
    for near in (None, clip):
        motion, report = follow(clip.figure, SIX, targets, start=clip.q[0], fps=clip.fps, near=near)
        assert report.after <= report.before
        assert np.max(clip.figure.violation(motion.q)) == 0.0
        assert np.linalg.norm(places(motion, SIX) - targets, axis=-1).mean() < 0.01
        away = np.linalg.norm(places(motion, BETWEEN) - places(clip, BETWEEN), axis=-1)
        found[near is not None] = away.mean()
    assert found[True] < 0.02
    assert found[True] < 0.3 * found[False]


def test_turns_are_followed_too(clip: limbik.Motion) -> None:
    frames = clip.figure.frames(clip.q)[:, [clip.figure.index("LeftHand")]]
    wxyz = limbik.maths.so3.matrix_to_quat(frames[..., :3, :3])  # type: ignore[attr-defined]
    motion, _ = follow(
        clip.figure, ["LeftHand"], frames[..., :3, 3], wxyz=wxyz, fps=clip.fps, near=clip
    )
    turned = motion.figure.frame(motion.q, "LeftHand")[:, :3, :3]
    assert np.abs(turned - frames[:, 0, :3, :3]).max() < 0.02


def test_wrong_shapes_are_refused(clip: limbik.Motion) -> None:
    with pytest.raises(limbik.GoalError, match="shape"):
        follow(clip.figure, SIX, places(clip, SIX)[:, :2])
    with pytest.raises(limbik.GoalError, match="near"):
        follow(clip.figure, SIX, places(clip, SIX), near=clip[:3])
    with pytest.raises(limbik.GoalError, match="finite"):
        follow(clip.figure, SIX, places(clip, SIX) * np.nan)
