"""P(q), the nearest allowed pose, and the directions that limits leave free, on flat buffers.

P never moves a feasible point, and P(P(q)) = P(q).
"""

from __future__ import annotations

import math

import numpy as np

from limbik.figure.kinematics import (
    F_CONE,
    F_LOWER,
    F_UPPER,
    I_CONE,
    I_IN_CONE,
    N_CONES,
    N_COORDS,
    NONE,
)
from limbik.figure.limits import EXPONENTIAL_CHART
from limbik.jit import inlined, kernel
from limbik.maths.linear import copy
from limbik.maths.so3 import exp_matrix, left_jacobian_into, log_matrix, swing_twist_vector

CONE_SWING, CONE_EXPONENTIAL, CHART = range(3)
CONE_INTS = 2  # kind, first coordinate
CONE_FLOATS = 15  # half axes a, b; centre x, y; twist lower, upper; basis (9)


AT_EDGE = 1e-9
SCRATCH = 54
_SHRINK = 1e-9


@kernel
def nearest_on_ellipse(x, y, a, b):
    """Nearest point of the filled ellipse (x/a)² + (y/b)² ≤ 1, its centre at the origin.

    Outside, the nearest point is (a²x/(t + a²), b²y/(t + b²)) for the one t > 0 that puts it on the
    edge.  That condition is convex and falling in t, so Newton from the left cannot overshoot.
    """
    if (x / a) * (x / a) + (y / b) * (y / b) <= 1.0:
        return x, y
    u, v = abs(x), abs(y)
    t = max(0.0, a * u - a * a, b * v - b * b)
    for _ in range(60):
        p, s = a * u / (t + a * a), b * v / (t + b * b)
        value = p * p + s * s - 1.0
        slope = -2.0 * (p * p / (t + a * a) + s * s / (t + b * b))
        step = -value / slope
        t += step
        if step <= 1e-16 * (t + a * a):
            break
    nx, ny = a * a * x / (t + a * a), b * b * y / (t + b * b)
    value = (nx / a) * (nx / a) + (ny / b) * (ny / b)
    shrink = 1.0 / math.sqrt(value)
    while value > 1.0:
        nx, ny = nx * shrink, ny * shrink
        shrink = 1.0 - 2.3e-16
        value = (nx / a) * (nx / a) + (ny / b) * (ny / b)
    return nx, ny


@inlined
def _project_exponential(floats, f, q, c, scratch):
    """Cone and twist range on an exponential ball, by decomposition."""
    turn, parts, back = scratch[0:9], scratch[9:12], scratch[12:21]
    basis = floats[f + 6 : f + 15]
    x, y, z = q[c], q[c + 1], q[c + 2]
    exp_matrix(x, y, z, turn)
    swing_twist_vector(turn, basis, parts)
    a, b = floats[f], floats[f + 1]
    sx, sy = parts[0] - floats[f + 2], parts[1] - floats[f + 3]
    # A range narrower than rounding is widened to what rounding needs.
    slack = max(0.0, _SHRINK - 0.25 * (floats[f + 5] - floats[f + 4]))
    low, high = floats[f + 4] - slack, floats[f + 5] + slack
    inside = (sx / a) * (sx / a) + (sy / b) * (sy / b) <= 1.0 and low <= parts[2] <= high
    if inside and x * x + y * y + z * z < EXPONENTIAL_CHART * EXPONENTIAL_CHART:
        return
    # Land a hair inside: exp and log round, and the result must count as feasible.
    if not inside:
        sx, sy = nearest_on_ellipse(sx, sy, a * (1.0 - _SHRINK), b * (1.0 - _SHRINK))
        sx, sy = sx + floats[f + 2], sy + floats[f + 3]
        twist = parts[2]
        if not low <= twist <= high:
            # The twist is an angle: clamp to the end that is nearer around the circle.
            near_low = math.cos(twist - low) if low > -math.inf else -2.0
            near_high = math.cos(twist - high) if high < math.inf else -2.0
            margin = min(_SHRINK, 0.25 * (high - low))
            twist = low + margin if near_low > near_high else high - margin
        exp_matrix(sx, sy, 0.0, turn)
        co, si = math.cos(twist), math.sin(twist)
        for i in range(3):
            first, second = turn[3 * i], turn[3 * i + 1]
            turn[3 * i] = co * first + si * second
            turn[3 * i + 1] = co * second - si * first
        for i in range(3):
            for j in range(3):
                total = 0.0
                for k in range(3):
                    for m in range(3):
                        total += basis[3 * i + k] * turn[3 * k + m] * basis[3 * j + m]
                back[3 * i + j] = total
        copy(back, 9, turn)
    log_matrix(turn, parts)
    size = math.sqrt(parts[0] ** 2 + parts[1] ** 2 + parts[2] ** 2)
    keep = 1.0
    if size > 1e-9:
        # The same rotation has a second vector, (1 − 2π/‖w‖)w; keep the one nearer to where q was.
        other = 1.0 - 2.0 * math.pi / size
        if abs(other) * size < EXPONENTIAL_CHART:
            near, far = 0.0, 0.0
            for i in range(3):
                near += (parts[i] - q[c + i]) ** 2
                far += (other * parts[i] - q[c + i]) ** 2
            if far < near:
                keep = other
    for i in range(3):
        q[c + i] = keep * parts[i]


@kernel
def project(ints, floats, q, scratch):
    """P(q), in place: the nearest allowed pose (equation 40 of line_search, and cones).

    scratch: at least SCRATCH floats.
    """
    lower, upper, in_cone = ints[F_LOWER], ints[F_UPPER], ints[I_IN_CONE]
    for c in range(ints[N_COORDS]):
        if ints[in_cone + c] == NONE:
            q[c] = min(max(q[c], floats[lower + c]), floats[upper + c])
    for cone in range(ints[N_CONES]):
        i, f = ints[I_CONE] + CONE_INTS * cone, ints[F_CONE] + CONE_FLOATS * cone
        kind, c = ints[i], ints[i + 1]
        if kind == CONE_SWING:
            cx, cy = floats[f + 2], floats[f + 3]
            x, y = q[c] - cx, q[c + 1] - cy
            nx, ny = nearest_on_ellipse(x, y, floats[f], floats[f + 1])
            # Adding the centre back rounds; only a moved point may be touched.
            if nx != x or ny != y:
                for back in range(50):
                    shrink = 1.0 - 2.3e-16 * (2.0**back - 1.0)
                    q[c], q[c + 1] = cx + nx * shrink, cy + ny * shrink
                    u, v = (q[c] - cx) / floats[f], (q[c + 1] - cy) / floats[f + 1]
                    if u * u + v * v <= 1.0:
                        break
        elif kind == CONE_EXPONENTIAL:
            _project_exponential(floats, f, q, c, scratch)
        else:
            size = math.sqrt(q[c] ** 2 + q[c + 1] ** 2 + q[c + 2] ** 2)
            while size > floats[f]:
                scale = floats[f] / size * (1.0 - 2.3e-16)
                q[c], q[c + 1], q[c + 2] = q[c] * scale, q[c + 1] * scale, q[c + 2] * scale
                size = math.sqrt(q[c] ** 2 + q[c + 1] ** 2 + q[c + 2] ** 2)


@inlined
def _exponential_normals(floats, f, q, c, normals, scratch):
    """Outward normals, in q, of the active edges of a cone on an exponential ball; how many.

    Both coordinates describe one rotation: Jl(w)·ẇ = B·[Jl(s)₀ Jl(s)₁ exp(s)e₃]·(ṡ, τ̇), so a
    normal in (s, τ) is carried to w by the transpose of M⁻¹BᵀJl(w).
    """
    turn, parts, matrix, left = scratch[0:9], scratch[9:12], scratch[12:21], scratch[21:30]
    inverse, change = scratch[30:39], scratch[39:48]
    basis = floats[f + 6 : f + 15]
    exp_matrix(q[c], q[c + 1], q[c + 2], turn)
    swing_twist_vector(turn, basis, parts)
    left_jacobian_into(q[c], q[c + 1], q[c + 2], left)
    exp_matrix(parts[0], parts[1], 0.0, turn)
    left_jacobian_into(parts[0], parts[1], 0.0, matrix)
    for i in range(3):
        matrix[3 * i + 2] = turn[3 * i + 2]
    # Rows of M⁻¹ are cross products of M's columns over its determinant.
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for r in range(3):
            s, t = (r + 1) % 3, (r + 2) % 3
            inverse[3 * i + r] = (
                matrix[3 * s + j] * matrix[3 * t + k] - matrix[3 * t + j] * matrix[3 * s + k]
            )
    det = 0.0
    for r in range(3):
        det += inverse[r] * matrix[3 * r]
    if abs(det) < 1e-9:
        return 0
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                for m in range(3):
                    total += inverse[3 * i + k] * basis[3 * m + k] * left[3 * m + j]
            change[3 * i + j] = total / det  # d(s, τ)/dw
    found = 0
    a, b = floats[f], floats[f + 1]
    sx, sy = parts[0] - floats[f + 2], parts[1] - floats[f + 3]
    if (sx / a) * (sx / a) + (sy / b) * (sy / b) >= 1.0 - 8.0 * _SHRINK:
        for j in range(3):
            normals[found, j] = sx / (a * a) * change[j] + sy / (b * b) * change[3 + j]
        found += 1
    if parts[2] >= floats[f + 5] - 4.0 * _SHRINK:
        for j in range(3):
            normals[found, j] = change[6 + j]
        found += 1
    elif parts[2] <= floats[f + 4] + 4.0 * _SHRINK:
        for j in range(3):
            normals[found, j] = -change[6 + j]
        found += 1
    for k in range(found):
        size = math.sqrt(normals[k, 0] ** 2 + normals[k, 1] ** 2 + normals[k, 2] ** 2)
        for j in range(3):
            normals[k, j] /= max(size, 1e-300)
    return found


@kernel
def cone_normals(ints, floats, cone, q, normals, scratch):
    """Unit outward normals, in the cone's own coordinates, of its active edges; how many (0–2).

    Works on two coordinates for a swing cone and on three for the others; unused entries are 0.
    """
    i, f = ints[I_CONE] + CONE_INTS * cone, ints[F_CONE] + CONE_FLOATS * cone
    kind, c = ints[i], ints[i + 1]
    normals[:, :] = 0.0
    if kind == CONE_SWING:
        u, v = (q[c] - floats[f + 2]) / floats[f], (q[c + 1] - floats[f + 3]) / floats[f + 1]
        if u * u + v * v < 1.0 - AT_EDGE:
            return 0
        nx, ny = u / floats[f], v / floats[f + 1]
        size = math.sqrt(nx * nx + ny * ny)
        normals[0, 0], normals[0, 1] = nx / size, ny / size
        return 1
    if kind == CONE_EXPONENTIAL:
        return _exponential_normals(floats, f, q, c, normals, scratch)
    size = math.sqrt(q[c] ** 2 + q[c + 1] ** 2 + q[c + 2] ** 2)
    if size < floats[f] * (1.0 - AT_EDGE):
        return 0
    for k in range(3):
        normals[0, k] = q[c + k] / size
    return 1


@kernel
def free_directions(ints, floats, q, push, starts, spans, coefficients, scratch):
    """The directions in which the limits let q follow ``push``; returns how many.

    Direction d moves the coordinates starts[d] … starts[d] + spans[d] − 1 by coefficients[d].  A
    coordinate at a limit that ``push`` (the descent direction) presses into is left out; at the
    edge of a cone the pressed normal is left out and the tangents stay.
    """
    lower, upper, in_cone = ints[F_LOWER], ints[F_UPPER], ints[I_IN_CONE]
    count = 0
    for c in range(ints[N_COORDS]):
        if ints[in_cone + c] != NONE:
            continue
        low, high = floats[lower + c], floats[upper + c]
        if low == high or (q[c] <= low and push[c] < 0.0) or (q[c] >= high and push[c] > 0.0):
            continue
        starts[count], spans[count], coefficients[count, 0] = c, 1, 1.0
        count += 1
    normals = scratch[48:54].reshape(2, 3)
    for cone in range(np.int64(ints[N_CONES])):
        i = ints[I_CONE] + CONE_INTS * cone
        kind, c = ints[i], ints[i + 1]
        span = 2 if kind == CONE_SWING else 3
        pressed = 0
        for k in range(cone_normals(ints, floats, cone, q, normals, scratch)):
            along = 0.0
            for d in range(span):
                along += normals[k, d] * push[c + d]
            if along > 0.0:
                for d in range(3):
                    normals[pressed, d] = normals[k, d]
                pressed += 1
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


@kernel
def project_many(ints, floats, poses):
    """P of every row of poses (frames, n), in place."""
    scratch = np.empty(SCRATCH)
    for frame in range(poses.shape[0]):
        project(ints, floats, poses[frame], scratch)
