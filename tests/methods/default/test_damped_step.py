"""The damped Newton step inside limits, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Figure, Joint, Problem, Reach, SwingTwist
from limbik.figure.joints import exponential
from limbik.figure.projection import free_directions
from limbik.methods.default.damped_step import damped_step, weigh_coordinates
from limbik.methods.default.directions import pulls, take_columns
from limbik.methods.default.hessian import assemble_hessian
from limbik.methods.default.limits_on_step import project_step
from limbik.methods.default.workspace import LMWorkspace, lm_size, view_lm
from limbik.solver.objective import curvature, descent, evaluate, linearise, scratch_of

HUMAN = limbik.figures.human()


def newton_model(problem: Problem, q: np.ndarray) -> tuple[LMWorkspace, int]:
    """A workspace with the exact Hessian of f at q, and how many directions are free."""
    ints, floats = problem.ints, problem.floats
    lm, _ = view_lm(ints, np.zeros(len(problem.state) + lm_size(problem)))
    f = evaluate(ints, floats, q, lm.state, lm.r)
    linearise(ints, floats, q, lm.state, lm.r, lm.jt, lm.model_residual)
    descent(ints, floats, q, lm.jt, lm.r, lm.half_descent)
    count = free_directions(
        ints, floats, q, lm.half_descent, lm.starts, lm.spans, lm.coefficients,
        scratch_of(ints, lm.state),
    )  # fmt: skip
    count = take_columns(ints, floats, lm, count)
    pulls(ints, floats, q, lm, count, True)
    weigh_coordinates(ints, floats, f, lm)
    curvature(ints, floats, q, lm.state, lm.r, lm.y, lm.moments, lm.torques, lm.columns, lm.second)
    assemble_hessian(ints, lm, count, True)
    return lm, count


def dense(lm: LMWorkspace, count: int, lam: float) -> tuple[np.ndarray, np.ndarray]:
    """H + λM and Jᵀt + d, by direction."""
    order = lm.order[:count].astype(int)
    h, b = np.zeros((count, count)), np.zeros(count)
    for k, d in enumerate(order):
        for e in range(int(lm.first[k]), k + 1):
            h[d, order[e]] = h[order[e], d] = lm.hessian[k, e]
        h[d, d] += lam / lm.metric[lm.starts[d]]
        b[d] = lm.jt[lm.column[d]] @ lm.model_residual + lm.pull[d]
    return h, b


@pytest.mark.parametrize("seed", range(6))
def test_what_limits_hold_stays_there_and_the_rest_is_solved_for(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = HUMAN.project(HUMAN.rest + rng.normal(size=HUMAN.n))
    names = ["LeftHand", "RightHand", "Head", "LeftFoot", "RightFoot"]
    places = 1.2 * HUMAN.positions(q)[[HUMAN.index(name) for name in names]]
    goals = [Reach(name, position=p) for name, p in zip(names, places, strict=True)]
    problem = Problem(HUMAN, [*goals, limbik.Rest(weight=1e-3)], start=q)
    lm, count = newton_model(problem, q)
    before, lam = 0, 1.0
    for passes in (1, 2, 3):  # with seed 3 each holds more than the one before
        assert damped_step(problem.ints, problem.floats, q, lm, count, lam, passes, True, False)
        h, b = dense(lm, count, lam)
        held, step = lm.held[:count] > 0, lm.step[:count]
        np.testing.assert_array_equal(step[held], lm.along[:count][held])
        inside = ~held
        rest = b[inside] - h[np.ix_(inside, held)] @ step[held]
        np.testing.assert_allclose(
            step[inside], np.linalg.solve(h[np.ix_(inside, inside)], rest), rtol=1e-9, atol=1e-12
        )
        assert held.sum() >= before
        before = held.sum()
    assert before > 0


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5, 6, 8, 10])
def test_along_edges_of_cones_on_exponential_balls_f_curves_as_the_model_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    limits = [SwingTwist(swing=rng.uniform(0.3, 1.0, 2)) for _ in range(3)]
    chain = Figure(
        [
            Joint("A", None, exponential("y"), limit=limits[0]),
            Joint("B", "A", exponential("y"), offset=(0.0, 1.0, 0.0), limit=limits[1]),
            Joint("C", "B", exponential("y"), offset=(0.0, 1.0, 0.0), limit=limits[2]),
            Joint("Tip", "C", offset=(0.0, 1.0, 0.0)),
        ]
    )
    q = chain.project(rng.normal(size=chain.n))
    there = chain.positions(q)[chain.index("Tip")] + rng.normal(size=3)
    problem = Problem(chain, [Reach("Tip", position=there, weight=2.0)], start=q)
    lm, count = newton_model(problem, q)
    h, b = dense(lm, count, 0.0)
    along = np.flatnonzero(lm.spans[:count] == 3)
    assert len(along) >= 2

    def half_f(x: np.ndarray) -> float:
        lm.step[:count] = 0.0
        lm.step[along] = x
        project_step(problem.ints, problem.floats, q, lm, count)
        return 0.5 * problem.objective(lm.trial)

    far = 1e-3 * np.eye(len(along))
    slope = np.array([half_f(x) - half_f(-x) for x in far]) / 2e-3
    np.testing.assert_allclose(slope, -b[along], atol=1e-4 * np.abs(b).max())
    bend = [
        [half_f(x + y) - half_f(x - y) - half_f(y - x) + half_f(-x - y) for x in far] for y in far
    ]
    exact = h[np.ix_(along, along)]
    np.testing.assert_allclose(np.array(bend) / 4e-6, exact, atol=0.05 * np.abs(exact).max())
