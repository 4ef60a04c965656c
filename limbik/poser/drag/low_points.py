"""The floor while one drags: which points of a body it holds, and which are only looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from limbik.goals import Goal
from limbik.poser.document.effector import LAST_ID
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.drag.posture import Posture
from limbik.posture.feet import feet_of
from limbik.posture.floor import Floor
from limbik.posture.floor_points import FloorPoint, floor_points

FLOOR = LAST_ID + 3
"""The id of the floor's goal, which no effector has."""

_LOW = 0.2  # of the figure's size: points as high above the floor are held from the beginning


class Points(NamedTuple):
    """Points of a body that the floor holds, and others that are looked at after each step."""

    held: tuple[FloorPoint, ...]
    others: tuple[FloorPoint, ...]


class Watched(NamedTuple):
    """Points that are looked at after each step, as arrays."""

    points: tuple[FloorPoint, ...]
    joints: np.ndarray  # (points,) indices
    at: np.ndarray  # (points, 4) x, y, z, 1 in the joint's frame
    clearance: np.ndarray  # (points,)


def low_points(
    posture: Posture, q: np.ndarray, dragged: str | None, left_out: Collection[str]
) -> Points:
    """The points that the floor holds while ``dragged`` is moved from the pose q (n,), and the
    others.  What is high above the floor and is not moved itself needs no goal, nor do those
    of the joints ``left_out``: balls that are held on the floor."""
    if posture.floor is None:
        return Points((), ())
    frames, near, far = posture.figure.frames(q), [], []
    moved = -1 if dragged is None else posture.figure.index(dragged)
    stands = {posture.figure.index(joint) for joint in left_out}
    balls = [
        (foot.joint, float(frames[foot.joint, posture.up] @ [*foot.ball, 1.0]) - posture.floor)
        for foot in feet_of(posture.figure)
        if foot.joint in stands
    ]
    for point in floor_points(posture.figure):
        joint = posture.figure.index(point.joint)
        if any(posture.carried(joint, posture.figure.index(firm)) for firm in posture.firm):
            continue
        high = _height(posture, frames, point) - posture.floor
        # What is below the floor already sinks no further, and a heel no further than its ball.
        low = min([high, *(h for foot, h in balls if posture.carried(joint, foot))])
        point = FloorPoint(point.joint, point.at, min(point.clearance, low))
        ball = point.joint in left_out and point.at == _ball(posture, joint)
        close = high < _LOW * posture.figure.size or posture.carried(joint, moved)
        (near if close and not ball else far).append(point)
    return Points(tuple(near), tuple(far))


def floor_goal(posture: Posture, points: Sequence[FloorPoint]) -> KeptGoal:
    """The floor for these points."""
    assert posture.floor is not None
    return KeptGoal.of(FLOOR, Floor(posture.floor, tuple(points)))


def floor_below(posture: Posture, turning: Collection[int], q: np.ndarray) -> list[Goal]:
    """The floor for what hangs on some joints, by their indices, in the pose q (n,); none where
    nothing of it is low."""
    low = low_points(posture, q, None, ()).held
    below = [
        point
        for point in low
        if any(posture.carried(posture.figure.index(point.joint), joint) for joint in turning)
    ]
    goal = floor_goal(posture, below).goal if below else None
    return [] if goal is None else [goal]


def sunk(posture: Posture, watched: Watched, q: np.ndarray) -> list[FloorPoint]:
    """Those of some points that are below the floor in the pose q (n,)."""
    if posture.floor is None or not watched.points:
        return []
    rows = posture.figure.frames(q)[watched.joints, posture.up]
    high = np.einsum("ij,ij->i", rows, watched.at) - watched.clearance
    below = high < posture.floor - 1e-4 * posture.figure.size
    return [watched.points[k] for k in np.flatnonzero(below)]


def watched(posture: Posture, points: Iterable[FloorPoint]) -> Watched:
    """Points made ready for ``sunk``."""
    points = tuple(points)
    return Watched(
        points,
        np.array([posture.figure.index(point.joint) for point in points], int),
        np.array([[*point.at, 1.0] for point in points]),
        np.array([point.clearance for point in points]),
    )


def _height(posture: Posture, frames: np.ndarray, point: FloorPoint) -> float:
    frame = frames[posture.figure.index(point.joint), posture.up]
    x, y, z = point.at
    return float(frame[0] * x + frame[1] * y + frame[2] * z + frame[3])


def _ball(posture: Posture, joint: int) -> tuple[float, ...] | None:
    """Where the ball of a foot is in its frame, None for other joints."""
    return next((tuple(f.ball) for f in feet_of(posture.figure) if f.joint == joint), None)
