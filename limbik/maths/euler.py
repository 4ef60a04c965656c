"""Euler angles in all twelve orders, as files of motion and robots write them.

The order "ZYX" means Rz(a₁)·Ry(a₂)·Rx(a₃): each turn about an axis the turns before it have
carried along (intrinsic), which is how a BVH file lists its channels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import LimbikError
from limbik.maths.quaternions import Array, quat_multiply, quat_normalise, vectors

ORDERS = tuple(
    a + b + c for a in "XYZ" for b in "XYZ" for c in "XYZ" if a != b != c
)  # XYX XYZ XZX XZY and so on: twelve


def _axes(order: str) -> tuple[int, int, int]:
    if order not in ORDERS:
        raise LimbikError(
            f'"{order}" is not an order of Euler angles; they are {", ".join(ORDERS)}'
        )
    first, second, third = ("XYZ".index(letter) for letter in order)
    return first, second, third


def euler_to_quat(angles: ArrayLike, order: str, degrees: bool = False) -> Array:
    """Quaternion wxyz of three Euler angles, given in the order's own sequence.

    Shape (..., 3) → (..., 4); radians unless ``degrees``.

    >>> euler_to_quat([90, 0, 0], "ZYX", degrees=True).round(6)
    array([0.707107, 0.      , 0.      , 0.707107])
    """
    half = 0.5 * vectors(angles, 3, "Euler angles")
    if degrees:
        half = np.radians(half)
    product = np.array([1.0, 0.0, 0.0, 0.0])
    for column, axis in enumerate(_axes(order)):
        turn = np.zeros((*half.shape[:-1], 4))
        turn[..., 0] = np.cos(half[..., column])
        turn[..., 1 + axis] = np.sin(half[..., column])
        product = quat_multiply(product, turn)
    return product


def quat_to_euler(wxyz: ArrayLike, order: str, degrees: bool = False) -> Array:
    """Euler angles of a quaternion, in the order's own sequence.

    The outer two lie within ±π; the middle one within ±π/2 when the three axes differ, within
    0..π when the first returns as the third. In gimbal lock only the sum or the difference of
    the outer two is fixed, and the third is set to 0. Shape (..., 4) → (..., 3); radians unless
    ``degrees``.

    >>> quat_to_euler([0.5, 0.5, 0.5, 0.5], "ZXY", degrees=True).round(6) + 0.0
    array([90., 90.,  0.])
    """
    first, second, third = _axes(order)
    returns = first == third
    if returns:
        third = 3 - first - second
    # +1 where (first, second, third) is an even permutation of xyz, −1 where it is odd
    parity = float((first - second) * (second - third) * (third - first) // 2)
    q = quat_normalise(wxyz)
    w, x, y, z = q[..., 0], q[..., 1 + first], q[..., 1 + second], parity * q[..., 1 + third]
    # For an order that returns, q = (cos θ cos σ, cos θ sin σ, sin θ cos δ, sin θ sin δ) with θ
    # half the middle angle, σ and δ half the sum and difference of the outer ones. Any other
    # order becomes one by a quarter turn about the second axis on its right (Bernardes and
    # Viollet 2022).
    if not returns:
        w, x, y, z = w - y, x - z, y + w, z + x
    along, across = np.hypot(w, x), np.hypot(y, z)
    total, difference = np.arctan2(x, w), np.arctan2(z, y)
    middle = 2.0 * np.arctan2(across, along)
    # In the lock one of the pairs is (0, 0) and its angle is noise: make the third angle 0.
    scale = 1e-12 * (along + across)
    difference = np.where(across <= scale, total, difference)
    total = np.where(along <= scale, difference, total)
    outer, inner = total + difference, total - difference
    if not returns:
        middle, inner = middle - 0.5 * np.pi, -parity * inner
    angles = np.stack([outer, middle, inner], axis=-1)
    turn = 2.0 * np.pi
    angles = angles - turn * np.round(angles / turn)
    return np.degrees(angles) if degrees else angles
