"""Velocity, acceleration and speed terms: their gradients against differences, turns of balls."""

from __future__ import annotations

import numpy as np
import pytest

from limbik.animate.whole_clip.smoothness import (
    difference,
    retract,
    smooth_block,
    smooth_cost,
    smooth_half_descent,
)

BALLS = np.array([1], np.int64)
N = 5
DRIFT = 0.1 * np.random.default_rng(4).normal(size=(8, N))


def clip_of(frames: int, reach: float) -> np.ndarray:
    q = np.cumsum(np.random.default_rng(3).normal(size=(frames, N)) * reach, axis=0)
    scratch = np.zeros(40 + N)
    for pose in q:
        retract(pose, np.zeros(N), BALLS, scratch)  # balls within half a turn
    return q


def cost_of(q: np.ndarray, low: int, high: int, weights: np.ndarray) -> float:
    return smooth_cost(q, low, high, BALLS, weights, DRIFT, np.zeros(q.shape), np.zeros(40 + N))


@pytest.mark.parametrize(("low", "high"), [(0, 8), (2, 5), (0, 1), (7, 8)])
def test_the_gradient_is_that_of_differences(low: int, high: int) -> None:
    q = clip_of(8, 0.4)
    weights = np.array([[0.3] * N, [0.7] * N, [2.0] * N, [0.35] * N])
    weights[2:, 1:4] = [[0.0] * 3, [np.inf] * 3]  # a ball's speed has no limit here
    steps, scratch, half_descent = np.zeros(q.shape), np.zeros(40 + N), np.zeros((high - low, N))
    smooth_cost(q, low, high, BALLS, weights, DRIFT, steps, scratch)
    smooth_half_descent(q, low, high, BALLS, weights, DRIFT, steps, half_descent, scratch)
    for t in range(low, high):
        for c in range(N):
            found = []
            for sign in (1.0, -1.0):
                moved, step = q.copy(), np.zeros(N)
                step[c] = sign * 1e-6
                retract(moved[t], step, BALLS, scratch)
                found.append(cost_of(moved, low, high, weights))
            slope = (found[0] - found[1]) / 2e-6
            assert half_descent[t - low, c] == pytest.approx(-0.5 * slope, rel=1e-6, abs=1e-7)


def test_blocks_are_the_second_derivatives_of_plain_coordinates() -> None:
    q = clip_of(6, 0.1)
    weights = np.array([[0.3] * N, [0.7] * N, [0.0] * N, [np.inf] * N])
    none = np.zeros(0, np.int64)
    for t, s in ((3, 3), (3, 2), (3, 1), (0, 0), (1, 0), (5, 4), (5, 3)):
        out, steps = np.zeros(N), np.zeros(q.shape)
        smooth_block(t, s, len(q) - 1, weights, steps, out)

        def cost(a: float, b: float, t: int = t, s: int = s) -> float:
            moved = q.copy()
            moved[t, 0] += a
            moved[s, 0] += b
            steps, scratch = np.zeros(q.shape), np.zeros(40 + N)
            return smooth_cost(moved, 0, 6, none, weights, DRIFT, steps, scratch)

        h = 0.5  # the terms are quadratic
        second = (cost(h, h) - cost(h, -h) - cost(-h, h) + cost(-h, -h)) / (4 * h * h)
        assert out[0] == pytest.approx(0.5 * second, abs=1e-9)


def test_a_ball_goes_the_short_way_and_comes_back() -> None:
    a, b = np.zeros(N), np.zeros(N)
    a[1:4], b[1:4] = [3.0, 0.0, 0.0], [-3.0, 0.0, 0.0]
    step, scratch = np.zeros(N), np.zeros(40 + N)
    difference(a, b, BALLS, step, scratch)
    assert np.allclose(step, [0, 2 * np.pi - 6.0, 0, 0, 0])
    retract(a, step, BALLS, scratch)
    assert np.allclose(a, b)
