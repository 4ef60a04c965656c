"""Files to start from: small ones for every loader that hold many of its format's features, and
real ones where they are (LIMBIK_TEST_DATA, or shared/data beside the project)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import limbik
from fuzz.containers import packed
from fuzz.gltf_seeds import avatar, models, with_data

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 9.5 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Leg
  {
    OFFSET 1 -4 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Foot { OFFSET 0 -4 0
      CHANNELS 3 Xposition Yposition Zposition
      End Site
      {
        OFFSET 0 -1 2
      }
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 9.5 0 10 20 30 -40 5e-1 60 0 -4 0
.5 9.4 1 11 21 31 -41 50.5 61 0 -4.1 0
"""

ASF = """# a leg
:version 1.10
:name LEG
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  free text
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name thigh
    direction 0.34 -0.93 0
    length 7.2
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 inf)
  end
  begin
    id 2
    name shin
    direction 0.34 -0.93 0
    length 7
    axis 0 0 20 XYZ
    dof rx
    limits (10 170)
  end
  begin
    name foot
    direction 0 0 1
    length 2
    axis 0 10 0 ZYX
    dof tz rz
  end
:hierarchy
  begin
    root thigh
    thigh shin
    shin foot
  end
"""

AMC = """#!OML:ASF leg.asf
:FULLY-SPECIFIED
:DEGREES
1
root 0 9.5 0 1 2 3
thigh 10 -20 30
shin 45
foot 0.1 5
2
root 0 9.4 1 1 2 3.5
thigh 1e1 -20.5 30
shin 46
foot .1 5
"""

URDF = """<?xml version="1.0"?>
<robot name="arm" xmlns:x="urn:x">
  <!-- a comment -->
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"><inertial><origin xyz="0 0 1" rpy="1 0 0"/><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/></inertial></link>
  <link name="upper"><collision><origin xyz="1 0 0"/><geometry><box size="1 2 3"/></geometry>
    </collision><collision><geometry><cylinder radius="1" length="2"/></geometry></collision></link>
  <link name="lower"/>
  <link name="rail"/>
  <link name="plate"/>
  <link name="hand"><visual><geometry><mesh filename="package://a/b.stl"/></geometry></visual></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1" rpy="0.1 -0.2 0.3"/><axis xyz="0 1 1"/>
    <limit lower="0.1" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
    <mimic joint="shoulder" multiplier="-1.5" offset="0.2"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="lower"/><child link="rail"/><axis xyz="1 0 0"/><limit lower="-1" upper="1"/>
  </joint>
  <joint name="table" type="planar">
    <parent link="base"/><child link="plate"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="wrist" type="fixed"><parent link="rail"/><child link="hand"/></joint>
</robot>
"""

FLOATING = """<robot name="ball"><link name="world"/><link name="ball"/>
<joint name="free" type="floating"><parent link="world"/><child link="ball"/></joint></robot>
"""

MJCF = """<mujoco model="leg">
  <compiler angle="radian" eulerseq="XYz" autolimits="true"/>
  <include file="beside.xml"/>
  <default>
    <joint damping="1" range="-1 1" actuatorfrcrange="-1 2"/>
    <geom density="10" quat="1 0 1 0"/><motor gear="2" ctrlrange="-1 1"/>
    <default class="hinge"><joint type="hinge" axis="0 1 0" ref="0.2"/></default>
  </default>
  <worldbody>
    <frame pos="0 0 1" euler="0.1 0.2 0.3">
      <body name="torso" pos="0 0 1" quat="1 0 0.2 0" childclass="hinge">
        <freejoint name="root"/>
        <body name="thigh" axisangle="0 1 0 0.5" childclass="hinge">
          <joint name="hip_x" pos="0 0 0.1" limited="true" range="-2 2"/>
          <joint name="hip_y" axis="1 0 0"/>
          <geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/>
          <geom type="box" size="1 2 3" euler="1 2 3" mass="2" contype="2"/>
          <geom type="mesh" mesh="part"/><site name="tip" pos="0 0 1"/>
          <body name="shin" pos="0 0 -1" xyaxes="1 0 0 0 1 0.1">
            <joint name="knee" type="slide" axis="0 0 1" range="0 1" ref="0.5"/>
            <body name="foot" zaxis="0 1 1"><joint name="ankle" type="ball" range="0 1"/></body>
          </body>
        </body>
      </body>
    </frame>
  </worldbody>
  <asset><mesh name="part" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 1 2 3 0 3 2"/></asset>
  <equality><joint joint1="hip_y" joint2="hip_x" polycoef="0.1 0.5 0 0 0"/>
    <connect body1="shin" body2="torso" anchor="0 0 1"/><weld site1="tip" site2="tip"/></equality>
  <contact><exclude body1="torso" body2="shin"/></contact>
  <actuator><motor joint="knee"/><position joint="hip_x" forcerange="-1 1"/></actuator>
  <keyframe>
    <key name="home" qpos="0.5 0 0 1 1 0 0 0 0.1 0.2 0.3 1 0 0 0"/>
    <key qpos="0 0 0 2 1 0 0 1 0.1 0.2 0.4 0 1 0 0"/>
  </keyframe>
</mujoco>
"""

BESIDE = """<mujoco><default><default class="other"><joint type="slide"/></default></default>
<worldbody><body name="stone" pos="1 0 0"><joint class="other" name="push"/></body></worldbody>
<keyframe/></mujoco>
"""


def companions() -> dict[str, bytes]:
    """Files that lie beside every input, for those that name others."""
    return {"beside.xml": BESIDE.encode(), "beside.bin": bytes(range(256)), "leg.asf": ASF.encode()}


def seeds(loader: str) -> list[bytes]:
    """The files to start from, for a loader by its ending without the dot."""
    made = {
        "bvh": lambda: [BVH.encode(), BVH.replace("\n", "\r\n").encode()],
        "asf": lambda: [ASF.encode()],
        "amc": lambda: [AMC.encode(), AMC.replace("DEGREES", "RADIANS").encode()],
        "urdf": lambda: [URDF.encode(), FLOATING.encode()],
        "xml": lambda: [MJCF.encode(), URDF.encode()],
        "mjcf": lambda: [MJCF.encode(), BESIDE.encode()],
        "glb": lambda: [packed(*model) for model in models()],
        "gltf": lambda: [with_data(*model) for model in models()],
        "vrm": lambda: [packed(*avatar(kind)) for kind in ("VRM", "VRMC_vrm")],
        "vrma": lambda: [packed(*avatar("VRMC_vrm_animation"))],
    }
    return list(made[loader]() if loader in made else _saved(loader))


def figure_for(loader: str) -> limbik.Figure | None:
    """The figure that motions need where no file beside them holds it."""
    return limbik.figures.arm() if loader in ("csv", "npz") else None


def real(loader: str, largest: int = 100_000) -> Iterator[bytes]:
    """Real files of an ending, those that are small."""
    named = os.environ.get("LIMBIK_TEST_DATA")
    root = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    # The AMC files there belong to another skeleton than the one beside the inputs.
    for path in sorted(root.rglob(f"*.{loader}")) if loader != "amc" else ():
        if path.stat().st_size <= largest:
            yield path.read_bytes()


def _saved(loader: str) -> Iterator[bytes]:
    """Formats that limbik writes itself."""
    figure = limbik.figures.arm()
    motion = limbik.Motion(figure, [figure.rest, figure.rest * 0.5, figure.rest + 0.1], 30.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"seed.{loader}"
        for thing in (motion, figure):
            limbik.save(thing, path)
            yield path.read_bytes()
        for layout in ("unitree",) if loader == "csv" else ("mujoco", "gmr", "mjlab"):
            limbik.save(motion, path, layout=layout)
            yield path.read_bytes()
