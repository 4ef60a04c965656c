"""Sweeps in threads: the same answers as one thread, and those of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from limbik import MethodError
from limbik.methods.gauss_seidel.schedule import colors
from limbik.papers.dual_quaternion.threaded_sweeps import threaded_sweeps


def system(legs: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Legs of four coordinates that share a body of three: (J, e, blocks)."""
    rng = np.random.default_rng(seed)
    n = 3 + 4 * legs
    jacobian = np.zeros((6 * legs, n))
    for leg in range(legs):
        rows = slice(6 * leg, 6 * leg + 6)
        jacobian[rows, :3] = rng.normal(size=(6, 3)) * 0.3
        jacobian[rows, 3 + 4 * leg : 7 + 4 * leg] = rng.normal(size=(6, 4))
    blocks = [np.arange(3), *(np.arange(3 + 4 * k, 7 + 4 * k) for k in range(legs))]
    return jacobian, rng.normal(size=6 * legs), blocks


def limits(n: int) -> dict[str, np.ndarray]:
    return {"lower": np.full(n, -0.2), "upper": np.full(n, 0.3)}


def colours(a: np.ndarray) -> list[np.ndarray]:
    found = colors(a != 0.0)
    return [np.flatnonzero(found == k) for k in range(found.max() + 1)]


def test_a_color_holds_what_is_not_coupled() -> None:
    jacobian, _, _ = system(5)
    groups = colours(jacobian.T @ jacobian)
    assert [len(group) for group in groups] == [1, 1, 1, 5, 5, 5, 5]


@pytest.mark.parametrize("blocked", [False, True])
def test_sweeps_end_at_the_bounded_least_squares_of_scipy(blocked: bool) -> None:
    jacobian, e, blocks = system(6)
    a, b = jacobian.T @ jacobian, jacobian.T @ e
    groups = blocks if blocked else colours(a)
    x, done = threaded_sweeps(
        a, b, groups=groups, blocked=blocked, sweeps=3000, change=1e-14, **limits(len(b))
    )
    theirs = lsq_linear(jacobian, e, (-0.2, 0.3), tol=1e-14).x
    np.testing.assert_allclose(x, theirs, atol=1e-7)
    assert done < 3000
    assert np.isclose(x, -0.2, atol=1e-12).any()
    assert np.isclose(x, 0.3, atol=1e-12).any()
    assert x.min() >= -0.2
    assert x.max() <= 0.3


@pytest.mark.parametrize("blocked", [False, True])
def test_any_number_of_threads_gives_the_same_to_the_bit(blocked: bool) -> None:
    jacobian, e, blocks = system(7, seed=1)
    a, b = jacobian.T @ jacobian, jacobian.T @ e
    groups = blocks if blocked else colours(a)
    answers = [
        threaded_sweeps(
            a, b, groups=groups, blocked=blocked, threads=threads, sweeps=7, **limits(len(b))
        )[0]
        for threads in (1, 2, 5, 40)
    ]
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer, answers[0])


def test_colors_give_the_sweep_of_their_order() -> None:
    jacobian, e, _ = system(4, seed=2)
    a, b = jacobian.T @ jacobian, jacobian.T @ e
    groups = colours(a)
    x, _ = threaded_sweeps(a, b, groups=groups, sweeps=3, **limits(len(b)))
    plain = np.zeros(len(b))
    for _ in range(3):
        for i in np.concatenate(groups):
            plain[i] = np.clip(plain[i] + (b[i] - a[i] @ plain) / a[i, i], -0.2, 0.3)
    np.testing.assert_allclose(x, plain, rtol=0, atol=1e-14)


def test_undamped_jacobi_between_blocks_would_diverge() -> None:
    a, b = np.full((3, 3), 0.9) + 0.1 * np.eye(3), np.array([1.0, 2.0, -1.0])
    blocks = [np.array([k]) for k in range(3)]
    x = np.zeros(3)
    for _ in range(30):
        x = x + (b - a @ x) / np.diag(a)
    assert np.abs(x).max() > 1e3
    wide = np.full(3, 1e9)
    damped, _ = threaded_sweeps(
        a, b, lower=-wide, upper=wide, groups=blocks, blocked=True, sweeps=2000
    )
    np.testing.assert_allclose(damped, np.linalg.solve(a, b), rtol=1e-9)


def test_refusals() -> None:
    a, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.ones(2)
    with pytest.raises(MethodError, match="of one colour are coupled"):
        threaded_sweeps(a, b, groups=[np.array([0, 1])], **limits(2))
    with pytest.raises(MethodError, match="each of the 2 coordinates"):
        threaded_sweeps(a, b, groups=[np.array([0])], **limits(2))
    with pytest.raises(MethodError, match="threads"):
        threaded_sweeps(a, b, groups=[np.array([0]), np.array([1])], threads=0, **limits(2))
