"""Left and right are each other's mirror image, in definition and in motion."""

from __future__ import annotations

import numpy as np
import pytest

from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, exponential, revolute, slides
from limbik.figures import hand, human, spider
from limbik.figures.mirror import mirror_pose, mirrored, other_side

FLIP = np.array([-1.0, 1.0, 1.0])


def random_poses(figure: Figure, count: int = 40) -> np.ndarray:
    rng = np.random.default_rng(7)
    spread = np.where(np.isfinite(figure.upper), figure.upper - figure.lower, 2.0)
    return figure.project(figure.rest + 0.6 * spread * rng.uniform(-1, 1, (count, figure.n)))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("LeftArm", "RightArm"),
        ("RHipJoint", "LHipJoint"),
        ("L3Foot", "R3Foot"),
        ("LThumb", "RThumb"),
        ("LowerBack", "LowerBack"),
        ("Ring1", "Ring1"),
        ("Leftover", "Leftover"),
        ("Head", "Head"),
    ],
)
def test_names(name: str, other: str) -> None:
    assert other_side(name) == other
    assert other_side(other) == name


@pytest.mark.parametrize("figure", [human(), spider()], ids=lambda f: f.name)
def test_each_joint_is_the_exact_mirror_image_of_its_twin(figure: Figure) -> None:
    by_name = {joint.name: joint for joint in figure.definition}
    sides = [name for name in by_name if other_side(name) != name]
    assert len(sides) >= 24
    for name in sides:
        assert mirrored(by_name[name]) == by_name[other_side(name)]
        assert by_name[name].limit == by_name[other_side(name)].limit
    for name in set(by_name) - set(sides):
        assert by_name[name].offset[0] == 0.0


@pytest.mark.parametrize("figure", [human(), spider()], ids=lambda f: f.name)
def test_a_mirrored_pose_is_the_reflected_body(figure: Figure) -> None:
    q = random_poses(figure)
    twins = [figure.index(other_side(name)) for name in figure.joints]
    reflected = figure.positions(q)[:, twins] * FLIP
    np.testing.assert_allclose(figure.positions(mirror_pose(figure, q)), reflected, atol=1e-9)
    turned = figure.frames(q)[:, twins, :3, :3] * np.outer(FLIP, FLIP)
    np.testing.assert_allclose(
        figure.frames(mirror_pose(figure, q))[..., :3, :3], turned, atol=1e-9
    )


@pytest.mark.parametrize("figure", [human(), spider()], ids=lambda f: f.name)
def test_a_mirrored_pose_stays_inside_the_limits_and_comes_back(figure: Figure) -> None:
    q = random_poses(figure)
    there = mirror_pose(figure, q)
    np.testing.assert_allclose(figure.violation(there), 0.0, atol=0.0)
    np.testing.assert_array_equal(mirror_pose(figure, there), q)
    np.testing.assert_array_equal(mirror_pose(figure, figure.rest), figure.rest)


def test_an_exponential_ball_in_the_middle_is_mirrored_too() -> None:
    figure = Figure([Joint("Base", parts=slides() + exponential()), Joint("End", "Base")])
    q = np.array([1.0, 2.0, 3.0, 0.3, 0.4, 0.5])
    np.testing.assert_array_equal(mirror_pose(figure, q), [-1.0, 2.0, 3.0, 0.3, -0.4, -0.5])


def test_a_figure_without_a_mirror_image_is_refused() -> None:
    with pytest.raises(FigureError, match="no mirror image"):
        mirror_pose(Figure([Joint("Bar", parts=revolute((1, 1, 0)))]), [0.0])
    odd = [Joint("Base"), Joint("LeftA", "Base", revolute("x")), Joint("RightA", "Base")]
    with pytest.raises(FigureError, match="mirror image"):
        mirror_pose(Figure(odd), [0.0])
    with pytest.raises(FigureError, match='no joint "RightA"'):
        mirror_pose(Figure([Joint("LeftA", parts=revolute("x"))]), [0.0])
    assert mirror_pose(hand(), hand().rest).shape == (22,)
