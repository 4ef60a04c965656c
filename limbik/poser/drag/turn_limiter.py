"""How far joints turn between two poses, and a bound on it, so that a figure does not flip.

Where the way a figure went comes to an end, the nearest pose may be far away: an arm behind a back,
a robot that has come round to the end of its turntable.  A person then wants to see it swing over.
"""

from __future__ import annotations

import numpy as np

from limbik.figure.figure import Figure

TRIES = 6


class TurnLimiter:
    """Bounds how far the joints of a figure turn from one pose to the next."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._turns = ~figure.slides
        scales = [abs(slot.scale) for slot in figure.tree.slots]
        self._most = 3.0 * max(1.0, *scales) if scales else 3.0  # a ball has three coordinates

    def turned(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """(joints,) angle in radians by which each joint turns on its parent between two poses."""
        turns = self._figure.frames(np.stack([one, other]))[..., :3, :3]
        parents = self._figure.parents
        above = np.where((parents < 0)[:, None, None], np.eye(3), turns[:, parents])
        local = np.swapaxes(above, -1, -2) @ turns
        cosine = 0.5 * (np.einsum("jab,jab->j", local[0], local[1]) - 1.0)
        return np.arccos(np.clip(cosine, -1.0, 1.0))

    def within(self, one: np.ndarray, other: np.ndarray, most: float) -> bool:
        """Whether no joint turns by more than ``most`` radians."""
        moved = np.abs(other - one)[self._turns].max(initial=0.0)
        return bool(self._most * moved <= most or self.turned(one, other).max() <= most)

    def towards(self, one: np.ndarray, other: np.ndarray, most: float) -> np.ndarray:
        """(n,) the furthest pose on the straight way to ``other`` that is within ``most``, or
        nearly so; inside the limits."""
        part = min(1.0, most / max(1e-9, float(self.turned(one, other).max())))
        for _ in range(TRIES):
            pose = self._figure.project(one + part * (other - one))
            if self.within(one, pose, most):
                return pose
            part *= 0.6
        return one.copy()
