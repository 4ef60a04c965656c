"""What a URDF says of its links, and what is left out with a warning."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import limbik
from limbik import Box, Capsule, Cylinder, LimbikWarning, Sphere

URDF = """<robot name="r">
<link name="base"><inertial><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>
<inertia ixx="1" iyy="2" izz="3" ixy="0" ixz="0" iyz="0"/></inertial>
<collision name="hull"><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/>
<geometry><cylinder radius="0.1" length="0.6"/></geometry></collision></link>
<link name="tip"><collision><geometry><box size="1 2 3"/></geometry></collision>
<collision><geometry><sphere radius="0.3"/></geometry></collision>
<collision><geometry><mesh filename="package://r/meshes/part.{mesh}" scale="2 2 2"/></geometry>
</collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="tip"/>
<limit lower="-1" upper="1" velocity="2.5" effort="{effort}"/></joint></robot>"""


def write_urdf(folder: Path, mesh: str = "stl", effort: str = "7") -> Path:
    path = folder / "r.urdf"
    path.write_text(URDF.format(mesh=mesh, effort=effort))
    (folder / "meshes").mkdir()
    return path


def test_what_a_urdf_says_of_its_links(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    path = write_urdf(folder, "obj", "0")
    (folder / "meshes" / "part.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1/1 2/2 3/3\nf -1 -2 -3\nf 1 2 3 4\n"
    )
    (folder / "r.srdf").write_text(
        '<robot><disable_collisions link1="base" link2="tip"/>'
        '<disable_collisions link1="base" link2="other"/></robot>'
    )
    figure = limbik.load(path)
    assert figure.mass == 2.0
    np.testing.assert_allclose(figure.inertias["base"].matrix, np.diag([2, 1, 3]), atol=1e-12)
    assert figure.exclusions == (("base", "tip"),)
    assert figure.speed_limits.tolist() == [2.5]
    assert figure.effort_limits.tolist() == [math.inf]  # 0 says nothing
    hull, box, ball, part = figure.shapes
    assert hull == Cylinder(0.1, 0.3, (0, 0, 1), hull.wxyz, "base", "hull")
    np.testing.assert_allclose(hull.wxyz, [0.5**0.5, 0, 0.5**0.5, 0])
    assert box == Box((0.5, 1, 1.5), joint="tip")
    assert ball == Sphere(0.3, joint="tip")
    assert isinstance(part, Capsule)
    assert part.joint == "tip"
    assert 1.0 < part.radius + part.half_length < 3.0  # it was scaled


def test_a_missing_mesh_is_told_when_shapes_are_asked_for(tmp_path: Path) -> None:
    figure = limbik.load(write_urdf(tmp_path))  # without a word
    with pytest.warns(LimbikWarning, match=r"r.urdf: the mesh part.stl is left out: there is no"):
        shapes = figure.shapes
    assert len(shapes) == 3
    assert figure.shapes is shapes


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<mass value="2"/>', '<mass value="heavy"/>', "<inertial> of .base. is left out: value"),
        ('<mass value="2"/>', '<mass value="-2"/>', "<inertial> of .base. is left out: Inertia"),
        ('size="1 2 3"', 'size="1 2"', "<collision> of .tip. is left out: size of <box>"),
        ("sphere", "cone", "<collision> of .tip. is left out: <cone> is not a shape"),
    ],
)
def test_a_fault_is_a_warning_and_the_robot_moves(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    path = write_urdf(tmp_path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.warns(LimbikWarning, match=message):
        figure = limbik.load(path)
    assert figure.n == 1
