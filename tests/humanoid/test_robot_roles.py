"""Robots whose links or joints say what they are, and those whose limbs are only counted."""

from __future__ import annotations

import pytest

import limbik
from limbik.figure.joints import Joint, revolute
from limbik.humanoid import recognise
from tests.helpers import real_data


def test_the_other_name_counts_where_a_link_says_nothing() -> None:
    body = recognise(limbik.load(real_data.find("robots_mjcf/booster_t1/t1.xml")))
    assert body["leftUpperArm"] == "AL1"  # on the joint Left_Shoulder_Pitch
    assert body["rightLowerArm"] == "AR3"
    assert body["head"] == "H1"
    assert body["leftFoot"] == "Ankle_Cross_Left"
    assert "leftToes" not in body  # left_foot_link is the ankle's second axis


@pytest.mark.filterwarnings("ignore:.*outside the limits")
def test_counted_limbs_are_known_by_their_longest_bones() -> None:
    body = recognise(limbik.load(real_data.find("robots/erd_talos_full_v2.urdf")))
    assert body.complete
    assert [body["left" + part] for part in ("UpperLeg", "LowerLeg", "Foot")] == [
        "leg_left_3_link",
        "leg_left_4_link",
        "leg_left_5_link",
    ]
    assert body["rightLowerArm"] == "arm_right_4_link"
    assert body["rightHand"] == "arm_right_5_link"


def test_counted_limbs_of_even_bones_stay_without_roles() -> None:
    names = [f"leg_left_{k}_link" for k in range(1, 7)]
    joints = [Joint("pelvis")]
    for before, name in zip(["pelvis", *names], names, strict=False):
        joints.append(Joint(name, before, revolute("y"), offset=(0, -0.2, 0)))
    assert "leftUpperLeg" not in recognise(limbik.Figure(joints))
