"""The human figure: its joints, its size, and movements that a body can and cannot make."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from limbik.figure.limits import SwingTwist
from limbik.figures import human
from limbik.figures.anatomy import NECK_SHARES, SPINE_SHARES
from limbik.figures.human import BALL, HEEL, TOE_TIP

MIDDLE = ["LowerBack", "Spine", "Spine1", "Neck", "Neck1", "Head"]
LEG = ["HipJoint", "UpLeg", "Leg", "Foot", "ToeBase"]
ARM = ["Shoulder", "Arm", "ForeArm", "Hand", "FingerBase", "HandIndex1", "Thumb"]
SHORT = ("HipJoint", "Thumb")  # CMU writes LHipJoint and LThumb, but LeftArm


def both(parts: list[str]) -> list[str]:
    return [(s[0] if part in SHORT else s) + part for s in ("Left", "Right") for part in parts]


CMU = ["Hips", *both(LEG), *MIDDLE, *both(ARM)]

UP, FRONT, LEFT = np.array([0.0, 1, 0]), np.array([0.0, 0, 1]), np.array([1.0, 0, 0])
GIRDLE = [(0, 0, 0), *product((-5, 22), (-10, 15), (-10, 10))]


def posed(**degrees: tuple[float, ...]) -> np.ndarray:
    q = np.zeros(human().n)
    for joint, values in degrees.items():
        q[human().coordinates_of(joint)] = np.radians(values)
    return q


def place(q: np.ndarray, joint: str, at: tuple[float, float, float] = (0, 0, 0)) -> np.ndarray:
    frame = human().frames(q)[human().index(joint)]
    return frame[:3, :3] @ np.array(at) + frame[:3, 3]


def tip(q: np.ndarray, joint: str) -> np.ndarray:
    end = human().definition[human().index(joint)].tip
    assert end is not None
    return place(q, joint, end)


def can_point(joint: str, child: str, direction: np.ndarray, others: np.ndarray) -> bool:
    """Can the bone from joint to child point in this direction, the rest of the pose given?

    The swing that turns the bone there is set, and the bone is checked to have gone there.
    """
    fig = human()
    i, k = fig.index(joint), fig.index(child)
    parent = fig.frames(others)[fig.parents[i], :3, :3]
    bone = np.array(fig.definition[k].offset) / np.linalg.norm(fig.definition[k].offset)
    target = parent.T @ direction
    axis = np.cross(bone, target)
    angle = np.arctan2(np.linalg.norm(axis), bone @ target)
    q = others.copy()
    ball = fig.definition[i].parts[0]
    swing = ball.basis.T @ (axis / np.linalg.norm(axis) * angle)  # type: ignore[union-attr]
    q[fig.coordinates_of(joint)] = swing
    at = fig.positions(q)
    there = (at[k] - at[i]) / np.linalg.norm(at[k] - at[i])
    np.testing.assert_allclose(there, direction, atol=1e-9)
    return fig.violation(q) == 0.0


def arm_can(direction: np.ndarray, girdles: list[tuple[int, int, int]]) -> bool:
    return any(
        can_point("LeftArm", "LeftForeArm", direction, posed(LeftShoulder=girdle))
        for girdle in girdles
    )


def raised(degrees: float, towards: np.ndarray) -> np.ndarray:
    """A limb's direction, hanging down at 0 and raised towards a side by so many degrees."""
    a = np.radians(degrees)
    return np.sin(a) * towards - np.cos(a) * UP


def test_names_and_counts() -> None:
    fig = human()
    assert list(fig.joints) == CMU
    assert len(CMU) == 31
    assert (fig.n, int(fig.slides.sum())) == (74, 3)
    assert (fig.unit, fig.up) == ("m", "y")
    assert human() is fig


def test_every_turn_is_limited() -> None:
    fig = human()
    turns = ~fig.slides
    assert np.isfinite(fig.lower[turns]).all()
    assert np.isfinite(fig.upper[turns]).all()
    assert (fig.lower[turns] < fig.upper[turns]).all()
    cones = [j.name for j in fig.definition if isinstance(j.limit, SwingTwist)]
    assert {"LeftArm", "RightArm", "LeftUpLeg", "RightUpLeg", "Head", "Spine"} <= set(cones)


@pytest.mark.parametrize("pose", ["zero", "rest"])
def test_stands_on_the_floor_and_is_175_cm_tall(pose: str) -> None:
    fig = human()
    q = np.zeros(fig.n) if pose == "zero" else fig.rest
    assert fig.violation(q) == 0.0
    for side in ("Left", "Right"):
        soles = [
            place(q, f"{side}Foot", HEEL),
            place(q, f"{side}ToeBase", BALL),
            place(q, f"{side}ToeBase", TOE_TIP),
        ]
        np.testing.assert_allclose([sole[1] for sole in soles], 0.0, atol=1e-9)
        assert soles[2][2] > soles[0][2]
    assert tip(q, "Head")[1] == pytest.approx(1.75, abs=0.005)
    assert fig.positions(q)[fig.index("LeftArm"), 0] > 0.1


def test_no_limb_is_straight_or_at_its_limit_at_rest() -> None:
    fig = human()
    for name in ("LeftLeg.rx", "RightLeg.rx", "LeftForeArm.ry", "RightForeArm.ry"):
        c = fig.coordinates.index(name)
        assert fig.lower[c] + 0.05 < fig.rest[c] < fig.upper[c] - 0.05


def test_span_of_the_arms_is_near_the_stature() -> None:
    q = np.zeros(human().n)
    span = tip(q, "LeftHandIndex1") - tip(q, "RightHandIndex1")
    assert span @ LEFT == pytest.approx(1.75, rel=0.1)


@pytest.mark.parametrize(
    ("degrees", "possible"),
    [(-90, False), (-70, False), (-60, True), (-30, True), (0, True), (90, True), (172, True)]
    + [(190, False), (220, False)],
)
def test_arm_swings_forward_and_up_but_little_backward(degrees: float, possible: bool) -> None:
    assert arm_can(raised(degrees, FRONT), GIRDLE) == possible


@pytest.mark.parametrize(
    ("degrees", "possible"), [(-45, False), (0, True), (90, True), (172, True), (200, False)]
)
def test_arm_rises_sideways(degrees: float, possible: bool) -> None:
    assert arm_can(raised(degrees, LEFT), GIRDLE) == possible


@pytest.mark.parametrize(
    ("degrees", "possible"), [(-75, False), (-45, True), (90, True), (130, True), (160, False)]
)
def test_arm_crosses_the_chest_but_not_the_back(degrees: float, possible: bool) -> None:
    a = np.radians(degrees)
    assert arm_can(np.cos(a) * LEFT + np.sin(a) * FRONT, GIRDLE) == possible


def test_the_last_of_the_arms_rise_comes_from_the_girdle() -> None:
    still = [(0, 0, 0)]
    assert arm_can(raised(140, FRONT), still)
    assert not arm_can(raised(165, FRONT), still)
    assert not arm_can(raised(-55, FRONT), still)


@pytest.mark.parametrize(
    ("towards", "degrees", "possible"),
    [
        (FRONT, 118, True),
        (FRONT, 130, False),
        (FRONT, -25, True),
        (FRONT, -35, False),
        (LEFT, 44, True),
        (LEFT, 55, False),
        (LEFT, -28, True),
        (LEFT, -38, False),
    ],
)
def test_hip(towards: np.ndarray, degrees: float, possible: bool) -> None:
    leg = raised(degrees, towards)
    assert can_point("LeftUpLeg", "LeftLeg", leg, posed()) == possible


def test_toes_turn_out_at_the_hip() -> None:
    out = posed(LeftUpLeg=(0, 0, 40), RightUpLeg=(0, 0, 40))
    assert human().violation(out) == 0.0
    assert tip(out, "LeftToeBase")[0] > 0.2
    assert tip(out, "RightToeBase")[0] < -0.2
    assert human().violation(posed(LeftUpLeg=(0, 0, 50))) > 0.0


def test_knee_bends_backward_only() -> None:
    bent = posed(LeftLeg=(90, 0))
    assert human().violation(bent) == 0.0
    knee, foot = place(bent, "LeftLeg"), place(bent, "LeftFoot")
    assert foot[2] - knee[2] == pytest.approx(-0.43, abs=0.01)
    assert human().violation(posed(LeftLeg=(-1, 0))) > 0.0
    assert human().violation(posed(LeftLeg=(145, 0))) > 0.0


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_elbow_bends_forward_only(side: str) -> None:
    bent = posed(**{f"{side}ForeArm": (90, 0)})
    assert human().violation(bent) == 0.0
    elbow, hand = place(bent, f"{side}ForeArm"), place(bent, f"{side}Hand")
    assert hand[2] - elbow[2] == pytest.approx(0.2555, abs=1e-3)
    assert human().violation(posed(**{f"{side}ForeArm": (-1, 0)})) > 0.0
    assert human().violation(posed(**{f"{side}ForeArm": (155, 0)})) > 0.0


def test_supination_turns_the_palm_forward_and_the_thumb_up() -> None:
    flat, turned = posed(), posed(LeftForeArm=(0, 90))
    assert tip(flat, "LThumb")[2] - place(flat, "LeftHand")[2] > 0.05
    assert tip(turned, "LThumb")[1] - place(turned, "LeftHand")[1] > 0.05
    palm = human().frames(turned)[human().index("LeftHand"), :3, :3] @ -UP
    np.testing.assert_allclose(palm, FRONT, atol=1e-9)


def test_wrist_and_fingers_flex_towards_the_palm() -> None:
    curled = posed(LeftHand=(70, 0), LeftFingerBase=(60, 0), LeftHandIndex1=(80,))
    assert human().violation(curled) == 0.0
    assert tip(curled, "LeftHandIndex1")[1] < place(curled, "LeftHand")[1] - 0.05
    assert human().violation(posed(LeftHand=(-75, 0))) > 0.0
    assert human().violation(posed(LeftHandIndex1=(-5,))) > 0.0


def test_ankle_and_toes() -> None:
    pointed, lifted = posed(LeftFoot=(-50, 0, 0)), posed(LeftFoot=(20, 0, 0))
    assert human().violation(pointed) == human().violation(lifted) == 0.0
    assert tip(pointed, "LeftToeBase")[1] < -0.1 < 0.05 < tip(lifted, "LeftToeBase")[1]
    assert human().violation(posed(LeftFoot=(30, 0, 0))) > 0.0
    sole = human().frames(posed(LeftFoot=(0, 0, 30)))[human().index("LeftFoot"), :3, :3] @ -UP
    assert sole @ LEFT < -0.4  # inversion turns the sole inwards
    assert tip(posed(LeftToeBase=(60,)), "LeftToeBase")[1] > 0.03


@pytest.mark.parametrize(
    ("shares", "axis", "degrees"),
    [
        (SPINE_SHARES, "swing1", (80, -25)),
        (SPINE_SHARES, "swing2", (35, -35)),
        (SPINE_SHARES, "twist", (45, -45)),
        (NECK_SHARES, "swing1", (50, -60)),
        (NECK_SHARES, "swing2", (45, -45)),
        (NECK_SHARES, "twist", (80, -80)),
    ],
)
def test_back_and_neck_move_as_far_as_the_tables_say(
    shares: dict[str, tuple[float, float]], axis: str, degrees: tuple[float, float]
) -> None:
    fig = human()
    for total in degrees:
        q = np.zeros(fig.n)
        for joint, share in shares.items():
            part = share[axis == "twist"] * np.radians(total)
            q[fig.coordinates.index(f"{joint}.{axis}")] = part
        assert fig.violation(0.999 * q) == 0.0
        assert fig.violation(1.01 * q) > 0.0
        if axis == "twist":
            sideways = fig.frames(q)[fig.index("Head"), :3, 2] @ LEFT
        else:
            moved = tip(q, "Head") - tip(np.zeros(fig.n), "Head")
            sideways = moved @ (FRONT if axis == "swing1" else LEFT)
        assert np.sign(sideways) == np.sign(total)


def test_the_root_may_turn_over() -> None:
    for coordinate in ("Hips.rx", "Hips.ry", "Hips.rz"):
        q = np.zeros(human().n)
        q[human().coordinates.index(coordinate)] = -2 * np.pi
        assert human().violation(q) == 0.0
