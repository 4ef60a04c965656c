"""How unwilling each coordinate is to move: what carries much of the figure moves last.

A hand that is dragged takes its arm along first, then the back, and last of all the hips.
"""

from __future__ import annotations

import numpy as np

from limbik.figure.capsules import bones
from limbik.figure.figure import Figure

LEAST = 0.1
"""The weight of a coordinate that carries next to nothing."""


def stiffness(figure: Figure) -> np.ndarray:
    """(n,) a weight for each coordinate, 1 for one that carries all of the figure's bones.

    It is the share of the bones' length that its joint carries, and LEAST at least.
    """
    owner, start, end = bones(figure)
    carried = np.bincount(owner, np.linalg.norm(end - start, axis=1), minlength=len(figure.parents))
    for joint in range(len(figure.parents) - 1, -1, -1):
        if figure.parents[joint] >= 0:
            carried[figure.parents[joint]] += carried[joint]
    most = carried.max(initial=0.0)
    share = carried / most if most > 0.0 else np.ones(len(carried))
    return np.maximum(LEAST, share)[figure.owner]
