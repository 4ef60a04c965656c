"""ASF and AMC: the geometry by hand and against BVH twins, and what is refused."""

from __future__ import annotations

import copy
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from helpers.real_data import find
from limbik.errors import FormatError, NoMotionError
from limbik.formats.acclaim import asf_read as asf
from limbik.formats.acclaim.asf_sections import read_skeleton

SKELETON = """# a comment
:version 1.10
:name two bones
:units
  mass 1.0
  length 0.45
  angle {angle}
:documentation
  anything : goes here
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 1 2 3
  orientation 0 0 0
:bonedata
  begin
    id 1
    name thigh
    direction 0 -1 0
    length 2
    axis {axis} XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-inf inf)
  end
  begin
    name shin
    direction 0 -1 0
    length 1.5
    axis {axis} XYZ
    dof rx
  end
  begin
    name foot
    direction 0 0 1
    length 0.5
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root thigh
    thigh shin
    shin foot
  end
"""
MOTION = """#!OML:ASF somewhere
:FULLY-SPECIFIED
:DEGREES
1
root 0 0 0 0 0 0
thigh 0 0 0
shin 0
2
root 1 2 3 10 20 30
shin 40
thigh 11 12 13
"""

# Twins of CMU's joints: a bone of the ASF file starts where a joint of the BVH file is.
TWINS = {
    "root": "Hips", "lfemur": "LeftUpLeg", "ltibia": "LeftLeg", "lfoot": "LeftFoot",
    "ltoes": "LeftToeBase", "rfemur": "RightUpLeg", "rtibia": "RightLeg", "rfoot": "RightFoot",
    "rtoes": "RightToeBase", "lowerback": "LowerBack", "upperback": "Spine", "thorax": "Spine1",
    "lowerneck": "Neck", "upperneck": "Neck1", "head": "Head", "lclavicle": "LeftShoulder",
    "lhumerus": "LeftArm", "lradius": "LeftForeArm", "lwrist": "LeftHand",
    "lhand": "LeftFingerBase",
    "lthumb": "LThumb",
    "rclavicle": "RightShoulder", "rhumerus": "RightArm", "rradius": "RightForeArm",
    "rwrist": "RightHand", "rhand": "RightFingerBase", "rthumb": "RThumb",
    "lfingers": "LeftHandIndex1",
    "rfingers": "RightHandIndex1",
}  # fmt: skip


def files(
    folder: Path, skeleton: str = SKELETON, motion: str = MOTION, **changes: str
) -> tuple[Path, Path]:
    one, two = folder / "two.asf", folder / "two_01.amc"
    one.write_text(skeleton.format(**{"angle": "deg", "axis": "10 20 30"} | changes))
    two.write_text(motion)
    return one, two


def test_the_geometry_is_that_of_the_format(tmp_path: Path) -> None:
    skeleton, motion = files(tmp_path)
    clip = limbik.load_motion(motion, figure=limbik.load(skeleton))
    at = {name: clip.positions()[1, clip.figure.index(name)] for name in clip.figure.joints}
    c = Rotation.from_euler("xyz", [10, 20, 30], degrees=True)
    root = Rotation.from_euler("xyz", [10, 20, 30], degrees=True)
    thigh = root * c * Rotation.from_euler("xyz", [11, 12, 13], degrees=True) * c.inv()
    shin = thigh * c * Rotation.from_euler("x", 40, degrees=True) * c.inv()
    np.testing.assert_allclose(at["root"], [2, 4, 6])
    np.testing.assert_allclose(at["thigh"], [2, 4, 6])
    np.testing.assert_allclose(at["shin"], at["thigh"] + thigh.apply([0, -2, 0]), atol=1e-12)
    np.testing.assert_allclose(at["foot"], at["shin"] + shin.apply([0, -1.5, 0]), atol=1e-12)


def test_limits_are_those_of_the_file_by_degree_of_freedom(tmp_path: Path) -> None:
    figure = limbik.load(files(tmp_path)[0])
    bounds = {c: (figure.lower[k], figure.upper[k]) for k, c in enumerate(figure.coordinates)}
    assert bounds["thigh.rx"] == pytest.approx((math.radians(-160), math.radians(20)))
    assert bounds["thigh.ry"] == pytest.approx((math.radians(-70), math.radians(70)))
    assert bounds["thigh.rz"] == (-math.inf, math.inf)
    assert bounds["shin"] == (-math.inf, math.inf)


def test_a_zero_pose_outside_the_limits_is_projected_and_told(tmp_path: Path) -> None:
    path = files(tmp_path, SKELETON.replace("(-160.0 20.0)", "(15 20)"))[0]
    with pytest.warns(UserWarning, match=r"two.asf: the zero pose is outside .* thigh\.rx"):
        figure = limbik.load(path)
    assert figure.rest[figure.coordinates.index("thigh.rx")] == pytest.approx(math.radians(15))


def test_radians(tmp_path: Path) -> None:
    skeleton, motion = files(
        tmp_path, motion=MOTION.replace(":DEGREES", ":RADIANS"), angle="rad", axis="0.1 0.2 0.3"
    )
    figure = limbik.load(skeleton.rename(tmp_path / "r.asf"))
    clip = limbik.load_motion(motion, figure=figure)
    assert clip.q[1, clip.figure.coordinates.index("shin")] == 40.0


def test_units_may_come_last(tmp_path: Path) -> None:
    units = SKELETON[SKELETON.index(":units") : SKELETON.index(":documentation")]
    first = limbik.load(files(tmp_path, angle="rad", axis="0.1 0.2 0.3")[0])
    last = SKELETON.replace(units, "") + units
    skeleton, _ = files(tmp_path, last, angle="rad", axis="0.1 0.2 0.3")
    q = np.linspace(-0.7, 0.8, first.n)
    np.testing.assert_allclose(limbik.load(skeleton).frames(q), first.frames(q), atol=1e-12)
    assert limbik.load(skeleton).lower.tolist() == first.lower.tolist()


def test_comments_end_lines(tmp_path: Path) -> None:
    plain = limbik.load(files(tmp_path)[0])
    said = SKELETON.replace("length 2\n", "length 2 # inches\n").replace(
        "thigh shin\n", "thigh shin\t# the knee\n"
    )
    noted = limbik.load(files(tmp_path, said)[0])
    assert noted.joints == ("root", "thigh", "shin", "foot")
    np.testing.assert_allclose(noted.positions(noted.rest), plain.positions(plain.rest))


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n"])
def test_any_line_end(tmp_path: Path, end: str) -> None:
    skeleton, motion = files(tmp_path)
    expected = limbik.load_motion(motion, figure=limbik.load(skeleton)).q
    for path in (skeleton, motion):
        path.write_bytes(path.read_text().replace("\n", end).encode())
    np.testing.assert_array_equal(limbik.load_motion(motion).q, expected)


def test_the_skeleton_beside_the_motion_is_found(tmp_path: Path) -> None:
    skeleton, motion = files(tmp_path)
    assert limbik.load_motion(motion).figure.name == "two_01"
    skeleton.rename(tmp_path / "other.asf")
    assert limbik.load_motion(motion).frames == 2
    (tmp_path / "third.asf").write_text("")
    with pytest.raises(FormatError, match="needs its skeleton"):
        limbik.load_motion(motion)


@pytest.mark.parametrize("clip", ["02_01", "02_03", "02_04"])
def test_joints_stand_where_those_of_the_bvh_twin_stand(clip: str) -> None:
    path = find("cmu_asfamc/02.asf")
    skeleton = copy.deepcopy(read_skeleton(path))
    for dropped in ("thorax", "lwrist", "rwrist"):
        skeleton.bones[dropped].length = 0.0
    figure = asf.figure_of(skeleton, path)
    ours = limbik.load_motion(find(f"cmu_asfamc/{clip}.amc"), figure=figure)
    twin = limbik.load_motion(find(f"cmu_bvh/{clip}.bvh"))
    assert ours.frames == twin.frames - 1
    here, there = ours.positions(), twin.positions()[1:]
    for bone, joint in TWINS.items():
        off = np.abs(here[:, figure.index(bone)] - there[:, twin.figure.index(joint)]).max()
        assert off < 1e-4, f"{bone} and {joint} are {off:g} apart"


def line_of(text: str, place: str | None) -> int:
    """The number of the line where ``place`` begins in a text, or of the line after its end."""
    return 1 + text.count("\n", 0, len(text) if place is None else text.index(place))


REFUSED = {
    "not an ASF file": ("HIERARCHY\n", "HIERARCHY", "is not an ASF file"),
    "empty": ("", "", "is not an ASF file"),
    "unknown section": (":version 1\n:bonedate\n", ":bonedate", "is not a section of ASF"),
    "no number": (
        SKELETON.replace("length 2", "length two"),
        "length two",
        "length needs 1 numbers",
    ),
    "nan": (SKELETON.replace("length 2", "length nan"), "length nan", "length needs 1 numbers"),
    "unknown dof": (SKELETON.replace("dof rx\n", "dof rw\n"), "dof rw", '"rw" is not a degree'),
    "stretch": (SKELETON.replace("dof rx\n", "dof l\n"), "dof l", "stretch"),
    "dof twice": (SKELETON.replace("dof rx\n", "dof rx rx\n"), "dof rx rx", "twice"),
    "limits": (SKELETON.replace("(-70.0 70.0)\n", ""), "  end", "4 limits for 3 dof"),
    "upside down": (SKELETON.replace("(-70.0 70.0)", "(70 -70)"), "  end", "is above"),
    "twice": (
        SKELETON.replace("name shin", "name thigh"),
        "  end\n  begin\n    name foot",
        "two bones",
    ),
    "no parent": (
        SKELETON.replace("    shin foot\n", ""),
        "begin\n    name foot",
        "no place in :hierarchy",
    ),
    "two parents": (
        SKELETON.replace("shin foot", "shin foot thigh"),
        "shin foot thigh",
        "two parents",
    ),
    "unknown bone": (SKELETON.replace("shin foot", "shin fot"), "shin fot", "there is no bone"),
    "cut": (SKELETON[: SKELETON.index("  end\n")], "(-inf inf)", "ends without its last end"),
    "bad order": (
        SKELETON.replace("axis XYZ\n  pos", "axis XXY\n  pos"),
        "axis XXY",
        "not an order",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_skeleton_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    text, place, message = REFUSED[name]
    path = tmp_path / "bad.asf"
    path.write_text(text.replace("{angle}", "deg").replace("{axis}", "0 0 0"))
    with pytest.raises(FormatError, match=message) as caught:
        limbik.load(path)
    assert caught.value.line == line_of(text, place)


def test_a_cycle_of_bones_is_refused(tmp_path: Path) -> None:
    text = SKELETON.replace("root thigh\n    thigh shin", "foot thigh\n    thigh shin")
    path = files(tmp_path, text)[0]
    with pytest.raises(FormatError, match="cycle"):
        limbik.load(path)


REFUSED_MOTIONS = {
    "missing bone": (
        MOTION.replace("shin 0\n", ""),
        "2\nroot",
        'frame 1 has no values for bone "shin"',
    ),
    "missing at the end": (MOTION.replace("thigh 11 12 13\n", ""), None, "frame 2 has no values"),
    "twice": (MOTION + "shin 3\n", "shin 3", 'frame 2 has bone "shin" twice'),
    "too few": (MOTION.replace("11 12 13", "11 12"), "thigh 11", 'bone "thigh" has 2 of 3 values'),
    "shifted": (
        MOTION.replace("thigh 0 0 0", "thigh 0 0").replace("11", "1 11"),
        "thigh 0 0",
        "2 of 3",
    ),
    "nan": (MOTION.replace("11", "nan"), "thigh nan", '"nan" is not a finite number'),
    "underscore": (MOTION.replace("11", "1_1"), "thigh 1_1", "is not a finite number"),
    "unknown": (MOTION.replace("shin 40", "shim 40"), "shim 40", 'no bone "shim"'),
    "no frame": (
        MOTION.replace("1\nroot 0", "root 0", 1),
        "root 0",
        "expected the number of a frame",
    ),
    "no dof": (MOTION + "foot 1\n", "foot 1", "no degree of freedom"),
    "no values": (MOTION.replace("shin 40", "shin"), "shin\nthigh 11", "has no values"),
}


@pytest.mark.parametrize("name", REFUSED_MOTIONS)
def test_a_broken_motion_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    text, place, message = REFUSED_MOTIONS[name]
    skeleton, motion = files(tmp_path, motion=text)
    with pytest.raises(FormatError, match=message) as caught:
        limbik.load_motion(motion, figure=limbik.load(skeleton))
    assert caught.value.line == line_of(text, place)


def test_a_motion_without_frames_or_without_its_figure(tmp_path: Path) -> None:
    skeleton, motion = files(tmp_path, motion=":DEGREES\n")
    with pytest.raises(NoMotionError, match="has no frames"):
        limbik.load_motion(motion, figure=limbik.load(skeleton))
    with pytest.raises(FormatError, match="read from an ASF file"):
        limbik.load_motion(motion, figure=limbik.figures.human())
