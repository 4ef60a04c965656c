"""Skeletons as other programs name them, a line a chain: joints after ">" hang on one another."""

from __future__ import annotations

import limbik
from limbik.figure.joints import Joint, euler


def figure(text: str) -> limbik.Figure:
    """A figure from lines such as "Hips > Spine > Head"; a line starts at a joint known already."""
    joints: dict[str, Joint] = {}
    for line in text.strip().splitlines():
        parent: str | None = None
        for name in (part.strip() for part in line.split(">")):
            if name not in joints:
                joints[name] = Joint(name, parent, euler("ZYX"), offset=(0.0, 0.1, 0.02))
            parent = name
    return limbik.Figure(joints.values())


def both_sides(text: str, left: str, right: str) -> str:
    """The text, and again each line that names the left, for the right."""
    lines = text.strip().splitlines()
    return "\n".join([*lines, *(line.replace(left, right) for line in lines if left in line)])


MIXAMO = both_sides(
    """
    mixamorig:Hips > mixamorig:Spine > mixamorig:Spine1 > mixamorig:Spine2 > mixamorig:Neck
    mixamorig:Neck > mixamorig:Head > mixamorig:HeadTop_End
    mixamorig:Spine2 > mixamorig:LeftShoulder > mixamorig:LeftArm > mixamorig:LeftForeArm
    mixamorig:LeftForeArm > mixamorig:LeftHand > mixamorig:LeftHandThumb1
    mixamorig:LeftHandThumb1 > mixamorig:LeftHandThumb2 > mixamorig:LeftHandThumb3
    mixamorig:LeftHandThumb3 > mixamorig:LeftHandThumb4
    mixamorig:LeftHand > mixamorig:LeftHandIndex1 > mixamorig:LeftHandIndex2
    mixamorig:LeftHandIndex2 > mixamorig:LeftHandIndex3 > mixamorig:LeftHandIndex4
    mixamorig:LeftHand > mixamorig:LeftHandPinky1 > mixamorig:LeftHandPinky2
    mixamorig:LeftHandPinky2 > mixamorig:LeftHandPinky3 > mixamorig:LeftHandPinky4
    mixamorig:Hips > mixamorig:LeftUpLeg > mixamorig:LeftLeg > mixamorig:LeftFoot
    mixamorig:LeftFoot > mixamorig:LeftToeBase > mixamorig:LeftToe_End
    """,
    ":Left",
    ":Right",
)

BIPED = both_sides(
    """
    Bip01 > Bip01 Pelvis > Bip01 Spine > Bip01 Spine1 > Bip01 Spine2 > Bip01 Neck > Bip01 Head
    Bip01 Head > Bip01 HeadNub
    Bip01 Neck > Bip01 L Clavicle > Bip01 L UpperArm > Bip01 L Forearm > Bip01 L Hand
    Bip01 L UpperArm > Bip01 LUpArmTwist
    Bip01 L Hand > Bip01 L Finger0 > Bip01 L Finger01 > Bip01 L Finger02 > Bip01 L Finger0Nub
    Bip01 L Hand > Bip01 L Finger1 > Bip01 L Finger11 > Bip01 L Finger12
    Bip01 L Hand > Bip01 L Finger4 > Bip01 L Finger41 > Bip01 L Finger42
    Bip01 Spine > Bip01 L Thigh > Bip01 L Calf > Bip01 L Foot > Bip01 L Toe0 > Bip01 L Toe0Nub
    """,
    " L",
    " R",
)

VROID = both_sides(
    """
    Root > J_Bip_C_Hips > J_Bip_C_Spine > J_Bip_C_Chest > J_Bip_C_UpperChest > J_Bip_C_Neck
    J_Bip_C_Neck > J_Bip_C_Head > J_Adj_L_FaceEye
    J_Bip_C_Head > J_Sec_Hair1_01
    J_Bip_C_UpperChest > J_Bip_L_Shoulder > J_Bip_L_UpperArm > J_Bip_L_LowerArm > J_Bip_L_Hand
    J_Bip_L_UpperArm > J_Sec_L_TopsUpperArmInside_01
    J_Bip_C_UpperChest > J_Sec_L_Bust1
    J_Bip_L_Hand > J_Bip_L_Thumb1 > J_Bip_L_Thumb2 > J_Bip_L_Thumb3
    J_Bip_L_Hand > J_Bip_L_Little1 > J_Bip_L_Little2 > J_Bip_L_Little3
    J_Bip_C_Hips > J_Bip_L_UpperLeg > J_Bip_L_LowerLeg > J_Bip_L_Foot > J_Bip_L_ToeBase
    """,
    "_L_",
    "_R_",
)

LAFAN = both_sides(
    """
    Hips > Spine > Spine1 > Spine2 > Neck > Head
    Spine2 > LeftShoulder > LeftArm > LeftForeArm > LeftHand
    Hips > LeftUpLeg > LeftLeg > LeftFoot > LeftToe
    """,
    "Left",
    "Right",
)

ROKOKO = both_sides(
    """
    Root > Hips > Spine1 > Spine2 > Spine3 > Spine4 > Neck > Head
    Spine4 > LeftShoulder > LeftArm > LeftForeArm > LeftHand
    LeftHand > LeftFinger1Metacarpal > LeftFinger1Proximal > LeftFinger1Distal > LeftFinger1Tip
    LeftHand > LeftFinger2Metacarpal > LeftFinger2Proximal > LeftFinger2Medial
    LeftFinger2Medial > LeftFinger2Distal > LeftFinger2Tip
    LeftHand > LeftFinger5Metacarpal > LeftFinger5Proximal > LeftFinger5Medial > LeftFinger5Distal
    Hips > LeftThigh > LeftShin > LeftFoot > LeftToe > LeftToeTip
    """,
    "Left",
    "Right",
)

DAZ = both_sides(
    """
    hip > pelvis > lThighBend > lThighTwist > lShin > lFoot > lMetatarsals > lToe
    hip > abdomenLower > abdomenUpper > chestLower > chestUpper > neckLower > neckUpper > head
    head > lEye
    chestUpper > lCollar > lShldrBend > lShldrTwist > lForearmBend > lForearmTwist > lHand
    lHand > lThumb1 > lThumb2 > lThumb3
    lHand > lCarpal1 > lIndex1 > lIndex2 > lIndex3
    lHand > lCarpal2 > lMid1 > lMid2 > lMid3
    """,
    " l",
    " r",
)

UNREAL = both_sides(
    """
    root > pelvis > spine_01 > spine_02 > spine_03 > neck_01 > head
    spine_03 > clavicle_l > upperarm_l > lowerarm_l > hand_l > index_01_l > index_02_l > index_03_l
    upperarm_l > upperarm_twist_01_l
    hand_l > thumb_01_l > thumb_02_l > thumb_03_l
    root > ik_foot_root > ik_foot_l
    pelvis > thigh_l > calf_l > foot_l > ball_l
    """,
    "_l",
    "_r",
)

ENGLISH = both_sides(
    """
    pelvis > spine > chest > neck > head
    chest > left_shoulder > left_elbow > left_wrist
    pelvis > left_hip > left_knee > left_ankle
    """,
    "left",
    "right",
)

CAPITALS = both_sides(
    """
    HIPS > SPINE > NECK > HEAD
    SPINE > LEFTCOLLAR > LEFTUPPERARM > LEFTFOREARM > LEFTHAND > LEFTHANDINDEX1
    HIPS > LEFTTHIGH > LEFTCALF > LEFTFOOT > LEFTTOES
    """,
    "LEFT",
    "RIGHT",
)

XSENS = both_sides(
    """
    Pelvis > L5 > L3 > T12 > T8 > Neck > Head
    T8 > LeftShoulder > LeftUpperArm > LeftForeArm > LeftHand
    Pelvis > LeftUpperLeg > LeftLowerLeg > LeftFoot > LeftToe
    """,
    "Left",
    "Right",
)

RIGIFY = both_sides(
    """
    DEF-spine > DEF-spine.001 > DEF-spine.002 > DEF-spine.003 > DEF-spine.004 > DEF-spine.005
    DEF-spine.005 > DEF-spine.006
    DEF-spine.003 > DEF-shoulder.L > DEF-upper_arm.L > DEF-upper_arm.L.001 > DEF-forearm.L
    DEF-forearm.L > DEF-forearm.L.001 > DEF-hand.L > DEF-thumb.01.L > DEF-thumb.02.L
    DEF-hand.L > DEF-palm.01.L > DEF-f_index.01.L > DEF-f_index.02.L > DEF-f_index.03.L
    DEF-spine > DEF-thigh.L > DEF-thigh.L.001 > DEF-shin.L > DEF-shin.L.001 > DEF-foot.L
    DEF-foot.L > DEF-toe.L
    """,
    ".L",
    ".R",
)

SMPL = both_sides(
    """
    pelvis > spine1 > spine2 > spine3 > neck > head
    spine3 > left_collar > left_shoulder > left_elbow > left_wrist > left_hand
    pelvis > left_hip > left_knee > left_ankle > left_foot
    """,
    "left",
    "right",
)

BACKWARDS = both_sides(
    """
    Hips > SpineLower > SpineUpper > Chest > Neck > Head
    Chest > Left Thorax > Left Arm Upper > Left Arm Lower > Left Hand Wrist
    Hips > Left Leg Upper > Left Leg Lower > Left Foot > Left Foot Front
    """,
    "Left",
    "Right",
)

MAKEHUMAN_CMU = both_sides(
    """
    Hips > LowerBack > Spine > Spine1 > Neck > Neck1 > Head
    Spine1 > LeftShoulder > LeftArm > LeftForeArm > LeftHand > LeftFingerBase > LeftHandFinger1
    LeftHand > LeftThumb
    Hips > LeftHipJoint > LeftUpLeg > LeftLeg > LeftFoot > LeftToeBase
    """,
    "Left",
    "Right",
)
