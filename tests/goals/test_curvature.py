"""∇²f of every joint kind × goal kind against finite differences of ∇f."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.random_figures import (
    COUPLED,
    FUNCTIONS,
    GOALS,
    JOINTS,
    ROOTS,
    direction,
    random_figure,
    random_goals,
    random_pose,
)
from limbik import Balance, Figure, Joint, Problem, Reach, Rest
from limbik.figure.joints import revolute

EXACT = sorted(set(GOALS) - FUNCTIONS)
INNER = sorted({*JOINTS, *COUPLED} - set(ROOTS))


def differences(problem: Problem, q: np.ndarray, h: float = 1e-4) -> np.ndarray:
    """(n, n) ∇²f by central differences of fourth order; a locked coordinate has none."""
    n = len(q)
    out = np.zeros((n, n))
    for c in np.flatnonzero(problem.moves):
        e = h * np.eye(n)[c]
        near = problem.gradient(q + e) - problem.gradient(q - e)
        far = problem.gradient(q + 2 * e) - problem.gradient(q - 2 * e)
        out[c] = (8.0 * near - far) / (12.0 * h)
    return out


def check(problem: Problem, q: np.ndarray, what: str) -> None:
    found, wanted = problem.hessian(q), differences(problem, q)
    np.testing.assert_array_equal(found[~problem.moves], 0.0, what)
    # The Jacobian's own size says how exact differences of the gradient can be.
    size = np.abs(wanted).max(initial=0.0) + 2.0 * np.abs(problem.jacobian(q)).max(initial=0.0) ** 2
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-7 * size + 1e-10, err_msg=what)
    np.testing.assert_allclose(found, found.T, rtol=0.0, atol=1e-12 * size + 1e-14, err_msg=what)


@pytest.mark.parametrize("kind", INNER)
def test_every_goal_bends_as_differences_say(kind: str) -> None:
    rng = np.random.default_rng(INNER.index(kind))
    for goal in EXACT:
        figure = random_figure(rng, ["revolute", kind, "universal", kind], chain=True)
        q = random_pose(rng, figure, spread=0.7)
        goals = [GOALS[goal](rng, figure, q, figure.joints[-1])]
        check(Problem(figure, goals, start=q), q, f"{kind} × {goal}")


@pytest.mark.parametrize("kind", ROOTS)
def test_every_free_root_bends_as_differences_say(kind: str) -> None:
    rng = np.random.default_rng(7)
    for goal in EXACT:
        figure = random_figure(rng, [kind, "swing–twist", "revolute"], chain=True)
        q = random_pose(rng, figure, spread=0.7)
        goals = [GOALS[goal](rng, figure, q, figure.joints[-1])]
        check(Problem(figure, goals, start=q), q, f"{kind} × {goal}")


@pytest.mark.parametrize("seed", range(25))
def test_locks_couplings_and_full_weights_bend_as_differences_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = [*rng.choice(INNER, 4), *COUPLED, "exponential", "swing–twist"]
    figure = random_figure(rng, [str(kind) for kind in kinds])
    q = random_pose(rng, figure, spread=0.7)
    goals = random_goals(rng, figure, [str(goal) for goal in rng.choice(EXACT, 3)], q)
    goals += [Reach(figure.joints[-1], position=direction(rng)), Rest(weight=0.3)]
    lock = [str(joint) for joint in rng.choice(figure.joints, 2, replace=False)]
    rows = Problem(figure, goals).rows
    mix = rng.normal(size=(rows, rows)) * 0.3
    for weights in (None, np.eye(rows) + mix @ mix.T):
        for locked in ((), lock):
            problem = Problem(figure, goals, start=q, lock=locked, weights=weights)
            check(problem, q, f"{kinds}, locked {locked}")


def test_what_is_missing_bends_f() -> None:
    # One bone of length 1: f = |g − p|², p = (cos q, sin q), so that f'' = 2 g·p.
    figure = Figure([Joint("A", parts=revolute("z")), Joint("B", "A", offset=(1, 0, 0))])
    problem = Problem(figure, [Reach("B", position=[3.0, 0.5, 0.0])])
    for q in (-1.0, 0.0, 0.4, 2.0):
        wanted = 2.0 * (3.0 * np.cos(q) + 0.5 * np.sin(q))
        assert problem.hessian(np.array([q]))[0, 0] == pytest.approx(wanted, abs=1e-12)


def test_the_human_bends_as_differences_say() -> None:
    human, rng = limbik.figures.human(), np.random.default_rng(0)
    for _ in range(3):
        q = random_pose(rng, human, spread=0.4)
        goals = random_goals(rng, human, ["Reach both", "Pin", "Aim", "Plane at", "Rest"], q)
        check(Problem(human, goals, start=q), q, "human")


@pytest.mark.parametrize("contacts", [1, 2, 3, 6])
def test_balance_bends_as_differences_say_beside_edges_corners_lines_and_points(
    contacts: int,
) -> None:
    """With contacts that move, and the margin smaller and larger than the hull."""
    rng, kinds = np.random.default_rng(contacts), ["universal", "swing–twist", "revolute"]
    for margin in (0.0, 0.05, 0.9):
        figure = random_figure(rng, [*kinds, *kinds])
        support = [(str(rng.choice(figure.joints)), rng.normal(size=3)) for _ in range(contacts)]
        goal, q = Balance(support, margin=margin), random_pose(rng, figure, spread=0.7)
        problem = Problem(figure, goal, start=q)
        if contacts < 3 or margin > 0.5:
            assert problem.residual(q) > 0.0
        check(problem, q, f"{contacts} contacts, margin {margin}")
