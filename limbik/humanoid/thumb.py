"""The thumb: laid where a shape of the hand wants its tip, beside the other fingers, never through.

A thumb has no plane in which it bends, and rigs differ in how they turn it.  So its coordinates are
fitted: the least squares of how far the tip is from where it shall be, of how deep its bones are
inside the other fingers, and of how far it is from the rest pose, inside its limits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from limbik.figure.figure import Figure
from limbik.humanoid.hands import Finger, Hand

CLEAR = 1.05
"""Bones are kept so many times their thickness apart, to be apart after rounding."""

_NEAR_REST = 0.03  # weight of staying as at rest, of hand lengths per radian
_APART = 12.0  # weight of each length by which bones are inside each other
_ITERATIONS, _STEP, _GAIN = 60, 1e-5, 1e-3
_DAMPINGS = (0.1, 1.0, 10.0, 100.0, 1e3)  # tried at once, of the last one that was taken
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

    def reaching(poses: np.ndarray, place: np.ndarray) -> np.ndarray:
        """(k, rows) for poses (k, n), whatever the thumb goes through."""
        away = thumb.points(figure.frames(poses))[..., -1, :] - place
        bent = _NEAR_REST * hand.length * (poses[:, free] - figure.rest[free])
        return np.concatenate([away, bent], axis=1)

    def residuals(poses: np.ndarray) -> np.ndarray:
        """(k, rows) for poses (k, n)."""
        gaps = _gaps(figure.frames(poses), hand)
        inside = np.maximum(0.0, apart - gaps).reshape(len(poses), -1)
        return np.concatenate([reaching(poses, target), _APART * inside], axis=1)

    # From the rest pose, not from where the thumb is: the same shape is the same pose every time.
    # And from before the palm, so that it does not end on the other side of a finger.
    rest = _with(q, free, figure.rest)
    turned = figure.frames(q)[hand.wrist, :3, :3] @ figure.frames(figure.rest)[hand.wrist, :3, :3].T
    palm, starts = apart.max() * (turned @ hand.axes[:, 2]), [rest]
    for away in _BEFORE:
        near = functools.partial(reaching, place=target + away * palm)
        starts.append(_least_squares(figure, near, rest, free))
    found = [_least_squares(figure, residuals, start, free) for start in starts]
    sums = (residuals(np.array(found)) ** 2).sum(axis=1)
    return found[int(np.argmin(sums))]


def _with(q: np.ndarray, free: np.ndarray, other: np.ndarray) -> np.ndarray:
    out = q.copy()
    out[free] = other[free]
    return out


def _least_squares(
    figure: Figure,
    residuals: Callable[[np.ndarray], np.ndarray],
    q: np.ndarray,
    free: np.ndarray,
) -> np.ndarray:
    """A pose with small residuals that differs from q at ``free`` only, by Levenberg–Marquardt
    steps that are projected onto the limits."""
    q = _with(q, free, figure.project(q))
    damping = 1e-3
    for _ in range(_ITERATIONS):
        poses = np.repeat(q[None], len(free) + 1, axis=0)
        poses[np.arange(len(free)), free] += _STEP
        rows = residuals(poses)
        r = rows[-1]
        best = float(r @ r)
        jacobian = (rows[:-1] - r).T / _STEP
        square, descent = jacobian.T @ jacobian, -(jacobian.T @ r)
        scale = max(float(np.trace(square)) / len(free), 1e-30) * np.eye(len(free))
        tries = np.array([damping * factor for factor in _DAMPINGS])
        poses = np.repeat(q[None], len(tries), axis=0)
        for pose, by in zip(poses, tries, strict=True):
            pose[free] += np.linalg.solve(square + by * scale, descent)
        poses[:, free] = figure.project(poses)[:, free]
        sums = (residuals(poses) ** 2).sum(axis=1)
        k = int(np.argmin(sums))
        if sums[k] >= best * (1.0 - _GAIN):
            break
        q, damping = poses[k], max(float(tries[k]), 1e-9)
    return q


def _gaps(frames: np.ndarray, hand: Hand) -> np.ndarray:
    """(poses, bones of the thumb, bones of the other fingers) how far the middle lines of bones are
    apart, for frames (poses, joints, 4, 4)."""
    first, second = _free_part(hand.fingers["Thumb"], hand.fingers["Thumb"].points(frames))
    others = [f.points(frames) for name, f in hand.fingers.items() if name != "Thumb"]
    start = np.concatenate([points[:, :-1] for points in others], axis=1)
    end = np.concatenate([points[:, 1:] for points in others], axis=1)
    return _segment_gaps(first, second, start, end)


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
    """(p, k, m) distances between segments a–b (p, k, 3) and c–d (p, m, 3)."""
    u, v = (b - a)[:, :, None], (d - c)[:, None]
    w = a[:, :, None] - c[:, None]
    uu, vv, uv = (u * u).sum(-1), (v * v).sum(-1), (u * v).sum(-1)
    uw, vw = (u * w).sum(-1), (v * w).sum(-1)
    area = np.maximum(uu * vv - uv * uv, 1e-30)
    s = np.clip((uv * vw - vv * uw) / area, 0.0, 1.0)
    t = np.clip((uv * s + vw) / np.maximum(vv, 1e-30), 0.0, 1.0)
    s = np.clip((uv * t - uw) / np.maximum(uu, 1e-30), 0.0, 1.0)
    return np.linalg.norm(w + s[..., None] * u - t[..., None] * v, axis=-1)
