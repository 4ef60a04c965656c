"""Best rotations against SciPy, and a ball's coordinates for a rotation against the figure."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limbik import Figure, Joint
from limbik.figure.joints import Part, Turn, euler, exponential, swing_twist
from limbik.figure.rigid_fit import RIGID, ball_coordinates, fit_turn, into_range, shortest_arc
from limbik.maths.euler import ORDERS


def fitted(v: np.ndarray, g: np.ndarray, w: np.ndarray) -> np.ndarray:
    turn = np.empty(9)
    fit_turn(np.ascontiguousarray((w[:, None] * v).T @ g).ravel(), np.empty(RIGID), turn)
    return turn.reshape(3, 3)


@pytest.mark.parametrize("count", [2, 3, 7])
def test_fit_is_the_one_of_scipy(count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(20):
        v, g = rng.normal(size=(2, count, 3))
        w = rng.uniform(0.1, 3.0, count)
        theirs = Rotation.align_vectors(g, v, weights=w)[0]
        np.testing.assert_allclose(fitted(v, g, w), theirs.as_matrix(), atol=1e-7)


def test_fit_on_a_line_turns_least() -> None:
    v = np.array([[1.0, 0.2, 0.1], [2.0, 0.4, 0.2]])
    g = np.array([[0.1, 1.0, 0.3], [0.2, 2.0, 0.6]])
    arc = np.empty(9)
    shortest_arc(*v[0], *g[0], arc)
    np.testing.assert_allclose(fitted(v, g, np.ones(2)).ravel(), arc, atol=1e-4)


def test_shortest_arc() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        v, g = rng.normal(size=(2, 3))
        arc = np.empty(9)
        shortest_arc(*v, *g, arc)
        turn = Rotation.from_matrix(arc.reshape(3, 3))
        between = np.arccos(v @ g / np.linalg.norm(v) / np.linalg.norm(g))
        assert turn.magnitude() == pytest.approx(between)
        np.testing.assert_allclose(turn.apply(v) / np.linalg.norm(v), g / np.linalg.norm(g))


@pytest.mark.parametrize("v", [[1.0, 0, 0], [0, 2.0, 0], [0, 0, 1e-9], [0.6, -0.6, 0.5]])
def test_half_a_turn_goes_about_something_across(v: list[float]) -> None:
    arc = np.empty(9)
    shortest_arc(*v, *(-3.0 * np.array(v)), arc)
    matrix = arc.reshape(3, 3)
    np.testing.assert_allclose(matrix @ v, -np.array(v), atol=1e-12 * max(map(abs, v)))
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1.0)


BALLS: dict[str, tuple[Part, ...]] = {order: euler(order) for order in ORDERS}
BALLS["against the axes"] = (Turn((-1, 0, 0)), Turn((0, 1, 0)), Turn((0, 0, -1)))
BALLS["exponential"] = exponential()
BALLS["swing–twist"] = swing_twist((0.3, 0.8, 0.1))


@pytest.mark.parametrize("name", BALLS)
def test_coordinates_of_a_ball_make_its_rotation(name: str) -> None:
    figure = Figure([Joint("Ball", None, BALLS[name])])
    ints, floats = figure.tree.kernel_buffers
    rng = np.random.default_rng(6)
    for _ in range(40):
        q, near = rng.uniform(-1.5, 1.5, (2, 3))
        frame = figure.frames(q)[0, :3, :3]
        found = near.copy()
        ball_coordinates(ints, floats, 0, frame.ravel().copy(), found, np.empty(RIGID))
        np.testing.assert_allclose(figure.frames(found)[0, :3, :3], frame, atol=1e-9)
        # Asked from the same pose, it is the same pose.
        same = q.copy()
        ball_coordinates(ints, floats, 0, frame.ravel().copy(), same, np.empty(RIGID))
        np.testing.assert_allclose(same, q, atol=1e-7)


def test_a_ball_keeps_its_turns_beyond_half_a_turn() -> None:
    figure = Figure([Joint("Ball", None, exponential())])
    q = np.array([3.0, 2.0, 1.0])
    frame = figure.frames(q)[0, :3, :3]
    found = q + 0.01
    ball_coordinates(*figure.tree.kernel_buffers, 0, frame.ravel().copy(), found, np.empty(RIGID))
    np.testing.assert_allclose(found, q, atol=1e-9)


@pytest.mark.parametrize(
    ("value", "low", "high", "near", "expected"),
    [
        (1.0, -np.inf, np.inf, 13.0, 1.0 + 4 * np.pi),
        (3.0, -4.0, -2.0, 0.0, 3.0 - 2 * np.pi),
        (3.0, -1.0, 1.0, 0.0, 3.0),  # nothing is inside
        (-3.0, 2.0, 9.0, 0.0, 2 * np.pi - 3.0),
    ],
)
def test_into_range(value: float, low: float, high: float, near: float, expected: float) -> None:
    assert into_range(value, low, high, near, 2 * np.pi) == pytest.approx(expected)
