"""The projected gradient against equations 26–40 written out in NumPy, and against L-BFGS-B."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import limbik
from limbik import Figure, Joint, MethodError, Problem, Range, Reach, Rest, Status, SwingTwist
from limbik.figure.joints import exponential
from limbik.methods import ProjectedGradient

LENGTHS = np.array([1.0, 1.0, 0.5])
LOW, HIGH = -0.5, 0.9
WEIGHT = np.diag([2.0, 0.7, 1.0])


def tip(q: np.ndarray) -> np.ndarray:
    """Where the planar chain ends."""
    turns = np.cumsum(q)
    return np.array([LENGTHS @ np.cos(turns), LENGTHS @ np.sin(turns), 0.0])


def tip_jacobian(q: np.ndarray) -> np.ndarray:
    """u × (p − o) for every hinge (equation A.11)."""
    turns = np.cumsum(q)
    links = LENGTHS[:, None] * np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
    return np.array([np.cross([0.0, 0.0, 1.0], links[k:].sum(axis=0)) for k in range(3)]).T


def by_hand(
    q: np.ndarray, goal: np.ndarray, method: ProjectedGradient, count: int
) -> list[np.ndarray]:
    """``count`` iterations of section 4 of line_search."""

    def f(q: np.ndarray) -> float:  # (17)
        return float((goal - tip(q)) @ WEIGHT @ (goal - tip(q)))

    def gradient(q: np.ndarray) -> np.ndarray:  # (26)
        return -2 * tip_jacobian(q).T @ WEIGHT @ (goal - tip(q))

    iterates = [q]
    for k in range(count):
        slope, tau = gradient(q), method.first_step
        if method.barzilai_borwein and k > 0:
            s, y = q - iterates[-2], slope - gradient(iterates[-2])
            tau = s @ s / (s @ y) if s @ y > 0 else method.first_step
        while True:
            moved = np.maximum(np.minimum(q - tau * slope, HIGH), LOW)  # (36), (40)
            if f(moved) < f(q) + method.alpha * slope @ (moved - q):  # (39)
                break
            tau *= method.beta  # (34)
            assert tau > 1e-30, f"no way down after {k} iterations"
        q = moved
        iterates.append(q)
    return iterates


@pytest.mark.parametrize("goal", [[1.0, 1.4, 0.0], [3.0, 2.0, 0.0], [0.3, -2.0, 0.0]], ids=str)
@pytest.mark.parametrize(
    "method",
    [
        ProjectedGradient(),
        ProjectedGradient(alpha=0.2, beta=0.3, first_step=3.0),
        ProjectedGradient(barzilai_borwein=True),
    ],
    ids=["as printed", "other constants", "Barzilai–Borwein"],
)
def test_iterates_are_those_of_equations_26_to_40(
    method: ProjectedGradient, goal: list[float]
) -> None:
    figure = limbik.figures.chain(LENGTHS, limits=Range(LOW, HIGH))
    start, goals = np.array([0.4, 0.3, -0.2]), [Reach("Tip", position=goal, weight=WEIGHT)]
    r = limbik.solve(
        figure, goals, start=start, method=method, budget=12, tolerance=1e-9, restarts=0,
        history=True,
    )  # fmt: skip
    assert r.history is not None
    assert 1 < len(r.history.q) == r.iterations + 1
    expected = by_hand(start, np.array(goal), method, r.iterations)
    np.testing.assert_allclose(r.history.q, expected, rtol=0, atol=1e-12)


def test_back_tracking_and_limits_took_part() -> None:
    """The case above would prove little if the first step always did, or nothing was clipped."""
    figure = limbik.figures.chain(LENGTHS, limits=Range(LOW, HIGH))
    goals = [Reach("Tip", position=[1.0, 1.4, 0.0], weight=WEIGHT)]
    r = limbik.solve(
        figure, goals, start=[0.4, 0.3, -0.2], method=ProjectedGradient(), budget=12, restarts=0
    )
    assert r.evaluations > r.iterations + 1
    assert ((r.q == LOW) | (r.q == HIGH)).any()


BOUNDED = [
    (limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.9)), "Tip", [0.3, 2.5, 0.0]),
    (limbik.figures.chain([0.5] * 6, limits=Range(-0.3, 0.5)), "Tip", [-1.0, 1.0, 0.0]),
    (limbik.figures.arm(), "Tool", [0.9, 0.6, 0.9]),
    (limbik.figures.arm(), "Tool", [-0.2, 0.1, 0.2]),
]


@pytest.mark.parametrize(("figure", "joint", "target"), BOUNDED)
@pytest.mark.parametrize("borwein", [False, True])
def test_the_minimiser_is_that_of_l_bfgs_b(
    figure: Figure, joint: str, target: list[float], borwein: bool
) -> None:
    # The weight on rest makes the minimiser unique, and the problem fair to a gradient method.
    goals = [Reach(joint, position=target), Rest(weight=0.5)]
    problem = Problem(figure, goals)
    theirs = minimize(
        problem.objective,
        problem.start,
        jac=problem.gradient,
        method="L-BFGS-B",
        bounds=list(zip(figure.lower, figure.upper, strict=True)),
        options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 2000},
    )
    method = ProjectedGradient(iterations=5000, barzilai_borwein=borwein)
    ours = limbik.solve(figure, goals, method=method, restarts=0)
    assert ours.status in (Status.LIMITED, Status.HELD, Status.OUT_OF_REACH)
    assert ours.objective == pytest.approx(theirs.fun, rel=1e-9)
    np.testing.assert_allclose(ours.q, theirs.x, atol=2e-4)


def test_where_projection_undoes_every_step_the_search_ends_as_stationary() -> None:
    """P(q − τ∇f) = q for every τ: the strict test of (39) can never hold."""
    figure = limbik.figures.chain([1.0, 1.0], limits=Range(0.0, 0.4))
    goals = [Reach("Tip", position=[0.0, 2.0, 0.0])]
    r = limbik.solve(figure, goals, start=[0.4, 0.4], method=ProjectedGradient(), restarts=0)
    assert (r.iterations, r.evaluations, r.status) == (0, 1, Status.LIMITED)


@pytest.mark.parametrize("beta", [0.5, 0.999])
def test_the_search_ends_where_rounding_hides_the_way_down(beta: float) -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    goals = [Reach("Tip", position=[3.0, 1.0, 0.0])]
    method = ProjectedGradient(iterations=3000, beta=beta, stationary=0.0, barzilai_borwein=True)
    r = limbik.solve(figure, goals, start=[0.3, 0.3, 0.3], method=method, restarts=0)
    assert r.status is Status.OUT_OF_REACH
    assert r.iterations < 3000
    assert np.linalg.norm(Problem(figure, goals).gradient(r.q)) < 1e-6


def test_stopped_by_limits_that_are_not_convex_it_does_not_call_itself_stationary() -> None:
    limit = SwingTwist(swing=(50, 30), twist=(-20, 40), degrees=True)
    joints = [
        Joint("A", None, exponential(), limit=limit),
        Joint("B", "A", exponential(), offset=(0.0, 1.0, 0.0), limit=limit),
        Joint("Tip", "B", offset=(0.0, 1.0, 0.0)),
    ]
    figure, method = Figure(joints), ProjectedGradient(iterations=2000)
    stuck = 0
    for target in np.random.default_rng(5).normal(size=(10, 3)):
        goals = [Reach("Tip", position=target)]
        r = limbik.solve(figure, goals, method=method, restarts=0)
        further = limbik.solve(figure, goals, start=r.q, restarts=0)
        if further.objective < 0.99 * r.objective:
            assert r.status is Status.STALLED
            stuck += r.iterations < method.iterations
    assert stuck > 0


def test_barzilai_borwein_needs_far_fewer_iterations() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    goals = [Reach("Tip", position=[3.0, 1.0, 0.0])]
    counts = []
    for borwein in (False, True):
        method = ProjectedGradient(iterations=5000, barzilai_borwein=borwein)
        r = limbik.solve(figure, goals, start=[0.3, 0.3, 0.3], method=method, restarts=0)
        assert r.status is Status.OUT_OF_REACH
        counts.append(r.iterations)
    assert counts[1] < counts[0] / 3


def test_as_released() -> None:
    method = ProjectedGradient.as_released()
    assert (method.alpha, method.beta, method.first_step, method.iterations) == (1e-4, 0.5, 1, 10)
    assert (method.gradient, method.relative, method.still) == (1e-3, 1e-5, 1e-5)
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    r = limbik.solve(
        figure, [Reach("Tip", position=[1.0, 1.0, 0.0])], start=[0.3] * 3, method=method, restarts=0
    )
    assert r.iterations <= 10


def test_each_of_the_released_tolerances_ends_a_solve_but_calls_nothing_stationary() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    goals = [Reach("Tip", position=[3.0, 1.0, 0.0])]
    endings = []
    plain = ProjectedGradient(iterations=1000)
    for change in ({}, {"gradient": 1e-2}, {"relative": 1e-4}, {"still": 1e-3}):
        method = replace(plain, **change)
        r = limbik.solve(figure, goals, start=[0.3, 0.3, 0.3], method=method, restarts=0)
        endings.append((r.iterations, r.status))
    assert endings[0][1] is Status.OUT_OF_REACH
    for iterations, status in endings[1:]:
        assert iterations < endings[0][0]
        assert status is Status.STALLED


@pytest.mark.parametrize(
    "settings",
    [{"beta": 1.0}, {"alpha": 0.0}, {"alpha": 0.6, "beta": 0.5}, {"first_step": 0.0}],
    ids=str,
)
def test_refused(settings: dict[str, float]) -> None:
    with pytest.raises(MethodError, match="projected_gradient"):
        ProjectedGradient(**settings)  # type: ignore[arg-type]
