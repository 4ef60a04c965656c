"""The planar equations of extended_jacobian against finite differences and NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.differences import differences
from limbik.papers.extended_jacobian.planar import (
    end_of,
    extended_displacement,
    extended_jacobian_of,
    jacobian_of,
    planar_step,
)

LENGTHS = np.array([90.0, 60.0, 90.0, 150.0, 150.0, 90.0])
Q = np.array([0.3, -0.5, 0.7, 0.2, -0.4, 0.6])


def test_the_end_of_a_chain() -> None:
    """Equation 1."""
    turned = np.cumsum(Q)
    np.testing.assert_allclose(
        end_of(LENGTHS, Q, 0, 6), [LENGTHS @ np.cos(turned), LENGTHS @ np.sin(turned)]
    )


@pytest.mark.parametrize("i", range(5))
def test_a_basic_element_starts_at_its_joint_in_turned_axes(i: int) -> None:
    """Equation 8: the world's difference of two joints, turned back by the angles before."""
    turned = np.concatenate([[0.0], np.cumsum(Q)])
    joints = np.cumsum(LENGTHS * np.array([np.cos(turned[1:]), np.sin(turned[1:])]), axis=1)
    joints = np.column_stack([np.zeros(2), joints])
    c, s = np.cos(turned[i]), np.sin(turned[i])
    local = np.array([[c, s], [-s, c]]) @ (joints[:, i + 2] - joints[:, i])
    np.testing.assert_allclose(end_of(LENGTHS, Q, i, 2), local, atol=1e-12)


def test_the_jacobian() -> None:
    """Equation 3."""
    wanted = differences(lambda q: end_of(LENGTHS, q, 0, 6), Q)
    np.testing.assert_allclose(jacobian_of(LENGTHS, Q), wanted, atol=1e-6)


def test_the_extended_jacobian() -> None:
    """Equation 9: rows i and i + n − 1 belong to the pair i:i+2, the last two to the main link."""

    def rows(q: np.ndarray) -> list[float]:
        pairs = [end_of(LENGTHS, q, i, 2) for i in range(5)]
        return [*(x for x, _ in pairs), *(y for _, y in pairs), *end_of(LENGTHS, q, 0, 6)]

    extended = extended_jacobian_of(LENGTHS, Q)
    assert extended.shape == (12, 6)
    np.testing.assert_allclose(extended, differences(rows, Q), atol=1e-6)
    weighted = extended_jacobian_of(LENGTHS, Q, 0.25)
    np.testing.assert_array_equal(weighted[:10], 0.25 * extended[:10])
    np.testing.assert_array_equal(weighted[10:], extended[10:])


@pytest.mark.parametrize("weight", [1.0, 0.1, 3.0])
def test_a_step_is_least_squares_and_damped_by_a_matrix(weight: float) -> None:
    """Equation 10, and what it comes to with dxᵢ = 0."""
    dx = np.array([3.0, -5.0])
    dq, full = planar_step(LENGTHS, Q, dx, weight=weight)
    assert full
    wanted = np.empty(12)
    extended_displacement(*dx, wanted)
    np.testing.assert_array_equal(wanted, [*np.zeros(10), *dx])
    rows = extended_jacobian_of(LENGTHS, Q, weight)
    np.testing.assert_allclose(dq, np.linalg.lstsq(rows, wanted, rcond=None)[0], rtol=1e-9)
    j, k = jacobian_of(LENGTHS, Q), extended_jacobian_of(LENGTHS, Q)[:10]
    damped = np.linalg.solve(j.T @ j + weight**2 * k.T @ k, j.T @ dx)
    np.testing.assert_allclose(dq, damped, rtol=1e-9)
    # So the end goes only a part of the way.
    assert 0.0 < (j @ dq) @ dx / (dx @ dx) < 1.0


def test_a_step_without_rank_is_the_shortest() -> None:
    q = np.array([0.3, np.pi, 0.7, np.pi])
    dq, full = planar_step(np.ones(4), q, np.array([0.1, 0.2]))
    assert not full
    rows = extended_jacobian_of(np.ones(4), q)
    shortest = np.linalg.pinv(rows, rcond=1e-6) @ [*np.zeros(6), 0.1, 0.2]
    np.testing.assert_allclose(dq, shortest, atol=1e-12)
    assert abs(dq[0]) < 1e-12
