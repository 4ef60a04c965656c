"""Rotations to try, and what tests of rotations share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

NUMBERS = st.floats(-1.0, 1.0, allow_subnormal=False)
VECTORS = arrays(np.float64, 3, elements=NUMBERS)
AXES = VECTORS.filter(lambda v: np.linalg.norm(v) > 0.1).map(lambda v: v / np.linalg.norm(v))
QUATERNIONS = arrays(np.float64, 4, elements=NUMBERS).filter(lambda q: np.linalg.norm(q) > 0.1)
UNIT = QUATERNIONS.map(lambda q: q / np.linalg.norm(q))
# Every size of angle, those near 0, π and 2π most of all.
ANGLES = st.one_of(
    st.floats(0.0, 6.28),
    st.floats(-20.0, -1.0).map(lambda e: 10.0**e),
    st.floats(-16.0, -1.0).map(lambda e: np.pi - 10.0**e),
    st.floats(-16.0, -1.0).map(lambda e: np.pi + 10.0**e),
    st.floats(-6.0, -1.0).map(lambda e: 2 * np.pi - 10.0**e),
    st.sampled_from([0.0, 1e-9, 1e-4, 1e-2, np.pi]),
)
ROTATION_VECTORS = st.builds(lambda axis, angle: axis * angle, AXES, ANGLES)


def random_rotations(count: int = 500, seed: int = 0) -> Rotation:
    return Rotation.random(count, rng=np.random.default_rng(seed))


def wxyz(rotation: Rotation) -> np.ndarray:
    return rotation.as_quat(scalar_first=True)


def scipy_rotation(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(q, scalar_first=True)


def kernel(function, *arguments, size: int = 9) -> np.ndarray:
    """What a kernel writes into an array of a given size."""
    out = np.full(size, np.nan)
    function(*arguments, out)
    return out


def same_rotation(a: np.ndarray, b: np.ndarray, within: float = 1e-14) -> bool:
    return min(np.abs(a - b).max(), np.abs(a + b).max()) < within
