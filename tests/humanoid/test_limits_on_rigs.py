"""Anatomical limits on a skeleton that is not ours, in T and A pose: everyday postures are allowed,
knees and elbows do not bend backwards, and the right side mirrors the left to rounding."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from limbik.figure.joints import Joint, exponential, free, swing_twist
from limbik.humanoid import limits
from limbik.maths.so3 import exp_map

SIDES = {"Left": 1.0, "Right": -1.0}
KINDS = {"swing-twist": swing_twist, "exponential": exponential}


def rig(lowered: float, kind: str = "swing-twist") -> limbik.Figure:
    """A body in centimetres with a LAFAN-like skeleton, its arms lowered by so many degrees.

    All frames are those of the world, so that a joint's rotation is one in the body's axes: left
    is x, up is y, and it looks along z.
    """
    ends: dict[str, tuple[str | None, list[float]]] = {
        "Hips": (None, [0, 95, 0]),
        "Spine": ("Hips", [0, 105, 0]),
        "Spine1": ("Spine", [0, 125, 0]),
        "Neck": ("Spine1", [0, 150, 0]),
        "Head": ("Neck", [0, 160, 0]),
    }
    tips = {"Head": [0.0, 18.0, 0.0]}
    down = math.radians(lowered)
    for side, sign in SIDES.items():
        along = np.array([sign * math.cos(down), -math.sin(down), 0.0])
        arm = np.array([18.0 * sign, 145.0, 0.0])
        ends[side + "Shoulder"] = ("Spine1", [3 * sign, 143, 0])
        ends[side + "Arm"] = (side + "Shoulder", arm.tolist())
        ends[side + "ForeArm"] = (side + "Arm", (arm + 28 * along).tolist())
        ends[side + "Hand"] = (side + "ForeArm", (arm + 53 * along).tolist())
        ends[side + "UpLeg"] = ("Hips", [9 * sign, 92, 0])
        ends[side + "Leg"] = (side + "UpLeg", [9 * sign, 50, 0])
        ends[side + "Foot"] = (side + "Leg", [9 * sign, 9, 0])
        ends[side + "Toe"] = (side + "Foot", [9 * sign, 2, 14])
        tips |= {side + "Hand": (10 * along).tolist(), side + "Toe": [0, 0, 6]}
    joints = []
    for name, (parent, place) in ends.items():
        below = [np.array(at) - place for above, at in ends.values() if above == name]
        bone = np.mean(below, axis=0).tolist() if below else tips[name]
        offset = np.array(place) - (ends[parent][1] if parent else 0.0)
        tip = tuple(tips[name]) if name in tips else None
        ball = KINDS[kind](bone) if parent else free(exponential())
        joints.append(Joint(name, parent, ball, tuple(offset.tolist()), tip=tip))
    return limbik.Figure(joints)


def posed(figure: limbik.Figure, turns: dict[str, Rotation]) -> np.ndarray:
    """The pose (n,) of a rig whose joints are turned, against their parents and in body axes."""
    plain = limbik.Figure([*map(_exponential, figure.definition)])
    q = np.zeros(plain.n)
    for name, turn in turns.items():
        q[plain.coordinates_of(name)] = turn.as_rotvec()
    return limbik.Motion(plain, q[None], 30.0).onto(figure).q[0]


def _exponential(joint: Joint) -> Joint:
    if joint.parent is None:
        return joint
    return Joint(joint.name, joint.parent, exponential(), joint.offset, tip=joint.tip)


def about(*steps: tuple[str, float]) -> Rotation:
    """Turns about the body's axes, one after the other, in degrees."""
    out = Rotation.identity()
    for axis, degrees in steps:
        out = Rotation.from_euler(axis, degrees, degrees=True) * out
    return out


def everyday(lowered: float) -> dict[str, dict[str, Rotation]]:
    """Postures of a rig whose arms were lowered so far."""
    arms = {"Left": about(("z", lowered)), "Right": about(("z", -lowered))}
    hang = {"Left": about(("z", -75)), "Right": about(("z", 75))}
    bent = about(("x", 90))
    return {
        "standing": {},
        "walking": {
            "LeftUpLeg": about(("x", -30)),
            "LeftLeg": about(("x", 15)),
            "RightUpLeg": about(("x", 15)),
            "RightLeg": about(("x", 40)),
            "RightFoot": about(("x", 10)),
            "LeftArm": about(("x", -20)) * hang["Left"] * arms["Left"],
            "RightArm": about(("x", 20)) * hang["Right"] * arms["Right"],
        },
        "sitting": {
            **{side + "UpLeg": bent.inv() for side in SIDES},
            **{side + "Leg": bent for side in SIDES},
        },
        "reaching forward": {
            "LeftArm": about(("y", -80)) * arms["Left"],
            "RightArm": about(("y", 80)) * arms["Right"],
        },
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lowered", [0.0, 45.0])
def test_everyday_postures_are_allowed(lowered: float, kind: str) -> None:
    figure = rig(lowered, kind)
    limited = figure.with_limits(limits(figure))
    for name, turns in everyday(lowered).items():
        q = posed(figure, turns)
        assert np.degrees(np.abs(limited.project(q) - q)).max() < 0.01, name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lowered", [0.0, 45.0])
@pytest.mark.parametrize("side", SIDES)
def test_knees_and_elbows_are_hinges(side: str, lowered: float, kind: str) -> None:
    """Bent the right way they go past 130 degrees; the wrong way not at all, from straight."""
    figure = rig(lowered, kind)
    limited = figure.with_limits(limits(figure))
    down, sign = math.radians(lowered), SIDES[side]
    hinges = {
        "Leg": np.array([1.0, 0.0, 0.0]),
        "ForeArm": -sign * np.array([sign * math.sin(down), math.cos(down), 0.0]),
    }
    for part, axis in hinges.items():
        q = {
            degrees: limited.project(
                posed(figure, {side + part: Rotation.from_rotvec(math.radians(degrees) * axis)})
            )
            for degrees in (130.0, -40.0)
        }
        turned = {k: limited.frames(v)[figure.index(side + part), :3, :3] for k, v in q.items()}
        bent = Rotation.from_rotvec(math.radians(130.0) * axis).as_matrix()
        np.testing.assert_allclose(turned[130.0], bent, atol=1e-6)
        back = Rotation.from_matrix(turned[-40.0]).as_rotvec() @ axis
        assert -3.0 < np.degrees(back) < 3.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lowered", [0.0, 30.0, 45.0])
def test_the_right_mirrors_the_left_to_rounding(lowered: float, kind: str) -> None:
    figure = rig(lowered, kind)
    limited = figure.with_limits(limits(figure))
    flip = np.diag([-1.0, 1.0, 1.0])
    left = [name for name in figure.joints if name.startswith("Left")]
    right = [name.replace("Left", "Right") for name in left]
    for seed in range(8):
        vectors = np.random.default_rng(seed).normal(0.0, 1.5, (len(left), 3))
        turns = dict(zip(left, map(Rotation.from_rotvec, vectors), strict=True))
        for one, other in zip(left, right, strict=True):
            turns[other] = Rotation.from_matrix(flip @ turns[one].as_matrix() @ flip)
        frames = limited.frames(limited.project(posed(figure, turns)))[:, :3, :3]
        here, there = (frames[[figure.index(k) for k in names]] for names in (left, right))
        np.testing.assert_allclose(flip @ here @ flip, there, atol=1e-12)


@pytest.mark.parametrize(("twisted", "ends"), [(1.0, True), (2.5, False), (-2.8, False)])
def test_an_exponential_ball_that_stands_far_twisted(twisted: float, ends: bool) -> None:
    """Its twists are told apart up to half a turn only; a range across that is left open."""
    figure = rig(0.0, "exponential")
    joints = [
        replace(joint, wxyz=tuple(exp_map([-twisted, 0.0, 0.0]).tolist()))
        if joint.name == "LeftArm"
        else joint
        for joint in figure.definition
    ]
    rolled = limbik.Figure(joints)
    standing = rolled.rest.copy()
    standing[rolled.coordinates_of("LeftArm")] = twisted, 0.0, 0.0
    found = limits(rolled, standing=standing)
    limited = rolled.with_limits(found)
    assert limited.violation(standing) == 0.0
    arm, plain = found["LeftArm"], limits(figure)["LeftArm"]
    assert isinstance(arm, limbik.SwingTwist)
    assert isinstance(plain, limbik.SwingTwist)
    shifted = [end + twisted for end in plain.twist]
    assert np.allclose(arm.twist, shifted if ends else [-math.inf, math.inf], atol=1e-6)
