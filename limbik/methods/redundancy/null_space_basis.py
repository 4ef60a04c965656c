"""What a problem leaves free: coordinates that may move, and the null space of its Jacobian."""

from __future__ import annotations

import math

import numpy as np

from limbik.figure.layout import F_LOWER, F_REST, F_UPPER, I_IN_CONE, N_COORDS, NONE
from limbik.jit import kernel
from limbik.solver.problem import Problem

_LOOKS = 3  # poses at which a Jacobian is looked at to see what rank it usually has


def usual_rank(problem: Problem, cutoff: float) -> int:
    """The rank that J has at almost every pose: the largest at the start and some poses nearby.

    A planar figure has rows that are always 0, so less than one per row need not be a singularity.
    """
    random, figure, rank = np.random.default_rng(0), problem.figure, 0
    weight = problem.floats[problem.ints[F_REST] :][: figure.n]
    for look in range(_LOOKS):
        away = random.normal(size=figure.n) * np.where(figure.slides, problem.scene.lever, 1.0)
        q = problem.start + (0.5 * away * problem.moves if look else 0.0)
        rows = [problem.jacobian(figure.project(q))]
        if weight.any():
            rows.append(np.diag(np.sqrt(weight)))
        sigma = np.linalg.svd(np.concatenate(rows), compute_uv=False)
        rank = max(rank, int((sigma > cutoff * sigma.max(initial=0.0)).sum()))
    return rank


@kernel
def leave_free(ints, floats, q, half_descent, moves, free):
    """free[c] = 1 where coordinate c may move: not locked, not held at the end of its range.

    A coordinate that sits at the end of its range and that half_descent (n,), −½∇f, presses outward
    is held.
    """
    for c in range(ints[N_COORDS]):
        free[c] = 1.0 if moves[c] != 0.0 else 0.0
        if ints[ints[I_IN_CONE] + c] == NONE:
            outward = half_descent[c] > 0.0 and q[c] >= floats[ints[F_UPPER] + c]
            if outward or (half_descent[c] < 0.0 and q[c] <= floats[ints[F_LOWER] + c]):
                free[c] = 0.0


@kernel
def hold_columns(svd, free):
    """Columns of J become 0 for coordinates that are not free."""
    for c in range(len(free)):
        if free[c] == 0.0:
            if svd.wide:
                svd.a[:, c] = 0.0
            else:
                svd.a[c, :] = 0.0


@kernel
def take_vectors(svd, rank, vectors):
    """The first ``rank`` singular vectors among the coordinates as rows of vectors (n, n)."""
    for k in range(rank):
        for c in range(vectors.shape[1]):
            vectors[k, c] = svd.a[k, c] / svd.sigma[k] if svd.wide else svd.u[c, k]


@kernel
def remove(vectors, count, v):
    """v ← (I − VVᵀ)v for orthonormal rows V: the part of v (n,) in their null space.

    Twice, because once leaves what rounding left.
    """
    for _ in range(2):
        for k in range(count):
            along = 0.0
            for c in range(len(v)):
                along += vectors[k, c] * v[c]
            for c in range(len(v)):
                v[c] -= along * vectors[k, c]


@kernel
def free_gradient(gradient, vectors, rank, free, out):
    """−(I − J⁺J)∇g into out (n,): the second term of equation 5 of extended_jacobian for α = 1.

    vectors (n, n) has the rank singular vectors of J as its first rows: J⁺J = VVᵀ.
    """
    for c in range(len(out)):
        out[c] = -gradient[c] if free[c] != 0.0 else 0.0
    remove(vectors, rank, out)


@kernel
def complete(vectors, rank, free, best):
    """An orthonormal basis of the null space below the first ``rank`` rows of vectors (n, n).

    Coordinates with free[c] = 0 stay out of it.  Returns how many rows there are in all.  Each new
    vector is what is left of the coordinate that the rows so far explain least, worked out in
    best (n,).
    """
    n = len(free)
    total = 0
    for c in range(n):
        total += free[c] != 0.0
    for row in range(rank, total):
        longest, chosen = -1.0, 0
        for c in range(n):
            if free[c] == 0.0:
                continue
            left = 1.0
            for k in range(row):
                left -= vectors[k, c] * vectors[k, c]
            if left > longest:
                longest, chosen = left, c
        best[:] = 0.0
        best[chosen] = 1.0
        remove(vectors, row, best)
        square = 0.0
        for c in range(n):
            square += best[c] * best[c]
        for c in range(n):
            vectors[row, c] = best[c] / math.sqrt(square)
    return total
