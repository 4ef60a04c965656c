"""The Cholesky factors of kernels against a dense solve."""

from __future__ import annotations

import numpy as np
import pytest

from limbik.maths.linear import dot_between, envelope_cholesky, envelope_solve, square_between

LIMBS = [0, 0, 0, 3, 3, 0, 0, 7, 7, 7, 7, 0, 0]


@pytest.mark.parametrize("first", [[0], [0, 0], LIMBS, LIMBS[:-1]])
def test_a_sparse_system_is_solved_as_a_dense_one(first: list[int]) -> None:
    rng, size = np.random.default_rng(len(first)), len(first)
    dense = np.zeros((size, size))
    for i in range(size):
        dense[i, first[i] : i] = rng.normal(size=i - first[i])
    dense += dense.T + 2.0 * size * np.eye(size)
    factor = np.full((size, size), np.nan)  # what lies outside is never read
    for i in range(size):
        factor[i, first[i] : i + 1] = dense[i, first[i] : i + 1]
    right, low = rng.normal(size=size), np.array(first, np.uint32)
    x = right.copy()
    assert envelope_cholesky(factor, size, low)
    envelope_solve(factor, size, low, x)
    np.testing.assert_allclose(x, np.linalg.solve(dense, right), rtol=1e-12)


@pytest.mark.parametrize("size", [3, 4])
def test_a_system_that_is_not_positive_is_refused(size: int) -> None:
    for row in range(size):
        factor = np.eye(size)
        factor[row, row] = -1.0
        assert not envelope_cholesky(factor, size, np.zeros(size, np.uint32))


@pytest.mark.parametrize("size", [0, 1, 7, 40])
def test_sums_between_two_poses(size: int) -> None:
    a, start, end, divisor = np.random.default_rng(size).uniform(1, 2, (4, size + 3))
    own = slice(size)
    np.testing.assert_allclose(
        dot_between(a, start, end, size), a[own] @ (end - start)[own], rtol=1e-13
    )
    np.testing.assert_allclose(
        square_between(start, end, divisor, size), ((end - start) ** 2 / divisor)[own].sum(),
        rtol=1e-13,
    )  # fmt: skip
