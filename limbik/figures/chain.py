"""A planar chain of hinges, for tests, lessons and comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, revolute
from limbik.figure.limits import Range


def chain(
    lengths: Sequence[float] | np.ndarray = (1.0, 1.0, 0.5), *, limits: Range | None = None
) -> Figure:
    """Hinges about z, laid out along +x: ``Joint1``, ``Joint2``, …, and the fixed effector ``Tip``.

    ``lengths`` are the links' lengths, all above 0, in any unit; ``limits`` is the range of every
    hinge, unlimited unless given.  n = len(lengths).

    Args:
        lengths: of the links, all above 0, in any unit.
        limits: the range of every hinge, unlimited unless given.

    Returns:
        The figure; n = len(lengths).

    Raises:
        FigureError: a length is not above 0.

    Example:
        >>> chain([1, 1, 0.5]).positions([0, 0, 0])[-1]
        array([2.5, 0. , 0. ])
    """
    try:
        links = np.asarray(lengths, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise FigureError(f"chain: lengths must be numbers, got {lengths!r}") from None
    if links.ndim != 1 or links.size == 0:
        raise FigureError(f"chain: needs at least one length, got {lengths!r}")
    for k, length in enumerate(links, start=1):
        if not (np.isfinite(length) and length > 0):
            raise FigureError(f"chain: length {k} is {length:g}; it must be finite and above 0")
    joints: list[Joint] = []
    at = 0.0
    for k, length in enumerate(links, start=1):
        parent = joints[-1].name if joints else None
        joints.append(
            Joint(f"Joint{k}", parent, revolute("z"), offset=(at, 0.0, 0.0), limit=limits)
        )
        at = float(length)
    joints.append(Joint("Tip", joints[-1].name, offset=(at, 0.0, 0.0)))
    return Figure(joints, name="chain", up="y")
