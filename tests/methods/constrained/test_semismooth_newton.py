"""Semi-smooth Newton: its equations, their derivatives, and its steps against dense NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import limbik
from helpers.common_problems import SPECIAL, TABLE, problem_of
from limbik import Figure, Joint, MethodError, Problem, Range, Reach, Rest, Status
from limbik.figure.cones import nearest_on_ellipse
from limbik.figure.joints import slides
from limbik.figure.layout import F_REACH
from limbik.methods import SemismoothNewton
from limbik.methods.constrained.complementarity import edge_of_cone, fischer_burmeister, natural

EQUATIONS = {"natural": natural, "fischer_burmeister": fischer_burmeister}
ENDS = [(-1.0, 2.0), (-math.inf, 2.0), (-1.0, math.inf), (-math.inf, math.inf)]


@pytest.mark.parametrize(("low", "high"), ENDS)
@pytest.mark.parametrize("name", EQUATIONS)
def test_zero_exactly_where_a_coordinate_is_optimal(name: str, low: float, high: float) -> None:
    phi = EQUATIONS[name]
    for q in (-1.5, -1.0, 0.3, 2.0, 2.5):
        for s in (-0.7, 0.0, 0.4):
            inside = low <= q <= high
            held = (q == low and s >= 0.0) or (q == high and s <= 0.0)
            optimal = inside and (s == 0.0 or held)
            value, by_q, by_s = phi(q, s, low, high)
            assert (value == 0.0) == optimal
            assert by_q >= 0.0
            assert by_s >= 0.0
            assert by_q + by_s > 0.1


@pytest.mark.parametrize(("low", "high"), ENDS)
@pytest.mark.parametrize("name", EQUATIONS)
def test_derivatives_of_the_equations(name: str, low: float, high: float) -> None:
    phi, h = EQUATIONS[name], 1e-6
    for q, s in np.random.default_rng(1).uniform(-3.0, 3.0, (200, 2)):
        _, by_q, by_s = phi(q, s, low, high)
        by_both = (
            (phi(q + h, s, low, high)[0] - phi(q - h, s, low, high)[0]) / (2 * h),
            (phi(q, s + h, low, high)[0] - phi(q, s - h, low, high)[0]) / (2 * h),
        )
        np.testing.assert_allclose((by_q, by_s), by_both, atol=1e-7)


def test_derivative_of_the_projection_onto_a_cone() -> None:
    a, b, h = 0.9, 0.4, 1e-6
    for x, y in np.random.default_rng(2).uniform(-2.0, 2.0, (100, 2)):
        if (x / a) ** 2 + (y / b) ** 2 < 1.01:
            continue
        px, py, nx, ny, tau = edge_of_cone(x, y, a, b)
        np.testing.assert_allclose((px, py), nearest_on_ellipse(x, y, a, b))
        numeric = np.column_stack(
            [
                np.subtract(
                    nearest_on_ellipse(x + dx, y + dy, a, b),
                    nearest_on_ellipse(x - dx, y - dy, a, b),
                )
                for dx, dy in ((h, 0.0), (0.0, h))
            ]
        ) / (2 * h)
        tangent = np.array([-ny, nx])
        np.testing.assert_allclose(tau * np.outer(tangent, tangent), numeric, atol=1e-6)


def chain() -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.9))
    goals = [Reach("Tip", position=[0.6, 1.2, 0.0], weight=[2.0, 0.5, 1.0]), Rest(weight=0.3)]
    return figure, goals, np.array([0.85, 0.9, -0.5])


def hand() -> tuple[Figure, list, np.ndarray]:
    """Fingers that start stretched and are asked to stretch further."""
    figure = limbik.figures.hand()
    start = figure.project(figure.rest - 0.5)
    goals: list = [Rest()]
    for joint, offset in limbik.figures.FINGERTIPS.values():
        at = figure.positions(start)[figure.index(joint)]
        goals.append(Reach(joint, position=at + [0.01, 0.03, 0.05], at=offset))
    return figure, goals, start


def human() -> tuple[Figure, list, np.ndarray]:
    """Arms and back start at the edges of their cones, or near, and are pressed against them."""
    figure = limbik.figures.human()
    rng = np.random.default_rng(3)
    start = figure.project(figure.rest + rng.normal(size=figure.n))
    at = figure.positions(start)
    goals = [
        Reach(name, position=at[figure.index(name)] + rng.normal(size=3))
        for name in ("LeftHand", "RightHand", "Head", "LeftFoot")
    ]
    return figure, goals, start


@pytest.mark.parametrize("equation", EQUATIONS)
@pytest.mark.parametrize("case", [chain, hand, human], ids=lambda case: case.__name__)
def test_the_first_step_solves_the_dense_newton_system(case, equation) -> None:
    """N·δ = −Φ with N assembled from finite differences of P, or of Fischer–Burmeister's φ."""
    figure, goals, start = case()
    problem = Problem(figure, goals, start=start)
    q, n, h = problem.start, figure.n, 1e-7
    rest = sum((g.diagonal(problem.scene)[0] for g in goals if isinstance(g, Rest)), np.zeros(n))
    metric = np.where(figure.slides, problem.scene.lever**2, 1.0)
    jacobian = problem.jacobian(q)
    gamma = metric / ((jacobian**2).sum() + rest.sum())
    f = problem.objective(q)
    damping = 0.05
    reach = problem.floats[problem.ints[F_REACH]]
    hessian = jacobian.T @ jacobian + np.diag(rest + damping * min(f, reach) / metric)
    s = gamma * problem.gradient(q) / 2
    of_p = np.column_stack(
        [
            (figure.project(q - s + h * e) - figure.project(q - s - h * e)) / (2 * h)
            for e in np.eye(n)
        ]
    )
    phi = q - figure.project(q - s)
    system = np.eye(n) - of_p @ (np.eye(n) - gamma[:, None] * hessian)
    ranges = np.ones(n, bool)
    for coordinates in figure.tree.cones:
        ranges[coordinates] = False
    if equation == "fischer_burmeister":
        for c in np.flatnonzero(ranges):
            ends = (figure.lower[c], figure.upper[c])
            phi[c], by_q, by_s = fischer_burmeister(q[c], s[c], *ends)
            system[c] = by_q * np.eye(n)[c] + by_s * gamma[c] * hessian[c]
    delta = np.linalg.solve(system, -phi)
    assert (np.abs(phi - s) > 1e-9).any()  # a limit has its say
    method = SemismoothNewton(equation=equation, damping=damping)
    r = limbik.solve(figure, goals, start=start, method=method, budget=1, restarts=0, history=True)
    assert r.history is not None
    assert len(r.history.q) == 2
    # A step that does not pay is halved.
    parts = [figure.project(q + part * delta) for part in 0.5 ** np.arange(5)]
    falls = [f - problem.objective(p) for p in parts]
    asked = [1e-4 * -problem.gradient(q) @ (p - q) for p in parts]
    taken = next(k for k in range(5) if falls[k] > max(0.0, asked[k]))
    np.testing.assert_allclose(r.history.q[1], parts[taken], atol=2e-5)


@pytest.mark.parametrize("equation", EQUATIONS)
@pytest.mark.parametrize("seed", range(5))
def test_on_slides_alone_it_is_the_active_set_that_lsq_linear_finds(equation, seed: int) -> None:
    """F is linear there, so Newton's derivative is exact and it ends after a few steps."""
    rng = np.random.default_rng(seed)
    joints = [
        Joint(f"S{k}", f"S{k - 1}" if k else None, slides(), wxyz=tuple(w / np.linalg.norm(w)),
              limit=Range(-rng.uniform(0.0, 1.0, 3), rng.uniform(0.0, 1.0, 3)))
        for k, w in enumerate(rng.normal(size=(3, 4)))
    ]  # fmt: skip
    figure = Figure(joints)
    goals = [Reach(f"S{k}", position=rng.normal(size=3) * 3.0) for k in range(3)]
    problem = Problem(figure, goals)
    method = SemismoothNewton(equation=equation, damping=0.0)
    r = limbik.solve(figure, goals, method=method, restarts=0)
    a, t = problem.jacobian(figure.rest), problem.residual(figure.rest)
    best = lsq_linear(a, t, (figure.lower, figure.upper), method="bvls", tol=1e-14)
    assert r.status is Status.LIMITED
    np.testing.assert_allclose(r.q, best.x, atol=1e-6)
    assert r.iterations <= 15


def test_cones_and_fischer_burmeister_together() -> None:
    figure, goals, start = human()
    asked = {"start": start, "lock": ("Hips",), "restarts": 0}
    found = [
        limbik.solve(figure, goals, method=SemismoothNewton(equation=equation), **asked)
        for equation in ("natural", "fischer_burmeister")
    ]
    for r in found:
        assert r.status is Status.LIMITED
        assert any(limit.side == "cone" for limit in r.limits)
    assert found[0].objective == pytest.approx(found[1].objective, rel=1e-6)


@pytest.mark.parametrize("case", [*TABLE, *SPECIAL])
def test_fischer_burmeister_keeps_the_promises_too(case: str) -> None:
    asked = problem_of(case)
    r = limbik.solve(
        asked.figure,
        asked.goals,
        start=asked.start,
        lock=asked.lock,
        weights=asked.weights,
        method=SemismoothNewton(equation="fischer_burmeister"),
        budget=60,
        restarts=0,
        history=True,
    )
    assert r.history is not None
    assert (np.diff(r.history.f) < 0.0).all()
    assert np.max(asked.figure.violation(r.history.q)) == 0.0
    moves = asked.problem.moves
    np.testing.assert_array_equal(r.q[~moves], asked.problem.start[~moves])


@pytest.mark.parametrize(
    "settings", [{"equation": "smooth"}, {"alpha": 0.0}, {"alpha": 1.0}, {"damping": -1.0}], ids=str
)
def test_refused(settings: dict) -> None:
    with pytest.raises(MethodError, match="semismooth_newton"):
        SemismoothNewton(**settings)
