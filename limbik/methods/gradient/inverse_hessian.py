"""What quasi-Newton methods share: the first scale, gradients that change along an edge, BFGS."""

from __future__ import annotations

import math

import numpy as np

from limbik.figure.cones import cone_normals
from limbik.figure.layout import (
    CONE_KIND,
    CONE_START,
    CONE_SWING,
    F_METRIC,
    F_REST,
    N_CONES,
    N_COORDS,
    N_ROWS,
    cone_at,
)
from limbik.jit import kernel

_FLAT = 1e-10  # cosine between s and y up to which f counts as not curved along s


@kernel
def first_scale(ints, floats, jt, half_descent):
    """τ/2 with τ the best step along M·half_descent for a linear F (equation 28 of line_search).

    M, the metric, makes turns and slides comparable; (τ/2)·M is a first guess of the inverse
    Hessian that fits any unit of length.  0 where nothing moves.
    """
    along, square = 0.0, 0.0
    for c in range(ints[N_COORDS]):
        step = floats[ints[F_METRIC] + c] * half_descent[c]
        along += step * half_descent[c]
        square += floats[ints[F_REST] + c] * step * step
    for i in range(ints[N_ROWS]):
        z = 0.0
        for c in range(ints[N_COORDS]):
            z += jt[c, i] * floats[ints[F_METRIC] + c] * half_descent[c]
        square += z * z
    return 0.5 * along / square if square > 0.0 else 0.0


@kernel
def gradient_change(ints, floats, last, q, half_descent, scratch, y):
    """y (n,): how the Lagrangian's gradient changed from last.q to q.

    That of f is twice the fall of half_descent = −½∇f.  Ranges are flat, so they add nothing.
    Along the edge of a cone the outward normal a turns, which adds ν(a − a') for the multiplier
    ν = −aᵀ∇f; without it the edge's own curvature would be missed.
    """
    for c in range(ints[N_COORDS]):
        y[c] = 2.0 * (last.half_descent[c] - half_descent[c])
    normals = scratch[48:54].reshape(2, 3)
    for cone in range(np.int64(ints[N_CONES])):
        i, _ = cone_at(ints, cone)
        c, span = ints[i + CONE_START], 2 if ints[i + CONE_KIND] == CONE_SWING else 3
        if cone_normals(ints, floats, cone, last.q, normals, scratch) != 1:
            continue
        x0, x1, x2 = normals[0, 0], normals[0, 1], normals[0, 2]
        if cone_normals(ints, floats, cone, q, normals, scratch) != 1:
            continue
        nu = 0.0
        for d in range(span):
            nu += 2.0 * normals[0, d] * half_descent[c + d]
        if nu > 0.0:
            y[c] += nu * (normals[0, 0] - x0)
            y[c + 1] += nu * (normals[0, 1] - x1)
            if span == 3:
                y[c + 2] += nu * (normals[0, 2] - x2)


@kernel
def curves(ints, floats, s, y):
    """Whether f curves upwards from one end of s to the other: sᵀy > 0, by more than rounding."""
    along, moved, changed = 0.0, 0.0, 0.0
    for c in range(ints[N_COORDS]):
        metric = floats[ints[F_METRIC] + c]
        along += s[c] * y[c]
        moved += s[c] * s[c] / metric
        changed += y[c] * y[c] * metric
    return along > _FLAT * math.sqrt(moved * changed) and along < math.inf


@kernel
def bfgs_update(h, s, y, hy):
    """H ← (I − ρsyᵀ)H(I − ρysᵀ) + ρssᵀ with ρ = 1/sᵀy, for the inverse Hessian H (n, n).

    hy (n,) is overwritten.  sᵀy must be positive; then H stays positive definite.
    """
    n = len(s)
    curve, twice = 0.0, 0.0
    for c in range(n):
        total = 0.0
        for e in range(n):
            total += h[c, e] * y[e]
        hy[c] = total
        curve += s[c] * y[c]
        twice += y[c] * total
    more = (1.0 + twice / curve) / curve
    for c in range(n):
        for e in range(n):
            h[c, e] += more * s[c] * s[e] - (hy[c] * s[e] + s[c] * hy[e]) / curve


@kernel
def hold_normal(h, normal, first, span, image):
    """H ← H − HaaᵀH/aᵀHa: nothing moves along the normal a any more (Rosen, Goldfarb).

    a has the entries ``normal`` from coordinate ``first`` on; image (n,) is overwritten.
    """
    n = len(h)
    square = 0.0
    for c in range(n):
        image[c] = 0.0
        for d in range(span):
            image[c] += h[c, first + d] * normal[d]
    for d in range(span):
        square += normal[d] * image[first + d]
    if square > 0.0:
        for c in range(n):
            for e in range(n):
                h[c, e] -= image[c] * image[e] / square


@kernel
def hold_coordinate(h, held, image):
    """The same for a range, whose normal is ±e: row and column ``held`` become exactly 0."""
    n = len(h)
    if h[held, held] > 0.0:
        for c in range(n):
            image[c] = h[c, held]
        square = image[held]
        for c in range(n):
            for e in range(n):
                h[c, e] -= image[c] * image[e] / square
    for c in range(n):
        h[c, held] = 0.0
        h[held, c] = 0.0
