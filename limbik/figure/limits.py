"""What people say is allowed: ranges, and swing–twist cones.

A limit is a projection P onto the allowed set of a joint's coordinates; projection.py finds it.
Ranges are equation 40 of line_search.  A cone on a swing–twist ball is an ellipse in its two swing
numbers, a convex set, so that P is the true nearest point.  A cone on an exponential ball is
applied through the swing–twist decomposition (``dual_quaternion``, equation 32), not convex.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.errors import FigureError, LimbikWarning

SWING_CHART = math.radians(179.0)
"""Swing–twist coordinates are singular at a swing of π, so an unlimited swing ends just before."""

EXPONENTIAL_CHART = 2 * math.pi - 0.1
"""The exponential map is singular at 2π, so an unlimited exponential ball ends just before."""


_TURNS = 4 * math.pi  # a joint that turns further than twice round is rare


class Range:
    """lower ≤ q ≤ upper for every coordinate of a joint (equations 19a and 19b of line_search).

    Two numbers serve all coordinates of the joint; two sequences give one pair each.  Radians and
    the figure's unit, unless ``degrees=True``.  Infinite ends are allowed.  Numbers that look like
    degrees raise a LimbikWarning; ``degrees=False`` says that they are radians or lengths.

    >>> Range(0, 145, degrees=True)
    Range(0., 2.530727)
    """

    __slots__ = ("lower", "upper")

    def __init__(self, lower: object, upper: object, *, degrees: bool | None = None) -> None:
        low, high = _numbers(lower, "Range: lower"), _numbers(upper, "Range: upper")
        if degrees is None:
            _doubt_radians(lower, upper, low, high)
        if degrees:
            low, high = np.radians(low), np.radians(high)
        if np.isnan(low).any() or np.isnan(high).any():
            raise FigureError("Range: NaN is not a limit (use inf for none)")
        try:
            low, high = np.broadcast_arrays(low, high)
        except ValueError:
            raise FigureError(
                f"Range: {low.size} lower and {high.size} upper values do not fit together"
            ) from None
        if (low > high).any():
            raise FigureError(f"Range: lower {lower!r} is above upper {upper!r}")
        if (low == np.inf).any() or (high == -np.inf).any():
            raise FigureError("Range: lower is +inf or upper is -inf, which allows nothing")
        self.lower, self.upper = low.copy(), high.copy()
        self.lower.setflags(write=False)
        self.upper.setflags(write=False)

    def __repr__(self) -> str:
        def show(values: np.ndarray) -> str:
            return np.array2string(values, precision=6, separator=", ")

        return f"Range({show(self.lower)}, {show(self.upper)})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Range)
            and np.array_equal(self.lower, other.lower)
            and np.array_equal(self.upper, other.upper)
        )

    def __hash__(self) -> int:
        return hash((self.lower.tobytes(), self.upper.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self.lower, self.upper)


def _remade(lower: np.ndarray, upper: np.ndarray) -> Range:
    """A pickled or copied range."""
    return Range(lower, upper, degrees=False)


def _numbers(values: object, what: str) -> np.ndarray:
    """A number or a row of numbers as an array; refuses anything else by name."""
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        raise FigureError(f"{what}: needs a number or one a coordinate, got {values!r}") from None
    if array.ndim > 1 or values is None:
        raise FigureError(f"{what}: needs a number or one a coordinate, got {values!r}")
    return array


def _pair(values: object, what: str) -> tuple[float, float]:
    """Two numbers; refuses anything else by name."""
    array = _numbers(values, what)
    if array.shape != (2,):
        raise FigureError(f"{what} {values!r} must be two angles")
    return float(array[0]), float(array[1])


def _doubt_radians(lower: object, upper: object, low: np.ndarray, high: np.ndarray) -> None:
    """Warn of ends beyond two turns, which are more often degrees than radians."""
    ends = np.abs(np.concatenate([low.ravel(), high.ravel()]))
    ends = ends[np.isfinite(ends)]
    if len(ends) and ends.max() > _TURNS:
        warnings.warn(
            f"Range({lower!r}, {upper!r}): {ends.max():g} is taken as it is, radians where a joint "
            "turns; give degrees=True for degrees, or degrees=False for radians or a length",
            LimbikWarning,
            stacklevel=3,
        )


@dataclass(frozen=True, init=False)
class SwingTwist:
    """An elliptical cone for the swing of a ball, and a range for its twist.

    ((s₁ − c₁)/a)² + ((s₂ − c₂)/b)² ≤ 1 with ``swing`` = (a, b) or one number for both and
    ``center`` = (c₁, c₂); twist between the two numbers of ``twist``.  ``None`` leaves swing or
    twist unlimited.  Radians unless ``degrees=True``.

    >>> SwingTwist(swing=(80, 60), twist=(-45, 45), degrees=True).twist
    (-0.7853981633974483, 0.7853981633974483)
    """

    swing: tuple[float, float] | None
    twist: tuple[float, float]
    center: tuple[float, float]

    def __init__(
        self,
        *,
        swing: float | tuple[float, float] | None = None,
        twist: tuple[float, float] | None = None,
        center: tuple[float, float] = (0.0, 0.0),
        degrees: bool = False,
    ) -> None:
        unit = math.pi / 180 if degrees else 1.0
        if swing is not None:
            pair = _numbers(swing, "SwingTwist: swing")
            if pair.shape not in ((), (2,)):
                raise FigureError(f"SwingTwist: swing {swing!r} must be one angle or two")
            a, b = (np.broadcast_to(pair, (2,)) * unit).tolist()
            if not (a > 0 and b > 0):
                raise FigureError(f"SwingTwist: swing {swing!r} must be two positive angles")
            swing = (a, b)
        low, high = (-math.inf, math.inf) if twist is None else _pair(twist, "SwingTwist: twist")
        low, high = low * unit, high * unit
        if math.isnan(low) or math.isnan(high):
            raise FigureError("SwingTwist: a twist of NaN is not a limit (use inf for none)")
        if low > high or low == math.inf or high == -math.inf:
            raise FigureError(f"SwingTwist: twist {twist!r} allows nothing: lower is above upper")
        first, second = _pair(center, "SwingTwist: center")
        middle = (first * unit, second * unit)
        if not np.isfinite(middle).all():
            raise FigureError(f"SwingTwist: center {center!r} is not finite")
        if swing is None and middle != (0.0, 0.0):
            raise FigureError("SwingTwist: a center needs a swing around it")
        if swing is not None and math.hypot(*middle) + max(swing) > math.pi:
            if math.hypot(*middle) >= SWING_CHART:
                raise FigureError("SwingTwist: center is more than 179 degrees away")
            room = SWING_CHART - math.hypot(*middle)
            swing = (min(swing[0], room), min(swing[1], room))
        object.__setattr__(self, "swing", swing)
        object.__setattr__(self, "twist", (low, high))
        object.__setattr__(self, "center", middle)
