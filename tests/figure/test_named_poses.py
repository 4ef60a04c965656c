"""Poses by name, tools and bases, pictures, and figures that nobody can change."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest

import limbik
from helpers.real_data import find
from limbik import FigureError, Range
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, revolute

ARM, HUMAN = limbik.figures.arm(), limbik.figures.human()


# ---- poses by name ---------------------------------------------------------------------------


def test_a_pose_by_name_changes_the_rest_pose_there() -> None:
    q = ARM.pose({"Joint1": 0.3, "Joint4": -1.0})
    assert q[[0, 3]].tolist() == [0.3, -1.0]
    np.testing.assert_array_equal(q[[1, 2, 4, 5, 6]], ARM.rest[[1, 2, 4, 5, 6]])
    arm = HUMAN.pose({"LeftArm": [0.1, 0.2, 0.3], "LeftForeArm.ry": 0.4})
    assert HUMAN.pose_dict(arm)["LeftArm.twist"] == 0.3


def test_a_pose_and_its_dictionary_are_the_same() -> None:
    q = HUMAN.project(np.random.default_rng(1).normal(size=HUMAN.n))
    said = HUMAN.pose_dict(q)
    assert list(said) == list(HUMAN.coordinates)
    np.testing.assert_array_equal(HUMAN.pose(said), q)


def test_a_solve_starts_from_values_by_name() -> None:
    start = {"Joint1": 0.3}
    r = limbik.solve(ARM, limbik.Pin("Tool"), start=start)
    np.testing.assert_array_equal(r.q, ARM.pose(start))


def test_a_rest_pose_by_name_keeps_the_others() -> None:
    figure = ARM.with_rest({"Joint1": 0.3})
    np.testing.assert_array_equal(figure.rest, ARM.pose({"Joint1": 0.3}))
    made = Figure([Joint("A", parts=revolute("z")), Joint("B", "A", revolute("z"))], rest={"B": 1})
    assert made.rest.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"Joint11": 0.3}, 'did you mean "Joint1"'),
        ({"Joint1": [1, 2]}, '"Joint1" takes 1 numbers'),
        ({"Joint1": "x"}, '"Joint1" takes 1 numbers'),
        ({"Joint1": np.nan}, "Joint1 is not finite"),
        ({"Tool": 0.3}, "fixed joint"),
        ({3: 0.3}, 'no joint or coordinate "3"'),
    ],
)
def test_a_pose_by_name_is_checked(said: dict, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        ARM.pose(said)


def test_positions_and_frames_of_one_joint() -> None:
    poses = np.stack([HUMAN.rest, HUMAN.project(HUMAN.rest + 0.1)])
    hand = HUMAN.index("LeftHand")
    assert HUMAN.positions(HUMAN.rest, "LeftHand").shape == (3,)
    np.testing.assert_array_equal(
        HUMAN.positions(poses, "LeftHand"), HUMAN.positions(poses)[:, hand]
    )
    both = HUMAN.positions(poses, ["Head", "LeftHand"])
    np.testing.assert_array_equal(both[:, 1], HUMAN.positions(poses)[:, hand])
    np.testing.assert_array_equal(HUMAN.frame(poses, "LeftHand"), HUMAN.frames(poses)[:, hand])
    with pytest.raises(FigureError, match='did you mean "LeftHand"'):
        HUMAN.positions(HUMAN.rest, "LeftHandd")
    with pytest.raises(FigureError, match="by its name"):
        HUMAN.frame(HUMAN.rest, 3)  # type: ignore[arg-type]


# ---- tools and bases -------------------------------------------------------------------------


def test_a_tool_is_a_frame_on_a_joint() -> None:
    half = np.sqrt(0.5)
    figure = ARM.with_tool("Tool", [0, 0.1, 0.2], [half, half, 0, 0], name="gripper")
    assert figure.n == ARM.n
    placed = np.eye(4)
    placed[:3, :3], placed[:3, 3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]], [0, 0.1, 0.2]
    np.testing.assert_allclose(
        figure.frame(figure.rest, "gripper"), ARM.frame(ARM.rest, "Tool") @ placed, atol=1e-12
    )
    assert limbik.solve(figure, limbik.Reach("gripper", [0.5, 0.1, 0.3])).ok


def test_a_planar_base_slides_on_the_floor_and_turns_about_up() -> None:
    figure = ARM.with_base("planar")
    assert figure.coordinates[:3] == ("mobile_base.tx", "mobile_base.ty", "mobile_base.rz")
    np.testing.assert_array_equal(figure.rest[3:], ARM.rest)
    q = figure.pose({"mobile_base": [2.0, 3.0, np.pi / 2]})
    x, y, z = ARM.positions(ARM.rest, "Tool")
    np.testing.assert_allclose(figure.positions(q, "Tool"), [2 - y, 3 + x, z], atol=1e-12)
    assert limbik.solve(figure, limbik.Reach("Tool", [5.0, -3.0, 0.4])).ok
    lying = limbik.figures.chain([1.0, 1.0]).with_base("planar", up="y", name="cart")
    assert lying.coordinates[:3] == ("cart.tx", "cart.tz", "cart.ry")
    assert ARM.with_base("free").n == ARM.n + 6


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ARM.with_tool("Toool", [0, 0, 0]), 'did you mean "Tool"'),
        (lambda: ARM.with_tool("Tool", [0, 0]), "offset needs 3"),
        (lambda: ARM.with_tool("Tool", [0, 0, 0], [0, 0, 0, 0]), "zero length"),
        (lambda: ARM.with_tool("Tool", name="Joint1"), "already"),
        (lambda: ARM.with_base("wheels"), "planar, free"),
        (lambda: ARM.with_base(name="Joint1"), "already"),
        (lambda: Figure([Joint("A", parts=revolute("z"))]).with_base(), "which axis is up"),
    ],
)
def test_a_tool_or_base_that_cannot_be_is_refused(make, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        make()


# ---- limits ----------------------------------------------------------------------------------


def test_a_range_that_looks_like_degrees_warns() -> None:
    with pytest.warns(limbik.LimbikWarning, match=r"Range\(0, 160\).*degrees=True") as told:
        assert Range(0, 160).upper == 160.0
    assert told[0].filename == __file__
    assert Range(0, 160, degrees=False) == Range(0, 160.0, degrees=False)
    Range(-2 * np.pi, 2 * np.pi)  # a whole turn each way is common
    Range(-np.inf, np.inf)
    copy.deepcopy(Range(0, 160, degrees=False))


def test_a_limit_on_a_fixed_joint_is_refused() -> None:
    with pytest.raises(FigureError, match='"Tool" is fixed'):
        ARM.with_limits({"Tool": Range(0, 1)})
    with pytest.raises(FigureError, match='"Tool" is fixed'):
        ARM.with_limits({"Tool": limbik.SwingTwist(swing=1)})


# ---- nobody changes a built-in figure --------------------------------------------------------


@pytest.mark.parametrize("what", ["name", "unit", "up", "source", "rest", "lower", "joints"])
def test_a_built_in_figure_cannot_be_changed(what: str) -> None:
    with pytest.raises(AttributeError):
        setattr(HUMAN, what, "ft")
    assert limbik.figures.human().unit == "m"


def test_its_arrays_and_tables_are_read_only() -> None:
    again = pickle.loads(pickle.dumps(HUMAN))
    for figure in (HUMAN, again, copy.deepcopy(HUMAN)):
        arrays = (
            *figure.buffers, figure.tree.ints, figure.tree.floats, figure.rest, figure.lower,
            figure.upper, figure.parents, figure.slides, figure.owner,
        )  # fmt: skip
        for array in arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
        with pytest.raises(TypeError):
            figure.tree.index["Head"] = 0  # type: ignore[index]
        assert isinstance(figure.tree.slots_of, tuple)
    with pytest.raises(ValueError, match="read-only"):
        limbik.figures.cartwheel().q[0] = 0.0


def same(one: Figure, other: Figure) -> None:
    assert (one.joints, one.coordinates) == (other.joints, other.coordinates)
    assert (one.name, one.unit, one.up) == (other.name, other.unit, other.up)
    np.testing.assert_array_equal(one.rest, other.rest)
    np.testing.assert_array_equal(one.positions(one.rest), other.positions(other.rest))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
@pytest.mark.parametrize("name", ["human", "hand", "arm", "leg", "spider"])
def test_figures_and_motions_are_copied(name: str, copied) -> None:
    figure = getattr(limbik.figures, name)()
    same(copied(figure), figure)
    motion = limbik.Motion(figure, figure.rest[None], 30, "one")
    assert (copied(motion).fps, copied(motion).name) == (30, "one")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
@pytest.mark.parametrize(
    "file", ["gltf/Fox.glb", "gltf/SimpleSkin_embedded.gltf", "vrm/sat06_basic_armature_vrm1.vrm"]
)
@pytest.mark.filterwarnings("ignore::limbik.LimbikWarning")
def test_figures_of_gltf_files_are_copied_with_their_file(file: str, copied, tmp_path) -> None:
    figure = limbik.load(find(file))
    again = copied(figure)
    same(again, figure)
    one, other = tmp_path / "one.glb", tmp_path / "other.glb"
    limbik.save(figure, one)
    limbik.save(again, other)
    assert one.read_bytes() == other.read_bytes()


# ---- pictures --------------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["front", "side", "top"])
def test_a_figure_and_a_motion_are_plotted(view: str, tmp_path) -> None:
    for page in (HUMAN.plot(view=view), limbik.figures.cartwheel().plot(poses=3, view=view)):
        page.savefig(tmp_path / "page.png")
        assert (tmp_path / "page.png").stat().st_size > 3000
        (axes,) = page.axes
        assert len(axes.collections) >= 2
    with pytest.raises(FigureError, match="front, side, top"):
        HUMAN.plot(view="behind")
    with pytest.raises(FigureError, match="poses must be"):
        limbik.figures.cartwheel().plot(poses=0)


def test_a_plot_shows_the_whole_pose() -> None:
    raised = HUMAN.pose({"Hips.tx": 5.0})
    (axes,) = HUMAN.plot(raised).axes
    low, high = axes.get_xlim()
    assert low > 3.0
    assert high > 5.3


def test_a_notebook_gets_a_picture_without_a_server() -> None:
    r = limbik.solve(ARM, limbik.Pin("Tool"))
    clip = limbik.figures.cartwheel()
    for thing in (HUMAN, clip, r, pickle.loads(pickle.dumps(r))):
        page = thing._repr_html_()
        assert "<script" not in page
        assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    numbers = [float(v) for v in re.findall(r"[ ,\"](-?[\d.]+)(?=[ ,\"])", HUMAN._repr_html_())]
    assert min(numbers) >= 0
    assert max(numbers) <= 320
    assert "&lt;b&gt;" in Figure([Joint("A", parts=revolute("z"))], name="<b>")._repr_html_()
