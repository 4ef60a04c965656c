"""The structure of section 3 of extended_jacobian, its ellipse, and a walk around it.

A walk takes one step for every position that the end-effector should have next: dq for the way from
where it is to where it should be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from limbik.papers.extended_jacobian.planar import end_of, jacobian_of, planar_step

LENGTHS = np.array([90.0, 60.0, 90.0, 150.0, 150.0, 90.0])
"""l₀ … l₅ in points."""
BASE = np.array([-230.0, 0.0])
HALF_AXES = (400.0, 50.0)
REACH = float(LENGTHS.sum())
START = 20  # a walk's first 1/20: leaving the stretched pose
EXACT = 1e-15  # singular values up to this part of the largest are rounding
PLAIN_LU = 0.0  # LU that accepts any pivot, as the paper's does

Step = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""dq for the pose q and the way dx (2,)."""


class Walk(NamedTuple):
    """A walk around the ellipse: q (steps + 1, n), and how far the end is from its positions."""

    q: np.ndarray
    distance: np.ndarray

    @property
    def jumps(self) -> np.ndarray:
        """(steps,) how far the joint that turns most turns in each step, in rad."""
        return np.abs(np.diff(self.q, axis=0)).max(axis=1)

    @property
    def leaving(self) -> slice:
        """The steps in which it leaves the start, at least five."""
        return slice(0, max(5, (len(self.q) - 1) // START))


def ellipse(steps: int) -> np.ndarray:
    """(steps + 1, 2) once around, in equal parts of the parameter t: [a·cos t, b·sin t]."""
    t = 2.0 * np.pi * np.arange(steps + 1) / steps
    return np.column_stack([HALF_AXES[0] * np.cos(t), HALF_AXES[1] * np.sin(t)])


def end(q: np.ndarray) -> np.ndarray:
    """(2,) the end-effector."""
    return BASE + np.array(end_of(LENGTHS, q, 0, len(LENGTHS)))


def joints(q: np.ndarray) -> np.ndarray:
    """(n + 1, 2) all joints and the end-effector."""
    turned = np.cumsum(q)
    steps = np.column_stack([LENGTHS * np.cos(turned), LENGTHS * np.sin(turned)])
    return BASE + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])


def walk(steps: int, step: Step) -> Walk:
    """Once around the ellipse from q = 0."""
    q = np.zeros(len(LENGTHS))
    poses, distance = [q], [0.0]
    for target in ellipse(steps)[1:]:
        q = q + step(q, target - end(q))
        poses.append(q)
        distance.append(float(np.linalg.norm(target - end(q))))
    return Walk(np.array(poses), np.array(distance))


def inversion(cutoff: float = EXACT) -> Step:
    """Equation 4 with the pseudo-inverse by SVD."""

    def step(q: np.ndarray, dx: np.ndarray) -> np.ndarray:
        return np.linalg.pinv(jacobian_of(LENGTHS, q), rcond=cutoff) @ dx

    return step


def extension(weight: float = 1.0, cutoff: float = PLAIN_LU) -> Step:
    """Equations 9 and 10, normal equations by LU."""

    def step(q: np.ndarray, dx: np.ndarray) -> np.ndarray:
        return planar_step(LENGTHS, q, dx, weight=weight, cutoff=cutoff)[0]

    return step
