"""dual_quaternion's gimbal lock and costs, extended_jacobian's penalties: verdicts from data."""

from __future__ import annotations

import numpy as np
import pytest

from limbik.maths.so3 import exp_map, quat_to_matrix
from limbik.papers.contract import Order, Verdict
from limbik.papers.dual_quaternion import efficiency, gimbal
from limbik.papers.dual_quaternion.gimbal import BEYOND, EXPONENTIAL, PITCHED, TWIST, XYZ, ZYZ
from limbik.papers.extended_jacobian import penalty
from limbik.papers.transform_cost import KINDS

KIND = (XYZ, ZYZ, EXPONENTIAL, BEYOND, TWIST)

# ---- gimbal lock --------------------------------------------------------------------------------


def test_axes_are_lost_where_theory_says() -> None:
    assert gimbal.weakest(XYZ, np.array([[0.3, np.pi / 2, -0.7]]))[0] < 1e-9
    assert gimbal.weakest(ZYZ, np.array([[0.3, 0.0, -0.7]]))[0] < 1e-9
    # An exponential map has |sin(θ/2)/(θ/2)|: 2/π at half a turn, 0 at a whole one.
    for angle in (np.pi / 2, np.pi, 1.5 * np.pi, 2.0 * np.pi):
        w = angle * np.array([[0.48, 0.6, 0.64]])
        wanted = abs(np.sin(angle / 2) / (angle / 2))
        assert gimbal.weakest(EXPONENTIAL, w)[0] == pytest.approx(wanted, abs=1e-9)
    for kind in KIND:
        assert gimbal.weakest(kind, gimbal.course(kind)).min() == pytest.approx(
            2.0 / np.pi if kind == EXPONENTIAL else 0.0, abs=1e-9
        )


@pytest.mark.parametrize("kind", KIND)
def test_rotations_are_spread_evenly(kind: str) -> None:
    """Of rotations that are spread evenly, the mean of the matrix and of its trace is 0."""
    q = gimbal.coordinates(kind, 4000, np.random.default_rng(0))
    turns = gimbal.ball(kind).frames(q)[:, 0, :3, :3]
    assert np.abs(turns.mean(axis=0)).max() < 0.05
    assert (np.einsum("kii->k", turns) ** 2).mean() == pytest.approx(1.0, abs=0.1)
    if kind == BEYOND:
        assert (np.linalg.norm(q, axis=1) >= np.pi).all()
        back = (1.0 - 2.0 * np.pi / np.linalg.norm(q, axis=1, keepdims=True)) * q
        np.testing.assert_allclose(quat_to_matrix(exp_map(back)), turns, atol=1e-9)


def test_without_gimbal_lock_or_not() -> None:
    free = {XYZ: 0.0, ZYZ: 0.0, EXPONENTIAL: 0.6, BEYOND: 0.5, TWIST: 0.0}
    led = {PITCHED: {XYZ: (20.0, 90.0), EXPONENTIAL: (1.0, 100.0)}}

    def judge(worst: dict[str, float], reached: float = 100.0) -> Verdict:
        ways = {PITCHED: led[PITCHED] | {EXPONENTIAL: (1.0, reached)}}
        return gimbal.lock_claims(free | worst, ways)[0].verdict

    assert judge({}) is Verdict.HOLDS
    assert judge({BEYOND: 0.0}) is Verdict.DEPENDS
    assert judge({EXPONENTIAL: 0.0}) is Verdict.FAILS
    assert judge({}, reached=90.0) is Verdict.FAILS
    assert judge({XYZ: 0.5, ZYZ: 0.5}) is Verdict.FAILS  # nothing that Euler angles have


# ---- what dual quaternions cost -----------------------------------------------------------------


def test_dual_quaternions_are_efficient_or_not() -> None:
    def judge(dual: int, seconds: float) -> list[Verdict]:
        costs = {"hinge": dict(zip(KINDS, (50, 40, dual), strict=True))}
        times = dict(zip(KINDS, (5.0, 4.0, seconds), strict=True))
        return [claim.verdict for claim in efficiency.efficiency_claims(costs, times)]

    cheap, middling, dear = judge(30, 3.0), judge(45, 4.5), judge(90, 9.0)
    assert [found[0] for found in (cheap, middling, dear)] == [
        Verdict.HOLDS, Verdict.DEPENDS, Verdict.FAILS,
    ]  # fmt: skip
    assert [found[2] for found in (cheap, middling, dear)] == [found[0] for found in
                                                              (cheap, middling, dear)]  # fmt: skip


# ---- penalties ----------------------------------------------------------------------------------


def test_penalties_are_unstable_or_not() -> None:
    condition = {1.0: 10.0, 1e10: 1e11}

    def judge(gradient: float, newton: float, raised: float) -> Verdict:
        share = {
            penalty.GRADIENT: {1.0: 1.0, 1e10: gradient},
            penalty.NEWTON: {1.0: 1.0, 1e10: newton},
        }
        return penalty.penalty_claims(share, raised, condition)[0].verdict

    assert judge(0.0, 0.1, 0.2) is Verdict.HOLDS
    assert judge(0.0, 1.0, 1.0) is Verdict.DEPENDS
    assert judge(1.0, 1.0, 0.2) is Verdict.DEPENDS
    assert judge(0.9, 1.0, 1.0) is Verdict.FAILS


def test_the_slope_is_the_derivative_of_the_penalised_objective() -> None:
    q, target = np.array([0.7, -0.6, 0.2, 0.1, -0.9, 0.3]), np.array([0.3, 0.2])
    for weight in (1.0, 1e4):
        steps = 1e-6 * np.eye(len(q))
        by_differences = [
            (penalty.value(q + h, target, weight) - penalty.value(q - h, target, weight)) / 2e-6
            for h in steps
        ]
        np.testing.assert_allclose(
            penalty.slope(q, target, weight), by_differences, rtol=1e-5, atol=1e-6
        )


def test_a_minimum_is_told_from_other_points() -> None:
    target = np.array([0.4, 0.5])
    found = penalty.newton(np.full(6, 0.1), target, 1.0)
    assert penalty.far(found, target, 1.0) <= penalty.CONVERGED
    assert penalty.far(found + 0.01, target, 1.0) > 1e-3
    # The distance does not grow with μ where no coordinate is outside.
    inside = np.full(6, 0.1)
    assert penalty.far(inside, target, 1.0) == pytest.approx(penalty.far(inside, target, 1e8))


def test_two_runs_of_the_penalties_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(penalty, "WEIGHTS", (1.0, 1e4))
    monkeypatch.setattr(penalty, "ITERATIONS", 30)
    one, two = (penalty.penalties(Order(quick=True)) for _ in range(2))
    np.testing.assert_equal(one.numbers, two.numbers)
    assert one.claims == two.claims
