"""The hybrid is its two methods, one after the other."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Figure, MethodError, PythonGoal, Range, Reach, Status
from limbik.methods import Hybrid, ProjectedGradient, ProjectedLevenbergMarquardt

GRADIENT = ProjectedGradient(iterations=4, relative=0.0)
DEFAULT = ProjectedLevenbergMarquardt(damping=0.3)


def planar() -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-2.0, 2.0))
    return figure, [Reach("Tip", position=[-0.9, 1.2, 0.0])], np.array([0.1, 0.1, 0.1])


def human() -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.human()
    return figure, [Reach("LeftHand", position=[0.1, 1.9, 0.6])], figure.rest


@pytest.mark.parametrize("problem", [planar, human], ids=lambda problem: problem.__name__)
def test_history_and_counters_are_those_of_both_phases(problem) -> None:
    figure, goals, start = problem()
    asked = {"restarts": 0, "history": True}
    whole = limbik.solve(
        figure, goals, start=start, method=Hybrid(first=GRADIENT, then=DEFAULT), **asked
    )
    first = limbik.solve(figure, goals, start=start, method=GRADIENT, **asked)
    then = limbik.solve(figure, goals, start=first.q, method=DEFAULT, **asked)
    assert first.iterations == 4
    assert then.iterations > 1
    assert whole.history is not None
    assert first.history is not None
    assert then.history is not None
    np.testing.assert_array_equal(
        whole.history.q, np.concatenate([first.history.q[:-1], then.history.q])
    )
    np.testing.assert_array_equal(
        whole.history.f, np.concatenate([first.history.f[:-1], then.history.f])
    )
    assert whole.iterations == first.iterations + then.iterations
    assert whole.evaluations == first.evaluations + then.evaluations
    assert whole.status is then.status


@pytest.mark.parametrize("relative", [0.05, 0.3, 0.99])
def test_it_switches_when_an_iteration_gains_little(relative: float) -> None:
    figure, goals, start = planar()
    gradient = ProjectedGradient(iterations=50, relative=relative)
    alone = limbik.solve(
        figure, goals, start=start, method=ProjectedGradient(), restarts=0, history=True
    )
    assert alone.history is not None
    gains = 1.0 - alone.history.f[1:] / alone.history.f[:-1]
    little = int(np.argmax(gains <= relative)) + 1  # the iteration that gains too little
    r = limbik.solve(
        figure, goals, start=start, method=Hybrid(first=gradient), restarts=0, history=True
    )
    assert r.history is not None
    np.testing.assert_array_equal(r.history.q[: little + 1], alone.history.q[: little + 1])
    then = limbik.solve(figure, goals, start=alone.history.q[little], restarts=0)
    np.testing.assert_array_equal(r.q, then.q)


def test_without_a_first_phase_it_is_the_default() -> None:
    figure, goals, start = planar()
    method = Hybrid(first=ProjectedGradient(iterations=0))
    hybrid = limbik.solve(figure, goals, start=start, method=method, restarts=0)
    default = limbik.solve(figure, goals, start=start, restarts=0)
    np.testing.assert_array_equal(hybrid.q, default.q)
    assert hybrid.iterations == default.iterations


@pytest.mark.parametrize("budget", [2, 4, 6])
def test_both_phases_share_the_budget(budget: int) -> None:
    figure, goals, start = planar()
    goals = [Reach("Tip", position=[-3.0, 3.0, 0.0])]
    method = Hybrid(first=GRADIENT)
    r = limbik.solve(
        figure, goals, start=start, method=method, budget=budget, restarts=0, history=True
    )
    assert r.history is not None
    assert r.iterations == budget
    assert len(r.history.f) == budget + 1
    assert r.status is Status.STALLED


def test_a_goal_written_in_python_is_seen_by_both_phases() -> None:
    figure, _, start = planar()

    def at_target(figure: Figure, q: np.ndarray) -> np.ndarray:
        return figure.positions(q)[figure.index("Tip"), :2] - [-0.9, 1.2]

    method = Hybrid(first=ProjectedGradient(iterations=3, relative=0.0))
    asked = {"start": start, "method": method, "restarts": 0, "history": True}
    goal = PythonGoal(at_target, name="there", tolerance=1e-9)
    in_python = limbik.solve(figure, [goal], **asked)
    goals = [Reach("Tip", position=[-0.9, 1.2, 0.0])]
    compiled = limbik.solve(figure, goals, tolerance=1e-9, **asked)
    assert in_python.ok
    assert in_python.history is not None
    assert compiled.history is not None
    np.testing.assert_allclose(in_python.history.q[:6], compiled.history.q[:6], atol=1e-5)


def test_refused() -> None:
    with pytest.raises(MethodError, match="hybrid: first must be a ProjectedGradient, got 3"):
        Hybrid(first=3)  # pyright: ignore[reportArgumentType]
