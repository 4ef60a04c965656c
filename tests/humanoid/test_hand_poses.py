"""Shapes of hands on rigs that have nothing in common but five fingers."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import limbik
from helpers import real_data
from limbik.figure.appearance.capsules import capsules
from limbik.figure.figure import Figure
from limbik.humanoid import recognise
from limbik.humanoid.hand_poses import BENT, SHAPES
from limbik.humanoid.hands import FINGERS, Hand, find_hand, find_hands
from limbik.humanoid.thumb import clearance

FOUR = FINGERS[1:]


@cache
def rig(name: str) -> Figure:
    if name in ("hand", "human"):
        return getattr(limbik.figures, name)()
    figure = limbik.load(real_data.find(name))
    return figure if "hand" in name else limbik.humanoid.limited(figure)


RIGS = (
    ("hand", "right"),
    ("vrm/sat06_basic_armature_vrm0.vrm", "left"),
    ("vrm/sat06_basic_armature_vrm1.vrm", "right"),
    ("gltf/webxr_hand/left.glb", "left"),
)
every_rig = pytest.mark.parametrize(("name", "side"), RIGS, ids=[name for name, _ in RIGS])


def bends(figure: Figure, hand: Hand, q: np.ndarray, finger: str) -> np.ndarray:
    """(k,) angles between the bones of a finger, the first against the palm: by the cosine."""
    bones = np.diff(hand.fingers[finger].points(figure.frames(q)), axis=0)
    bones /= np.linalg.norm(bones, axis=1)[:, None]
    return np.arccos(np.clip((bones[:-1] * bones[1:]).sum(axis=1), -1.0, 1.0))


@every_rig
def test_every_shape_bends_the_fingers_as_it_says(name: str, side: str) -> None:
    figure = rig(name)
    hand = find_hand(figure, side)
    for shape in ("flat", "fist", "point", "relaxed"):
        q = limbik.hand_pose(figure, side, shape)
        assert figure.violation(q) < 1e-9
        for finger in FOUR:
            wanted = SHAPES[shape].curl(finger) * BENT[1:]
            assert bends(figure, hand, q, finger) == pytest.approx(
                wanted, abs=np.radians(8.0)
            )  # scanned fingers are crooked
        read = limbik.hand_shape(figure, side, q)
        for finger in FOUR:
            assert read.curl(finger) == pytest.approx(SHAPES[shape].curl(finger), abs=0.05)


@every_rig
def test_in_a_fist_the_tips_are_at_the_palm_and_straight_ahead_when_flat(
    name: str, side: str
) -> None:
    figure = rig(name)
    hand = find_hand(figure, side)
    rest = figure.frames(figure.rest)
    _, forward, palm = hand.axes.T
    for shape in ("flat", "fist"):
        frames = figure.frames(limbik.hand_pose(figure, side, shape))
        assert np.allclose(frames[hand.wrist], rest[hand.wrist])
        for finger in FOUR:
            points = hand.fingers[finger].points(frames)
            reach = points[-1] - points[0]
            if shape == "flat":
                assert reach @ forward > 0.95 * hand.fingers[finger].lengths.sum()
            else:
                # Curled: the knuckle's bone points out of the palm, and the tip comes back.
                assert (points[1] - points[0]) @ palm > 0.9 * hand.fingers[finger].lengths[0]
                assert reach @ forward < 0.0
                assert reach @ palm < (points[1] - points[0]) @ palm


@every_rig
def test_no_thumb_goes_through_a_finger(name: str, side: str) -> None:
    figure = rig(name)
    hand = find_hand(figure, side)
    for shape in SHAPES:
        q = limbik.hand_pose(figure, side, shape)
        assert clearance(figure, hand, q) > 0.0, shape


@pytest.mark.parametrize(
    ("name", "side", "furthest"),
    [("human", "left", 2.5), ("human", "right", 2.5), *((*one, 1.3) for one in RIGS[:3])],
)
def test_the_drawn_thumb_of_a_fist_is_on_the_drawn_fingers(
    name: str, side: str, furthest: float
) -> None:
    """No capsule of the thumb is in one of a finger, and its tip is not further from them than
    ``furthest`` of its thickness; a human of one finger has a short thumb."""
    figure = rig(name)
    hand = find_hand(figure, side)
    drawn = capsules(figure, recognise(figure).roles)
    rest = np.linalg.inv(figure.frames(figure.rest))
    share = np.linspace(0.0, 1.0, 41)[:, None]

    def lines(fingers: list[str], frames: np.ndarray) -> list[tuple[np.ndarray, float]]:
        """((41, 3) points of the middle line, radius) of each capsule of some fingers."""
        out = []
        # The first bone of a thumb is in the palm; of one that is the only bone, the first part.
        for finger in fingers:
            joints = hand.fingers[finger].joints
            for k in np.flatnonzero(np.isin(drawn.joints, joints)):
                j = drawn.joints[k]
                if finger == "Thumb" and len(joints) > 1 and j == joints[0]:
                    continue
                ends = np.array([[*drawn.start[k], 1.0], [*drawn.end[k], 1.0]])
                start, end = (ends @ (frames[j] @ rest[j]).T)[:, :3]
                line = start + share * (end - start)
                out.append((line[17:] if len(joints) == 1 else line, float(drawn.radius[k])))
        return out

    for shape in ("fist", "point"):
        frames = figure.frames(limbik.hand_pose(figure, side, shape))
        others = lines([finger for finger in FOUR if finger in hand.fingers], frames)
        thumb = lines(["Thumb"], frames)
        gaps = [
            np.linalg.norm(a[:, None] - b, axis=-1) - r - s for a, r in thumb for b, s in others
        ]
        assert min(gap.min() for gap in gaps) > 0.0, shape
        tip = min(gap[-1].min() for gap in gaps)
        assert tip < furthest * 2.0 * thumb[-1][1], (shape, tip)


@every_rig
def test_a_pinch_brings_the_two_tips_together(name: str, side: str) -> None:
    figure = rig(name)
    hand = find_hand(figure, side)
    frames = figure.frames(limbik.hand_pose(figure, side, "pinch"))
    thumb, index = (hand.fingers[finger].points(frames)[-1] for finger in ("Thumb", "Index"))
    touching = hand.fingers["Thumb"].radius + hand.fingers["Index"].radius
    assert np.linalg.norm(thumb - index) == pytest.approx(touching, rel=0.2)  # the skins touch


def test_nothing_but_fingers_moves_and_each_moves_alone() -> None:
    figure = rig("human")
    q = figure.rest.copy()
    q[figure.coordinates_of("LeftArm")] = [-0.2, -0.4, 0.1]
    fist = limbik.hand_pose(figure, "left", "fist", q)
    changed = {figure.joints[figure.owner[c]] for c in np.flatnonzero(fist != q)}
    assert changed == {"LeftFingerBase", "LeftHandIndex1", "LThumb"}
    alone = rig("hand")
    flat = limbik.hand_pose(alone, "right", "flat")
    only = limbik.hand_pose(alone, "right", "fist", flat, only=["Ring"])
    assert {alone.joints[alone.owner[c]][:-1] for c in np.flatnonzero(only != flat)} == {"Ring"}


def test_a_finger_that_closes_pushes_the_thumb_aside() -> None:
    figure = rig("hand")
    hand = find_hand(figure, "right")
    across = limbik.hand_pose(figure, "right", limbik.HandShape(thumb=1.0))
    closed = limbik.hand_pose(figure, "right", "fist", across, only=FOUR)
    assert clearance(figure, hand, closed) > 0.0


def test_the_wrist_may_be_turned_any_way() -> None:
    """The same fist, wherever the hand is."""
    figure = rig("human")
    rng = np.random.default_rng(4)
    q = figure.project(figure.rest + rng.normal(0.0, 0.3, figure.n))
    for side in ("left", "right"):
        here, there = (limbik.hand_pose(figure, side, "fist", start) for start in (None, q))
        for i in find_hand(figure, side).joints:
            columns = figure.coordinates_of(figure.joints[i])
            assert there[columns] == pytest.approx(here[columns], abs=0.02)


def test_hands_are_found_by_name_or_refused() -> None:
    assert [hand.side for hand in find_hands(rig("human"))] == ["left", "right"]
    assert [hand.side for hand in find_hands(rig("hand"))] == ["right"]
    assert find_hands(limbik.figures.spider()) == ()
    with pytest.raises(limbik.FigureError, match="no left hand"):
        limbik.hand_pose(rig("hand"), "left", "fist")
    with pytest.raises(limbik.FigureError, match='did you mean "fist"'):
        limbik.hand_pose(rig("hand"), "right", "fits")
    with pytest.raises(limbik.FigureError, match="no side"):
        limbik.hand_pose(rig("hand"), "up", "fist")
    with pytest.raises(limbik.FigureError, match="no finger"):
        limbik.hand_pose(rig("hand"), "right", "fist", only=["Indx"])
