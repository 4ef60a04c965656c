"""The thumb: laid where a shape of the hand wants its tip, beside the other fingers, never through.

A thumb has no plane in which it bends, and rigs differ in how they turn it.  So its coordinates are
fitted: the least squares of how far the tip is from where it shall be, of how deep its bones are
inside the other fingers, and of how far it is from the rest pose, inside its limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from limbik.figure.figure import Figure
from limbik.humanoid.hands import Finger, Hand
from limbik.jit import kernel

CLEAR = 1.05
"""Bones are kept so many times their thickness apart, to be apart after rounding."""

_NEAR_REST = 0.03  # weight of staying as at rest, of hand lengths per radian
_APART = 12.0  # weight of each length by which bones are inside each other
_ITERATIONS, _STEP, _GAIN = 60, 1e-5, 1e-3
_DAMPINGS = np.array([0.1, 1.0, 10.0, 100.0, 1e3])  # tried at once, of the last one that was taken
_BEFORE = (0.8, 1.5)  # thicknesses that other starts are away from the target, out of the palm
_FREE = 0.4  # of a thumb with one bone: the part that is in the palm touches nothing


def clearance(figure: Figure, hand: Hand, q: np.ndarray) -> float:
    """How far the thumb is from the other fingers in the pose q (n,), surface to surface; below 0
    where it goes through one.  Infinite where there is no thumb."""
    if "Thumb" not in hand.fingers:
        return float("inf")
    return float((_gaps(figure.frames(q)[None], hand) - _thickness(hand)).min())


def place_thumb(figure: Figure, hand: Hand, q: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The pose q (n,) with the thumb's tip near ``target`` (3,), a point in the world, and its
    bones outside the other fingers."""
    thumb, apart = hand.fingers["Thumb"], CLEAR * _thickness(hand)
    free = np.concatenate([figure.coordinates_of(figure.joints[i]) for i in thumb.joints])
    frames = figure.frames(q)
    others = _other_bones(frames[None], hand)  # only the thumb moves

    def reaching(points: np.ndarray, poses: np.ndarray, places: np.ndarray) -> np.ndarray:
        """(k, rows) for poses (k, n), whatever the thumb goes through."""
        bent = _NEAR_REST * hand.length * (poses[:, free] - figure.rest[free])
        return np.concatenate([points[:, -1] - places, bent], axis=1)

    def near(poses: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """(k, rows) for poses (k, n) of the fits (k,), each before the palm."""
        return reaching(thumb.points(figure.frames(poses)), poses, before[fits])

    def residuals(poses: np.ndarray, _: np.ndarray) -> np.ndarray:
        """(k, rows) for poses (k, n)."""
        points = thumb.points(figure.frames(poses))
        gaps = _segment_gaps(*_free_part(thumb, points), *others)
        inside = np.maximum(0.0, apart - gaps).reshape(len(poses), -1)
        return np.concatenate([reaching(points, poses, target), _APART * inside], axis=1)

    # From the rest pose, not from where the thumb is: the same shape is the same pose every time.
    # And from before the palm, so that it does not end on the other side of a finger.
    rest = q.copy()
    rest[free] = figure.rest[free]
    turned = frames[hand.wrist, :3, :3] @ figure.frames(figure.rest)[hand.wrist, :3, :3].T
    palm = apart.max() * (turned @ hand.axes[:, 2])
    before = target + np.array(_BEFORE)[:, None] * palm
    starts = _least_squares(figure, near, np.tile(rest, (len(_BEFORE), 1)), free)
    found = _least_squares(figure, residuals, np.vstack([rest, starts]), free)
    sums = (residuals(found, np.arange(len(found))) ** 2).sum(axis=1)
    return found[int(np.argmin(sums))]


def _least_squares(
    figure: Figure,
    residuals: Callable[[np.ndarray, np.ndarray], np.ndarray],
    starts: np.ndarray,
    free: np.ndarray,
) -> np.ndarray:
    """(fits, n) poses with small residuals that differ from ``starts`` (fits, n) at ``free`` only,
    by Levenberg–Marquardt steps that are projected onto the limits.

    ``residuals(poses, fits)`` takes poses (k, n) and to which fit each belongs (k,); all fits are
    done at once, as most of the time is spent in calls and not in numbers.
    """
    q, wide = starts.copy(), len(free)
    q[:, free] = figure.project(q)[:, free]
    damping, unit = np.full(len(q), 1e-3), np.eye(wide)
    going = np.arange(len(q))
    for _ in range(_ITERATIONS):
        poses = np.repeat(q[going][:, None], wide + 1, axis=1)
        poses[:, np.arange(wide), free] += _STEP
        rows = _evaluated(residuals, poses, going)
        r = rows[:, -1]
        best = (r * r).sum(axis=1)
        transposed = (rows[:, :-1] - r[:, None]) / _STEP  # Jᵀ
        square = transposed @ transposed.swapaxes(1, 2)
        descent = -(transposed @ r[:, :, None])
        scale = np.maximum(np.trace(square, axis1=1, axis2=2) / wide, 1e-30)
        tries = damping[going, None] * _DAMPINGS
        damped = (tries * scale[:, None])[..., None, None] * unit
        steps = np.linalg.solve(square[:, None] + damped, descent[:, None])[..., 0]
        poses = np.repeat(q[going][:, None], len(_DAMPINGS), axis=1)
        poses[..., free] += steps
        flat = poses.reshape(-1, q.shape[1])
        flat[:, free] = figure.project(flat)[:, free]
        sums = (_evaluated(residuals, poses, going) ** 2).sum(axis=2)
        each, k = np.arange(len(going)), np.argmin(sums, axis=1)
        falls = sums[each, k] < best * (1.0 - _GAIN)
        each, k, going = each[falls], k[falls], going[falls]
        if len(going) == 0:
            break
        q[going], damping[going] = poses[each, k], np.maximum(tries[each, k], 1e-9)
    return q


def _evaluated(
    residuals: Callable[[np.ndarray, np.ndarray], np.ndarray], poses: np.ndarray, fits: np.ndarray
) -> np.ndarray:
    """(fits, k, rows) for poses (fits, k, n)."""
    count, each, n = poses.shape
    rows = residuals(poses.reshape(-1, n), np.repeat(fits, each))
    return rows.reshape(count, each, -1)


def _gaps(frames: np.ndarray, hand: Hand) -> np.ndarray:
    """(poses, bones of the thumb, bones of the other fingers) how far the middle lines of bones are
    apart, for frames (poses, joints, 4, 4)."""
    thumb = hand.fingers["Thumb"]
    return _segment_gaps(*_free_part(thumb, thumb.points(frames)), *_other_bones(frames, hand))


def _other_bones(frames: np.ndarray, hand: Hand) -> tuple[np.ndarray, np.ndarray]:
    """(poses, bones, 3) starts and ends of the bones of the other fingers."""
    others = [f.points(frames) for name, f in hand.fingers.items() if name != "Thumb"]
    start = np.concatenate([points[:, :-1] for points in others], axis=1)
    end = np.concatenate([points[:, 1:] for points in others], axis=1)
    return start, end


def _thickness(hand: Hand) -> np.ndarray:
    """(bones of the other fingers,) how far their middle lines are from the thumb's where they
    touch."""
    others = [f for name, f in hand.fingers.items() if name != "Thumb"]
    each = [np.full(len(f.joints), f.radius) for f in others]
    return hand.fingers["Thumb"].radius + np.concatenate(each)


def _free_part(thumb: Finger, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends of the bones that are outside the palm."""
    if len(thumb.joints) == 1:
        start, end = points[:, :1], points[:, 1:]
        return start + _FREE * (end - start), end
    return points[:, 1:-1], points[:, 2:]


def _segment_gaps(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """(p, k, m) distances between segments a–b (p, k, 3) and c–d (p, m, 3); c and d (1, m, 3) are
    the same for all p."""
    out = np.empty((len(a), a.shape[1], c.shape[1]))
    _fill_gaps(a, b, c, d, out)
    return out


@kernel
def _fill_gaps(a, b, c, d, out):
    """min ‖a + s (b − a) − c − t (d − c)‖ over s and t in [0, 1]: s as on the lines, then t, then s
    once more."""
    for p in range(out.shape[0]):
        o = p if c.shape[0] > 1 else 0
        for k in range(out.shape[1]):
            for m in range(out.shape[2]):
                uu, vv, uv, uw, vw = 0.0, 0.0, 0.0, 0.0, 0.0
                for x in range(3):
                    u, v = b[p, k, x] - a[p, k, x], d[o, m, x] - c[o, m, x]
                    w = a[p, k, x] - c[o, m, x]
                    uu, vv, uv = uu + u * u, vv + v * v, uv + u * v
                    uw, vw = uw + u * w, vw + v * w
                area = max(uu * vv - uv * uv, 1e-30)
                s = min(max((uv * vw - vv * uw) / area, 0.0), 1.0)
                t = min(max((uv * s + vw) / max(vv, 1e-30), 0.0), 1.0)
                s = min(max((uv * t - uw) / max(uu, 1e-30), 0.0), 1.0)
                square = 0.0
                for x in range(3):
                    u, v = b[p, k, x] - a[p, k, x], d[o, m, x] - c[o, m, x]
                    square += (a[p, k, x] - c[o, m, x] + s * u - t * v) ** 2
                out[p, k, m] = math.sqrt(square)
