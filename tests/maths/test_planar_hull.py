"""Convex hulls in a plane and how far a point is from their inside, beside SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

from limbik.maths.planar_hull import LINE, NEAREST, hull_depth, hull_shortfall, planar_hull


def hull_of(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    hull, lines = np.empty(len(points)), np.empty(LINE * len(points))
    return hull, lines, planar_hull(points.ravel(), len(points), hull, lines)


def shortfall(points: np.ndarray, at: np.ndarray, margin: float) -> float:
    hull, lines, found = hull_of(points)
    return hull_shortfall(points.ravel(), hull, lines, found, *at, margin, np.empty(NEAREST))


@pytest.mark.parametrize("seed", range(20))
def test_the_hull_and_the_depth_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(3, 25)), 2))
    points = np.concatenate((points, points[:2]))  # twice the same point is nothing new
    _hull, lines, found = hull_of(points)
    theirs = ConvexHull(points)
    assert found == len(theirs.vertices)
    for at in rng.normal(size=(5, 2)):
        out = theirs.equations[:, :2] @ at + theirs.equations[:, 2]
        assert hull_depth(lines, found, *at) == pytest.approx(out.max(), abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_shortfall_is_the_distance_from_the_shrunk_hull(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, at = rng.normal(size=(9, 2)), rng.normal(size=2) * 2
    margin = 0.15
    plane = ConvexHull(points).equations
    inside = {"type": "ineq", "fun": lambda x: -plane[:, :2] @ x - plane[:, 2] - margin}
    nearest = minimize(
        lambda x: (x - at) @ (x - at), points.mean(axis=0), constraints=[inside],
        options={"ftol": 1e-14},
    )  # fmt: skip
    assert shortfall(points, at, margin) == pytest.approx(np.sqrt(nearest.fun), abs=2e-6)


def test_a_line_a_point_and_a_margin_that_leaves_nothing() -> None:
    line = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]])
    assert shortfall(line, np.array([0.5, 0.2]), 0.0) == pytest.approx(0.2)
    assert shortfall(line, np.array([2.0, 0.0]), 0.1) == pytest.approx(1.1)
    assert shortfall(np.zeros((2, 2)), np.array([0.3, 0.4]), 0.0) == pytest.approx(0.5)
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert shortfall(square, np.array([0.5, 0.5]), 0.4) == 0.0
    assert shortfall(square, np.array([0.5, 0.5]), 0.7) == pytest.approx(0.2)
    assert shortfall(square, np.array([2.0, 2.0]), 0.0) == pytest.approx(np.sqrt(2.0))
