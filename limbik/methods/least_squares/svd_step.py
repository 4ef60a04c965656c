"""J and the diagonal goals as one matrix of rows, its SVD and its pseudo-inverse."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.kinematics import N_COORDS
from limbik.goals.terms import N_ROWS
from limbik.jit import kernel
from limbik.maths.linear import svd_rows
from limbik.solver.objective import F_REST, F_REST_POSE, N_REST
from limbik.solver.problem import Problem


class Stack(NamedTuple):
    """J with rows √D(pose − q) below it where there are diagonal goals: ``height`` rows in all."""

    wide: np.bool_  # a is J; otherwise its transpose, so that it has no more rows than columns
    a: np.ndarray  # (side, long) the matrix, then σ times its singular vectors
    missing: np.ndarray  # (height,) what is missing in each row
    u: np.ndarray  # (side, side) the other singular vectors
    sigma: np.ndarray  # (side,) singular values, falling


def stack_size(problem: Problem) -> int:
    """Floats that ``lay_stack`` needs, as if there were diagonal goals."""
    n, rows = problem.figure.n, problem.rows
    return (rows + n) + n * (rows + n) + n * n + n


@kernel
def lay_stack(ints, spare):
    """spare (stack_size,) -> Stack, empty."""
    n, height = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    if ints[N_REST]:
        height += n
    side, long = min(n, height), max(n, height)
    missing, at = spare[:height], height
    a = spare[at : at + side * long].reshape(side, long)
    at += side * long
    u = spare[at : at + side * side].reshape(side, side)
    at += side * side
    return Stack(height <= n, a, missing, u, spare[at : at + side])


@kernel
def fill_stack(ints, floats, q, jt, target, stack):
    """J(q) and what is missing, from jt (n, rows) and target (rows,)."""
    rows, n = ints[N_ROWS], ints[N_COORDS]
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    a, wide = stack.a, stack.wide
    a[:, :] = 0.0
    for i in range(rows):
        stack.missing[i] = target[i]
    for c in range(n):
        for i in range(rows):
            if wide:
                a[i, c] = jt[c, i]
            else:
                a[c, i] = jt[c, i]
        if len(stack.missing) > rows:
            root = math.sqrt(floats[weight + c])
            stack.missing[rows + c] = root * (floats[pose + c] - q[c])
            if wide:
                a[rows + c, c] = root
            else:
                a[c, rows + c] = root


@kernel
def decompose(stack, cutoff):
    """SVD in place; returns the rank, with singular values up to cutoff·σ₁ counted as 0.

    Singular value k has its vector among the coordinates in row k of a (times σ) where ``wide`` and
    in column k of u otherwise, and its vector among the rows in the other.
    """
    svd_rows(stack.a, stack.u, stack.sigma)
    rank = 0
    for k in range(len(stack.sigma)):
        if stack.sigma[k] <= max(cutoff * stack.sigma[0], 1e-150):
            break
        rank += 1
    return rank


@kernel
def share_of(stack, k):
    """uₖᵀe: how much of what is missing lies along the k-th singular vector among the rows."""
    total = 0.0
    for i in range(len(stack.missing)):
        total += (stack.u[i, k] if stack.wide else stack.a[k, i]) * stack.missing[i]
    return total if stack.wide else total / stack.sigma[k]


@kernel
def add_along(stack, k, amount, step):
    """step += amount·vₖ, the k-th singular vector among the coordinates."""
    if stack.wide:
        amount /= stack.sigma[k]
    for c in range(len(step)):
        step[c] += amount * (stack.a[k, c] if stack.wide else stack.u[c, k])


@kernel
def pseudo_inverse_step(stack, cutoff, step):
    """Δθ = J⁺e (equation 14 of line_search with the Moore–Penrose inverse) into step (n,).

    ``stack`` is overwritten by its SVD; returns the rank.
    """
    rank = decompose(stack, cutoff)
    step[:] = 0.0
    for k in range(rank):
        add_along(stack, k, share_of(stack, k) / stack.sigma[k], step)
    return rank
