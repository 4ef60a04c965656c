"""Names of bones that programs and robots use: every role is found, and none is wrong."""

from __future__ import annotations

from itertools import pairwise

import pytest

import limbik
from helpers import real_data
from limbik.figure.joints import Joint, euler, revolute
from limbik.humanoid import recognise

# Trunk from hips to head, how many of them carry the arms, an arm and a leg with {s} for the side.
LONG, SHORT = ("left", "right"), ("L", "R")
NAMES = {
    "unreal": (
        "pelvis spine_01 spine_02 spine_03 neck_01 head", 4, ("l", "r"),
        "clavicle_{s} upperarm_{s} lowerarm_{s} hand_{s}", "thigh_{s} calf_{s} foot_{s} ball_{s}",
    ),
    "smpl": (
        "Pelvis Spine1 Spine2 Spine3 Neck Head", 4, SHORT,
        "{s}_Collar {s}_Shoulder {s}_Elbow {s}_Wrist", "{s}_Hip {s}_Knee {s}_Ankle {s}_Foot",
    ),
    "smplx": (
        "pelvis spine1 spine2 spine3 neck head", 4, LONG,
        "{s}_collar {s}_shoulder {s}_elbow {s}_wrist", "{s}_hip {s}_knee {s}_ankle {s}_foot",
    ),
    "rigify": (
        "DEF-spine DEF-spine.001 DEF-spine.002 DEF-spine.003 DEF-spine.004 DEF-spine.006", 4, SHORT,
        "DEF-shoulder.{s} DEF-upper_arm.{s} DEF-forearm.{s} DEF-hand.{s}",
        "DEF-thigh.{s} DEF-shin.{s} DEF-foot.{s} DEF-toe.{s}",
    ),
    "xsens": (
        "Pelvis L5 L3 T12 T8 Neck Head", 5, ("Left", "Right"),
        "{s}Shoulder {s}UpperArm {s}Forearm {s}Hand",
        "{s}UpperLeg {s}LowerLeg {s}Foot {s}Toe",
    ),
    "xsens, as BVH": (
        "Hips Chest Chest2 Chest3 Chest4 Neck Head", 5, ("Left", "Right"),
        "{s}Collar {s}Shoulder {s}Elbow {s}Wrist", "{s}Hip {s}Knee {s}Ankle {s}Toe",
    ),
    "soma": (
        "Hips Spine1 Spine2 Chest Neck1 Neck2 Head", 4, ("Left", "Right"),
        "{s}Shoulder {s}Arm {s}ForeArm {s}Hand", "{s}Leg {s}Shin {s}Foot {s}ToeBase",
    ),
    "lafan": (
        "Hips Spine Spine1 Spine2 Neck Head", 4, ("Left", "Right"),
        "{s}Shoulder {s}Arm {s}ForeArm {s}Hand", "{s}UpLeg {s}Leg {s}Foot {s}Toe",
    ),
    "mixamo": (
        "mixamorig:Hips mixamorig:Spine mixamorig:Spine1 mixamorig:Spine2 mixamorig:Neck "
        "mixamorig:Head", 4, ("Left", "Right"),
        "mixamorig:{s}Shoulder mixamorig:{s}Arm mixamorig:{s}ForeArm mixamorig:{s}Hand",
        "mixamorig:{s}UpLeg mixamorig:{s}Leg mixamorig:{s}Foot mixamorig:{s}ToeBase",
    ),
    "rigify, metarig": (
        "spine spine.001 spine.002 spine.003 spine.004 spine.005 spine.006", 4, SHORT,
        "shoulder.{s} upper_arm.{s} forearm.{s} hand.{s}", "thigh.{s} shin.{s} foot.{s} toe.{s}",
    ),
    "unreal 5": (
        "pelvis spine_01 spine_02 spine_03 spine_04 spine_05 neck_01 neck_02 head", 6, ("l", "r"),
        "clavicle_{s} upperarm_{s} lowerarm_{s} hand_{s}", "thigh_{s} calf_{s} foot_{s} ball_{s}",
    ),
    "numbered skeleton": (
        "Skeleton0_Hips Skeleton0_Spine Skeleton0_Spine1 Skeleton0_Neck Skeleton0_Head", 3,
        ("Left", "Right"),
        "Skeleton0_{s}Shoulder Skeleton0_{s}Arm Skeleton0_{s}ForeArm Skeleton0_{s}Hand",
        "Skeleton0_{s}UpLeg Skeleton0_{s}Leg Skeleton0_{s}Foot Skeleton0_{s}ToeBase",
    ),
}  # fmt: skip


def body_of(name: str) -> tuple[limbik.humanoid.Body, list[list[str]]]:
    trunk, carrier, sides, arm, leg = NAMES[name]
    column = trunk.split()
    joints = [Joint(column[0], None, euler("XYZ"))]
    lines = [column]
    for side in sides:
        for start, limb in ((column[carrier - 1], arm), (column[0], leg)):
            lines.append([start, *limb.format(s=side).split()])
    for line in lines:
        for above, joint in pairwise(line):
            joints.append(Joint(joint, above, euler("XYZ"), offset=(0.1, 0.2, 0.0)))
    return recognise(limbik.Figure(joints)), lines


@pytest.mark.parametrize("name", NAMES)
def test_every_limb_has_its_roles(name: str) -> None:
    body, lines = body_of(name)
    assert body.complete, body.missing
    for side, arm, leg in (("left", *lines[1:3]), ("right", *lines[3:5])):
        for parts, line in (
            (("Shoulder", "UpperArm", "LowerArm", "Hand"), arm[1:]),
            (("UpperLeg", "LowerLeg", "Foot", "Toes"), leg[1:]),
        ):
            assert [body[side + part] for part in parts] == line
    assert body["hips"] == lines[0][0]
    assert body["head"] == lines[0][-1]
    trunk = lines[0]
    necks = trunk[NAMES[name][1] : -1]
    assert body["neck"] == necks[0]
    assert body["spine"] == trunk[1]
    top = "upperChest" if "upperChest" in body else "chest"
    assert body[top] == trunk[NAMES[name][1] - 1]  # it carries the arms


# Links, or joints, of robots along a leg and an arm, and those that are foot, knee, elbow and hand.
ROBOTS = {
    "unitree g1": (
        "{s}_hip_pitch_link {s}_hip_roll_link {s}_hip_yaw_link {s}_knee_link {s}_ankle_pitch_link "
        "{s}_ankle_roll_link",
        "{s}_shoulder_pitch_link {s}_shoulder_roll_link {s}_shoulder_yaw_link {s}_elbow_link "
        "{s}_wrist_roll_link {s}_wrist_pitch_link {s}_wrist_yaw_link",
        ("{s}_knee_link", "{s}_ankle_pitch_link", "{s}_elbow_link", "wrist"),
    ),
    "unitree h1": (
        "{s}_hip_yaw_link {s}_hip_roll_link {s}_hip_pitch_link {s}_knee_link {s}_ankle_link",
        "{s}_shoulder_pitch_link {s}_shoulder_roll_link {s}_shoulder_yaw_link {s}_elbow_link",
        ("{s}_knee_link", "{s}_ankle_link", "{s}_elbow_link", ""),
    ),
    "booster t1": (
        "{S}_Hip_Pitch {S}_Hip_Roll {S}_Hip_Yaw {S}_Knee_Pitch {S}_Ankle_Pitch {S}_Ankle_Roll",
        "{S}_Shoulder_Pitch {S}_Shoulder_Roll {S}_Elbow_Pitch {S}_Elbow_Yaw",
        ("{S}_Knee_Pitch", "{S}_Ankle_Pitch", "{S}_Elbow_Pitch", ""),
    ),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_have_knees_ankles_and_elbows(name: str) -> None:
    leg, arm, (knee, ankle, elbow, hand) = ROBOTS[name]
    joints = [Joint("pelvis", None, euler("XYZ"))]
    joints.append(Joint("torso_link", "pelvis", revolute("z"), offset=(0.0, 0.0, 0.1)))
    for side in LONG:
        for start, line in (("pelvis", leg), ("torso_link", arm)):
            names = line.format(s=side, S=side.title()).split()
            for above, joint in pairwise([start, *names]):
                joints.append(Joint(joint, above, revolute("y"), offset=(0.0, 0.1, 0.2)))
    body = recognise(limbik.Figure(joints))
    for side in LONG:
        for part, link in (("LowerLeg", knee), ("Foot", ankle), ("LowerArm", elbow)):
            assert body[side + part] == link.format(s=side, S=side.title())
        assert (hand in body[side + "Hand"]) if hand else (side + "Hand" not in body)
        assert {side + "UpperLeg", side + "UpperArm"} <= set(body.roles)
    assert body["hips"] == "pelvis"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("motion/soma_pick_up.bvh", "soma"),
        ("motion/xsens_stand.bvh", "xsens, as BVH"),
        ("motion/lafan1_dance1_subject2.bvh", "lafan"),
    ],
)
def test_the_names_of_the_table_are_those_of_real_files(file: str, name: str) -> None:
    figure = limbik.load(real_data.find(file))
    written, lines = body_of(name)
    assert {joint for line in lines for joint in line} <= set(figure.joints)
    own = recognise(figure)
    assert {role: own[role] for role in written.roles} == dict(written.roles)
