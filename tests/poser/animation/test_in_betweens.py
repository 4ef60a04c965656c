"""In-betweens: curves through keys, balls as rotations, and feet that stay put."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

import limbik
from helpers.poser.posed_keys import HAND, LEFT, RIGHT, Scene, at, crouch
from limbik.figure.figure import Figure
from limbik.maths.so3 import angle_between, exp_map, matrix_to_quat
from limbik.poser.animation.curves import Path, Turns
from limbik.poser.animation.in_betweens import Keyed, Moments, bake
from limbik.poser.animation.keying import keyed
from limbik.poser.animation.pose_rotations import Turning
from limbik.poser.document.effector import Effector
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.document.timeline.keys import Key, Target
from limbik.poser.document.timeline.timeline import EASES, Ease, Timeline

HUMAN = limbik.figures.human()
FIGURES = {
    "human": HUMAN,
    "euler": HUMAN.with_balls("euler"),
    "exponential": HUMAN.with_balls("exponential"),
    "arm": limbik.figures.arm(),
    "spider": limbik.figures.spider(),
}


def random_pose(figure: Figure, seed: int, wide: float = 0.8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return figure.project(figure.rest + wide * rng.normal(size=figure.n))


def turn_of_joint(figure: Figure, q: np.ndarray, joint: str) -> np.ndarray:
    return matrix_to_quat(figure.frames(q)[figure.index(joint), :3, :3])


# ---- balls as rotations ------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_a_pose_as_rotations_and_back(name: str, seed: int) -> None:
    figure = FIGURES[name]
    turning, q = Turning(figure), random_pose(figure, seed)
    back = q.copy()
    turning.put(back, turning.wxyz(q), q + 0.01)
    np.testing.assert_allclose(figure.positions(back), figure.positions(q), atol=1e-9)
    np.testing.assert_allclose(back, q, atol=1e-6)


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_a_change_leads_from_one_pose_to_the_other(name: str, seed: int) -> None:
    figure = FIGURES[name]
    turning = Turning(figure)
    before, after = random_pose(figure, seed), random_pose(figure, seed + 1)
    change = turning.change(before, after)
    there = turning.changed(before, change)
    np.testing.assert_allclose(figure.frames(there), figure.frames(after), atol=1e-8)
    np.testing.assert_array_equal(turning.changed(before, change, 0.0), before)
    # Half a change, made twice, is the change: its axis stays.
    half = turning.changed(turning.changed(before, change, 0.5), change, 0.5)
    np.testing.assert_allclose(figure.frames(half), figure.frames(after), atol=1e-8)


def test_coordinates_stay_on_the_branch_they_are_near() -> None:
    figure = limbik.Figure(
        [limbik.Joint("Ball", parts=limbik.figures.human().definition[0].parts[3:])]
    )
    turning = Turning(figure)
    q = np.array([7.0, 0.3, -6.5])  # more than a whole turn on
    out = q.copy()
    turning.put(out, turning.wxyz(q), q)
    np.testing.assert_allclose(out, q, atol=1e-9)


# ---- curves ------------------------------------------------------------------------------------

FRAMES = np.array([0.0, 5.0, 20.0, 22.0, 40.0])


@pytest.mark.parametrize("ease", EASES)
def test_curves_pass_their_keys_and_hold_outside(ease: Ease) -> None:
    values = np.random.default_rng(1).normal(size=(5, 3, 2))
    path = Path(FRAMES, values, ease)
    for frame, value in zip(FRAMES, values, strict=True):
        np.testing.assert_array_equal(path.at(frame), value)
    np.testing.assert_array_equal(path.at(-9.0), values[0])
    np.testing.assert_array_equal(path.at(99.0), values[-1])
    before = {"step": values[1], "linear": values[1] + 0.6 * (values[2] - values[1])}
    if ease in before:
        np.testing.assert_allclose(path.at(14.0), before[ease])


@settings(max_examples=60)
@given(st.lists(st.floats(-10, 10), min_size=5, max_size=5))
def test_smooth_numbers_never_overshoot_and_have_no_kink(keys: list[float]) -> None:
    values = np.array(keys)[:, None]
    path = Path(FRAMES, values, "smooth")
    for k in range(4):
        inside = [path.at(f)[0] for f in np.linspace(FRAMES[k], FRAMES[k + 1], 50)]
        step = np.diff(inside) * np.sign(values[k + 1, 0] - values[k, 0])
        assert (step >= -1e-12).all()
    h = 1e-4
    for frame in FRAMES:
        here = path.at(frame)
        after, before = (path.at(frame + h) - here) / h, (here - path.at(frame - h)) / h
        np.testing.assert_allclose(after, before, atol=2e-2)


def test_what_is_the_same_in_two_keys_does_not_move_at_all() -> None:
    values = np.array([[0.1, 0.2, 0.3], [1.1, 0.7, 0.9], [1.1, 0.7, 0.9], [0.0, 0.0, 0.0]])
    path = Path(FRAMES[:4], values, "smooth")
    for frame in np.linspace(5.0, 20.0, 40):
        np.testing.assert_array_equal(path.at(frame), values[1])


def test_linear_turns_are_those_of_scipy() -> None:
    wxyz = Rotation.random(5, random_state=3).as_quat()[:, [3, 0, 1, 2]]
    turns = Turns(FRAMES, wxyz, "linear")
    theirs = Slerp(FRAMES, Rotation.from_quat(wxyz[:, [1, 2, 3, 0]]))
    for frame in np.linspace(0, 40, 33):
        other = theirs(frame).as_quat()[[3, 0, 1, 2]]
        assert float(angle_between(turns.at(frame), other)) < 1e-7


def test_smooth_turns_have_no_kink_and_about_one_axis_are_smooth_angles() -> None:
    wxyz = Rotation.random(5, random_state=4).as_quat()[:, [3, 0, 1, 2]]
    turns, h = Turns(FRAMES, wxyz, "smooth"), 1e-4
    for frame in FRAMES[1:-1]:
        before, here, after = (turns.at(frame + d) for d in (-h, 0.0, h))
        one = Rotation.from_quat(before[[1, 2, 3, 0]]).inv() * Rotation.from_quat(
            here[[1, 2, 3, 0]]
        )
        two = Rotation.from_quat(here[[1, 2, 3, 0]]).inv() * Rotation.from_quat(after[[1, 2, 3, 0]])
        np.testing.assert_allclose(one.as_rotvec() / h, two.as_rotvec() / h, atol=1e-2)
    angles = np.array([0.0, 0.4, 1.9, 2.0, 1.0])
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    about = Turns(FRAMES, exp_map(angles[:, None] * axis), "smooth")
    numbers = Path(FRAMES, angles[:, None], "smooth")
    for frame in np.linspace(0, 40, 57):
        wanted = exp_map(numbers.at(frame) * axis)
        assert float(angle_between(about.at(frame), wanted)) < 1e-7


# ---- whole poses -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scene() -> Scene:
    return crouch()


def test_pinned_feet_stay_where_joints_alone_slide_by_centimetres(scene: Scene) -> None:
    figure, effectors, timeline, _ = scene
    ready = Keyed(figure, timeline, effectors, ())
    tolerance = 1e-4 * figure.size
    slid = {LEFT: 0.0, RIGHT: 0.0}
    for frame in np.linspace(10, 50, 41):
        moment, plain = ready.at(float(frame)), ready.interpolated(float(frame))
        assert figure.violation(moment.q) == 0.0
        assert moment.answer.ok
        for foot in effectors[1:]:
            assert np.linalg.norm(at(figure, moment.q, foot) - foot.position) < tolerance
            away = float(np.linalg.norm(at(figure, plain, foot) - foot.position))
            slid[foot.id] = max(slid[foot.id], away)
            assert moment.targets[foot.id] == Target(foot.position, None, "pin")
        # It is settled, not made anew: joints keep near to what the keys say.
        assert np.abs(moment.q - plain).max() < 0.35
    assert min(slid.values()) > 0.02


def test_keys_are_met_and_held_before_and_after(scene: Scene) -> None:
    figure, effectors, timeline, low = scene
    for frame, q in ((0, figure.rest), (10, figure.rest), (50, low), (120, low), (1e6, low)):
        moment = Moments().at(figure, timeline, frame, effectors)
        assert moment is not None
        np.testing.assert_allclose(figure.positions(moment.q), figure.positions(q), atol=3e-4)
    hand = effectors[0]
    moment = Moments().at(figure, timeline, 50, effectors)
    assert moment is not None
    assert moment.targets[HAND].mode == "free"
    np.testing.assert_allclose(moment.targets[HAND].position, at(figure, moment.q, hand), atol=1e-9)


def test_motion_is_as_even_as_the_interpolation(scene: Scene) -> None:
    figure, effectors, timeline, _ = scene
    ready = Keyed(figure, timeline, effectors, ())
    fine = np.linspace(10, 50, 401)
    solved = np.array([ready.at(f).q for f in fine])
    plain = np.array([ready.interpolated(f) for f in fine])
    most, usual = (np.abs(np.diff(q, axis=0)).max() for q in (solved, plain))
    assert most < 2.5 * usual


def test_without_goals_joints_alone_decide(scene: Scene) -> None:
    figure, effectors, timeline, _ = scene
    bare = replace(timeline, keys=tuple(replace(key, goals=None) for key in timeline.keys))
    moment = Moments().at(figure, bare, 30.0, effectors)
    assert moment is not None
    assert moment.targets == {}
    assert np.linalg.norm(at(figure, moment.q, effectors[1]) - effectors[1].position) > 0.02


def test_a_foot_that_is_free_in_one_key_is_not_held_between(scene: Scene) -> None:
    figure, effectors, timeline, low = scene
    loose = tuple(replace(e, mode="free") if e.id == LEFT else e for e in effectors)
    timeline = keyed(figure, timeline, 50, low, loose)
    moment = Moments().at(figure, timeline, 30.0, effectors)
    assert moment is not None
    assert moment.targets[LEFT].mode == "free"
    assert moment.targets[RIGHT].mode == "pin"
    assert sorted(moment.answer.goals[:, 0]) == [RIGHT]
    right = effectors[2]
    assert np.linalg.norm(at(figure, moment.q, right) - right.position) < 1e-4 * figure.size


def test_keys_of_goals_alone_lead_the_hand(scene: Scene) -> None:
    figure, effectors, _, _ = scene
    start = np.array(effectors[0].position)
    end = start + [-0.25, -0.15, 0.2]
    timeline = keyed(figure, Timeline(ease="linear"), 0, figure.rest, effectors)
    goals = {HAND: Target((end[0], end[1], end[2]))}
    goals |= {e.id: Target(e.position, None, "pin") for e in effectors[1:]}
    timeline = timeline.with_key(Key(9, 20, goals=goals))
    for frame in (0, 5, 10, 20, 60):
        moment = Moments().at(figure, timeline, frame, effectors)
        assert moment is not None
        wanted = start + min(frame / 20, 1.0) * (end - start)
        np.testing.assert_allclose(
            at(figure, moment.q, effectors[0]), wanted, atol=1e-4 * figure.size
        )
        assert moment.answer.ok


def test_orientations_are_interpolated_and_held() -> None:
    arm = limbik.figures.arm()
    tool = arm.joints[-1]
    one, two = random_pose(arm, 5, 0.3), random_pose(arm, 6, 0.3)
    ends = []
    for q in (one, two):
        w, x, y, z = turn_of_joint(arm, q, tool)
        p = arm.positions(q)[arm.index(tool)]
        ends.append(Effector(1, tool, mode="pin", position=(p[0], p[1], p[2]), wxyz=(w, x, y, z)))
    timeline = keyed(arm, Timeline(ease="linear"), 0, one, ends[:1])
    timeline = keyed(arm, timeline, 10, two, ends[1:])
    theirs = Slerp([0, 10], Rotation.from_quat(np.array([np.roll(e.wxyz, -1) for e in ends])))
    moment = Moments().at(arm, timeline, 4.0, ends[:1])
    assert moment is not None
    wanted = theirs(4.0).as_quat()[[3, 0, 1, 2]]
    assert moment.targets[1].wxyz is not None
    assert float(angle_between(np.array(moment.targets[1].wxyz), wanted)) < 1e-6
    assert moment.answer.ok
    assert float(angle_between(turn_of_joint(arm, moment.q, tool), wanted)) < 2e-3


def test_locked_joints_keep_to_their_keys(scene: Scene) -> None:
    figure, effectors, timeline, _ = scene
    locked = ("Hips", "LeftLeg")
    ready = Keyed(figure, timeline, effectors, locked)
    moment, plain = ready.at(30.0), ready.interpolated(30.0)
    for joint in locked:
        columns = figure.coordinates_of(joint)
        np.testing.assert_allclose(moment.q[columns], plain[columns], atol=1e-12)


def test_any_order_of_asking_gives_the_same(scene: Scene) -> None:
    figure, effectors, timeline, _ = scene
    moments = Moments()
    wanted = {f: Moments().at(figure, timeline, f, effectors) for f in (12.0, 33.5, 47.0)}
    for frame in (47.0, 12.0, 33.5, 12.0):
        moment = moments.at(figure, timeline, frame, effectors)
        assert moment is not None
        assert wanted[frame] is not None
        np.testing.assert_array_equal(moment.q, wanted[frame].q)


def test_what_was_found_is_kept_until_something_changes(scene: Scene) -> None:
    figure, effectors, timeline, _ = scene
    moments = Moments()
    first = moments.at(figure, timeline, 30.0, effectors)
    elsewhere = tuple(replace(e, position=(9.0, 9.0, 9.0), mode="free") for e in effectors)
    assert moments.at(figure, timeline, 30.0, elsewhere) is first
    heavier = (*effectors[:2], replace(effectors[2], weight=2.0))
    assert moments.at(figure, timeline, 30.0, heavier) is not first
    assert moments.at(figure, timeline.with_settings(ease="linear"), 30.0, effectors) is not first
    limited = figure.with_limits({})
    assert moments.at(limited, timeline, 30.0, effectors) is not first


def test_an_empty_timeline_has_no_pose_of_its_own(scene: Scene) -> None:
    figure, effectors, _, low = scene
    assert Moments().at(figure, Timeline(), 0.0, effectors) is None
    one = bake(figure, Timeline(fps=25.0), low, effectors)
    assert (one.frames, one.fps) == (1, 25.0)
    np.testing.assert_array_equal(one.q[0], low)


def test_baking_is_every_frame(scene: Scene) -> None:
    figure, effectors, timeline, low = scene
    motion = bake(figure, timeline, low, effectors)
    assert motion.frames == timeline.frames
    for frame in (0, 10, 27, 50, 120):
        moment = Moments().at(figure, timeline, frame, effectors)
        assert moment is not None
        np.testing.assert_array_equal(motion.q[frame], moment.q)
    assert float(np.max(figure.violation(motion.q))) == 0.0


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), frame=st.floats(0, 60))
def test_between_random_keys_limits_hold(name: str, seed: int, frame: float) -> None:
    figure = FIGURES[name]
    timeline = Timeline()
    for k, at_frame in enumerate((0, 20, 35, 60)):
        timeline = timeline.with_key(Key(k + 1, at_frame, random_pose(figure, seed + k)))
    moment = Moments().at(figure, timeline, frame, [])
    assert moment is not None
    assert np.isfinite(moment.q).all()
    assert figure.violation(moment.q) == 0.0


def test_another_branch_in_a_key_is_no_detour() -> None:
    figure = limbik.Figure([limbik.Joint("Root", parts=HUMAN.definition[0].parts[3:])])
    one, two = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.4, 0.1])
    flipped = np.array([two[0] + np.pi, np.pi - two[1], two[2] - np.pi])
    turning = Turning(figure)
    assert float(angle_between(turning.wxyz(two)[0], turning.wxyz(flipped)[0])) < 1e-7
    timeline = Timeline().with_key(Key(1, 0, one)).with_key(Key(2, 30, flipped))
    ready = Keyed(figure, timeline, [], ())
    steps = np.diff([ready.at(float(frame)).q for frame in range(31)], axis=0)
    assert np.abs(steps).max() < 0.02
    assert float(angle_between(turning.wxyz(ready.at(30.0).q)[0], turning.wxyz(two)[0])) < 1e-7


# ---- goals without an effector -----------------------------------------------------------------


def hands_apart(figure: Figure, q: np.ndarray) -> float:
    left, right = figure.positions(q)[[figure.index("LeftHand"), figure.index("RightHand")]]
    return float(np.linalg.norm(left - right))


def test_goals_without_an_effector_are_asked_between_keys(scene: Scene) -> None:
    figure, effectors, timeline, _ = scene
    hands = limbik.Distance("LeftHand", "RightHand", 0.4)
    kept = (KeptGoal.of(7, hands), KeptGoal(8, "PythonGoal", "of a program that ended", None))
    keys = Timeline(frames=timeline.frames)
    for frame, place in ((10, [0.5, 0.9, 0.2]), (50, [-0.2, 1.6, 0.3])):
        asked = [limbik.Reach("LeftHand", position=place), hands]
        found = limbik.solve(figure, asked, start=figure.rest, lock=["Hips"])
        assert found.ok
        keys = keyed(figure, keys, frame, found.q, ())
    middle = [Moments().at(figure, keys, 30.0, (), (), goals) for goals in ((), kept)]
    assert middle[0] is not None
    assert middle[1] is not None
    assert abs(hands_apart(figure, middle[0].q) - 0.4) > 0.01
    assert hands_apart(figure, middle[1].q) == pytest.approx(0.4, abs=2e-4)
    assert middle[1].answer.ok
    assert middle[1].answer.goals[:, 0].tolist() == [7.0]
    motion = bake(figure, keys, figure.rest, goals=kept)
    np.testing.assert_allclose(motion.q[30], middle[1].q, atol=1e-12)
    # Beside effectors, and found anew where they change.
    moments = Moments()
    both = moments.at(figure, timeline, 30.0, effectors, (), kept)
    assert both is not None
    assert hands_apart(figure, both.q) == pytest.approx(0.4, abs=2e-4)
    assert len(both.answer.goals) == 3
    alone = moments.at(figure, timeline, 30.0, effectors)
    assert alone is not None
    assert abs(hands_apart(figure, alone.q) - 0.4) > 0.01


def test_a_rest_pulls_no_frame_off_its_keys(scene: Scene) -> None:
    figure, effectors, timeline, _ = scene
    rest = (KeptGoal.of(7, limbik.Rest(weight=1.0)),)
    plain, pulled = (
        Moments().at(figure, timeline, 30.0, effectors, (), goals) for goals in ((), rest)
    )
    assert plain is not None
    assert pulled is not None
    np.testing.assert_array_equal(pulled.q, plain.q)
