"""Other coordinates for the balls of a figure, with limits that enclose the old ones."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from limbik.errors import FigureError
from limbik.figure.coordinates import (
    Ball,
    ball_of,
    from_quat_each,
    swing_twist_values,
    to_quat,
)
from limbik.figure.joints import (
    ExponentialBall,
    Joint,
    Limit,
    Part,
    SwingTwistBall,
    euler,
    exponential,
    swing_twist,
)
from limbik.figure.limits import SWING_CHART, Range, SwingTwist
from limbik.figure.tree.joint_limits import slide_limit
from limbik.maths.so3 import log_map, quat_multiply

KINDS = ("swing-twist", "euler", "exponential")

_TURN = 2.0 * math.pi
_GRID = 25  # samples an axis, of a limit that gets another form
_SPARE = math.radians(1.0)  # by which the new limit is wider than what the samples show


def with_balls(
    joints: Sequence[Joint],
    kind: str,
    bones: Sequence[np.ndarray],
    rest: np.ndarray,
    *,
    keep: Collection[str] = (),
    zero: np.ndarray | None = None,
) -> tuple[list[Joint], np.ndarray]:
    """(joints with their balls in other coordinates, the same rest pose (n,) in these).

    ``bones`` has where each joint's bone goes in its own frame (3,), ``keep`` the names of joints
    that stay as they are.  With ``zero``, a pose (n,) in the old coordinates, the balls' zero is
    that pose, but for balls that are kept, have a limit or slide.
    """
    changed = [
        joint if joint.name in keep else with_ball(joint, kind, bone)
        for joint, bone in zip(joints, bones, strict=True)
    ]
    out, first = np.zeros(sum(joint.width for joint in changed)), 0
    for i, (old, new) in enumerate(zip(joints, changed, strict=True)):
        width = old.width
        out[first : first + width] = rest[first : first + width]
        before, after = ball_of(old), ball_of(new)
        if before is not None and after is not None:
            here, there = first + before[1], first + after[1]
            turn = to_quat(before[0], rest[None, here : here + 3])
            alone = width == 3 and old.limit is None and old.name not in keep
            if zero is not None and alone:
                moved = to_quat(before[0], zero[None, here : here + 3])[0]
                wxyz = quat_multiply(np.array(old.wxyz), moved)
                changed[i] = replace(new, wxyz=tuple(wxyz.tolist()))
                turn = quat_multiply(moved * [1.0, -1.0, -1.0, -1.0], turn)
            elif old.parts == new.parts:
                first += width
                continue
            slid = [c for c in range(first, first + width) if not here <= c < here + 3]
            out[first:there] = rest[slid]
            out[there : there + 3] = from_quat_each(after[0], turn)[0]
        first += width
    return changed, out


def with_ball(joint: Joint, kind: str, along: np.ndarray) -> Joint:
    """The joint with its ball in other coordinates, or as it is where it has none.

    A new swing–twist or exponential ball twists about ``along`` (3,), the bone in the joint's
    frame.  A cone stays the same cone between those two.  Between cones and ranges of Euler angles
    no limit says the same: the new one encloses the old one.
    """
    found = ball_of(joint)
    if found is None:
        return joint
    ball, at = found
    parts = _parts(ball, kind, along)
    if list(parts) == [part for part in joint.parts if not part.slides]:
        return joint
    new = replace(joint, parts=joint.slide_parts + parts, limit=None, slide_limit=None)
    to = ball_of(new)
    assert to is not None  # it was just made
    limit, sliding = _limit(joint, ball, at, to[0]), slide_limit(joint)
    if isinstance(limit, SwingTwist) or limit is None or sliding is None:
        return replace(new, limit=limit, slide_limit=sliding)
    low, high = np.full(new.width, -math.inf), np.full(new.width, math.inf)
    slides = sliding.lower.size
    low[:slides], high[:slides] = sliding.lower, sliding.upper
    low[slides:], high[slides:] = limit.lower, limit.upper
    return replace(new, limit=Range(low, high, degrees=False))


def _parts(ball: Ball, kind: str, along: np.ndarray) -> tuple[Part, ...]:
    if not isinstance(kind, str) or kind not in KINDS:
        raise FigureError(f'"{kind}" is not a kind of ball: {", ".join(KINDS)}')
    if kind == "euler":
        return ball if isinstance(ball, tuple) else euler("ZYX")
    make = swing_twist if kind == "swing-twist" else exponential
    if isinstance(ball, tuple):
        return make([float(v) for v in along])
    return make(ball.twist, ball.swing)


def _limit(joint: Joint, ball: Ball, at: int, to: Ball) -> Limit | None:
    """The limit of a joint's turning when its ball changes from ``ball`` to ``to``."""
    limit = joint.limit
    if limit is None:
        return None
    cones = not isinstance(ball, tuple) and not isinstance(to, tuple)
    if isinstance(limit, SwingTwist) and cones:
        return limit
    if isinstance(limit, Range):
        width = joint.width
        lower, upper = np.broadcast_to(limit.lower, width), np.broadcast_to(limit.upper, width)
        values = _box(lower[at : at + 3], upper[at : at + 3])
    else:
        values = _cone(limit, ball)
    samples = from_quat_each(to, to_quat(ball, values))
    if not isinstance(to, tuple):
        return _enclosing_cone(swing_twist_values(to, samples), to.furthest_twist)
    low, high = np.full(3, -math.inf), np.full(3, math.inf)
    for k in range(3):
        least, most = samples[:, k].min() - _SPARE, samples[:, k].max() + _SPARE
        if most - least < _TURN - 0.1:
            low[k], high[k] = least, most
    return Range(low, high, degrees=False) if np.isfinite(low).any() else None


def _box(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """(samples, 3) coordinates that fill a range; half a turn to each side where it has no end."""
    axes = [np.linspace(*_ends(*pair), _GRID) for pair in zip(lower, upper, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def _ends(low: float, high: float) -> tuple[float, float]:
    """Ends of a range that reach every rotation of it, a whole turn apart at most."""
    if high - low >= _TURN and math.isfinite(high - low):
        return -math.pi, math.pi
    if low == -math.inf:
        low = min(-math.pi, high - math.pi)
    if high == math.inf:
        high = max(math.pi, low + math.pi)
    return low, high


def _cone(limit: SwingTwist, ball: Ball) -> np.ndarray:
    """(samples, 3) coordinates of a ball that fill a cone."""
    swing = limit.swing if limit.swing is not None else (SWING_CHART, SWING_CHART)
    low, high = max(limit.twist[0], -math.pi), min(limit.twist[1], math.pi)
    around = np.linspace(0.0, _TURN, 2 * _GRID, endpoint=False)
    out = np.linspace(0.0, 1.0, _GRID)
    r, a, t = np.meshgrid(out, around, np.linspace(low, high, _GRID), indexing="ij")
    s1 = limit.center[0] + swing[0] * r * np.cos(a)
    s2 = limit.center[1] + swing[1] * r * np.sin(a)
    values = np.stack([s1, s2, t], axis=-1).reshape(-1, 3)
    if isinstance(ball, ExponentialBall):
        same = SwingTwistBall(ball.twist, ball.swing)
        return log_map(to_quat(same, values))
    return values


def _enclosing_cone(samples: np.ndarray, furthest: float) -> SwingTwist | None:
    """A cone and a range of twist around samples (k, 3) of swing and twist; None if it is all.

    ``furthest`` is how far the ball's coordinates tell twists apart, to both sides.
    """
    least, most = samples.min(axis=0), samples.max(axis=0)
    center = 0.5 * (least + most)[:2]
    half = np.maximum(0.5 * (most - least)[:2], _SPARE)
    half *= max(1.0, float(np.linalg.norm((samples[:, :2] - center) / half, axis=1).max()))
    half += _SPARE
    wide = math.hypot(*center) + float(half.max()) > SWING_CHART
    round_about = most[2] - least[2] > _TURN - 0.1
    if wide and round_about:
        return None
    return SwingTwist(
        swing=None if wide else (float(half[0]), float(half[1])),
        twist=None
        if round_about
        else (max(float(least[2]) - _SPARE, -furthest), min(float(most[2]) + _SPARE, furthest)),
        center=(0.0, 0.0) if wide else (float(center[0]), float(center[1])),
    )
