"""Exponential map, left Jacobian, swing and twist: against SciPy and by their laws."""

from __future__ import annotations

import doctest
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from helpers.rotation_samples import (
    AXES,
    QUATERNIONS,
    ROTATION_VECTORS,
    UNIT,
    kernel,
    random_rotations,
    same_rotation,
    wxyz,
)
from limbik.errors import LimbikError
from limbik.maths import euler, quaternions
from limbik.maths import so3 as rot
from limbik.maths import so3 as rotations

# --- exponential map -------------------------------------------------------------------------


@given(ROTATION_VECTORS)
def test_the_exponential_agrees_with_scipy(w) -> None:
    reference = Rotation.from_rotvec(w)
    assert same_rotation(rot.exp_map(w), wxyz(reference), 4e-15)
    matrix = kernel(rot.exp_matrix, *w).reshape(3, 3)
    np.testing.assert_allclose(matrix, reference.as_matrix(), atol=4e-15)
    np.testing.assert_allclose(matrix, rot.quat_to_matrix(rot.exp_map(w)), atol=2e-15)


@given(ROTATION_VECTORS)
def test_the_logarithm_undoes_the_exponential(w) -> None:
    q = rot.exp_map(w)
    assert same_rotation(rot.exp_map(rot.log_map(q)), q, 2e-15)
    angle = np.linalg.norm(w)
    if angle < np.pi - 1e-12:
        within = 2e-15 * angle + 1e-300  # denormal numbers have fewer digits to keep
        np.testing.assert_allclose(rot.log_map(q), w, rtol=1e-14, atol=within)
        np.testing.assert_allclose(rot.log_map(-q), w, rtol=1e-14, atol=within)
    for log in (rot.log_map(q), kernel(rot.log_matrix, kernel(rot.exp_matrix, *w), size=3)):
        assert np.linalg.norm(log) <= np.pi * (1 + 1e-15)
        assert same_rotation(rot.exp_map(log), q, 4e-15)


@given(QUATERNIONS, st.floats(1e-3, 1e3))
def test_the_logarithm_does_not_see_length_or_sign(q, length) -> None:
    np.testing.assert_allclose(rot.log_map(length * q), rot.log_map(q), atol=1e-14)
    if q[0] != 0.0:
        np.testing.assert_array_equal(rot.log_map(-q), rot.log_map(q))


@pytest.mark.parametrize("angle", [1e-300, 1e-150, 1e-20, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2])
def test_tiny_rotations_keep_every_digit(angle: float) -> None:
    w = angle * np.array([0.6, 0.0, -0.8])
    np.testing.assert_allclose(rot.exp_map(w)[1:], 0.5 * w * np.sinc(angle / 2 / np.pi), rtol=1e-15)
    np.testing.assert_allclose(rot.log_map(rot.exp_map(w)), w, rtol=1e-15)
    np.testing.assert_allclose(
        kernel(rot.log_matrix, kernel(rot.exp_matrix, *w), size=3), w, rtol=2e-15
    )


@pytest.mark.parametrize(
    "axis", np.vstack([np.eye(3), -np.eye(3), [[0.6, 0.8, 0], [0, -0.6, 0.8]]])
)
def test_half_turns(axis: np.ndarray) -> None:
    exact = 2.0 * np.outer(axis, axis) - np.eye(3)
    np.testing.assert_allclose(
        kernel(rot.exp_matrix, *(np.pi * axis)).reshape(3, 3), exact, atol=1e-15
    )
    log = kernel(rot.log_matrix, exact.ravel(), size=3)
    assert same_rotation(log, np.pi * axis, 1e-15)
    q = kernel(rot.quat_from_matrix_into, exact.ravel(), size=4)
    assert same_rotation(q, np.array([0.0, *axis]), 1e-15)
    assert same_rotation(rot.log_map([0.0, *axis]), np.pi * axis, 1e-15)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
def test_the_logarithm_is_stable_on_both_sides_of_a_half_turn(gap: float) -> None:
    axis = np.array([2.0, -3.0, 6.0]) / 7.0
    below = kernel(rot.log_matrix, kernel(rot.exp_matrix, *((np.pi - gap) * axis)), size=3)
    above = kernel(rot.log_matrix, kernel(rot.exp_matrix, *((np.pi + gap) * axis)), size=3)
    assert same_rotation(below, (np.pi - gap) * axis, 4e-15)
    assert same_rotation(above, -(np.pi - gap) * axis, 4e-15)


def test_the_kernels_agree_with_the_public_functions() -> None:
    for q in wxyz(random_rotations(20)):
        np.testing.assert_array_equal(kernel(rot.log_quat, *q, size=3), rot.log_map(q))
        matrix = kernel(rot.matrix_from_quat, *q)
        np.testing.assert_array_equal(matrix, rot.quat_to_matrix(q).ravel())
        np.testing.assert_array_equal(
            kernel(rot.quat_from_matrix_into, matrix, size=4),
            rot.matrix_to_quat(matrix.reshape(3, 3)),
        )
        w = rot.log_map(q)
        np.testing.assert_array_equal(kernel(rot.exp_quat, *w, size=4), rot.exp_map(w))
        np.testing.assert_array_equal(
            kernel(rot.left_jacobian_into, *w), rot.left_jacobian(w).ravel()
        )
        np.testing.assert_array_equal(
            kernel(rot.left_jacobian_inverse_into, *w), rot.left_jacobian_inverse(w).ravel()
        )


@given(AXES, st.floats(0.0, 40.0))
def test_wrap_keeps_the_rotation(axis, angle) -> None:
    w = axis * angle
    short = rot.wrap(w)
    assert np.linalg.norm(short) <= np.pi * (1 + 1e-14)
    assert same_rotation(rot.exp_map(short), rot.exp_map(w), 1e-13)
    if angle < np.pi:
        np.testing.assert_array_equal(short, w)
    elif np.pi * (1 + 1e-12) < angle < 3 * np.pi * (1 - 1e-12):
        length = np.linalg.norm(w)
        np.testing.assert_allclose(short, (1 - 2 * np.pi / length) * w, atol=1e-14)


# --- left Jacobian ---------------------------------------------------------------------------


@given(ROTATION_VECTORS)
def test_the_left_jacobian_agrees_with_finite_differences(w) -> None:
    h = 1e-5
    inverse = rot.quat_conjugate(rot.exp_map(w))
    columns = []
    for step in h * np.eye(3):
        ahead = rot.log_map(rot.quat_multiply(rot.exp_map(w + step), inverse))
        behind = rot.log_map(rot.quat_multiply(rot.exp_map(w - step), inverse))
        columns.append((ahead - behind) / (2 * h))
    np.testing.assert_allclose(rot.left_jacobian(w), np.transpose(columns), atol=2e-10)


@given(ROTATION_VECTORS)
def test_the_left_jacobian_and_its_inverse_are_inverse(w) -> None:
    product = rot.left_jacobian(w) @ rot.left_jacobian_inverse(w)
    # The inverse grows like 1/(2π − θ); below 2π − 1e-6 this is the rounding it can amplify.
    within = 1e-14 / min(1.0, 2 * np.pi - np.linalg.norm(w))
    np.testing.assert_allclose(product, np.eye(3), atol=within)


@given(ROTATION_VECTORS)
def test_the_left_jacobian_carries_w_to_itself_and_the_right_one(w) -> None:
    jacobian = rot.left_jacobian(w)
    np.testing.assert_allclose(jacobian @ w, w, atol=2e-14)
    # J_l(w) = R(w)·J_l(−w)
    turned = rot.quat_to_matrix(rot.exp_map(w)) @ rot.left_jacobian(-w)
    np.testing.assert_allclose(jacobian, turned, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-5, 0.00999, 0.01001, 0.1])
def test_the_left_jacobian_near_zero_is_its_series(angle: float) -> None:
    x, y, z = w = angle * np.array([2.0, -3.0, 6.0]) / 7.0
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    series, term = np.eye(3), np.eye(3)
    for k in range(2, 12):
        term = term @ cross / k
        series = series + term
    np.testing.assert_allclose(rot.left_jacobian(w), series, rtol=0, atol=3e-16)
    np.testing.assert_allclose(
        rot.left_jacobian_inverse(w), np.linalg.inv(series), rtol=0, atol=6e-16
    )


# --- swing and twist -------------------------------------------------------------------------


@given(UNIT, AXES)
def test_swing_times_twist_is_the_rotation(q, axis) -> None:
    swing, twist = rot.swing_twist(q, 3.0 * axis)
    np.testing.assert_allclose(rot.quat_multiply(swing, twist), q, atol=1e-15)
    assert abs(swing[1:] @ axis) < 1e-15  # the swing's axis lies across the twist's
    np.testing.assert_allclose(np.cross(twist[1:], axis), 0.0, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm([swing, twist], axis=-1), 1.0, atol=1e-15)


def test_a_half_turn_of_swing_takes_no_twist() -> None:
    swing, twist = rot.swing_twist([0.0, 0.6, 0.8, 0.0], [0, 0, 1])
    np.testing.assert_array_equal(twist, [1.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(swing, [0.0, 0.6, 0.8, 0.0])
    half_turn = 2.0 * np.outer([0.6, 0.8, 0.0], [0.6, 0.8, 0.0]) - np.eye(3)
    s = kernel(rot.swing_twist_vector, half_turn.ravel(), np.eye(3).ravel(), size=3)
    assert same_rotation(s, np.pi * np.array([0.6, 0.8, 0.0]), 1e-15)


def rebuilt(s: np.ndarray, basis: np.ndarray) -> np.ndarray:
    swing = kernel(rot.exp_matrix, s[0], s[1], 0.0).reshape(3, 3)
    twist = kernel(rot.exp_matrix, 0.0, 0.0, s[2]).reshape(3, 3)
    return basis @ swing @ twist @ basis.T


@given(ROTATION_VECTORS, UNIT)
def test_swing_twist_numbers_rebuild_the_matrix(w, frame) -> None:
    matrix, basis = kernel(rot.exp_matrix, *w).reshape(3, 3), rot.quat_to_matrix(frame)
    s = kernel(rot.swing_twist_vector, matrix.ravel(), basis.ravel(), size=3)
    assert np.hypot(s[0], s[1]) <= np.pi * (1 + 1e-15)
    assert -np.pi < s[2] <= np.pi
    np.testing.assert_allclose(rebuilt(s, basis), matrix, atol=1e-14)


@given(st.floats(0.0, 3.0), st.floats(-np.pi, np.pi), st.floats(-3.14, 3.14), UNIT)
def test_swing_twist_numbers_come_back(size, direction, twist, frame) -> None:
    s = np.array([size * np.cos(direction), size * np.sin(direction), twist])
    basis = rot.quat_to_matrix(frame)
    back = kernel(rot.swing_twist_vector, rebuilt(s, basis).ravel(), basis.ravel(), size=3)
    np.testing.assert_allclose(back, s, atol=2e-13)


@pytest.mark.parametrize("size", [1e-12, 1e-9, 1e-7, 1e-5])
def test_tiny_swings_and_twists_keep_their_digits(size: float) -> None:
    s = size * np.array([0.3, -0.5, 0.7])
    back = kernel(rot.swing_twist_vector, rebuilt(s, np.eye(3)).ravel(), np.eye(3).ravel(), size=3)
    np.testing.assert_allclose(back, s, rtol=1e-14)


@pytest.mark.parametrize("basis", [np.eye(3), np.diag([1.0, -1.0, -1.0])])
def test_a_twist_of_a_half_turn_is_plus_pi(basis: np.ndarray) -> None:
    half_turn = np.diag([-1.0, -1.0, 1.0]).ravel()
    s = kernel(rot.swing_twist_vector, half_turn, basis.ravel(), size=3)
    np.testing.assert_array_equal(s, [0.0, 0.0, np.pi])


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: rot.euler_to_quat([0, 0, 0], "zyx"), '"zyx" is not an order'),
        (lambda: rot.quat_to_euler([1, 0, 0, 0], "XXY"), '"XXY" is not an order'),
        (lambda: rot.quat_normalise([0, 0, 0, 0]), "length 0"),
        (lambda: rot.swing_twist([1, 0, 0, 0], [0, 0, 0]), "length 0"),
        (lambda: rot.quat_multiply([1, 0, 0], [1, 0, 0, 0]), "axis of 4"),
        (lambda: rot.exp_map(1.0), "axis of 3"),
        (lambda: rot.matrix_to_quat(np.eye(4)[:, :3]), "3 × 3"),
    ],
)
def test_what_is_no_rotation_is_refused(call, says: str) -> None:
    with pytest.raises(LimbikError, match=says):
        call()


@pytest.mark.parametrize("module", [quaternions, euler, rotations])
def test_the_examples_of_the_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
