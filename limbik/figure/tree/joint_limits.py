"""What the limit of a joint says of each of its coordinates: ranges, and cones in numbers."""

from __future__ import annotations

import math

import numpy as np

from limbik.errors import FigureError
from limbik.figure import layout as lay
from limbik.figure import limits as lim
from limbik.figure.joints import BallPart, Joint, Limit, SwingTwistBall
from limbik.figure.limits import Range, SwingTwist

_NARROWEST = 1e-100  # rad: half a cone's angle, so that its square is not lost


def slide_limit(joint: Joint) -> Range | None:
    """The ranges of a joint's slides, whichever way its limit says them; None where they are free.

    A cone that replaces a range leaves them as they are.
    """
    ranges, slides = ranges_of(joint, len(joint.labels)), joint.slide_columns
    low, high = ranges.lower[slides], ranges.upper[slides]
    return Range(low, high, degrees=False) if np.isfinite([*low, *high]).any() else None


def limit_of_coordinate(joint: Joint, label: str, limit: Limit | None) -> Range:
    """The joint's ranges with the one of a single coordinate replaced."""
    if isinstance(limit, SwingTwist) or isinstance(joint.limit, SwingTwist):
        raise FigureError(f'"{joint.name}.{label}": a swing–twist limit is set on the whole joint')
    if limit is not None and limit.lower.size != 1:
        raise FigureError(f'"{joint.name}.{label}": one coordinate takes one lower and one upper')
    ranges = ranges_of(joint, len(joint.labels))
    lower, upper = ranges.lower.copy(), ranges.upper.copy()
    k = joint.labels.index(label)
    lower[k] = -np.inf if limit is None else float(limit.lower.ravel()[0])
    upper[k] = np.inf if limit is None else float(limit.upper.ravel()[0])
    return Range(lower, upper, degrees=False)


def ranges_of(joint: Joint, count: int) -> Range:
    """A range a coordinate, from whatever the joint's limit says of ranges."""
    if not count and joint.limit is not None:
        raise FigureError(f'joint "{joint.name}" is fixed: there is nothing to limit')
    lower, upper = np.full(count, -np.inf), np.full(count, np.inf)
    if isinstance(joint.limit, SwingTwist):
        if not joint.ball_parts:
            raise FigureError(
                f'joint "{joint.name}": a swing–twist limit needs a swing–twist or exponential '
                f"ball, and this is {joint.kind}; give it a Range"
            )
        for at, ball in joint.ball_parts:
            if isinstance(ball, SwingTwistBall):
                lower[at + 2], upper[at + 2] = joint.limit.twist
    elif joint.limit is not None and not isinstance(joint.limit, Range):
        raise FigureError(
            f'joint "{joint.name}": its limit must be a Range or a SwingTwist, got {joint.limit!r}'
        )
    elif joint.limit is not None:
        size = joint.limit.lower.size
        if size not in (1, count):
            raise FigureError(
                f'joint "{joint.name}": its Range has {size} values for {count} coordinates'
            )
        lower[:], upper[:] = joint.limit.lower, joint.limit.upper
    if joint.slide_limit is not None and not isinstance(joint.limit, Range):
        slides = joint.slide_columns
        if joint.slide_limit.lower.size not in (1, len(slides)):
            raise FigureError(
                f'joint "{joint.name}": its slide_limit has {joint.slide_limit.lower.size} '
                f"values for {len(slides)} slides"
            )
        lower[slides], upper[slides] = joint.slide_limit.lower, joint.slide_limit.upper
    return Range(lower, upper, degrees=False)


def cone_of(
    joint: Joint, ball: BallPart, lower: np.ndarray, upper: np.ndarray
) -> tuple[int, np.ndarray, np.ndarray] | None:
    """(kind, numbers, bounding range) of a ball's cone, or of its chart's edge where it has none.

    None where ranges already keep the ball inside its chart.
    """
    limit = joint.limit if isinstance(joint.limit, SwingTwist) else None
    numbers = np.zeros(lay.CONE_FLOATS)
    if isinstance(ball, SwingTwistBall):
        corner = float(np.linalg.norm(np.maximum(np.abs(lower[:2]), np.abs(upper[:2]))))
        if limit is None and corner <= lim.SWING_CHART:
            return None
        if limit is None and np.isfinite([*lower[:2], *upper[:2]]).any():
            raise FigureError(
                f'joint "{joint.name}": ranges on its swing reach beyond 179°; use SwingTwist'
            )
        swing = (lim.SWING_CHART,) * 2 if limit is None or limit.swing is None else limit.swing
        center = (0.0, 0.0) if limit is None else limit.center
        numbers[:4] = *np.maximum(swing, _NARROWEST), *center
        bound = np.array([[c - a, c + a] for a, c in zip(swing, center, strict=True)])
        return lay.CONE_SWING, numbers, bound
    if limit is None:
        corner = float(np.linalg.norm(np.maximum(np.abs(lower), np.abs(upper))))
        if corner <= lim.EXPONENTIAL_CHART:
            return None
        if np.isfinite([*lower, *upper]).any():
            raise FigureError(
                f'joint "{joint.name}": ranges on its rotation vector reach beyond 2π'
            )
        numbers[0] = lim.EXPONENTIAL_CHART
        return lay.CHART, numbers, np.tile([-np.inf, np.inf], (3, 1))
    swing = (lim.SWING_CHART,) * 2 if limit.swing is None else limit.swing
    ends = [end for end in limit.twist if math.isfinite(end)]
    if any(abs(end) > math.pi for end in ends):
        raise FigureError(
            f'joint "{joint.name}": on an exponential ball the twist is known from −180° to 180° '
            "only; use a swing–twist ball"
        )
    numbers[:6] = *np.maximum(swing, _NARROWEST), *limit.center, *limit.twist
    numbers[6:] = ball.basis.ravel()
    return lay.CONE_EXPONENTIAL, numbers, np.tile([-2 * math.pi, 2 * math.pi], (3, 1))
