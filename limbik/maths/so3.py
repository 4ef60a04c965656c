"""Rotations: exponential map, left Jacobian, swing and twist; quaternions and Euler angles too.

A rotation vector w = θn̂ turns by θ radians about n̂. Quaternions (`limbik.maths.quaternions`) and
Euler angles (`limbik.maths.euler`) can be had from here too. The kernels take a matrix as nine
numbers row by row and write into a given array.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import LimbikError
from limbik.jit import inner, kernel
from limbik.maths.euler import euler_to_quat, quat_to_euler
from limbik.maths.quaternions import (
    Array,
    angle_between,
    by_rows,
    exp_map,
    exp_quat,
    log_map,
    log_quat,
    matrix_from_quat,
    matrix_to_quat,
    quat_conjugate,
    quat_from_matrix_into,
    quat_multiply,
    quat_normalise,
    quat_of_matrix,
    quat_rotate,
    quat_to_matrix,
    slerp,
    vectors,
)

__all__ = [
    "angle_between",
    "euler_to_quat",
    "exp_map",
    "exp_matrix",
    "exp_quat",
    "left_jacobian",
    "left_jacobian_into",
    "left_jacobian_inverse",
    "left_jacobian_inverse_into",
    "log_map",
    "log_matrix",
    "log_quat",
    "matrix_from_quat",
    "matrix_to_quat",
    "quat_conjugate",
    "quat_from_matrix_into",
    "quat_multiply",
    "quat_normalise",
    "quat_rotate",
    "quat_to_euler",
    "quat_to_matrix",
    "slerp",
    "swing_twist",
    "swing_twist_vector",
    "wrap",
]


@kernel
def _one_and_cross(x, y, z, a, b, out):
    """I + a[w]× + b[w]×², flat (9,): the shape of every function of a rotation vector here."""
    out[0] = 1.0 - b * (y * y + z * z)
    out[1] = b * x * y - a * z
    out[2] = b * x * z + a * y
    out[3] = b * x * y + a * z
    out[4] = 1.0 - b * (x * x + z * z)
    out[5] = b * y * z - a * x
    out[6] = b * x * z - a * y
    out[7] = b * y * z + a * x
    out[8] = 1.0 - b * (x * x + y * y)


@inner
def product_of_three(a, a_transposed, b, b_transposed, c, c_transposed, out):
    """out = A·B·C of 3 × 3 matrices, flat and row by row, each as it is or transposed.

    out must be none of them.
    """
    ai, ak = (1, 3) if a_transposed else (3, 1)
    bk, bm = (1, 3) if b_transposed else (3, 1)
    cm, cj = (1, 3) if c_transposed else (3, 1)
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                for m in range(3):
                    total += a[ai * i + ak * k] * b[bk * k + bm * m] * c[cm * m + cj * j]
            out[3 * i + j] = total


@kernel
def exp_matrix(x, y, z, out):
    """Rotation matrix, flat (9,), of the rotation vector (x, y, z); exact near 0.

    I + sin θ/θ [w]× + (1 − cos θ)/θ² [w]×², written in half angles, where nothing cancels.
    """
    square = x * x + y * y + z * z
    if square < 1e-8:
        a = 1.0 - square * (1.0 / 6.0 - square / 120.0)
        b = 0.5 - square * (1.0 / 24.0 - square / 720.0)
    else:
        angle = sqrt(square)
        sine = 2.0 * sin(0.5 * angle) / angle
        a = sine * cos(0.5 * angle)
        b = 0.5 * sine * sine
    _one_and_cross(x, y, z, a, b, out)


@kernel
def left_jacobian_into(x, y, z, out):
    """Left Jacobian of SO(3), flat (9,): column k is the axis that coordinate k turns about.

    I + (1 − cos θ)/θ² [w]× + (θ − sin θ)/θ³ [w]×²; exact near 0.
    """
    square = x * x + y * y + z * z
    if square < 1e-4:
        a = 0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0 - square / 40320.0))
        b = 1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0 - square / 362880.0))
    else:
        angle = sqrt(square)
        sine = sin(0.5 * angle)
        a = 2.0 * sine * sine / square
        b = (angle - 2.0 * sine * cos(0.5 * angle)) / (square * angle)
    _one_and_cross(x, y, z, a, b, out)


@kernel
def left_jacobian_inverse_into(x, y, z, out):
    """Inverse of the left Jacobian of SO(3), flat (9,), for lengths below 2π, where it ends.

    I − ½ [w]× + (1 − θ/2 cot θ/2)/θ² [w]×²; exact near 0.
    """
    square = x * x + y * y + z * z
    if square < 1e-4:
        b = 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0))
    else:
        half = 0.5 * sqrt(square)
        b = (1.0 - half * cos(half) / sin(half)) / square
    _one_and_cross(x, y, z, -0.5, b, out)


@kernel
def log_matrix(m, out):
    """Rotation vector (3,) of a rotation matrix m, flat (9,): length at most π, stable there."""
    w, x, y, z = quat_of_matrix(m)
    log_quat(w, x, y, z, out)


@kernel
def swing_twist_vector(m, basis, out):
    """Swing and twist (s₁, s₂, τ) of a rotation matrix: R = B·exp(s₁, s₂, 0)·exp(0, 0, τ)·Bᵀ.

    Equation 34 of dual_quaternion, corrected, in the frame B. m and basis are flat (9,); basis
    is a rotation whose columns are (u, v, t), t the twist's axis. ‖s‖ ≤ π and −π < τ ≤ π. At a
    swing of exactly π the twist is free, and 0 is taken.
    """
    w, a, b, c = quat_of_matrix(m)
    x = basis[0] * a + basis[3] * b + basis[6] * c
    y = basis[1] * a + basis[4] * b + basis[7] * c
    z = basis[2] * a + basis[5] * b + basis[8] * c
    cosine = sqrt(w * w + z * z)  # of half the swing's angle
    if cosine < 1e-15:
        s1, s2, twist = x, y, 0.0
    else:
        s1, s2 = (w * x - y * z) / cosine, (w * y + x * z) / cosine
        twist = 2.0 * atan2(z, w)  # w ≥ 0, so within ±π
    sine = sqrt(s1 * s1 + s2 * s2)
    scale = 2.0 * atan2(sine, cosine) / sine if sine > 1e-8 else 2.0
    out[0] = scale * s1
    out[1] = scale * s2
    out[2] = twist if twist > -pi else pi


@kernel
def _jacobian_rows(w, out):
    """out (k, 9): the left Jacobians at rotation vectors w (k, 3)."""
    for i in range(w.shape[0]):
        left_jacobian_into(w[i, 0], w[i, 1], w[i, 2], out[i])


@kernel
def _inverse_rows(w, out):
    """out (k, 9): the inverses of the left Jacobians at w (k, 3)."""
    for i in range(w.shape[0]):
        left_jacobian_inverse_into(w[i, 0], w[i, 1], w[i, 2], out[i])


def wrap(w: ArrayLike) -> Array:
    """The same rotation by a vector of length at most π: (1 − 2π/‖w‖)w where ‖w‖ > π.

    Section VII.A.2 of dual_quaternion; several whole turns are taken off at once. Shape
    (..., 3) → (..., 3), radians.

    >>> wrap([[1.5 * np.pi, 0, 0], [1, 0, 0]]).round(6)
    array([[-1.570796, -0.      , -0.      ],
           [ 1.      ,  0.      ,  0.      ]])
    """
    array = vectors(w, 3, "a rotation vector")
    length = np.linalg.norm(array, axis=-1, keepdims=True)
    turns = np.round(length / (2.0 * pi))
    return (1.0 - 2.0 * pi * turns / np.where(turns > 0.0, length, 1.0)) * array


def left_jacobian(w: ArrayLike) -> Array:
    """Left Jacobian of SO(3): exp(w + dw) ≈ exp(J·dw)·exp(w). Shape (..., 3) → (..., 3, 3).

    I + (1 − cos θ)/θ² [w]× + (θ − sin θ)/θ³ [w]×², with θ = ‖w‖ in radians.

    >>> left_jacobian([0, 0, 2 * np.pi]).round(6).diagonal()
    array([0., 0., 1.])
    """
    return by_rows(_jacobian_rows, vectors(w, 3, "a rotation vector"), (3, 3), 3)


def left_jacobian_inverse(w: ArrayLike) -> Array:
    """Inverse of the left Jacobian of SO(3), for ‖w‖ < 2π. Shape (..., 3) → (..., 3, 3).

    I − ½ [w]× + (1 − θ/2 cot θ/2)/θ² [w]×², with θ = ‖w‖ in radians.

    >>> left_jacobian_inverse([0, 0, np.pi]).round(6)[0]
    array([0.      , 1.570796, 0.      ])
    """
    return by_rows(_inverse_rows, vectors(w, 3, "a rotation vector"), (3, 3), 3)


def swing_twist(wxyz: ArrayLike, axis: ArrayLike) -> tuple[Array, Array]:
    """Swing and twist, both wxyz, with q = swing·twist and the twist about an axis (3,).

    Equations 32 to 34 of dual_quaternion, corrected, for any axis â: with p = v·â and
    n = √(w² + p²) the twist is (w, p â)/n, and the swing q·twist* turns about an axis across â.
    At a swing of exactly π the twist is free, and none is taken. Shapes (..., 4), (..., 3) →
    two of (..., 4).

    >>> swing, twist = swing_twist([0.5, 0.5, 0.5, 0.5], [1, 0, 0])
    >>> twist.round(6)
    array([0.707107, 0.707107, 0.      , 0.      ])
    >>> swing.round(6)
    array([0.707107, 0.      , 0.      , 0.707107])
    """
    q = quat_normalise(wxyz)
    along = vectors(axis, 3, "an axis")
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    if np.any(length == 0.0):
        raise LimbikError("an axis of length 0 has no direction to twist about")
    along = along / length
    w = q[..., :1]
    p = np.sum(q[..., 1:] * along, axis=-1, keepdims=True)
    n = np.hypot(w, p)
    free = n < 1e-15
    n = np.where(free, 1.0, n)
    vector = np.where(free, 0.0, p / n) * along
    scalar = np.broadcast_to(np.where(free, 1.0, w / n), (*vector.shape[:-1], 1))
    twist = np.concatenate([scalar, vector], axis=-1)
    return quat_multiply(q, quat_conjugate(twist)), twist
