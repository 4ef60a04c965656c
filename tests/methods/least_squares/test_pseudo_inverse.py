"""The pseudo-inverse against numpy.linalg.pinv, and the SVD it stands on."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.method_samples import CART
from limbik import Figure, MethodError, Problem, Range, Reach, Rest, Status
from limbik.maths.linear import svd_rows
from limbik.methods import PseudoInverse


@pytest.mark.parametrize("rank", [0, 1, 2, 30])
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (3, 3), (6, 7), (18, 74), (7, 3), (20, 20)])
def test_svd_of_rows(shape: tuple[int, int], rank: int) -> None:
    rng = np.random.default_rng(7)
    m, n = shape
    inner = min(rank, m, n)
    matrix = rng.normal(size=(m, inner)) @ rng.normal(size=(inner, n))
    a, u, sigma = matrix.copy(), np.empty((m, m)), np.empty(m)
    svd_rows(a, u, sigma)
    scale = max(1.0, np.abs(matrix).max())
    np.testing.assert_allclose(u @ u.T, np.eye(m), atol=1e-13)
    np.testing.assert_allclose(u @ a, matrix, atol=1e-13 * scale * m)
    expected = np.zeros(m)
    expected[: min(m, n)] = np.linalg.svd(matrix, compute_uv=False)
    np.testing.assert_allclose(sigma, expected, atol=1e-12 * scale * m)
    assert (np.diff(sigma) <= 0).all()
    np.testing.assert_allclose(a @ a.T, np.diag(sigma**2), atol=1e-12 * (scale * m) ** 2)


def test_svd_of_rows_of_very_different_sizes() -> None:
    rng = np.random.default_rng(8)
    matrix = rng.normal(size=(5, 9)) * np.array([1e6, 1.0, 1e-6, 1e-3, 0.0])[:, None]
    a, u, sigma = matrix.copy(), np.empty((5, 5)), np.empty(5)
    svd_rows(a, u, sigma)
    np.testing.assert_allclose(u @ a, matrix, atol=1e-9)
    np.testing.assert_allclose(sigma, np.linalg.svd(matrix, compute_uv=False), atol=1e-9)
    assert sigma[4] == 0.0


def planar(*, rest: bool) -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.9))
    goals: list = [Reach("Tip", position=[0.6, 1.2, 0.0], weight=[2.0, 0.5, 1.0])]
    return figure, goals + [Rest(weight=0.3)] * rest, np.array([0.4, 0.3, -0.2])


def tall() -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    goals = [Reach(joint, position=[0.5, 1.0, 0.0]) for joint in ("Joint2", "Joint3", "Tip")]
    return figure, goals, np.array([0.4, 0.3, -0.2])


def arm() -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.arm()
    goals = [Reach("Tool", position=[0.4, 0.3, 0.5], wxyz=[0.0, 0.8, 0.6, 0.0])]
    return figure, goals, figure.rest


def hand(*, rest: bool) -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.hand()
    goals: list = []
    for joint, offset in limbik.figures.FINGERTIPS.values():
        frame = figure.frames(figure.rest)[figure.index(joint)]
        at = frame[:3, :3] @ np.array(offset) + frame[:3, 3]
        goals.append(Reach(joint, position=at + [0.004, -0.006, -0.01], at=offset))
    return figure, goals + [Rest()] * rest, figure.rest


def rest_only() -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    return figure, [Rest(weight=[1.0, 0.0, 2.0], pose=[1.0, 1.0, 1.0])], np.zeros(3)


CASES = {
    "planar": planar(rest=False),
    "planar and rest": planar(rest=True),
    "more rows than coordinates": tall(),
    "arm": arm(),
    "hand": hand(rest=False),
    "hand and rest": hand(rest=True),
    "rest only": rest_only(),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("method", [PseudoInverse(), PseudoInverse(step=0.4, cutoff=0.1)], ids=str)
def test_steps_are_those_of_numpy_pinv(method: PseudoInverse, case: str) -> None:
    figure, goals, start = CASES[case]
    r = limbik.solve(
        figure, goals, start=start, method=method, budget=6, tolerance=1e-9, restarts=0,
        history=True,
    )  # fmt: skip
    assert r.history is not None
    problem, q = Problem(figure, goals, start=start), start
    rest = [goal.diagonal(problem.scene) for goal in goals if isinstance(goal, Rest)]
    assert r.iterations > 0
    for found in r.history.q[: r.iterations + 1]:
        np.testing.assert_allclose(found, q, rtol=0, atol=1e-9)
        e, jacobian = problem.residual(found), problem.jacobian(found)
        for weight, pose in rest:
            e = np.concatenate([e, np.sqrt(weight) * (pose - found)])
            jacobian = np.concatenate([jacobian, np.diag(np.sqrt(weight))])
        # Equation 14 with the Moore–Penrose inverse.
        q = found + method.step * np.linalg.pinv(jacobian, rcond=method.cutoff) @ e
    np.testing.assert_array_equal(r.q, figure.project(r.history.q[r.iterations]))


def test_near_a_singular_pose_the_cutoff_keeps_the_step_short() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    goals = [Reach("Tip", position=[2.0, 0.0, 0.0])]
    asked = {"start": [1e-5, 0.0, 0.0], "budget": 1, "restarts": 0}
    wild = limbik.solve(figure, goals, method=PseudoInverse(cutoff=0.0), **asked)
    tame = limbik.solve(figure, goals, method=PseudoInverse(), **asked)
    assert np.abs(wild.q).max() > 100.0
    assert np.abs(tame.q).max() < 1.0


def test_limits_come_last_and_the_status_is_that_of_the_clipped_pose() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.2, 0.4))
    goals = [Reach("Tip", position=[1.0, 1.5, 0.0])]
    r = limbik.solve(
        figure, goals, start=[0.3, 0.3, 0.3], method=PseudoInverse(clamp=0.2), restarts=0,
        history=True,
    )  # fmt: skip
    assert r.history is not None
    assert r.history.f[-2] < 1e-6  # reached outside the limits
    assert figure.violation(r.history.q[-2]) > 0.1
    np.testing.assert_array_equal(r.history.q[-1], figure.project(r.history.q[-2]))
    assert not r.ok
    assert r.errors[0] > 0.1
    assert r.objective == r.history.f[-1]


def test_an_answer_that_the_limits_do_not_touch_is_reached() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-2.5, 2.5))
    goals = [Reach("Tip", position=[1.8, 0.9, 0.0])]
    r = limbik.solve(
        figure, goals, start=[0.3, 0.3, 0.3], method=PseudoInverse(), restarts=0, history=True
    )
    assert r.ok
    assert r.history is not None
    assert len(r.history.q) == r.iterations + 1


def test_clipped_onto_a_minimum_it_is_limited() -> None:
    figure = limbik.figures.chain([1.0, 1.0], limits=Range(0.0, 0.4))
    goals = [Reach("Tip", position=[0.0, 1.9, 0.0])]
    r = limbik.solve(figure, goals, start=[0.3, 0.3], method=PseudoInverse(clamp=0.2), restarts=0)
    np.testing.assert_array_equal(r.q, [0.4, 0.4])
    assert r.status is Status.LIMITED


def test_clamp_bounds_every_change() -> None:
    """A slide counts by the angle that moves as far at a quarter of the figure's size."""
    figure = CART
    goals = [Reach("Tip", position=[-10.0, 10.0, 0.0])]
    r = limbik.solve(
        figure, goals, method=PseudoInverse(clamp=0.05), budget=20, restarts=0, history=True
    )
    assert r.history is not None
    scale = np.where(figure.slides, figure.size / 4, 1.0)
    changes = np.abs(np.diff(r.history.q, axis=0) / scale).max(axis=1)
    np.testing.assert_allclose(changes[:-1], 0.05, rtol=1e-12)
    assert changes[-1] <= 0.05 * (1 + 1e-12)


@pytest.mark.parametrize(
    "settings", [{"cutoff": 1.0}, {"cutoff": -0.1}, {"step": 0.0}, {"clamp": 0.0}], ids=str
)
def test_refused(settings: dict[str, float]) -> None:
    with pytest.raises(MethodError, match="pseudo_inverse"):
        PseudoInverse(**settings)  # type: ignore[arg-type]
