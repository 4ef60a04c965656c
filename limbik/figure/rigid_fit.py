"""The rotation that brings points nearest their goals, and the coordinates of a ball for it."""

from __future__ import annotations

import math

from limbik.figure import layout as lay
from limbik.jit import inner, kernel
from limbik.maths.so3 import log_matrix, matrix_from_quat, swing_twist_vector

_STAY = 1e-10  # part of its size by which a fit leans towards not turning at all
RIGID = 36  # floats of scratch


@kernel
def largest_eigenvector(a, vectors, out):
    """Unit eigenvector of the largest eigenvalue of a symmetric 4 × 4, by Jacobi rotations."""
    vectors[:, :] = 0.0
    for i in range(4):
        vectors[i, i] = 1.0
    for _ in range(30):
        off, size = 0.0, 0.0
        for i in range(4):
            size += a[i, i] * a[i, i]
            for j in range(i):
                off += a[i, j] * a[i, j]
        if off <= 1e-28 * size:
            break
        for p in range(3):
            for s in range(p + 1, 4):
                if a[p, s] == 0.0:
                    continue
                theta = (a[s, s] - a[p, p]) / (2.0 * a[p, s])
                t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + math.sqrt(theta * theta + 1.0))
                c = 1.0 / math.sqrt(t * t + 1.0)
                d = t * c
                for k in range(4):
                    x, y = a[k, p], a[k, s]
                    a[k, p], a[k, s] = c * x - d * y, d * x + c * y
                for k in range(4):
                    x, y = a[p, k], a[s, k]
                    a[p, k], a[s, k] = c * x - d * y, d * x + c * y
                    x, y = vectors[k, p], vectors[k, s]
                    vectors[k, p], vectors[k, s] = c * x - d * y, d * x + c * y
    best = 0
    for i in range(1, 4):
        if a[i, i] > a[best, best]:
            best = i
    for i in range(4):
        out[i] = vectors[i, best]


@inner
def add_outer(s, x, y, z, u, v, w):
    """s (9,) += (x, y, z)ᵀ(u, v, w), row by row: what ``fit_turn`` takes."""
    s[0] += x * u
    s[1] += x * v
    s[2] += x * w
    s[3] += y * u
    s[4] += y * v
    s[5] += y * w
    s[6] += z * u
    s[7] += z * v
    s[8] += z * w


@kernel
def fit_turn(s, scratch, turn):
    """The rotation R, flat into turn (9,), that makes Σ w‖g − Rv‖² least, for s = Σ w v gᵀ (9,).

    Horn 1987, the quaternion form.  Where several are as good (all v on one line) it is the one
    that turns least.  s is overwritten; scratch: RIGID floats.
    """
    size = 0.0
    for i in range(9):
        size += s[i] * s[i]
    size = math.sqrt(size)
    for i in range(3):
        s[4 * i] += _STAY * size
    a = scratch[0:16].reshape(4, 4)
    a[0, 0] = s[0] + s[4] + s[8]
    a[1, 1] = s[0] - s[4] - s[8]
    a[2, 2] = s[4] - s[0] - s[8]
    a[3, 3] = s[8] - s[0] - s[4]
    a[0, 1] = a[1, 0] = s[5] - s[7]
    a[0, 2] = a[2, 0] = s[6] - s[2]
    a[0, 3] = a[3, 0] = s[1] - s[3]
    a[1, 2] = a[2, 1] = s[1] + s[3]
    a[1, 3] = a[3, 1] = s[6] + s[2]
    a[2, 3] = a[3, 2] = s[5] + s[7]
    wxyz = scratch[32:36]
    largest_eigenvector(a, scratch[16:32].reshape(4, 4), wxyz)
    matrix_from_quat(wxyz[0], wxyz[1], wxyz[2], wxyz[3], turn)


@kernel
def shortest_arc(vx, vy, vz, gx, gy, gz, turn):
    """The rotation, flat into turn (9,), that takes the direction v to g and turns least.

    Its quaternion is (‖v‖‖g‖ + v·g, v × g); half a turn goes about any axis across v.
    """
    v, g = math.sqrt(vx * vx + vy * vy + vz * vz), math.sqrt(gx * gx + gy * gy + gz * gz)
    w = v * g + vx * gx + vy * gy + vz * gz
    x, y, z = vy * gz - vz * gy, vz * gx - vx * gz, vx * gy - vy * gx
    if w * w + x * x + y * y + z * z <= 1e-28 * v * v * g * g:
        w = 0.0
        if abs(vx) <= 0.6 * v:
            x, y, z = 0.0, -vz, vy
        else:
            x, y, z = vz, 0.0, -vx
    matrix_from_quat(w, x, y, z, turn)


@kernel
def euler_angles(m, i, j, k, out):
    """Angles of m = Rᵢ(a)·Rⱼ(b)·Rₖ(c), all twelve orders; m flat and row-major."""
    e = 1.0 if (j - i) % 3 == 1 else -1.0
    if i != k:
        s = min(1.0, max(-1.0, e * m[3 * i + k]))
        out[1] = math.asin(s)
        if abs(s) > 1.0 - 1e-12:
            out[0], out[2] = math.atan2(e * m[3 * k + j], m[3 * j + j]), 0.0
        else:
            out[0] = math.atan2(-e * m[3 * j + k], m[3 * k + k])
            out[2] = math.atan2(-e * m[3 * i + j], m[3 * i + i])
    else:
        third = 3 - i - j
        c = min(1.0, max(-1.0, m[3 * i + i]))
        out[1] = math.acos(c)
        if abs(c) > 1.0 - 1e-12:
            out[0], out[2] = math.atan2(e * m[3 * third + j], m[3 * j + j]), 0.0
        else:
            out[0] = math.atan2(m[3 * j + i], -e * m[3 * third + i])
            out[2] = math.atan2(m[3 * i + j], e * m[3 * i + third])


@kernel
def into_range(value, low, high, near, period):
    """``value`` plus whole periods: inside [low, high] if possible, and then nearest to ``near``.

    Where none is inside, the answer is outside.
    """
    value += period * math.floor((near - value) / period + 0.5)
    if value > high:
        value -= period * math.ceil((value - high) / period)
    if value < low:
        value += period * math.ceil((low - value) / period)
    return value


@kernel
def exponential_coordinates(m, out):
    """log m into out (3,), by whichever of its two vectors is nearer to what out was."""
    x, y, z = out[0], out[1], out[2]
    log_matrix(m, out)
    size = math.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2)
    if size > 1e-9:
        other = 1.0 - 2.0 * math.pi / size
        near = (out[0] - x) ** 2 + (out[1] - y) ** 2 + (out[2] - z) ** 2
        far = (other * out[0] - x) ** 2 + (other * out[1] - y) ** 2 + (other * out[2] - z) ** 2
        if far < near:
            for i in range(3):
                out[i] *= other


@kernel
def euler_coordinates(ints, floats, part, m, q, scratch):
    """The coordinates in q of three turns, beginning with ``part``, that make the rotation m.

    Of the two ways to write it, the one inside the ranges and nearer to what q was.
    """
    kinds = ints[lay.I_KIND] + part
    first, second, third = int(ints[kinds]), int(ints[kinds + 1]), int(ints[kinds + 2])
    slot = ints[ints[lay.I_FIRST_SLOT] + part]
    c = ints[ints[lay.I_COORD] + slot]
    angles, chosen, found = scratch[0:3], scratch[3:6], scratch[6:9]
    euler_angles(m, first, second, third, angles)
    best = math.inf
    for branch in range(2):
        away = 0.0
        for k in range(3):
            value = angles[k]
            if branch == 1:
                middle = -value if first == third else math.pi - value
                value = value + math.pi if k != 1 else middle
            # A turn about −x is one about x with scale −1; a triple has no other scales.
            value *= floats[ints[lay.F_SCALE] + slot + k]
            low, high = floats[ints[lay.F_LOWER] + c + k], floats[ints[lay.F_UPPER] + c + k]
            value = into_range(value, low, high, q[c + k], 2.0 * math.pi)
            # Outside its range counts most, a long way from the last value a little.
            away += 1e3 * max(0.0, value - high, low - value) + abs(value - q[c + k])
            found[k] = value
        if away < best:
            best = away
            for k in range(3):
                chosen[k] = found[k]
    for k in range(3):
        q[c + k] = chosen[k]


@kernel
def ball_coordinates(ints, floats, part, m, q, scratch):
    """The coordinates in q of the ball or the three turns at ``part`` that make the rotation m.

    Near what q was, and not yet inside the limits; scratch: at least 9 floats.
    """
    kind = ints[ints[lay.I_KIND] + part]
    if kind < lay.EXPONENTIAL:
        euler_coordinates(ints, floats, part, m, q, scratch)
        return
    c = ints[ints[lay.I_COORD] + ints[ints[lay.I_FIRST_SLOT] + part]]
    if kind == lay.EXPONENTIAL:
        exponential_coordinates(m, q[c : c + 3])
        return
    f, near = ints[lay.F_PART] + 9 * part, q[c + 2]
    swing_twist_vector(m, floats[f : f + 9], q[c : c + 3])
    low, high = floats[ints[lay.F_LOWER] + c + 2], floats[ints[lay.F_UPPER] + c + 2]
    q[c + 2] = into_range(q[c + 2], low, high, near, 2.0 * math.pi)
