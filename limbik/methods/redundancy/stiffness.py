"""How stiff each coordinate is: a number, or a function of its value kept as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from limbik.errors import FigureError, MethodError, did_you_mean
from limbik.figure.figure import Figure
from limbik.jit import kernel

Stiffness = Mapping[str, float | Callable[[float], float]]
"""By the name of a joint (all its coordinates) or of a coordinate."""

SAMPLES = 513
"""Values of a stiffness function that are kept; between them it is taken as straight."""

_HEADER = 4  # numbers per coordinate: where its values begin, how many, the lowest, the distance


def stiffness_table(figure: Figure, stiffness: Stiffness | None, method: str) -> list[float]:
    """For ``stiffness_at``: 1 for every coordinate that is not named.

    A function is asked for values over the coordinate's limits, or over a turn either way (the
    figure's size for a slide) where it has none; beyond its range it stays what it is at the end.
    """
    header = np.tile([0.0, 1.0, 0.0, 1.0], (figure.n, 1))
    values = [1.0]
    for name, given in (stiffness or {}).items():
        for c in _coordinates(figure, name, method):
            away = figure.size if figure.slides[c] else 2.0 * math.pi
            low = figure.lower[c] if np.isfinite(figure.lower[c]) else -away
            high = figure.upper[c] if np.isfinite(figure.upper[c]) else max(away, low + away)
            low = min(low, high)
            points = np.linspace(low, high, SAMPLES) if callable(given) and high > low else [low]
            found = [_number(given, float(point), name, method) for point in points]
            apart = (high - low) / (SAMPLES - 1) if len(found) > 1 else 1.0
            header[c] = len(values), len(found), low, apart
            values += found
    return [*header.ravel(), *values]


def _coordinates(figure: Figure, name: str, method: str) -> list[int]:
    if name in figure.coordinates:
        return [figure.coordinates.index(name)]
    try:
        return figure.coordinates_of(name).tolist()
    except FigureError:
        known = (*figure.joints, *figure.coordinates)
        raise MethodError(
            f'{method}: stiffness: no joint or coordinate "{name}"{did_you_mean(name, known)}'
        ) from None


def _number(given: float | Callable[[float], float], at: float, name: str, method: str) -> float:
    answer = given(at) if callable(given) else given
    try:
        value = float(answer)
    except (TypeError, ValueError, OverflowError):
        raise MethodError(
            f"{method}: the stiffness of {name} must be a number, got {answer!r}"
        ) from None
    if not 0.0 < value < math.inf:
        where = f" at {at:g}" if callable(given) else ""
        raise MethodError(
            f"{method}: the stiffness of {name} must be positive, got {value:g}{where}"
        )
    return value


@kernel
def stiffness_at(table, n, c, value):
    """The stiffness of coordinate c, one of n, at a value; table is ``stiffness_table``."""
    h = _HEADER * c
    first, count = _HEADER * n + int(table[h]), int(table[h + 1])
    at = (value - table[h + 2]) / table[h + 3]
    if count == 1 or not at > 0.0:
        return table[first]
    if at >= count - 1:
        return table[first + count - 1]
    k = int(at)
    part = at - k
    return (1.0 - part) * table[first + k] + part * table[first + k + 1]
