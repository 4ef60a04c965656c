"""The tools of a motion: what they change, what they leave, and that limits hold exactly."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers import real_data
from limbik.animate.contacts import Contact, find_contacts, metre
from limbik.animate.smooth import filtered
from limbik.errors import FigureError, GoalError
from limbik.figure.coordinates import balls, to_quat
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, exponential, revolute, slides, swing_twist
from limbik.figure.motion import Motion
from limbik.maths.so3 import angle_between

LEG = ("UpperLeg", "LowerLeg", "Foot", "Toes")


@pytest.fixture(scope="module")
def clip() -> Motion:
    return limbik.figures.cartwheel()[:180]


def noisy(clip: Motion, seed: int = 0) -> Motion:
    rng = np.random.default_rng(seed)
    q = clip.figure.project(clip.q + 0.01 * rng.normal(size=clip.q.shape))
    return Motion(clip.figure, q, clip.fps)


# ---- smooth --------------------------------------------------------------------------------------


def test_a_parabola_passes_the_filter_and_noise_does_not() -> None:
    t = np.linspace(-1, 1, 60)
    curves = np.column_stack([np.ones(60), t, t**2 - 0.3 * t])
    np.testing.assert_allclose(filtered(curves, 3.0), curves, atol=1e-12)
    np.testing.assert_allclose(filtered(curves[:4], 3.0), curves[:4], atol=1e-12)
    noise = np.random.default_rng(0).normal(size=(400, 1))
    assert filtered(noise, 4.0)[20:-20].std() < 0.5 * noise.std()


def test_smoothing_takes_out_jitter_within_the_limits(clip: Motion) -> None:
    rough = noisy(clip)
    new = rough.smooth(0.3)
    assert limbik.check(new).jerk < 0.1 * limbik.check(rough).jerk
    assert (new.frames, new.fps) == (rough.frames, rough.fps)
    np.testing.assert_array_equal(new.figure.project(new.q), new.q)
    away = np.linalg.norm(new.positions() - clip.positions(), axis=-1)
    assert away.mean() < np.linalg.norm(rough.positions() - clip.positions(), axis=-1).mean()


def test_rotations_are_filtered_as_rotations() -> None:
    """A steady turn through the seams of its coordinates stays one."""
    figure = Figure([Joint("Ball", parts=exponential()), Joint("Tip", "Ball", offset=(1, 0, 0))])
    angle = np.linspace(2.0, 8.0, 50)
    vectors = np.zeros((50, 3))
    vectors[:, 1] = np.where(angle > np.pi, angle - 2 * np.pi, angle)  # jumps, as files do
    new = Motion(figure, vectors, 50).smooth(0.4)
    part, columns = next(balls(figure.definition))
    apart = angle_between(to_quat(part, new.q[:, columns]), to_quat(part, vectors))
    assert apart.max() < 0.02


def test_only_named_joints_are_filtered(clip: Motion) -> None:
    rough = noisy(clip[:40])
    new = rough.smooth(0.2, joints=["LeftArm"])
    changed = {rough.figure.joints[k] for k in rough.figure.owner[(new.q != rough.q).any(axis=0)]}
    assert changed == {"LeftArm"}


# ---- edit ----------------------------------------------------------------------------------------


def test_an_edit_reaches_its_target_and_fades(clip: Motion) -> None:
    figure, frame, span = clip.figure, 60, 20
    place = figure.positions(clip.q[frame], "LeftHand") + [0.05, 0.10, 0.05]
    new = clip.edit("LeftHand", frame, place, span)
    np.testing.assert_allclose(figure.positions(new.q[frame], "LeftHand"), place, atol=1e-4)
    np.testing.assert_array_equal(new.q[: frame - span + 1], clip.q[: frame - span + 1])
    np.testing.assert_array_equal(new.q[frame + span :], clip.q[frame + span :])
    np.testing.assert_array_equal(figure.project(new.q), new.q)
    moved = np.linalg.norm(
        figure.positions(new.q, "LeftHand") - figure.positions(clip.q, "LeftHand"), axis=1
    )
    assert np.all(np.diff(moved[frame - span : frame + 1]) > -1e-4)  # rises to the frame
    feet = ["LeftFoot", "RightFoot"]
    away = figure.positions(new.q, feet) - figure.positions(clip.q, feet)
    assert np.abs(away).max() < 1e-3
    faster = np.abs(np.diff(new.q, axis=0)).max() / np.abs(np.diff(clip.q, axis=0)).max()
    assert faster < 3.0


def test_an_edit_may_turn_the_joint(clip: Motion) -> None:
    figure = clip.figure
    turned = figure.frame(clip.q[30], "RightHand")[:3, :3]
    wanted = limbik.Reach("RightHand", rotation=turned).wxyz
    place = figure.positions(clip.q[30], "RightHand") + [0.0, 0.05, 0.0]
    new = clip.edit("RightHand", 30, place, 10, wxyz=wanted)
    np.testing.assert_allclose(figure.frame(new.q[30], "RightHand")[:3, :3], turned, atol=1e-3)
    np.testing.assert_allclose(figure.positions(new.q[30], "RightHand"), place, atol=1e-3)


def test_what_cannot_be_edited(clip: Motion) -> None:
    with pytest.raises(GoalError, match=r"LeftHand cannot be at the target in frame 30: it stays"):
        clip.edit("LeftHand", 30, [5.0, 5.0, 5.0], 5, hold=["LeftFoot", "RightFoot"])
    with pytest.raises(FigureError, match="frame 500 of a motion with 180"):
        clip.edit("LeftHand", 500, [0, 1, 0], 5)
    with pytest.raises(FigureError, match="span must be a whole number"):
        clip.edit("LeftHand", 5, [0, 1, 0], 0)
    with pytest.raises(FigureError, match="target needs 3 finite numbers"):
        clip.edit("LeftHand", 5, [0, 1], 3)


# ---- plant_feet ----------------------------------------------------------------------------------


def test_planted_toes_do_not_slide() -> None:
    """A body that stands, shifted by a slow sway, is held by its feet."""
    human = limbik.figures.human()
    q = np.tile(human.rest, (90, 1))
    q[:, 0] += 0.02 * np.sin(np.linspace(0, 6, 90))
    motion = Motion(human, q, 60)
    before, after = limbik.check(motion), limbik.check(motion.plant_feet(), source=motion)
    assert before.slide_mm.min() > 35.0
    assert len(after.contacts) >= 4
    assert after.slide_mm.max() < 0.2
    planted = motion.plant_feet()
    np.testing.assert_array_equal(human.project(planted.q), planted.q)


def test_a_correction_fades_between_contacts(clip: Motion) -> None:
    contacts = [c for c in find_contacts(clip, ["LeftToeBase"]) if c.joint == "LeftToeBase"]
    assert contacts
    first = contacts[0]
    new = clip.plant_feet(["LeftToeBase"], contacts=[first], fade=0.1)
    at = new.figure.positions(new.q, "LeftToeBase")
    np.testing.assert_allclose(
        at[first.start : first.end], np.tile(first.point, (first.end - first.start, 1)), atol=2e-4
    )
    later = first.end + 14  # 0.1 s at 120 fps, and a frame or two
    np.testing.assert_array_equal(new.q[later:], clip.q[later:])
    shift = np.linalg.norm(at - clip.figure.positions(clip.q, "LeftToeBase"), axis=1)
    assert np.abs(np.diff(shift[first.end - 1 : later])).max() < 0.005  # no pop
    with pytest.raises(FigureError, match="is not within 180 frames"):
        clip.plant_feet(contacts=[Contact("LeftToeBase", 100, 200, (0, 0, 0))])
    with pytest.raises(FigureError, match="no feet are recognised"):
        Motion(limbik.figures.arm(), limbik.figures.arm().rest[None], 30).plant_feet()


def feet_and_others(motion: Motion) -> tuple[list[str], list[int]]:
    """Feet and toes by name, and the joints that are in no leg by index."""
    body = limbik.humanoid.recognise(motion.figure)
    legs = {role: joint for role, joint in body.roles.items() if role.endswith(LEG)}
    feet = [joint for role, joint in legs.items() if role.endswith(("Foot", "Toes"))]
    below = {motion.figure.index(joint) for joint in legs.values()}
    for i, parent in enumerate(motion.figure.parents.tolist()):
        if parent in below:
            below.add(i)
    return feet, [i for i in range(len(motion.figure.joints)) if i not in below]


@pytest.mark.parametrize("file", ["cmu_bvh/02_01.bvh", "cmu_bvh/49_06.bvh"])
def test_planting_feet_changes_legs_and_little_else(file: str) -> None:
    motion = limbik.load_motion(real_data.find(file))[1::4]
    ground, (feet, others) = limbik.find_ground(motion), feet_and_others(motion)
    contacts = find_contacts(motion, feet)
    before = limbik.check(motion, contacts=contacts, ground=ground)
    planted = motion.plant_feet()
    after = limbik.check(planted, contacts=contacts, ground=ground)
    assert np.median(before.slide_mm) > 20.0
    assert np.median(after.slide_mm) < 1.0
    toes = [k for k, contact in enumerate(contacts) if "Toe" in contact.joint]
    assert after.slide_mm[toes].max() < 1.0  # ankles turn about toes where heels rise
    assert before.penetration_mm > 2.0
    assert after.penetration_mm < 1.0
    assert after.jerk < 1.1 * before.jerk
    scale = 1e3 / metre(motion.figure)  # millimetres of a body of usual size
    moved = scale * np.linalg.norm(planted.positions() - motion.positions(), axis=-1)
    assert moved[:, others].max() < 3.0
    assert moved.mean() < 3.0


def test_hands_on_the_ground_stay_above_it_while_feet_are_planted() -> None:
    clip = limbik.figures.cartwheel()[::3]
    ground, fingers = limbik.find_ground(clip), ["LeftHandIndex1", "RightHandIndex1"]
    lowest = [
        motion.figure.positions(motion.q, fingers)[..., 1].min() - ground
        for motion in (clip, clip.plant_feet())
    ]
    assert lowest[1] > lowest[0] - 1e-3
    hands = np.abs(clip.plant_feet().positions() - clip.positions())[
        :, clip.figure.index("LeftHand")
    ]
    assert hands.max() < 0.005


# ---- mirror --------------------------------------------------------------------------------------


def test_mirroring_exchanges_the_sides(clip: Motion) -> None:
    new = clip.mirror()
    left, right = (clip.figure.positions(clip.q, f"{side}Hand") for side in ("Left", "Right"))
    mirrored = new.figure.positions(new.q, "LeftHand")
    heights = [1]
    np.testing.assert_allclose(mirrored[:, heights], right[:, heights], atol=1e-9)
    assert np.abs(mirrored[:, heights] - left[:, heights]).max() > 0.1
    np.testing.assert_allclose(new.mirror().positions(), clip.positions(), atol=1e-9)
    with pytest.raises(FigureError, match="no left and right"):
        Motion(limbik.figures.arm(), limbik.figures.arm().rest[None], 30).mirror()


# ---- slice, concatenate, blend, loop -------------------------------------------------------------


def test_a_slice_is_by_seconds(clip: Motion) -> None:
    np.testing.assert_array_equal(clip.slice(0.5, 1.0).q, clip.q[60:121])
    np.testing.assert_array_equal(clip.slice(1.0).q, clip.q[120:])
    with pytest.raises(FigureError, match="no frames from 9 to"):
        clip.slice(9.0)


def test_one_motion_goes_on_where_the_other_ends(clip: Motion) -> None:
    end = clip.concatenate(clip, seconds=0.0)
    assert end.frames == 2 * clip.frames
    root = end.figure.positions(end.q, "Hips")
    step = np.linalg.norm(np.diff(root[:, [0, 2]], axis=0), axis=1)
    assert step[clip.frames - 1] < 1e-9  # no jump over the ground
    mixed = clip.concatenate(clip, clip, seconds=0.25)
    assert mixed.frames == 3 * clip.frames - 2 * 30
    np.testing.assert_array_equal(mixed.q[:150], clip.q[:150])
    np.testing.assert_array_equal(mixed.figure.project(mixed.q), mixed.q)
    assert limbik.check(mixed).jumps == ()
    apart = clip.concatenate(clip, seconds=0.0, align=False)
    np.testing.assert_array_equal(apart.q[180:], clip.q)


def test_the_direction_goes_on_too() -> None:
    """A figure that turns a quarter while it walks 1 m walks on in the new direction."""
    figure = Figure([Joint("Root", parts=slides() + revolute("y")), Joint("Tip", "Root")], up="y")
    assert figure.n == 4  # not a free root: nothing is moved
    figure = Figure([Joint("Root", parts=slides() + exponential())], up="y", unit="m")
    q = np.zeros((11, 6))
    q[:, 2] = np.linspace(0, 1, 11)
    q[:, 4] = np.linspace(0, 0.5 * np.pi, 11)
    both = Motion(figure, q, 10).concatenate(Motion(figure, q, 10), seconds=0.0)
    np.testing.assert_allclose(both.q[-1, :3], [1.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(both.q[-1, 3:], [0.0, np.pi, 0.0], atol=1e-9)


def test_a_blend_is_between_rotations() -> None:
    figure = Figure([Joint("Ball", parts=swing_twist()), Joint("Tip", "Ball", offset=(1, 0, 0))])
    rng = np.random.default_rng(3)
    one, two = (Motion(figure, 0.7 * rng.normal(size=(5, 3)), 30) for _ in range(2))
    half = one.blend(two, [0.0, 0.25, 0.5, 0.75, 1.0])
    part, columns = next(balls(figure.definition))
    a, b, c = (to_quat(part, m.q[:, columns]) for m in (one, two, half))
    shares = angle_between(a, c) / angle_between(a, b)
    np.testing.assert_allclose(shares, [0.0, 0.25, 0.5, 0.75, 1.0], atol=1e-9)
    np.testing.assert_array_equal(half.q[[0, 4]], [one.q[0], two.q[4]])
    with pytest.raises(FigureError, match="from 0 to 1, or 5 of them"):
        one.blend(two, 1.5)
    with pytest.raises(FigureError, match="needs a Motion"):
        one.blend(figure)  # type: ignore[arg-type]


def test_a_loop_has_no_seam(clip: Motion) -> None:
    part = clip[20:140]
    once, thrice = part.loop(), part.loop(3)
    assert (once.frames, thrice.frames) == (120, 3 * 119 + 1)
    slid = part.figure.slides | (part.figure.owner == 0)
    np.testing.assert_allclose(once.q[-1, ~slid], part.q[0, ~slid], atol=1e-9)
    np.testing.assert_array_equal(once.q[:80], part.q[:80])
    np.testing.assert_array_equal(thrice.figure.project(thrice.q), thrice.q)
    root = thrice.figure.positions(thrice.q, "Hips")
    travelled = root[119] - root[0]
    step = np.linalg.norm(root[238] - root[119])
    assert step == pytest.approx(np.linalg.norm(travelled), rel=1e-6)  # in a new direction
    assert limbik.check(thrice).jumps == ()
    with pytest.raises(FigureError, match="times must be a whole number"):
        part.loop(0)


def test_motions_of_different_figures_are_not_mixed(clip: Motion) -> None:
    arm = limbik.figures.arm()
    with pytest.raises(FigureError, match="blend: the motions are of different figures"):
        clip.blend(Motion(arm, arm.rest[None], 30.0), 0.5)
