"""Which joint carries the whole figure freely."""

from __future__ import annotations

import numpy as np

from limbik.figure import layout as lay
from limbik.figure.figure import Figure


def free_root(figure: Figure, moves: np.ndarray) -> int:
    """Index of the joint that carries the whole figure freely, or −1.

    It has three perpendicular slides, then a ball or three turns about principal axes, none of
    them coupled or locked.
    """
    roots = [i for i, parent in enumerate(figure.parents) if parent < 0]
    if len(roots) != 1:
        return -1
    joint = figure.definition[roots[0]]
    turning = joint.parts[3:]
    if joint.coupled or joint.slide_columns != [0, 1, 2]:
        return -1
    axes = np.array([part.axis for part in joint.slide_parts])
    if not np.allclose(axes @ axes.T, np.eye(3), atol=1e-12):
        return -1
    tree = figure.tree
    first = int(lay.section(tree.ints, tree.floats, lay.I_FIRST_PART)[roots[0]]) + 3
    kinds = lay.section(tree.ints, tree.floats, lay.I_KIND)[first:][: len(turning)].tolist()
    if joint.turn_parts:
        if len(kinds) != 3 or max(kinds) > lay.TURN_Z or kinds[1] in (kinds[0], kinds[2]):
            return -1
    elif len(turning) != 1:
        return -1
    return roots[0] if moves[figure.coordinates_of(joint.name)].all() else -1
