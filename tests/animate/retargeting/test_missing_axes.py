"""Robots that lack a hand or an ankle's second axis, or whose names call the forearm a hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers import real_data
from limbik.animate.retargeting.body_shape import BodyShape
from limbik.animate.retargeting.retarget import Retargeted
from limbik.humanoid import recognise

PARTS = {
    "leg": (
        ("hip_yaw", "0 {s}0.09 -0.17", "0 0 1", "-0.43 0.43", ""),
        ("hip_roll", "0.04 0 0", "1 0 0", "-0.43 0.43", ""),
        ("hip_pitch", "0 {s}0.11 0", "0 1 0", "-1.6 1.6", "0 0 0 0 0 -0.4"),
        ("knee", "0 0 -0.4", "0 1 0", "-0.2 2", "0 0 -0.1 0 0 -0.3"),
        ("ankle", "0 0 -0.4", "0 1 0", "-0.9 0.6", "-0.04 0 -0.05 0.13 0 -0.05"),
    ),
    "arm": (
        ("shoulder_pitch", "0 {s}0.18 0.43", "0 1 0", "-2.9 2.9", ""),
        ("shoulder_roll", "0 {s}0.05 0", "1 0 0", "-3 3", ""),
        ("shoulder_yaw", "0 0 -0.13", "0 0 1", "-3 3", "0 0 0.1 0 0 -0.2"),
        ("elbow", "0.02 0 -0.2", "0 1 0", "-1.3 2.6", "0 0 0 0.28 0 0"),
    ),
}


def robot(folder: Path) -> limbik.Figure:
    """A robot whose feet cannot tilt sideways and whose arms end in the forearm."""
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'

    def limb(side: str, kind: str) -> str:
        text, sign = "", "" if side == "left" else "-"
        for name, place, axis, limits, capsule in PARTS[kind]:
            text += f'<body name="{side}_{name}_link" pos="{place.format(s=sign)}">{inertia}'
            text += f'<joint name="{side}_{name}" axis="{axis}" range="{limits}"/>'
            text += f'<geom type="capsule" size="0.014" fromto="{capsule}"/>' if capsule else ""
            if name == "ankle":  # across the toes
                text += (
                    '<geom type="capsule" size="0.014" fromto="0.14 -0.03 -0.05 0.14 0.03 -0.05"/>'
                )
        return text + "</body>" * len(PARTS[kind])

    legs, arms = ("".join(limb(side, kind) for side in ("left", "right")) for kind in PARTS)
    path = folder / "walker.xml"
    path.write_text(
        '<mujoco model="walker"><compiler angle="radian" autolimits="true"/><worldbody>'
        f'<body name="pelvis" pos="0 0 1.03">{inertia}<freejoint/>{legs}'
        f'<body name="torso_link">{inertia}<joint name="torso" axis="0 0 1" range="-2 2"/>'
        f"{arms}</body></body></worldbody></mujoco>"
    )
    return limbik.load(path)


def walk() -> limbik.Motion:
    return limbik.load_motion(real_data.find("cmu_bvh/02_01.bvh"))[20:180:5]


def forearms(motion: limbik.Motion) -> np.ndarray:
    """(frames, 2, 3) the directions of both forearms."""
    shape = BodyShape(motion.figure, recognise(motion.figure), motion.q)
    frames, out = motion.figure.frames(motion.q), []
    for side, (link, at) in shape.hands.items():
        end = frames[:, link, :3, :3] @ at + frames[:, link, :3, 3]
        out.append(end - frames[:, shape.at[side + "LowerArm"], :3, 3])
    ways = np.stack(out, axis=1)
    return ways / np.linalg.norm(ways, axis=-1, keepdims=True)


def degrees_apart(clip: limbik.Motion, out: Retargeted) -> np.ndarray:
    """(frames, 2) between forearms of the source and those of the result."""
    wanted = forearms(clip) @ out.placement[:3, :3].T / out.scale
    cosines = (wanted * forearms(out.motion)).sum(axis=-1)
    return np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))


def test_arms_without_hands_follow_with_their_forearms(tmp_path: Path) -> None:
    clip = walk()
    out = limbik.retarget(clip, robot(tmp_path))
    assert {"leftHand", "rightHand"} <= set(out.points)
    assert np.median(degrees_apart(clip, out)) < 10.0


def test_the_forearm_is_what_bends_at_the_elbow() -> None:
    figure = limbik.load(real_data.find("robots_mjcf/booster_t1/t1.xml"))
    shape = BodyShape(figure, recognise(figure))
    assert figure.joints[shape.at["leftLowerArm"]] == "left_hand_link"  # on Left_Elbow_Yaw
    upper, lower = shape.segments("left", "Arm")
    assert (upper, lower) == pytest.approx((0.208, 0.220), abs=0.002)
    clip = walk()
    assert np.median(degrees_apart(clip, limbik.retarget(clip, figure))) < 10.0


def test_feet_that_cannot_tilt_stand_as_wide_as_the_hips(tmp_path: Path) -> None:
    figure, clip = robot(tmp_path), walk()
    shape = BodyShape(figure, recognise(figure))
    assert not shape.tilts
    assert shape.hips["left"][1] == pytest.approx(0.2)  # 0.09 and 0.11: where the thigh swings
    out = limbik.retarget(clip, figure)
    flat = [figure.index(f"{side}_ankle_link") for side in ("left", "right")]
    frames = out.motion.figure.frames(out.motion.q)
    for contact in out.contacts:
        link = figure.index(contact.joint)
        if link in flat:
            tilt = frames[contact.start : contact.end, link, 2, 1]  # the height of its left axis
            assert np.abs(tilt).max() < 0.005
    assert out.errors[:, out.points.index("hips")].mean() < 0.08
