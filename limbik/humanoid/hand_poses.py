"""Poses of hands: a fist, a pointing finger, a pinch, on any hand whose fingers are recognised.

A shape says how far each finger is curled and how far the fingers are spread; it knows nothing of a
rig.  On a figure, each joint of a finger turns about the axis across the finger that lies in the
palm, from wherever it stands at rest, so that the same shape looks the same on every hand.  Only
joints of fingers turn: the wrist and the arm stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure.coordinates import joint_values
from limbik.figure.figure import Figure
from limbik.humanoid.hands import FINGERS, Finger, Hand, find_hand
from limbik.humanoid.thumb import clearance, place_thumb
from limbik.maths.so3 import exp_map, quat_to_matrix

BENT = np.radians([85.0, 100.0, 65.0])
"""How far the three joints of a finger bend where it is curled as far as in a fist."""

SPREAD = np.radians([14.0, 2.0, -10.0, -20.0])
"""How far index, middle, ring and little finger point towards the thumb where they are spread."""


_PINCH_CURLS = (0.5, 0.6, 0.4, 0.7, 0.3, 0.8)  # of the index finger, the most natural first
_TOUCHING = 0.15  # of their thickness, between two tips that count as together
_STEEP = 0.5  # a bone that is less than this part of itself along the palm shows no fan


@dataclass(frozen=True)
class HandShape:
    """How the fingers of a hand are bent.

    Args:
        thumb: 0 beside the hand, 1 across the curled fingers or the palm.
        index: 0 straight, 1 as in a fist; below 0 bent back.
        middle: as index.
        ring: as index.
        little: as index.
        spread: 0 fingers side by side, 1 spread as far as they go.
        pinch: whether the tips of thumb and index finger meet.

    >>> HandShape(index=0.0, middle=1.0, ring=1.0, little=1.0, thumb=1.0) == SHAPES["point"]
    True
    """

    thumb: float = 0.0
    index: float = 0.0
    middle: float = 0.0
    ring: float = 0.0
    little: float = 0.0
    spread: float = 0.0
    pinch: bool = False

    def curl(self, finger: str) -> float:
        """How far a finger is curled, by its name ("Index").

        Args:
            finger: "Thumb", "Index", "Middle", "Ring" or "Little".

        Returns:
            0 for a straight one, 1 for one that is closed.
        """
        return float(getattr(self, finger.lower()))


SHAPES: dict[str, HandShape] = {
    "relaxed": HandShape(0.25, 0.2, 0.25, 0.3, 0.35, 0.25),
    "fist": HandShape(1.0, 1.0, 1.0, 1.0, 1.0, 0.0),
    "point": HandShape(1.0, 0.0, 1.0, 1.0, 1.0, 0.0),
    "pinch": HandShape(0.5, 0.45, 0.3, 0.25, 0.2, 0.3, pinch=True),
    "flat": HandShape(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
}
"""The shapes that have names."""


def hand_pose(
    figure: Figure,
    side: str,
    shape: str | HandShape = "relaxed",
    q: np.ndarray | None = None,
    *,
    only: Collection[str] | None = None,
    hand: Hand | None = None,
) -> np.ndarray:
    """A pose with one hand in a shape: only its fingers differ from the pose ``q``.

    Joints are kept inside their limits, so that a hand which cannot close makes as much of a fist
    as it can.  The thumb is laid last, over the other fingers and not through them.

    Args:
        figure: a body or a hand whose fingers are recognised by their names.
        side: "left" or "right".
        shape: "relaxed", "fist", "point", "pinch", "flat", or a ``HandShape``.
        q: (n,) the pose to begin with; the rest pose if None.
        only: names of the fingers that change ("Index"); all if None.  A thumb that is not among
            them gives way where one of them would go through it.
        hand: the hand, where it was found before.

    Returns:
        (n,) the pose.

    Raises:
        FigureError: where there is no such hand or no such shape.

    >>> import limbik
    >>> figure = limbik.figures.hand()
    >>> q = limbik.hand_pose(figure, "right", "fist")
    >>> round(float(np.degrees(q[figure.coordinates.index("Middle2")])))
    100
    """
    found = find_hand(figure, side) if hand is None else hand
    if isinstance(shape, str):
        if shape not in SHAPES:
            raise FigureError(f'there is no hand shape "{shape}"{did_you_mean(shape, SHAPES)}')
        shape = SHAPES[shape]
    pose = figure.rest if q is None else figure.single_pose(q, "q")
    changed = set(FINGERS if only is None else only)
    for name in changed - set(FINGERS):
        raise FigureError(f'there is no finger "{name}"{did_you_mean(name, FINGERS)}')
    pose = _with_fingers(figure, found, shape, pose, changed)
    if "Thumb" not in found.fingers:
        return pose
    if shape.pinch and {"Thumb", "Index"} <= changed:
        return _pinched(figure, found, shape, pose)
    if "Thumb" in changed:
        return place_thumb(figure, found, pose, _thumb_target(figure, found, shape.thumb, pose))
    if clearance(figure, found, pose) < 0.0:
        tip = found.fingers["Thumb"].points(figure.frames(pose))[-1]
        return place_thumb(figure, found, pose, tip)
    return pose


def hand_shape(figure: Figure, side: str, q: np.ndarray, *, hand: Hand | None = None) -> HandShape:
    """The shape that a hand has in a pose, as well as curls and a spread can say it.

    Args:
        figure: a body or a hand whose fingers are recognised by their names.
        side: "left" or "right".
        q: (n,) the pose.
        hand: the hand, where it was found before.

    Returns:
        The shape; its ``pinch`` is False.

    Raises:
        FigureError: where there is no such hand.

    >>> import limbik
    >>> figure = limbik.figures.hand()
    >>> q = limbik.hand_pose(figure, "right", "point")
    >>> shape = hand_shape(figure, "right", q)
    >>> round(shape.index, 2), round(shape.ring, 2)
    (0.0, 1.0)
    """
    found = find_hand(figure, side) if hand is None else hand
    pose = figure.single_pose(q, "q")
    frames = figure.frames(pose)
    # From the world to where the wrist is at rest.
    back = figure.frames(figure.rest)[found.wrist, :3, :3] @ frames[found.wrist, :3, :3].T
    curls: dict[str, float] = {}
    fans: dict[str, float] = {}
    for name, finger in found.fingers.items():
        if name != "Thumb":
            bones = np.diff(finger.points(frames), axis=0) @ back.T
            bends, fans[name] = _angles(found, bones)
            curls[name.lower()] = float(bends.sum() / BENT[: len(bends)].sum())
    thumb = 0.0
    if "Thumb" in found.fingers:
        low, high = (_thumb_target(figure, found, curl, pose) for curl in (0.0, 1.0))
        tip = found.fingers["Thumb"].points(frames)[-1]
        thumb = float(np.clip((tip - low) @ (high - low) / ((high - low) @ (high - low)), 0.0, 1.0))
    spread = 0.0
    if "Index" in fans and "Little" in fans:
        spread = (fans["Index"] - fans["Little"]) / float(SPREAD[0] - SPREAD[-1])
    return replace(HandShape(thumb=thumb, spread=spread), **curls)


# ---- fingers ------------------------------------------------------------------------------------


def _with_fingers(
    figure: Figure, hand: Hand, shape: HandShape, q: np.ndarray, changed: Collection[str]
) -> np.ndarray:
    """The pose with fingers in a shape; the thumb is none of them."""
    rest = figure.frames(figure.rest)
    out = q.copy()
    for name, finger in hand.fingers.items():
        if name == "Thumb" or name not in changed:
            continue
        several = len(hand.fingers) > 2
        fan = shape.spread * float(SPREAD[FINGERS.index(name) - 1]) if several else 0.0
        bends = shape.curl(name) * BENT[: len(finger.joints)]
        turns = _finger_rotations(hand, finger, bends, fan)
        for i, turned in zip(finger.joints, turns, strict=True):
            columns = figure.coordinates_of(figure.joints[i])
            above = rest[int(figure.parents[i])]
            placed = np.linalg.inv(above) @ rest[i]
            placed[:3, :3] = above[:3, :3].T @ turned @ rest[i, :3, :3]
            out[columns] = joint_values(figure.definition[i], placed[None], figure.rest[columns])[0]
    return _projected(figure, hand, out, q)


def _projected(figure: Figure, hand: Hand, pose: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The fingers of a pose inside their limits; everything else as in q."""
    inside, out = figure.project(pose), q.copy()
    for i in hand.joints:
        columns = figure.coordinates_of(figure.joints[i])
        out[columns] = inside[columns]
    return out


def _finger_rotations(
    hand: Hand, finger: Finger, bends: np.ndarray, fan: float
) -> list[np.ndarray]:
    """(3, 3) for each joint: how its frame turns from rest, as seen from its parent at rest.

    The first joint turns back its own bend at rest, fans out about the palm's normal, and bends;
    the others bend by what is missing.
    """
    _, _, palm = hand.axes.T
    at_rest, fanned = _angles(hand, finger.along)
    flat = finger.along[0] - palm * (finger.along[0] @ palm)
    axis = _unit(np.cross(flat, palm))
    sign = 1.0 if hand.side == "left" else -1.0
    # With the fan the axis about which the finger bends turns along: it stays across the finger.
    out = [
        _rotation(axis, bends[0])
        @ _rotation(palm, sign * (fan - fanned))
        @ _rotation(axis, -at_rest[0])
    ]
    out += [_rotation(axis, b - r) for b, r in zip(bends[1:], at_rest[1:], strict=True)]
    return out


def _angles(hand: Hand, bones: np.ndarray) -> tuple[np.ndarray, float]:
    """((k,) bends, fan): how far each bone of a finger (k, 3) is bent towards the palm against the
    bone before, the first against the palm, and how far the first points towards the thumb."""
    thumb, forward, palm = hand.axes.T
    flat = bones[0] - palm * (bones[0] @ palm)
    steep = np.linalg.norm(flat) < _STEEP * np.linalg.norm(bones[0])
    ahead = forward if steep else _unit(flat)
    slopes = np.arctan2(bones @ palm, bones @ ahead)
    bends = np.diff(np.concatenate([[0.0], slopes]))
    bends = (bends + math.pi) % (2.0 * math.pi) - math.pi
    return bends, math.atan2(float(ahead @ thumb), float(ahead @ forward))


def _rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    return quat_to_matrix(exp_map(axis * angle))


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


# ---- the thumb ----------------------------------------------------------------------------------


def _thumb_target(figure: Figure, hand: Hand, curl: float, q: np.ndarray) -> np.ndarray:
    """(3,) where the tip of the thumb shall be in the pose q, in the world.

    Open, it lies beside the hand; curled, on the middle bones of the fingers next to it, or where
    these are straight, on the palm below them.
    """
    frames = figure.frames(q)
    rest = figure.frames(figure.rest)
    axes = frames[hand.wrist, :3, :3] @ rest[hand.wrist, :3, :3].T @ hand.axes
    aside, forward, palm = axes.T
    thumb = hand.fingers["Thumb"]
    base = frames[thumb.joints[0], :3, 3]
    reach = float(thumb.lengths.sum())
    open_tip = base + reach * _unit(0.62 * aside + 0.75 * forward + 0.2 * palm)
    over = hand.fingers.get("Middle", hand.fingers.get("Index"))
    if over is None or curl <= 0.0:
        return open_tip
    points, touching = over.points(frames), thumb.radius + over.radius
    bone = points[min(1, len(points) - 2) :][:2].mean(axis=0)
    outward = bone - frames[hand.wrist, :3, 3]
    outward = _unit(outward - forward * (outward @ forward) + 0.5 * touching * palm)
    on_finger = bone + touching * outward
    knuckle = points[0]
    on_palm = knuckle - 0.35 * hand.length * forward + touching * palm
    lifted = float(np.clip((bone - knuckle) @ palm / max(float(over.lengths[0]), 1e-12), 0.0, 1.0))
    closed = lifted * on_finger + (1.0 - lifted) * on_palm
    return (1.0 - curl) * open_tip + curl * closed


def _pinched(figure: Figure, hand: Hand, shape: HandShape, q: np.ndarray) -> np.ndarray:
    """The pose with the tips of thumb and index finger together: the index finger curled as far as
    brings them nearest."""
    if "Index" not in hand.fingers:
        return q
    touching = hand.fingers["Thumb"].radius + hand.fingers["Index"].radius
    best: tuple[float, np.ndarray] | None = None
    for curl in _PINCH_CURLS:
        pose = _with_fingers(figure, hand, replace(shape, index=curl), q, ("Index",))
        frames = figure.frames(pose)
        points = hand.fingers["Index"].points(frames)
        base = frames[hand.fingers["Thumb"].joints[0], :3, 3]
        pulp = points[-1] + touching * _unit(base - points[-1])
        pose = place_thumb(figure, hand, pose, pulp)
        tip = hand.fingers["Thumb"].points(figure.frames(pose))[-1]
        apart = abs(float(np.linalg.norm(tip - points[-1])) - touching)
        if best is None or apart < best[0]:
            best = apart, pose
        if apart < _TOUCHING * touching:
            break
    assert best is not None
    return best[1]
