"""Small dense linear algebra for kernels: no allocation, no LAPACK, so no SciPy."""

from __future__ import annotations

import math

import numpy as np

from limbik.jit import inner, kernel


@kernel
def copy(source, count, to):
    """The first ``count`` entries; ``to[:] = source`` would compile a test of sizes as well."""
    for i in range(count):
        to[i] = source[i]


@inner(fastmath={"reassoc", "contract"})
def dot(a, b, count):
    """Σ aᵢbᵢ over the first ``count`` entries, summed in the order that is fastest."""
    total = 0.0
    for i in range(count):
        total += a[i] * b[i]
    return total


@inner(fastmath={"reassoc", "contract"})
def dot_between(a, start, end, count):
    """Σ aᵢ(endᵢ − startᵢ), summed as ``dot`` does."""
    total = 0.0
    for i in range(count):
        total += a[i] * (end[i] - start[i])
    return total


@inner(fastmath={"reassoc", "contract"})
def square_between(start, end, divisor, count):
    """Σ (endᵢ − startᵢ)²/divisorᵢ, summed as ``dot`` does."""
    total = 0.0
    for i in range(count):
        away = end[i] - start[i]
        total += away * away / divisor[i]
    return total


@inner(fastmath={"reassoc", "contract"})
def _pivots(x, y, begin, i):
    """The last entries of rows i and i + 1 of a factor, x and y, which begin at column ``begin``;
    the pivots inverted.  False where a pivot is not above 0."""
    xx, xy, yy = 0.0, 0.0, 0.0
    for p in range(begin, i):
        xx += x[p] * x[p]
        xy += x[p] * y[p]
        yy += y[p] * y[p]
    xx = x[i] - xx
    if not xx > 0.0:
        return False
    x[i] = 1.0 / math.sqrt(xx)
    y[i] = (y[i] - xy) * x[i]
    yy = y[i + 1] - yy - y[i] * y[i]
    if not yy > 0.0:
        return False
    y[i + 1] = 1.0 / math.sqrt(yy)
    return True


@inner(fastmath={"reassoc", "contract"})
def cholesky(a, k):
    """A = LLᵀ for the leading k × k of a, in its lower triangle; False where A is not positive.

    The diagonal keeps 1/Lᵢᵢ: a division a row instead of one an entry.  Two rows are worked out at
    a time, so that each row above them is read once for both.
    """
    i = 0
    while i + 1 < k:
        x, y = a[i], a[i + 1]
        for j in range(i):
            above = a[j]
            first, second = 0.0, 0.0
            for p in range(j):
                first += x[p] * above[p]
                second += y[p] * above[p]
            x[j] = (x[j] - first) * above[j]
            y[j] = (y[j] - second) * above[j]
        if not _pivots(x, y, 0, i):
            return False
        i += 2
    if i < k:
        x = a[i]
        for j in range(i):
            x[j] = (x[j] - dot(x, a[j], j)) * a[j, j]
        total = x[i] - dot(x, x, i)
        if not total > 0.0:
            return False
        x[i] = 1.0 / math.sqrt(total)
    return True


@inner
def cholesky_solve(a, k, b):
    """Solve LLᵀx = b in place, with the factor that ``cholesky`` left in a."""
    for i in range(k):
        total = b[i]
        for p in range(i):
            total -= a[i, p] * b[p]
        b[i] = total * a[i, i]
    for i in range(k - 1, -1, -1):
        b[i] *= a[i, i]
        value = b[i]
        for p in range(i):
            b[p] -= a[i, p] * value


@inner(fastmath={"reassoc", "contract"})
def envelope_cholesky(a, k, low):
    """``cholesky`` where row i of A has entries from column low[i] on only, and L too.

    Two rows are worked out at a time, both from the lower of their first columns on.  Unsigned
    indices: with others every access would test whether it counts from the end.
    """
    i, size = np.uint64(0), np.uint64(k)
    while i < size:
        x, begin = a[i], np.uint64(low[i])
        if i + np.uint64(1) < size:
            y, other = a[i + np.uint64(1)], np.uint64(low[i + np.uint64(1)])
            for p in range(other, begin):
                x[p] = 0.0
            for p in range(begin, min(other, i + np.uint64(1))):
                y[p] = 0.0
            begin = min(begin, other)
            low[i], low[i + np.uint64(1)] = begin, begin
            for j in range(begin, i):
                above, first, second = a[j], 0.0, 0.0
                for p in range(max(begin, np.uint64(low[j])), j):
                    first += x[p] * above[p]
                    second += y[p] * above[p]
                x[j] = (x[j] - first) * above[j]
                y[j] = (y[j] - second) * above[j]
            if not _pivots(x, y, begin, i):
                return False
            i += np.uint64(2)
        else:
            for j in range(begin, i):
                above, total = a[j], 0.0
                for p in range(max(begin, np.uint64(low[j])), j):
                    total += x[p] * above[p]
                x[j] = (x[j] - total) * above[j]
            total = 0.0
            for p in range(begin, i):
                total += x[p] * x[p]
            total = x[i] - total
            if not total > 0.0:
                return False
            x[i] = 1.0 / math.sqrt(total)
            i += np.uint64(1)
    return True


@inner
def envelope_solve(a, k, low, b):
    """Solve LLᵀx = b in place, with the factor that ``envelope_cholesky`` left in a."""
    envelope_forward(a, k, low, b, 0)
    envelope_backward(a, k, low, b)


@inner
def envelope_forward(a, k, low, b, begin):
    """Solve Lx = b in place, where the entries of b before ``begin`` are 0."""
    size, start = np.uint64(k), np.uint64(begin)
    for i in range(start, size):
        x, total = a[i], b[i]
        for p in range(max(start, np.uint64(low[i])), i):
            total -= x[p] * b[p]
        b[i] = total * x[i]


@inner
def envelope_backward(a, k, low, b):
    """Solve Lᵀx = b in place."""
    size = np.uint64(k)
    for back in range(size):
        i = size - np.uint64(1) - back
        x = a[i]
        b[i] *= x[i]
        value = b[i]
        for p in range(np.uint64(low[i]), i):
            b[p] -= x[p] * value


@kernel
def svd_rows(a, u, sigma):
    """A = U·diag(σ)·Vᵀ by one-sided Jacobi rotations of the rows of A (m × n).

    On return U (m × m) is orthogonal, row i of ``a`` is σᵢ times the i-th right singular vector,
    and sigma (m,) is falling.
    """
    m, n = a.shape
    u[:, :] = 0.0
    for i in range(m):
        u[i, i] = 1.0
    for _ in range(60):
        turned = False
        for i in range(m - 1):
            for j in range(i + 1, m):
                alpha, beta, gamma = dot(a[i], a[i], n), dot(a[j], a[j], n), dot(a[i], a[j], n)
                if abs(gamma) <= 1e-15 * math.sqrt(alpha * beta) or alpha + beta == 0.0:
                    continue
                turned = True
                zeta = (beta - alpha) / (2.0 * gamma)
                t = (1.0 if zeta >= 0.0 else -1.0) / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
                c = 1.0 / math.sqrt(1.0 + t * t)
                s = c * t
                for p in range(n):
                    x, y = a[i, p], a[j, p]
                    a[i, p], a[j, p] = c * x - s * y, s * x + c * y
                for p in range(m):
                    x, y = u[p, i], u[p, j]
                    u[p, i], u[p, j] = c * x - s * y, s * x + c * y
        if not turned:
            break
    for i in range(m):
        sigma[i] = math.sqrt(dot(a[i], a[i], n))
    for i in range(m - 1):
        largest = i + np.argmax(sigma[i:m])
        if largest != i:
            sigma[i], sigma[largest] = sigma[largest], sigma[i]
            for p in range(n):
                a[i, p], a[largest, p] = a[largest, p], a[i, p]
            for p in range(m):
                u[p, i], u[p, largest] = u[p, largest], u[p, i]
