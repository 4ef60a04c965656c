"""Free directions as columns of J: which ones to solve for, and what there is to gain."""

from __future__ import annotations

import math

from limbik.figure.layout import (
    CONE_A,
    CONE_B,
    CONE_EXPONENTIAL,
    CONE_KIND,
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
from limbik.figure.projection import project
from limbik.jit import inner, kernel
from limbik.maths.linear import copy
from limbik.solver.objective import scratch_of

_PROBE = 1e-3  # rad along a curved edge; where P lands is exact to 1e-9


@kernel
def take_columns(ints, floats, lm, count):
    """Columns of J along the free directions, in place; returns how many are worth solving for.

    lm.column[d] is the row of jt with direction d: the coordinate's own row for a direction of
    one coordinate; at a cone's edge the tangents replace the first rows of the cone's coordinates,
    which all touch the same rows of J (a single tangent is followed by its normal).  Directions
    that no goal feels are dropped.
    """
    first, index, weight = ints[I_RUN_FIRST], ints[I_RUN], ints[F_REST]
    jt, starts, spans, coefficients = lm.jt, lm.starts, lm.spans, lm.coefficients
    taken, d = 0, 0
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
                starts[taken], spans[taken], lm.column[taken] = c, span, c + k
                for s in range(3):
                    coefficients[taken, s] = coefficients[d + k, s]
                taken += 1
        d += 2 if pair else 1
    return taken


@inner
def _curvature_of_edges(ints, floats, q, lm, count):
    """lm.edge_curvature of the tangents t of cones on exponential balls, from where P puts q + ht.

    P(q + ht) − q − ht = ½h²κ, so that along the edge f curves by ∇f·(P(q + ht) − q − ht)/h², with
    −2·half_descent for ∇f.  What two tangents of one edge share is lm.edge_between.
    """
    trial, h, scratch = lm.trial, _PROBE, scratch_of(ints, lm.state)
    for probe in range(3):  # along the first tangents, along the second, along both
        copy(q, ints[N_COORDS], trial)
        for d in range(count):
            if _follows(ints, lm.starts, lm.spans, d) and (
                probe == 2 or probe == _second_tangent(lm.starts, lm.spans, d)
            ):
                for s in range(3):
                    trial[lm.starts[d] + s] += h * lm.coefficients[d, s]
        press_out(ints, lm.starts, lm.spans, lm.coefficients, count, lm.half_descent, q, trial)
        project(ints, floats, trial, scratch)
        for d in range(count):
            if not _follows(ints, lm.starts, lm.spans, d):
                continue
            c, second = lm.starts[d], _second_tangent(lm.starts, lm.spans, d)
            pair = second or (d + 1 < count and _second_tangent(lm.starts, lm.spans, d + 1))
            if probe == second or (probe == 2 and pair and not second):
                curvature = 0.0
                for s in range(3):
                    step = h * lm.coefficients[d, s]
                    if probe == 2:
                        step += h * lm.coefficients[d + 1, s]
                    curvature -= (
                        2.0 * lm.half_descent[c + s] * (trial[c + s] - q[c + s] - step) / (h * h)
                    )
                if probe == 2:
                    alone = lm.edge_curvature[d] + lm.edge_curvature[d + 1]
                    lm.edge_between[d] = 0.5 * (curvature - alone)
                    lm.edge_bound[d] += abs(lm.edge_between[d])
                    lm.edge_bound[d + 1] += abs(lm.edge_between[d])
                else:
                    lm.edge_curvature[d], lm.edge_bound[d] = curvature, max(0.0, curvature)


@inner
def press_out(ints, starts, spans, coefficients, count, descent, q, trial):
    """Carry balls that follow edges of cones on exponential balls out of these, by the square of
    their step from q to ``trial``.

    Such an edge may bend outwards.  A step along its tangents would end inside then, off the edge,
    and the next one be cut off there before it has begun.
    """
    for d in range(count):
        if not _follows(ints, starts, spans, d) or _second_tangent(starts, spans, d):
            continue
        c = starts[d]
        x, y, z = descent[c], descent[c + 1], descent[c + 2]
        for t in range(
            d, d + (2 if d + 1 < count and _second_tangent(starts, spans, d + 1) else 1)
        ):
            u, v, w = coefficients[t, 0], coefficients[t, 1], coefficients[t, 2]
            along = x * u + y * v + z * w
            x, y, z = x - along * u, y - along * v, z - along * w
        size = math.sqrt(x * x + y * y + z * z)
        if size > 0.0:
            square = 0.0
            for s in range(3):
                square += (trial[c + s] - q[c + s]) ** 2
            trial[c] += square * x / size
            trial[c + 1] += square * y / size
            trial[c + 2] += square * z / size


@inner
def _follows(ints, starts, spans, d):
    """Whether direction d is a tangent of the edge of a cone on an exponential ball."""
    if spans[d] != 3:
        return False
    cone = ints[ints[I_IN_CONE] + starts[d]]
    return ints[cone_at(ints, cone)[0] + CONE_KIND] == CONE_EXPONENTIAL


@inner
def _second_tangent(starts, spans, d):
    """1 where direction d is the second tangent of an edge, else 0."""
    return int(d > 0 and spans[d] == 3 == spans[d - 1] and starts[d] == starts[d - 1])


@kernel
def pulls(ints, floats, q, lm, count, curved):
    """What the diagonal goals ask along each direction: pull = D(pose − q) and stiff = D.

    ``curved`` adds, for the tangents of a cone that is pressed, how the edge bends: on it f curves
    by the descent into the edge times the edge's curvature, which J knows nothing of.
    """
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    wide = False
    for d in range(count):
        c = lm.starts[d]
        lm.pull[d], lm.stiff[d] = 0.0, 0.0
        lm.edge_curvature[d], lm.edge_between[d], lm.edge_bound[d] = 0.0, 0.0, 0.0
        wide = wide or lm.spans[d] == 3
        if curved and lm.spans[d] == 2:
            _, cone = cone_at(ints, ints[ints[I_IN_CONE] + c])
            a, b = floats[cone + CONE_A], floats[cone + CONE_B]
            if max(a, b) < SWING_CHART:  # otherwise no limit, but the end of the coordinates
                x = (q[c] - floats[cone + CONE_X]) / (a * a)
                y = (q[c + 1] - floats[cone + CONE_Y]) / (b * b)
                size = math.sqrt(x * x + y * y)
                press = (x * lm.half_descent[c] + y * lm.half_descent[c + 1]) / size
                lm.edge_bound[d] = max(0.0, press) / (a * a * b * b * size * size * size)
                lm.edge_curvature[d] = lm.edge_bound[d]
        if ints[N_REST]:
            for s in range(lm.spans[d]):
                share = lm.coefficients[d, s]
                firm = share * floats[weight + c + s]
                lm.stiff[d] += share * firm
                lm.pull[d] += firm * (floats[pose + c + s] - q[c + s])
    if curved and wide:
        _curvature_of_edges(ints, floats, q, lm, count)


@kernel
def to_gain(ints, floats, q, lm, count):
    """The largest cosine between what is missing and what a free direction can give.

    0 where q is stationary: no direction that the limits leave lowers f to first order.
    """
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    jt, model_residual = lm.jt, lm.model_residual
    missing = 1e-300
    for i in range(ints[N_ROWS]):
        missing += model_residual[i] * model_residual[i]
    for c in range(ints[N_COORDS] if ints[N_REST] else 0):
        away = floats[pose + c] - q[c]
        missing += floats[weight + c] * away * away
    best = 0.0
    for d in range(count):
        c, row = lm.starts[d], lm.column[d]
        along, length = lm.pull[d], lm.stiff[d]
        for k in range(index + ints[first + c], index + ints[first + c + 1], 2):
            for i in range(ints[k], ints[k + 1]):
                value = jt[row, i]
                along += value * model_residual[i]
                length += value * value
        if length > 0.0:
            best = max(best, along * along / (length * missing))
    return math.sqrt(best)
