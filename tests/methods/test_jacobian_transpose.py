"""The Jacobian transpose against equations 27 and 28 in NumPy, and its divergence."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Figure, Joint, MethodError, Problem, Range, Reach, Rest, Status
from limbik.joints import slides
from limbik.methods import JacobianTranspose

GOALS = [Reach("Tip", position=[0.6, 1.2, 0.0], weight=[2.0, 0.5, 1.0])]
START = np.array([0.4, 0.3, -0.2])


def iterates(figure: Figure, goals: list, method: JacobianTranspose, count: int) -> np.ndarray:
    r = limbik.solve(
        figure, goals, start=START, method=method, budget=count, tolerance=1e-12, restarts=0,
        history=True,
    )  # fmt: skip
    assert r.history is not None
    return r.history.q


def test_a_fixed_step_is_equation_27() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.6))
    problem, q = Problem(figure, GOALS, start=START), START
    for found in iterates(figure, GOALS, JacobianTranspose(step=0.05), 20):
        np.testing.assert_allclose(found, q, rtol=0, atol=1e-12)
        e, jacobian = problem.residual(q), problem.jacobian(q)
        q = figure.project(q - 0.05 * (-2.0 * jacobian.T @ e))


@pytest.mark.parametrize("rest", [[], [Rest(weight=2.0, pose=[0.1, 0.2, 0.3])]])
def test_without_a_step_it_is_equation_28(rest: list[Rest]) -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.6))
    problem, q = Problem(figure, [*GOALS, *rest], start=START), START
    for found in iterates(figure, [*GOALS, *rest], JacobianTranspose(step=None), 20):
        np.testing.assert_allclose(found, q, rtol=0, atol=1e-12)
        e, jacobian = problem.residual(q), problem.jacobian(q)
        for goal in rest:
            weight, pose = goal.diagonal(problem.scene)
            e = np.concatenate([e, np.sqrt(weight) * (pose - q)])
            jacobian = np.concatenate([jacobian, np.diag(np.sqrt(weight))])
        z = jacobian @ jacobian.T @ e
        q = figure.project(q + (e @ z) / (z @ z) * jacobian.T @ e)


def test_equation_28_is_the_best_step_where_the_figure_is_linear() -> None:
    figure = Figure([Joint("Root", parts=slides())])
    r = limbik.solve(
        figure, [Reach("Root", position=[3.0, -2.0, 1.0])], method=JacobianTranspose(step=None),
        restarts=0,
    )  # fmt: skip
    assert r.ok
    assert r.iterations == 1


def test_a_small_step_settles_and_a_large_one_does_not() -> None:
    """Figure 6 of line_search: the pose flips to and fro for ever.  The unit makes the step small
    or large: here a link is ten long."""
    figure = limbik.figures.chain([10.0, 10.0, 5.0])
    goals = [Reach("Tip", position=[12.0, 14.0, 0.0])]
    start = [0.4, 0.6, 0.3]
    asked = {"start": start, "restarts": 0, "history": True}
    small = limbik.solve(figure, goals, method=JacobianTranspose(step=2e-4), **asked)
    large = limbik.solve(figure, goals, method=JacobianTranspose(step=2e-2), **asked)
    assert small.ok
    assert small.history is not None
    assert (np.diff(small.history.f) <= 0).all()
    assert large.status is Status.STALLED
    assert large.history is not None
    late = large.history.f[-100:]
    assert (np.diff(late) > 0).sum() > 20
    assert late.min() > 1e4 * small.objective


def test_numbers_that_overflow_end_it_at_the_last_finite_pose() -> None:
    """x ← x + 4(g − x): the error grows threefold a step, beyond what a float can hold."""
    limits = Range([-np.inf, -np.inf, -5.0], [np.inf, np.inf, 5.0])
    figure = Figure([Joint("Root", parts=slides(), limit=limits)])
    goals = [Reach("Root", position=[1.0, 2.0, 3.0])]
    r = limbik.solve(figure, goals, method=JacobianTranspose(step=2.0), restarts=0, history=True)
    assert r.status is Status.STALLED
    assert 300 < r.iterations < 1000
    assert np.isfinite(r.q).all()
    assert np.isfinite(r.objective)
    assert np.abs(r.q[:2]).max() > 1e100
    assert figure.violation(r.q) == 0.0
    assert r.history is not None
    np.testing.assert_array_equal(r.history.q[-1], r.q)


@pytest.mark.parametrize("step", [0.0, -1.0, np.nan, np.inf])
def test_refused(step: float) -> None:
    with pytest.raises(MethodError, match="jacobian_transpose: step"):
        JacobianTranspose(step=step)
