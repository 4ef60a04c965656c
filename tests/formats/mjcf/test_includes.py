"""MJCF files that include others: found where MuJoCo finds them, with faults by the right file."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import limbik
from limbik import FormatError

WORLD = '<mujoco><worldbody><body name="{}"><geom size="1"/></body></worldbody></mujoco>'


def files(folder: Path, **texts: str) -> Path:
    """Files by name, "__" for a folder; the first is the model."""
    paths = [folder / f"{name.replace('__', '/')}.xml" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return paths[0]


def include(name: str) -> str:
    return f'<mujoco><include file="{name}"/></mujoco>'


FOUND = {
    "beside the model": {"m": include("a/a.xml"), "a__a": include("a/b.xml"), "a__b": WORLD},
    "beside the includer": {"m": include("a/a.xml"), "a__a": include("b.xml"), "a__b": WORLD},
    "deeper": {
        "m": include("a/a.xml"),
        "a__a": include("c/b.xml"),
        "a__c__b": include("d.xml"),
        "a__c__d": WORLD,
    },
    "both, and the model's comes first": {
        "m": include("a/a.xml"),
        "a__a": include("b.xml"),
        "a__b": WORLD.format("other"),
        "b": WORLD,
    },
}


@pytest.mark.parametrize("name", FOUND)
def test_includes_of_includes_are_those_that_mujoco_takes(tmp_path: Path, name: str) -> None:
    path = files(tmp_path, **{k: v.replace("{}", "x") for k, v in FOUND[name].items()})
    theirs = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    assert limbik.load(path).joints == (theirs.body(1).name,) == ("x",)


def test_one_that_is_in_neither_place_is_refused_by_the_file_that_names_it(tmp_path: Path) -> None:
    path = files(
        tmp_path,
        m=include("a/a.xml"),
        a__a='<mujoco>\n<include file="c/b.xml"/></mujoco>',
        a__d=WORLD,
    )
    with pytest.raises(ValueError, match="Error opening file"):
        mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    with pytest.raises(FormatError) as caught:
        limbik.load(path)
    assert str(caught.value) == 'a.xml line 2: includes "c/b.xml", which is not there'


def test_an_includer_does_not_lead_out_of_the_models_folder(tmp_path: Path) -> None:
    path = files(tmp_path, s__m=include("a/a.xml"), s__a__a=include("../../b.xml"), b=WORLD)
    with pytest.raises(FormatError, match="outside its folder") as caught:
        limbik.load(path)
    assert str(caught.value).startswith("a.xml line 1")


FAULTS = {
    "place": '<body pos="1 2"/>',
    "axis": '<body><joint axis="1 2"/></body>',
    "turn": '<body quat="1 2"/>',
    "range": '<body><joint range="1 2 3"/></body>',
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_an_included_file_names_that_file(tmp_path: Path, name: str) -> None:
    inner = f"<mujoco>\n\n<worldbody>{FAULTS[name]}</worldbody></mujoco>"
    with pytest.raises(FormatError) as caught:
        limbik.load(files(tmp_path, m=include("a.xml"), a=inner))
    assert str(caught.value).startswith("a.xml line 3: ")


def test_a_quaternion_of_zeros_in_a_keyframe_is_no_rotation_as_in_mujoco(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(
        '<mujoco><worldbody><body name="x"><freejoint name="f"/><geom size="1"/></body>'
        '<body name="y" pos="0 0 1"><joint name="b" type="ball"/><geom size="1"/></body>'
        "</worldbody><keyframe>"
        '<key qpos="1 2 3 0 0 0 0 0 0 0 0"/><key qpos="1 2 3 2 0 0 0 0 1e-9 0 0"/>'
        "</keyframe></mujoco>"
    )
    theirs = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    data = mujoco.MjData(theirs)  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = limbik.load_motion(path)
    for key in range(2):
        mujoco.mj_resetDataKeyframe(theirs, data, key)  # type: ignore[attr-defined]
        mujoco.mj_kinematics(theirs, data)  # type: ignore[attr-defined]
        frames = motion.figure.frames(motion.q[key])
        np.testing.assert_allclose(frames[:, :3, 3], data.xpos[1:], atol=1e-12)
        np.testing.assert_allclose(frames[:, :3, :3].reshape(-1, 9), data.xmat[1:], atol=1e-12)
