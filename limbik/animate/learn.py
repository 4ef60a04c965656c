"""What a clip teaches: limits from how far its joints go."""

from __future__ import annotations

import math

import numpy as np

from limbik.errors import FigureError
from limbik.figure.limits import Range
from limbik.figure.motion import Motion


def limits_from(clip: Motion, *, margin: float = 10.0, degrees: bool = True) -> dict[str, Range]:
    """Ranges that hold what the clip uses, by joint name, for ``Figure.with_limits``.

    Each turn may go as far as in any frame of the clip, and ``margin`` further at both ends.
    Slides keep the limits they have, in most files none: degrees say nothing about lengths.  The
    swing of a swing–twist ball, or an exponential ball, is left free where its range would reach
    beyond what its coordinates tell apart (179° and 2π).

    Args:
        clip: the motion to learn from.
        margin: how much further each turn may go.
        degrees: whether ``margin`` is in degrees or in radians.

    Returns:
        A Range for each joint that moves.

    Raises:
        FigureError: ``margin`` is negative or not finite, or ``clip`` is no Motion.

    Example:
        >>> import limbik
        >>> clip = limbik.figures.cartwheel()
        >>> limits_from(clip, margin=0)["LeftToeBase"]
        Range([-0.093928], [0.431105])
    """
    try:
        wide = math.radians(margin) if degrees else float(margin)
    except (TypeError, ValueError, OverflowError):
        wide = math.nan
    if not (math.isfinite(wide) and wide >= 0.0):
        raise FigureError(f"limits_from: margin must be finite and not negative, got {margin!r}")
    if not isinstance(clip, Motion):
        raise FigureError(f"limits_from: needs a Motion, got {clip!r}")
    figure = clip.figure
    low, high = clip.q.min(axis=0) - wide, clip.q.max(axis=0) + wide
    low = np.where(figure.slides, figure.lower, low)
    high = np.where(figure.slides, figure.upper, high)
    place = {name: c for c, name in enumerate(figure.coordinates)}
    limits: dict[str, Range] = {}
    for joint in figure.definition:
        labels, called = joint.labels, joint.alias or joint.name
        lower, upper = np.full(len(labels), -np.inf), np.full(len(labels), np.inf)
        for k, label in enumerate(labels):
            # Coupled coordinates are not in q; what drives them limits them.
            c = place.get(called if len(labels) == 1 else f"{called}.{label}")
            if c is not None:
                lower[k], upper[k] = low[c], high[c]
        for first, ball in joint.ball_parts:
            vector = slice(first, first + ball.vector_width)
            _open_up(lower[vector], upper[vector], ball.longest_vector)
        if np.isfinite(lower).any() or np.isfinite(upper).any():
            limits[joint.name] = Range(lower, upper, degrees=False)
    return limits


def _open_up(lower: np.ndarray, upper: np.ndarray, furthest: float) -> None:
    """Lift ranges with a corner that lies further than ``furthest`` from zero, in place."""
    if np.linalg.norm(np.maximum(np.abs(lower), np.abs(upper))) > furthest:
        lower[:], upper[:] = -np.inf, np.inf
