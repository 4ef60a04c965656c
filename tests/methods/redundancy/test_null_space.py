"""Null-space projection with a criterion: equation 5 of extended_jacobian against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import limbik
from helpers.criterion_samples import criterion
from helpers.differences import differences
from limbik import Figure, MethodError, Problem, Range, Reach, Status
from limbik.methods.redundancy.criteria import CRITERIA
from limbik.methods.redundancy.null_space import NullSpace


def chain(limits: Range | None = None) -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.chain([1.0, 1.0, 1.0, 0.5], limits=limits)
    return figure, [Reach("Tip", position=[1.0, 1.5, 0.0])], np.array([0.3, 0.3, 0.3, -1.0])


@pytest.mark.parametrize("name", CRITERIA)
def test_with_a_fixed_gain_it_is_equation_5(name: str) -> None:
    figure, goals, start = chain(Range(-3.0, 2.5))
    problem, gain = Problem(figure, goals, start=start), 0.07
    r = limbik.solve(
        figure, goals, start=start, method=NullSpace(criterion=name, gain=gain, cutoff=1e-9),
        budget=5, restarts=0, tolerance=1e-12, history=True,
    )  # fmt: skip
    assert r.history is not None
    assert r.iterations == 5
    for q, after in zip(r.history.q, r.history.q[1:], strict=False):
        inverse = np.linalg.pinv(problem.jacobian(q), rcond=1e-9)
        gradient = differences(lambda at: criterion(name, problem, at), q, 1e-5)
        free = np.eye(4) - inverse @ problem.jacobian(q)
        step = inverse @ problem.residual(q) - gain * free @ gradient
        np.testing.assert_allclose(after, figure.project(q + step), atol=1e-6)


@pytest.mark.parametrize("name", CRITERIA)
def test_the_answer_has_the_least_criterion_among_poses_that_meet_the_goals(name: str) -> None:
    figure, goals, start = chain(Range(-3.0, 2.5))
    problem = Problem(figure, goals, start=start)
    r = limbik.solve(figure, goals, start=start, method=NullSpace(criterion=name), restarts=0)
    assert r.ok
    theirs = minimize(
        lambda q: criterion(name, problem, q), r.q, method="SLSQP",
        constraints={"type": "eq", "fun": lambda q: problem.residual(q)[:2]},
        bounds=list(zip(figure.lower, figure.upper, strict=True)), options={"ftol": 1e-12},
    )  # fmt: skip
    assert criterion(name, problem, r.q) == pytest.approx(theirs.fun, abs=2e-3)
    # Nothing of the gradient is left in the null space.
    jacobian = problem.jacobian(r.q)
    gradient = differences(lambda at: criterion(name, problem, at), r.q, 1e-5)
    left = gradient - np.linalg.pinv(jacobian, rcond=1e-9) @ jacobian @ gradient
    assert np.linalg.norm(left) < 0.02 * np.linalg.norm(gradient)


@pytest.mark.parametrize("name", CRITERIA)
def test_settling_lowers_the_criterion_and_keeps_the_goals(name: str) -> None:
    figure, goals, start = chain(Range(-3.0, 2.5))
    problem = Problem(figure, goals, start=start)
    asked = {"start": start, "restarts": 0, "history": True}
    first = limbik.solve(figure, goals, method=NullSpace(criterion=name, settle=False), **asked)
    settled = limbik.solve(figure, goals, method=NullSpace(criterion=name), **asked)
    assert first.ok
    assert settled.ok
    assert settled.history is not None
    g = [criterion(name, problem, q) for q in settled.history.q]
    assert g[-1] < criterion(name, problem, first.q) - 1e-3
    met = [bool((problem.term_errors(q) <= problem.tolerances).all()) for q in settled.history.q]
    since = met.index(True)
    assert since == first.iterations
    assert all(met[since:])
    assert (np.diff(g[since:]) < 0.0).all()
    # Before, f falls in every iteration.
    assert (np.diff(settled.history.f[: since + 1]) < 0.0).all()


def test_a_start_that_meets_the_goals_is_polished_only_when_asked() -> None:
    figure, goals, start = chain()
    met = limbik.solve(figure, goals, start=start, restarts=0).q
    asked = {"start": met, "restarts": 0}
    left = limbik.solve(figure, goals, method=NullSpace(criterion="rest"), **asked)
    assert left.iterations == 0
    polished = limbik.solve(figure, goals, method=NullSpace(criterion="rest", polish=True), **asked)
    assert polished.ok
    assert polished.iterations > 0
    assert (polished.q**2).sum() < (met**2).sum() - 0.1


def test_a_pose_may_be_given() -> None:
    figure, goals, start = chain()
    pose = np.array([-0.5, 1.5, 0.5, 0.5])
    ours = limbik.solve(
        figure, goals, start=start, method=NullSpace(criterion="rest", pose=pose), restarts=0
    )
    other = limbik.solve(figure, goals, start=start, method=NullSpace(criterion="rest"), restarts=0)
    assert ours.ok
    assert other.ok
    assert np.linalg.norm(ours.q - pose) < np.linalg.norm(other.q - pose) - 0.1


def test_coordinates_that_no_goal_moves_follow_the_criterion_unless_locked() -> None:
    figure = limbik.figures.human()
    start = figure.project(figure.rest + 0.2)
    at = figure.positions(start)[figure.index("LeftHand")]
    goals = [Reach("LeftHand", position=at + [0.05, 0.02, 0.03])]
    legs = figure.coordinates_of("RightLeg")
    method = NullSpace(criterion="rest")
    asked = {"start": start, "restarts": 0, "method": method}
    loose = limbik.solve(figure, goals, **asked)
    assert loose.ok
    assert (np.abs(loose.q - figure.rest)[legs] < 0.5 * np.abs(start - figure.rest)[legs]).all()
    locked = limbik.solve(figure, goals, lock=["RightLeg"], **asked)
    assert locked.ok
    np.testing.assert_array_equal(locked.q[legs], start[legs])


def test_manipulability_moves_away_from_a_singular_pose() -> None:
    """Two ways to hold the same point: nearly stretched, and bent."""
    figure = limbik.figures.chain([1.0, 1.0, 1.0])
    start = np.array([1.2, -1.25, 0.1])  # joints 2 and 3 nearly in line
    at = figure.positions(start)[-1]
    goals = [Reach("Tip", position=at)]
    method = NullSpace(criterion="manipulability", polish=True)
    r = limbik.solve(figure, goals, start=start, method=method, restarts=0)
    assert r.ok

    def measure(q: np.ndarray) -> float:
        jacobian = figure.jacobian(q, "Tip")[:2]
        return float(np.sqrt(np.linalg.det(jacobian @ jacobian.T)))

    assert measure(r.q) > 1.15 * measure(start)


def test_singular_iterations_are_counted() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 1.0])
    goals = [Reach("Tip", position=[2.0, 0.8, 0.0])]
    straight = limbik.solve(
        figure, goals, start=np.zeros(3), method=NullSpace(), budget=1, restarts=0
    )
    bent = limbik.solve(figure, goals, start=[0.2, 0.5, 0.6], method=NullSpace(), restarts=0)
    # A row that is 0 in every pose (z, in the plane) does not count.
    assert straight.singular == 1
    assert bent.ok
    assert bent.singular == 0


def test_out_of_reach_it_ends_stretched_as_far_as_the_cutoff_lets_it() -> None:
    """Near the stretched pose J⁺ leaves out the direction that is missing, and it says so."""
    figure, _, start = chain()
    goals, asked = [Reach("Tip", position=[5.0, 0.5, 0.0])], {"start": start, "restarts": 0}
    r = limbik.solve(figure, goals, method=NullSpace(), **asked)
    assert r.status in (Status.STALLED, Status.OUT_OF_REACH)
    least = np.hypot(5.0, 0.5) - 3.5
    assert least <= r.errors[0] < least + 1e-3


def test_a_pose_of_the_wrong_length_is_refused() -> None:
    figure, goals, start = chain()
    with pytest.raises(MethodError, match="null_space: pose: needs 4 values"):
        limbik.solve(
            figure, goals, start=start, method=NullSpace(criterion="rest", pose=[1.0, 2.0])
        )
