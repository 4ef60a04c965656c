"""Inequalities that hold: methods may ask for them before a step breaks one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import limbik
from helpers.differences import differences
from limbik import Above, Avoid, Balance, Pin, Reach, Rest, Sphere, Within
from limbik.figure.collision_pairs import shape_distances
from limbik.goals import Goal
from limbik.goals.kernels.functions import ANY_COST
from limbik.posture.floor import Floor
from limbik.solver.objective import ahead_of, evaluate, linearise
from limbik.solver.problem import Problem

HUMAN = limbik.figures.human()
WEIGHT = 3.0


def foreseen(problem: Problem, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows,) w·h of the rows that hold, 0 for all others, and their Jacobian (rows, n)."""
    ints, floats, state = problem.ints, problem.floats, problem.state
    r, model = np.empty(problem.rows), np.empty(problem.rows)
    jt = np.empty((HUMAN.n, problem.rows))
    evaluate(ints, floats, q, state, r)
    assert not r.any()
    linearise(ints, floats, q, state, r, jt, model)
    assert not jt.any()  # nobody asked
    ahead = ahead_of(ints, state)
    ahead[0] = ANY_COST
    linearise(ints, floats, q, state, r, jt, model)
    return ahead[1:].copy(), jt.T.copy()


def above(q: np.ndarray) -> np.ndarray:
    return -HUMAN.frames(q)[HUMAN.index("LeftHand"), 1:2, 3]


def floor(q: np.ndarray) -> np.ndarray:
    return np.array([depth for _, depth in Floor(-0.5).depths(HUMAN, q)])


BOX = ([-0.5, -0.5, -2.0], [2.0, 1.9, 3.0])
CENTER, RADIUS = np.array([0.1, 1.0, 0.0]), 2.0
FEET = Balance(["LeftFoot", "RightFoot"], margin=-0.3, weight=WEIGHT)


def box(q: np.ndarray) -> np.ndarray:
    hand = HUMAN.positions(q)[HUMAN.index("LeftHand")]
    return np.maximum(BOX[0] - hand, hand - BOX[1])


def sphere(q: np.ndarray) -> np.ndarray:
    away = np.linalg.norm(HUMAN.positions(q)[HUMAN.index("LeftHand")] - CENTER)
    return np.array([away - RADIUS, 0.0, 0.0])


def fall(q: np.ndarray) -> np.ndarray:
    return np.array([FEET.outside(HUMAN, q) - 0.3 + 1e-4 * HUMAN.size])


@pytest.mark.parametrize(
    ("goal", "signed"),
    [
        (Above("LeftHand", weight=WEIGHT), above),
        (Floor(-0.5, weight=WEIGHT), floor),
        (Within("LeftHand", box=BOX, weight=WEIGHT), box),
        (Within("LeftHand", sphere=(CENTER, RADIUS), weight=WEIGHT), sphere),
        (FEET, fall),
    ],
)
def test_rows_that_hold_agree_with_differences(
    goal: Goal, signed: Callable[[np.ndarray], np.ndarray]
) -> None:
    rng = np.random.default_rng(1)
    q = HUMAN.project(HUMAN.rest + 0.2 * rng.standard_normal(HUMAN.n))
    ahead, rows = foreseen(Problem(HUMAN, [goal], start=q), q)
    root = np.sqrt(WEIGHT)
    np.testing.assert_allclose(ahead, root * signed(q), rtol=1e-12)
    np.testing.assert_allclose(-rows, root * differences(signed, q), atol=1e-7)


def test_the_nearest_pairs_of_shapes_agree_with_differences() -> None:
    q = HUMAN.rest
    hand = HUMAN.positions(q)[HUMAN.index("LeftHand")]
    scene = [Sphere(0.05, hand + [0.0, 0.14, 0.0]), Sphere(0.05, hand + [0.0, -0.12, 0.05])]
    goal = Avoid(scene, own=False, weight=WEIGHT)
    ahead, rows = foreseen(Problem(HUMAN, [goal], start=q), q)
    first = len(HUMAN.shapes)
    pairs = np.array([(i, first + k) for i in range(first) for k in range(len(scene))])

    def signed(q: np.ndarray) -> np.ndarray:
        return np.sqrt(WEIGHT) * (1e-4 * HUMAN.size - shape_distances(HUMAN, q, pairs, scene)[0])

    near = np.sort(signed(q))[::-1]
    found = np.flatnonzero(ahead < 0.0)
    assert len(found) >= 2
    np.testing.assert_allclose(np.sort(ahead[found])[::-1], near[: len(found)], rtol=1e-9)
    for row in found:
        pair = int(np.argmin(np.abs(signed(q) - ahead[row])))
        np.testing.assert_allclose(-rows[row], differences(signed, q)[pair], atol=1e-7)


def test_a_body_settles_on_the_floor_without_creeping_up_to_it() -> None:
    """Steps that ran into the floor were refused, and came to it under a large damping: 1,300
    iterations for these frames."""
    hips = HUMAN.positions(HUMAN.rest)[HUMAN.index("Hips")]
    solver = limbik.Solver(
        HUMAN,
        [
            Reach("Hips", position=hips),
            *(Pin("LeftFoot"), Pin("RightFoot"), Floor(0.0), Rest(weight=1e-4)),
        ],
    )
    q, iterations = HUMAN.rest, 0
    for k in range(30):
        answer = solver.solve(q, {"Hips": hips + [0.005 * k, -0.015 * k, 0.0]})
        q, iterations = answer.q, iterations + answer.iterations
    assert iterations < 800
