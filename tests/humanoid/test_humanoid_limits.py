"""Anatomical limits: the human's own, in other rest poses, axes and units, and on real clips."""

from __future__ import annotations

import math

import numpy as np
import pytest

import limbik
from helpers import real_data, skeletons
from limbik.figure.joints import Joint, euler, exponential, free, swing_twist
from limbik.figures.mirror import mirror_pose, other_side
from limbik.humanoid import limits, recognise
from limbik.humanoid.enclose import ellipse_around
from limbik.maths.so3 import matrix_to_quat

HUMAN = limbik.figures.human()

# Where the human's limit is a box and a cone's is round, or where it rolls a bone's axis.
ROUND = {
    "LeftFoot": 5.0,
    "LeftShoulder": 5.0,
    "LeftHand": 17.0,
    "LeftFingerBase": 14.0,
    "LThumb": 19.0,
}


def arms_lowered(degrees: float) -> np.ndarray:
    """A pose of the human in T-pose with its arms lowered sideways."""
    q = np.zeros(HUMAN.n)
    for side in ("Left", "Right"):
        both = HUMAN.coordinates_of(side + "Arm")[:2]
        q[both] = -math.radians(degrees) / math.sqrt(2.0)
    return q


def person(
    q: np.ndarray, kind: str = "swing-twist", axes: np.ndarray | None = None, unit: float = 1.0
) -> limbik.Figure:
    """The human as a rig of balls without limits, whose zero is the pose q; turned and scaled."""
    world = np.eye(4)
    if axes is not None:
        world[:3, :3] = axes
    frames = world @ HUMAN.frames(q)
    joints = []
    for i, joint in enumerate(HUMAN.definition):
        parent = int(HUMAN.parents[i])
        local = frames[i] if parent < 0 else np.linalg.inv(frames[parent]) @ frames[i]
        children = [HUMAN.definition[k].offset for k in np.flatnonzero(HUMAN.parents == i)]
        bone = np.array(children[0] if children else joint.tip or (0.0, 1.0, 0.0))
        bone = bone if np.linalg.norm(bone) > 1e-9 else np.array([0.0, 1.0, 0.0])
        along = [float(v) for v in bone]
        balls = {"swing-twist": swing_twist, "exponential": exponential}
        ball = euler("ZYX") if kind == "euler" else balls[kind](along)
        joints.append(
            Joint(
                joint.name,
                joint.parent,
                free() if parent < 0 else ball,
                offset=(unit * local[:3, 3]).tolist(),
                wxyz=matrix_to_quat(local[:3, :3]).tolist(),
                tip=None if joint.tip is None else (unit * np.array(joint.tip)).tolist(),
            )
        )
    return limbik.Figure(joints)


def poses_within(figure: limbik.Figure, count: int = 200) -> np.ndarray:
    """Random poses inside the limits, the root at zero."""
    low, high = (np.where(np.isfinite(e), e, 0.0) for e in (figure.lower, figure.upper))
    q = figure.project(np.random.default_rng(0).uniform(low, high, (count, figure.n)))
    q[:, :6] = 0.0
    return q


def degrees_outside(
    figure: limbik.Figure, q: np.ndarray, like: limbik.Figure
) -> dict[str, np.ndarray]:
    """Joint → (poses,) how far poses of ``like`` are outside the figure's limits, in degrees."""
    onto = np.concatenate([limbik.Motion(like, pose[None], 1.0).onto(figure).q for pose in q])
    away = np.degrees(np.abs(figure.project(onto) - onto))
    return {
        name: away[:, figure.coordinates_of(name)].max(axis=1)
        for name in figure.joints[1:]
        if len(figure.coordinates_of(name))
    }


def test_the_humans_own_limits_are_inside() -> None:
    """Recorded people go further than the tables that the human has; nowhere less far."""
    found = HUMAN.with_limits(limits(HUMAN))
    turns = ~HUMAN.slides
    assert set(limits(HUMAN)) == set(HUMAN.joints) - {"Hips", "LHipJoint", "RHipJoint"}
    low = np.degrees(HUMAN.lower[turns] - found.lower[turns])  # how much wider
    high = np.degrees(found.upper[turns] - HUMAN.upper[turns])
    thumbs = np.array(["Thumb" in name for name in HUMAN.coordinates])
    for wider in (low, high):
        assert wider[~thumbs[turns]].min() > -0.01
        assert wider.max() < 90.0
    poses = poses_within(HUMAN, 500)
    poses[:, thumbs] = HUMAN.rest[thumbs]
    assert np.degrees(np.max(found.violation(poses))) < 0.01
    knees = [HUMAN.coordinates.index(f"{side}Leg.rx") for side in ("Left", "Right")]
    assert found.lower[knees] == pytest.approx([0.0, 0.0], abs=1e-3)  # not backwards


@pytest.mark.parametrize("lowered", [0.0, 45.0, 80.0])
def test_what_the_human_may_do_others_may(lowered: float) -> None:
    figure = person(arms_lowered(lowered))
    limited = figure.with_limits(limits(figure))
    outside = degrees_outside(limited, poses_within(HUMAN), HUMAN)
    for name, worst in ((name, values.max()) for name, values in outside.items()):
        left = name if name in ROUND else other_side(name)
        assert worst < ROUND.get(left, 9.0 if left.endswith("Arm") else 1.0), name


def test_a_t_pose_and_an_a_pose_allow_the_same() -> None:
    """The same postures, but for arms: their cones are enclosed in other axes, and half of the
    postures at their edges fit both."""
    one, other = (person(arms_lowered(by)) for by in (0.0, 45.0))
    one, other = (figure.with_limits(limits(figure)) for figure in (one, other))
    for here, there in ((one, other), (other, one)):
        outside = degrees_outside(there, poses_within(here), here)
        for name, values in outside.items():
            if name.endswith("Arm") and "Fore" not in name:
                assert np.median(values) < 2.0, name
            else:
                assert values.max() < 2.0, name


@pytest.mark.parametrize("kind", ["swing-twist", "exponential", "euler"])
def test_knees_and_elbows_do_not_bend_backwards(kind: str) -> None:
    figure = person(arms_lowered(0.0), kind)
    limited = figure.with_limits(limits(figure))
    start = limited.project(np.zeros(figure.n))
    for name, after, forbidden, allowed in (
        ("LeftLeg", "LeftFoot", (0, 0, 1), (0, 0, -1)),
        ("RightLeg", "RightFoot", (0, 0, 1), (0, 0, -1)),
        ("LeftForeArm", "LeftHand", (0, 0, -1), (0, 0, 1)),
        ("RightForeArm", "RightHand", (0, 0, -1), (0, 0, 1)),
    ):
        rng = np.random.default_rng(1)
        columns = figure.coordinates_of(name)
        poses = np.tile(start, (2000, 1))
        poses[:, columns] = rng.uniform(-math.pi, math.pi, (2000, 3))
        places = limited.positions(limited.project(poses))
        bones = places[:, figure.index(after)] - places[:, figure.index(name)]
        bones /= np.linalg.norm(bones, axis=1)[:, None]
        assert (bones @ np.array(forbidden)).max() < math.sin(math.radians(2.0)), name
        assert (bones @ np.array(allowed)).max() > 0.95, name


def test_left_and_right_mirror_each_other() -> None:
    """A limb in a posture and its mirror image are both allowed, or both not."""
    figure = person(arms_lowered(45.0))
    limited = figure.with_limits(limits(figure))
    own = limits(HUMAN)
    for name, limit in own.items():
        twin = own[other_side(name)]
        for what in ("lower", "upper", "swing", "center", "twist"):
            if hasattr(limit, what):
                assert np.allclose(getattr(limit, what), getattr(twin, what), atol=2e-3), name
    human = poses_within(HUMAN, 100) * 1.3  # some inside, some not
    flipped = mirror_pose(HUMAN, human)
    here = degrees_outside(limited, human, HUMAN)
    there = degrees_outside(limited, flipped, HUMAN)
    for name in ("LeftUpLeg", "LeftLeg", "LeftFoot", "LeftForeArm", "LeftHand"):
        same = (here[name] > 1.0) == (there[other_side(name)] > 1.0)
        assert same.mean() > 0.9, name


@pytest.mark.parametrize("unit", [1.0, 100.0])
def test_any_axes_and_any_unit(unit: float) -> None:
    """z up, facing −y, in centimetres: the joints' own limits are the same numbers."""
    upright = person(arms_lowered(45.0))
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    turned = person(arms_lowered(45.0), axes=axes, unit=unit)
    one, other = (figure.with_limits(limits(figure)) for figure in (upright, turned))
    assert np.allclose(one.lower[6:], other.lower[6:], atol=1e-6)
    assert np.allclose(one.upper[6:], other.upper[6:], atol=1e-6)


@pytest.mark.parametrize(
    ("file", "most"),
    [("02_01", 0.0), ("16_01", 0.0), ("143_18", 0.02), ("05_02", 0.08), ("49_06", 0.12)],
)
def test_recorded_motion_mostly_stays_inside(file: str, most: float) -> None:
    """The share of joints in frames that leave their cones by more than 10 degrees: none in a walk
    and a jump, 2 % sitting down, 8 % in a dance, 12 % in cartwheels (wrists, thumbs and necks)."""
    clip = limbik.load_motion(real_data.find(f"cmu_bvh/{file}.bvh"))
    figure = clip.figure.with_balls("swing-twist")
    q = clip.onto(figure).q[1:]
    limited = figure.with_limits(limits(figure))
    away = np.degrees(np.abs(limited.project(q) - q))
    out = {
        name: away[:, figure.coordinates_of(name)].max(axis=1) > 10.0 for name in figure.joints[1:]
    }
    assert np.mean(list(out.values())) <= most
    for name in ("LeftLeg", "RightLeg", "LeftForeArm", "LeftHand", "LHipJoint"):
        assert out[name].mean() < 0.01, name


def test_a_rest_pose_that_does_not_stand() -> None:
    """Rokoko's zero has every bone along x: refused, until a pose is given that stands."""
    clip = limbik.load_motion(real_data.find("bvh_other/animdraw_rokoko_jesse_dance.bvh"))
    figure = clip.figure.with_balls("swing-twist")
    with pytest.raises(limbik.FigureError, match=r"does not stand .* standing=q"):
        limits(figure)
    q = clip.onto(figure).q[0]
    limited = figure.with_limits(limits(figure, standing=q))
    # The last joints of its right fingers lie 160 degrees from zero, where a cone has little room.
    away = np.degrees(np.abs(limited.project(q) - q))
    tips = np.array(["RightHand" in name and "3." in name for name in figure.coordinates])
    assert away[~tips].max() < 0.1
    assert away[tips].max() < 6.0
    assert len(limits(figure, standing=q)) == len(figure.joints) - 1


@pytest.mark.parametrize(
    "file",
    [
        "akjava_tpose.bvh",
        "animdraw_cmu1_jumping_jacks.bvh",
        "bvhtoolbox_walk01.bvh",
        "makehuman_tpose.bvh",
        "makehuman_walk1.bvh",
        "pybvh_bvh_test1.bvh",
    ],
)
def test_other_rigs_keep_their_rest_pose(file: str) -> None:
    for kind in ("swing-twist", "exponential", "euler"):
        figure = limbik.load(real_data.find("bvh_other/" + file)).with_balls(kind)
        body = recognise(figure)
        found = limits(figure, body)
        limited = figure.with_limits(found)
        assert np.degrees(np.abs(limited.rest - figure.rest)).max() < 0.5
        knees = {body["leftLowerLeg"], body["rightLowerLeg"], body["leftLowerArm"]}
        assert knees <= set(found)
        assert body["hips"] not in found


def test_the_back_shares_out_its_movement() -> None:
    """One joint bends by 95 degrees forward and 40 back.  Of more, each bends less, and together
    they may bend further, because recordings bend one joint more and another less."""
    alone = np.array([95.0, -40.0, 60.0])
    for count in (1, 2, 3, 5):
        spine = " > ".join(f"Spine{k}" for k in range(count))
        text = skeletons.both_sides(
            f"""
            Hips > {spine} > Neck > Head
            Hips > LeftUpLeg > LeftLeg > LeftFoot
            """,
            "Left",
            "Right",
        )
        joints = []
        for joint in skeletons.figure(text).definition:
            down = joint.name.endswith(("Leg", "Foot"))
            side = {"LeftUpLeg": 0.1, "RightUpLeg": -0.1}.get(joint.name, 0.0)
            joints.append(
                Joint(
                    joint.name,
                    joint.parent,
                    swing_twist("y", "x"),
                    offset=(side, -0.4 if down and not side else 0.0 if side else 0.15, 0.0),
                )
            )
        found = limits(limbik.Figure(joints))
        each = []
        for k in range(count):
            limit = found[f"Spine{k}"]
            assert isinstance(limit, limbik.SwingTwist)
            assert limit.swing is not None
            middle, half = limit.center[0], limit.swing[0]
            each.append(np.degrees([middle + half, middle - half, limit.twist[1]]) / alone)
        assert np.sum(each, axis=0) == pytest.approx(np.full(3, math.sqrt(count)), rel=0.12)
        assert np.max(each) < 1.01 if count == 1 else np.max(each) < 0.85


def test_no_body_no_limits() -> None:
    with pytest.raises(
        limbik.FigureError, match=r"no body was found .* missing: hips, spine, head"
    ):
        limits(limbik.figures.spider())
    with pytest.raises(limbik.FigureError, match='has "LeftUpLeg" as leftUpperLeg'):
        limits(limbik.figures.spider(), recognise(HUMAN))


def test_the_smallest_ellipse() -> None:
    """Around points on an ellipse it is that ellipse; around a box it is √2 times the box."""
    around = np.linspace(0.0, 2.0 * math.pi, 200)
    points = np.column_stack([3.0 + 2.0 * np.cos(around), -1.0 + 0.5 * np.sin(around)])
    center, half = ellipse_around(points)
    assert center == pytest.approx([3.0, -1.0], abs=0.01)
    assert half == pytest.approx([2.0, 0.5], rel=0.02)
    box = np.array([[-1.0, -0.3], [1.0, -0.3], [1.0, 0.3], [-1.0, 0.3]])
    center, half = ellipse_around(box)
    assert center == pytest.approx([0.0, 0.0], abs=0.01)
    assert half == pytest.approx([math.sqrt(2.0), 0.3 * math.sqrt(2.0)], rel=0.05)
    assert (np.linalg.norm((box - center) / half, axis=1) <= 1.0 + 1e-9).all()
    line = np.column_stack([np.linspace(0.0, 2.0, 50), np.zeros(50)])
    center, half = ellipse_around(line, 0.25)
    assert [*center, *half] == pytest.approx([1.0, 0.0, 1.0, 0.25], rel=0.03, abs=0.01)
