"""dq/dtarget against finite differences of answers that are found to the last digit."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import limbik
from limbik import Aim, Distance, Plane, Problem, PythonGoal, Range, Reach, Rest, SwingTwist
from limbik.figure.coordinates import to_quat
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, exponential, revolute, swing_twist
from limbik.maths.so3 import exp_map, log_map, quat_multiply
from limbik.maths.so3 import swing_twist as quat_swing_twist

ARM = limbik.figures.arm()
REST = Rest(weight=1e-2)
PLACE = ARM.positions(ARM.rest, "Tool") + [0.05, 0.1, -0.1]
WXYZ = np.array([0.1, 0.95, 0.2, 0.1]) / np.linalg.norm([0.1, 0.95, 0.2, 0.1])


def newton(problem: Problem, q: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Where ∇f vanishes in the coordinates that are not held."""
    free = ~held
    for _ in range(30):
        hessian, gradient = problem.hessian(q), problem.gradient(q)
        step = np.zeros(len(q))
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        q = q - step
    assert np.abs(problem.gradient(q)[free]).max() < 1e-12
    return q


def reach(t: np.ndarray) -> list:
    return [Reach("Tool", PLACE + t), REST]


def full(t: np.ndarray) -> list:
    wxyz = quat_multiply(exp_map(t[3:]), WXYZ)
    return [Reach("Tool", PLACE + t[:3], wxyz=wxyz), REST]


def axes(t: np.ndarray) -> list:
    return [Reach("Tool", wxyz=quat_multiply(exp_map(t), WXYZ), rows="axes"), REST]


def aim(t: np.ndarray) -> list:
    return [Aim("Tool", axis="z", target=np.array([1.0, 0.5, 0.3]) + t), REST]


def distance(t: np.ndarray) -> list:
    return [Distance("Tool", "Joint1", 0.6 + t[0]), REST]


def plane(t: np.ndarray) -> list:
    return [Plane("Tool", [0, 0.6, 0.8], 0.3 + t[0]), REST]


def far(t: np.ndarray) -> list:
    """Out of reach: the second derivatives count."""
    return [Reach("Tool", np.array([1.5, 0.4, 0.6]) + t), REST]


def weighed(t: np.ndarray) -> list:
    return [Reach("Tool", PLACE + t, weight=np.diag([1.0, 2.0, 3.0]) + 0.2), REST]


@pytest.mark.parametrize(
    ("make", "count"),
    [(reach, 3), (full, 6), (axes, 3), (aim, 3), (distance, 1), (plane, 1), (far, 3), (weighed, 3)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_it_is_the_difference_quotient_of_answers(make: Callable, count: int) -> None:
    r = limbik.solve(ARM, make(np.zeros(count)), tolerance=1e-13, restarts=0)
    assert r.problem is not None
    descent = -r.problem.gradient(r.q)
    held = ((r.q <= ARM.lower) & (descent < 0)) | ((r.q >= ARM.upper) & (descent > 0))
    q = newton(r.problem, r.q, held)
    found = replace(r, q=q).sensitivity(0)
    step = 1e-5
    for k, along in enumerate(step * np.eye(count)):
        ahead, behind = (newton(Problem(ARM, make(s * along)), q, held) for s in (1, -1))
        np.testing.assert_allclose(found[:, k], (ahead - behind) / (2 * step), atol=1e-6)


def test_the_pose_of_a_rest_is_a_target_too() -> None:
    goals = [Reach("Tool", PLACE), Rest(weight=1e-2, pose=ARM.rest)]
    r = limbik.solve(ARM, goals, tolerance=1e-13, restarts=0)
    assert r.problem is not None
    none = np.zeros(ARM.n, bool)
    q = newton(r.problem, r.q, none)
    found = replace(r, q=q).sensitivity("Rest")
    assert found.shape == (7, 7)
    for k, along in enumerate(1e-5 * np.eye(7)):
        ahead, behind = (
            newton(Problem(ARM, [goals[0], Rest(weight=1e-2, pose=ARM.rest + s * along)]), q, none)
            for s in (1, -1)
        )
        np.testing.assert_allclose(found[:, k], (ahead - behind) / 2e-5, atol=1e-6)


def test_a_limit_that_holds_is_not_moved_and_a_locked_joint_neither() -> None:
    arm = ARM.with_limits({"Joint2": Range(-0.8, -0.75)})
    r = limbik.solve(arm, reach(np.zeros(3)), lock=["Joint1"], tolerance=1e-13, restarts=0)
    assert [limit.coordinate for limit in r.limits] == ["Joint2"]
    found = r.sensitivity("Tool")
    assert not found[:2].any()
    assert np.abs(found[2:]).max() > 0.1
    assert r.problem is not None
    held = np.array([True, True, *[False] * 5])
    q = newton(r.problem, r.q, held)
    for k, along in enumerate(1e-5 * np.eye(3)):
        ahead, behind = (
            newton(Problem(arm, reach(s * along), start=r.problem.start, lock=["Joint1"]), q, held)
            for s in (1, -1)
        )
        np.testing.assert_allclose(found[:, k], (ahead - behind) / 2e-5, atol=1e-4)


@pytest.mark.parametrize(
    ("ball", "limit"),
    [
        (swing_twist("x"), SwingTwist(swing=(0.5, 0.3))),
        (exponential("x"), SwingTwist(swing=(0.5, 0.3))),
        (exponential("x"), SwingTwist(swing=(2.0, 2.0), twist=(-0.2, 0.2))),
    ],
    ids=["swing-twist", "exponential swing", "exponential twist"],
)
def test_along_the_edge_of_a_cone_the_pose_follows_its_bend(ball, limit: SwingTwist) -> None:
    figure = Figure(
        [
            Joint("Ball", parts=ball, limit=limit),
            Joint("Elbow", "Ball", revolute("z"), (1, 0, 0), limit=Range(-2, 2)),
            Joint("Hand", "Elbow", offset=(0.7, 0, 0)),
        ]
    )
    wxyz = exp_map([0.9, -0.3, 0.5])

    def goals(t: np.ndarray) -> list:
        place = np.array([0.2, 1.0, 0.8]) + t
        return [Reach("Hand", place, wxyz=wxyz, rotation_weight=0.3), Rest(weight=0.05)]

    r = limbik.solve(figure, goals(np.zeros(3)), tolerance=1e-13, restarts=0)
    assert [held.side for held in r.limits] == ["cone"]

    def slack(q: np.ndarray) -> np.ndarray:
        """Of the cone and of both ends of the twist, by the quaternions of the ball."""
        wxyz = to_quat(ball[0], q[None, :3])[0]
        swing, twist = (log_map(part) for part in quat_swing_twist(wxyz, [1.0, 0.0, 0.0]))
        a, b = limit.swing or (1.0, 1.0)
        low, high = limit.twist
        edge = 1.0 - (swing[2] / a) ** 2 - (swing[1] / b) ** 2
        return np.array([edge, min(high, 9.0) - twist[0], twist[0] - max(low, -9.0)])

    def answer(t: np.ndarray) -> np.ndarray:
        problem = Problem(figure, goals(t))
        return minimize(
            problem.objective, r.q, jac=problem.gradient, method="SLSQP",
            constraints=[{"type": "ineq", "fun": slack}], options={"ftol": 1e-16, "maxiter": 200},
        ).x  # fmt: skip

    np.testing.assert_allclose(answer(np.zeros(3)), r.q, atol=1e-3)
    found, step = r.sensitivity("Hand"), 1e-3
    for k, along in enumerate(step * np.eye(3)):
        quotient = (answer(along) - answer(-along)) / (2 * step)
        np.testing.assert_allclose(found[:, k], quotient, atol=1e-3)


def test_where_many_poses_reach_it_the_joints_move_least() -> None:
    r = limbik.solve(ARM, Reach("Tool", PLACE))
    assert r.ok
    found, jacobian = r.sensitivity(0), ARM.jacobian(r.q, "Tool")[:3]
    np.testing.assert_allclose(found, np.linalg.pinv(jacobian), atol=1e-9)


def test_a_goal_is_named_as_goals_are() -> None:
    goals = [Reach("Tool", PLACE), REST]
    r = limbik.solve(ARM, goals)
    by_place = r.sensitivity(0)
    np.testing.assert_array_equal(by_place, r.sensitivity("Tool"))
    np.testing.assert_array_equal(by_place, r.sensitivity(goals[0]))
    np.testing.assert_array_equal(by_place, r.sensitivity(Reach("Tool", PLACE.tolist())))
    for wrong in (2, "Hand", Reach("Tool", [0, 0, 0]), None):
        with pytest.raises(limbik.GoalError, match="none of the goals"):
            r.sensitivity(wrong)  # type: ignore[arg-type]
    with pytest.raises(limbik.LimbikError, match="solve again"):
        pickle.loads(pickle.dumps(r)).sensitivity(0)
    mine = limbik.solve(ARM, PythonGoal(lambda figure, q: q[:1] - 0.1, name="mine"))
    with pytest.raises(limbik.GoalError, match="no target"):
        mine.sensitivity(0)
