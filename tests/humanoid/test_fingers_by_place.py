"""Fingers whose names only count: where the joints are says which bone each one begins."""

from __future__ import annotations

from itertools import pairwise

import pytest

import limbik
from helpers import real_data
from limbik.figure.joints import Joint, Part, euler, revolute
from limbik.humanoid import recognise

ARM = ("LeftArm", "LeftForeArm", "LeftHand")


def hand(
    *fingers: list[tuple[str, float]], parts: tuple[Part, ...] = euler("ZYX")
) -> limbik.Figure:
    """An arm with fingers, each a list of (name, length from the joint before)."""
    joints = [Joint("Hips", parts=parts), Joint(ARM[0], "Hips", parts, (0.0, 0.5, 0.0))]
    joints += [Joint(b, a, parts, (0.0, 0.3, 0.0)) for a, b in pairwise(ARM)]
    for finger in fingers:
        above = ARM[-1]
        for name, length in finger:
            joints.append(Joint(name, above, parts, (0.0, length, 0.0)))
            above = name
    return limbik.Figure(joints)


def index(*lengths: float) -> list[tuple[str, float]]:
    return [(f"LeftHandIndex{k}", length) for k, length in enumerate(lengths, 1)]


def places(figure: limbik.Figure, finger: str = "Index") -> dict[str, str]:
    roles = recognise(figure).roles
    start = f"left{finger}"
    return {role.removeprefix(start): joint for role, joint in roles.items() if start in role}


def test_four_that_begin_at_the_wrist_begin_with_the_metacarpal() -> None:
    assert places(hand(index(0.04, 0.064, 0.037, 0.023))) == {
        "Metacarpal": "LeftHandIndex1",
        "Proximal": "LeftHandIndex2",
        "Intermediate": "LeftHandIndex3",
        "Distal": "LeftHandIndex4",
    }


def test_four_that_begin_at_the_knuckle_end_with_the_tip() -> None:
    assert places(hand(index(0.09, 0.04, 0.025, 0.02))) == {
        "Proximal": "LeftHandIndex1",
        "Intermediate": "LeftHandIndex2",
        "Distal": "LeftHandIndex3",
    }


def test_a_real_hand_that_is_counted_from_the_metacarpal() -> None:
    figure = limbik.load(real_data.find("motion/soma_pick_up.bvh"))
    assert places(figure) == {
        "Metacarpal": "LeftHandIndex1",
        "Proximal": "LeftHandIndex2",
        "Intermediate": "LeftHandIndex3",
        "Distal": "LeftHandIndex4",
    }
    assert places(figure, "Thumb")["Distal"] == "LeftHandThumb3"


@pytest.mark.parametrize("hinges", [2, 3])
def test_hinges_in_one_place_are_one_joint(hinges: int) -> None:
    """A knuckle of several hinges, and two more joints: three bones, and no more."""
    names = [f"left_index_{k}" for k in range(1, hinges + 3)]
    lengths = [0.09, *[0.0] * (hinges - 1), 0.04, 0.025]
    figure = hand(list(zip(names, lengths, strict=True)), parts=revolute("x"))
    assert places(figure) == {
        "Proximal": names[hinges - 1],
        "Intermediate": names[hinges],
        "Distal": names[hinges + 1],
    }


def test_hinges_alone_are_one_bone_and_the_others_are_missing() -> None:
    names = ["left_index_1", "left_index_2", "left_index_3"]
    figure = hand(list(zip(names, [0.09, 0.0, 0.0], strict=True)), parts=revolute("x"))
    assert places(figure) == {"Proximal": "left_index_3"}


def test_upper_and_lower_leg_by_a_letter_behind_the_side() -> None:
    joints = [Joint("pelvis", parts=euler("ZYX"))]
    for side in "lr":
        above = "pelvis"
        for name in ("uleg", "lleg", "foot"):
            joints.append(Joint(f"{side}_{name}", above, revolute("x"), (0.1, -0.4, 0.0)))
            above = f"{side}_{name}"
    roles = recognise(limbik.Figure(joints)).roles
    for side, word in (("l", "left"), ("r", "right")):
        assert roles[f"{word}UpperLeg"] == f"{side}_uleg"
        assert roles[f"{word}LowerLeg"] == f"{side}_lleg"
        assert roles[f"{word}Foot"] == f"{side}_foot"
