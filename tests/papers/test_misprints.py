"""Misprints of the papers: each test shows that the printed form fails and the corrected holds."""

from __future__ import annotations

import numpy as np
import pytest

from limbik.maths import dual_quaternions as dq
from limbik.maths import so3 as rot

AXIS = np.array([2.0, -3.0, 6.0]) / 7.0
POINT = np.array([0.3, 1.1, -0.7])
Q = rot.quat_normalise([0.7, 0.3, 0.5, 0.4])


def turn(angle: float, axis: str) -> np.ndarray:
    return rot.quat_to_matrix(rot.exp_map(angle * np.eye(3)["xyz".index(axis)]))


# --- line_search -----------------------------------------------------------------------------


def test_line_search_a8_cross_product_matrix() -> None:
    x, y, z = AXIS
    printed = np.array([[0, y, -z], [-y, 0, x], [z, -x, 0]])
    corrected = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    np.testing.assert_allclose(corrected @ POINT, np.cross(AXIS, POINT), atol=1e-15)
    assert np.abs(printed @ POINT - np.cross(AXIS, POINT)).max() > 0.1
    # It is not a transpose or a sign either: the printed matrix moves the axis itself.
    assert np.abs(printed @ AXIS).max() > 0.1


def test_line_search_a16_last_row_of_the_transform() -> None:
    rotation = turn(0.3, "z") @ turn(0.5, "y") @ turn(-0.2, "z")
    np.testing.assert_allclose(
        rotation, rot.quat_to_matrix(rot.euler_to_quat([0.3, 0.5, -0.2], "ZYZ")), atol=1e-15
    )
    corrected = np.eye(4)
    corrected[:3, :3], corrected[:3, 3] = rotation, [1.0, 2.0, 3.0]
    printed = corrected.copy()
    printed[3, 3] = 0.0
    point = np.append(POINT, 1.0)
    twice = rotation @ (rotation @ POINT + [1, 2, 3]) + [1, 2, 3]
    np.testing.assert_allclose(corrected @ corrected @ point, [*twice, 1.0], atol=1e-14)
    # With 0 the point turns into a direction, and the next joint's translation is lost.
    assert (printed @ point)[3] == 0.0
    assert np.abs((printed @ printed @ point)[:3] - twice).max() > 0.9
    assert np.linalg.det(printed) == 0.0


# --- dual_quaternion -------------------------------------------------------------------------


def test_dual_quaternion_5_product() -> None:
    a, b = Q, rot.quat_normalise([0.2, -0.6, 0.1, 0.9])
    s0, v0, s1, v1 = a[0], a[1:], b[0], b[1:]
    corrected = np.array([s0 * s1 - v0 @ v1, *(s0 * v1 + s1 * v0 + np.cross(v0, v1))])
    np.testing.assert_allclose(rot.quat_multiply(a, b), corrected, atol=1e-15)
    one_after_other = rot.quat_to_matrix(a) @ rot.quat_to_matrix(b)
    np.testing.assert_allclose(rot.quat_to_matrix(corrected), one_after_other, atol=1e-15)
    # Printed, both products of the vectors look the same; no single product serves for both.
    printed = np.array([s0 * s1 - v0 @ v1, *(s0 * v1 + s1 * v0 + v0 * v1)])
    assert np.abs(rot.quat_to_matrix(printed) - one_after_other).max() > 0.1
    assert abs(np.linalg.norm(printed) - 1.0) > 0.01


def test_dual_quaternion_6_is_twice_the_logarithm() -> None:
    angle = 1.2
    q = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * AXIS)])
    np.testing.assert_allclose(rot.log_map(q), angle * AXIS, atol=1e-15)

    def exp_quaternion(q: np.ndarray) -> np.ndarray:
        """The exponential of a quaternion by its power series."""
        total, term = np.array([1.0, 0, 0, 0]), np.array([1.0, 0, 0, 0])
        for k in range(1, 40):
            term = rot.quat_multiply(term, q) / k
            total = total + term
        return total

    # exp(log q) = q holds for half the vector, and the exponential of q is something else.
    np.testing.assert_allclose(exp_quaternion(np.array([0, *(angle * AXIS / 2)])), q, atol=1e-15)
    assert np.abs(exp_quaternion(q) - [0, *(angle * AXIS)]).max() > 0.5


def test_dual_quaternion_32_swing_about_x_is_printed_right() -> None:
    s, x, y, z = Q
    n = np.hypot(s, x)
    swing, twist = np.array([n, 0, (s * y - x * z) / n, (s * z + x * y) / n]), [s / n, x / n, 0, 0]
    np.testing.assert_allclose(rot.swing_twist(Q, [1, 0, 0]), [swing, twist], atol=1e-15)


def test_dual_quaternion_33_swing_across_y() -> None:
    s, x, y, z = Q
    n = np.hypot(s, y)
    twist = np.array([s / n, 0, y / n, 0])
    printed = np.array([n, 0, (s * x + y * z) / n, (s * z - x * y) / n])
    corrected = np.array([n, (s * x + y * z) / n, 0, (s * z - x * y) / n])
    np.testing.assert_allclose(rot.quat_multiply(corrected, twist), Q, atol=1e-15)
    np.testing.assert_allclose(rot.swing_twist(Q, [0, 1, 0]), [corrected, twist], atol=1e-15)
    assert np.abs(rot.quat_multiply(printed, twist) - Q).max() > 0.05


def test_dual_quaternion_34_swing_across_z() -> None:
    s, x, y, z = Q
    n = np.hypot(s, z)
    twist = np.array([s / n, 0, 0, z / n])
    printed = np.array([n, 0, (s * x - y * z) / n, (s * y - x * z) / n])
    corrected = np.array([n, (s * x - y * z) / n, (s * y + x * z) / n, 0])
    np.testing.assert_allclose(rot.quat_multiply(corrected, twist), Q, atol=1e-15)
    np.testing.assert_allclose(rot.swing_twist(Q, [0, 0, 1]), [corrected, twist], atol=1e-15)
    assert np.abs(rot.quat_multiply(printed, twist) - Q).max() > 0.05
    # Moving the components alone does not help: the sign of xz is wrong as well.
    moved = np.array([n, (s * x - y * z) / n, (s * y - x * z) / n, 0])
    assert np.abs(rot.quat_multiply(moved, twist) - Q).max() > 0.05


def test_dual_quaternion_12_the_names_of_the_two_orders() -> None:
    """Found here: the labels name the factors from the left, not what happens to a point first."""
    move = np.array([1.0, 2.0, 3.0])
    pure = np.array([0.0, *move])
    none = np.zeros(3)
    first_form = np.concatenate([Q, 0.5 * rot.quat_multiply(Q, pure)])
    second_form = np.concatenate([Q, 0.5 * rot.quat_multiply(pure, Q)])
    turn_then_move = rot.quat_rotate(Q, POINT) + move
    move_then_turn = rot.quat_rotate(Q, POINT + move)
    # "rotation then translation" moves the point first, "translation then rotation" turns it first.
    np.testing.assert_allclose(dq.dq_transform_point(first_form, POINT), move_then_turn, atol=1e-14)
    np.testing.assert_allclose(
        dq.dq_transform_point(second_form, POINT), turn_then_move, atol=1e-14
    )
    np.testing.assert_allclose(dq.dq_from(Q, move), second_form, atol=1e-15)
    split = dq.dq_multiply(dq.dq_from([1, 0, 0, 0], move), dq.dq_from(Q, none))
    np.testing.assert_allclose(split, second_form, atol=1e-15)


def test_dual_quaternion_figure_8_derivative_of_the_translation() -> None:
    before, after = dq.dq_from(Q, [0.1, 0.2, 0.3]), dq.dq_from([0.9, 0.1, 0.2, -0.3], [1, -2, 0.5])

    def end(w: np.ndarray) -> np.ndarray:
        joint = dq.dq_from(rot.exp_map(w), [0.4, 0.0, -0.2])
        return dq.dq_multiply(dq.dq_multiply(before, joint), after)

    w, h = np.array([0.5, -0.3, 0.8]), 1e-6
    for step in h * np.eye(3):
        change = (end(w + step) - end(w - step)) / (2 * h)
        true = (dq.dq_translation(end(w + step)) - dq.dq_translation(end(w - step))) / (2 * h)
        real, dual, real_change, dual_change = end(w)[:4], end(w)[4:], change[:4], change[4:]
        corrected = 2.0 * (
            rot.quat_multiply(dual_change, rot.quat_conjugate(real))
            + rot.quat_multiply(dual, rot.quat_conjugate(real_change))
        )
        np.testing.assert_allclose(corrected, [0, *true], atol=1e-8)
        inverse = rot.quat_conjugate(real_change) / (real_change @ real_change)
        printed = 2.0 * rot.quat_multiply(dual_change, inverse)
        assert np.abs(printed - [0, *true]).max() > 0.1


def planar_jacobian(q: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """(2, n) Jacobian of the end of a planar chain by its relative angles q."""
    angles = np.cumsum(q)
    steps = lengths * np.array([-np.sin(angles), np.cos(angles)])
    return np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]


def gauss_seidel(a: np.ndarray, b: np.ndarray, x: np.ndarray, sweeps: int = 1000) -> np.ndarray:
    """Algorithm 1 of dual_quaternion."""
    x = x.copy()
    for _ in range(sweeps):
        for i in range(len(b)):
            x[i] += (b[i] - a[i] @ x) / a[i, i]
    return x


def test_dual_quaternion_7_jtj_is_only_semi_definite() -> None:
    jacobian = planar_jacobian(np.array([0.4, 0.5, -0.3, 0.9]), np.ones(4))
    wanted = jacobian.T @ [0.1, -0.2]
    printed = jacobian.T @ jacobian
    damped = printed + 1e-2 * np.eye(4)
    # Four joints, two rows: two directions do not move the end, and the matrix is singular.
    np.testing.assert_allclose(np.linalg.eigvalsh(printed)[:2], 0.0, atol=1e-14)
    assert np.linalg.eigvalsh(damped)[0] == pytest.approx(1e-2)
    # So where the sweeps end depends on where they start, which the damping mends.
    starts = np.random.default_rng(0).normal(size=(2, 4))
    one, other = (gauss_seidel(printed, wanted, x) for x in starts)
    assert np.abs(one - other).max() > 0.1
    one, other = (gauss_seidel(damped, wanted, x, 20000) for x in starts)
    np.testing.assert_allclose(one, other, atol=1e-10)
    np.testing.assert_allclose(damped @ one, wanted, atol=1e-10)
    # Every joint moves the end, so a sweep reads n² numbers, not n.
    assert np.count_nonzero(printed) == 16


def test_dual_quaternion_7_a_joint_that_moves_nothing_divides_by_zero() -> None:
    # The arm folds back onto its own base: joint 0 cannot move the end.
    jacobian = planar_jacobian(np.array([0.3, np.pi, 0.0, np.pi]), np.ones(4))
    wanted = jacobian.T @ [0.1, -0.2]
    printed = jacobian.T @ jacobian
    printed[np.abs(printed) < 1e-15] = 0.0
    assert printed[0, 0] == 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        assert not np.all(np.isfinite(gauss_seidel(printed, wanted, np.zeros(4), 1)))
    solution = gauss_seidel(printed + 1e-2 * np.eye(4), wanted, np.zeros(4))
    assert np.all(np.isfinite(solution))


def test_dual_quaternion_algorithm_2_must_divide_by_the_step() -> None:
    """Found here: it returns the differences p_δ − p; equation 47 divides them by δ."""
    q, lengths, step = np.array([0.4, 0.5, -0.3]), np.array([1.0, 0.7, 0.4]), 1e-6

    def end(q: np.ndarray) -> np.ndarray:
        return np.array([lengths @ np.cos(np.cumsum(q)), lengths @ np.sin(np.cumsum(q))])

    printed = np.transpose([end(q + step * e) - end(q) for e in np.eye(3)])
    true = planar_jacobian(q, lengths)
    np.testing.assert_allclose(printed / step, true, atol=1e-5)
    assert np.abs(printed).max() < 1e-5 < 0.1 < np.abs(true).max()


def test_dual_quaternion_26_the_sign_of_the_error() -> None:
    """Found here: e = current − target below equation 26 leads away; equation 23 has it right."""
    q, target = np.array([0.4, 0.5]), np.array([0.9, 1.2])

    def end(q: np.ndarray) -> np.ndarray:
        return np.array([np.cos(np.cumsum(q)).sum(), np.sin(np.cumsum(q)).sum()])

    inverse = np.linalg.inv(planar_jacobian(q, np.ones(2)))
    error = np.linalg.norm(target - end(q))
    assert np.linalg.norm(target - end(q + 0.1 * inverse @ (target - end(q)))) < error
    assert np.linalg.norm(target - end(q + 0.1 * inverse @ (end(q) - target))) > error


# --- extended_jacobian -----------------------------------------------------------------------


def extended_jacobian(q: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Equation 9 of extended_jacobian, (2n, n): all x rows of the pairs, all y rows, main link."""
    n = len(q)
    rows = np.zeros((2 * n, n))
    for i in range(n - 1):
        pair = planar_jacobian(q[i : i + 2], lengths[i : i + 2])
        rows[i, i : i + 2], rows[n - 1 + i, i : i + 2] = pair
    rows[2 * n - 2 :] = planar_jacobian(q, lengths)
    return rows


def test_extended_jacobian_3_rank_is_not_always_n() -> None:
    lengths = np.ones(4)
    # Stretched, where the plain Jacobian is singular, the extended one does have full rank ...
    assert np.linalg.matrix_rank(planar_jacobian(np.zeros(4), lengths)) == 1
    assert np.linalg.matrix_rank(extended_jacobian(np.zeros(4), lengths)) == 4
    # ... but with pair 0 folded and the end at the base, joint 0 moves neither.
    folded = extended_jacobian(np.array([0.3, np.pi, 0.7, np.pi]), lengths)
    np.testing.assert_allclose(folded[:, 0], 0.0, atol=1e-15)
    assert np.linalg.matrix_rank(folded, tol=1e-12) == 3
    # The paper's own segments, 90 and 60, cannot fold like that; poses at random have full rank.
    own = np.array([90.0, 60.0, 90.0, 150.0, 150.0, 90.0])
    poses = np.random.default_rng(0).uniform(-np.pi, np.pi, size=(50, 6))
    assert all(np.linalg.matrix_rank(extended_jacobian(q, own)) == 6 for q in poses)
