"""Misprints of line_search's step formulas: the printed form fails, the corrected one holds."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Problem, Range, Reach
from limbik.methods.gradient.jacobian_transpose import JacobianTranspose

RANDOM = np.random.default_rng(0)
JACOBIAN, MISSING = RANDOM.normal(size=(3, 5)), RANDOM.normal(size=3)


def test_15_needs_half_the_penalty_that_is_printed_above_it() -> None:
    """½‖JΔθ − e‖² + λ²‖Δθ‖² has its minimum at (JᵀJ + 2λ²I)⁻¹Jᵀe; equation 15 needs ½λ²‖Δθ‖²."""
    square = 0.3

    def step(damping: float) -> np.ndarray:
        return np.linalg.solve(JACOBIAN.T @ JACOBIAN + damping * np.eye(5), JACOBIAN.T @ MISSING)

    def gradient(x: np.ndarray, share: float) -> np.ndarray:
        """Of ½‖Jx − e‖² + share·λ²‖x‖²."""
        return JACOBIAN.T @ (JACOBIAN @ x - MISSING) + 2.0 * share * square * x

    np.testing.assert_allclose(gradient(step(square), 0.5), 0.0, atol=1e-12)
    assert np.abs(gradient(step(square), 1.0)).max() > 0.05
    np.testing.assert_allclose(gradient(step(2.0 * square), 1.0), 0.0, atol=1e-12)


def test_27_with_the_step_of_28_goes_twice_as_far_as_meant() -> None:
    """28 is best along Jᵀe; 27 steps along −∇f = 2Jᵀe (equation 26), and overshoots by all of it.

    Where JJᵀ is a multiple of I the target lies in the middle of the step: nothing is gained.
    """
    z = JACOBIAN @ JACOBIAN.T @ MISSING
    tau = MISSING @ z / (z @ z)

    def left(times: float) -> float:
        return float(np.linalg.norm(MISSING - times * tau * z))

    assert all(left(1.0) < left(times) for times in (0.9, 1.1, 2.0))
    assert left(2.0) == pytest.approx(np.linalg.norm(MISSING))
    # limbik takes τJᵀe: one step of a slide, for which F is linear, arrives.
    figure = limbik.Figure(
        [
            limbik.Joint(
                "Slide", None, limbik.figure.joints.prismatic("x"), limit=Range(-9.0, 9.0)
            ),
            limbik.Joint("Tip", "Slide"),
        ]
    )
    r = limbik.solve(
        figure, [Reach("Tip", position=[3.0, 0.0, 0.0])], method=JacobianTranspose(step=None),
        restarts=0,
    )  # fmt: skip
    assert r.ok
    assert r.iterations == 1


def test_29_subtracts_a_vector_from_a_matrix() -> None:
    """‖(I − JJ⁺τe)‖: the brackets belong round I − JJ⁺, which is what no step can give of τe."""
    figure = limbik.figures.chain(limits=Range(-1.0, 1.0))
    problem = Problem(figure, [Reach("Tip", position=[3.0, 1.0, 0.0])], start=[0.0, 0.0, 0.0])
    jacobian, e = problem.jacobian(problem.start), problem.residual(problem.start)
    inverse, tau = np.linalg.pinv(jacobian), 0.5
    assert jacobian @ inverse @ (tau * e) @ e == pytest.approx(tau * float(e[1] ** 2))
    printed = np.eye(3) - jacobian @ inverse @ (tau * e)  # NumPy repeats the vector in every row
    lost = (np.eye(3) - jacobian @ inverse) @ (tau * e)
    # The straight chain cannot come nearer along x: of τe only that part is lost.
    np.testing.assert_allclose(lost, [tau * e[0], 0.0, 0.0], atol=1e-12)
    # As printed even τ → 0 does not bring it below any ε < √3.
    assert np.linalg.norm(np.eye(3) - jacobian @ inverse @ (1e-9 * e)) == pytest.approx(3**0.5)
    assert printed.shape == (3, 3)
