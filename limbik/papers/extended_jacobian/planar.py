"""A chain in the plane as extended_jacobian writes it: its end, its pairs, its two Jacobians.

The joint angles q are relative, each to the segment before; the segments' lengths are l.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.jit import kernel
from limbik.methods.redundancy.normal_equations import least_squares, normal_size, view_normal


@kernel
def end_of(lengths, q, first, count):
    """Equation 1 of extended_jacobian for the segments first … first + count − 1: x and y.

    Measured from the beginning of segment ``first`` in axes that are turned by all angles before:
    the whole chain's end for all segments, and equation 8, the coordinates of the basic element
    i:i+2, for two of them.
    """
    x, y, turned = 0.0, 0.0, 0.0
    for j in range(first, first + count):
        turned += q[j]
        x += lengths[j] * math.cos(turned)
        y += lengths[j] * math.sin(turned)
    return x, y


@kernel
def link_rows(lengths, q, first, count, weight, along_x, along_y):
    """Derivatives of ``end_of`` by q into two rows (n,), times ``weight``; 0 for other angles.

    J(q) of equation 3 for the whole chain.
    """
    along_x[:] = 0.0
    along_y[:] = 0.0
    turned = 0.0
    for j in range(first, first + count):
        turned += q[j]
    x, y = 0.0, 0.0
    for j in range(first + count - 1, first - 1, -1):
        x += lengths[j] * math.cos(turned)
        y += lengths[j] * math.sin(turned)
        along_x[j], along_y[j] = -weight * y, weight * x
        turned -= q[j]


@kernel
def extended_rows(lengths, q, weight, rows):
    """Equation 9 of extended_jacobian into rows (2n, n), its inner rows times ``weight``.

    The x rows of the pairs 0:2 … n−2:n, then their y rows, then the two rows of the main link.
    What the paper calls qⱼ is the sum of the angles from the row's own first joint on: from i in
    the rows of the pair i:i+2, and from 0 in those of the main link.
    """
    n = len(q)
    for i in range(n - 1):
        link_rows(lengths, q, i, 2, weight, rows[i], rows[n - 1 + i])
    link_rows(lengths, q, 0, n, 1.0, rows[2 * n - 2], rows[2 * n - 1])


@kernel
def extended_displacement(dx, dy, out):
    """Section 2.3.1: (2n,) zeros for the pairs, which shall stay as they are, and the end's way."""
    out[:] = 0.0
    out[-2], out[-1] = dx, dy


def extended_jacobian_of(lengths: np.ndarray, q: np.ndarray, weight: float = 1.0) -> np.ndarray:
    """(2n, n) equation 9 of extended_jacobian."""
    rows = np.empty((2 * len(q), len(q)))
    extended_rows(np.asarray(lengths, float), np.asarray(q, float), weight, rows)
    return rows


def jacobian_of(lengths: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(2, n) the Jacobian of equation 3 of extended_jacobian."""
    rows = np.empty((2, len(q)))
    link_rows(np.asarray(lengths, float), np.asarray(q, float), 0, len(q), 1.0, rows[0], rows[1])
    return rows


def planar_step(
    lengths: np.ndarray,
    q: np.ndarray,
    dx: np.ndarray,
    *,
    weight: float = 1.0,
    cutoff: float = 1e-7,
) -> tuple[np.ndarray, bool]:
    """(dq, whether the matrix had rank n): equations 9 and 10 of extended_jacobian for one dx (2,).

    The step is (JᵀJ + w²KᵀK)⁻¹Jᵀdx, with K the rows of the pairs: damped least squares whose
    damping is a matrix.
    """
    n = len(q)
    columns = np.ascontiguousarray(extended_jacobian_of(lengths, q, weight).T)
    wanted, dq = np.empty(2 * n), np.empty(n)
    extended_displacement(float(dx[0]), float(dx[1]), wanted)
    normal, _ = view_normal(n, np.empty(normal_size(n)))
    full = least_squares(columns, wanted, np.ones(n), normal, cutoff, dq)
    return dq, bool(full)
