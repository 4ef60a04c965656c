"""``track`` with ``near=`` and ``smooth=``: a whole clip at once, near a reference, all goals."""

from __future__ import annotations

import numpy as np
import pytest

import limbik

SIX = ["Hips", "Head", "LeftHand", "RightHand", "LeftToeBase", "RightToeBase"]
BETWEEN = ["LeftForeArm", "RightForeArm", "LeftLeg", "RightLeg"]


@pytest.fixture(scope="module")
def clip() -> limbik.Motion:
    return limbik.figures.cartwheel()[:300:15]


def places(motion: limbik.Motion, names: list[str]) -> np.ndarray:
    return motion.figure.positions(motion.q, names)


def follow(clip: limbik.Motion, targets: np.ndarray, **options: object) -> limbik.Track:
    return limbik.track(clip.figure, SIX, targets, start=clip.q[0], fps=clip.fps, **options)  # type: ignore[arg-type]


def test_near_a_clip_it_comes_back_to_the_clip(clip: limbik.Motion) -> None:
    targets = places(clip, SIX)
    found = follow(clip, targets, near=clip)
    assert found.ok
    assert found.violation == 0.0
    away = np.linalg.norm(places(found.motion, BETWEEN) - places(clip, BETWEEN), axis=-1)
    assert away.max() < 1e-6
    free = follow(clip, targets)
    assert np.linalg.norm(places(free.motion, BETWEEN) - places(clip, BETWEEN), axis=-1).max() > 0.1


def test_where_targets_differ_only_what_they_need_moves(clip: limbik.Motion) -> None:
    targets = places(clip, SIX)
    targets[:, 2, 1] -= 0.1 * np.sin(np.linspace(0.0, np.pi, clip.frames))  # the left hand lower
    for smooth in (None, 0.01):
        found = follow(clip, targets, near=clip, smooth=smooth)
        assert found.error.max() < (2e-4 if smooth is None else 0.02)
        away = np.linalg.norm(places(found.motion, BETWEEN) - places(clip, BETWEEN), axis=-1)
        assert away[:, 1:].max() < 0.03 < away[:, 0].max()  # the left elbow goes along


def test_smooth_takes_the_jitter_out(clip: limbik.Motion) -> None:
    long = limbik.figures.cartwheel()[:60:2]
    noise = 0.004 * np.random.default_rng(0).normal(size=(long.frames, len(SIX), 3))
    rough = follow(long, places(long, SIX) + noise, near=long)
    calm = follow(long, places(long, SIX) + noise, near=long, smooth=0.05)
    jerk, own = (np.abs(np.diff(m.motion.q, 3, axis=0)).max() for m in (rough, calm))
    assert own < 0.3 * jerk
    assert np.linalg.norm(places(calm.motion, SIX) - places(long, SIX), axis=-1).mean() < 0.004


def test_every_kind_of_goal_takes_part() -> None:
    human = limbik.figures.human()
    frames = 6
    hand = human.positions(human.rest, "LeftHand") + np.linspace(
        [0, 0, 0], [-0.2, 0.1, 0.3], frames
    )
    level = float(human.positions(human.rest, "RightHand")[1])

    def elbow(figure: limbik.Figure, q: np.ndarray) -> np.ndarray:
        return np.array([0.1 * (q[human.coordinates.index("RightForeArm.ry")] - 0.5)])

    def slope(figure: limbik.Figure, q: np.ndarray) -> np.ndarray:
        out = np.zeros((1, human.n))
        out[0, human.coordinates.index("RightForeArm.ry")] = 0.1
        return out

    goals = [
        limbik.Reach("LeftHand", position=hand),
        limbik.Pin("LeftFoot"),
        limbik.Pin("RightFoot"),
        limbik.Aim("Head", axis="z", target=hand),
        limbik.Plane("RightHand", normal=[0, 1, 0], offset=level - 0.1),
        limbik.Distance("LeftHand", "RightHand", np.linspace(1.2, 1.0, frames)),  # type: ignore[arg-type]
        limbik.Above("Hips", offset=0.85),
        limbik.PythonGoal(elbow, slope, name="elbow", tolerance=1e-3),
    ]
    found = limbik.track(human, goals, fps=30.0, near=human.rest)
    assert found.ok, (found.status, found.errors.max(axis=0))
    assert np.ptp(human.positions(found.motion.q, "LeftFoot"), axis=0).max() < 1e-3
    assert found.motion.q[:, human.coordinates.index("RightForeArm.ry")] == pytest.approx(
        0.5, abs=0.02
    )


def test_a_rest_of_the_callers_counts_beside_near(clip: limbik.Motion) -> None:
    reach = limbik.Reach("LeftHand", position=places(clip, ["LeftHand"])[:, 0])
    away = []
    for weight in (1e-6, 1.0):
        rest = limbik.Rest(weight, pose=clip.figure.rest)
        found = limbik.track(clip.figure, [reach, rest], fps=clip.fps, near=clip)
        turns = ~clip.figure.slides
        away.append(np.abs(found.motion.q - clip.figure.rest)[:, turns].mean())
    assert away[1] < 0.5 * away[0]


def test_speeds_hold_between_frames(clip: limbik.Motion) -> None:
    fastest = 1.5
    found = follow(clip, places(clip, SIX), near=clip, smooth=0.02, speed_limits=fastest)
    hinges = [
        c for c in range(clip.figure.n) if (clip.figure.owner == clip.figure.owner[c]).sum() < 3
    ]
    speeds = np.abs(np.diff(found.motion.q, axis=0))[:, hinges] * clip.fps
    assert speeds.max() <= fastest * (1 + 1e-9)
    assert np.abs(np.diff(clip.q, axis=0))[:, hinges].max() * clip.fps > fastest


def test_what_does_not_fit_is_refused(clip: limbik.Motion) -> None:
    targets = places(clip, SIX)
    with pytest.raises(limbik.GoalError, match="near: 3 frames for targets of 20"):
        follow(clip, targets, near=clip[:3])
    with pytest.raises(limbik.GoalError, match="acceleration_limits= is for frames one by one"):
        follow(clip, targets, near=clip, acceleration_limits=1.0)
    with pytest.raises(limbik.GoalError, match="method="):
        follow(clip, targets, smooth=0.1, method="projected_gradient")
    with pytest.raises(limbik.GoalError, match="smooth must not be negative"):
        follow(clip, targets, smooth=-1.0)
    with pytest.raises(limbik.FigureError, match="near"):
        follow(clip, targets, near=np.zeros((20, 3)))
