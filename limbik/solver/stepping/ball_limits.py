"""A ball's own limits, cone or ranges, during a tick: whether a turn stays inside, and P."""

from __future__ import annotations

import math

from limbik.figure.cones import allows_exponential, nearest_on_ellipse, project_exponential
from limbik.figure.layout import (
    CHART,
    CONE_A,
    CONE_B,
    CONE_BASIS,
    CONE_FLOATS,
    CONE_INTS,
    CONE_LOWER,
    CONE_SWING,
    CONE_UPPER,
    CONE_X,
    CONE_Y,
    F_CONE,
    I_CONE,
)
from limbik.jit import inner
from limbik.maths.so3 import exp_matrix, swing_twist_vector

_SAFE, _WIDE = 0.2, 2.0  # a way shorter than this part of the margin stays in, up to such a swing


@inner
def cone_of(ints, cone):
    """(kind, place in the floats) of a cone; (CHART + 1, 0) where there is none."""
    if cone < 0:
        return CHART + 1, 0
    return int(ints[ints[I_CONE] + CONE_INTS * cone]), int(ints[F_CONE] + CONE_FLOATS * cone)


@inner
def inside_limits(ints, floats, lower, upper, c, cone, v, scratch):
    """Whether a ball's limits allow the coordinates v (3,); scratch (12,)."""
    kind, f = cone_of(ints, cone)
    if kind > CHART:
        inside = True
        for k in range(3):
            inside = inside and lower[c + k] <= v[k] <= upper[c + k]
        return inside
    if kind == CONE_SWING:
        a, b = (
            (v[0] - floats[f + CONE_X]) / floats[f + CONE_A],
            (v[1] - floats[f + CONE_Y]) / floats[f + CONE_B],
        )
        return a * a + b * b <= 1.0 and lower[c + 2] <= v[2] <= upper[c + 2]
    if kind == CHART:
        return math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2) <= floats[f + CONE_A]
    return allows_exponential(floats, f, v[0], v[1], v[2], scratch[0:9], scratch[9:12])


@inner
def surely_inside(ints, floats, lower, upper, c, cone, v, way, scratch):
    """Whether a ball at v surely stays inside its limits while it turns by ``way`` (rad).

    Within a swing of 2 rad no coordinate changes by more than four times the turn.
    """
    kind, f = cone_of(ints, cone)
    if kind == CHART:
        return True  # no limit: its coordinates are changed at the edge
    if kind > CHART:
        return False
    x, y, z, low, high = v[0], v[1], v[2], lower[c + 2], upper[c + 2]
    if kind != CONE_SWING:
        exp_matrix(v[0], v[1], v[2], scratch[0:9])
        swing_twist_vector(scratch[0:9], floats[f + CONE_BASIS : f + CONE_FLOATS], scratch[9:12])
        x, y, z, low, high = (
            scratch[9],
            scratch[10],
            scratch[11],
            floats[f + CONE_LOWER],
            floats[f + CONE_UPPER],
        )
        low, high = max(low, -math.pi), min(high, math.pi)
    if x * x + y * y > (_WIDE - way) * (_WIDE - way) or way > 1.0:
        return False
    a, b = (
        (x - floats[f + CONE_X]) / floats[f + CONE_A],
        (y - floats[f + CONE_Y]) / floats[f + CONE_B],
    )
    margin = (1.0 - math.sqrt(a * a + b * b)) * min(floats[f + CONE_A], floats[f + CONE_B])
    return way <= _SAFE * min(margin, z - low, high - z)


@inner
def nearest_inside(ints, floats, lower, upper, c, cone, v, scratch):
    """P of a ball's coordinates v (3,), in place (figure.projection); scratch (24,)."""
    kind, f = cone_of(ints, cone)
    if kind > CHART:
        for k in range(3):
            v[k] = min(max(v[k], lower[c + k]), upper[c + k])
    elif kind == CONE_SWING:
        v[2] = min(max(v[2], lower[c + 2]), upper[c + 2])
        cx, cy = floats[f + CONE_X], floats[f + CONE_Y]
        x, y = v[0] - cx, v[1] - cy
        nx, ny = nearest_on_ellipse(x, y, floats[f + CONE_A], floats[f + CONE_B])
        part = 1.0
        while nx != x or ny != y:
            v[0], v[1] = cx + part * nx, cy + part * ny
            a, b = (v[0] - cx) / floats[f + CONE_A], (v[1] - cy) / floats[f + CONE_B]
            if a * a + b * b <= 1.0:
                break
            part = max(0.0, part - 2.3e-16 - (1.0 - part))
    elif kind != CHART:
        project_exponential(floats, f, v, 0, scratch)
