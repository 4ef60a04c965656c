"""The banded Cholesky factor against a dense solve."""

from __future__ import annotations

import numpy as np
import pytest

from limbik.animate.whole_clip.banded import banded_cholesky, banded_solve


def banded(sizes: list[int], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(dense, band, first columns) of a random pentadiagonal matrix of blocks of these sizes."""
    base = np.concatenate([[0], np.cumsum(sizes)])
    count = int(base[-1])
    dense = np.zeros((count, count))
    for k in range(len(sizes)):
        rows = slice(base[k], base[k + 1])
        reach = slice(base[max(k - 2, 0)], base[k + 1])
        dense[rows, reach] = rng.normal(size=(sizes[k], reach.stop - reach.start))
    dense = np.tril(dense)
    dense = dense @ dense.T + np.eye(count)
    width = 3 * max(sizes)
    band = np.full((count, width), np.nan)  # what lies outside is never read
    first = np.repeat([base[max(k - 2, 0)] for k in range(len(sizes))], sizes)
    for i in range(count):
        band[i, first[i] - i + width - 1 :] = dense[i, first[i] : i + 1]
    return dense, band, first


@pytest.mark.parametrize("sizes", [[1], [3, 2], [4, 4, 4, 4], [5, 3, 6, 1, 2, 7, 7]])
def test_it_solves_as_a_dense_solver_does(sizes: list[int]) -> None:
    rng = np.random.default_rng(sum(sizes))
    dense, band, first = banded(sizes, rng)
    right = rng.normal(size=len(dense))
    x = right.copy()
    assert banded_cholesky(band, first, len(dense))
    banded_solve(band, first, len(dense), x)
    assert np.allclose(x, np.linalg.solve(dense, right), rtol=1e-9, atol=1e-9)


def test_what_is_not_positive_is_refused() -> None:
    dense, band, first = banded([3, 3, 3], np.random.default_rng(0))
    band[7, -1] -= 2.0 * dense[7, 7]
    assert not banded_cholesky(band, first, len(dense))
