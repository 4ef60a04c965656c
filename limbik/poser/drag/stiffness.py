"""How unwilling each coordinate is to move: what carries much of the figure moves last.

A hand that is dragged takes its arm along first, then the back, and last of all the hips.
"""

from __future__ import annotations

import numpy as np

from limbik.figure.figure import Figure
from limbik.posture.joint_weights import carried_share

LEAST = 0.1
"""The weight of a coordinate that carries next to nothing."""


def stiffness(figure: Figure) -> np.ndarray:
    """(n,) a weight for each coordinate, 1 for one that carries all of the figure's bones.

    It is the share of the bones' length that its joint carries, and LEAST at least.
    """
    return np.maximum(LEAST, carried_share(figure))[figure.owner]
