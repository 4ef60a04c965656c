"""Joints in the frames of their parents, as most formats write them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.figure.figure import Figure
from limbik.maths.so3 import matrix_to_quat

VALUES = 50_000
"""Joints or numbers, over several frames, that are taken at a time; it bounds the memory."""


def on_parents(
    figure: Figure, q: np.ndarray, which: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Rotations wxyz (frames, joints, 4) and places (frames, joints, 3) of some joints, each in
    the frame of its parent, for poses q (frames, n)."""
    parents = figure.parents[which]
    wxyz, place = np.empty((len(q), len(which), 4)), np.empty((len(q), len(which), 3))
    step = max(1, VALUES // len(figure.joints))
    for start in range(0, len(q), step):
        world = figure.frames(q[start : start + step])
        own, base = world[:, which], world[:, np.maximum(parents, 0)]
        base[:, parents < 0] = np.eye(4)
        back = base[..., :3, :3].swapaxes(-1, -2)
        wxyz[start : start + step] = matrix_to_quat(back @ own[..., :3, :3])
        away = own[..., :3, 3] - base[..., :3, 3]
        place[start : start + step] = (back @ away[..., None])[..., 0]
    return wxyz, place
