"""Every robot that five packages ship, against Pinocchio (URDF) and MuJoCo (MJCF), to 1e-9."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pinocchio
import pytest

import limbik
from helpers.robot_comparisons import compare_with_mujoco, compare_with_pinocchio
from helpers.robot_packages import models
from limbik import FormatError

URDF = [*models("example_robot_data", ".urdf"), *models("robosuite", ".urdf")]
URDF += models("rtbdata", ".urdf")
MJCF = [*models("dm_control", ".xml"), *models("robosuite", ".xml")]
MJCF += models("gymnasium_robotics", ".xml")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings to a file in the working folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("path", URDF)
def test_a_urdf_stands_as_in_pinocchio(path: Path) -> None:
    try:
        model = pinocchio.buildModelFromUrdf(str(path))
    except ValueError:
        with pytest.raises(FormatError):
            limbik.load(path)
        return
    assert compare_with_pinocchio(path, 3, model) >= 1


@pytest.mark.parametrize("path", MJCF)
def test_an_mjcf_stands_as_in_mujoco(path: Path) -> None:
    try:
        theirs = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    except ValueError as error:
        pytest.skip(f"MuJoCo cannot read it either: {str(error).splitlines()[0][:80]}")
    if theirs.nbody == 1:
        with pytest.raises(FormatError, match="has no"):
            limbik.load(path)
    elif "../" in path.read_text(errors="replace") and path.name == "kitchen_env_model.xml":
        with pytest.raises(FormatError, match="outside its folder"):
            limbik.load(path)
    else:
        assert compare_with_mujoco(path, 3, theirs) == theirs.nbody - 1
