"""Editing a clip: changes that fade out, feet that keep the clip's places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import limbik
from helpers.poser.posed_keys import HAND, LEFT, at, dragged, standing
from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.maths.so3 import angle_between, exp_map, matrix_to_quat, quat_multiply
from limbik.poser.animation.clip_edits import Edits, weight
from limbik.poser.animation.in_betweens import Moments, bake
from limbik.poser.animation.keying import keyed
from limbik.poser.animation.pose_rotations import Turning
from limbik.poser.animation.timeline_pose import Moment
from limbik.poser.document.effector import Effector
from limbik.poser.document.timeline.keys import Key
from limbik.poser.document.timeline.timeline import Clip, Timeline
from limbik.poser.drag.effector_targets import anchored

MOTION = limbik.figures.cartwheel()
FIGURE: Figure = MOTION.figure
CLIP = FIGURE.project(MOTION.q)
PLAIN = Timeline.over(MOTION).with_settings(span=40)
EFFECTORS = standing(FIGURE, CLIP[100])
TOLERANCE = 1e-4 * FIGURE.size
BY = (0.04, 0.06, -0.03)


def moment(timeline: Timeline, frame: float, effectors: tuple[Effector, ...] = EFFECTORS) -> Moment:
    found = Moments().at(FIGURE, timeline, frame, effectors)
    assert found is not None
    assert FIGURE.violation(found.q) == 0.0
    return found


@pytest.fixture(scope="module")
def edited() -> tuple[Timeline, np.ndarray]:
    return dragged(FIGURE, PLAIN, EFFECTORS, 100, BY)


def test_the_weight_is_a_smooth_bump() -> None:
    key = Key(1, 100, goals={}, span=40)
    assert weight(key, 100) == 1.0
    assert weight(key, 120) == weight(key, 80) == 0.5
    assert weight(key, 60) == weight(key, 140) == weight(key, 500) == 0.0
    h = 1e-6
    for frame in (60.0, 100.0, 140.0):
        slope = (weight(key, frame + h) - weight(key, frame - h)) / (2 * h)
        assert abs(slope) < 1e-6
    assert weight(replace(key, span=0), 100) == 1.0  # a span of nothing is one frame
    assert weight(replace(key, span=0), 101) == 0.0


def test_without_edits_it_is_the_clip() -> None:
    for frame in (0, 17, 600):
        np.testing.assert_array_equal(moment(PLAIN, frame).q, CLIP[frame])


def test_between_two_frames_it_is_on_the_way() -> None:
    q = moment(PLAIN, 250.25).q
    turning = Turning(FIGURE)
    some = turning.wxyz(CLIP[250:252])
    for k, wxyz in enumerate(turning.wxyz(q)):
        ends = Rotation.from_quat(some[:, k][:, [1, 2, 3, 0]])
        wanted = Slerp([0, 1], ends)(0.25).as_quat()[[3, 0, 1, 2]]
        assert float(angle_between(wxyz, wanted)) < 1e-3  # limits may hold a little
    np.testing.assert_allclose(q[:3], 0.75 * CLIP[250, :3] + 0.25 * CLIP[251, :3], atol=1e-12)


def test_the_edit_is_met_and_fades_out(edited: tuple[Timeline, np.ndarray]) -> None:
    timeline, q = edited
    np.testing.assert_allclose(
        FIGURE.positions(moment(timeline, 100).q), FIGURE.positions(q), atol=TOLERANCE
    )
    for frame in (59, 60, 140, 141, 300):
        np.testing.assert_array_equal(moment(timeline, frame).q, CLIP[frame])
    assert np.abs(moment(timeline, 61).q - CLIP[61]).max() < 0.01


def test_hand_goes_its_share_and_feet_keep_the_clips_places(
    edited: tuple[Timeline, np.ndarray],
) -> None:
    timeline, _ = edited
    key, hand = timeline.keys[0], EFFECTORS[0]
    assert key.goals is not None
    np.testing.assert_allclose(key.goals[HAND].position, BY, atol=1e-6)
    np.testing.assert_allclose(key.goals[LEFT].position, 0.0, atol=1e-12)
    for frame in (65, 80, 92, 100, 111, 135):
        found = moment(timeline, frame)
        assert found.answer.ok
        wanted = at(FIGURE, CLIP[frame], hand) + weight(key, frame) * np.array(BY)
        np.testing.assert_allclose(at(FIGURE, found.q, hand), wanted, atol=TOLERANCE)
        for foot in EFFECTORS[1:]:
            own = at(FIGURE, CLIP[frame], foot)
            np.testing.assert_allclose(at(FIGURE, found.q, foot), own, atol=TOLERANCE)
            assert found.targets[foot.id].mode == "pin"


def test_joints_alone_would_lose_the_feet(edited: tuple[Timeline, np.ndarray]) -> None:
    timeline, _ = edited
    bare = replace(timeline, keys=(replace(timeline.keys[0], goals=None),))
    away = [
        np.linalg.norm(at(FIGURE, moment(bare, f).q, foot) - at(FIGURE, CLIP[f], foot))
        for f in range(70, 130, 5)
        for foot in EFFECTORS[1:]
    ]
    assert max(away) > 10 * TOLERANCE


def test_deleting_restores_the_clip_exactly(edited: tuple[Timeline, np.ndarray]) -> None:
    timeline, q = edited
    again = timeline.without([timeline.keys[0].id])
    np.testing.assert_array_equal(bake(FIGURE, again, q, EFFECTORS).q, CLIP)


def test_moving_and_copying_carry_the_change_elsewhere(
    edited: tuple[Timeline, np.ndarray],
) -> None:
    timeline, _ = edited
    hand, first = EFFECTORS[0], timeline.keys[0].id
    for other, frames in (
        (timeline.moved([first], 150), [250]),
        (timeline.copied([first], 150), [100, 250]),
    ):
        for frame in (100, 250):
            by = BY if frame in frames else (0.0, 0.0, 0.0)
            found = moment(other, frame)
            wanted = at(FIGURE, CLIP[frame], hand) + by
            assert found.answer.ok
            np.testing.assert_allclose(at(FIGURE, found.q, hand), wanted, atol=TOLERANCE)


def test_edits_that_overlap_are_each_met(edited: tuple[Timeline, np.ndarray]) -> None:
    timeline, _ = edited
    second, q = dragged(FIGURE, timeline, EFFECTORS, 115, (-0.03, 0.02, 0.05))
    np.testing.assert_allclose(
        FIGURE.positions(moment(second, 115).q), FIGURE.positions(q), atol=TOLERANCE
    )
    # Drawn again, the first is met again, though the second lies over it.
    third, again = dragged(FIGURE, second, EFFECTORS, 100, (0.02, -0.01, 0.0))
    assert [key.id for key in third.keys] == [key.id for key in second.keys]
    np.testing.assert_allclose(
        FIGURE.positions(moment(third, 100).q), FIGURE.positions(again), atol=TOLERANCE
    )


def test_an_edit_again_is_one_key_with_the_span_of_now(edited: tuple[Timeline, np.ndarray]) -> None:
    timeline, _ = edited
    again, q = dragged(FIGURE, timeline.with_settings(span=12), EFFECTORS, 100, (0.0, 0.02, 0.0))
    assert len(again.keys) == 1
    assert again.keys[0].span == 12
    assert again.keys[0].goals is not None
    np.testing.assert_allclose(
        again.keys[0].goals[HAND].position, np.add(BY, (0, 0.02, 0)), atol=1e-5
    )
    np.testing.assert_allclose(
        FIGURE.positions(moment(again, 100).q), FIGURE.positions(q), atol=TOLERANCE
    )


def test_only_what_was_dragged_is_led() -> None:
    more = (*EFFECTORS, Effector(8, "Head"))
    head = keyed(FIGURE, PLAIN, 100, CLIP[100], anchored(FIGURE, more, CLIP[100]), dragged=[HAND])
    assert head.keys[0].goals is not None
    assert set(head.keys[0].goals) == {e.id for e in EFFECTORS}


def test_orientations_are_displaced_by_their_share() -> None:
    turned = (*EFFECTORS[:1], *(replace(e, wxyz=(1.0, 0.0, 0.0, 0.0)) for e in EFFECTORS[1:]))
    turned = anchored(FIGURE, turned, CLIP[100])
    by = exp_map([0.0, 0.3, 0.0])
    wxyz = quat_multiply(by, turned[1].wxyz)
    asked = replace(turned[1], wxyz=(wxyz[0], wxyz[1], wxyz[2], wxyz[3]))
    timeline = keyed(FIGURE, PLAIN, 100, CLIP[100], (turned[0], asked, turned[2]))
    found = moment(timeline, 120, turned)  # where the weight is a half
    own = matrix_to_quat(FIGURE.frames(CLIP[120])[FIGURE.index("LeftFoot"), :3, :3])
    target = found.targets[LEFT].wxyz
    assert target is not None
    wanted = quat_multiply(exp_map([0.0, 0.15, 0.0]), own)
    assert float(angle_between(np.array(target), wanted)) < 1e-7


def test_an_aim_turns_from_where_the_clip_looks_to_its_point() -> None:
    look = Effector(5, "Head", mode="aim", axis=(0.0, 0.0, 1.0))
    frames = FIGURE.frames(CLIP[100])
    head = frames[FIGURE.index("Head")]
    aside = head[:3, 3] + head[:3, :3] @ [0.5, 0.0, 2.0]
    look = replace(look, position=(aside[0], aside[1], aside[2]))
    timeline = keyed(FIGURE, PLAIN, 100, CLIP[100], (look,), pose=False)
    np.testing.assert_allclose(moment(timeline, 100, (look,)).targets[5].position, aside)
    for frame, most in ((61, 0.01), (141, 0.0)):
        found = moment(timeline, frame, (look,))
        assert np.abs(found.q - CLIP[frame]).max() <= most
    assert moment(timeline, 100, (look,)).answer.goals[0, 2] < 0.05


def test_ten_thousand_frames_without_edits_are_the_clip() -> None:
    long = Clip(np.tile(MOTION.q, (17, 1))[:10_000], 120.0, "long")
    baked = bake(FIGURE, Timeline.over(long), CLIP[0], EFFECTORS)
    assert (baked.frames, baked.fps, baked.name) == (10_000, 120.0, "long")
    np.testing.assert_array_equal(baked.q[:601], CLIP)


def test_baked_frames_are_those_that_are_shown(edited: tuple[Timeline, np.ndarray]) -> None:
    timeline, q = edited
    baked = bake(FIGURE, timeline, q, EFFECTORS)
    for frame in (10, 77, 100, 139, 140, 600):
        np.testing.assert_array_equal(baked.q[frame], moment(timeline, frame).q)
    steps = np.abs(np.diff(baked.q, axis=0)).max(axis=1)
    assert steps[60:140].max() < np.abs(np.diff(CLIP, axis=0)).max() + 0.05


def test_a_clip_of_another_figure_is_refused() -> None:
    with pytest.raises(LimbikError, match="no clip for this figure"):
        Edits(limbik.figures.arm(), PLAIN, ())
