"""Clips on other bodies: every pair runs, limits and speeds hold, feet stay."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import limbik
from limbik.animate.retargeting.body_shape import BodyShape
from limbik.animate.retargeting.targets import SCALES
from limbik.animate.whole_clip.spacetime import ClipSolver
from limbik.solver.problem import Problem
from limbik.solver.targets.frame_values import FrameValues
from tests.helpers import real_data

SOURCES = {
    "lafan": ("motion/lafan1_dance1_subject2.bvh", 300),
    "soma": ("motion/soma_pick_up.bvh", 300),
    "xsens": ("motion/xsens_stand.bvh", 100),
    "flip": ("motion/flip_back.bvh", 500),
    "cmu": ("cmu_bvh/02_01.bvh", 60),
}
TARGETS = {
    "g1": "robots_mjcf/unitree_g1/g1.xml",
    "g1_urdf": "robots/unitree_g1_29dof_rev_1_0.urdf",
    "t1": "robots_mjcf/booster_t1/t1.xml",
    "talos": "robots/erd_talos_full_v2.urdf",
    "romeo": "robots/erd_romeo.urdf",
    "vrm": "vrm/sat06_basic_armature_vrm1.vrm",
    "human": "",
}
OUTSIDE = pytest.mark.filterwarnings("ignore:.*outside the limits", "ignore:.*is left out")


@cache
def clip_of(name: str, frames: int) -> limbik.Motion:
    path, first = SOURCES[name]
    return limbik.load_motion(real_data.find(path))[first : first + frames]


@cache
def target_of(name: str) -> limbik.Figure:
    return limbik.load(real_data.find(TARGETS[name])) if TARGETS[name] else limbik.figures.human()


@cache
def walk_on_g1() -> tuple[limbik.Motion, limbik.Retargeted]:
    clip = clip_of("cmu", 200)[::4]
    return clip, limbik.retarget(clip, onto=target_of("g1"))


@OUTSIDE
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", SOURCES)
def test_every_pair_runs_without_a_table(source: str, target: str) -> None:
    out = limbik.retarget(clip_of(source, 3), onto=target_of(target))
    figure = out.motion.figure
    assert out.motion.frames == 3
    assert {"leftLowerLeg", "rightLowerLeg", "leftFoot", "leftLowerArm"} <= set(out.roles)
    assert np.max(figure.violation(out.motion.q)) == 0.0
    # Key points are where they were asked to be, to some centimetres of a body of 1.8 m.
    assert out.errors.mean() < 0.04 * figure.size


def test_a_walk_on_a_robot_keeps_limits_feet_and_stride() -> None:
    clip, out = walk_on_g1()
    figure, q = out.motion.figure, out.motion.q
    assert np.max(figure.violation(q)) == 0.0
    assert out.report.after <= out.report.before
    assert len(out.contacts) >= 2
    for contact in out.contacts:
        places = figure.positions(q[contact.start : contact.end], contact.joint)
        assert np.ptp(places, axis=0).max() < 0.001
        assert places[:, 2] == pytest.approx(0.036, abs=0.002)  # of that link above its sole
    assert len(limbik.animate.track.jumps(figure, q, None)) == 0
    mine = figure.positions(q, "pelvis")
    theirs = clip.figure.positions(clip.q, "Hips") * out.scale
    assert np.linalg.norm(mine[-1, :2] - mine[0, :2]) == pytest.approx(
        np.linalg.norm(theirs[-1, [0, 2]] - theirs[0, [0, 2]]), rel=0.05
    )


def test_it_starts_anywhere() -> None:
    clip, whole = walk_on_g1()
    for first in (12, 20):
        part = limbik.retarget(clip[first:], onto=target_of("g1"))
        late = slice(round(clip.fps / 2), None)
        apart = np.abs(part.motion.q[late, 6:] - whole.motion.q[first:][late, 6:])
        assert np.degrees(apart.max()) < 2.0


def test_arms_come_off_the_body_the_same_way_wherever_the_clip_begins() -> None:
    clip, robot = clip_of("xsens", 300)[::3], target_of("g1")
    whole = limbik.retarget(clip, onto=robot).motion
    without = limbik.retarget(clip, onto=robot, avoid=False).motion
    assert np.degrees(np.abs(whole.q - without.q)[:, 6:].max()) > 5.0  # they are in the thighs
    part = limbik.retarget(clip[33:], onto=robot).motion
    assert np.degrees(np.abs(part.q[33:] - whole.q[66:])[:, 6:].max()) < 1.0


def test_hands_rest_in_the_same_place_wherever_the_clip_begins() -> None:
    clip, human = limbik.figures.cartwheel()[: 4 * 90 : 4], target_of("human")
    places = []
    for first in (0, 29):  # from which arms come up another way
        out = limbik.retarget(clip[first:], onto=human)
        hand = next(contact for contact in out.contacts if contact.joint == "LeftHand")
        places.append((first + hand.start, hand.point))
    assert places[0][0] == places[1][0]
    assert places[0][1] == pytest.approx(places[1][1], abs=0.002)


def test_soles_of_a_skeleton_without_a_rest_pose_lie_as_the_stances_near_by_show() -> None:
    clip, robot = clip_of("lafan", 100), target_of("g1")
    whole = limbik.retarget(clip, onto=robot, avoid=False).motion
    part = limbik.retarget(clip[40:], onto=robot, avoid=False).motion
    apart = np.abs(part.q[30:, 6:] - whole.q[70:, 6:])
    assert np.degrees(apart.max()) < 1.3


def test_feet_come_out_of_the_ground_the_same_way_wherever_the_clip_begins() -> None:
    clip = limbik.load_motion(real_data.find("motion/flip_side.bvh"))[400:700:2]
    whole, part = (limbik.retarget(clip[k:], onto=target_of("human")).motion for k in (0, 29))
    late = slice(round(clip.fps), None)
    apart = np.abs(part.q[late, 6:] - whole.q[29:][late, 6:])
    assert np.degrees(apart.max()) < 8.0


def test_a_first_frame_from_elsewhere_leaves_the_others_alone() -> None:
    clip = limbik.load_motion(real_data.find("cmu_bvh/49_06.bvh"))[:100]  # it begins in a T-pose
    out = limbik.retarget(clip, onto=target_of("g1"), avoid=False)
    assert limbik.animate.track.jumps(out.motion.figure, out.motion.q, None).tolist() == [1]


def test_speed_limits_hold() -> None:
    clip, free = walk_on_g1()
    figure = target_of("g1")
    fastest = np.abs(np.diff(free.motion.q, axis=0)).max(axis=0) * clip.fps
    limits = np.where(np.arange(figure.n) < 6, np.inf, np.maximum(0.7 * fastest, 0.05))
    out = limbik.retarget(clip, onto=figure, speed_limits=limits)
    assert (np.abs(np.diff(out.motion.q, axis=0)) * clip.fps <= limits).all()
    assert np.max(figure.violation(out.motion.q)) == 0.0


def test_progress_goes_on_until_shapes_are_apart() -> None:
    told: list[float] = []
    clip, figure = clip_of("xsens", 60), target_of("t1")
    out = limbik.retarget(clip, onto=figure, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len([share for share in told if 0.3 < share < 1.0]) > 2
    np.testing.assert_array_equal(out.motion.q, limbik.retarget(clip, onto=figure).motion.q)


def test_a_body_on_itself_keeps_its_pose() -> None:
    human = limbik.figures.human()
    clip = limbik.figures.cartwheel()[60:180:6]
    out = limbik.retarget(clip, onto=human, contacts=())
    assert out.scale == pytest.approx(1.0)
    assert np.linalg.norm(out.motion.positions() - clip.positions(), axis=-1).mean() < 0.01


@pytest.mark.parametrize("scale", SCALES)
def test_scales_differ_in_limbs_and_agree_at_the_hips(scale: str) -> None:
    clip = clip_of("cmu", 4)
    figure = target_of("vrm")
    out = limbik.retarget(clip, onto=figure, scale=scale, contacts=())
    roles, plain = out.roles, limbik.retarget(clip, onto=figure, contacts=())
    apart = {
        role: np.linalg.norm(
            figure.positions(out.motion.q, roles[role][1])
            - figure.positions(plain.motion.q, roles[role][1])
        )
        for role in ("hips", "leftHand")
    }
    assert apart["hips"] < 0.05
    assert (apart["leftHand"] > 0.01) == (scale != "limbs")


def test_contacts_may_be_edited() -> None:
    clip, _ = walk_on_g1()
    feet = [c for c in limbik.find_contacts(clip) if c.joint == "LeftFoot"]
    found = max(feet, key=lambda c: c.end - c.start)
    assert found.end - found.start > 8
    held = replace(found, start=found.start + 2, end=found.end - 3)
    toes = replace(held, joint="LeftToeBase")
    out = limbik.retarget(clip, onto=target_of("g1"), contacts=[held, toes])
    assert [(c.joint, c.start, c.end) for c in out.contacts] == [
        ("left_ankle_roll_link", held.start, held.end)
    ]
    places = out.motion.figure.positions(out.motion.q[held.start : held.end], out.contacts[0].joint)
    assert np.ptp(places, axis=0).max() < 0.001


def test_a_table_changes_roles_weights_and_offsets(tmp_path: Path) -> None:
    clip = clip_of("cmu", 3)
    table = tmp_path / "pair.toml"
    table.write_text(
        '[target.roles]\nhead = ""\n[weights]\nHand = 0.0\n[offsets]\nleftSole = 0.1\n'
    )
    human = target_of("human")
    out = limbik.retarget(clip, onto=human, overrides=table)
    assert "head" not in out.roles
    plain = limbik.retarget(clip, onto=human)
    hand = out.points.index("leftHand")
    assert out.errors[:, hand].mean() > 2.0 * plain.errors[:, hand].mean()
    for text, message in (
        ("[weigths]\nHand = 1", "weights"),
        ("[offsets]\nsole = 1", "leftSole|rightSole"),
        ("[weights]\nHand = -1", "negative"),
        ("[weights]\nHnad = 1", "no part of a body"),
        ('[target.roles]\nleftHnad = "x"', "leftHand"),
        ("[weights]\nHand = true", "number"),
        ("[target.roles]\nhead = 3", "name"),
        ("weights =", "pair.toml"),
        ("weights = 3", r"write \[weights\]"),
        ('[target.role]\nhead = "Head"', 'did you mean "roles"'),
        ("[source]\nweights = {Hand = 2}", 'has no "weights"'),
        ("[target]\nroles = 3", r"write \[target.roles\]"),
        ("[weights]\nleftKnee = 2", 'did you mean "leftLowerLeg"'),
        ("[weights]\nelbow = 2", 'did you mean "LowerArm"'),
        ("[weights]\nxyzzy = 2", "it knows Ball, Foot"),
        ("[offsets]\nleftSole = -0.1", "above their soles"),
        ('[target.roles]\nleftFoot = "RightFoot"', "is rightFoot too"),
    ):
        table.write_text(text)
        with pytest.raises(limbik.FormatError, match=message):
            limbik.retarget(clip, onto=human, overrides=table)
    with pytest.raises(limbik.FormatError, match="no such file"):
        limbik.retarget(clip, onto=human, overrides=tmp_path / "none.toml")
    table.write_text('[target.roles]\nleftFoot = "LeftFot"')
    with pytest.raises(limbik.FigureError, match='did you mean "LeftFoot"'):
        limbik.retarget(clip, onto=human, overrides=table)


def test_knees_are_as_near_to_their_targets_as_hips_allow() -> None:
    out = limbik.retarget(clip_of("soma", 30), onto=target_of("vrm"))
    away = dict(zip(out.points, 1e3 * out.errors.mean(axis=0), strict=True))  # mm
    assert away["leftLowerLeg"] + away["rightLowerLeg"] < 21.0
    assert away["hips"] < 7.0


def test_fingers_bend_as_in_the_source() -> None:
    clip, vrm = clip_of("soma", 3), target_of("vrm")
    out = limbik.retarget(clip, onto=vrm)
    bends = []
    for figure, q, k in ((clip.figure, clip.q, 0), (vrm, out.motion.q, 1)):
        names = [
            out.roles["leftIndex" + bone][k] for bone in ("Proximal", "Intermediate", "Distal")
        ]
        places = figure.positions(q, names)
        one, two = np.diff(places, axis=1).swapaxes(0, 1)
        sine = np.linalg.norm(np.cross(one, two), axis=-1)
        bends.append(np.arctan2(sine, (one * two).sum(axis=-1)))
    assert np.degrees(np.abs(bends[0] - bends[1])).max() < 8.0
    assert np.degrees(bends[0]).min() > 10.0  # they are bent


def test_what_is_no_body_is_refused_by_role() -> None:
    clip = clip_of("cmu", 3)
    with pytest.raises(limbik.FigureError, match="leftUpperLeg"):
        limbik.retarget(clip, onto=limbik.figures.arm())
    with pytest.raises(limbik.FigureError, match="needs a Motion"):
        limbik.retarget(clip.figure, onto=target_of("human"))  # type: ignore[arg-type]
    with pytest.raises(limbik.GoalError, match="scale"):
        limbik.retarget(clip, onto=target_of("human"), scale="long")
    with pytest.raises(limbik.GoalError, match="near"):
        limbik.retarget(clip, onto=target_of("human"), near=target_of("human").rest[None])


@pytest.mark.filterwarnings("ignore:.*is left out")
@pytest.mark.parametrize(
    ("target", "height"), [("g1", 0.035), ("g1_urdf", 0.035), ("t1", 0.03), ("human", None)]
)
def test_the_sole_is_that_of_the_shapes_in_the_file(target: str, height: float | None) -> None:
    figure = target_of(target)
    shape = BodyShape(figure, limbik.humanoid.recognise(figure))
    foot = shape.foot("left")
    assert height is None or foot.height == pytest.approx(height, abs=1e-4)
    lowest = foot.sole[:, 1] - foot.sole[:, 3]
    assert lowest == pytest.approx(-foot.height, abs=2e-3)
    assert foot.heel[2] < -0.03
    assert foot.ball[2] > 0.08
    assert foot.sole[:, 2].min() < 0 < foot.sole[:, 2].max()


def test_nothing_is_in_the_ground_or_in_the_body() -> None:
    clip, out = walk_on_g1()
    figure = out.motion.figure
    floor = limbik.HalfSpace((0, 0, 1), name="floor")
    goal = limbik.Avoid([floor], weight=1.0)
    depth = ClipSolver(FrameValues(Problem(figure, [goal]), clip.frames), fps=clip.fps)
    free = limbik.retarget(clip, onto=target_of("g1"), avoid=False).motion
    # Hands pass through the hips of a robot that is wider than its source.
    assert np.sqrt(depth.costs(free.q).max()) > 0.015
    assert np.sqrt(depth.costs(out.motion.q).max()) < 0.0015


@OUTSIDE
def test_frames_on_a_foot_are_its_sole_where_no_shape_tells() -> None:
    out = limbik.retarget(clip_of("cmu", 200)[::8], onto=target_of("romeo"))
    figure, q = out.motion.figure, out.motion.q
    front = [name for name in figure.joints if name.endswith(("FsrFL_frame", "FsrFR_frame"))]
    assert len(front) == 4  # sensors below the toes of both feet
    assert figure.positions(q, front)[..., 2].min() > -0.001


def test_arms_kept_off_the_thighs_do_not_tremble() -> None:
    clip = limbik.load_motion(real_data.find("motion/xsens_stand.bvh"))[300:400]
    robot = limbik.load(real_data.find("robots_mjcf/unitree_g1/g1.xml"))
    out = limbik.retarget(clip, onto=robot)
    through = limbik.retarget(clip, onto=robot, avoid=False)
    moved = np.degrees(np.abs(out.motion.q - through.motion.q)[:, 6:]).max()
    assert moved > 2.0  # there is something to keep off
    assert limbik.check(out.motion).jerk < 2.0 * limbik.check(clip).jerk


def test_a_robot_on_itself_keeps_its_knees_and_wrists() -> None:
    _, first = walk_on_g1()
    again = limbik.retarget(first.motion, onto=first.motion.figure)
    apart = np.median(np.degrees(np.abs(again.motion.q - first.motion.q)), axis=0)
    names = first.motion.figure.coordinates
    found = {name: apart[k] for k, name in enumerate(names) if "knee" in name or "wrist" in name}
    assert len(found) == 8
    assert max(found.values()) < 5.0, found
