"""How far joints turn and go between two poses, and a bound on it, so that a figure does not flip.

Where the way a figure went comes to an end, the nearest pose may be far away: an arm behind a back,
a body that bent round a box, a robot that has come round to the end of its turntable.  A person
then wants to see it swing over.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.figure import Figure

TRIES = 6


class Bound(NamedTuple):
    """How far a joint may turn on its parent (rad), and how far it may go (in the figure's unit),
    from one pose to the next."""

    turn: float = math.inf
    way: float = math.inf


UNBOUND = Bound()


class TurnLimiter:
    """Bounds how far the joints of a figure turn and go from one pose to the next."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._turns = ~figure.slides
        scales = [abs(slot.scale) for slot in figure.tree.slots]
        scale = max(1.0, *scales) if scales else 1.0
        self._most = 3.0 * scale  # a ball has three coordinates
        reach, coupled = _reach(figure), len(figure.tree.slots) > figure.n
        self._levers = None  # of each coordinate, where it moves one joint and all bones are known
        if np.isfinite(reach).all() and not coupled:
            self._levers = scale * np.where(figure.slides, 1.0, reach[figure.owner])

    def turned(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """(joints,) angle in radians by which each joint turns on its parent between two poses."""
        turns = self._figure.frames(np.stack([one, other]))[..., :3, :3]
        parents = self._figure.parents
        above = np.where((parents < 0)[:, None, None], np.eye(3), turns[:, parents])
        local = np.swapaxes(above, -1, -2) @ turns
        cosine = 0.5 * (np.einsum("jab,jab->j", local[0], local[1]) - 1.0)
        return np.arccos(np.clip(cosine, -1.0, 1.0))

    def within(self, one: np.ndarray, other: np.ndarray, most: Bound) -> bool:
        """Whether no joint turns or goes further than that."""
        moved = np.abs(other - one)
        turned = moved[self._turns]
        might = self._most * turned.max(initial=0.0) > most.turn
        if might and self.turned(one, other).max() > most.turn:
            return False
        if self._levers is not None and moved @ self._levers <= most.way:
            return True
        return self.gone(one, other) <= most.way

    def gone(self, one: np.ndarray, other: np.ndarray) -> float:
        """How far the joint goes that goes furthest between two poses."""
        there = self._figure.positions(np.stack([one, other]))
        return float(np.sqrt(((there[1] - there[0]) ** 2).sum(axis=1).max()))

    def towards(self, one: np.ndarray, other: np.ndarray, most: Bound) -> np.ndarray:
        """(n,) the furthest pose on the straight way to ``other`` that is within ``most``, or
        nearly so; inside the limits."""
        part = min(
            1.0,
            most.turn / max(1e-9, float(self.turned(one, other).max())),
            most.way / max(1e-9, self.gone(one, other)),
        )
        for _ in range(TRIES):
            pose = self._figure.project(one + part * (other - one))
            if self.within(one, pose, most):
                return pose
            part *= 0.6
        return one.copy()


def _reach(figure: Figure) -> np.ndarray:
    """(joints,) how far what hangs on each joint can be from it, at most; infinitely far where it
    slides."""
    out = np.zeros(len(figure.joints))
    places = figure.frames(figure.rest)[:, :3, 3]
    slides = set(figure.owner[figure.slides].tolist())
    for joint in range(len(out) - 1, 0, -1):
        parent = int(figure.parents[joint])
        if parent >= 0:
            bone = np.inf if joint in slides else np.linalg.norm(places[joint] - places[parent])
            out[parent] = max(out[parent], bone + out[joint])
    return out
