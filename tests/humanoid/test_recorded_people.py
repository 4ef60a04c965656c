"""Anatomical limits against recorded motion: how many frames lie outside, and what bends backwards
when only hands and feet are followed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import limbik
from helpers import real_data, skeletons
from limbik.animate.track import RELAXATION
from limbik.figure.joints import Joint, euler, free
from limbik.humanoid import limited, recognise, unlimited
from limbik.humanoid.natural import bend_axes

# A clip, and the percent of its frames in which a joint may be more than 5 degrees outside.
CLIPS = {
    "cmu_bvh/02_01.bvh": 1.0,  # walk
    "bvh_other/bvhtoolbox_walk01.bvh": 1.0,  # walk
    "cmu_bvh/02_03.bvh": 5.0,  # run
    "cmu_bvh/16_01.bvh": 5.0,  # jump
    "cmu_bvh/143_18.bvh": 5.0,  # sits down
    "cmu_bvh/49_06.bvh": 5.0,  # cartwheel
    "cmu_bvh/05_02.bvh": 10.0,  # dance
    "bvh_other/animdraw_cmu1_jumping_jacks.bvh": 5.0,
    "bvh_other/pybvh_bvh_test1.bvh": 5.0,
    "bvh_other/animdraw_rokoko_jesse_dance.bvh": 15.0,  # does not stand at rest
    "motion/soma_pick_up.bvh": 5.0,  # does not stand at rest; hips below a root
    "motion/flip_side.bvh": 5.0,
    "motion/xsens_stand.bvh": 5.0,
    "gltf/CesiumMan.glb": 5.0,  # walk
}


def degrees_outside(clip: limbik.Motion, figure: limbik.Figure) -> np.ndarray:
    """(frames,) how far the worst joint is outside its limits."""
    q = clip.onto(figure).q
    away = np.degrees(np.abs(figure.project(q) - q))
    away[:, figure.slides] = 0.0
    return away.max(axis=1)


@pytest.mark.filterwarnings("ignore:.*that is left out:UserWarning")
@pytest.mark.parametrize("file", CLIPS)
def test_recorded_frames_are_inside(file: str) -> None:
    clip = limbik.load_motion(real_data.find(file))
    figure = limited(clip.figure, clip.q)
    outside = degrees_outside(clip[1:], figure) > 5.0
    assert 100.0 * outside.mean() <= CLIPS[file]
    # They still are limits: of random rotations hardly one is allowed.
    rng = np.random.default_rng(0)
    turns = np.flatnonzero(~figure.slides)
    q = np.tile(figure.rest, (200, 1))
    q[:, turns] = rng.uniform(-np.pi, np.pi, (200, len(turns)))
    assert (np.degrees(np.asarray(figure.violation(q))) > 5.0).all()


def test_a_clip_that_goes_further_is_held() -> None:
    clip = limbik.load_motion(real_data.find("cmu_bvh/88_01.bvh"))  # a foot is turned about
    assert np.max(degrees_outside(clip, limited(clip.figure, clip.q))) > 90.0
    held = limited(clip.figure, clip.q, hold=True)
    assert np.max(degrees_outside(clip, held)) < 1e-6


def backwards(clip: limbik.Motion, followed: limbik.Motion) -> float:
    """The share of bent knees and elbows, in frames, that bend against the recorded axis."""
    body = recognise(clip.figure)
    frames = followed.figure.frames(followed.q)
    bent = wrong = 0
    for role, axis in bend_axes(clip.figure, body, clip.q).items():
        end = role[:-8] + ("Hand" if role.endswith("Arm") else "Foot")
        joints = (role, role.replace("Upper", "Lower"), end)
        i, j, k = (followed.figure.index(body[r]) for r in joints)
        one = frames[:, j, :3, 3] - frames[:, i, :3, 3]
        two = frames[:, k, :3, 3] - frames[:, j, :3, 3]
        both = (
            np.cross(one, two)
            / (np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1))[:, None]
        )
        along = np.einsum("fab,b,fa->f", frames[:, i, :3, :3], axis, both)
        bent += int((np.linalg.norm(both, axis=1) > 0.35).sum())
        wrong += int(((np.linalg.norm(both, axis=1) > 0.35) & (along < 0.0)).sum())
    return wrong / max(bent, 1)


@pytest.mark.parametrize("file", ["cmu_bvh/49_06.bvh", "motion/flip_side.bvh"])
def test_knees_and_elbows_of_a_followed_clip(file: str) -> None:
    """By hands, feet, head and hips alone: with limits none bends backwards, and without them,
    where nothing draws the rest to a body at ease, a third does; every frame arrives."""
    clip = limbik.load_motion(real_data.find(file)).sample(0.1)
    body = recognise(clip.figure)
    names = [body[r] for r in ("hips", "head", "leftHand", "rightHand", "leftFoot", "rightFoot")]
    targets = clip.positions()[:, [clip.figure.index(name) for name in names]]
    figure = limited(clip.figure, clip.q, hold=True)
    for fig, relax, least, most in ((clip.figure, 0.0, 0.3, 1.0), (figure, RELAXATION, 0.0, 0.01)):
        start = clip.onto(fig).q[0]
        track = limbik.track(fig, names, targets, start=start, fps=clip.fps, relax=relax)
        assert track.ok
        assert least <= backwards(clip, track.motion) <= most


# ---- built rigs ----------------------------------------------------------------------------------

T_POSE = {
    "Hips": (None, (0.0, 1.0, 0.0)),
    "Spine": ("Hips", (0.0, 0.15, 0.0)),
    "Neck": ("Spine", (0.0, 0.4, 0.0)),
    "Head": ("Neck", (0.0, 0.1, 0.0)),
}


def rig(along: tuple[float, float, float], lower_arm: str = "ForeArm") -> limbik.Figure:
    """A body whose arms point along a direction of the left side, mirrored on the right."""
    ends: dict[str, tuple[str | None, tuple[float, float, float]]] = dict(T_POSE)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        x, y, z = along
        bone = (0.28 * sign * x, 0.28 * y, 0.28 * z)
        ends[side + "Arm"] = ("Spine", (0.18 * sign, 0.35, 0.0))
        ends[side + lower_arm] = (side + "Arm", bone)
        ends[side + "Hand"] = (side + lower_arm, bone)
        ends[side + "UpLeg"] = ("Hips", (0.1 * sign, -0.05, 0.0))
        ends[side + "Leg"] = (side + "UpLeg", (0.0, -0.45, 0.0))
        ends[side + "Foot"] = (side + "Leg", (0.0, -0.42, 0.0))
    joints = [
        Joint(
            name,
            parent,
            free() if parent is None else euler("ZYX"),
            offset=offset,
            tip=(0.0, -0.05, 0.15) if name.endswith("Foot") else None,
        )
        for name, (parent, offset) in ends.items()
    ]
    return limbik.Figure(joints)


def test_a_rest_pose_with_the_arms_up() -> None:
    """Refused by limits; limited() lays its cones around a T-pose, which is allowed then."""
    up = rig((0.0, 1.0, 0.0))
    with pytest.raises(limbik.FigureError, match=r"arms point up .* humanoid\.limited"):
        limbik.humanoid.limits(up.with_balls("swing-twist"))
    figure = limited(up)
    out, down = (np.zeros(up.n) for _ in range(2))
    for side, sign in (("Left", -1.0), ("Right", 1.0)):
        z = up.coordinates_of(side + "Arm")[0]
        out[z], down[z] = sign * np.pi / 2, sign * np.radians(160.0)
    for pose in (up.rest, out, down):
        q = limbik.Motion(up, pose[None], 1.0).onto(figure).q[0]
        assert np.degrees(figure.violation(q)) < 1e-3
    assert np.allclose(figure.positions(figure.rest), up.positions(up.rest), atol=1e-9)


@pytest.mark.parametrize("name", ["LowArm", "Middlething"])
def test_an_elbow_by_another_name_bends(name: str) -> None:
    """A word that is new, or none: the only joint between upper arm and hand is the forearm."""
    figure = rig((1.0, 0.0, 0.0), name)
    assert recognise(figure)["leftLowerArm"] == "Left" + name
    found = limited(figure)
    bent = np.zeros(figure.n)
    bent[figure.coordinates_of("Left" + name)[1]] = -np.radians(100.0)  # forward
    back = -bent
    for pose, most in ((bent, 0.1), (back, 180.0)):
        q = limbik.Motion(figure, pose[None], 1.0).onto(found).q[0]
        assert np.degrees(found.violation(q)) <= most
    q = limbik.Motion(figure, back[None], 1.0).onto(found).q[0]
    assert np.degrees(found.violation(q)) > 60.0


def test_joints_of_which_none_is_the_elbow_stay_free() -> None:
    """Two between upper arm and hand without a telling name: missing, and not held."""
    joints = []
    for joint in rig((1.0, 0.0, 0.0), "A").definition:
        joints.append(replace(joint, parent="LeftB") if joint.name == "LeftHand" else joint)
        if joint.name == "LeftA":
            joints.append(replace(joint, name="LeftB", parent="LeftA"))
    figure = limbik.Figure(joints)
    body = recognise(figure)
    assert body.missing == ("leftLowerArm",)
    found = limbik.humanoid.limits(figure.with_balls("swing-twist"), body)
    assert not {"LeftA", "LeftB"} & set(found)
    assert {"LeftArm", "LeftHand", "RightA"} <= set(found)


def test_joints_within_a_bone_turn_about_it() -> None:
    """A forearm in two pieces: the second twists by a quarter turn and hardly bends."""
    joints = []
    for joint in rig((1.0, 0.0, 0.0)).definition:
        moved = {"LeftHand": "LeftForeArm2"}.get(joint.name, joint.parent)
        joints.append(replace(joint, parent=moved))
        if joint.name == "LeftForeArm":
            joints.append(replace(joint, name="LeftForeArm2", parent="LeftForeArm"))
    figure = limbik.Figure(joints).with_balls("swing-twist")
    assert recognise(figure)["leftLowerArm"] == "LeftForeArm"
    limit = limbik.humanoid.limits(figure)["LeftForeArm2"]
    assert isinstance(limit, limbik.SwingTwist)
    assert limit.swing is not None
    assert np.degrees(limit.swing) == pytest.approx([10.0, 10.0])
    assert np.degrees(limit.twist) == pytest.approx([-90.0, 90.0])


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        (
            "Hip > Ab > Chest > Neck > Head\nChest > LShoulder > LUArm > LFArm > LHand\n"
            "Hip > LThigh > LShin > LFoot",
            {"leftUpperArm": "LUArm", "leftLowerArm": "LFArm"},
        ),
        (
            "pelvis > lumbar > cervical > skull\nlumbar > L_clav > L_bicep > L_forearm > L_wrist\n"
            "pelvis > L_thigh > L_shank > L_foot",
            {"leftShoulder": "L_clav", "leftLowerLeg": "L_shank", "head": "skull"},
        ),
        (
            "pelvis > torso > head\ntorso > L_humerus > L_ulna > L_radius > L_hand\n"
            "pelvis > L_femur > L_tibia > L_talus > L_toes",
            {"leftLowerArm": "L_ulna", "leftFoot": "L_talus"},
        ),
    ],
)
def test_more_words(text: str, roles: dict[str, str]) -> None:
    body = recognise(skeletons.figure(skeletons.both_sides(text, " L", " R")))
    assert body.complete, body.missing
    assert {role: body[role] for role in roles} == roles


def test_four_legs_are_no_body() -> None:
    """Which pair would be the legs?  Rather none."""
    text = """
        Hips > Spine > Neck > Head
        Spine > FrontLeftUpperLeg > FrontLeftLowerLeg > FrontLeftFoot
        Hips > BackLeftUpperLeg > BackLeftLowerLeg > BackLeftFoot
        """
    body = recognise(skeletons.figure(skeletons.both_sides(text, "Left", "Right")))
    assert not any("Leg" in role or "Foot" in role for role in body.roles)


def test_which_figures_have_limits() -> None:
    assert not unlimited(limbik.figures.human())
    assert unlimited(rig((1.0, 0.0, 0.0)))
    assert not unlimited(limited(rig((1.0, 0.0, 0.0))))
