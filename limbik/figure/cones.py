"""Cones of balls on flat buffers: the nearest swing and twist inside, and the normals of edges.

On a swing–twist ball a cone is an ellipse of swings.  On an exponential ball a cone and a twist
range hold through the decomposition R = B·exp(s)·exp(twist)·Bᵀ.
"""

from __future__ import annotations

import math

from limbik.figure.layout import (
    CONE_A,
    CONE_B,
    CONE_BASIS,
    CONE_EXPONENTIAL,
    CONE_FLOATS,
    CONE_KIND,
    CONE_LOWER,
    CONE_START,
    CONE_SWING,
    CONE_UPPER,
    CONE_X,
    CONE_Y,
    cone_at,
)
from limbik.figure.limits import EXPONENTIAL_CHART
from limbik.jit import inlined, inner, kernel
from limbik.maths.linear import copy
from limbik.maths.so3 import (
    exp_matrix,
    left_jacobian_into,
    log_matrix,
    product_of_three,
    swing_twist_vector,
)

AT_EDGE = 1e-9
SCRATCH = 54
_MARGIN = 1e-9  # rad inside a limit on an exponential ball where P lands, at most half its width
ROUND = 2.3e-16  # a factor of 1 − ROUND makes a number smaller
TRIES = 54  # 2^53·ROUND is more than 1: the last of so many tries is the middle


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
    if value > 1.0:
        nx, ny = nx / math.sqrt(value), ny / math.sqrt(value)
    for back in range(TRIES):
        shrink = max(0.0, 1.0 - ROUND * (2.0**back - 1.0))
        px, py = nx * shrink, ny * shrink
        if (px / a) * (px / a) + (py / b) * (py / b) <= 1.0:
            return px, py
    return 0.0, 0.0


@inner
def _margin(half):
    """(slack, margin) of a limit on an exponential ball that allows ``half`` rad either way.

    exp and log round, so P lands ``margin`` inside, and a limit that is narrower than rounding
    needs is widened by ``slack``.
    """
    slack = max(0.0, 2.0 * _MARGIN - half)
    return slack, min(_MARGIN, 0.5 * (half + slack))


@inner
def allows_exponential(floats, f, x, y, z, turn, parts):
    """Whether the limit at floats[f] allows the rotation vector (x, y, z) of an exponential ball.

    Its matrix is left in turn (9,), its swing and twist in parts (3,).
    """
    exp_matrix(x, y, z, turn)
    swing_twist_vector(turn, floats[f + CONE_BASIS : f + CONE_FLOATS], parts)
    a, b = (
        floats[f + CONE_A] + _margin(floats[f + CONE_A])[0],
        floats[f + CONE_B] + _margin(floats[f + CONE_B])[0],
    )
    sx, sy = parts[0] - floats[f + CONE_X], parts[1] - floats[f + CONE_Y]
    slack = _margin(0.5 * (floats[f + CONE_UPPER] - floats[f + CONE_LOWER]))[0]
    return (
        (sx / a) * (sx / a) + (sy / b) * (sy / b) <= 1.0
        and floats[f + CONE_LOWER] - slack <= parts[2] <= floats[f + CONE_UPPER] + slack
        and x * x + y * y + z * z < EXPONENTIAL_CHART * EXPONENTIAL_CHART
    )


@inner
def _nearest_swing(floats, f, x, y, inwards):
    """The swing in the cone at floats[f] that is nearest to (x, y), then moved inwards by that part
    of the way to the centre."""
    slack_a, margin_a = _margin(floats[f + CONE_A])
    slack_b, margin_b = _margin(floats[f + CONE_B])
    cx, cy = floats[f + CONE_X], floats[f + CONE_Y]
    sx, sy = nearest_on_ellipse(
        x - cx,
        y - cy,
        floats[f + CONE_A] + slack_a - margin_a,
        floats[f + CONE_B] + slack_b - margin_b,
    )
    return cx + (1.0 - inwards) * sx, cy + (1.0 - inwards) * sy


@inner
def _nearest_twist(lower, upper, twist, inwards):
    """The twist between lower and upper that is nearest around the circle, then moved inwards by
    that part of the way to their middle."""
    slack, margin = _margin(0.5 * (upper - lower))
    low, high = max(lower - slack, -math.pi), min(upper + slack, math.pi)
    if not low <= twist <= high:
        near_low = math.cos(twist - low) if lower > -math.inf else -2.0
        near_high = math.cos(twist - high) if upper < math.inf else -2.0
        margin = min(margin, 0.5 * (high - low))
        twist = low + margin if near_low > near_high else high - margin
    return twist + inwards * (0.5 * (low + high) - twist)


@inner
def _turn_by(sx, sy, twist, basis, turn, scratch):
    """B·exp(s)·exp(twist)·Bᵀ into turn (9,); scratch (9,)."""
    exp_matrix(sx, sy, 0.0, scratch)
    co, si = math.cos(twist), math.sin(twist)
    for i in range(3):
        first, second = scratch[3 * i], scratch[3 * i + 1]
        scratch[3 * i] = co * first + si * second
        scratch[3 * i + 1] = co * second - si * first
    product_of_three(basis, False, scratch, False, basis, True, turn)


@inlined
def project_exponential(floats, f, q, c, scratch):
    """Cone and twist range on an exponential ball, by decomposition.

    What comes out has passed the same test as what goes in, so that P(P(q)) = P(q) to the bit:
    where rounding leaves it outside, the next try lies further inwards, the last in the middle.
    """
    turn, parts, spare, vector = scratch[0:9], scratch[9:12], scratch[12:21], scratch[21:24]
    x, y, z = q[c], q[c + 1], q[c + 2]
    if allows_exponential(floats, f, x, y, z, turn, parts):
        return
    swing_x, swing_y, twist = parts[0], parts[1], parts[2]
    for attempt in range(TRIES):
        inwards = min(1.0, ROUND * (2.0**attempt - 1.0))
        if attempt == TRIES - 1:
            inwards, swing_x, swing_y, twist = 1.0, floats[f + CONE_X], floats[f + CONE_Y], 0.0
        sx, sy = _nearest_swing(floats, f, swing_x, swing_y, inwards)
        angle = _nearest_twist(floats[f + CONE_LOWER], floats[f + CONE_UPPER], twist, inwards)
        _turn_by(sx, sy, angle, floats[f + CONE_BASIS : f + CONE_FLOATS], turn, spare)
        log_matrix(turn, vector)
        size = math.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
        if size > 1e-9:
            # The same rotation has a second vector, (1 − 2π/‖w‖)w; keep the one nearer to q.
            other = 1.0 - 2.0 * math.pi / size
            if abs(other) * size < EXPONENTIAL_CHART * (1.0 - 1e-15):
                near = (vector[0] - x) ** 2 + (vector[1] - y) ** 2 + (vector[2] - z) ** 2
                far = (
                    (other * vector[0] - x) ** 2
                    + (other * vector[1] - y) ** 2
                    + (other * vector[2] - z) ** 2
                )
                if far < near:
                    for i in range(3):
                        vector[i] *= other
        copy(vector, 3, q[c:])
        if allows_exponential(floats, f, q[c], q[c + 1], q[c + 2], turn, parts):
            return


@inlined
def _exponential_normals(floats, f, q, c, normals, scratch):
    """Outward normals, in q, of the active edges of a cone on an exponential ball; how many.

    Both coordinates describe one rotation: Jl(w)·ẇ = B·[Jl(s)₀ Jl(s)₁ exp(s)e₃]·(ṡ, τ̇), so a
    normal in (s, τ) is carried to w by the transpose of M⁻¹BᵀJl(w).
    """
    turn, parts, matrix, left = scratch[0:9], scratch[9:12], scratch[12:21], scratch[21:30]
    inverse, change = scratch[30:39], scratch[39:48]
    basis = floats[f + CONE_BASIS : f + CONE_FLOATS]
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
    product_of_three(inverse, False, basis, True, left, False, change)
    for k in range(9):
        change[k] /= det  # d(s, τ)/dw
    found = 0
    a, b = floats[f + CONE_A], floats[f + CONE_B]
    sx, sy = parts[0] - floats[f + CONE_X], parts[1] - floats[f + CONE_Y]
    # P lands a margin inside, so the edge begins there.
    slack_a, margin_a = _margin(a)
    slack_b, margin_b = _margin(b)
    u, v = sx / (a + slack_a - 1.5 * margin_a), sy / (b + slack_b - 1.5 * margin_b)
    if u * u + v * v >= 1.0:
        for j in range(3):
            normals[found, j] = sx / (a * a) * change[j] + sy / (b * b) * change[3 + j]
        found += 1
    if parts[2] >= floats[f + CONE_UPPER] - 4.0 * _MARGIN:
        for j in range(3):
            normals[found, j] = change[6 + j]
        found += 1
    elif parts[2] <= floats[f + CONE_LOWER] + 4.0 * _MARGIN:
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
    i, f = cone_at(ints, cone)
    kind, c = ints[i + CONE_KIND], ints[i + CONE_START]
    normals[:, :] = 0.0
    if kind == CONE_SWING:
        u, v = (
            (q[c] - floats[f + CONE_X]) / floats[f + CONE_A],
            (q[c + 1] - floats[f + CONE_Y]) / floats[f + CONE_B],
        )
        if u * u + v * v < 1.0 - AT_EDGE:
            return 0
        nx, ny = u / floats[f + CONE_A], v / floats[f + CONE_B]
        size = math.sqrt(nx * nx + ny * ny)
        normals[0, 0], normals[0, 1] = nx / size, ny / size
        return 1
    if kind == CONE_EXPONENTIAL:
        return _exponential_normals(floats, f, q, c, normals, scratch)
    size = math.sqrt(q[c] ** 2 + q[c + 1] ** 2 + q[c + 2] ** 2)
    if size < floats[f + CONE_A] * (1.0 - AT_EDGE):
        return 0
    for k in range(3):
        normals[0, k] = q[c + k] / size
    return 1
