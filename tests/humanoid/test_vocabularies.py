"""Names of bones that programs and robots use: every role is found, and none is wrong."""

from __future__ import annotations

from itertools import pairwise

import pytest

import limbik
from limbik.figure.joints import Joint, euler
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
    assert body["neck"] == lines[0][-2]
