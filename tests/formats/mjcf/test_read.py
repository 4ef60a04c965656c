"""MJCF: forward kinematics against MuJoCo, what its files can say, and what is refused."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import limbik
from helpers.real_data import find
from helpers.robot_comparisons import compare_with_mujoco, load, values_of
from limbik import FormatError
from limbik.errors import NoMotionError

MODEL = """<mujoco model="m">
  <compiler angle="{angle}" eulerseq="{order}"/>
  <default>
    <joint axis="0 1 0"/>
    <default class="tight"><joint range="-10 20" limited="true"/></default>
    <default class="slider"><joint type="slide" axis="1 0 1"/></default>
  </default>
  <worldbody>
    <geom size="1"/>
    <body name="base" pos="0 0 1" euler="10 20 30">
      <geom size="0.1"/>
      <freejoint name="root"/>
      <body name="thigh" pos="0.1 0.2 -0.3" axisangle="1 1 0 40">
        <geom size="0.1"/>
        <joint name="hip_x" axis="1 0 0" ref="15"/>
        <joint name="hip_y" class="tight" pos="0.05 0 0"/>
        <joint name="hip_s" class="slider" ref="0.1"/>
        <frame pos="0 0 -0.1" xyaxes="0 1 0 -1 0 0.2">
          <body name="shin" childclass="tight" zaxis="1 0.5 1">
            <geom size="0.1"/>
            <joint name="knee" pos="0 0.1 0.2"/>
            <body name="foot" quat="1 0.5 0 0"><geom size="0.1"/><joint name="ankle" type="ball" range="0 50"/></body>
          </body>
        </frame>
      </body>
    </body>
    <body name="slave" pos="1 0 0"><geom size="0.1"/><joint name="driven" axis="0 0 1" ref="5"/></body>
    <body pos="2 0 0"><geom size="0.1"/><joint/></body>
  </worldbody>
  <equality><joint joint1="driven" joint2="knee" polycoef="0.1 -0.5 0 0 0"/></equality>
  <keyframe>
    <key name="home" qpos="0 0 1 1 0 0 0 0.1 0.2 0.3 0.4 1 0 0 0 0 0.5"/>
  </keyframe>
</mujoco>
"""  # noqa: E501


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings to a file in the working folder."""
    monkeypatch.chdir(tmp_path)


def model(folder: Path, text: str = MODEL, angle: str = "degree", order: str = "xyz") -> Path:
    path = folder / "m.xml"
    path.write_text(text.replace("{angle}", angle).replace("{order}", order))
    return path


@pytest.mark.parametrize("order", ["xyz", "zyx", "XYZ", "ZyX", "zyz"])
@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_everything_a_file_can_say_stands_as_in_mujoco(
    tmp_path: Path, angle: str, order: str
) -> None:
    text = MODEL if angle == "degree" else MODEL.replace("0 50", "0 1").replace("-10 20", "-1 2")
    assert compare_with_mujoco(model(tmp_path, text, angle, order)) == 6


@pytest.mark.parametrize("name", ["dmc_humanoid_CMU_V2020", "dmc_testing_model_with_ball_joints"])
def test_real_models_stand_as_in_mujoco(name: str) -> None:
    assert compare_with_mujoco(find(f"robots/{name}.xml")) > 1


def test_names_limits_couplings_and_conventions(tmp_path: Path) -> None:
    figure = load(model(tmp_path))
    assert (figure.name, figure.unit, figure.up) == ("m", "m", "z")
    turning = [c for c in figure.coordinates if not c.startswith(("root", "ankle"))]
    assert turning == ["hip_x", "hip_y", "hip_s", "knee", "body6_joint"]
    bounds = {c: (figure.lower[k], figure.upper[k]) for k, c in enumerate(figure.coordinates)}
    assert bounds["knee"] == pytest.approx((math.radians(-10), math.radians(20)))
    assert bounds["hip_x"] == (-math.inf, math.inf)
    ankle = figure.definition[figure.index("foot")].limit
    assert isinstance(ankle, limbik.SwingTwist)
    assert ankle.swing == pytest.approx((math.radians(50), math.radians(50)))
    # driven − 5° = 0.1 − 0.5·knee
    q = figure.rest.copy()
    q[figure.coordinates.index("knee")] = 0.2
    assert values_of(figure, q, "driven") == pytest.approx([math.radians(5) + 0.1 - 0.5 * 0.2])


def test_keyframes_are_a_motion(tmp_path: Path) -> None:
    path = model(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        motion = limbik.load_motion(path)
    figure = motion.figure
    assert (motion.frames, motion.fps) == (1, 1.0)
    at = figure.coordinates.index("knee")
    assert motion.q[0, at] == 0.4
    assert motion.q[0, figure.coordinates.index("body6_joint")] == 0.5
    without = model(tmp_path, MODEL.replace("qpos=", "qvel="))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(NoMotionError, match="no keyframes"):
            limbik.load_motion(without)


def test_includes_are_put_in_their_places(tmp_path: Path) -> None:
    whole = model(tmp_path)
    expected = load(whole)
    start, end = MODEL.index("  <default>"), MODEL.index("  <worldbody>")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "defaults.xml").write_text(f"<mujoco>{MODEL[start:end]}</mujoco>")
    cut = MODEL[:start] + '  <include file="parts/defaults.xml"/>\n' + MODEL[end:]
    got = load(model(tmp_path, cut))
    assert got.definition == expected.definition


def test_a_curved_coupling_is_left_free_and_told(tmp_path: Path) -> None:
    path = model(tmp_path, MODEL.replace("0.1 -0.5 0 0 0", "0.1 -0.5 2 0 0"))
    with pytest.warns(UserWarning, match='the coupling of "driven" is not linear'):
        assert "driven" in limbik.load(path).coordinates


@pytest.mark.parametrize("range_", ["0 0", "1 1", "2 -2"])
def test_a_range_without_room_takes_the_limit_of_a_class_away(tmp_path: Path, range_: str) -> None:
    joint = f'<joint name="knee" range="{range_}" pos="0 0.1 0.2"/>'
    path = model(tmp_path, MODEL.replace('<joint name="knee" pos="0 0.1 0.2"/>', joint))
    path.write_text(path.read_text().replace('range="-10 20" limited="true"', 'range="-10 20"'))
    theirs = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    limited = {theirs.joint(k).name: bool(theirs.jnt_limited[k]) for k in range(theirs.njnt)}
    figure = load(path)
    ends = {name: bool(np.isfinite(figure.lower[c])) for c, name in enumerate(figure.coordinates)}
    assert (ends["knee"], ends["hip_y"]) == (limited["knee"], limited["hip_y"]) == (False, True)


def test_copies_of_shapes_move_nothing(tmp_path: Path) -> None:
    copies = '<replicate count="3" offset="0 0 1"><geom size="0.1"/></replicate><freejoint'
    path = model(tmp_path, MODEL.replace("<freejoint", copies))
    assert compare_with_mujoco(path) == 6


def test_urdf_may_end_in_xml_too(tmp_path: Path) -> None:
    path = tmp_path / "r.xml"
    path.write_text('<robot name="r"><link name="a"/></robot>')
    assert limbik.load(path).joints == ("a",)


BOMB = """<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<mujoco model="&b;"><worldbody/></mujoco>"""
REFUSED = {
    "not XML": ("hello", "is not XML"),
    "other": ("<sdf/>", "is not MJCF"),
    "bomb": (BOMB, "document type"),
    "no world": ("<mujoco/>", "has no <worldbody>"),
    "no bodies": ("<mujoco><worldbody/></mujoco>", "has no bodies"),
    "outside": ('<mujoco><include file="../x.xml"/></mujoco>', "outside its folder"),
    "absolute": ('<mujoco><include file="/etc/passwd"/></mujoco>', "outside its folder"),
    "itself": ('<mujoco><include file="m.xml"/></mujoco>', "too many files, or itself"),
    "missing": (
        '<mujoco><include file="no.xml"/></mujoco>',
        'includes "no.xml", which is not there',
    ),
    "kind": (MODEL.replace('type="ball"', 'type="bell"'), '"bell" is not a kind of joint'),
    "class": (MODEL.replace('childclass="tight"', 'childclass="tigth"'), "no default class"),
    "nan": (MODEL.replace("0.1 0.2 -0.3", "nan 0 0"), "pos of <body> needs 3 numbers"),
    "zero axis": (MODEL.replace('axis="1 0 0"', 'axis="0 0 0"'), "zero length"),
    "zero quat": (MODEL.replace('quat="1 0.5 0 0"', 'quat="0 0 0 0"'), "zero length"),
    "range": (MODEL.replace("-10 20", "20 -10"), "lower 20 is above -10"),
    "euler": (MODEL.replace("{order}", "xyw"), "is not three axes"),
    "replicate": (MODEL.replace("<frame", "<replicate").replace("</frame", "</replicate"), "not s"),
    "nested free": (
        MODEL.replace('<joint name="knee" pos="0 0.1 0.2"/>', "<freejoint/>"),
        "free joint must be",
    ),
    "key": (MODEL.replace("0.3 0.4 1", "0.3 1"), None),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_model_is_refused(tmp_path: Path, name: str) -> None:
    text, message = REFUSED[name]
    path = model(tmp_path, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(FormatError, match=message or "qpos of <key> needs 17 numbers"):
            (limbik.load if message else limbik.load_motion)(path)
