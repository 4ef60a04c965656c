"""The limit of a joint, in its own coordinates, that encloses given rotations."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from limbik.figure.coordinates import ball_of, swing_and_twist, swing_twist_values
from limbik.figure.joints import Joint, Limit, Turn
from limbik.figure.limits import SWING_CHART, Range, SwingTwist
from limbik.figure.tree.joint_limits import slide_limit
from limbik.jit import kernel
from limbik.maths.so3 import matrix_to_quat, quat_to_euler, quat_to_matrix

_TURN = 2.0 * math.pi
_LEAST = math.radians(1.5)  # half of the narrowest swing a cone is given
_NEARLY_BACK = math.radians(172.0)  # beyond it a swing has no clear direction
_FAR = math.radians(120.0)  # swings beyond it do not count for the twist
_LOCKED = 0.1  # cosine of a middle Euler angle below which the outer ones mean little


def turning(joint: Joint) -> int:
    """How many ways a joint turns, 0 where one of them is driven by another coordinate."""
    return 0 if joint.coupled else joint.slides.count(False)


def limit_around(
    joint: Joint, wxyz: np.ndarray, rest: np.ndarray, *, roll: float = 0.0
) -> Limit | None:
    """The limit of a joint that holds rotations (k, 4) of its own, on the branch of its rest pose.

    A cone for a swing–twist or exponential ball, a range for one, two or three turns about axes
    that are perpendicular one to the next; None where neither says anything, or for other joints.
    Slides stay free.  A cone is made at least as wide as it would be at the middle of its length if
    its rotations' axes were rolled by ``roll`` radians to both sides.
    """
    for first, ball in joint.ball_parts:
        twist = float(swing_twist_values(ball, rest[None, first : first + 3])[0, 2])
        cone = _cone(swing_and_twist(ball, wxyz), twist, roll)
        if cone is not None and _wraps(cone.twist, ball.furthest_twist):
            # Its twists end at half a turn: no range goes across that.
            return SwingTwist(swing=cone.swing, center=cone.center)
        return cone
    at = [k for k, slides in enumerate(joint.slides) if not slides]
    values = _angles(joint.turn_parts, wxyz, rest[at])
    if values is None:
        return None
    low, high = _of_slides(joint)
    for k, column in enumerate(at):
        least, most = float(values[:, k].min()), float(values[:, k].max())
        if most - least < _TURN - 0.1:
            low[column], high[column] = least, most
    return Range(low, high, degrees=False) if np.isfinite(low).any() else None


def held(
    joint: Joint, rest: np.ndarray, bend: float, turn: float, bone: np.ndarray
) -> Limit | None:
    """A limit that leaves a joint some radians to both sides of its rest pose.

    ``bend`` is that of swings, ``turn`` that of the twist.  Of turns about axes of their own, those
    along ``bone`` (3,) count as twists.
    """
    for first, ball in joint.ball_parts:
        own = swing_twist_values(ball, rest[None, first : first + 3])[0]
        s1, s2, twist = (float(v) for v in own)
        if math.hypot(s1, s2) + bend > SWING_CHART:
            return None
        ends = (max(twist - turn, -ball.furthest_twist), min(twist + turn, ball.furthest_twist))
        return SwingTwist(swing=bend, center=(s1, s2), twist=ends)
    low, high = _of_slides(joint)
    for k, part in enumerate(joint.parts):
        if not part.slides:
            along = abs(float(part.axes[0] @ bone)) > 0.8 * float(np.linalg.norm(bone))
            slack = turn if along else bend
            low[k], high[k] = float(rest[k]) - slack, float(rest[k]) + slack
    return Range(low, high, degrees=False) if np.isfinite(low).any() else None


def widened(joint: Joint, limit: Limit, values: np.ndarray) -> Limit | None:
    """The limit of a joint, so much wider that it holds its values (k, width); None for a cone and
    a twist that hold everything.  Slides keep their ranges."""
    if isinstance(limit, Range):
        low, high = _of_slides(joint)
        turns = [k for k, slides in enumerate(joint.slides) if not slides]
        low[turns] = np.minimum(np.broadcast_to(limit.lower, len(low)), values.min(axis=0))[turns]
        high[turns] = np.maximum(np.broadcast_to(limit.upper, len(low)), values.max(axis=0))[turns]
        return Range(low, high, degrees=False)
    found = ball_of(joint)
    assert found is not None
    assert not isinstance(found[0], tuple)
    own = swing_twist_values(found[0], values[:, found[1] : found[1] + 3])
    low, high = min(limit.twist[0], own[:, 2].min()), max(limit.twist[1], own[:, 2].max())
    twist = None if high - low > _TURN - 0.1 else (float(low), float(high))
    if limit.swing is None:
        return None if twist is None else SwingTwist(twist=twist)
    center, half = np.array(limit.center), np.array(limit.swing)
    if (np.linalg.norm((own[:, :2] - center) / half, axis=1) > 1.0).any():
        around = np.linspace(0.0, _TURN, 64, endpoint=False)
        edge = center + half * np.column_stack([np.cos(around), np.sin(around)])
        center, half = ellipse_around(np.concatenate([edge, own[:, :2]]))
        # The room for a cone ends at half a turn from zero.
        if math.hypot(*center) + float(half.max()) > SWING_CHART:
            return None if twist is None else SwingTwist(twist=twist)
        half = half * (1.0 + 1e-6)
    return SwingTwist(
        swing=(float(half[0]), float(half[1])),
        center=(float(center[0]), float(center[1])),
        twist=twist,
    )


def _of_slides(joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends (k,) of a joint's coordinates: its slides keep what they have."""
    low, high = np.full(len(joint.labels), -math.inf), np.full(len(joint.labels), math.inf)
    own = slide_limit(joint)
    if own is not None:
        low[joint.slide_columns], high[joint.slide_columns] = own.lower, own.upper
    return low, high


def _angles(turns: Sequence[Turn], wxyz: np.ndarray, rest: np.ndarray) -> np.ndarray | None:
    """(k, turns) angles that come nearest to rotations, each on the branch nearest to ``rest``.

    The turns are Euler angles in axes of their own: the first turn's x, the second's y.
    """
    if not 1 <= len(turns) <= 3:
        return None
    axes = [np.array(turn.axis) for turn in turns]
    a = axes[0]
    b = axes[1] if len(axes) > 1 else np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    b = b / np.linalg.norm(b)
    if abs(a @ b) > 1e-6:
        return None
    basis = np.column_stack([a, b, np.cross(a, b)])
    third = axes[2] @ basis if len(axes) == 3 else np.array([0.0, 0.0, 1.0])
    last = int(np.argmax(np.abs(third)))
    if last == 1 or abs(third[last]) < 1.0 - 1e-6:
        return None
    sign = np.array([1.0, 1.0, np.sign(third[last])])
    order = "XYX" if last == 0 else "XYZ"
    near = np.zeros(3)
    near[: len(turns)] = rest
    inside = matrix_to_quat(basis.T @ quat_to_matrix(wxyz) @ basis)
    one = quat_to_euler(inside, order) * sign
    # Only one turn: what it can do of a rotation is its twist about the axis.
    if len(turns) == 1:
        angle = 2.0 * np.arctan2(inside[:, 1], inside[:, 0])
        return _near(angle[:, None], near[:1])
    plain = one * sign
    lock = np.sin(plain[:, 1]) if last == 0 else np.cos(plain[:, 1])
    other = plain + math.pi
    other[:, 1] = -plain[:, 1] if last == 0 else math.pi - plain[:, 1]
    both = [_near(values * sign, near) for values in (plain, other)]
    # Two turns have no third angle: the better branch is the one that needs it less.
    counted = slice(0, 3) if len(turns) == 3 else slice(2, 3)
    far = [np.abs(values - near)[:, counted].sum(axis=1) for values in both]
    values = np.where((far[0] <= far[1])[:, None], both[0], both[1])
    clear = np.abs(lock) > _LOCKED
    return values[clear, : len(turns)] if clear.any() else None


def _wraps(twist: tuple[float, float], furthest: float) -> bool:
    """Whether a range of twist has an end, and one further than a ball tells twists apart."""
    return bool(np.isfinite(twist).any()) and max(-twist[0], twist[1]) > furthest


def _near(angles: np.ndarray, rest: np.ndarray) -> np.ndarray:
    return angles + _TURN * np.round((rest - angles) / _TURN)


def _cone(samples: np.ndarray, rest: float, roll: float) -> SwingTwist | None:
    """A cone and a range of twist around samples (k, 3) of swing and twist."""
    size = np.linalg.norm(samples[:, :2], axis=1)
    clear = samples[size < _NEARLY_BACK]
    if not len(clear):
        return None
    center, half = ellipse_around(clear[:, :2], math.sin(roll))
    room = SWING_CHART - math.hypot(*center)
    half = np.minimum(half, room)
    # Far from the middle the same posture has very different twists, depending on the way there.
    turned = clear[np.linalg.norm(clear[:, :2], axis=1) < _FAR, 2]
    twist = rest + (turned - rest + math.pi) % _TURN - math.pi
    low, high = float(twist.min(initial=rest)), float(twist.max(initial=rest))
    round_about = high - low > _TURN - 0.1
    return SwingTwist(
        swing=(float(half[0]), float(half[1])),
        center=(float(center[0]), float(center[1])),
        twist=None if round_about else (low, high),
    )


def ellipse_around(points: np.ndarray, least: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Centre (2,) and half axes (2,) of the smallest upright ellipse around points (k, 2), nearly.

    The shorter axis is at least ``least`` times the longer.  For a given ratio of the axes it is a
    smallest circle, found by walking from a middle towards whatever is farthest in ever smaller
    steps (Bădoiu & Clarkson, "Optimal core-sets for balls"); the ratio with the least area is
    searched for.
    """
    fan = np.linspace(0.0, _TURN, 128, endpoint=False)
    outermost = np.argmax(points @ np.stack([np.cos(fan), np.sin(fan)]), axis=0)
    edge = points[np.unique(outermost)]
    span = _widened(0.5 * np.ptp(edge, axis=0), least)
    ratio, spread = 1.0, 4.0
    for _ in range(4):
        tried = np.geomspace(ratio / spread, ratio * spread, 7)
        radii = [_circle(edge / span * [1.0, 1.0 / r], 40)[1] for r in tried]
        halves = [radius * span * [1.0, r] for radius, r in zip(radii, tried, strict=True)]
        best = int(np.argmin([float(np.prod(_widened(half, least))) for half in halves]))
        ratio, spread = float(tried[best]), spread**0.4
    middle, radius = _circle(edge / span * [1.0, 1.0 / ratio], 400)
    scale = span * [1.0, ratio]
    return middle * scale, _widened(radius * scale, least)


def _widened(half: np.ndarray, least: float) -> np.ndarray:
    return np.maximum(half, max(_LEAST, least * float(half.max())))


@kernel
def _circle(points, steps):
    """Centre (2,) and radius of a circle around points (k, 2) that is nearly the smallest."""
    x = 0.5 * (points[:, 0].min() + points[:, 0].max())
    y = 0.5 * (points[:, 1].min() + points[:, 1].max())
    best_x, best_y, radius = x, y, np.inf
    for k in range(steps):
        far, i = -1.0, 0
        for j in range(points.shape[0]):
            away = (points[j, 0] - x) ** 2 + (points[j, 1] - y) ** 2
            if away > far:
                far, i = away, j
        if far < radius:
            best_x, best_y, radius = x, y, far
        x += (points[i, 0] - x) / (k + 2)
        y += (points[i, 1] - y) / (k + 2)
    return np.array([best_x, best_y]), math.sqrt(radius)
