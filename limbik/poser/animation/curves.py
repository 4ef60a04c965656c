"""Curves through keys: how numbers, places and rotations go from one key to the next.

"smooth" passes each key without a kink and without overshooting: it slows down to a stop at the
first and last key and wherever the motion turns back, so what does not change stays put exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.maths.so3 import exp_map, log_map, quat_conjugate, quat_multiply, slerp
from limbik.poser.document.timeline.ease import KeyEase, Shape


def between(frames: np.ndarray, frame: float) -> tuple[int, float]:
    """(k, u): the frame lies at the share u from key k to key k + 1, held before and after all.

    ``frames`` (keys,) rise; u is 0 at a key.
    """
    if frame <= frames[0]:
        return 0, 0.0
    if frame >= frames[-1]:
        return len(frames) - 1, 0.0
    k = int(np.searchsorted(frames, frame, side="right")) - 1
    return k, float((frame - frames[k]) / (frames[k + 1] - frames[k]))


def tangents(rates: np.ndarray) -> np.ndarray:
    """(keys, …, d) the velocity at each key from the rates (keys − 1, …, d) between them.

    The harmonic mean of both speeds along the mean direction, less the more the way bends, and 0 at
    a turning back, which for single numbers (d = 1) keeps each piece of a cubic monotone.
    """
    out = np.zeros((len(rates) + 1, *rates.shape[1:]))
    before, after = rates[:-1], rates[1:]
    a = np.linalg.norm(before, axis=-1, keepdims=True)
    b = np.linalg.norm(after, axis=-1, keepdims=True)
    both = before + after
    length = np.linalg.norm(both, axis=-1, keepdims=True)
    moving = (a > 1e-12) & (b > 1e-12) & (length > 1e-12)
    a, b, length = (np.where(moving, value, 1.0) for value in (a, b, length))
    cosine = np.sum(before * after, axis=-1, keepdims=True) / (a * b)
    speed = np.where(moving, a * b / (a + b) * (1.0 + cosine), 0.0)
    out[1:-1] = speed * both / length
    return out


Shapes = KeyEase | Sequence[Shape]
"""How values go on from each key; a word for all of them."""


def shapes_of(shapes: Shapes, keys: int) -> list[Shape]:
    """A shape for each of some keys."""
    return [Shape(shapes)] * keys if isinstance(shapes, str) else list(shapes)


def _slopes(steps: np.ndarray, frames: np.ndarray, shapes: Sequence[Shape]) -> np.ndarray:
    """The velocity at each key; what is held until the next key moves at no rate."""
    held = np.array([shape.ease == "step" for shape in shapes[: len(steps)]], bool)
    rates = steps / _spans(frames, steps.ndim)
    rates[held] = 0.0
    return tangents(rates)


class Path:
    """Vectors (keys, …, d) at rising frames (keys,)."""

    def __init__(self, frames: np.ndarray, values: np.ndarray, shapes: Shapes) -> None:
        self._frames, self._values = frames, values
        self._shapes = shapes_of(shapes, len(frames))
        self._slopes = _slopes(np.diff(values, axis=0), frames, self._shapes)

    def at(self, frame: float) -> np.ndarray:
        """(…, d) where the curve is at a frame."""
        k, u = between(self._frames, frame)
        shape = self._shapes[k]
        if u == 0.0 or shape.ease == "step":
            return self._values[k].copy()
        a, b = self._values[k], self._values[k + 1]
        if shape.ease != "smooth":
            return a + shape.share(u) * (b - a)
        span = self._frames[k + 1] - self._frames[k]
        # Hermite's cubic, written so that equal values at rest stay exactly equal.
        smooth = u * u * (3.0 - 2.0 * u)
        leave, arrive = u * (1.0 - u) ** 2, u * u * (u - 1.0)
        return (
            a + smooth * (b - a) + span * (leave * self._slopes[k] + arrive * self._slopes[k + 1])
        )


class Turns:
    """Rotations wxyz (keys, …, 4) at rising frames (keys,): Bézier curves on the sphere."""

    def __init__(self, frames: np.ndarray, wxyz: np.ndarray, shapes: Shapes) -> None:
        self._frames, self._wxyz = frames, wxyz
        self._shapes = shapes_of(shapes, len(frames))
        # Turning at a constant rate keeps its axis in the body's own frame, so rates before and
        # after a key can be compared there.
        steps = log_map(quat_multiply(quat_conjugate(wxyz[:-1]), wxyz[1:]))
        self._slopes = _slopes(steps, frames, self._shapes)

    def at(self, frame: float) -> np.ndarray:
        """(…, 4) how things are turned at a frame."""
        k, u = between(self._frames, frame)
        shape = self._shapes[k]
        if u == 0.0 or shape.ease == "step":
            return self._wxyz[k].copy()
        a, b = self._wxyz[k], self._wxyz[k + 1]
        if shape.ease != "smooth":
            return slerp(a, b, shape.share(u))
        third = (self._frames[k + 1] - self._frames[k]) / 3.0
        leave = quat_multiply(a, exp_map(third * self._slopes[k]))
        arrive = quat_multiply(b, exp_map(-third * self._slopes[k + 1]))
        points = np.stack([a, leave, arrive, b])
        while len(points) > 1:
            points = slerp(points[:-1], points[1:], u)
        return points[0]


def _spans(frames: np.ndarray, dimensions: int) -> np.ndarray:
    return np.diff(frames).reshape(-1, *[1] * (dimensions - 1))
