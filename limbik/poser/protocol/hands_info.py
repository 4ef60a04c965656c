"""The hands as the page needs them: which fingers there are, and how far each is curled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.figure.figure import Figure
from limbik.humanoid.hand_poses import SHAPES, hand_shape
from limbik.humanoid.hands import Hand
from limbik.poser.protocol.messages import HandInfo


def hands_info(figure: Figure, hands: Sequence[Hand], q: np.ndarray) -> list[HandInfo]:
    """Each hand in the pose q (n,)."""
    out: list[HandInfo] = []
    for hand in hands:
        shape, names = hand_shape(figure, hand.side, q, hand=hand), list(hand.fingers)
        # One finger stands for all four where a rig has a mitten: it cannot point.
        shapes = [name for name in SHAPES if len(names) > 2 or name != "point"]
        out.append(
            HandInfo(
                side=hand.side,
                joint=hand.wrist,
                fingers=names,
                curls=[shape.curl(name) for name in names],
                spread=shape.spread,
                shapes=shapes,
            )
        )
    return out
