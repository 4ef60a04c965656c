"""The Gauss–Newton model of f on a set of directions: its reduced gradient and reduced Hessian.

f(q + Zx) ≈ f(q) − 2gᵀx + xᵀHx with H = Zᵀ(JᵀJ + D)Z and g = −½Zᵀ∇f.  The columns of Z are
directions of one coordinate each, or of the two or three coordinates of a cone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbik.figure.layout import F_REST, I_RUN, I_RUN_FIRST, N_COORDS, N_ROWS
from limbik.jit import kernel, kernel_part
from limbik.maths.linear import cholesky, cholesky_solve, dot
from limbik.methods.workspace import floats_taken, take_integers, take_table
from limbik.solver.problem import Problem


class Reduced(NamedTuple):
    """Up to n directions; direction d moves spans[d] coordinates from starts[d] on."""

    starts: np.ndarray
    spans: np.ndarray
    held: np.ndarray  # 1 where a step keeps the x of direction d
    coefficients: np.ndarray  # (n, 3)
    columns: np.ndarray  # (n, rows) JZ, transposed
    hessian: np.ndarray  # (n, n) both triangles
    factor: np.ndarray  # (n, n)
    gradient: np.ndarray  # g
    extra: np.ndarray  # what is added to the diagonal of H
    step: np.ndarray  # x
    base: np.ndarray  # right-hand side of ``solve_reduced``
    solved: np.ndarray  # the directions it solves for


@kernel_part
def view_reduced(ints, work):
    """work -> Reduced, and what is left."""
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    integers, work = take_integers(work, 4, n)
    coefficients, work = take_table(work, n, 3)
    columns, work = take_table(work, n, rows)
    hessian, work = take_table(work, n, n)
    factor, work = take_table(work, n, n)
    by_n, work = take_table(work, 4, n)
    return Reduced(
        integers[0], integers[1], integers[2], coefficients, columns, hessian, factor, by_n[0],
        by_n[1], by_n[2], by_n[3], integers[3],
    ), work  # fmt: skip


def reduced_size(problem: Problem) -> int:
    """Floats that ``view_reduced`` needs."""
    return floats_taken(view_reduced, problem.ints)


@kernel
def reduce_model(ints, floats, jt, count, z):
    """JZ and H for the first ``count`` directions of z, from jt (n, rows)."""
    rows, weight = np.int64(ints[N_ROWS]), ints[F_REST]
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    for d in range(count):
        c, column = z.starts[d], z.columns[d]
        column[:] = 0.0
        # The coordinates of a cone share their rows, so those of the first are those of all.
        for k in range(index + ints[first + c], index + ints[first + c + 1], 2):
            for i in range(ints[k], ints[k + 1]):
                for s in range(z.spans[d]):
                    column[i] += z.coefficients[d, s] * jt[c + s, i]
    for d in range(count):
        for e in range(d + 1):
            total = dot(z.columns[d], z.columns[e], rows)
            if z.spans[d] == z.spans[e] and z.starts[d] == z.starts[e]:
                for s in range(z.spans[d]):
                    both = z.coefficients[d, s] * z.coefficients[e, s]
                    total += both * floats[weight + z.starts[d] + s]
            z.hessian[d, e], z.hessian[e, d] = total, total


@kernel
def reduce_vector(z, count, v, out):
    """Zᵀv of v (n,) into out (count,)."""
    for d in range(count):
        out[d] = 0.0
        for s in range(z.spans[d]):
            out[d] += z.coefficients[d, s] * v[z.starts[d] + s]


@kernel
def add_step(z, count, scale, q):
    """q += scale·Zx in place."""
    for d in range(count):
        for s in range(z.spans[d]):
            q[z.starts[d] + s] += scale * z.coefficients[d, s] * z.step[d]


@kernel
def solve_reduced(z, count, ridge):
    """x that minimises the model plus xᵀ(extra)x and a ridge, where held directions keep their x.

    (H + extra + ridge·h)x = g over the directions that are not held, with h the largest diagonal
    entry of H.  Directions that no goal feels stay where they are.  False where rounding leaves
    the system without a Cholesky factor.
    """
    a, base, free = z.factor, z.base, 0
    most = 0.0
    for d in range(count):
        most = max(most, z.hessian[d, d])
    for d in range(count):
        if z.held[d] or z.hessian[d, d] + z.extra[d] == 0.0:
            continue
        z.solved[free] = d
        free += 1
    for i in range(free):
        d = z.solved[i]
        base[i] = z.gradient[d]
        for e in range(count):
            if z.held[e]:
                base[i] -= z.hessian[d, e] * z.step[e]
        for j in range(i + 1):
            a[i, j] = z.hessian[d, z.solved[j]]
        a[i, i] += z.extra[d] + ridge * most
    if not cholesky(a, free):
        return False
    cholesky_solve(a, free, base)
    for d in range(count):
        if not z.held[d]:
            z.step[d] = 0.0
    for i in range(free):
        z.step[z.solved[i]] = base[i]
    return True


@kernel
def promised(z, count, x):
    """2gᵀx − xᵀHx: how much f falls along Zx if the model is right."""
    total = 0.0
    for d in range(count):
        total += x[d] * (2.0 * z.gradient[d] - dot(z.hessian[d], x, count))
    return total


@kernel
def promised_by(ints, floats, jt, half_descent, q, trial):
    """The same for a whole step from q to trial (n,), with half_descent = −½∇f."""
    n, rows, weight = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS]), ints[F_REST]
    total = 0.0
    for c in range(n):
        away = trial[c] - q[c]
        total += away * (2.0 * half_descent[c] - floats[weight + c] * away)
    for i in range(rows):
        row = 0.0
        for c in range(n):
            row += jt[c, i] * (trial[c] - q[c])
        total -= row * row
    return total
