"""Cholesky factors of banded matrices, row by row, each row with a first column of its own.

Row i of the lower triangle is stored in band[i], its entry in column j at j − i + width − 1, so
that the diagonal comes last.
"""

from __future__ import annotations

import math

from limbik.jit import inner, kernel


@inner(fastmath={"reassoc", "contract"})
def _product(x, a, y, b, count):
    """Σ x[a + k]·y[b + k], over views whose indices are never negative, so that loops vectorise."""
    x, y = x[a : a + count], y[b : b + count]
    total = 0.0
    for k in range(count):
        total += x[k] * y[k]
    return total


@inner(fastmath={"reassoc", "contract"})
def _products(x, y, a, b, u, v, c, d, count):
    """Four sums over x[a + k], y[b + k] and u[c + k], v[d + k], so that each is read once."""
    x, y, u, v = x[a : a + count], y[b : b + count], u[c : c + count], v[d : d + count]
    xu, xv, yu, yv = 0.0, 0.0, 0.0, 0.0
    for k in range(count):
        p, q, r, s = x[k], y[k], u[k], v[k]
        xu += p * r
        xv += p * s
        yu += q * r
        yv += q * s
    return xu, xv, yu, yv


@inner
def _entry(band, first, i, j):
    """L[i, j], all entries before it known."""
    width = band.shape[1]
    low = max(first[i], first[j])
    total = band[i, j - i + width - 1]
    if low < j:
        total -= _product(band[i], low - i + width - 1, band[j], low - j + width - 1, j - low)
    return total


@inner
def _take_root(row, edge, count):
    """The diagonal entry, at ``edge``, of a row of L becomes 1/L, or False where it has no root.

    ``count`` entries of the row stand before it.
    """
    begin = edge - count
    total = row[edge] - _product(row, begin, row, begin, count)
    if not total > 0.0:
        return False
    row[edge] = 1.0 / math.sqrt(total)
    return True


@kernel
def banded_cholesky(band, first, count):
    """A = LLᵀ in place for the leading ``count`` rows; False where A is not positive definite.

    ``first`` (rows,) is the column of each row's first entry, and never falls from row to row; L
    has no entry before it either.  The diagonal keeps 1/Lᵢᵢ.  Two rows and two columns are worked
    out at a time where their first columns are the same.
    """
    width = band.shape[1]
    edge = width - 1
    i = 0
    while i < count:
        pair = i + 1 < count and first[i] == first[i + 1]
        low, x = first[i], band[i]
        y = band[i + 1] if pair else x
        j = low
        while j < i:
            if pair and j + 1 < i and first[j] == first[j + 1]:
                u, v = band[j], band[j + 1]
                begin = max(low, first[j])
                xu, xv, yu, yv = 0.0, 0.0, 0.0, 0.0
                if begin < j:
                    xu, xv, yu, yv = _products(
                        x, y, begin - i + edge, begin - i - 1 + edge, u, v, begin - j + edge,
                        begin - j - 1 + edge, j - begin,
                    )  # fmt: skip
                a, b = j - i + edge, j - i - 1 + edge
                x[a] = (x[a] - xu) * u[edge]
                y[b] = (y[b] - yu) * u[edge]
                x[a + 1] = (x[a + 1] - xv - x[a] * v[edge - 1]) * v[edge]
                y[b + 1] = (y[b + 1] - yv - y[b] * v[edge - 1]) * v[edge]
                j += 2
            else:
                x[j - i + edge] = _entry(band, first, i, j) * band[j, edge]
                if pair:
                    y[j - i - 1 + edge] = _entry(band, first, i + 1, j) * band[j, edge]
                j += 1
        if not _take_root(x, edge, i - low):
            return False
        i += 1
        if pair:
            y[edge - 1] = _entry(band, first, i, i - 1) * x[edge]
            if not _take_root(y, edge, i - low):
                return False
            i += 1
    return True


@kernel
def banded_solve(band, first, count, b):
    """Solve LLᵀx = b in place, with the factor that ``banded_cholesky`` left in band."""
    width = band.shape[1]
    for i in range(count):
        low, row = first[i], band[i]
        total = b[i] - _product(row, low - i + width - 1, b, low, i - low)
        b[i] = total * row[width - 1]
    for i in range(count - 1, -1, -1):
        low, row = first[i], band[i]
        b[i] *= row[width - 1]
        value = b[i]
        above, entries = b[low:i], row[low - i + width - 1 :]
        for k in range(i - low):
            above[k] -= entries[k] * value
