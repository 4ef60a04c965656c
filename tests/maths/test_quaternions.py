"""Quaternions against SciPy, and by their algebraic laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.rotation_samples import (
    QUATERNIONS,
    UNIT,
    random_rotations,
    same_rotation,
    wxyz,
)
from limbik.maths import so3 as rot


def test_quaternions_agree_with_scipy() -> None:
    a, b = random_rotations(seed=1), random_rotations(seed=2)
    points = np.random.default_rng(3).normal(size=(500, 3))
    np.testing.assert_allclose(
        rot.quat_to_matrix(rot.quat_multiply(wxyz(a), wxyz(b))), (a * b).as_matrix(), atol=1e-14
    )
    np.testing.assert_allclose(rot.quat_rotate(wxyz(a), points), a.apply(points), atol=1e-13)
    np.testing.assert_allclose(rot.quat_to_matrix(wxyz(a)), a.as_matrix(), atol=1e-14)
    back = rot.matrix_to_quat(a.as_matrix())
    np.testing.assert_allclose(rot.quat_to_matrix(back), a.as_matrix(), atol=1e-14)
    assert np.all(back[:, 0] >= 0.0)
    np.testing.assert_allclose(
        rot.angle_between(wxyz(a), wxyz(b)), (a.inv() * b).magnitude(), atol=1e-14
    )


def test_leading_axes_broadcast() -> None:
    q = wxyz(random_rotations(6)).reshape(2, 3, 4)
    assert rot.quat_multiply(q[:, None], q[None]).shape == (2, 2, 3, 4)
    assert rot.quat_rotate(q, [1.0, 0.0, 0.0]).shape == (2, 3, 3)
    assert rot.quat_to_matrix(q).shape == (2, 3, 3, 3)
    assert rot.matrix_to_quat(rot.quat_to_matrix(q)).shape == (2, 3, 4)
    assert rot.exp_map(rot.log_map(q)).shape == (2, 3, 4)
    assert rot.left_jacobian(np.zeros((0, 3))).shape == (0, 3, 3)
    assert rot.slerp(q[0, 0], q[1, 1], np.linspace(0, 1, 5)).shape == (5, 4)
    assert rot.quat_to_euler(rot.euler_to_quat(np.zeros((2, 3, 3)), "XYZ"), "ZYX").shape == (
        2,
        3,
        3,
    )
    swing, twist = rot.swing_twist(q, np.eye(3))
    assert swing.shape == twist.shape == (2, 3, 4)
    # Rows taken from the middle of a bigger array are not contiguous.
    np.testing.assert_array_equal(rot.log_map(q[:, 1]), rot.log_map(q)[:, 1])


@given(UNIT, UNIT, UNIT)
def test_the_product_is_associative(a, b, c) -> None:
    left = rot.quat_multiply(rot.quat_multiply(a, b), c)
    right = rot.quat_multiply(a, rot.quat_multiply(b, c))
    np.testing.assert_allclose(left, right, atol=1e-15)


@given(QUATERNIONS)
def test_the_conjugate_of_a_unit_quaternion_is_its_inverse(q) -> None:
    unit = rot.quat_normalise(q)
    one = rot.quat_multiply(unit, rot.quat_conjugate(unit))
    np.testing.assert_allclose(one, [1.0, 0.0, 0.0, 0.0], atol=1e-15)
    # A length other than 1 does not change the matrix.
    np.testing.assert_allclose(rot.quat_to_matrix(q), rot.quat_to_matrix(unit), atol=1e-14)


@given(UNIT)
def test_a_matrix_is_a_rotation_and_comes_back(q) -> None:
    matrix = rot.quat_to_matrix(q)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(matrix) == pytest.approx(1.0, abs=1e-14)
    assert same_rotation(rot.matrix_to_quat(matrix), q, 1e-14)


@given(UNIT, UNIT, st.floats(0.0, 1.0))
def test_slerp_turns_at_constant_speed(a, b, t) -> None:
    middle = rot.slerp(a, b, t)
    whole = rot.angle_between(a, b)
    np.testing.assert_allclose(rot.angle_between(a, middle), t * whole, atol=1e-14)
    np.testing.assert_allclose(rot.angle_between(middle, b), (1 - t) * whole, atol=1e-14)


def test_slerp_ends_where_it_should() -> None:
    a, b = wxyz(random_rotations(seed=4)), wxyz(random_rotations(seed=5))
    assert same_rotation(rot.slerp(a, b, 0.0), a)
    assert np.all(rot.angle_between(rot.slerp(a, b, 1.0), b) < 1e-14)
    np.testing.assert_allclose(rot.slerp(a, a, 0.3), a, atol=1e-15)
    assert rot.angle_between(rot.slerp(a, -a, 0.5), a).max() < 1e-14


@pytest.mark.parametrize("angle", [1e-12, 1e-9, 1e-3, np.pi - 1e-9, np.pi])
def test_angle_between_is_exact_at_its_ends(angle: float) -> None:
    turn = rot.exp_map([0.0, angle, 0.0])
    assert rot.angle_between([1, 0, 0, 0], turn) == pytest.approx(angle, rel=1e-15)
    assert rot.angle_between([-1, 0, 0, 0], turn) == pytest.approx(angle, rel=1e-15)
