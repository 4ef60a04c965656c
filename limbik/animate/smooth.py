"""smooth: a motion without its jitter, rotations filtered as rotations."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from limbik.animate.mix import endless, inside
from limbik.errors import FigureError
from limbik.figure.coordinates import balls, from_quat, to_quat
from limbik.figure.motion import Motion
from limbik.maths.so3 import quat_normalise

SECONDS = 0.2
"""The width of the window in which a frame is averaged with its neighbours."""


def smooth(
    motion: Motion, seconds: float = SECONDS, *, joints: Iterable[str] | None = None
) -> Motion:
    """The motion with every frame replaced by a smooth curve through its neighbours.

    In a window of ``seconds`` a parabola is fitted with the weights of a bell curve, so that steady
    speeds and accelerations pass unchanged and jitter does not.  Balls are filtered as rotations,
    the rest coordinate by coordinate, and the result is projected onto the limits.  ``joints`` are
    those that are filtered, all unless given.  Feet may slide afterwards: ``plant_feet`` holds
    them.

    >>> limbik.check(clip.smooth(0.3)).jerk < limbik.check(clip).jerk
    True
    """
    if not (isinstance(seconds, int | float) and math.isfinite(seconds) and seconds > 0):
        raise FigureError(f"smooth: seconds must be above 0, got {seconds!r}")
    figure, q = motion.figure, motion.q.copy()
    turning = endless(figure)
    q[:, turning] = np.unwrap(q[:, turning], axis=0)
    sigma = 0.25 * seconds * motion.fps
    out = filtered(q, sigma)
    for part, columns in balls(figure.definition):
        wxyz = to_quat(part, q[:, columns])
        signs = np.where((wxyz[1:] * wxyz[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
        wxyz = wxyz * np.concatenate([[1.0], np.cumprod(signs)])[:, None]
        out[:, columns] = from_quat(part, quat_normalise(filtered(wxyz, sigma)), q[0, columns])
    out = inside(figure, out)
    if joints is not None:
        names = [joints] if isinstance(joints, str) else list(joints)
        chosen = np.isin(figure.owner, [figure.index(name) for name in names])
        out[:, ~chosen] = motion.q[:, ~chosen]
    return Motion(figure, out, motion.fps, motion.name)


def weights(before: int, after: int, sigma: float) -> np.ndarray:
    """(before + 1 + after,) what frames count in the value at one of them of the parabola that is
    fitted to all with the weights of a bell curve, ``sigma`` frames wide."""
    away = np.arange(-before, after + 1)
    bell = np.exp(-0.5 * (away / sigma) ** 2)
    powers = np.vander(away, min(3, len(away)), increasing=True)
    return np.linalg.lstsq(powers.T * bell @ powers, powers.T * bell, rcond=None)[0][0]


def filtered(values: np.ndarray, sigma: float) -> np.ndarray:
    """(frames, k) values with each frame the weighted sum of its neighbours; at both ends the
    window is cut."""
    frames = len(values)
    reach = math.ceil(2.5 * sigma)
    inner = frames - 2 * reach
    out = np.zeros_like(values)
    if inner > 0:
        for k, weight in enumerate(weights(reach, reach, sigma)):
            out[reach : reach + inner] += weight * values[k : k + inner]
    for frame in range(frames):
        if not reach <= frame < frames - reach:
            low, high = max(frame - reach, 0), min(frame + reach + 1, frames)
            out[frame] = weights(frame - low, high - frame - 1, sigma) @ values[low:high]
    return out
