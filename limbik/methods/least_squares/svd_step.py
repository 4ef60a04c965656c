"""J and the diagonal goals as one matrix of rows, its SVD and its pseudo-inverse."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.layout import F_REST, F_REST_POSE, N_COORDS, N_REST, N_ROWS
from limbik.jit import kernel, kernel_part
from limbik.maths.linear import svd_rows
from limbik.methods.workspace import floats_taken, take, take_table
from limbik.solver.problem import Problem


class SVDWorkspace(NamedTuple):
    """J with rows √D(pose − q) below it where there are diagonal goals: ``height`` rows in all."""

    wide: bool  # a is J; otherwise its transpose, so that it has no more rows than columns
    a: np.ndarray  # (side, long) the matrix, then σ times its singular vectors
    missing: np.ndarray  # (height,) what is missing in each row
    u: np.ndarray  # (side, side) the other singular vectors
    sigma: np.ndarray  # (side,) singular values, falling


@kernel
def svd_height(ints):
    """Rows of J, and one more for each coordinate where there are diagonal goals."""
    return np.int64(ints[N_ROWS]) + (np.int64(ints[N_COORDS]) if ints[N_REST] else 0)


@kernel_part
def view_svd(ints, work):
    """work -> SVDWorkspace, empty, and what is left."""
    n, height = np.int64(ints[N_COORDS]), svd_height(ints)
    side, long = min(n, height), max(n, height)
    missing, work = take(work, height)
    a, work = take_table(work, side, long)
    u, work = take_table(work, side, side)
    sigma, work = take(work, side)
    return SVDWorkspace(height <= n, a, missing, u, sigma), work


def svd_size(problem: Problem) -> int:
    """Floats that ``view_svd`` needs."""
    return floats_taken(view_svd, problem.ints)


@kernel
def fill_svd(ints, floats, q, jt, model_residual, svd):
    """J(q) and what is missing, from jt (n, rows) and model_residual (rows,)."""
    rows, n = ints[N_ROWS], ints[N_COORDS]
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    a, wide = svd.a, svd.wide
    a[:, :] = 0.0
    for i in range(rows):
        svd.missing[i] = model_residual[i]
    for c in range(n):
        for i in range(rows):
            if wide:
                a[i, c] = jt[c, i]
            else:
                a[c, i] = jt[c, i]
        if len(svd.missing) > rows:
            root = math.sqrt(floats[weight + c])
            svd.missing[rows + c] = root * (floats[pose + c] - q[c])
            if wide:
                a[rows + c, c] = root
            else:
                a[c, rows + c] = root


@kernel
def decompose(svd, cutoff):
    """SVD in place; returns the rank, with singular values up to cutoff·σ₁ counted as 0.

    Singular value k has its vector among the coordinates in row k of a (times σ) where ``wide`` and
    in column k of u otherwise, and its vector among the rows in the other.
    """
    svd_rows(svd.a, svd.u, svd.sigma)
    rank = 0
    for k in range(len(svd.sigma)):
        if svd.sigma[k] <= max(cutoff * svd.sigma[0], 1e-150):
            break
        rank += 1
    return rank


@kernel
def share_of(svd, k):
    """uₖᵀe: how much of what is missing lies along the k-th singular vector among the rows."""
    total = 0.0
    for i in range(len(svd.missing)):
        total += (svd.u[i, k] if svd.wide else svd.a[k, i]) * svd.missing[i]
    return total if svd.wide else total / svd.sigma[k]


@kernel
def add_along(svd, k, amount, step):
    """step += amount·vₖ, the k-th singular vector among the coordinates."""
    if svd.wide:
        amount /= svd.sigma[k]
    for c in range(len(step)):
        step[c] += amount * (svd.a[k, c] if svd.wide else svd.u[c, k])


@kernel
def pseudo_inverse_step(svd, cutoff, step):
    """Δθ = J⁺e (equation 14 of line_search with the Moore–Penrose inverse) into step (n,).

    ``svd`` is overwritten by its SVD; returns the rank.
    """
    rank = decompose(svd, cutoff)
    step[:] = 0.0
    for k in range(rank):
        add_along(svd, k, share_of(svd, k) / svd.sigma[k], step)
    return rank
