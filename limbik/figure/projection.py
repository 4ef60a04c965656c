"""P(q), the nearest allowed pose, and the directions that limits leave free, on flat buffers.

P never moves a feasible point, and P(P(q)) = P(q).
"""

from __future__ import annotations

import math

import numpy as np
from numba import int64, types

from limbik.figure.cones import (
    ROUND,
    SCRATCH,
    TRIES,
    cone_normals,
    nearest_on_ellipse,
    project_exponential,
)
from limbik.figure.layout import (
    CONE_A,
    CONE_B,
    CONE_EXPONENTIAL,
    CONE_KIND,
    CONE_START,
    CONE_SWING,
    CONE_X,
    CONE_Y,
    F_LOWER,
    F_UPPER,
    I_IN_CONE,
    N_CONES,
    N_COORDS,
    NONE,
    cone_at,
)
from limbik.jit import FLOATS, INTS, TABLE, external, inlined, kernel


@external(types.none(INTS, FLOATS, FLOATS, FLOATS))
def project(ints, floats, q, scratch):
    """P(q), in place: the nearest allowed pose (equation 40 of line_search, and cones).

    scratch: at least SCRATCH floats.
    """
    lower, upper, in_cone = ints[F_LOWER], ints[F_UPPER], ints[I_IN_CONE]
    for c in range(ints[N_COORDS]):
        if ints[in_cone + c] == NONE:
            q[c] = min(max(q[c], floats[lower + c]), floats[upper + c])
    for cone in range(ints[N_CONES]):
        i, f = cone_at(ints, cone)
        kind, c = ints[i + CONE_KIND], ints[i + CONE_START]
        if kind == CONE_SWING:
            cx, cy = floats[f + CONE_X], floats[f + CONE_Y]
            x, y = q[c] - cx, q[c + 1] - cy
            nx, ny = nearest_on_ellipse(x, y, floats[f + CONE_A], floats[f + CONE_B])
            # Adding the centre back rounds; only a moved point may be touched.
            if nx != x or ny != y:
                for back in range(TRIES):
                    shrink = max(0.0, 1.0 - ROUND * (2.0**back - 1.0))
                    q[c], q[c + 1] = cx + nx * shrink, cy + ny * shrink
                    u, v = (q[c] - cx) / floats[f + CONE_A], (q[c + 1] - cy) / floats[f + CONE_B]
                    if u * u + v * v <= 1.0:
                        break
        elif kind == CONE_EXPONENTIAL:
            project_exponential(floats, f, q, c, scratch)
        else:
            size = math.sqrt(q[c] ** 2 + q[c + 1] ** 2 + q[c + 2] ** 2)
            if size > floats[f + CONE_A]:
                x, y, z, first = q[c], q[c + 1], q[c + 2], floats[f + CONE_A] / size
                for back in range(TRIES):
                    scale = first * max(0.0, 1.0 - ROUND * 2.0**back)
                    q[c], q[c + 1], q[c + 2] = x * scale, y * scale, z * scale
                    if math.sqrt(q[c] ** 2 + q[c + 1] ** 2 + q[c + 2] ** 2) <= floats[f + CONE_A]:
                        break


@kernel
def project_many(ints, floats, poses):
    """P of every row of poses (frames, n), in place."""
    scratch = np.empty(SCRATCH)
    for frame in range(poses.shape[0]):
        project(ints, floats, poses[frame], scratch)


@external(int64(INTS, FLOATS, FLOATS, FLOATS, INTS, INTS, TABLE, FLOATS))
def free_directions(ints, floats, q, descent, starts, spans, coefficients, scratch):
    """The directions in which the limits let q follow ``descent``; returns how many.

    Direction d moves the coordinates starts[d] … starts[d] + spans[d] − 1 by coefficients[d].  A
    coordinate at a limit that ``descent`` (−∇f or a part of it) presses into is left out; at the
    edge of a cone the pressed normal is left out and the tangents stay.
    """
    lower, upper, in_cone = ints[F_LOWER], ints[F_UPPER], ints[I_IN_CONE]
    count = 0
    for c in range(ints[N_COORDS]):
        if ints[in_cone + c] != NONE:
            continue
        low, high = floats[lower + c], floats[upper + c]
        if low == high or (q[c] <= low and descent[c] < 0.0) or (q[c] >= high and descent[c] > 0.0):
            continue
        starts[count], spans[count], coefficients[count, 0] = c, 1, 1.0
        count += 1
    normals = scratch[48:54].reshape(2, 3)
    for cone in range(np.int64(ints[N_CONES])):
        i, _ = cone_at(ints, cone)
        kind, c = ints[i + CONE_KIND], ints[i + CONE_START]
        span = 2 if kind == CONE_SWING else 3
        edges = cone_normals(ints, floats, cone, q, normals, scratch)
        pressed = _pressed(normals, edges, span, descent, c)
        if pressed == 0:
            for d in range(span):
                starts[count], spans[count], coefficients[count, 0] = c + d, 1, 1.0
                count += 1
            continue
        if span == 2:
            starts[count], spans[count] = c, 2
            coefficients[count, 0], coefficients[count, 1] = -normals[0, 1], normals[0, 0]
            count += 1
            continue
        count = _tangents(normals, pressed, c, starts, spans, coefficients, count)
    return count


@inlined
def _pressed(normals, edges, span, descent, c):
    """How many of the edges ``descent`` presses into; their normals become the first.

    Where two edges meet, what one of them leaves of the descent may press into the other, or lead
    away from it: pressed are those that hold the way that both allow which is nearest to it.
    """
    first, second, both = 0.0, 0.0, 0.0
    for d in range(span if edges > 0 else 0):
        first += normals[0, d] * descent[c + d]
        second += normals[1, d] * descent[c + d]
        both += normals[0, d] * normals[1, d]
    if first <= 0.0 and second <= 0.0:
        return 0
    if edges == 1 or (first > 0.0 and second <= first * both):
        return 1
    if second > 0.0 and first <= second * both:
        for d in range(3):
            normals[0, d] = normals[1, d]
        return 1
    return 2


@inlined
def _tangents(normals, pressed, c, starts, spans, coefficients, count):
    """Append an orthonormal basis of what is perpendicular to one or two unit normals in R³."""
    n = normals[0]
    if pressed == 2:
        x = n[1] * normals[1, 2] - n[2] * normals[1, 1]
        y = n[2] * normals[1, 0] - n[0] * normals[1, 2]
        z = n[0] * normals[1, 1] - n[1] * normals[1, 0]
        size = math.sqrt(x * x + y * y + z * z)
        if size > 1e-9:
            starts[count], spans[count] = c, 3
            coefficients[count, 0] = x / size
            coefficients[count, 1] = y / size
            coefficients[count, 2] = z / size
            return count + 1
    least = 0
    for k in range(1, 3):
        if abs(n[k]) < abs(n[least]):
            least = k
    j, k = (least + 1) % 3, (least + 2) % 3
    size = math.sqrt(n[j] * n[j] + n[k] * n[k])
    starts[count], spans[count] = c, 3
    coefficients[count, least], coefficients[count, j], coefficients[count, k] = (
        0.0,
        -n[k] / size,
        n[j] / size,
    )
    first = coefficients[count]
    starts[count + 1], spans[count + 1] = c, 3
    for d in range(3):
        e, g = (d + 1) % 3, (d + 2) % 3
        coefficients[count + 1, d] = n[e] * first[g] - n[g] * first[e]
    return count + 2
