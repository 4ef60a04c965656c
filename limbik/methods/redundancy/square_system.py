"""The square system of equation 6 of extended_jacobian, and how its rows change with q.

Equation 6 differentiates ηᵢ·∇g, and so needs null-space vectors ηᵢ that change
smoothly with q, while an SVD gives any basis it likes.  Here ηᵢ(q') = (I − J⁺J)(q')·ηᵢ near q: the
projection of the vector at q, which stays in the null space and, to first order, orthonormal.  Then

    ∂(ηᵢ·∇g)/∂q = ηᵢᵀ(∇²g − ∂(Jᵀy)/∂q),    y = J⁺ᵀ∇g held fixed,

ηᵢ times the Hessian of the Lagrangian of "g least, F(q) = x" with y its multipliers.  That is exact
where J keeps its rank, and takes one difference of Jᵀy a coordinate.
"""

from __future__ import annotations

import numpy as np

from limbik.figure.layout import N_COORDS, N_ROWS
from limbik.jit import kernel, kernel_part
from limbik.maths.linear import copy
from limbik.methods.least_squares.svd_step import share_of
from limbik.methods.redundancy.normal_equations import lu, lu_solve, minimum_norm
from limbik.solver.objective import evaluate, linearise

_PIVOT = 1e-9  # a pivot of this size or less is 0; rows are scaled to a largest entry of 1


@kernel
def multipliers(svd, rank, gradient, y):
    """y = J⁺ᵀ∇g (rows,) from the SVD of J: Σ uₖ(vₖ·∇g)/σₖ."""
    for i in range(len(y)):
        y[i] = 0.0
    for k in range(rank):
        along = 0.0
        for c in range(len(gradient)):
            along += (svd.a[k, c] / svd.sigma[k] if svd.wide else svd.u[c, k]) * gradient[c]
        along /= svd.sigma[k]
        for i in range(len(y)):
            y[i] += along * (svd.u[i, k] if svd.wide else svd.a[k, i] / svd.sigma[k])


@kernel_part
def subtract_goal_curvature(ints, floats, q, state, criterion, y, hessian):
    """hessian (n, n) −= ∂(Jᵀy)/∂q, by central differences; criterion lends its room."""
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    probe, apart = criterion.probe, criterion.apart
    copy(q, len(q), probe)
    for c in range(n):
        if apart[c] == 0.0 or rows == 0:
            continue
        for side in range(2):
            probe[c] = q[c] + (apart[c] if side == 0 else -apart[c])
            evaluate(ints, floats, probe, state, criterion.r)
            linearise(ints, floats, probe, state, criterion.r, criterion.jt, criterion.model)
            share = (-0.5 if side == 0 else 0.5) / apart[c]
            add_column(criterion.jt, y, share, hessian[:, c])
        probe[c] = q[c]


@kernel
def add_column(jt, y, share, column):
    """column (n,) += share·Jᵀy."""
    for d in range(jt.shape[0]):
        total = 0.0
        for i in range(jt.shape[1]):
            total += jt[d, i] * y[i]
        column[d] += share * total


@kernel
def fill_square(svd, rank, vectors, total, gradient, hessian, free, a, b, back):
    """Equation 6: a (n, n) and b (n,), J's rows first, then one for each null-space vector.

    b has dx and zeros as in the paper; back (n,) has zeros for the goals and −ηᵢ·∇g below.

    J's rows are taken along its singular vectors, which is the same where J has full rank and
    leaves out what no motion can do where it has not.  Coordinates that are not free get a row that
    says so.  Every row is scaled to a largest entry of 1.
    """
    n = len(free)
    row = 0
    for k in range(rank):
        b[row], back[row] = share_of(svd, k) / svd.sigma[k], 0.0
        for c in range(n):
            a[row, c] = vectors[k, c]
        row += 1
    for k in range(rank, total):
        wanted, largest = 0.0, 0.0
        for c in range(n):
            wanted -= vectors[k, c] * gradient[c]
            entry = 0.0
            for d in range(n):
                entry += vectors[k, d] * hessian[d, c]
            a[row, c] = entry if free[c] != 0.0 else 0.0
            largest = max(largest, abs(a[row, c]))
        b[row], back[row] = 0.0, wanted
        if largest > 0.0:
            back[row] /= largest
            for c in range(n):
                a[row, c] /= largest
        row += 1
    for c in range(n):
        if free[c] == 0.0:
            for d in range(n):
                a[row, d] = 0.0
            a[row, c], b[row], back[row] = 1.0, 0.0, 0.0
            row += 1


@kernel
def solve_square(a, b, back, normal, cutoff, step, secondary):
    """a·step = b and a·secondary = back by LU; True unless a lacks rank.

    Then both are the shortest steps of least squares.
    """
    n = len(step)
    for c in range(n):
        step[c], secondary[c] = b[c], back[c]
        for d in range(n):
            normal.matrix[c, d] = a[c, d]
    if lu(normal.matrix, normal.pivots, _PIVOT):
        lu_solve(normal.matrix, normal.pivots, step)
        lu_solve(normal.matrix, normal.pivots, secondary)
        return True
    for which in range(2):
        for c in range(n):
            for d in range(n):
                normal.matrix[d, c] = a[c, d]
        minimum_norm(
            normal.matrix, b if which == 0 else back, normal, cutoff,
            step if which == 0 else secondary,
        )  # fmt: skip
    return False
