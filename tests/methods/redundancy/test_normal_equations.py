"""LU and the least squares of extended_jacobian against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import lu_factor

from limbik.methods.redundancy.normal_equations import (
    least_squares,
    lu,
    lu_solve,
    minimum_norm,
    normal_size,
    view_normal,
)


def room(n: int):
    return view_normal(n, np.full(normal_size(n), np.nan))[0]


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_lu_with_partial_pivoting(n: int) -> None:
    matrix = np.random.default_rng(n).normal(size=(n, n))
    a, pivots = matrix.copy(), np.empty(n)
    assert lu(a, pivots, 0.0)
    theirs, exchanged = lu_factor(matrix)
    np.testing.assert_allclose(a, theirs, atol=1e-12)
    np.testing.assert_array_equal(pivots, exchanged)
    b = np.arange(1.0, n + 1)
    x = b.copy()
    lu_solve(a, pivots, x)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, b), rtol=1e-9)


def test_lu_exchanges_rows_where_the_first_pivot_is_zero() -> None:
    a, pivots, x = np.array([[0.0, 2.0], [1.0, 1.0]]), np.empty(2), np.array([4.0, 5.0])
    assert lu(a, pivots, 0.0)
    lu_solve(a, pivots, x)
    np.testing.assert_allclose(x, [3.0, 2.0])


def test_lu_refuses_what_lacks_rank_and_what_is_not_a_number() -> None:
    assert not lu(np.array([[1.0, 2.0], [2.0, 4.0]]), np.empty(2), 1e-12)
    assert not lu(np.array([[1.0, np.nan], [np.nan, 1.0]]), np.empty(2), 0.0)


@pytest.mark.parametrize("shape", [(5, 5), (12, 5), (30, 12)])
def test_least_squares_by_normal_equations(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    matrix, b = rng.normal(size=shape), rng.normal(size=shape[0])
    x, n = np.empty(shape[1]), shape[1]
    at = np.ascontiguousarray(matrix.T)
    assert least_squares(at, b, np.ones(n), room(n), 1e-6, x)
    np.testing.assert_allclose(x, np.linalg.lstsq(matrix, b, rcond=None)[0], rtol=1e-8)
    # Equation 10's residual: perpendicular to every column.
    np.testing.assert_allclose(matrix.T @ (matrix @ x - b), 0.0, atol=1e-10)


@pytest.mark.parametrize("shape", [(12, 5), (5, 5), (3, 8)])
def test_without_rank_it_is_the_shortest_of_all_solutions(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    rank = min(shape) - 1
    matrix = rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))
    b, x, n = rng.normal(size=shape[0]), np.empty(shape[1]), shape[1]
    assert not least_squares(np.ascontiguousarray(matrix.T), b, np.ones(n), room(n), 1e-6, x)
    np.testing.assert_allclose(x, np.linalg.pinv(matrix, rcond=1e-6) @ b, atol=1e-9)
    assert minimum_norm(np.ascontiguousarray(matrix.T), b, room(n), 1e-6, x) == rank


def test_unknowns_that_are_left_out() -> None:
    rng = np.random.default_rng(3)
    matrix, b, x = rng.normal(size=(9, 4)), rng.normal(size=9), np.empty(4)
    free = np.array([1.0, 0.0, 1.0, 1.0])
    assert least_squares(np.ascontiguousarray(matrix.T), b, free, room(4), 1e-6, x)
    assert x[1] == 0.0
    kept = np.linalg.lstsq(matrix[:, [0, 2, 3]], b, rcond=None)[0]
    np.testing.assert_allclose(x[[0, 2, 3]], kept, rtol=1e-9)


def test_a_matrix_of_zeros_moves_nothing() -> None:
    x = np.full(3, np.nan)
    assert not least_squares(np.zeros((3, 4)), np.ones(4), np.ones(3), room(3), 1e-6, x)
    np.testing.assert_array_equal(x, np.zeros(3))
