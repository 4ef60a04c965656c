"""URDF: forward kinematics against Pinocchio, kinds of joints, and what is refused."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.real_data import find
from helpers.robot_comparisons import compare_with_pinocchio
from limbik import FormatError

ROBOT = """<?xml version="1.0"?>
<robot name="r">
  <link name="base"/><link name="one"/><link name="two"/><link name="three"/>
  <joint name="j1" type="revolute">
    <origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
    <parent link="base"/><child link="one"/>
    <axis xyz="1 2 3"/>
    <limit lower="-1" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="j2" type="{kind}">
    <parent link="one"/><child link="two"/>
    <origin xyz="0.5 0 0"/>
    <axis xyz="0 1 1"/>
    {more}
  </joint>
  <joint name="j3" type="prismatic">
    <parent link="two"/><child link="three"/>
    <axis xyz="0 0 -1"/>
    <limit lower="0" upper="0.4" effort="1" velocity="1"/>
    <mimic joint="j1" multiplier="0.1" offset="0.05"/>
  </joint>
</robot>
"""


def robot(folder: Path, kind: str = "continuous", more: str = "", text: str = ROBOT) -> Path:
    path = folder / "r.urdf"
    path.write_text(text.replace("{kind}", kind).replace("{more}", more))
    return path


@pytest.mark.parametrize(
    ("name", "coordinates"),
    [
        ("erd_panda", 8),
        ("erd_romeo", 33),
        ("erd_talos_full_v2", 32),
        ("erd_ur5_robot", 6),
        ("rtb_puma560_robot", 6),
        ("erd_double_pendulum_continuous", 2),
    ],
)
def test_real_robots_stand_as_in_pinocchio(name: str, coordinates: int) -> None:
    path = find(f"robots/{name}.urdf")
    assert compare_with_pinocchio(path) > 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert limbik.load(path).n == coordinates


@pytest.mark.parametrize("kind", ["continuous", "prismatic", "fixed", "floating"])
def test_every_kind_of_joint_moves_as_in_pinocchio(tmp_path: Path, kind: str) -> None:
    more = '<limit lower="-1" upper="1" effort="1" velocity="1"/>' if kind == "prismatic" else ""
    assert compare_with_pinocchio(robot(tmp_path, kind, more)) == 4


def test_a_planar_joint_slides_in_its_plane_and_turns_about_its_normal(tmp_path: Path) -> None:
    figure = limbik.load(robot(tmp_path, "planar"))
    assert figure.coordinates == ("j1", "j2.t1", "j2.t2", "j2.turn")
    q = np.zeros(figure.n)
    normal = figure.frames(q)[figure.index("one"), :3, :3] @ np.array([0, 1, 1]) / math.sqrt(2)
    before = figure.positions(q)[figure.index("two")]
    q[1], q[2] = 0.3, -0.2
    moved = figure.positions(q)[figure.index("two")] - before
    assert np.linalg.norm(moved) == pytest.approx(math.hypot(0.3, 0.2))
    assert moved @ normal == pytest.approx(0.0, abs=1e-12)
    axis = figure.jacobian(q, "two")[3:, 3]
    np.testing.assert_allclose(axis, normal, atol=1e-12)


def test_names_limits_mimics_and_conventions(tmp_path: Path) -> None:
    figure = limbik.load(robot(tmp_path))
    assert (figure.name, figure.unit, figure.up) == ("r", "m", "z")
    assert figure.joints == ("base", "one", "two", "three")
    assert figure.coordinates == ("j1", "j2")
    assert figure.index("j3") == figure.index("three")
    # j3 = 0.1·j1 + 0.05 must stay within 0 and 0.4: j1 is at least −0.5.
    np.testing.assert_allclose(figure.lower, [-0.5, -math.inf])
    np.testing.assert_allclose(figure.upper, [2.0, math.inf])
    tighter = figure.with_limits({"j1": limbik.Range(0.0, 1.0)})
    assert tighter.upper[0] == 1.0
    answer = limbik.solve(figure, limbik.Reach("three", position=figure.positions([1.0, 0.4])[3]))
    assert answer.ok


def test_a_zero_pose_outside_the_limits_is_projected_and_told() -> None:
    with pytest.warns(UserWarning, match=r"0 is outside the limits of panda_joint4"):
        figure = limbik.load(find("robots/erd_panda.urdf"))
    assert figure.violation(figure.rest) == 0.0
    assert figure.rest[figure.coordinates.index("panda_joint4")] == pytest.approx(-0.0698)


def test_a_missing_mesh_does_not_matter() -> None:
    assert limbik.load(find("robots/missing_mesh.urdf")).joints == ("base_link",)


def test_missing_limits_are_told(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r'revolute joint "j2" has no <limit>; it is unlimited'):
        figure = limbik.load(robot(tmp_path, "revolute"))
    assert figure.upper[1] == math.inf


def test_a_joint_that_mimics_nothing_moves_by_itself_and_is_told(tmp_path: Path) -> None:
    path = robot(tmp_path, text=ROBOT.replace('mimic joint="j1"', 'mimic joint="j9"'))
    with pytest.warns(UserWarning, match='joint "j3" mimics "j9", which is not a joint'):
        assert limbik.load(path).coordinates == ("j1", "j2", "j3")


def test_a_joint_that_mimics_a_fixed_one_stays(tmp_path: Path) -> None:
    text = ROBOT.replace('mimic joint="j1"', 'mimic joint="j2"')
    with pytest.warns(UserWarning, match="0 is outside the limits of j3"):
        figure = limbik.load(robot(tmp_path, "fixed", text=text))
    assert figure.coordinates == ("j1", "j3")
    assert figure.lower[1] == figure.upper[1] == figure.rest[1] == 0.05


def test_ends_may_be_infinite(tmp_path: Path) -> None:
    more = '<limit lower="-inf" upper=" +INF " effort="1" velocity="1"/>'
    figure = limbik.load(robot(tmp_path, "revolute", more))
    assert (figure.lower[1], figure.upper[1]) == (-math.inf, math.inf)
    path = robot(tmp_path, "revolute", more.replace("-inf", "inf"))
    with pytest.raises(FormatError, match='lower of <limit> needs 1 number, found "inf"'):
        limbik.load(path)


BOMB = """<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><robot name="&c;"><link name="x"/></robot>"""
EXTERNAL = """<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<robot name="r"><link name="&x;"/></robot>"""

REFUSED = {
    "hello": ("hello", 1, "is not XML"),
    "empty": ("", None, "is not XML"),
    "cut": (ROBOT[:300], None, "is not XML"),
    "other": ("<sdf/>", 1, "<sdf> instead of <robot>"),
    "bomb": (BOMB, None, "document type"),
    "external": (EXTERNAL, None, "external entity"),
    "no links": ("<robot/>", 1, "has no links"),
    "no name": ("<robot><link/></robot>", 1, "<link> has no name"),
    "two links": ('<robot><link name="a"/><link name="a"/></robot>', 1, "two links"),
    "unknown kind": (ROBOT.replace("{kind}", "revolut"), 10, "did you mean"),
    "unknown link": (ROBOT.replace('child link="two"', 'child link="tow"'), 11, "no link"),
    "no child": (ROBOT.replace('<child link="two"/>', ""), 10, "has no <child>"),
    "zero axis": (ROBOT.replace("0 1 1", "0 0 0"), 10, "zero length"),
    "nan": (ROBOT.replace("0.5 0 0", "nan 0 0"), 12, "xyz of <origin> needs 3 numbers"),
    "two numbers": (ROBOT.replace("0.5 0 0", "0 0"), 12, "needs 3 numbers"),
    "two parents": (ROBOT.replace('child link="three"', 'child link="two"'), 16, "two joints"),
    "cycle": (ROBOT.replace('parent link="base"', 'parent link="three"'), None, "cycle"),
    "xacro": (
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n<xacro:arm/></robot>',
        2,
        "is a xacro file",
    ),
    "xacro elsewhere": (
        '<robot xmlns:x="http://wiki.ros.org/xacro">\n<link name="a"/><x:arm/></robot>',
        2,
        "is a xacro file",
    ),
    "xacro's sums": (ROBOT.replace("0.5 0 0", "0 0 ${2 * pi}"), 12, "is a xacro file"),
    "mimics a plane": (
        ROBOT.replace('mimic joint="j1"', 'mimic joint="j2"').replace("{kind}", "planar"),
        20,
        'joint "j3" mimics "j2", which is planar',
    ),
}


def test_the_ending_of_xacro_files_is_known(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"r\.urdf\.xacro: is a xacro file: run xacro on it"):
        limbik.load(tmp_path / "r.urdf.xacro")


@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_file_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    text, line, message = REFUSED[name]
    path = robot(tmp_path, text=text)
    with pytest.raises(FormatError, match=message) as caught:
        limbik.load(path)
    if line is not None:
        assert caught.value.line == line


def test_the_word_hello_is_refused() -> None:
    with pytest.raises(FormatError, match="is not XML"):
        limbik.load(find("robots/rtb_test.urdf"))
