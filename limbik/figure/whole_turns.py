"""Angles that differ by whole turns are one pose: which of them lies nearest to its limits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from limbik.figure.joints import ExponentialBall, Joint, SwingTwistBall
from limbik.maths.so3 import wrap
from limbik.maths.turn_angles import TURN

_LONG = TURN - 0.2  # radians


def outside(
    joints: Sequence[Joint],
    drivers: Counter[int],
    bounds: tuple[np.ndarray, np.ndarray],
    project: Callable[[np.ndarray], np.ndarray],
    q: np.ndarray,
) -> np.ndarray:
    """(frames, n) how far poses q (frames, n) are outside their limits: |P(q) − q|, the least for
    all angles that whole turns make of q.

    ``drivers`` has for each coordinate how many parts read it; one that others follow is not
    unwound, since these would not come round with it.  ``bounds`` are (n,) lower and upper ends.
    """
    angles, vectors = _columns(joints, drivers)
    near = q.copy()
    lower, upper = (end[angles] for end in bounds)
    near[:, angles] = _nearest(q[:, angles], lower, upper)
    apart = np.abs(project(near) - near)
    if vectors:
        # A rotation vector of the angle θ is one of the angle θ − 2π the other way round.
        other = near.copy()
        for columns in vectors:
            length = np.linalg.norm(q[:, columns], axis=1, keepdims=True)
            far = length > math.pi
            other[:, columns] *= np.where(far, 1.0 - TURN / np.where(far, length, 1.0), 1.0)
        there = np.abs(project(other) - other)
        for columns in vectors:
            better = there[:, columns].max(axis=1) < apart[:, columns].max(axis=1)
            apart[:, columns] = np.where(better[:, None], there[:, columns], apart[:, columns])
    return apart


def short_vectors(joints: Sequence[Joint], q: np.ndarray) -> np.ndarray:
    """(frames, n) the poses with rotation vectors that are nearly a whole turn long, or longer,
    replaced by the shortest of the same rotation: limits cut them off there."""
    out = q.copy()
    for columns in _columns(joints, Counter())[1]:
        long = np.linalg.norm(q[:, columns], axis=1) > _LONG
        if long.any():
            out[np.ix_(long, columns)] = wrap(q[long][:, columns])
    return out


def _columns(joints: Sequence[Joint], drivers: Counter[int]) -> tuple[list[int], list[np.ndarray]]:
    """The columns of q that are angles about one axis, and those of rotation vectors."""
    angles: list[int] = []
    vectors: list[np.ndarray] = []
    at = 0
    for joint in joints:
        for part in joint.parts:
            if isinstance(part, ExponentialBall):
                vectors.append(at + np.arange(3))
            elif isinstance(part, SwingTwistBall):
                angles.append(at + 2)
            elif not part.slides and part.coupled is None and drivers[at] == 1:
                angles.append(at)
            at += part.width
    return angles, vectors


def _nearest(q: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """q + 2πk inside its ends where there is such a k, else the one that is least outside."""
    outward = np.where(q < lower, lower - q, np.where(q > upper, upper - q, 0.0))
    # So many turns bring q to the end that it is beyond, or past it.
    turns = np.copysign(np.ceil(np.abs(outward) / TURN), outward)
    past = q + TURN * turns
    before = q + TURN * (turns - np.copysign(1.0, outward))
    away = np.maximum(np.maximum(lower - past, past - upper), 0.0)
    back = np.maximum(np.maximum(lower - before, before - upper), 0.0)
    return np.where(outward == 0.0, q, np.where(away <= back, past, before))
