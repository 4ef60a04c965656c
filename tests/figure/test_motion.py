"""Motions: what they refuse, how they are cut, and how they are interpolated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

import limbik
from limbik.errors import FigureError
from limbik.figure.coordinates import euler_following
from limbik.figure.figure import Figure
from limbik.figure.joints import (
    Coupling,
    Joint,
    Part,
    Turn,
    euler,
    exponential,
    free,
    revolute,
    slides,
    swing_twist,
    universal,
)
from limbik.figure.limits import Range
from limbik.figure.motion import Motion
from limbik.maths.euler import ORDERS, euler_to_quat
from limbik.maths.so3 import angle_between, exp_map

BALLS: dict[str, tuple[Part, ...]] = {
    **{order: euler(order) for order in ORDERS},
    "exponential": exponential(),
    "swing-twist": swing_twist([1, 2, 0]),
    "against the axes": (Turn((-1.0, 0.0, 0.0)), Turn((0.0, 1.0, 0.0)), Turn((0.0, 0.0, -1.0))),
}


def hinge(q: list[float], fps: float = 10.0, **options) -> Motion:
    return Motion(Figure([Joint("Hinge", parts=revolute("y"), **options)]), np.c_[q], fps, "clip")


def test_what_a_motion_tells() -> None:
    clip = hinge([0.0, 1.0, 2.0, 3.0])
    assert (len(clip), clip.frames, clip.fps, clip.duration, clip.name) == (4, 4, 10, 0.3, "clip")
    np.testing.assert_allclose(clip.times, [0, 0.1, 0.2, 0.3])
    assert clip.positions().shape == (4, 1, 3)
    assert repr(clip) == "<Motion clip: 4 frames at 10 fps>"
    np.testing.assert_array_equal([pose[0] for pose in clip], [0, 1, 2, 3])


def test_a_motion_cannot_be_changed() -> None:
    given = np.zeros((3, 1))
    clip = Motion(Figure([Joint("Hinge", parts=revolute("y"))]), given, 10)
    given[0] = 7
    assert clip.q[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        clip.q[0] = 1
    with pytest.raises(AttributeError):
        clip.fps = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("q", "fps", "message"),
    [
        (np.zeros((3, 2)), 10, 'motion "x": needs 1 values per pose, got shape'),
        (np.zeros(1), 10, "needs at least one frame of 1 values, got shape"),
        (np.zeros((0, 1)), 10, "needs at least one frame"),
        ([[0.0], [np.nan]], 10, "Hinge is not finite"),
        ([[0.0], [np.inf]], 10, "Hinge is not finite"),
        ([[0.0]], 0, "fps must be above 0, got 0"),
        ([[0.0]], -5, "fps must be above 0"),
        ([[0.0]], np.nan, "fps must be above 0"),
        ([[0.0]], np.inf, "fps must be above 0"),
    ],
)
def test_what_is_refused(q, fps: float, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        Motion(Figure([Joint("Hinge", parts=revolute("y"))]), q, fps, "x")


HUGE = 10**400  # a whole number that no float holds


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda clip: Motion(clip.figure, clip.q, 10, 3), "name must be a text, got 3"),
        (lambda clip: clip["walk"], "number of a frame or a slice, got 'walk'"),
        (lambda clip: clip[1.5], "number of a frame or a slice, got 1.5"),
        (lambda clip: clip.resample(HUGE), "fps must be above 0"),
        (lambda clip: clip.figure.project(HUGE), "pose: needs numbers, got 1000"),
        (lambda clip: limbik.Range(-HUGE, 0), "lower: needs a number"),
        (lambda clip: Figure([Joint("A", offset=(HUGE, 0, 0))]), "offset"),
        (lambda clip: limbik.figures.chain([HUGE]), "lengths must be numbers"),
        (lambda clip: limbik.humanoid.unlimited(clip), "unlimited: needs a Figure, got <Motion"),
        (lambda clip: limbik.figures.human().with_balls(np.zeros(3)), "is not a kind of ball"),
    ],
)
def test_wrong_types_and_numbers_are_refused_by_name(
    call: Callable[[Motion], object], message: str
) -> None:
    with pytest.raises(FigureError, match=message):
        call(hinge([0.0, 1.0]))


def test_a_frame_beyond_the_last_ends_a_loop() -> None:
    with pytest.raises(IndexError):
        hinge([0.0, 1.0])[2]


def test_slices() -> None:
    clip = hinge(list(range(10)))
    piece = clip[1:8:3]
    np.testing.assert_array_equal(piece.q.ravel(), [1, 4, 7])
    assert piece.fps == pytest.approx(10 / 3)
    np.testing.assert_array_equal(clip[::-2].q.ravel(), [9, 7, 5, 3, 1])
    assert clip[::-2].fps == 5
    np.testing.assert_array_equal(clip[-1], [9])
    assert not clip[2].flags.writeable
    with pytest.raises(FigureError, match="at least one frame"):
        clip[5:5]


def test_sampling_takes_the_nearest_frames() -> None:
    clip = hinge(list(range(121)), 120)
    np.testing.assert_array_equal(clip.sample(0.05).q.ravel(), np.arange(0, 121, 6))
    assert clip.sample(0.05).fps == 20
    np.testing.assert_array_equal(clip.sample(0.0123).q.ravel()[:5], [0, 1, 3, 4, 6])
    np.testing.assert_array_equal(clip.sample(9.0).q.ravel(), [0])
    np.testing.assert_array_equal(clip.sample(1.0).q.ravel(), [0, 120])
    with pytest.raises(FigureError, match="above 0 seconds"):
        clip.sample(0)


@pytest.mark.parametrize("ball", BALLS)
def test_balls_are_interpolated_as_scipy_does(ball: str) -> None:
    fig = Figure([Joint("Ball", parts=slides() + BALLS[ball])])
    q = np.random.default_rng(3).normal(size=(6, 6))
    clip = Motion(fig, q, 10)
    fine = clip.resample(70)
    assert len(fine) == 36
    expected = Slerp(clip.times, Rotation.from_matrix(fig.frames(q)[:, 0, :3, :3]))(fine.times)
    np.testing.assert_allclose(
        fig.frames(fine.q)[:, 0, :3, :3], expected.as_matrix(), rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(fine.q[0], q[0], atol=1e-12)
    for k in range(3):
        np.testing.assert_allclose(fine.q[:, k], np.interp(fine.times, clip.times, q[:, k]))


@pytest.mark.parametrize("ball", BALLS)
def test_coordinates_follow_on(ball: str) -> None:
    # Several whole turns: the coordinates run on instead of falling back into ±π.
    fig = Figure([Joint("Ball", parts=BALLS[ball])])
    angle = np.linspace(0.0, 5.0 if ball == "exponential" else 20.0, 200)
    q = np.column_stack([0 * angle + 0.3, 0 * angle + 0.5, angle])
    if ball == "exponential":
        q = np.column_stack([angle * 0.6, 0 * angle, angle * 0.8])
    clip = Motion(fig, q, 10)
    fine = clip.resample(20)
    np.testing.assert_allclose(fine.q[::2], q, atol=1e-9)
    assert np.abs(np.diff(fine.q, axis=0)).max() < 0.2


def test_a_ball_passes_through_gimbal_lock() -> None:
    fig = Figure([Joint("Ball", parts=euler("ZYX"))])
    middle = np.linspace(0, np.pi, 11)
    q = np.column_stack([0 * middle + 0.3, middle, 0 * middle - 0.2])
    np.testing.assert_allclose(Motion(fig, q, 10).resample(20).q[::2], q, atol=1e-9)


@given(
    order=st.sampled_from(ORDERS),
    start=st.tuples(*[st.floats(-9, 9)] * 3),
    change=st.tuples(*[st.floats(-0.3, 0.3)] * 2),
    flip=st.booleans(),
)
def test_angles_in_gimbal_lock_are_shared(order: str, start, change, flip: bool) -> None:
    locked = (0.0, np.pi) if order[0] == order[2] else (0.5 * np.pi, -0.5 * np.pi)
    middle = locked[flip]
    angles = np.array([[start[0], middle, start[2]], [start[0], middle, start[2]]])
    angles[1, [0, 2]] += change
    wxyz = euler_to_quat(angles, order)
    back = euler_following(wxyz, order, angles[0])
    assert angle_between(euler_to_quat(back, order), wxyz).max() < 1e-7
    np.testing.assert_allclose(back[0], angles[0], atol=1e-7)
    assert np.abs(back[1] - back[0]).max() <= 0.3 + 1e-7


def test_turns_without_limits_go_the_shorter_way() -> None:
    wrapped = hinge([3.0, -3.0, 3.0]).resample(20).q.ravel()
    np.testing.assert_allclose(wrapped, [3, np.pi, 2 * np.pi - 3, np.pi, 3])
    limited = hinge([3.0, -3.0, 3.0], limit=Range(-3.1, 3.1)).resample(20).q.ravel()
    np.testing.assert_allclose(limited, [3, 0, -3, 0, 3], atol=1e-12)


def test_mixed_figures_and_other_rates() -> None:
    fig = Figure(
        [
            Joint("Hips", parts=free(swing_twist("y"))),
            Joint("Elbow", "Hips", revolute("x"), (0, 1, 0)),
            Joint("Wrist", "Elbow", universal("x", "z"), (0, 1, 0)),
            Joint("Finger", "Wrist", (Turn((1.0, 0.0, 0.0), coupled=Coupling("Elbow")),)),
            Joint("Head", "Hips", euler("XZY"), (0, 1, 0)),
        ]
    )
    q = np.random.default_rng(5).uniform(-0.9, 0.9, (30, fig.n)).cumsum(axis=0) * 0.2
    clip = Motion(fig, q, 30)
    for rate in (7.3, 24, 30, 59.94, 600):
        other = clip.resample(rate)
        assert other.fps == rate
        assert other.times[-1] <= clip.duration + 1e-9 < other.times[-1] + 1 / rate
        nearest = np.floor(other.times * 30 + 0.5).astype(int)
        step = np.abs(np.diff(clip.positions(), axis=0)).max()
        assert np.abs(other.positions() - clip.positions()[nearest]).max() < step
    np.testing.assert_allclose(clip.resample(90).q[::3], q, atol=1e-9)
    assert clip.resample(30) is clip
    assert len(clip[:1].resample(100)) == 1
    with pytest.raises(FigureError, match="resample: fps must be above 0"):
        clip.resample(0)


def test_between_poses_inside_the_limits_every_resampled_pose_is_inside() -> None:
    rng = np.random.default_rng(3)
    human = limbik.figures.human()
    for figure in (human, human.with_balls("euler"), human.with_balls("exponential")):
        q = figure.project(rng.normal(scale=2.0, size=(12, figure.n)))
        fine = Motion(figure, q, 10).resample(70)
        assert np.max(figure.violation(fine.q)) == 0.0
        np.testing.assert_allclose(figure.frames(fine.q[::7]), figure.frames(q), atol=1e-9)


def test_a_ball_that_leaves_its_range_on_the_shorter_way_goes_another() -> None:
    ball = Joint("Ball", parts=euler("ZYX"), limit=Range([-3, -1, -0.1], [3, 1, 0.1]))
    figure = Figure([ball])
    q = np.array([[0.0, 0.0, 0.0], [2.9, 0.9, 0.1]])
    fine = Motion(figure, q, 1).resample(16).q
    assert np.max(figure.violation(fine)) == 0.0
    assert np.abs(np.diff(fine, axis=0)).max() < 0.7
    np.testing.assert_allclose(fine[-1], q[-1], atol=1e-9)


def test_poses_outside_the_limits_are_resampled_as_they_are() -> None:
    outside = Motion(
        Figure([Joint("A", parts=revolute("z"), limit=Range(0, 1))]), [[1.5], [2.0]], 1
    )
    np.testing.assert_allclose(outside.resample(2).q.ravel(), [1.5, 1.75, 2.0])


def test_a_ball_that_went_round_more_than_once_is_resampled_as_it_is() -> None:
    """Limits cut rotation vectors off before a whole turn; the rotation must not change."""
    figure = Figure([Joint("Ball", parts=exponential())])
    q = np.zeros((21, 3))
    q[:, 1] = np.linspace(0.0, 10.0, 21)
    new = Motion(figure, q, 10).resample(20)
    assert angle_between(exp_map(new.q[::2]), exp_map(q)).max() < 1e-9
