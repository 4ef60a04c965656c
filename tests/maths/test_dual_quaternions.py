"""Dual quaternions: against homogeneous matrices, and by the laws they obey."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from limbik.errors import LimbikError
from limbik.maths import dual_quaternions as dq
from limbik.maths.so3 import angle_between, exp_map, left_jacobian, quat_multiply

NUMBERS = st.floats(-1.0, 1.0, allow_subnormal=False)
POINTS = arrays(np.float64, 3, elements=NUMBERS)
QUATERNIONS = arrays(np.float64, 4, elements=NUMBERS).filter(lambda q: np.linalg.norm(q) > 0.1)
ANY = arrays(np.float64, 8, elements=NUMBERS).filter(lambda q: np.linalg.norm(q[:4]) > 0.1)
TRANSFORMS = st.builds(dq.dq_from, QUATERNIONS, POINTS)
SCREWS = arrays(np.float64, 6, elements=NUMBERS)


def random_transforms(seed: int, count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Unit dual quaternions and the same transforms as SciPy's homogeneous matrices."""
    rng = np.random.default_rng(seed)
    rotation = Rotation.random(count, rng=rng)
    translation = rng.normal(size=(count, 3))
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, :3] = rotation.as_matrix()
    matrices[:, :3, 3] = translation
    return dq.dq_from(rotation.as_quat(scalar_first=True), translation), matrices


def twist_matrix(screw: np.ndarray) -> np.ndarray:
    x, y, z, a, b, c = screw
    return np.array([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


def test_transforms_agree_with_matrices() -> None:
    (a, A), (b, B) = random_transforms(1), random_transforms(2)
    np.testing.assert_allclose(dq.dq_to_matrix(a), A, atol=1e-14)
    np.testing.assert_allclose(dq.dq_to_matrix(dq.dq_multiply(a, b)), A @ B, atol=1e-13)
    np.testing.assert_allclose(dq.dq_to_matrix(dq.dq_conjugate(a)), np.linalg.inv(A), atol=1e-13)
    point = np.random.default_rng(3).normal(size=3)
    moved = (A @ np.append(point, 1.0))[:, :3]
    np.testing.assert_allclose(dq.dq_transform_point(a, point), moved, atol=1e-14)
    np.testing.assert_allclose(dq.dq_translation(a), A[:, :3, 3], atol=1e-14)


def test_leading_axes_broadcast() -> None:
    a = random_transforms(1, 6)[0].reshape(2, 3, 8)
    assert dq.dq_multiply(a, dq.DQ_IDENTITY).shape == (2, 3, 8)
    assert dq.dq_from([1, 0, 0, 0], np.zeros((5, 3))).shape == (5, 8)
    assert dq.dq_to_matrix(a).shape == (2, 3, 4, 4)
    assert dq.dq_transform_point(a[:, :, None], np.zeros((7, 3))).shape == (2, 3, 7, 3)
    assert dq.sclerp(a[0, 0], a[1, 2], np.linspace(0, 1, 5)).shape == (5, 8)
    assert dq.dq_norm(a).shape == (2, 3, 2)


def test_a_chain_is_the_product_of_its_links() -> None:
    """Equation 13 of dual_quaternion: three links of length 1, each bent by 90°, make a U."""
    link = dq.dq_multiply(
        dq.dq_from(exp_map([0, 0, np.pi / 2]), [0, 0, 0]), dq.dq_from([1, 0, 0, 0], [1, 0, 0])
    )
    end = dq.DQ_IDENTITY
    for _ in range(3):
        end = dq.dq_multiply(end, link)
    np.testing.assert_allclose(dq.dq_translation(end), [-1, 0, 0], atol=1e-15)


@given(ANY, ANY, ANY)
def test_the_product_is_associative(a, b, c) -> None:
    left = dq.dq_multiply(dq.dq_multiply(a, b), c)
    np.testing.assert_allclose(left, dq.dq_multiply(a, dq.dq_multiply(b, c)), atol=1e-14)


@given(ANY, ANY)
def test_conjugates_of_a_product(a, b) -> None:
    product = dq.dq_multiply(a, b)
    for reverses, conjugate in (
        (True, dq.dq_conjugate),
        (False, dq.dq_conjugate_dual),
        (True, dq.dq_conjugate_both),
    ):
        first, second = (b, a) if reverses else (a, b)
        expected = dq.dq_multiply(conjugate(first), conjugate(second))
        np.testing.assert_allclose(conjugate(product), expected, atol=1e-14)
        np.testing.assert_array_equal(conjugate(conjugate(a)), a)


@given(TRANSFORMS, POINTS)
def test_points_are_carried_by_the_double_conjugate(q, point) -> None:
    as_dual = np.array([1, 0, 0, 0, 0, *point])
    carried = dq.dq_multiply(dq.dq_multiply(q, as_dual), dq.dq_conjugate_both(q))
    np.testing.assert_allclose(carried[:5], [1, 0, 0, 0, 0], atol=1e-14)
    np.testing.assert_allclose(carried[5:], dq.dq_transform_point(q, point), atol=1e-14)


@given(TRANSFORMS)
def test_the_conjugate_of_a_unit_dual_quaternion_is_its_inverse(q) -> None:
    one = dq.dq_multiply(q, dq.dq_conjugate(q))
    np.testing.assert_allclose(one, dq.DQ_IDENTITY, atol=1e-14)
    np.testing.assert_allclose(dq.dq_norm(q), [1.0, 0.0], atol=1e-14)


@given(ANY, ANY)
def test_the_norm_is_a_dual_number_that_multiplies(a, b) -> None:
    (ar, ad), (br, bd) = dq.dq_norm(a), dq.dq_norm(b)
    expected = [ar * br, ar * bd + ad * br]
    np.testing.assert_allclose(dq.dq_norm(dq.dq_multiply(a, b)), expected, atol=1e-13)
    # ‖q‖² = q·q*
    square = dq.dq_multiply(a, dq.dq_conjugate(a))
    np.testing.assert_allclose(square[[0, 4]], [ar * ar, 2 * ar * ad], atol=1e-14)
    np.testing.assert_allclose(square[[1, 2, 3, 5, 6, 7]], 0.0, atol=1e-14)


@given(ANY)
def test_normalising_gives_the_unity_condition(q) -> None:
    """Equation 11 of dual_quaternion."""
    unit = dq.dq_normalise(q)
    np.testing.assert_allclose(dq.dq_norm(unit), [1.0, 0.0], atol=1e-13)
    np.testing.assert_allclose(dq.dq_normalise(unit), unit, atol=1e-13)


@given(TRANSFORMS, st.floats(0.1, 10.0), st.floats(-1.0, 1.0))
def test_normalising_takes_a_dual_scale_away(q, real, dual) -> None:
    scale = np.array([real, 0, 0, 0, dual, 0, 0, 0])
    np.testing.assert_allclose(dq.dq_normalise(dq.dq_multiply(scale, q)), q, atol=1e-13)


@given(SCREWS, st.sampled_from([0.0, 1e-9, 1e-4, 1.0, 1.7]))
def test_the_exponential_of_a_screw_agrees_with_the_matrix_exponential(screw, size) -> None:
    screw = size * screw
    matrix = dq.dq_to_matrix(dq.dq_exp(screw))
    np.testing.assert_allclose(matrix, expm(twist_matrix(screw)), atol=1e-14)
    np.testing.assert_allclose(dq.dq_log(dq.dq_exp(screw)), screw, rtol=1e-12, atol=1e-14 * size)


@given(TRANSFORMS)
def test_the_exponential_undoes_the_logarithm(q) -> None:
    matrix = dq.dq_to_matrix(dq.dq_exp(dq.dq_log(q)))
    np.testing.assert_allclose(matrix, dq.dq_to_matrix(q), atol=1e-13)


@given(TRANSFORMS, TRANSFORMS)
def test_screw_interpolation_ends_where_it_should(a, b) -> None:
    start, end = dq.sclerp(a, b, [0.0, 1.0])
    np.testing.assert_allclose(start, a, atol=1e-14)
    np.testing.assert_allclose(dq.dq_to_matrix(end), dq.dq_to_matrix(b), atol=1e-13)


@given(TRANSFORMS, TRANSFORMS)
def test_screw_interpolation_is_one_constant_screw(a, b) -> None:
    """Equal shares of time are equal transforms, in a's frame and from any frame to the next."""
    path = dq.sclerp(a, b, np.linspace(0.0, 1.0, 6))
    steps = dq.dq_multiply(dq.dq_conjugate(path[:-1]), path[1:])
    steps = np.where(steps[:, :1] < 0.0, -steps, steps)
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=1e-13)
    turned = angle_between(path[0, :4], path[-1, :4])
    np.testing.assert_allclose(angle_between(path[0, :4], path[1, :4]), turned / 5, atol=1e-13)


@given(TRANSFORMS, TRANSFORMS, TRANSFORMS, st.floats(0.0, 1.0))
def test_screw_interpolation_does_not_depend_on_the_frame(a, b, frame, t) -> None:
    whole = dq.dq_log(dq.dq_multiply(dq.dq_conjugate(a), b))
    if np.linalg.norm(whole[:3]) > np.pi - 1e-6:
        return  # at a half turn both ways round are equally short
    seen = dq.sclerp(dq.dq_multiply(frame, a), dq.dq_multiply(frame, b), t)
    expected = dq.dq_multiply(frame, dq.sclerp(a, b, t))
    np.testing.assert_allclose(dq.dq_to_matrix(seen), dq.dq_to_matrix(expected), atol=1e-12)


def test_a_quarter_of_a_corkscrew() -> None:
    whole = dq.dq_from(exp_map([0, 0, np.pi / 2]), [1, 1, 2])  # about the line x = 0, y = 1
    quarter = dq.dq_power(whole, 0.25)
    centre = [0.0, 1.0, 0.0]
    np.testing.assert_allclose(dq.dq_transform_point(quarter, centre), [0, 1, 0.5], atol=1e-15)
    assert angle_between([1, 0, 0, 0], dq.dq_rotation(quarter)) == pytest.approx(np.pi / 8)


def test_the_identity_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        dq.DQ_IDENTITY[0] = 2.0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: dq.dq_normalise([0, 0, 0, 0, 1, 0, 0, 0]), "length 0"),
        (lambda: dq.dq_from([0, 0, 0, 0], [1, 2, 3]), "length 0"),
        (lambda: dq.dq_multiply(dq.DQ_IDENTITY, [1, 0, 0, 0]), "axis of 8"),
        (lambda: dq.dq_exp([1, 2, 3]), "axis of 6"),
    ],
)
def test_what_is_no_transform_is_refused(call, says: str) -> None:
    with pytest.raises(LimbikError, match=says):
        call()


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(dq).failed == 0


def test_kernels_multiply_and_conjugate_as_the_functions_do() -> None:
    rng = np.random.default_rng(11)
    for _ in range(20):
        a, b, out = rng.normal(size=8), rng.normal(size=8), np.empty(8)
        dq.dq_multiply_into(a, b, out)
        np.testing.assert_allclose(out, dq.dq_multiply(a, b), rtol=0, atol=1e-14)
        dq.dq_conjugate_into(a, out)
        np.testing.assert_array_equal(out, dq.dq_conjugate(a))


@pytest.mark.parametrize("length", [0.0, 1e-9, 1e-3, 0.0099, 0.0101, 1.0, 3.0, 6.0])
def test_derivative_of_the_exponential(length: float) -> None:
    rng = np.random.default_rng(12)
    for _ in range(5):
        w, d, out, h = rng.normal(size=3), rng.normal(size=3), np.empty(4), 1e-6
        w *= length / np.linalg.norm(w)
        dq.exp_quat_derivative(*w, *d, out)
        differences = (exp_map(w + h * d) - exp_map(w - h * d)) / (2 * h)
        np.testing.assert_allclose(out, differences, rtol=0, atol=1e-9)
        # To the last digits: ∂q = ½(0, Jl·d)·q with the left Jacobian of SO(3).
        turn = np.concatenate([[0.0], left_jacobian(w) @ d])
        np.testing.assert_allclose(out, 0.5 * quat_multiply(turn, exp_map(w)), rtol=0, atol=3e-15)


@pytest.mark.parametrize("length", [1e-13, 1e-11, 1e-6, 0.1, 1.0, 3.0, 3.14159])
def test_derivative_of_the_logarithm(length: float) -> None:
    rng = np.random.default_rng(13)
    for sign in (1.0, -1.0):
        w, d, out, change = rng.normal(size=3), rng.normal(size=3), np.empty(3), np.empty(4)
        w *= length / np.linalg.norm(w)
        dq.exp_quat_derivative(*w, *d, change)
        dq.log_quat_derivative(sign * exp_map(w), sign * change, out)
        np.testing.assert_allclose(out, d, rtol=0, atol=1e-9)
