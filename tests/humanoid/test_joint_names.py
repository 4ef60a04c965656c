"""Names taken apart: sides in every spelling, words that are written together, what is aside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik.humanoid.joint_names import take_apart


@pytest.mark.parametrize(
    ("name", "side", "words"),
    [
        ("LeftUpLeg", "left", ("upleg",)),
        ("mixamorig:RightHandThumb1", "right", ("hand", "thumb")),
        ("lfemur", "left", ("femur",)),
        ("rradius", "right", ("radius",)),
        ("lShldr", "left", ("shldr",)),
        ("LHipJoint", "left", ("hipjoint",)),
        ("upperarm01.L", "left", ("upperarm",)),
        ("Bip01 R UpperArm", "right", ("upperarm",)),
        ("Bip001_L_Calf", "left", ("calf",)),
        ("ValveBiped.Bip01_L_Clavicle", "left", ("clavicle",)),
        ("J_Bip_C_UpperChest", "", ("c", "upperchest")),
        ("Upper Arm Left", "left", ("upperarm",)),
        ("arm_lower_r", "right", ("lowerarm",)),
        ("LeftLegUpper", "left", ("upperleg",)),
        ("LEFTHANDINDEX1", "left", ("hand", "index")),
        ("handr", "right", ("hand",)),
        ("L_RightArm", "right", ("arm",)),  # spelt out before a letter
        ("LeftArm_L", "left", ("arm",)),
        ("lowerback", "", ("lowerback",)),
        ("ring_01_l", "left", ("ring",)),
        ("LoArm_L", "left", ("loarm",)),
        ("root", "", ("root",)),
        ("l_lleg", "left", ("lowerleg",)),
        ("r_lleg", "right", ("lowerleg",)),
        ("r_uleg", "right", ("upperleg",)),
        ("r_larm", "right", ("lowerarm",)),
        ("lleg", "left", ("leg",)),
        ("larm", "left", ("arm",)),
    ],
)
def test_side_and_words(name: str, side: str, words: tuple[str, ...]) -> None:
    got = take_apart(name)
    assert got.side == side
    assert tuple(word for word in got.words if word != "c") == tuple(w for w in words if w != "c")


@pytest.mark.parametrize(
    ("name", "aside"),
    [
        ("__UpLeg_L", True),
        ("HeadTop_End", True),
        ("upperarm_twist_01_l", True),
        ("LeftForeArmRoll", True),
        ("Bip01 L Finger0Nub", True),
        ("J_Sec_L_Bust1", True),
        ("ik_hand_l", True),
        ("lfemurrz", True),  # a body of MuJoCo that carries one axis of a ball
        ("LeftForeArm", False),
        ("UpLeg_L", False),
    ],
)
def test_what_is_no_part_of_the_body(name: str, aside: bool) -> None:
    assert take_apart(name).aside is aside


def test_digits_keep_their_zeros() -> None:
    assert take_apart("Bip01 L Finger01").digits == ("01",)
    assert take_apart("finger5-1.L").digits == ("5", "1")


@given(st.text(max_size=300))
def test_any_text_is_a_name(text: str) -> None:
    got = take_apart(text)
    assert got.side in ("", "left", "right")
    assert all(word == word.casefold() for word in got.words)
