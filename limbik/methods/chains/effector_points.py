"""Marks: points that hang below a joint and where they should be; how far they miss, and how one
turn or slide brings them nearest.

A mark is a row of MARK floats: a point, its goal, and a weight for each axis.  Kernels take
``which``, the numbers of the marks that a joint moves, as floats.
"""

from __future__ import annotations

import math

from limbik.figure.layout import (
    N_TERMS,
    T_AT,
    T_JOINT,
    T_KIND,
    T_POINT,
    T_WEIGHT,
    WORLD,
    term_at,
)
from limbik.figure.rigid_fit import into_range
from limbik.goals.terms import POSITION
from limbik.jit import kernel

MARK = 9
_SAMPLES = 24  # values tried along a turn before its best is refined
ROUNDING = 1e-13  # a lever, or a harmonic, up to this part of what it is made of is nothing


@kernel
def take_marks(ints, floats, world, first, marks):
    """The points of the position terms, their targets and weights into marks[first:].

    The weights of f are squares of those in the buffers.
    """
    for term in range(ints[N_TERMS]):
        i, f = term_at(ints, term)
        if ints[i + T_KIND] != POSITION:
            continue
        w, mark = WORLD * ints[i + T_JOINT], marks[first + term]
        x, y, z = floats[f + T_AT], floats[f + T_AT + 1], floats[f + T_AT + 2]
        for k in range(3):
            at = w + 3 * k
            mark[k] = world[w + 9 + k] + world[at] * x + world[at + 1] * y + world[at + 2] * z
            mark[3 + k] = floats[f + T_POINT + k]
            mark[6 + k] = floats[f + T_WEIGHT + k] ** 2


@kernel
def miss(marks, which):
    """f = Σ w‖g − p‖² over the marks that ``which`` names."""
    total = 0.0
    for i in range(len(which)):
        m = marks[int(which[i])]
        for k in range(3):
            total += m[6 + k] * (m[3 + k] - m[k]) ** 2
    return total


@kernel
def carry(world, joint, before, marks, which, keep):
    """Move some marks as the joint moved since its frame was ``before`` (12,); Σ w(g − p)² there.

    With ``keep`` the marks stay where they are, and only the sum is told.
    """
    w = WORLD * joint
    total = 0.0
    for i in range(len(which)):
        m = marks[int(which[i])]
        x, y, z = m[0] - before[9], m[1] - before[10], m[2] - before[11]
        u = before[0] * x + before[3] * y + before[6] * z
        v = before[1] * x + before[4] * y + before[7] * z
        t = before[2] * x + before[5] * y + before[8] * z
        for k in range(3):
            at = w + 3 * k
            p = world[w + 9 + k] + world[at] * u + world[at + 1] * v + world[at + 2] * t
            total += m[6 + k] * (m[3 + k] - p) ** 2
            if not keep:
                m[k] = p
    return total


@kernel
def _along(value, x, scale, a, b, c, s, rest, pose):
    """What ``best_value`` minimises, and its first and second derivatives."""
    angle = scale * (value - x)
    co, si, co2, si2 = math.cos(angle), math.sin(angle), math.cos(2 * angle), math.sin(2 * angle)
    away = value - pose
    return (
        -2.0 * (a * co + b * si) + c * co2 + s * si2 + rest * away * away,
        scale * (2.0 * (a * si - b * co) - 2.0 * (c * si2 - s * co2)) + 2.0 * rest * away,
        scale * scale * (2.0 * (a * co + b * si) - 4.0 * (c * co2 + s * si2)) + 2.0 * rest,
    )


@kernel
def best_value(x, scale, low, high, a, b, c, s, rest, pose):
    """The value in [low, high] of a turn's coordinate, now x, that makes f least.

    f along a turn by φ = scale·(value − x) is −2a cos φ − 2b sin φ + c cos 2φ + s sin 2φ
    + rest·(value − pose)², and a constant.  With equal weights for the axes and no rest only the
    first harmonic is there and φ = atan2(b, a), or an end of the range where that is outside.
    Otherwise the best of _SAMPLES within half a turn of x is refined by Newton's method.
    """
    first, second = math.sqrt(a * a + b * b), math.sqrt(c * c + s * s)
    period = 2.0 * math.pi / abs(scale)
    if first == 0.0 and second == 0.0:
        return min(max(pose, low), high) if rest > 0.0 else x
    if rest == 0.0 and second <= ROUNDING * first:
        angle = math.atan2(b, a)
        value = into_range(x + angle / scale, low, high, x, period)
        if low <= value <= high:
            return value
        nearer = math.cos(scale * (low - x) - angle) - math.cos(scale * (high - x) - angle)
        return low if nearer > 0.0 else high
    left, right = max(low, x - 0.5 * period), min(high, x + 0.5 * period)
    start, _, _ = _along(x, x, scale, a, b, c, s, rest, pose)
    value, lowest = x, start
    space = (right - left) / _SAMPLES
    for k in range(_SAMPLES + 1):
        sample = right if k == _SAMPLES else left + k * space
        there, _, _ = _along(sample, x, scale, a, b, c, s, rest, pose)
        if there < lowest:
            value, lowest = sample, there
    left, right = max(left, value - space), min(right, value + space)
    for _ in range(60):
        _, slope, curvature = _along(value, x, scale, a, b, c, s, rest, pose)
        if slope > 0.0:
            right = value
        else:
            left = value
        step = value - slope / curvature if curvature > 0.0 else left
        if not left < step < right:
            step = 0.5 * (left + right)
        done = abs(step - value) <= 1e-15 * (1.0 + abs(value))
        value = step
        if done:
            break
    lowest, _, _ = _along(value, x, scale, a, b, c, s, rest, pose)
    return value if lowest < start else x


@kernel
def turn_marks(axis, x, scale, low, high, rest, pose, marks, which):
    """Turn some marks about an axis so that they come nearest their goals; the coordinate's value.

    axis (6,) is a direction and a point on it; the coordinate, now x, stays within [low, high].
    """
    ax, ay, az, ox, oy, oz = axis[0], axis[1], axis[2], axis[3], axis[4], axis[5]
    a, b, c, s, size = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(which)):
        m = marks[int(which[i])]
        vx, vy, vz = m[0] - ox, m[1] - oy, m[2] - oz
        along = ax * vx + ay * vy + az * vz
        # p(φ) = o + along·axis + u cos φ + t sin φ
        ux, uy, uz = vx - along * ax, vy - along * ay, vz - along * az
        tx, ty, tz = ay * vz - az * vy, az * vx - ax * vz, ax * vy - ay * vx
        hx, hy, hz = m[3] - ox - along * ax, m[4] - oy - along * ay, m[5] - oz - along * az
        lever, made_of = tx * tx + ty * ty + tz * tz, vx * vx + vy * vy + vz * vz
        if lever <= ROUNDING * ROUNDING * (made_of + ox * ox + oy * oy + oz * oz):
            continue
        a += m[6] * hx * ux + m[7] * hy * uy + m[8] * hz * uz
        b += m[6] * hx * tx + m[7] * hy * ty + m[8] * hz * tz
        size += (m[6] + m[7] + m[8]) * math.sqrt(lever * (hx * hx + hy * hy + hz * hz))
        if m[6] != m[7] or m[7] != m[8]:
            c += 0.5 * (m[6] * (ux * ux - tx * tx) + m[7] * (uy * uy - ty * ty))
            c += 0.5 * m[8] * (uz * uz - tz * tz)
            s += m[6] * ux * tx + m[7] * uy * ty + m[8] * uz * tz
    if a * a + b * b <= (ROUNDING * size) ** 2:
        a, b = 0.0, 0.0
    value = best_value(x, scale, low, high, a, b, c, s, rest, pose)
    if value == x or not math.isfinite(value):
        return x
    co, si = math.cos(scale * (value - x)), math.sin(scale * (value - x))
    for i in range(len(which)):
        m = marks[int(which[i])]
        vx, vy, vz = m[0] - ox, m[1] - oy, m[2] - oz
        along = (1.0 - co) * (ax * vx + ay * vy + az * vz)
        m[0] = ox + along * ax + co * vx + si * (ay * vz - az * vy)
        m[1] = oy + along * ay + co * vy + si * (az * vx - ax * vz)
        m[2] = oz + along * az + co * vz + si * (ax * vy - ay * vx)
    return value


@kernel
def slide_marks(axis, x, scale, low, high, rest, pose, marks, which):
    """Slide some marks along an axis so that they come nearest their goals; the coordinate's value.

    The best way is Σ w e·a/Σ w a·a, e what is missing and a the axis; rest pulls as one more row.
    """
    along, square = rest * (pose - x), rest
    for i in range(len(which)):
        m = marks[int(which[i])]
        for k in range(3):
            along += m[6 + k] * (m[3 + k] - m[k]) * scale * axis[k]
            square += m[6 + k] * (scale * axis[k]) ** 2
    if not square > 0.0:
        return x
    value = min(max(x + along / square, low), high)
    if not math.isfinite(value):
        return x
    for i in range(len(which)):
        m = marks[int(which[i])]
        for k in range(3):
            m[k] += scale * (value - x) * axis[k]
    return value
