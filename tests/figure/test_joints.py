"""Parts and joints: what they say of their coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from limbik import Joint
from limbik.figure.joints import (
    Coupling,
    Part,
    Slide,
    Turn,
    exponential,
    free,
    prismatic,
    revolute,
    swing_twist,
)

DRIVEN = Turn((0.0, 0.0, 1.0), coupled=Coupling("Other", 2.0))
SLIDE = Slide((0.0, 1.0, 0.0))


@pytest.mark.parametrize(
    ("part", "kind", "labels", "width", "slides"),
    [
        (Turn((-1.0, 0.0, 0.0)), "turn", ("rx",), 1, False),
        (Turn((0.6, 0.8, 0.0)), "turn", ("turn",), 1, False),
        (DRIVEN, "turn", ("rz",), 0, False),
        (SLIDE, "slide", ("ty",), 1, True),
        (Slide((0.6, 0.8, 0.0)), "slide", ("slide",), 1, True),
        (Slide((1.0, 0.0, 0.0), "lift"), "slide", ("lift",), 1, True),
        (exponential()[0], "exponential", ("wx", "wy", "wz"), 3, False),
        (swing_twist()[0], "swing-twist", ("swing1", "swing2", "twist"), 3, False),
    ],
)
def test_a_part_says_what_its_coordinates_are(
    part: Part, kind: str, labels: tuple[str, ...], width: int, slides: bool
) -> None:
    assert (part.kind, part.labels, part.width, part.slides) == (kind, labels, width, slides)
    assert part.axes.shape == (len(labels), 3)
    assert (part.coupled is not None) == (part is DRIVEN)


def test_axes_are_those_of_the_coordinates() -> None:
    np.testing.assert_array_equal(SLIDE.axes, [[0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(exponential("y", "x")[0].axes, np.eye(3))
    u, v, t = swing_twist("y", "z")[0].axes
    np.testing.assert_array_equal([u, v, t], [[0, 0, 1], [1, 0, 0], [0, 1, 0]])


def test_a_joint_lists_its_parts_by_kind() -> None:
    (ball,) = swing_twist("y")
    joint = Joint("A", parts=(SLIDE, DRIVEN, ball, SLIDE))
    assert joint.labels == ("ty", "rz", "swing1", "swing2", "twist", "ty2")
    assert joint.slides == (True, False, False, False, False, True)
    assert joint.slide_columns == [0, 5]
    assert joint.slide_parts == (SLIDE, SLIDE)
    assert joint.turn_parts == (DRIVEN,)
    assert joint.ball_parts == ((2, ball),)
    assert joint.width == 5
    assert joint.coupled
    assert joint.hinge is None


def test_a_hinge_turns_about_one_axis_and_does_nothing_else() -> None:
    (turn,) = revolute("x")
    assert Joint("A", parts=(turn,)).hinge == turn
    assert Joint("A", parts=prismatic("x")).hinge is None
    assert Joint("A", parts=(SLIDE, turn)).hinge is None
    assert Joint("A", parts=(turn, turn)).hinge is None
    assert Joint("A").hinge is None


def test_a_free_joint_has_six_coordinates_and_a_fixed_one_none() -> None:
    assert (Joint("A", parts=free()).width, Joint("A").width) == (6, 0)
    assert not Joint("A", parts=free()).coupled
