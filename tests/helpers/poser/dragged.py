"""What tests of drags share: effectors where joints are, how far joints turn, a random walk."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from limbik import Figure, figures
from limbik.poser.document.effector import Effector

HUMAN = figures.human()
SIX = ["LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head", "Hips"]
FEET = ["LeftHand", "LeftFoot", "RightFoot"]


def held(figure: Figure, joints: list[str], q: np.ndarray | None = None) -> list[Effector]:
    """Effectors 1, 2, ... on the joints (at the tips of last bones), pinned where q has them."""
    frames = figure.frames(figure.rest if q is None else q)
    out = []
    for k, name in enumerate(joints):
        i = figure.index(name)
        at = figure.definition[i].tip or (0.0, 0.0, 0.0)
        x, y, z = (frames[i, :3, :3] @ np.array(at) + frames[i, :3, 3]).tolist()
        out.append(Effector(k + 1, name, at=at, mode="pin", position=(x, y, z)))
    return out


def turned(figure: Figure, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(joints,) degrees that each joint turns on its parent from one pose to the other."""
    parents = np.array(figure.parents)
    below = parents >= 0
    local = []
    for q in (one, other):
        turns = figure.frames(q)[:, :3, :3]
        on_parents = turns.copy()
        on_parents[below] = turns[parents[below]].swapaxes(1, 2) @ turns[below]
        local.append(on_parents)
    return np.degrees(Rotation.from_matrix(local[0].swapaxes(1, 2) @ local[1]).magnitude())


def walk(rng: np.random.Generator, start: np.ndarray, reach: float, step: float, count: int):
    """Steps of one length that wander around a place, out to ``reach`` and a little beyond."""
    at, heading = start.copy(), rng.normal(size=3)
    for _ in range(count):
        away = np.linalg.norm(at - start)
        back = 2.0 * max(0.0, away - reach) * (at - start) / reach**2
        heading = 0.95 * heading + 0.3 * rng.normal(size=3) - back
        at = at + step * heading / np.linalg.norm(heading)
        yield at
