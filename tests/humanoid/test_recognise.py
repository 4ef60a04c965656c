"""Roles by the names of many programs, on typed skeletons and on real files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

import limbik
from helpers import real_data, skeletons
from limbik.figure.joints import Joint
from limbik.humanoid import recognise
from limbik.humanoid.joint_names import take_apart
from limbik.humanoid.recognise import REQUIRED

LIMBS = ("Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes")
COLUMN = ("hips", "spine", "chest", "upperChest", "neck", "head")

# Convention → (column, left limbs in the order above, other roles); "-" where there is none.
EXPECTED: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "Mixamo": (
        skeletons.MIXAMO,
        "Hips Spine Spine1 Spine2 Neck Head",
        "LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg LeftLeg LeftFoot LeftToeBase",
        {
            "leftThumbMetacarpal": "LeftHandThumb1",
            "leftThumbProximal": "LeftHandThumb2",
            "leftThumbDistal": "LeftHandThumb3",
            "leftIndexProximal": "LeftHandIndex1",
            "rightIndexDistal": "RightHandIndex3",
            "leftLittleIntermediate": "LeftHandPinky2",
        },
    ),
    "biped": (
        skeletons.BIPED,
        "Pelvis Spine Spine1 Spine2 Neck Head",
        "L_Clavicle L_UpperArm L_Forearm L_Hand L_Thigh L_Calf L_Foot L_Toe0",
        {
            "leftThumbMetacarpal": "L Finger0",
            "leftThumbProximal": "L Finger01",
            "rightThumbDistal": "R Finger02",
            "leftIndexProximal": "L Finger1",
            "leftIndexDistal": "L Finger12",
            "leftLittleIntermediate": "L Finger41",
        },
    ),
    "VRoid": (
        skeletons.VROID,
        "C_Hips C_Spine C_Chest C_UpperChest C_Neck C_Head",
        "L_Shoulder L_UpperArm L_LowerArm L_Hand L_UpperLeg L_LowerLeg L_Foot L_ToeBase",
        {
            "leftThumbMetacarpal": "L_Thumb1",
            "leftLittleDistal": "L_Little3",
            "rightLittleProximal": "R_Little1",
        },
    ),
    "LAFAN": (
        skeletons.LAFAN,
        "Hips Spine Spine1 Spine2 Neck Head",
        "LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg LeftLeg LeftFoot LeftToe",
        {},
    ),
    "Rokoko": (
        skeletons.ROKOKO,
        "Hips Spine1 Spine3 Spine4 Neck Head",
        "LeftShoulder LeftArm LeftForeArm LeftHand LeftThigh LeftShin LeftFoot LeftToe",
        {
            "leftThumbMetacarpal": "LeftFinger1Metacarpal",
            "leftThumbProximal": "LeftFinger1Proximal",
            "leftThumbDistal": "LeftFinger1Distal",
            "leftIndexMetacarpal": "LeftFinger2Metacarpal",
            "leftIndexIntermediate": "LeftFinger2Medial",
            "leftLittleDistal": "LeftFinger5Distal",
        },
    ),
    "DAZ": (
        skeletons.DAZ,
        "hip abdomenLower chestLower chestUpper neckLower head",
        "lCollar lShldrBend lForearmBend lHand lThighBend lShin lFoot lToe",
        {"leftMiddleProximal": "lMid1", "leftThumbDistal": "lThumb3", "leftEye": "lEye"},
    ),
    "Unreal": (
        skeletons.UNREAL,
        "pelvis spine_01 spine_02 spine_03 neck_01 head",
        "clavicle_l upperarm_l lowerarm_l hand_l thigh_l calf_l foot_l ball_l",
        {"leftIndexProximal": "index_01_l", "rightThumbMetacarpal": "thumb_01_r"},
    ),
    "English": (
        skeletons.ENGLISH,
        "pelvis spine chest - neck head",
        "- left_shoulder left_elbow left_wrist left_hip left_knee left_ankle -",
        {},
    ),
    "capitals": (
        skeletons.CAPITALS,
        "HIPS SPINE - - NECK HEAD",
        "LEFTCOLLAR LEFTUPPERARM LEFTFOREARM LEFTHAND LEFTTHIGH LEFTCALF LEFTFOOT LEFTTOES",
        {"rightIndexProximal": "RIGHTHANDINDEX1"},
    ),
    "Xsens": (
        skeletons.XSENS,
        "Pelvis L5 T12 T8 Neck Head",
        "LeftShoulder LeftUpperArm LeftForeArm LeftHand LeftUpperLeg LeftLowerLeg LeftFoot LeftToe",
        {},
    ),
    "Rigify": (
        skeletons.RIGIFY,
        "spine spine.001 spine.002 spine.003 spine.004 spine.006",
        "shoulder.L upper_arm.L forearm.L hand.L thigh.L shin.L foot.L toe.L",
        {
            "leftThumbMetacarpal": "thumb.01.L",
            "leftIndexMetacarpal": "palm.01.L",
            "rightIndexDistal": "f_index.03.R",
        },
    ),
    "SMPL": (
        skeletons.SMPL,
        "pelvis spine1 spine2 spine3 neck head",
        "left_collar left_shoulder left_elbow left_wrist left_hip left_knee left_ankle left_foot",
        {},
    ),
    "backwards": (
        skeletons.BACKWARDS,
        "Hips SpineLower SpineUpper Chest Neck Head",
        "Left_Thorax Left_Arm_Upper Left_Arm_Lower Left_Hand_Wrist "
        "Left_Leg_Upper Left_Leg_Lower Left_Foot -",
        {},
    ),
    "MakeHuman CMU": (
        skeletons.MAKEHUMAN_CMU,
        "Hips LowerBack Spine Spine1 Neck Head",
        "LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg LeftLeg LeftFoot LeftToeBase",
        {
            "leftThumbMetacarpal": "LeftThumb",
            "leftIndexProximal": "LeftFingerBase",
            "rightIndexIntermediate": "RightHandFinger1",
        },
    ),
}
PREFIX = {"Mixamo": "mixamorig:", "biped": "Bip01 ", "VRoid": "J_Bip_", "Rigify": "DEF-"}


@pytest.mark.parametrize("convention", EXPECTED)
def test_a_convention(convention: str) -> None:
    text, column, limbs, others = EXPECTED[convention]
    body = recognise(skeletons.figure(text))
    assert body.complete, body.missing
    expected = dict(zip(COLUMN, column.split(), strict=True))
    expected |= {"left" + part: name for part, name in zip(LIMBS, limbs.split(), strict=True)}
    prefix = PREFIX.get(convention, "")
    for role, name in (expected | others).items():
        if convention in ("biped", "backwards"):
            name = name.replace("_", " ")
        assert body.roles.get(role, "-") == (prefix + name if name != "-" else "-"), role
    for role in body.roles:
        if role.startswith("left"):
            assert "right" + role.removeprefix("left") in body.roles


def test_the_same_biped_with_underscores() -> None:
    spaced = recognise(skeletons.figure(skeletons.BIPED))
    tied = recognise(
        skeletons.figure(skeletons.BIPED.replace("Bip01 ", "Bip01_").replace("L ", "L_"))
    )
    assert {role: name.replace(" ", "_") for role, name in spaced.roles.items()} == {
        role: name.replace(" ", "_") for role, name in tied.roles.items()
    }


# File → hips, spine, left thigh, left upper arm, left hand, joints with a role.
FILES = {
    "cmu_bvh/02_01.bvh": ("Hips", "LowerBack", "LeftUpLeg", "LeftArm", "LeftHand", 26),
    "cmu_asfamc/02.asf": ("root", "lowerback", "lfemur", "lhumerus", "lwrist", 26),
    "bvh_other/akjava_tpose.bvh": ("hip", "abdomen", "lThigh", "lShldr", "lHand", 19),
    "bvh_other/animdraw_cmu1_jumping_jacks.bvh": (
        "Hips", "lowerback", "LeftHip", "LeftShoulder", "LeftWrist", 26,
    ),
    "bvh_other/animdraw_rokoko_jesse_dance.bvh": (
        "Hips", "Spine", "LeftUpLeg", "LeftArm", "LeftHand", 60,
    ),
    "bvh_other/bvhtoolbox_walk01.bvh": ("Hips", "Spine", "LeftUpLeg", "LeftArm", "LeftHand", 19),
    "bvh_other/makehuman_tpose.bvh": (
        "root", "spine05", "upperleg01.L", "upperarm01.L", "wrist.L", 63,
    ),
    "bvh_other/makehuman_walk1.bvh": ("Root", "Spine1", "UpLeg_L", "UpArm_L", "Hand_L", 55),
    "bvh_other/pybvh_bvh_test1.bvh": ("Hips", "Spine", "LeftUpLeg", "LeftArm", "LeftHand", 22),
}  # fmt: skip


@pytest.mark.parametrize("file", FILES)
def test_a_real_file(file: str) -> None:
    body = recognise(limbik.load(real_data.find(file)))
    assert body.missing == ()
    roles = ("hips", "spine", "leftUpperLeg", "leftUpperArm", "leftHand")
    assert (*(body[role] for role in roles), len(body.roles)) == FILES[file]


def test_the_wrist_of_cmu_is_no_finger_and_the_humans_knuckle_is() -> None:
    cmu = recognise(limbik.load(real_data.find("cmu_bvh/02_01.bvh")))
    assert cmu["leftIndexProximal"] == "LeftHandIndex1"
    assert "LeftFingerBase" in cmu.unplaced
    human = recognise(limbik.figures.human())
    assert human["leftIndexProximal"] == "LeftFingerBase"
    assert human["leftIndexIntermediate"] == "LeftHandIndex1"
    assert human.unplaced == ("LHipJoint", "RHipJoint", "Neck1")
    assert human.role_of("LThumb") == "leftThumbMetacarpal"
    assert human.role_of("Neck1") == ""


def test_dummies_are_not_taken_for_bones() -> None:
    body = recognise(limbik.load(real_data.find("bvh_other/makehuman_walk1.bvh")))
    assert {"__UpLeg_L", "__Clavicle_R", "__Thumb1_L"} <= set(body.unplaced)
    assert body["leftThumbMetacarpal"] == "Thumb1_L"


@pytest.mark.parametrize("make", ["spider", "arm", "leg", "hand"])
def test_what_is_no_body(make: str) -> None:
    figure = getattr(limbik.figures, make)()
    body = recognise(figure)
    assert body.roles == {}
    assert body.missing == REQUIRED
    assert body.unplaced == figure.joints


def test_files_that_are_no_body() -> None:
    nothing = recognise(limbik.load(real_data.find("bvh_other/fairmotion_sinusoidal.bvh")))
    assert nothing.roles == {}
    little = recognise(limbik.load(real_data.find("bvh_other/pybvh_rotation_first_root.bvh")))
    # "LeftLeg" alone may be a thigh or a shank.
    assert little.roles == {"hips": "Hips", "spine": "Spine", "head": "Head"}
    assert little.unplaced == ("LeftLeg",)


def test_many_joints_that_are_only_called_arm_are_a_robots() -> None:
    arms = " > ".join(f"arm_left_{k}_link" for k in range(1, 8))
    assert recognise(skeletons.figure("torso > " + arms)).roles == {}
    three = recognise(skeletons.figure("torso > arm_L_1 > arm_L_2 > arm_L_3"))
    assert list(three.roles.values()) == ["arm_L_1", "arm_L_2", "arm_L_3"]


def test_a_file_that_knows_is_believed() -> None:
    figure = skeletons.figure("a > b > c")
    source = SimpleNamespace(roles={"hips": "a", "head": "c", "spine": "not there"})
    told = limbik.Figure(figure.definition, source=source)
    assert recognise(told).roles == {"hips": "a", "head": "c"}
    old = {"leftThumbProximal": "a", "leftThumbIntermediate": "b", "leftThumbDistal": "c"}
    body = recognise(limbik.Figure(figure.definition, source=SimpleNamespace(roles=old)))
    assert body.roles == {
        "leftThumbMetacarpal": "a",
        "leftThumbProximal": "b",
        "leftThumbDistal": "c",
    }


def lines_run(figure: limbik.Figure) -> int:
    """How many lines of Python run while a figure is recognised."""
    count = 0

    def trace(frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        recognise(figure)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("deep", [True, False])
@pytest.mark.parametrize(
    "name", ["LeftArm{}", "left_hand_fingers_{}", "lefthandarmforearm{}xx", "upperarmupperarm{}"]
)
def test_work_grows_with_the_number_of_joints_only(name: str, deep: bool) -> None:
    """Names made to confuse: ten times as many take about ten times as long, not a hundred."""
    work = []
    for count in (100, 1_000):
        names = ["LeftHand", *(name.format(k) for k in range(count))]
        joints = [Joint(names[0])]
        joints += [Joint(n, names[k] if deep else names[0]) for k, n in enumerate(names[1:])]
        take_apart.cache_clear()
        work.append(lines_run(limbik.Figure(joints)))
    assert work[1] < 15 * work[0]
