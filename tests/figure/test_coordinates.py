"""Balls in other coordinates: the same rotations, the same joints, limits that enclose the old."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import limbik
from helpers.real_data import find
from limbik import Figure, FigureError, Joint, Motion, Range, SwingTwist
from limbik.figure.joints import (
    Slide,
    Turn,
    euler,
    exponential,
    free,
    revolute,
    swing_twist,
    universal,
)
from limbik.figure.variations.change_coordinates import KINDS
from limbik.maths.so3 import exp_map, quat_multiply
from limbik.maths.turn_angles import turn_angles

BALLS = {
    "euler": euler("ZYX"),
    "euler XZY": euler("XZY"),
    "swing-twist": swing_twist("y", "x"),
    "exponential": exponential("y", "x"),
}


def two_balls(parts: tuple, limit: Range | SwingTwist | None = None) -> Figure:
    return Figure(
        [
            Joint("A", parts=free(parts)),
            Joint("B", "A", parts, offset=(0.0, 1.0, 0.2), wxyz=(0.8, 0.0, 0.6, 0.0), limit=limit),
            Joint("C", "B", revolute("x"), offset=(0.0, 1.0, 0.0), tip=(0.0, 0.5, 0.0)),
        ],
        rest=np.linspace(-0.3, 0.4, 10),
    )


def wander(figure: Figure, frames: int, seed: int, size: float = 1.0) -> Motion:
    """A smooth motion inside the limits."""
    steps = np.random.default_rng(seed).normal(size=(frames, figure.n)) * 0.1
    return Motion(figure, figure.project(size * np.cumsum(steps, axis=0)), 30.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parts", BALLS.values(), ids=BALLS)
def test_a_motion_looks_the_same_in_other_coordinates(parts: tuple, kind: str) -> None:
    figure = two_balls(parts)
    other = figure.with_balls(kind)
    np.testing.assert_allclose(other.frames(other.rest), figure.frames(figure.rest), atol=1e-9)
    motion = wander(figure, 60, 1)
    there = motion.onto(other)
    np.testing.assert_allclose(other.frames(there.q), figure.frames(motion.q), atol=1e-9)
    back = there.onto(figure)
    np.testing.assert_allclose(figure.frames(back.q), figure.frames(motion.q), atol=1e-9)
    # Coordinates follow on from frame to frame, as the motion does.
    assert np.abs(np.diff(there.q, axis=0)).max() < 1.5


def test_the_same_coordinates_leave_the_figure_as_it_is() -> None:
    figure = two_balls(swing_twist("y", "x"), SwingTwist(swing=(0.5, 0.3), twist=(-0.2, 0.4)))
    again = figure.with_balls("swing-twist")
    assert again.definition == figure.definition
    motion = wander(figure, 5, 2)
    np.testing.assert_array_equal(motion.onto(again).q, motion.q)


def test_a_cone_is_the_same_cone_on_an_exponential_ball() -> None:
    limit = SwingTwist(swing=(0.5, 0.3), twist=(-0.2, 0.4))
    other = two_balls(swing_twist("y", "x"), limit).with_balls("exponential")
    assert other.definition[1].limit == limit
    assert other.definition[1].parts == exponential("y", "x")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("euler", Range([-0.5, -0.4, -0.3], [0.6, 0.2, 1.2])),
        ("euler XZY", Range([-0.5, -np.inf, -0.3], [0.6, np.inf, 0.9])),
        ("swing-twist", SwingTwist(swing=(0.9, 0.4), twist=(-0.5, 0.7), center=(0.2, 0.1))),
        ("exponential", SwingTwist(swing=(0.9, 0.4), twist=(-0.5, 0.7))),
        ("swing-twist", Range([-0.3, -0.2, -0.4], [0.6, 0.5, 0.4])),
    ],
)
def test_new_limits_enclose_the_old_ones_and_are_not_everything(
    name: str, limit: Range | SwingTwist, kind: str
) -> None:
    figure = two_balls(BALLS[name], limit)
    other = figure.with_balls(kind)
    rng = np.random.default_rng(3)
    q = figure.project(rng.uniform(-3.0, 3.0, (300, figure.n)))
    for pose in q:
        there = Motion(figure, pose[None], 1.0).onto(other).q
        assert other.violation(there)[0] < 1e-8
    if np.isfinite(np.r_[figure.lower[6:9], figure.upper[6:9]]).all():
        assert other.violation(other.project(np.full(other.n, 3.0))) == 0.0
        assert np.isfinite(np.r_[other.lower[6:9], other.upper[6:9]]).all()


def test_twists_run_along_the_bones_of_a_file() -> None:
    clip = limbik.load_motion(find("cmu_bvh/02_01.bvh"))
    figure = clip.figure.with_balls("swing-twist")
    ball = figure.definition[figure.index("LeftUpLeg")].parts[-1]
    bone = np.array(figure.definition[figure.index("LeftLeg")].offset)
    np.testing.assert_allclose(ball.twist, bone / np.linalg.norm(bone), atol=1e-12)  # type: ignore[union-attr]
    np.testing.assert_allclose(clip.onto(figure).positions(), clip.positions(), atol=1e-8)


def test_joints_with_fewer_turns_take_what_comes_nearest() -> None:
    ball = Figure([Joint("A", parts=euler("XYZ")), Joint("B", "A", offset=(0.0, 1.0, 0.0))])
    motion = Motion(ball, [[0.3, 0.0, 0.0], [0.3, 0.2, 0.0], [0.3, 0.2, 0.1]], 30.0)
    hinge = Figure([Joint("A", parts=revolute("x")), ball.definition[1]])
    np.testing.assert_allclose(motion.onto(hinge).q[0], [0.3])
    two = Figure([Joint("A", parts=universal("x", "y")), ball.definition[1]])
    np.testing.assert_allclose(motion.onto(two).q[:2], [[0.3, 0.0], [0.3, 0.2]], atol=1e-12)


def test_slides_are_carried_over() -> None:
    free_root = Figure([Joint("A", parts=free(), wxyz=(0.8, 0.6, 0.0, 0.0))])
    motion = wander(free_root, 10, 5)
    turned = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    other = Figure([Joint("A", parts=(*(Slide(axis) for axis in turned), *exponential()))])
    np.testing.assert_allclose(
        other.frames(motion.onto(other).q), free_root.frames(motion.q), atol=1e-9
    )


def test_what_does_not_fit_is_refused_by_name() -> None:
    figure = two_balls(euler("ZYX"))
    with pytest.raises(FigureError, match='"quaternion" is not a kind of ball'):
        figure.with_balls("quaternion")
    with pytest.raises(FigureError, match='joint "Hips" is missing'):
        wander(figure, 2, 4).onto(limbik.figures.human())
    other = Figure([Joint("A", parts=euler("ZYX")), Joint("C", "A"), Joint("B", "C")])
    with pytest.raises(FigureError, match='joint "C" is missing or hangs elsewhere'):
        wander(figure, 2, 4).onto(other)


def test_a_cone_leaves_the_ranges_of_slides() -> None:
    sliding = [-0.1, -0.2, -0.3], [0.1, 0.2, 0.3]
    whole = Range([*sliding[0], *[-math.inf] * 3], [*sliding[1], *[math.inf] * 3])
    shoulder = Joint("A", parts=free(swing_twist("y")), limit=whole)
    figure = Figure([shoulder], unit="m").with_limits({"A": SwingTwist(swing=1.0)})
    for changed, scale in (
        (figure, 1.0),
        (figure.with_balls("exponential"), 1.0),
        (figure.with_balls("euler"), 1.0),
        (figure.with_limits({"A": SwingTwist(swing=0.5)}), 1.0),
        (figure.in_units("cm"), 100.0),
    ):
        np.testing.assert_allclose(changed.lower[:3], scale * np.array(sliding[0]), rtol=1e-12)
        np.testing.assert_allclose(changed.upper[:3], scale * np.array(sliding[1]), rtol=1e-12)
        q = np.full(6, 50.0)
        np.testing.assert_allclose(
            changed.project(q)[:3], np.minimum(50.0, scale * np.array(sliding[1]))
        )
    assert np.isinf(figure.with_limits({"A": None}).lower[:3]).all()
    with pytest.raises(FigureError, match='joint "A": its slide_limit has 2 values for 3 slides'):
        Figure([replace(figure.definition[0], slide_limit=Range([0, 0], [1, 1]))])


OBLIQUE = {
    "two": ((1.0, 0.0, 0.0), (0.6, 0.8, 0.0)),
    "three": ((1.0, 0.0, 0.0), (0.6, 0.8, 0.0), (0.0, 0.6, 0.8)),
    "three across, turned": ((0.6, 0.0, -0.8), (0.0, 1.0, 0.0), (0.8, 0.0, 0.6)),
    "four": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.8, 0.0)),
    "parallel": ((0.6, 0.8, 0.0), (0.6, 0.8, 0.0)),
}


def turning(axes: tuple[tuple[float, float, float], ...]) -> Figure:
    return Figure([Joint("A", parts=tuple(map(Turn, axes)), wxyz=(0.8, 0.6, 0.0, 0.0))])


@pytest.mark.parametrize("axes", OBLIQUE.values(), ids=OBLIQUE)
def test_turns_about_any_axes_are_found_again(axes: tuple[tuple[float, float, float], ...]) -> None:
    here, there = turning(axes), Figure([Joint("A", parts=free())])
    motion = wander(here, 200, 8)
    back = motion.onto(there).onto(here)
    np.testing.assert_allclose(here.frames(back.q), here.frames(motion.q), atol=1e-9)
    if len(axes) == 2 and axes[0] != axes[1]:  # no other angles give the same, but whole turns
        np.testing.assert_allclose(back.q, motion.q, atol=1e-6)


def test_oblique_turns_come_as_near_as_they_can() -> None:
    axes = np.array(OBLIQUE["two"])
    wanted = exp_map(np.random.default_rng(9).normal(size=(50, 3)))
    angles = turn_angles(axes, wanted, np.zeros(2))

    def miss(values: np.ndarray) -> np.ndarray:
        """(..., 50) radians between what angles (..., 50, 2) give and what is wanted."""
        turns = exp_map(values[..., None] * axes)
        reached = quat_multiply(turns[..., 0, :], turns[..., 1, :])
        return 2.0 * np.arccos(np.minimum(1.0, np.abs(np.sum(reached * wanted, axis=-1))))

    found = miss(angles)
    assert found.max() > 0.3  # two turns do not reach everything
    for step in ([0.01, 0.0], [-0.01, 0.0], [0.0, 0.01], [0.0, -0.01]):
        assert (miss(angles + step) >= found - 1e-9).all()
    grid = np.stack(np.meshgrid(*[np.linspace(-math.pi, math.pi, 60)] * 2), axis=-1)
    anywhere = miss(np.broadcast_to(grid.reshape(-1, 1, 2), (3600, 50, 2))).min(axis=0)
    assert (found <= anywhere + 0.1).all()


def test_joints_that_move_alike_keep_their_numbers() -> None:
    human = limbik.figures.human()
    other = human.with_balls("euler")
    thumb, arm = human.coordinates_of("LThumb"), human.coordinates_of("LeftForeArm")
    q = human.rest.copy()
    q[thumb], q[arm] = [0.1, 0.3, -0.2], [0.2 + 4.0 * math.pi, 0.1]
    there = Motion(human, q[None], 1.0).onto(other)
    np.testing.assert_array_equal(there.q[0, other.coordinates_of("LThumb")], q[thumb])
    np.testing.assert_array_equal(there.q[0, other.coordinates_of("LeftForeArm")], q[arm])
    np.testing.assert_allclose(there.positions(), human.positions(q)[None], atol=1e-9)
