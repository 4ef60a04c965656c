"""Projected Gauss–Seidel: its steps, its Jacobians, its shift and its settings."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import limbik
from helpers.damped_systems import by_hand, hand_problem
from limbik import Figure, Joint, MethodError, Problem, Range, Reach, Rest, SwingTwist
from limbik.figure.joints import Coupling, exponential, revolute
from limbik.maths.so3 import matrix_to_quat, wrap
from limbik.methods.gauss_seidel.projected_gauss_seidel import ProjectedGaussSeidel, shift_balls
from limbik.methods.gauss_seidel.schedule import SWEEPS, schedule


def test_steps_are_damped_gauss_newton_where_nothing_holds() -> None:
    """With sweeps to spare an iteration is w + (JᵀJ + δI)⁻¹JᵀΔe."""
    figure = limbik.figures.arm()
    frame = figure.frames(figure.rest + 0.1)[figure.index("Tool")]
    goals = [Reach("Tool", position=frame[:3, 3])]
    method = ProjectedGaussSeidel(sweeps=20000, residual=1e-13, change=0.0, same=0.0, damping=1e-2)
    r = limbik.solve(figure, goals, method=method, restarts=0, history=True, tolerance=1e-9)
    assert r.ok
    assert r.history is not None
    problem = Problem(figure, goals)
    for q, following in zip(r.history.q, r.history.q[1:], strict=False):
        a, b = by_hand(problem, q, 1e-2)
        np.testing.assert_allclose(following, q + np.linalg.solve(a, b), rtol=0, atol=1e-8)


@pytest.mark.parametrize("jacobian", ["dual_quaternion", "differences"])
def test_the_jacobians_lead_to_the_same_answer(jacobian: str) -> None:
    problem, q = hand_problem()
    asked = {"start": q, "restarts": 0, "tolerance": 1e-8}
    plain = ProjectedGaussSeidel(damping=1e-2)
    other = replace(plain, jacobian=jacobian)  # type: ignore[arg-type]
    figure, goals = problem.figure, problem.goals
    one = limbik.solve(figure, goals, method=plain, **asked)
    two = limbik.solve(figure, goals, method=other, **asked)
    assert one.ok
    assert two.ok
    np.testing.assert_allclose(two.q, one.q, atol=1e-4)
    assert two.evaluations >= one.evaluations


@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("warm", [False, True])
def test_a_hand_reaches_its_targets_whatever_the_sweep(sweep: str, warm: bool) -> None:
    problem, q = hand_problem()
    method = ProjectedGaussSeidel(sweep=sweep, warm=warm, sweeps=50)  # type: ignore[arg-type]
    r = limbik.solve(problem.figure, problem.goals, start=q, method=method, restarts=0)
    assert r.ok
    assert problem.figure.violation(r.q) == 0.0


def ball(limit: SwingTwist | Range | None = None) -> Figure:
    joints = [
        Joint("A", None, exponential("y"), limit=limit),
        Joint("B", "A", revolute("x"), offset=(0.3, 1.0, 0.2)),
        Joint("Tip", "B", offset=(0.0, 1.0, 0.3)),
    ]
    return Figure(joints)


def table_of(figure: Figure, goals: list, **options) -> np.ndarray:
    return schedule(Problem(figure, goals, **options), "sequential")


def test_balls_beyond_pi_are_shifted() -> None:
    figure = ball()
    goals = [Reach("Tip", position=[1.0, 1.0, 1.0])]
    q, x = np.array([2.5, 2.5, 0.5, 0.1]), np.ones(4)
    w, before = wrap(q[:3]), figure.frames(q)
    assert shift_balls(q, table_of(figure, goals), x)
    np.testing.assert_allclose(q[:3], w, atol=1e-14)
    np.testing.assert_array_equal(x, [0.0, 0.0, 0.0, 1.0])
    np.testing.assert_allclose(figure.frames(q), before, atol=1e-14)
    assert not shift_balls(q, table_of(figure, goals), x)
    # Not where somebody reads w itself.
    for goals_, options in ((goals + [Rest()], {}), (goals, {"lock": ["A"]})):
        q = np.array([2.5, 2.5, 0.5, 0.1])
        assert not shift_balls(q, table_of(figure, goals_, **options), x)
    follower = Joint("C", "B", revolute("x", coupled=Coupling("A.wx")))
    assert not shift_balls(q, table_of(Figure([*figure.definition, follower]), goals), x)


def test_a_turn_through_pi_stays_a_short_vector() -> None:
    figure = ball()
    q = np.array([0.0, 3.0, 0.0, 0.2])
    target = figure.frames(np.array([0.0, 3.6, 0.0, 0.2]))[2]
    goals = [Reach("Tip", position=target[:3, 3], wxyz=matrix_to_quat(target[:3, :3]))]
    asked = {"start": q, "restarts": 0, "history": True}
    r = limbik.solve(figure, goals, method=ProjectedGaussSeidel(), **asked)
    left = limbik.solve(figure, goals, method=ProjectedGaussSeidel(shift=False), **asked)
    assert r.ok
    assert left.ok
    assert np.linalg.norm(r.q[:3]) <= math.pi < np.linalg.norm(left.q[:3])


def test_coupled_joints() -> None:
    """The last joint of a finger follows the middle one, as in a hand."""
    joints = [
        Joint("A", None, revolute("z"), limit=Range(0.0, 1.5)),
        Joint("B", "A", revolute("z"), offset=(1.0, 0.0, 0.0), limit=Range(0.0, 1.5)),
        Joint(
            "C", "B", revolute("z", coupled=Coupling("B", 2 / 3)), offset=(0.7, 0.0, 0.0),
            limit=Range(0.0, 0.8),
        ),
        Joint("Tip", "C", offset=(0.5, 0.0, 0.0)),
    ]  # fmt: skip
    figure = Figure(joints)
    assert figure.n == 2
    target = figure.positions([0.4, 0.9])[3]
    r = limbik.solve(
        figure, [Reach("Tip", position=target)], start=[0.1, 0.2], method="gauss_seidel", restarts=0
    )
    assert r.ok
    np.testing.assert_allclose(r.q, [0.4, 0.9], atol=1e-3)
    # Its own limit holds the driver: 0.8 / (2/3).
    far = figure.positions([0.4, 0.9])[3] * 0.2
    r = limbik.solve(
        figure, [Reach("Tip", position=far)], start=[0.1, 0.2], method="gauss_seidel", restarts=0
    )
    assert r.q[1] == pytest.approx(1.2)
    assert figure.violation(r.q) == 0.0


def test_halving_makes_it_descend() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-2.0, 2.0))
    asked = {"start": [0.3, 0.3, 0.3], "restarts": 0, "history": True, "budget": 60}
    goals = [Reach("Tip", position=[3.0, 3.0, 0.0])]
    plain = limbik.solve(figure, goals, method=ProjectedGaussSeidel(), **asked)
    halved = limbik.solve(figure, goals, method=ProjectedGaussSeidel(halvings=20), **asked)
    assert plain.history is not None
    assert halved.history is not None
    assert (np.diff(plain.history.f) > 0.0).any()  # whole steps oscillate out of reach
    assert (np.diff(halved.history.f) <= 0.0).all()
    assert halved.objective < plain.objective


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"sweeps": 0}, "sweeps must be at least 1, got 0"),
        ({"damping": -1.0}, "damping must not be negative, got -1"),
        ({"damping": math.nan}, "damping"),
        ({"residual": -0.1}, "residual must not be negative"),
        ({"same": math.nan}, "same must be a number, got nan"),
        ({"halvings": -1}, "halvings"),
        ({"jacobian": "numeric"}, "jacobian must be .*, got 'numeric'"),
        ({"sweep": "red"}, "sweep must be .*, got 'red'"),
    ],
)
def test_settings_that_are_refused(settings_: dict, message: str) -> None:
    with pytest.raises(MethodError, match=f"gauss_seidel: .*{message}"):
        ProjectedGaussSeidel(**settings_)


def test_a_whole_weight_matrix_needs_the_geometric_jacobian() -> None:
    problem = Problem(
        limbik.figures.chain(), [Reach("Tip", position=[1.0, 1.0, 0.0])], weights=np.eye(3) + 0.1
    )
    with pytest.raises(MethodError, match="gauss_seidel: the dual-quaternion Jacobian"):
        ProjectedGaussSeidel(jacobian="dual_quaternion").options(problem)
    assert len(ProjectedGaussSeidel().options(problem)) > 10
