"""Angles of turns about any axes, one after the other: those whose rotation comes nearest.

Turns in an order of Euler angles have a formula (limbik.maths.euler); these are found step by step.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.jit import kernel
from limbik.maths.linear import cholesky, cholesky_solve, copy

TURN = 2.0 * math.pi
_THIRD = TURN / 3.0
_STEPS = 60
_MET = 1e-6  # radians: an angle below this is no miss
_BETTER = 0.1  # radians by which another branch must be nearer to be worth a jump


def turn_angles(axes: np.ndarray, wxyz: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(frames, k) angles of turns about unit ``axes`` (k, 3), the first axis carrying the others,
    whose product comes nearest to the rotations wxyz (frames, 4).

    Each frame follows the one before, the first ``start`` (k,); only where another branch is nearer
    by more than 0.1 rad is it taken.

    >>> oblique = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0]])
    >>> turn_angles(oblique, np.array([[1.0, 0.0, 0.0, 0.0]]), np.array([0.1, -0.1])).round(6) + 0.0
    array([[0., 0.]])
    """
    out = np.empty((len(wxyz), len(axes)))
    _follow(np.ascontiguousarray(axes), np.ascontiguousarray(wxyz), np.array(start, float), out)
    return out


@kernel
def _follow(axes, wxyz, last, out):
    """Angles for each row of wxyz into ``out``; ``last`` (k,) is overwritten."""
    count = axes.shape[0]
    best, tried = np.empty(count), np.empty(count)
    for frame in range(wxyz.shape[0]):
        copy(last, count, best)
        miss = _approach(axes, wxyz[frame], best)
        if miss > _MET:
            for other in range(2 * count + 1):
                # From zero, and from a third of a turn to both sides about each axis.
                for k in range(count):
                    tried[k] = 0.0 if other // 2 != k else _THIRD if other % 2 else -_THIRD
                found = _approach(axes, wxyz[frame], tried)
                if found < miss - _BETTER:
                    miss = found
                    copy(tried, count, best)
        for k in range(count):
            last[k] = best[k] + TURN * np.round((last[k] - best[k]) / TURN)
            out[frame, k] = last[k]


@kernel
def _approach(axes, wanted, angles):
    """Move ``angles`` to where the rotation is nearest to ``wanted`` (4,); the angle left, radians.

    With (c, s) the quaternion that still leads there and aᵢ the axes as they are carried, the slope
    of c is ½ s·aᵢ and its second derivatives are −¼ (c aᵢ·aⱼ − s·(aᵢ × aⱼ)), i ≤ j.  Newton's
    method maximises c, damped where it would not.
    """
    count = axes.shape[0]
    turned, missing, tried = np.empty((count, 3)), np.empty(4), np.empty(count)
    system, step = np.empty((count, count)), np.empty(count)
    left, damping, moved = _missing(axes, wanted, angles, turned, missing), 0.0, True
    for _ in range(_STEPS):
        if not moved:
            _missing(axes, wanted, angles, turned, missing)
        slope, s, t, u = 0.0, missing[1], missing[2], missing[3]
        for j in range(count):
            d, e, f = turned[j, 0], turned[j, 1], turned[j, 2]
            step[j] = 2.0 * (d * s + e * t + f * u)
            slope = max(slope, abs(step[j]))
            for i in range(j + 1):
                a, b, c = turned[i, 0], turned[i, 1], turned[i, 2]
                triple = s * (b * f - c * e) + t * (c * d - a * f) + u * (a * e - b * d)
                system[j, i] = missing[0] * (a * d + b * e + c * f) - triple
            system[j, j] += damping
        if slope < 1e-14 or damping > 1e8:
            break
        now = left
        if cholesky(system, count):
            cholesky_solve(system, count, step)
            for k in range(count):
                tried[k] = angles[k] + step[k]
            now = _missing(axes, wanted, tried, turned, missing)
        moved = now < left
        if moved:
            copy(tried, count, angles)
            left, damping = now, 0.25 * damping if damping > 1e-6 else 0.0
        else:
            damping = max(1e-3, 4.0 * damping)
    return 2.0 * math.asin(math.sqrt(min(left, 1.0)))


@kernel
def _missing(axes, wanted, angles, turned, missing):
    """Each axis as the turns before it carry it (k, 3), and the quaternion (4,), its w not below 0,
    that still leads from the product of all turns to ``wanted`` (4,); ‖(x, y, z)‖² of it."""
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    for k in range(axes.shape[0]):
        a, b, c = axes[k, 0], axes[k, 1], axes[k, 2]
        # v + 2 r × (r × v + w v), the axis rotated by the quaternion (w, r) so far.
        p, q, r = y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c
        turned[k, 0] = a + 2.0 * (y * r - z * q)
        turned[k, 1] = b + 2.0 * (z * p - x * r)
        turned[k, 2] = c + 2.0 * (x * q - y * p)
        d, sine = math.cos(0.5 * angles[k]), math.sin(0.5 * angles[k])
        e, f, g = sine * a, sine * b, sine * c
        w, x, y, z = (
            w * d - x * e - y * f - z * g,
            w * e + x * d + y * g - z * f,
            w * f - x * g + y * d + z * e,
            w * g + x * f - y * e + z * d,
        )
    d, e, f, g = wanted[0], wanted[1], wanted[2], wanted[3]
    dot = d * w + e * x + f * y + g * z
    sign = 1.0 if dot >= 0.0 else -1.0
    missing[0] = sign * dot
    missing[1] = sign * (-d * x + e * w - f * z + g * y)
    missing[2] = sign * (-d * y + e * z + f * w - g * x)
    missing[3] = sign * (-d * z - e * y + f * x + g * w)
    return missing[1] ** 2 + missing[2] ** 2 + missing[3] ** 2
