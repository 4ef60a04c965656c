"""VRM avatars and animations: the bones of a human by role."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbik
from helpers.gltf_samples import Sample, unpacked, xyzw
from helpers.real_data import find
from limbik.errors import FormatError
from limbik.formats.gltf.rig import rig_of

NAMES = {
    "hips": "hips",
    "spine": "spine",
    "head": "head",
    "leftUpperArm": "upper_arm.L",
    "rightLowerLeg": "lower_leg.R",
    "leftHand": "hand.L",
    "leftThumbMetacarpal": "thumb_proximal.L",
    "leftThumbProximal": "thumb_intermediate.L",
    "leftThumbDistal": "thumb_distal.L",
    "rightIndexIntermediate": "index_intermediate.R",
}


@pytest.mark.parametrize(("version", "forward"), [(0, "-z"), (1, "z")])
def test_real_avatars_know_their_bones(version: int, forward: str) -> None:
    figure = limbik.load(find(f"vrm/sat06_basic_armature_vrm{version}.vrm"))
    rig = rig_of(figure)
    assert len(rig.roles) == 53
    assert {role: rig.roles[role] for role in NAMES} == NAMES
    assert set(rig.roles.values()) <= set(figure.joints)
    assert figure.joints[0] == "hips"
    assert rig.forward == forward
    # Seen from behind, the left hand is on the left: −x when looking along −z, +x along +z.
    left = figure.positions(figure.rest)[figure.index("hand.L"), 0]
    assert left * (1 if forward == "z" else -1) > 0.3


def test_roles_stay_with_variations_of_the_figure() -> None:
    figure = limbik.load(find("vrm/sat06_basic_armature_vrm1.vrm"))
    other = figure.with_balls("euler").with_limits({"head": limbik.Range(-1, 1)})
    assert rig_of(other).roles["head"] == "head"


def test_a_pose_goes_back_into_an_avatar(tmp_path: Path) -> None:
    path = find("vrm/sat06_basic_armature_vrm1.vrm")
    figure = limbik.load(path)
    q = figure.rest.copy()
    q[figure.coordinates_of("upper_arm.L")[0]] = 1.0
    limbik.save(figure.with_rest(q), tmp_path / "posed.vrm")
    again = limbik.load(tmp_path / "posed.vrm")
    np.testing.assert_allclose(again.positions(again.rest), figure.positions(q), atol=1e-6)
    before, after = (
        unpacked(p.read_bytes())[0]["extensions"] for p in (path, tmp_path / "posed.vrm")
    )
    assert before == after


def human(extension: str, bones: Any, **more: Any) -> Sample:
    sample = Sample()
    top = sample.node("top")
    hips = sample.node("Hips", top, translation=[0, 1, 0])
    sample.node("Spine", hips, translation=[0, 0.2, 0])
    held = {"specVersion": "1.0", "humanoid": {"humanBones": bones}, **more}
    sample.json["extensions"] = {extension: held}
    return sample


def test_a_vrm_animation_moves_its_own_skeleton(tmp_path: Path) -> None:
    bones = {"hips": {"node": 1}, "spine": {"node": 2}}
    expressions = {"preset": {"happy": {"node": 3}}}
    sample = human("VRMC_vrm_animation", bones, expressions=expressions, lookAt={"node": 4})
    sample.node("happy", 2)
    sample.node("gaze", 2)
    times = [0, 0.5, 1]
    turns = [xyzw("y", 0), xyzw("y", 60), xyzw("y", 0)]
    places = [[0, 1, 0], [0.5, 1, 0], [1, 1, 0]]
    channels = [(2, "rotation", times, turns), (1, "translation", times, places)]
    channels += [(3, "translation", times, [[0, 0, 0], [1, 0, 0], [0, 0, 0]])]
    sample.animate([*channels, (4, "rotation", times, turns)])
    path = sample.save(tmp_path, "nod.vrma")
    motion = limbik.load_motion(path)
    assert motion.figure.joints == ("Hips", "Spine")  # an expression's strength is no bone
    assert rig_of(motion.figure).roles == {"hips": "Hips", "spine": "Spine"}
    np.testing.assert_allclose(motion.positions()[-1], [[1, 1, 0], [1, 1.2, 0]], atol=1e-7)
    np.testing.assert_allclose(motion.q[:, 1], 1.0)
    limbik.save(motion, tmp_path / "again.vrma")
    np.testing.assert_allclose(limbik.load_motion(tmp_path / "again.vrma").q, motion.q, atol=1e-6)


@pytest.mark.parametrize("file", ["vrm0", "vrm1"])
def test_a_motion_of_an_avatar_as_a_vrm_animation(tmp_path: Path, file: str) -> None:
    figure = limbik.load(find(f"vrm/sat06_basic_armature_{file}.vrm"))
    rig, generator = rig_of(figure), np.random.default_rng(1)
    q = figure.project(figure.rest + 0.3 * generator.standard_normal((5, figure.n)))
    motion = limbik.Motion(figure, q, 30.0, "wave")
    limbik.save(motion, tmp_path / "wave.vrma")
    again = limbik.load_motion(tmp_path / "wave.vrma")
    assert again.frames == 5
    roles = rig_of(again.figure).roles
    assert set(roles) == set(rig.roles) - {"leftEye", "rightEye"}
    about = np.diag([-1.0, 1.0, -1.0]) if file == "vrm0" else np.eye(3)
    joints = [rig.roles[role] for role in roles]
    wanted = figure.positions(q, joints)
    found = again.figure.positions(again.q, list(roles.values()))
    np.testing.assert_allclose(found, wanted @ about, atol=1e-5)
    rest = again.figure.frames(again.figure.rest)[:, :3, :3]
    np.testing.assert_allclose(rest, np.broadcast_to(np.eye(3), rest.shape), atol=1e-6)


def test_bones_that_an_avatar_does_not_have(tmp_path: Path) -> None:
    bones = [{"bone": "hips", "node": 1}, {"bone": "spine", "node": 2}, {"bone": "jaw", "node": -1}]
    figure = limbik.load(human("VRM", bones).save(tmp_path, "old.vrm"))
    assert rig_of(figure).roles == {"hips": "Hips", "spine": "Spine"}


@pytest.mark.parametrize(
    ("bones", "message"),
    [
        ({"hips": {"node": 9}}, "bone hips: 9 is out of range"),
        ({"hips": {"node": 1.5}}, "needs a whole number"),
        ({"hips": {"node": 1}, "spine": {"node": 1}}, "one node is said to be two bones"),
        ({"hips": 1}, "is not an object"),
        ([{"node": 1}], "a bone has no role"),
        ("hips", "is not an object"),
    ],
)
def test_broken_humans_are_refused(bones: Any, message: str, tmp_path: Path) -> None:
    for extension in ("VRM", "VRMC_vrm", "VRMC_vrm_animation"):
        with pytest.raises(FormatError, match=message):
            limbik.load(human(extension, bones).save(tmp_path, "broken.vrm"))
