"""line_search: CCD, equations 28 and 29, quaternions; each verdict turns with its data."""

from __future__ import annotations

import numpy as np
import pytest

from limbik.figures import chain
from limbik.goals import Reach
from limbik.maths.quaternions import quat_multiply, quat_rotate
from limbik.maths.so3 import exp_map, quat_to_matrix
from limbik.papers import transform_cost
from limbik.papers.contract import Order, Verdict
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.chapters import ccd, equation_29, quaternions
from limbik.papers.line_search.follow import Path as Iterates
from limbik.papers.line_search.subject import subject_of
from limbik.papers.transform_cost import CASES, KINDS
from limbik.solver.problem import Problem

# ---- cyclic coordinate descent ------------------------------------------------------------------


def test_the_convergence_of_ccd_is_poor_or_not() -> None:
    def judge(own: float) -> Verdict:
        parts = {ccd.CCD: own, who.DEFAULT: 1e-10, who.CLAMPED: 1e-3, who.LINE_SEARCH: 1e-2}
        left = {key: dict.fromkeys(ccd.LOOKS, part) for key, part in parts.items()}
        return ccd.claims(left, [0.1, 0.01, 1e-3, 1e-4])[0].verdict

    assert judge(0.5) is Verdict.HOLDS
    assert judge(1e-5) is Verdict.DEPENDS  # slower than the default, faster than the line search
    assert judge(1e-12) is Verdict.FAILS


def test_matrix_splitting_is_ccd_to_first_order_or_not() -> None:
    left = {key: dict.fromkeys(ccd.LOOKS, 0.1) for key in (ccd.CCD, who.DEFAULT)}
    for apart, verdict in (
        ([0.2, 2e-4], Verdict.HOLDS),
        ([0.2, 0.1], Verdict.FAILS),
        ([5e-3, 5e-3], Verdict.FAILS),  # small, but it does not get smaller
    ):
        claim = ccd.claims(left, [apart[0], apart[0], apart[0], apart[1]])[1]
        assert claim.verdict is verdict
    found = ccd.splitting(0)
    assert found == ccd.splitting(0)
    assert np.diff(np.log10(found)) == pytest.approx([-1.0] * 3, abs=0.15)


def test_a_split_sweep_is_gauss_seidel_from_the_last_coordinate() -> None:
    rng = np.random.default_rng(1)
    jacobian, error = rng.normal(size=(4, 3)), rng.normal(size=4)
    a, b, x = jacobian.T @ jacobian, jacobian.T @ error, np.zeros(3)
    for c in (2, 1, 0):
        x[c] = (b[c] - a[c] @ x + a[c, c] * x[c]) / a[c, c]
    np.testing.assert_allclose(ccd.split_sweep(jacobian, error), x)


def test_an_iteration_of_ccd_is_cheap_or_not() -> None:
    def judge(own: float) -> Verdict:
        claim = ccd.cost_claim({ccd.CCD: own, "a": 2e-5, "b": 4e-5})
        assert claim.timed
        return claim.verdict

    found = [judge(1e-5), judge(3e-5), judge(9e-5)]
    assert found == [Verdict.HOLDS, Verdict.DEPENDS, Verdict.FAILS]


def test_what_is_left_is_looked_up_at_the_end_of_short_paths() -> None:
    paths = [Iterates(np.array([4.0, 2.0, 1.0]), np.zeros((3, 1)))]
    assert [ccd.left_after(paths, k) for k in (0, 1, 2, 50)] == [1.0, 0.5, 0.25, 0.25]


# ---- equations 28 and 29 ------------------------------------------------------------------------


def _problem(target: list[float]) -> Problem:
    return Problem(chain([1.0, 1.0]), [Reach("Tip", position=target)], start=[0.0, 0.5])


def test_equation_29_measures_the_range_of_j_and_nothing_of_f() -> None:
    """With full row rank nothing is left undone, however far away the target is."""
    problem = Problem(
        chain([1.0, 1.0, 1.0]), [Reach("Tip", position=[-2.0, 0.5, 0.0])], start=[0.1, 0.5, 0.9]
    )
    jacobian, error = problem.jacobian(problem.start)[:2], problem.residual(problem.start)[:2]
    assert equation_29.undone(jacobian, error) < 1e-12
    assert equation_29.bounded_tau(jacobian, error, 1e-6) == 1.0
    # Out of the plane J has no way to go: what is left is the distance, and τ shortens by it.
    away = _problem([1.5, 0.5, 0.3])
    jacobian, error = away.jacobian(away.start), away.residual(away.start)
    assert equation_29.undone(jacobian, error) == pytest.approx(0.3)
    assert equation_29.bounded_tau(jacobian, error, 0.03) == pytest.approx(0.1)
    assert equation_29.bounded_tau(jacobian, error, 0.5) == 1.0


def test_equation_28_is_the_best_step_along_the_gradient() -> None:
    problem = _problem([1.2, 1.0, 0.0])
    jacobian, error = problem.jacobian(problem.start), problem.residual(problem.start)
    along = jacobian @ (jacobian.T @ error)
    best = equation_29.best_tau(jacobian, error)
    left = [np.linalg.norm(error - share * best * along) for share in (0.9, 1.0, 1.1)]
    assert left[1] < min(left[0], left[2])


def test_the_deviation_is_of_second_order() -> None:
    problem, way = _problem([1.2, 1.0, 0.0]), np.array([0.3, -0.2])
    far, near = (
        equation_29.deviation(problem, problem.start, part * way)[0] for part in (1e-2, 1e-3)
    )
    assert far / near == pytest.approx(100.0, rel=0.05)


def test_the_measures_see_where_the_model_is_wrong_or_not() -> None:
    def judge(left: list[float], wrong: list[float], first: list[float]) -> list[Verdict]:
        return [claim.verdict for claim in equation_29.claims(left, wrong, first)]

    calm, wild = [0.01, 0.02], [0.9, 0.8]
    assert judge([1.0, 1.0], wild, calm) == [Verdict.HOLDS, Verdict.HOLDS]
    assert judge([1.0, 0.0], wild, [0.01, 0.9]) == [Verdict.DEPENDS, Verdict.DEPENDS]
    assert judge([0.0, 0.0], wild, wild) == [Verdict.FAILS, Verdict.FAILS]
    assert judge([0.0, 0.0], calm, calm)[0] is Verdict.DEPENDS  # nothing to see


def test_pairs_are_poses_and_the_targets_of_the_next_frame() -> None:
    subject = subject_of(Order())
    drill = subject.drill(0.7, most=11)
    found = drill.pairs(4)
    assert len(found) == 4
    fine = subject.clip.sample(0.05)
    for start, targets in found:
        at = int(np.argmin(np.abs(fine.q - start).max(axis=1)))
        np.testing.assert_array_equal(fine.q[at], start)
        np.testing.assert_array_equal(fine.positions()[at + 14, subject.index()], targets)
    # At rest in the beginning of the clip there is nothing to solve.
    still = subject.drill(0.05)
    for start, targets in still.pairs(1000):
        assert np.abs(subject.figure.positions(start)[subject.index()] - targets).max() > 1e-9


# ---- quaternions and matrices -------------------------------------------------------------------


def test_the_operations_are_those_of_the_textbooks() -> None:
    """27 + 18 for matrices, 16 + 12 for quaternions; an axis of a frame spares most of them."""
    tally = transform_cost.Tally()
    a, b = ([transform_cost.Counted(0.1 * k + 0.3, tally) for k in range(9)] for _ in range(2))
    transform_cost.matrix_product(a, b)
    assert (tally.multiplications, tally.additions) == (27, 18)
    tally.multiplications = tally.additions = 0
    transform_cost.quaternion_product(a[:4], b[:4])
    assert (tally.multiplications, tally.additions) == (16, 12)
    some, other = (transform_cost.count(k, CASES[1], axes=False)[0].total for k in KINDS[:2])
    any_axis = transform_cost.count(KINDS[0], CASES[0], axes=False)[0].total
    assert some < any_axis
    assert other < transform_cost.count(KINDS[1], CASES[0], axes=False)[0].total


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("axes", [False, True])
def test_all_ways_put_a_joint_at_the_same_place(case: str, axes: bool) -> None:
    places = [transform_cost.count(kind, case, axes=axes)[1] for kind in KINDS]
    above = quat_to_matrix(exp_map(0.9 * np.array([0.36, 0.48, 0.8])))
    wanted = np.array([1.1, 0.2, -0.4]) + above @ [0.3, -0.2, 0.5]
    for place in places:
        np.testing.assert_allclose(place, wanted, atol=1e-14)


def test_the_functions_are_those_of_limbik() -> None:
    rng = np.random.default_rng(2)
    p, q = rng.normal(size=(2, 4))
    v, p = rng.normal(size=3), p / np.linalg.norm(p)
    np.testing.assert_allclose(transform_cost.quaternion_product(p, q), quat_multiply(p, q))
    np.testing.assert_allclose(transform_cost.quaternion_apply(p, v), quat_rotate(p, v))
    np.testing.assert_allclose(transform_cost.matrix_apply(quat_to_matrix(p).ravel(), v),
                               quat_rotate(p, v))  # fmt: skip


def test_quaternions_are_cheaper_or_not() -> None:
    def judge(*costs: tuple[int, int]) -> Verdict:
        found = {
            f"joint {k}": {"matrices": a, "quaternions": b, "dual quaternions": 99}
            for k, (a, b) in enumerate(costs)
        }
        return quaternions.counted_claim(found).verdict

    assert judge((50, 40), (50, 49)) is Verdict.HOLDS
    assert judge((50, 40), (50, 60)) is Verdict.DEPENDS
    assert judge((50, 50), (50, 60)) is Verdict.FAILS
    for seconds, verdict in ((1e-9, Verdict.HOLDS), (2e-9, Verdict.FAILS)):
        claim = quaternions.timed_claim({"matrices": 2e-9, "quaternions": seconds})
        assert (claim.verdict, claim.timed) == (verdict, True)
