"""A model of markers and the poses that follow them, improved together: Gauss–Newton with the poses
eliminated, so that joints move to where markers of both their bones turn about them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from limbik.animate.markers.model import FIXED, MarkerModel, Prior

Posed = Callable[[MarkerModel, np.ndarray], np.ndarray]
"""(model, poses near by) → the poses (frames, n) that follow the markers best."""

_LEAST, _MOST, _RISE, _FALL = 1e-6, 1e4, 10.0, 0.1
_ENOUGH = 1e-4  # of the objective: a step that gains less is the last
_AT_LIMIT = 1e-9


def calibrated(
    model: MarkerModel,
    poses: np.ndarray,
    seen: np.ndarray,
    weights: np.ndarray,
    prior: Prior,
    posed: Posed,
    *,
    steps: int,
) -> tuple[MarkerModel, np.ndarray]:
    """(model, poses (frames, n)) with a lower objective

    F = Σ w·|seen − place|² + Σ D·(q − rest)² + what the prior says.

    A step solves the normal equations of scales and markers from which those of each frame's pose
    are eliminated (a Schur complement), with damping; then ``posed`` finds the poses.  It is kept
    only where F falls.  ``weights`` (frames, markers) are 0 where a marker was not ``seen``.
    """
    damping, cost = 1e-3, objective(model, poses, seen, weights, prior)
    for _ in range(steps):
        normal, right, back = _eliminated(model, poses, seen, weights, prior)
        while damping <= _MOST:
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), right)
            if prior.scale_spread <= FIXED:
                step[: len(model.scales)] = 0.0
            other = model.with_values(model.values() + step)
            q = posed(other, model.figure.project(poses + back(step)))
            now = objective(other, q, seen, weights, prior)
            if now < cost:
                break
            damping *= _RISE
        else:
            break
        gain, cost = cost - now, now
        model, poses, damping = other, q, max(_FALL * damping, _LEAST)
        if gain < _ENOUGH * cost:
            break
    return model, poses


def objective(
    model: MarkerModel, poses: np.ndarray, seen: np.ndarray, weights: np.ndarray, prior: Prior
) -> float:
    """F of a model and poses (frames, n)."""
    away = np.nan_to_num(model.positions(poses) - seen)
    rest = model.rest_weights() * (poses - model.figure.rest) ** 2
    matrix, expected = prior.equations(len(model.scales))
    own = model.values() - expected
    return float((weights * (away**2).sum(axis=-1)).sum() + rest.sum() + own @ matrix @ own)


def _eliminated(
    model: MarkerModel, poses: np.ndarray, seen: np.ndarray, weights: np.ndarray, prior: Prior
) -> tuple[np.ndarray, np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """(normal matrix, right side, step of scales and markers → that of the poses (frames, n))."""
    figure, limbs = model.figure, len(model.scales)
    normal, expected = prior.equations(limbs)
    right = normal @ (expected - model.values())
    by_pose, by_scale, turns = model.derivatives(poses)
    frames, markers, _, n = by_pose.shape
    root = np.sqrt(weights)[..., None]
    apart = np.nan_to_num(seen - model.positions(poses)) * root
    held = (poses <= figure.lower + _AT_LIMIT) | (poses >= figure.upper - _AT_LIMIT)
    by_pose = by_pose * root[..., None] * ~held[:, None, None]
    by_scale, turns = by_scale * root[..., None], turns * root[..., None]

    # Scales and places alone.
    own = np.zeros((limbs + 3 * markers, limbs + 3 * markers))
    own[:limbs, :limbs] = np.einsum("fmia,fmib->ab", by_scale, by_scale)
    own[:limbs, limbs:] = np.einsum("fmia,fmij->amj", by_scale, turns).reshape(limbs, -1)
    own[limbs:, :limbs] = own[:limbs, limbs:].T
    own[limbs:, limbs:] = np.diag(np.repeat(weights.sum(axis=0), 3))
    right[:limbs] += np.einsum("fmia,fmi->a", by_scale, apart)
    right[limbs:] += np.einsum("fmij,fmi->mj", turns, apart).reshape(-1)

    # What the poses take over.
    rows = by_pose.reshape(frames, 3 * markers, n)
    matrix = np.swapaxes(rows, 1, 2) @ rows
    stiff = model.rest_weights()
    matrix[:, range(n), range(n)] += stiff + 1e-9 * (1.0 + matrix[:, range(n), range(n)])
    pull = np.einsum("fmin,fmi->fn", by_pose, apart) + stiff * (figure.rest - poses) * ~held
    cross = np.concatenate(
        [
            np.swapaxes(rows, 1, 2) @ by_scale.reshape(frames, 3 * markers, limbs),
            np.einsum("fmin,fmij->fnmj", by_pose, turns).reshape(frames, n, 3 * markers),
        ],
        axis=2,
    )
    solved = np.linalg.solve(matrix, np.concatenate([pull[..., None], cross], axis=2))
    alone, mixed = solved[..., 0], solved[..., 1:]
    across = cross.reshape(frames * n, -1).T
    normal = normal + own - across @ mixed.reshape(frames * n, -1)
    right -= across @ alone.reshape(-1)
    return normal, right, lambda step: alone - mixed @ step
