"""Free directions as columns of J: which ones to solve for, and what there is to gain."""

from __future__ import annotations

import math

from limbik.figure.kinematics import F_CONE, I_CONE, I_IN_CONE, N_COORDS
from limbik.figure.limits import SWING_CHART
from limbik.figure.projection import CONE_EXPONENTIAL, CONE_FLOATS, CONE_INTS, project
from limbik.goals.terms import N_ROWS
from limbik.jit import inner, kernel
from limbik.maths.linear import copy
from limbik.solver.objective import F_REST, F_REST_POSE, I_RUN, I_RUN_FIRST, N_REST, scratch_of

_PROBE = 1e-3  # rad along a curved edge; where P lands is exact to 1e-9


@kernel
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
def _bend_of_edges(ints, floats, q, desk, count):
    """desk.bend of the tangents t of cones on exponential balls, from how P bends a step on them.

    P(q + ht) − q − ht = ½h²κ, so that along the edge f curves by −2·push·(P(q + ht) − q − ht)/h².
    Of the two tangents of one edge each gets what they share on top.
    """
    trial, h, scratch = desk.trial, _PROBE, scratch_of(ints, desk.state)
    for probe in range(3):  # along the first tangents, along the second, along both
        copy(q, ints[N_COORDS], trial)
        for d in range(count):
            if _follows(ints, desk, d) and (probe == 2 or probe == _second_tangent(desk, d)):
                for s in range(3):
                    trial[desk.starts[d] + s] += h * desk.coefficients[d, s]
        project(ints, floats, trial, scratch)
        for d in range(count):
            if not _follows(ints, desk, d):
                continue
            c, second = desk.starts[d], _second_tangent(desk, d)
            pair = second or (d + 1 < count and _second_tangent(desk, d + 1))
            if probe == second or (probe == 2 and pair and not second):
                bent = 0.0
                for s in range(3):
                    step = h * desk.coefficients[d, s]
                    if probe == 2:
                        step += h * desk.coefficients[d + 1, s]
                    bent -= 2.0 * desk.push[c + s] * (trial[c + s] - q[c + s] - step) / (h * h)
                if probe == 2:
                    shared = 0.5 * abs(bent - desk.bend[d] - desk.bend[d + 1])
                    desk.bend[d] = max(0.0, desk.bend[d]) + shared
                    desk.bend[d + 1] = max(0.0, desk.bend[d + 1]) + shared
                else:
                    desk.bend[d] = bent if pair else max(0.0, bent)


@inner
def _follows(ints, desk, d):
    """Whether direction d is a tangent of the edge of a cone on an exponential ball."""
    if desk.spans[d] != 3:
        return False
    cone = ints[ints[I_IN_CONE] + desk.starts[d]]
    return ints[ints[I_CONE] + CONE_INTS * cone] == CONE_EXPONENTIAL


@inner
def _second_tangent(desk, d):
    """1 where direction d is the second tangent of an edge, else 0."""
    return int(
        d > 0 and desk.spans[d] == 3 == desk.spans[d - 1] and desk.starts[d] == desk.starts[d - 1]
    )


@kernel
def pulls(ints, floats, q, desk, count, curved):
    """What the diagonal goals ask along each direction: pull = D(pose − q) and stiff = D.

    ``curved`` adds, for the tangents of a cone that is pressed, how the edge bends: on it f curves
    by the push into the edge times the edge's curvature, which J knows nothing of.
    """
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    wide = False
    for d in range(count):
        c = desk.starts[d]
        desk.pull[d], desk.stiff[d], desk.bend[d] = 0.0, 0.0, 0.0
        wide = wide or desk.spans[d] == 3
        if curved and desk.spans[d] == 2:
            cone = ints[F_CONE] + CONE_FLOATS * ints[ints[I_IN_CONE] + c]
            a, b = floats[cone], floats[cone + 1]
            if max(a, b) < SWING_CHART:  # otherwise no limit, but the end of the coordinates
                x = (q[c] - floats[cone + 2]) / (a * a)
                y = (q[c + 1] - floats[cone + 3]) / (b * b)
                size = math.sqrt(x * x + y * y)
                press = (x * desk.push[c] + y * desk.push[c + 1]) / size
                desk.bend[d] = max(0.0, press) / (a * a * b * b * size * size * size)
        if ints[N_REST]:
            for s in range(desk.spans[d]):
                share = desk.coefficients[d, s]
                firm = share * floats[weight + c + s]
                desk.stiff[d] += share * firm
                desk.pull[d] += firm * (floats[pose + c + s] - q[c + s])
    if curved and wide:
        _bend_of_edges(ints, floats, q, desk, count)


@kernel
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
