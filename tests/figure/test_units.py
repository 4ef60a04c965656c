"""Units and the upward axis: what is kept, converted and refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.real_data import find
from limbik.errors import FigureError, FormatError
from limbik.figure.figure import Figure
from limbik.figure.joints import (
    Coupling,
    Joint,
    Slide,
    Turn,
    euler,
    prismatic,
    revolute,
    slides,
    unit_axis,
)
from limbik.figure.limits import Range
from limbik.figure.motion import Motion

Y_TO_Z = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])


def machine() -> Figure:
    """Slides, turns and couplings between them, two roots, limits, a tip."""
    return Figure(
        [
            Joint("Base", parts=slides() + euler("ZXY"), offset=(1, 2, 3), wxyz=(0.6, 0, 0.8, 0)),
            Joint("Lift", "Base", prismatic("y"), (0, 1, 0), limit=Range(-0.5, 2.0)),
            Joint("Wheel", "Lift", (Turn(unit_axis("x"), coupled=Coupling("Lift", 3.0, 0.1)),)),
            Joint("Rack", "Wheel", (Slide(unit_axis("z"), coupled=Coupling("Crank", 0.2, 0.3)),)),
            Joint("Twin", "Rack", (Slide(unit_axis("z"), coupled=Coupling("Lift", -1.0, 0.3)),)),
            Joint("Crank", "Twin", revolute("y"), (1, 0, 0), limit=Range(-1, 1), tip=(0, 0, 2)),
            Joint("Other", parts=prismatic("x") + revolute("x"), limit=Range([-2, -1], [2, 1])),
        ],
        unit="m",
        up="y",
    )


def test_every_length_is_scaled_and_everything_turned() -> None:
    fig = machine()
    q = fig.project(np.random.default_rng(0).uniform(-1.5, 1.5, (9, fig.n)))
    clip = Motion(fig, q, 25, "test")
    there = clip.in_units("cm", up="z")
    assert (there.figure.unit, there.figure.up, there.fps, there.name) == ("cm", "z", 25, "test")
    assert there.figure.coordinates == fig.coordinates
    np.testing.assert_allclose(there.positions(), 100 * clip.positions() @ Y_TO_Z.T, atol=1e-12)
    turned = Y_TO_Z @ fig.frames(q)[..., :3, :3]
    np.testing.assert_allclose(there.figure.frames(there.q)[..., :3, :3], turned, atol=1e-14)
    scale = np.where(fig.slides, 100.0, 1.0)
    np.testing.assert_allclose(there.figure.lower, fig.lower * scale)
    np.testing.assert_allclose(there.figure.upper, fig.upper * scale)
    np.testing.assert_allclose(there.figure.rest, fig.rest * scale)
    assert there.figure.definition[5].tip == (0, 0, 200)
    assert np.max(there.figure.violation(there.q)) < 1e-12
    back = there.in_units("m", up="y")
    np.testing.assert_allclose(back.positions(), clip.positions(), atol=1e-14)


@pytest.mark.parametrize("up", ["x", "y", "z"])
@pytest.mark.parametrize("to", ["x", "y", "z"])
def test_up_goes_up(up: str, to: str) -> None:
    axis = np.eye(3)["xyz".index(up)]
    fig = Figure([Joint("A"), Joint("B", "A", offset=tuple(axis))], up=up)
    turned = fig.in_units(up=to)
    at = turned.positions(turned.rest)[turned.index("B")]
    np.testing.assert_allclose(at, np.eye(3)["xyz".index(to)], atol=1e-15)
    assert turned.unit == ""


def test_a_solve_is_the_same_in_any_unit() -> None:
    human = limbik.figures.human()
    tall = human.in_units("in", up="z")
    at = np.array([0.4, 1.2, 0.3])
    here = limbik.solve(human, [limbik.Reach("LeftHand", position=at.tolist())])
    there = limbik.solve(tall, [limbik.Reach("LeftHand", position=(Y_TO_Z @ at / 0.0254).tolist())])
    assert here.ok
    assert there.ok
    hand = tall.positions(there.q)[tall.index("LeftHand")]
    np.testing.assert_allclose(hand, Y_TO_Z @ at / 0.0254, atol=0.02)


def test_motions_find_their_figure_in_other_units() -> None:
    clip = limbik.figures.cartwheel()[:5]
    there = clip.figure.in_units("mm", up="z")
    carried = clip.onto(there)
    assert carried.figure is there
    np.testing.assert_allclose(carried.positions(), 1000 * clip.positions() @ Y_TO_Z.T, atol=1e-9)


# ---- what files say ------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("file", "unit", "up"),
    [
        ("gltf/CesiumMan.glb", "m", "y"),
        ("vrm/sat06_basic_armature_vrm0.vrm", "m", "y"),
        ("robots/erd_panda.urdf", "m", "z"),
        ("robots/dmc_humanoid_CMU_V2020.xml", "m", "z"),
        ("cmu_bvh/02_01.bvh", "", ""),
        ("cmu_asfamc/02.asf", "", ""),
    ],
)
def test_what_files_say_is_kept(file: str, unit: str, up: str) -> None:
    figure = limbik.load(find(file))
    assert (figure.unit, figure.up) == (unit, up)
    if unit:
        other = limbik.load(find(file), unit="cm", up="y")
        assert (other.unit, other.up) == ("cm", "y")
        assert other.size == pytest.approx(100 * figure.size)


def test_what_files_do_not_say_is_not_guessed() -> None:
    file = find("cmu_bvh/02_01.bvh")
    message = r"^02_01.bvh: its unit is not known, .* state it with from_unit=\"cm\""
    for read in (limbik.load, limbik.load_motion):
        with pytest.raises(FormatError, match=message):
            read(file, unit="m")
        with pytest.raises(FormatError, match="which of its axes points up is not known"):
            read(file, up="z")
    plain = limbik.load_motion(file)
    metres = limbik.load_motion(file, unit="m", from_unit=0.0254 / 0.45, up="z", from_up="y")
    expected = 0.0254 / 0.45 * plain.positions() @ Y_TO_Z.T
    np.testing.assert_allclose(metres.positions(), expected, atol=1e-12)
    assert 1.3 < np.ptp(metres.positions()[0, :, 2]) < 1.7  # a man, from his toes to his brow
    assert (metres.figure.unit, metres.figure.up) == ("m", "z")


def test_stating_converts_nothing() -> None:
    fig = Figure([Joint("A"), Joint("B", "A", offset=(0, 2, 0))], source="kept")
    told = fig.in_units(from_unit="cm", from_up="y")
    assert (told.unit, told.up, told.source) == ("cm", "y", "kept")
    np.testing.assert_array_equal(told.positions([])[1], [0, 2, 0])
    again = told.in_units("m")
    assert (again.unit, again.up, again.source) == ("m", "y", None)
    np.testing.assert_allclose(again.positions([])[1], [0, 0.02, 0])
    # A person's word goes before the file's.
    assert told.in_units("m", from_unit="m").positions([])[1].tolist() == [0, 2, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "meter"}, '"meter" is not a unit limbik knows: m, cm, mm, in, ft'),
        ({"unit": "CM"}, r'did you mean "cm"\?'),
        ({"unit": "m", "from_unit": "inch"}, '"inch" is not a unit'),
        ({"unit": "m", "from_unit": 0.0}, "metres from 1e-15 to 1e15"),
        ({"unit": "m", "from_unit": float("nan")}, "metres from 1e-15 to 1e15"),
        ({"from_unit": 0.01}, "needs the unit to convert to"),
        ({"up": "w"}, 'up must be "x", "y" or "z", not "w"'),
        ({"up": "z", "from_up": "Y"}, 'up must be "x", "y" or "z", not "Y"'),
    ],
)
def test_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(FigureError, match=message):
        limbik.figures.human().in_units(**options)  # type: ignore[arg-type]


def test_a_converted_skeleton_is_no_longer_that_of_its_file(tmp_path: Path) -> None:
    clip = limbik.load_motion(find("cmu_asfamc/02_01.amc"))[:4]
    metres = clip.in_units("m", from_unit=0.0254 / 0.45)
    limbik.save(metres, tmp_path / "m.amc", precision=9)
    back = limbik.load_motion(tmp_path / "m.amc")  # with the skeleton beside it
    np.testing.assert_allclose(back.positions(), metres.positions(), atol=1e-7)
