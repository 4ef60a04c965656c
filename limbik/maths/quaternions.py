"""Unit quaternions as rotations: their algebra, exponential map and matrices.

A quaternion is ``wxyz`` = (w, x, y, z), scalar first. Public functions take arrays whose last
axis is the quaternion and broadcast the leading axes. The kernels above them work on scalars
and write into a given array, for code that runs thousands of times per second.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.errors import LimbikError
from limbik.jit import kernel

Array = NDArray[np.float64]


@kernel
def exp_quat(x, y, z, out):
    """Quaternion (4,) of the rotation vector (x, y, z): (cos θ/2, sin(θ/2)/θ · (x, y, z))."""
    square = x * x + y * y + z * z
    if square < 1e-8:  # the series is exact here, and the quotient is 0/0 at 0
        out[0] = 1.0 - square * (0.125 - square / 384.0)
        scale = 0.5 - square * (1.0 / 48.0 - square / 3840.0)
    else:
        angle = sqrt(square)
        out[0] = cos(0.5 * angle)
        scale = sin(0.5 * angle) / angle
    out[1] = scale * x
    out[2] = scale * y
    out[3] = scale * z


@kernel
def log_quat(w, x, y, z, out):
    """Rotation vector (3,) of a quaternion: 2 atan2(‖v‖, w) · v/‖v‖, of length at most π.

    q and −q give the same vector; a length other than 1 does not matter.
    """
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = sqrt(x * x + y * y + z * z)
    if sine > 1e-8 * w:
        scale = 2.0 * atan2(sine, w) / sine
    elif w > 0.0:
        scale = 2.0 / w
    else:
        scale = 0.0
    out[0] = scale * x
    out[1] = scale * y
    out[2] = scale * z


@kernel
def matrix_from_quat(w, x, y, z, out):
    """Rotation matrix, flat (9,) row by row, of a quaternion of any length but 0."""
    square = w * w + x * x + y * y + z * z
    s = 2.0 / square if square > 0.0 else 0.0
    out[0] = 1.0 - s * (y * y + z * z)
    out[1] = s * (x * y - w * z)
    out[2] = s * (x * z + w * y)
    out[3] = s * (x * y + w * z)
    out[4] = 1.0 - s * (x * x + z * z)
    out[5] = s * (y * z - w * x)
    out[6] = s * (x * z - w * y)
    out[7] = s * (y * z + w * x)
    out[8] = 1.0 - s * (x * x + y * y)


@kernel
def quat_of_matrix(m):
    """The quaternion (w, x, y, z) with w ≥ 0 of a rotation matrix m, flat (9,).

    Divides by the largest of the four components (Shepperd's method), so it is as exact at a
    half turn as near the identity.
    """
    trace = m[0] + m[4] + m[8]
    if trace >= m[0] and trace >= m[4] and trace >= m[8]:
        w, x, y, z = 1.0 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1]
    elif m[0] >= m[4] and m[0] >= m[8]:
        w, x, y, z = m[7] - m[5], 1.0 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]
    elif m[4] >= m[8]:
        w, x, y, z = m[2] - m[6], m[1] + m[3], 1.0 + m[4] - m[0] - m[8], m[5] + m[7]
    else:
        w, x, y, z = m[3] - m[1], m[2] + m[6], m[5] + m[7], 1.0 + m[8] - m[0] - m[4]
    scale = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    if w < 0.0:
        scale = -scale
    return scale * w, scale * x, scale * y, scale * z


@kernel
def quat_from_matrix_into(m, out):
    """Quaternion (4,) with w ≥ 0 of a rotation matrix m, flat (9,) row by row."""
    out[0], out[1], out[2], out[3] = quat_of_matrix(m)


@kernel
def _exp_rows(w, out):
    """out (k, 4): the quaternions of rotation vectors w (k, 3)."""
    for i in range(w.shape[0]):
        exp_quat(w[i, 0], w[i, 1], w[i, 2], out[i])


@kernel
def _log_rows(q, out):
    """out (k, 3): the rotation vectors of quaternions q (k, 4)."""
    for i in range(q.shape[0]):
        log_quat(q[i, 0], q[i, 1], q[i, 2], q[i, 3], out[i])


@kernel
def _matrix_rows(q, out):
    """out (k, 9): the matrices of quaternions q (k, 4), row by row."""
    for i in range(q.shape[0]):
        matrix_from_quat(q[i, 0], q[i, 1], q[i, 2], q[i, 3], out[i])


@kernel
def _quat_rows(m, out):
    """out (k, 4): the quaternions of matrices m (k, 9), row by row."""
    for i in range(m.shape[0]):
        quat_from_matrix_into(m[i], out[i])


def by_rows(kernel, values: Array, into: tuple[int, ...], width: int) -> Array:
    """Run a kernel over ``values`` as rows of ``width`` numbers, and shape its answers ``into``.

    The last axes of ``values`` that make up ``width`` numbers give way to ``into``.
    """
    lead, size = list(values.shape), 1
    while size < width:
        size *= lead.pop()
    rows = np.ascontiguousarray(values).reshape(-1, width)
    out = np.empty((len(rows), int(np.prod(into))))
    kernel(rows, out)
    return out.reshape(*lead, *into)


def vectors(values: ArrayLike, size: int, name: str) -> Array:
    """``values`` as float64 with a last axis of ``size``, or an error that says what is wrong."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != size:
        raise LimbikError(f"{name} must end in an axis of {size}, and its shape is {array.shape}")
    return array


def quat_multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Product a·b: the rotation b, then the rotation a. Equation 5 of dual_quaternion, corrected.

    (s₀s₁ − v₀·v₁, s₀v₁ + s₁v₀ + v₀ × v₁). Shapes (..., 4), (..., 4) → (..., 4).

    >>> quat_multiply([0, 1, 0, 0], [0, 0, 1, 0])
    array([0., 0., 0., 1.])
    """
    aw, ax, ay, az = np.moveaxis(vectors(a, 4, "a quaternion"), -1, 0)
    bw, bx, by, bz = np.moveaxis(vectors(b, 4, "a quaternion"), -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by + ay * bw + az * bx - ax * bz,
            aw * bz + az * bw + ax * by - ay * bx,
        ],
        axis=-1,
    )


def quat_conjugate(wxyz: ArrayLike) -> Array:
    """Conjugate (w, −v), the inverse of a unit quaternion. Shape (..., 4) → (..., 4).

    >>> quat_conjugate([0.5, 0.5, 0.5, 0.5])
    array([ 0.5, -0.5, -0.5, -0.5])
    """
    return vectors(wxyz, 4, "a quaternion") * [1.0, -1.0, -1.0, -1.0]


def quat_normalise(wxyz: ArrayLike) -> Array:
    """The quaternion q/‖q‖ of length 1. Shape (..., 4) → (..., 4). Length 0 is refused.

    >>> quat_normalise([0, 3, 0, 4])
    array([0. , 0.6, 0. , 0.8])
    """
    array = vectors(wxyz, 4, "a quaternion")
    length = np.linalg.norm(array, axis=-1, keepdims=True)
    if np.any(length == 0.0):
        raise LimbikError("a quaternion of length 0 is not a rotation")
    return array / length


def quat_rotate(wxyz: ArrayLike, vector: ArrayLike) -> Array:
    """Vector turned by a unit quaternion: q·x·q*. Equation 4 of dual_quaternion.

    Shapes (..., 4), (..., 3) → (..., 3), in the vector's own unit.

    >>> quat_rotate([0, 0, 0, 1], [1, 2, 3])
    array([-1., -2.,  3.])
    """
    q = vectors(wxyz, 4, "a quaternion")
    point = vectors(vector, 3, "a vector")
    w, x, y, z = np.moveaxis(q, -1, 0)
    a, b, c = np.moveaxis(point, -1, 0)
    # v + 2w(u × v) + 2u × (u × v), with t = 2(u × v)
    t, u, v = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return np.stack(
        [a + w * t + y * v - z * u, b + w * u + z * t - x * v, c + w * v + x * u - y * t],
        axis=-1,
    )


def quat_to_matrix(wxyz: ArrayLike) -> Array:
    """Rotation matrix of a quaternion of any length but 0. Shape (..., 4) → (..., 3, 3).

    >>> quat_to_matrix([1, 0, 0, 0])
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    return by_rows(_matrix_rows, vectors(wxyz, 4, "a quaternion"), (3, 3), 4)


def matrix_to_quat(matrix: ArrayLike) -> Array:
    """Quaternion with w ≥ 0 of a rotation matrix. Shape (..., 3, 3) → (..., 4).

    >>> matrix_to_quat(np.diag([1.0, -1.0, -1.0]))
    array([0., 1., 0., 0.])
    """
    array = vectors(matrix, 3, "a rotation matrix")
    if array.ndim < 2 or array.shape[-2] != 3:
        raise LimbikError(f"a rotation matrix must be 3 × 3, and its shape is {array.shape}")
    return by_rows(_quat_rows, array, (4,), 9)


def exp_map(w: ArrayLike) -> Array:
    """Quaternion of a rotation vector w = θn̂ (radians): (cos θ/2, n̂ sin θ/2).

    Equations 3 and 7 of dual_quaternion. Exact near 0. Shape (..., 3) → (..., 4).

    >>> exp_map([np.pi, 0, 0]).round(12)
    array([0., 1., 0., 0.])
    """
    return by_rows(_exp_rows, vectors(w, 3, "a rotation vector"), (4,), 3)


def log_map(wxyz: ArrayLike) -> Array:
    """Rotation vector θn̂ of a quaternion, 0 ≤ θ ≤ π: twice its logarithm.

    Equation 6 of dual_quaternion, which calls it exp. Exact near 0, stable at π; q and −q give
    the same vector. Shape (..., 4) → (..., 3), radians.

    >>> log_map([0, 0, -1, 0]).round(6)
    array([ 0.      , -3.141593,  0.      ])
    """
    return by_rows(_log_rows, vectors(wxyz, 4, "a quaternion"), (3,), 4)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Quaternion the share t of the shorter way from a to b, at constant angular speed.

    (sin((1−t)φ) a + sin(tφ) b) / sin φ, φ the angle between a and ±b. Shapes (..., 4), (..., 4),
    (...) → (..., 4); t may lie outside 0..1.

    >>> slerp([1, 0, 0, 0], [0, 1, 0, 0], 0.5).round(6)
    array([0.707107, 0.707107, 0.      , 0.      ])
    """
    start, end = quat_normalise(a), quat_normalise(b)
    share = np.asarray(t, dtype=np.float64)[..., None]
    end = np.where(np.sum(start * end, axis=-1, keepdims=True) < 0.0, -end, end)
    apart = np.linalg.norm(end - start, axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(apart, np.linalg.norm(end + start, axis=-1, keepdims=True))
    near = angle < 1e-8  # the chord is the arc there
    sine = np.where(near, 1.0, np.sin(angle))
    before = np.where(near, 1.0 - share, np.sin((1.0 - share) * angle) / sine)
    after = np.where(near, share, np.sin(share * angle) / sine)
    return quat_normalise(before * start + after * end)


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """Angle in radians, 0..π, of the turn from a to b. Shapes (..., 4), (..., 4) → (...).

    >>> float(angle_between([1, 0, 0, 0], [0, 0, 0, -1]).round(6))
    3.141593
    """
    turn = quat_multiply(quat_conjugate(a), b)
    return 2.0 * np.arctan2(np.linalg.norm(turn[..., 1:], axis=-1), np.abs(turn[..., 0]))
