"""Free directions as columns of J: which ones to solve for, and what there is to gain."""

from __future__ import annotations

import math

from limbik.figure.layout import (
    CONE_A,
    CONE_B,
    CONE_X,
    CONE_Y,
    F_REST,
    F_REST_POSE,
    I_IN_CONE,
    I_RUN,
    I_RUN_FIRST,
    N_COORDS,
    N_REST,
    N_ROWS,
    cone_at,
)
from limbik.figure.limits import SWING_CHART
from limbik.jit import inner


@inner
def take_columns(ints, floats, desk, count):
    """Columns of J along the free directions, in place; returns how many are worth solving for.

    desk.column[d] is the row of jt with direction d: the coordinate's own row for a direction of
    one coordinate; at a cone's edge the tangents replace the first rows of the cone's coordinates,
    which all touch the same rows of J (a single tangent is followed by its normal).  Directions
    that no goal feels are dropped.
    """
    first, index, weight = ints[I_RUN_FIRST], ints[I_RUN], ints[F_REST]
    jt, starts, spans, coefficients = desk.jt, desk.starts, desk.spans, desk.coefficients
    kept, d = 0, 0
    while d < count:
        c, span = starts[d], spans[d]
        pair = span > 1 and d + 1 < count and spans[d + 1] > 1 and starts[d + 1] == c
        felt = ints[first + c] < ints[first + c + 1]
        for s in range(span):
            felt = felt or floats[weight + c + s] > 0.0
        if span > 1 and felt:
            for k in range(index + ints[first + c], index + ints[first + c + 1], 2):
                for i in range(ints[k], ints[k + 1]):
                    one, two = 0.0, 0.0
                    for s in range(span):
                        one += coefficients[d, s] * jt[c + s, i]
                        if pair:
                            two += coefficients[d + 1, s] * jt[c + s, i]
                    if span == 2:
                        two = coefficients[d, 1] * jt[c, i] - coefficients[d, 0] * jt[c + 1, i]
                    jt[c, i], jt[c + 1, i] = one, two
        if felt:
            for k in range(2 if pair else 1):
                starts[kept], spans[kept], desk.column[kept] = c, span, c + k
                for s in range(3):
                    coefficients[kept, s] = coefficients[d + k, s]
                kept += 1
        d += 2 if pair else 1
    return kept


@inner
def pulls(ints, floats, q, desk, count, curved):
    """What the diagonal goals ask along each direction: pull = D(pose − q) and stiff = D.

    ``curved`` adds, for the tangent of a swing cone that is pressed, how the edge bends: along it f
    curves by the push into the edge times the edge's curvature, which J knows nothing of.
    """
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    for d in range(count):
        c = desk.starts[d]
        desk.pull[d], desk.stiff[d], desk.bend[d] = 0.0, 0.0, 0.0
        if curved and desk.spans[d] == 2:
            _, f = cone_at(ints, ints[ints[I_IN_CONE] + c])
            a, b = floats[f + CONE_A], floats[f + CONE_B]
            if max(a, b) < SWING_CHART:  # otherwise no limit, but the end of the coordinates
                x = (q[c] - floats[f + CONE_X]) / (a * a)
                y = (q[c + 1] - floats[f + CONE_Y]) / (b * b)
                size = math.sqrt(x * x + y * y)
                press = (x * desk.push[c] + y * desk.push[c + 1]) / size
                desk.bend[d] = max(0.0, press) / (a * a * b * b * size * size * size)
        if ints[N_REST]:
            for s in range(desk.spans[d]):
                share = desk.coefficients[d, s]
                firm = share * floats[weight + c + s]
                desk.stiff[d] += share * firm
                desk.pull[d] += firm * (floats[pose + c + s] - q[c + s])


@inner
def to_gain(ints, floats, q, desk, count):
    """The largest cosine between what is missing and what a free direction can give.

    0 where q is stationary: no direction that the limits leave lowers f to first order.
    """
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    jt, target = desk.jt, desk.target
    missing = 1e-300
    for i in range(ints[N_ROWS]):
        missing += target[i] * target[i]
    for c in range(ints[N_COORDS]):
        away = floats[pose + c] - q[c]
        missing += floats[weight + c] * away * away
    best = 0.0
    for d in range(count):
        c, row = desk.starts[d], desk.column[d]
        along, length = desk.pull[d], desk.stiff[d]
        for k in range(index + ints[first + c], index + ints[first + c + 1], 2):
            for i in range(ints[k], ints[k + 1]):
                value = jt[row, i]
                along += value * target[i]
                length += value * value
        if length > 0.0:
            best = max(best, along * along / (length * missing))
    return math.sqrt(best)
