"""Ordinary least squares the way of extended_jacobian: normal equations, LU; SVD where it fails."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.jit import kernel, kernel_part
from limbik.maths.linear import dot, svd_rows
from limbik.methods.workspace import floats_taken, take_table


class Normal(NamedTuple):
    """What ``least_squares`` works with for n unknowns."""

    matrix: np.ndarray  # (n, n) AᵀA, then its factors
    pivots: np.ndarray  # (n,) rows that were exchanged
    u: np.ndarray  # (n, n) singular vectors, where LU fails
    sigma: np.ndarray  # (n,) singular values


@kernel_part
def view_normal(n, work):
    """work -> Normal for n unknowns, and what is left."""
    matrix, work = take_table(work, n, n)
    u, work = take_table(work, n, n)
    by_n, work = take_table(work, 2, n)
    return Normal(matrix, by_n[0], u, by_n[1]), work


def normal_size(n: int) -> int:
    """Floats that ``view_normal`` needs for n unknowns."""
    return floats_taken(view_normal, n)


@kernel
def lu(a, pivots, tiny):
    """PA = LU in place with partial pivoting, for square a; False at a pivot of ``tiny`` or less.

    L has a unit diagonal that is not stored; pivots[k] is the row that was exchanged with row k.
    """
    n = a.shape[0]
    for k in range(n):
        best, largest = k, abs(a[k, k])
        for i in range(k + 1, n):
            if abs(a[i, k]) > largest:
                best, largest = i, abs(a[i, k])
        # Written so that a pivot that is not a number fails as well.
        if not largest > tiny:
            return False
        pivots[k] = best
        if best != k:
            for j in range(n):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            factor = a[i, k]
            if factor != 0.0:
                for j in range(k + 1, n):
                    a[i, j] -= factor * a[k, j]
    return True


@kernel
def lu_solve(a, pivots, b):
    """Solve Ax = b in place, with the factors that ``lu`` left in a."""
    n = a.shape[0]
    for k in range(n):
        row = int(pivots[k])
        b[k], b[row] = b[row], b[k]
    for k in range(n):
        for i in range(k + 1, n):
            b[i] -= a[i, k] * b[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]


@kernel
def minimum_norm(at, b, normal, cutoff, x):
    """The shortest x (n,) among those that make ‖Ax − b‖ least; returns the rank of A.

    at (n, m) is Aᵀ and is overwritten; singular values up to cutoff·σ₁ count as 0.
    """
    n, m = at.shape
    u, sigma = normal.u, normal.sigma
    svd_rows(at, u, sigma)
    for c in range(n):
        x[c] = 0.0
    rank = 0
    for k in range(n):
        if not sigma[k] > max(cutoff * sigma[0], 1e-150):
            break
        rank += 1
        amount = dot(at[k], b, m) / (sigma[k] * sigma[k])
        for c in range(n):
            x[c] += amount * u[c, k]
    return rank


@kernel
def least_squares(at, b, free, normal, cutoff, x):
    """Equation 10 of extended_jacobian: x that makes ‖r‖, r = Ax − b, least; True if A has rank.

    AᵀAx = Aᵀb by LU with partial pivoting, as the paper has it.  A pivot of cutoff² of the largest
    entry or less says that A lacks rank; then the shortest of all solutions is taken.  Unknowns
    with free[c] = 0 are left out and become 0.  at (n, m) is Aᵀ; it is overwritten then.
    """
    n, m = at.shape
    a, largest = normal.matrix, 0.0
    for c in range(n):
        if free[c] == 0.0:
            for i in range(m):
                at[c, i] = 0.0
    for c in range(n):
        x[c] = dot(at[c], b, m)
        for d in range(c + 1):
            a[c, d] = dot(at[c], at[d], m)
            a[d, c] = a[c, d]
        largest = max(largest, a[c, c])
    if not 0.0 < largest < math.inf:
        for c in range(n):
            x[c] = 0.0
        return False
    for c in range(n):
        if free[c] == 0.0:
            a[c, c] = largest
    if lu(a, normal.pivots, cutoff * cutoff * largest):
        lu_solve(a, normal.pivots, x)
        return True
    minimum_norm(at, b, normal, cutoff, x)
    return False
