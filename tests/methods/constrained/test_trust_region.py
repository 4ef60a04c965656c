"""The trust region against SciPy's own methods for bounds, and its box against lsq_linear."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares, lsq_linear

import limbik
from limbik import Figure, MethodError, Problem, Range, Reach, Rest, Status
from limbik.figure.layout import F_METRIC
from limbik.figures.anatomy import HIP_LIMIT
from limbik.methods import ProjectedLevenbergMarquardt, TrustRegion
from limbik.methods.constrained.complementarity import normal_and_curvature
from limbik.methods.constrained.reduced import Reduced
from limbik.methods.constrained.trust_box import Box, cauchy_point, step_in_box


def held_chain(seed: int) -> tuple[Figure, list]:
    """Six hinges that move little, and a target that they may or may not reach."""
    rng = np.random.default_rng(seed)
    figure = limbik.figures.chain(rng.uniform(0.5, 1.5, 6), limits=Range(-0.4, 0.5))
    return figure, [Reach("Tip", position=[*rng.uniform(-4.0, 4.0, 2), 0.0])]


def arm(seed: int) -> tuple[Figure, list]:
    target = np.random.default_rng(seed).uniform(-0.5, 0.5, 3)
    return limbik.figures.arm(), [Reach("Tool", position=target), Rest(weight=0.1)]


PROBLEMS = [held_chain(seed) for seed in range(6)] + [arm(seed) for seed in range(4)]


@pytest.mark.parametrize("scipy_method", ["trf", "dogbox"])
@pytest.mark.parametrize("number", range(len(PROBLEMS)))
def test_the_minimum_of_scipy(number: int, scipy_method: str) -> None:
    """There are several; from the neighbourhood of the best both end in that one."""
    figure, goals = PROBLEMS[number]
    rng = np.random.default_rng(number)
    start = limbik.solve(figure, goals, restarts=10).q + rng.normal(size=figure.n) * 0.1
    start = np.clip(start, figure.lower + 1e-6, figure.upper - 1e-6)
    problem = Problem(figure, goals, start=start)
    rest = [goal.diagonal(problem.scene) for goal in goals if isinstance(goal, Rest)]

    def rows(q: np.ndarray) -> np.ndarray:
        return np.concatenate([problem.residual(q), *(np.sqrt(w) * (p - q) for w, p in rest)])

    def jacobian(q: np.ndarray) -> np.ndarray:
        return -np.concatenate([problem.jacobian(q), *(np.diag(np.sqrt(w)) for w, _ in rest)])

    theirs = least_squares(
        rows,
        start,
        jacobian,  # type: ignore[arg-type]
        bounds=(figure.lower, figure.upper),
        method=scipy_method,  # type: ignore[arg-type]
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-12,
        max_nfev=2000,
    )
    ours = limbik.solve(
        figure, goals, start=start, method=TrustRegion(iterations=1000), tolerance=1e-9, restarts=0
    )
    assert ours.objective == pytest.approx(2.0 * theirs.cost, rel=1e-6, abs=1e-12)


def random_model(rng: np.random.Generator, n: int, rows: int) -> tuple[Reduced, Box, np.ndarray]:
    """A least-squares model min ‖t − Ax‖² in a box, as the kernels keep it; A below."""
    a, t = rng.normal(size=(rows, n)), 3.0 * rng.normal(size=rows)
    marks = np.zeros((4, n), np.uint32)
    marks[0] = np.arange(n)
    z = Reduced(
        starts=marks[0],
        spans=np.ones(n, np.uint32),
        held=marks[2],
        coefficients=np.ones((n, 3)),
        columns=np.ascontiguousarray(a.T),
        hessian=a.T @ a,
        factor=np.empty((n, n)),
        gradient=a.T @ t,
        extra=np.zeros(n),
        step=np.zeros(n),
        base=np.empty(n),
        solved=marks[3],
    )
    low, high = -rng.uniform(0.0, 1.0, n), rng.uniform(0.0, 1.0, n)
    low[0], high[1] = 0.0, 0.0
    return z, Box(low, high, np.empty(n), np.empty(n)), np.column_stack([a, t])


@pytest.mark.parametrize("seed", range(12))
def test_the_step_in_the_box_is_that_of_lsq_linear(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    z, box, both = random_model(rng, n, n + 2)
    ints, floats = np.zeros(200, np.uint32), np.ones(n)
    assert ints[F_METRIC] == 0  # the metric stands at floats[0:]
    cauchy_point(ints, floats, z, n, box)
    assert ((box.low <= box.best) & (box.best <= box.high)).all()
    a, t = both[:, :-1], both[:, -1]

    def promise(x: np.ndarray) -> float:
        return float(t @ t - (t - a @ x) @ (t - a @ x))

    slope = 2.0 * z.gradient @ box.best
    assert 0.1 * slope <= promise(box.best) <= slope
    at_cauchy = promise(box.best)
    step_in_box(z, n, 40, box)
    # SciPy wants some room between the bounds.
    best = lsq_linear(a, t, (box.low - 1e-12, box.high + 1e-12), method="bvls", tol=1e-14).x
    assert at_cauchy <= promise(z.step) == pytest.approx(promise(best), rel=1e-8)
    np.testing.assert_allclose(z.step, best, atol=1e-6)


def test_the_radius_bounds_each_step_and_doubles_while_the_model_is_right() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-2.0, 2.0))
    goals = [Reach("Tip", position=[-1.0, 1.0, 0.0])]
    r = limbik.solve(
        figure, goals, start=[0.3, 0.3, 0.3], method=TrustRegion(radius=0.01), restarts=0,
        history=True,
    )  # fmt: skip
    assert r.ok
    assert r.history is not None
    changes = np.abs(np.diff(r.history.q, axis=0)).max(axis=1)
    np.testing.assert_allclose(changes[:5], [0.01, 0.02, 0.04, 0.08, 0.16], rtol=1e-12)


def test_a_step_is_taken_only_for_what_it_promised() -> None:
    """Every accepted fall of f is at least ``accept`` of the Gauss–Newton model's."""
    accept = 0.2
    figure, goals = PROBLEMS[0]
    start = np.full(6, -0.3)
    problem = Problem(figure, goals, start=start)
    method = TrustRegion(radius=3.0, accept=accept)
    r = limbik.solve(figure, goals, start=start, method=method, restarts=0, history=True)
    assert r.history is not None
    assert r.iterations > 2
    for q, to, f, after in zip(
        r.history.q, r.history.q[1:], r.history.f, r.history.f[1:], strict=False
    ):
        model = problem.residual(q) - problem.jacobian(q) @ (to - q)
        assert f - after >= accept * (f - model @ model) * (1.0 - 1e-9)


@pytest.mark.parametrize("figure", [limbik.figures.human(), limbik.figures.leg()], ids=str)
def test_at_the_edge_of_cones_it_finds_what_the_default_finds(figure: Figure) -> None:
    effector = "LeftHand" if "LeftHand" in figure.joints else "Toes"
    at = figure.positions(figure.rest)[figure.index(effector)]
    goals = [Reach(effector, position=at + [1.0, 2.0, -2.0])]
    asked = {"lock": [j for j in figure.joints if j == "Hips"], "restarts": 0}
    default = limbik.solve(figure, goals, method=ProjectedLevenbergMarquardt(), **asked)
    ours = limbik.solve(figure, goals, method=TrustRegion(iterations=500), **asked)
    assert ours.status is Status.LIMITED
    assert any(limit.side == "cone" for limit in ours.limits)
    assert ours.objective == pytest.approx(default.objective, rel=1e-5)


@pytest.mark.parametrize(
    "settings",
    [{"radius": 0.0}, {"radius": 7.0}, {"largest": np.inf}, {"accept": 0.25}, {"passes": 0}],
    ids=str,
)
def test_refused(settings: dict[str, float]) -> None:
    with pytest.raises(MethodError, match="trust_region"):
        TrustRegion(**settings)  # type: ignore[arg-type]


def test_the_edge_of_a_cone_bends_the_model() -> None:
    """Along the edge f falls by 2gx − Hx² with the edge's curvature in H, to second order."""
    figure = limbik.figures.leg()
    start = figure.project(figure.rest + np.eye(figure.n)[1] * 3.0)
    at = figure.positions(start)[figure.index("Ankle")]
    goals = [Reach("Ankle", position=at + [0.5, 0.2, 0.1])]
    problem = Problem(figure, goals, start=start)
    limit = HIP_LIMIT
    assert limit.swing is not None
    q, (a, b) = problem.start, limit.swing
    x, y = q[:2] - np.array(limit.center)
    assert (x / a) ** 2 + (y / b) ** 2 == pytest.approx(1.0)
    nx, ny, curvature = normal_and_curvature(x, y, a, b)
    half_descent = -problem.gradient(q) / 2
    pressed = nx * half_descent[0] + ny * half_descent[1]
    assert pressed > 0.0
    tangent = np.zeros(figure.n)
    tangent[:2] = -ny, nx
    jacobian, r = problem.jacobian(q), problem.residual(q)
    hessian = float((jacobian @ tangent) @ (jacobian @ tangent)) + curvature * pressed
    for h in (1e-3, -1e-3):
        away = figure.project(q + h * tangent) - q
        linear = r - jacobian @ away  # what F's own curvature adds is not the model's
        fall = r @ r - linear @ linear
        assert fall == pytest.approx(2 * half_descent @ tangent * h - hessian * h * h, abs=5e-9)
