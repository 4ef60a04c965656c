"""Dual quaternions: a rotation and a translation in eight numbers, and screw motions between them.

A dual quaternion q = q_r + ε q_d with ε² = 0 is an array (..., 8): the real part's wxyz, then the
dual part's. As a transform it turns first and then moves, x ↦ R·x + t, by q = (1 + ε t/2)·q_rot,
the second form of equation 12 of dual_quaternion. Leading axes broadcast. Names start with ``dq``.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import LimbikError
from limbik.jit import kernel
from limbik.maths.quaternions import (
    Array,
    exp_map,
    log_map,
    quat_conjugate,
    quat_multiply,
    quat_normalise,
    quat_rotate,
    quat_to_matrix,
    vectors,
)
from limbik.maths.so3 import left_jacobian, left_jacobian_inverse

DQ_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
DQ_IDENTITY.flags.writeable = False


@kernel
def dq_multiply_into(a, b, out):
    """out = a·b (8,), equation 10 of dual_quaternion; out must not be a or b."""
    for half in range(0, 8, 4):
        # The real part of a with either part of b.
        out[half] = a[0] * b[half] - a[1] * b[half + 1] - a[2] * b[half + 2] - a[3] * b[half + 3]
        for k in range(3):
            m, n = (k + 1) % 3 + 1, (k + 2) % 3 + 1
            out[half + 1 + k] = (
                a[0] * b[half + 1 + k]
                + a[1 + k] * b[half]
                + a[m] * b[half + n]
                - a[n] * b[half + m]
            )
    out[4] += a[4] * b[0] - a[5] * b[1] - a[6] * b[2] - a[7] * b[3]
    for k in range(3):
        m, n = (k + 1) % 3 + 1, (k + 2) % 3 + 1
        out[5 + k] += a[4] * b[1 + k] + a[5 + k] * b[0] + a[4 + m] * b[n] - a[4 + n] * b[m]


@kernel
def dq_conjugate_into(q, out):
    """out = q* (8,), the inverse of a unit dual quaternion."""
    for half in range(0, 8, 4):
        out[half] = q[half]
        for k in range(1, 4):
            out[half + k] = -q[half + k]


@kernel
def exp_quat_derivative(x, y, z, dx, dy, dz, out):
    """How the quaternion of w = (x, y, z) changes along d = (dx, dy, dz), into out[:4].

    With σ = sin(θ/2)/θ: ∂s = −½σ(w·d) and ∂v = σd + ((½cos θ/2 − σ)/θ²)(w·d)w; exact near 0.
    """
    square, along = x * x + y * y + z * z, x * dx + y * dy + z * dz
    if square < 1e-4:
        sigma = 0.5 - square * (1.0 / 48.0 - square * (1.0 / 3840.0 - square / 645120.0))
        bend = -1.0 / 24.0 + square * (1.0 / 960.0 - square * (1.0 / 107520.0))
    else:
        angle = sqrt(square)
        sigma = sin(0.5 * angle) / angle
        bend = (0.5 * cos(0.5 * angle) - sigma) / square
    out[0] = -0.5 * sigma * along
    out[1] = sigma * dx + bend * along * x
    out[2] = sigma * dy + bend * along * y
    out[3] = sigma * dz + bend * along * z


@kernel
def log_quat_derivative(q, change, out):
    """How the rotation vector of a unit quaternion q changes where q changes so, into out[:3].

    log q = a·v with a = 2 atan2(‖v‖, s)/‖v‖, so ∂log q = ∂a·v + a·∂v; q and −q give the same.
    """
    sign = -1.0 if q[0] < 0.0 else 1.0
    s, n = abs(q[0]), sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    scale, bend = 2.0 / max(s, 1e-300), 0.0
    if n > 1e-12:
        scale = 2.0 * atan2(n, s) / n
        longer = (q[1] * change[1] + q[2] * change[2] + q[3] * change[3]) / n
        bend = (2.0 * (s * longer - n * sign * change[0]) - scale * longer) / n
    for k in range(3):
        out[k] = sign * (bend * q[1 + k] + scale * change[1 + k])


def _parts(q: ArrayLike) -> tuple[Array, Array]:
    array = vectors(q, 8, "a dual quaternion")
    return array[..., :4], array[..., 4:]


def _join(real: Array, dual: Array) -> Array:
    return np.concatenate(np.broadcast_arrays(real, dual), axis=-1)


def _pure(vector: ArrayLike) -> Array:
    """A vector (..., 3) as the quaternion (0, v)."""
    array = vectors(vector, 3, "a vector")
    return np.concatenate([np.zeros((*array.shape[:-1], 1)), array], axis=-1)


def dq_from(wxyz: ArrayLike, translation: ArrayLike) -> Array:
    """Unit dual quaternion that turns by a rotation, then moves by a translation.

    (1 + ε t/2)·q: equation 12 of dual_quaternion. Shapes (..., 4), (..., 3) → (..., 8); the
    translation in any unit of length, the rotation normalised.

    >>> dq_from([1, 0, 0, 0], [2, 4, 6])
    array([1., 0., 0., 0., 0., 1., 2., 3.])
    """
    rotation = quat_normalise(wxyz)
    return _join(rotation, 0.5 * quat_multiply(_pure(translation), rotation))


def dq_multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Product a·b: the transform b, then the transform a. Equation 10 of dual_quaternion.

    a_r b_r + ε(a_r b_d + a_d b_r); a chain's product is equation 13. Shapes (..., 8), (..., 8) →
    (..., 8).

    >>> step = dq_from([1, 0, 0, 0], [1, 0, 0])
    >>> dq_translation(dq_multiply(step, step))
    array([2., 0., 0.])
    """
    (ar, ad), (br, bd) = _parts(a), _parts(b)
    return _join(quat_multiply(ar, br), quat_multiply(ar, bd) + quat_multiply(ad, br))


def dq_conjugate(q: ArrayLike) -> Array:
    """Quaternion conjugate q_r* + ε q_d*, the inverse of a unit dual quaternion.

    Section IV.D of dual_quaternion. Shape (..., 8) → (..., 8).

    >>> dq_translation(dq_conjugate(dq_from([1, 0, 0, 0], [1, 2, 3])))
    array([-1., -2., -3.])
    """
    real, dual = _parts(q)
    return _join(quat_conjugate(real), quat_conjugate(dual))


def dq_conjugate_dual(q: ArrayLike) -> Array:
    """Dual conjugate q_r − ε q_d. Shape (..., 8) → (..., 8).

    >>> dq_translation(dq_conjugate_dual(dq_from([0, 0, 0, 1], [1, 2, 3])))
    array([-1., -2., -3.])
    """
    real, dual = _parts(q)
    return _join(real, -dual)


def dq_conjugate_both(q: ArrayLike) -> Array:
    """Both conjugates at once, q_r* − ε q_d*: the one that transforms points.

    q·(1 + ε x)·(q_r* − ε q_d*) = 1 + ε(R·x + t). Shape (..., 8) → (..., 8).

    >>> dq_conjugate_both([1, 2, 3, 4, 5, 6, 7, 8])
    array([ 1., -2., -3., -4., -5.,  6.,  7.,  8.])
    """
    real, dual = _parts(q)
    return _join(quat_conjugate(real), -quat_conjugate(dual))


def dq_rotation(q: ArrayLike) -> Array:
    """Rotation wxyz of a unit dual quaternion: its real part. Shape (..., 8) → (..., 4).

    >>> dq_rotation(dq_from([0, 0, 0, 1], [1, 2, 3]))
    array([0., 0., 0., 1.])
    """
    return _parts(q)[0].copy()


def dq_translation(q: ArrayLike) -> Array:
    """Translation of a unit dual quaternion: t = 2 q_d·q_r*. Shape (..., 8) → (..., 3).

    Figure 8 of dual_quaternion.

    >>> dq_translation(dq_from([0, 0, 0, 1], [1, 2, 3]))
    array([1., 2., 3.])
    """
    real, dual = _parts(q)
    return 2.0 * quat_multiply(dual, quat_conjugate(real))[..., 1:]


def dq_to_matrix(q: ArrayLike) -> Array:
    """Homogeneous matrix [[R, t], [0, 1]] of a unit dual quaternion. Shape (..., 8) → (..., 4, 4).

    >>> dq_to_matrix(dq_from([1, 0, 0, 0], [1, 2, 3]))[:, 3]
    array([1., 2., 3., 1.])
    """
    rotation = quat_to_matrix(_parts(q)[0])
    matrix = np.zeros((*rotation.shape[:-2], 4, 4))
    matrix[..., :3, :3] = rotation
    matrix[..., :3, 3] = dq_translation(q)
    matrix[..., 3, 3] = 1.0
    return matrix


def dq_transform_point(q: ArrayLike, point: ArrayLike) -> Array:
    """Point R·x + t carried by a unit dual quaternion. Shapes (..., 8), (..., 3) → (..., 3).

    >>> dq_transform_point(dq_from([0, 0, 0, 1], [10, 0, 0]), [1, 2, 3])
    array([ 9., -2.,  3.])
    """
    return quat_rotate(_parts(q)[0], point) + dq_translation(q)


def dq_norm(q: ArrayLike) -> Array:
    """Norm √(q·q*) = ‖q_r‖ + ε (q_r·q_d)/‖q_r‖, a dual number. Shape (..., 8) → (..., 2).

    (1, 0) is the unity condition, equation 11 of dual_quaternion.

    >>> dq_norm(2 * dq_from([1, 0, 0, 0], [1, 2, 3]))
    array([2., 0.])
    """
    real, dual = _parts(q)
    length = np.linalg.norm(real, axis=-1)
    if np.any(length == 0.0):
        raise LimbikError("a dual quaternion whose real part has length 0 has no norm")
    return np.stack([length, np.sum(real * dual, axis=-1) / length], axis=-1)


def dq_normalise(q: ArrayLike) -> Array:
    """Unit dual quaternion q/‖q‖, which satisfies equation 11. Shape (..., 8) → (..., 8).

    q_r/‖q_r‖ + ε (q_d − q_r (q_r·q_d)/‖q_r‖²)/‖q_r‖.

    >>> dq_normalise([2, 0, 0, 0, 6, 2, 0, 0])
    array([1., 0., 0., 0., 0., 1., 0., 0.])
    """
    real, dual = _parts(q)
    norm = dq_norm(q)
    length = norm[..., :1]
    unit = real / length
    return _join(unit, (dual - unit * norm[..., 1:]) / length)


def dq_log(q: ArrayLike) -> Array:
    """Screw (w, v) of a unit dual quaternion: the constant motion that gets there in unit time.

    w is the rotation vector (radians, at most π), and v = J⁻¹·t with J the left Jacobian at w;
    as a dual quaternion the logarithm is (w + ε v)/2. Shape (..., 8) → (..., 6).

    >>> dq_log(dq_from([1, 0, 0, 0], [1, 2, 3]))
    array([0., 0., 0., 1., 2., 3.])
    """
    w = log_map(_parts(q)[0])
    v = left_jacobian_inverse(w) @ dq_translation(q)[..., None]
    return np.concatenate([w, v[..., 0]], axis=-1)


def dq_exp(screw: ArrayLike) -> Array:
    """Unit dual quaternion of a screw (w, v): rotation exp(w), translation J·v.

    Shape (..., 6) → (..., 8); w in radians, v in a unit of length.

    >>> dq_exp([0, 0, 0, 1, 2, 3])
    array([1. , 0. , 0. , 0. , 0. , 0.5, 1. , 1.5])
    """
    array = vectors(screw, 6, "a screw")
    w, v = array[..., :3], array[..., 3:]
    return dq_from(exp_map(w), (left_jacobian(w) @ v[..., None])[..., 0])


def dq_power(q: ArrayLike, t: ArrayLike) -> Array:
    """Share t of a unit dual quaternion's screw motion: exp(t log q). (..., 8), (...) → (..., 8).

    >>> dq_translation(dq_power(dq_from([1, 0, 0, 0], [1, 2, 3]), 0.5))
    array([0.5, 1. , 1.5])
    """
    return dq_exp(np.asarray(t, dtype=np.float64)[..., None] * dq_log(q))


def sclerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Unit dual quaternion the share t of the way from a to b, along one constant screw.

    a·(a*·b)ᵗ, the shorter way round. Shapes (..., 8), (..., 8), (...) → (..., 8).

    >>> there = dq_from([1, 0, 0, 0], [4, 0, 0])
    >>> dq_translation(sclerp(DQ_IDENTITY, there, [0.25, 0.5]))
    array([[1., 0., 0.],
           [2., 0., 0.]])
    """
    return dq_multiply(a, dq_power(dq_multiply(dq_conjugate(a), b), t))
