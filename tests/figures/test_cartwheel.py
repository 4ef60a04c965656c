"""The cartwheel: inside the limits, smooth, on the floor, and a cartwheel."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from limbik.figures import cartwheel, human
from limbik.figures.human import BALL, HEEL, TOE_TIP
from limbik.figures.mirror import mirror_pose


@cache
def points(joint: str, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """(frames, 3) path of a point of a joint."""
    motion = cartwheel()
    frames = motion.figure.frames(motion.q)[:, motion.figure.index(joint)]
    return frames[:, :3, :3] @ np.array(at) + frames[:, :3, 3]


def sole(side: str) -> np.ndarray:
    """(frames, 3 points, 3) heel, ball and toes."""
    toes = f"{side}ToeBase"
    paths = points(f"{side}Foot", HEEL), points(toes, BALL), points(toes, TOE_TIP)
    return np.stack(paths, axis=1)


def palm(side: str) -> np.ndarray:
    """(frames, 2 points, 3) knuckles and fingertips, 1 cm of flesh taken off."""
    fingers = f"{side}HandIndex1"
    x = 0.056 if side == "Left" else -0.056
    paths = points(f"{side}FingerBase"), points(fingers, (x, 0.0, 0.0))
    return np.stack(paths, axis=1) - [0.0, 0.01, 0.0]


def frame(seconds: float) -> int:
    return round(seconds * cartwheel().fps)


def test_length_and_figure() -> None:
    motion = cartwheel()
    assert motion.figure is human()
    assert motion.fps == 120
    assert motion.q.shape == (601, 74)
    assert cartwheel() is motion


def test_every_frame_is_inside_the_limits_exactly() -> None:
    motion = cartwheel()
    np.testing.assert_array_equal(motion.figure.violation(motion.q), 0.0)


def test_it_uses_the_limits_without_touching_them() -> None:
    motion = cartwheel()
    figure, turns = motion.figure, ~motion.figure.slides
    gap = np.minimum(motion.q - figure.lower, figure.upper - motion.q)[:, turns].min()
    assert gap > np.radians(0.5)


def test_it_is_smooth() -> None:
    motion = cartwheel()
    turns = ~motion.figure.slides
    angles, travel = np.degrees(motion.q[:, turns]), motion.q[:, ~turns]
    assert np.abs(np.diff(angles, axis=0)).max() < 3.0
    assert np.abs(np.diff(angles, 2, axis=0)).max() < 0.12
    assert np.abs(np.diff(angles, 3, axis=0)).max() < 0.03
    assert np.abs(np.diff(travel, axis=0)).max() < 0.025
    assert np.abs(np.diff(travel, 2, axis=0)).max() * 120**2 < 12.0


def test_it_starts_and_ends_standing_still() -> None:
    motion = cartwheel()
    still = [0.1, 4.9]
    for seconds in still:
        k = frame(seconds)
        np.testing.assert_allclose(motion.q[k + 1], motion.q[k], atol=1e-9)
        assert points("Head", (0.0, 0.168, 0.01))[k, 1] == pytest.approx(1.75, abs=0.01)
    change = motion.q[-1] - motion.q[0]
    names = motion.figure.coordinates
    assert change[names.index("Hips.rz")] == pytest.approx(-2 * np.pi)
    assert 2.5 < change[names.index("Hips.tx")] < 4.0
    change[[names.index("Hips.rz"), names.index("Hips.tx")]] = 0.0
    np.testing.assert_allclose(change, 0.0, atol=1e-12)


def test_upside_down_in_the_middle_on_both_hands() -> None:
    k = frame(2.5)
    head, hips = points("Head")[k], points("Hips")[k]
    feet = points("LeftFoot")[k], points("RightFoot")[k]
    assert head[1] < hips[1] - 0.4
    assert min(foot[1] for foot in feet) > hips[1] + 0.4
    assert abs(feet[0][0] - feet[1][0]) > 1.2  # a straddle
    for side in ("Left", "Right"):
        np.testing.assert_allclose(palm(side)[k, :, 1], 0.0, atol=0.015)
    assert abs(palm("Left")[k, 0, 0] - palm("Right")[k, 0, 0]) > 0.35


def test_something_always_touches_the_floor_and_nothing_sinks() -> None:
    lowest = np.concatenate([f(s)[..., 1] for f in (sole, palm) for s in ("Left", "Right")], axis=1)
    assert lowest.min() > -0.012
    assert lowest.min(axis=1).max() < 0.012
    motion = cartwheel()
    frames = motion.figure.frames(motion.q)
    assert frames[:, :, 1, 3].min() > -0.005
    for i, joint in enumerate(motion.figure.definition):
        if joint.tip is not None:
            tip = frames[:, i, :3, :3] @ np.array(joint.tip) + frames[:, i, :3, 3]
            assert tip[:, 1].min() > -0.01, joint.name


def test_foot_hand_hand_foot_foot() -> None:
    def down(path: np.ndarray) -> np.ndarray:
        return path[..., 1].min(axis=1) < 0.015

    left, right = (np.flatnonzero(down(palm(side))) for side in ("Left", "Right"))
    assert frame(1.9) < left[0] < right[0] < frame(2.5) < left[-1] < right[-1] < frame(3.1)
    aloft = {side: np.flatnonzero(~down(sole(side))) for side in ("Left", "Right")}
    # Each foot leaves the floor twice: for its step, and for the turn over the hands.
    starts = {side: k[np.flatnonzero(np.diff(k, prepend=-9) > 1)] for side, k in aloft.items()}
    ends = {side: k[np.flatnonzero(np.diff(k, append=9999) > 1)] for side, k in aloft.items()}
    assert [len(starts[side]) for side in ("Left", "Right")] == [2, 2]
    assert starts["Right"][0] < left[0] < starts["Left"][1] < right[0]
    assert left[-1] < ends["Right"][0] < right[-1] < ends["Left"][1]


@pytest.mark.parametrize(
    ("path", "side", "start", "end"),
    [
        (sole, "Right", 0.0, 1.4),
        (sole, "Left", 0.0, 0.8),
        (sole, "Left", 1.55, 1.8),
        (palm, "Left", 2.05, 2.75),
        (palm, "Right", 2.25, 2.95),
        (sole, "Right", 3.2, 3.45),
        (sole, "Left", 3.6, 5.0),
        (sole, "Right", 4.2, 5.0),
    ],
)
def test_what_is_down_stays_where_it_is(path, side: str, start: float, end: float) -> None:
    planted = path(side)[frame(start) : frame(end) + 1]
    away = np.linalg.norm((planted - planted.mean(axis=0))[..., [0, 2]], axis=-1)
    assert away.max() < 0.025


def test_the_second_half_mirrors_the_first() -> None:
    motion = cartwheel()
    again = mirror_pose(motion.figure, motion.q[::-1])
    again[:, motion.figure.coordinates.index("Hips.rz")] -= 2 * np.pi
    again[:, 0] += motion.q[-1, 0]
    np.testing.assert_allclose(again, motion.q, atol=1e-9)
