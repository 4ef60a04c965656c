"""Where a free root should stand: the rigid motion that brings effectors nearest their targets.

A local method cannot always turn a whole figure around, least of all through the limits of Euler
angles; the best rigid motion is known in closed form (figure/rigid_fit.py), and the same rotation
can be written in several ways of which some lie inside the limits.
"""

from __future__ import annotations

from limbik.figure import kinematics as kin
from limbik.figure.rigid_fit import ball_coordinates, fit_turn
from limbik.goals.rows import point_of
from limbik.goals.terms import (
    F_TERM,
    I_TERM,
    N_TERMS,
    POSITION,
    T_AT,
    T_POINT,
    TERM_FLOATS,
    TERM_INTS,
)
<<<<<<< HEAD
from limbik.jit import inner, kernel
=======
from limbik.jit import inner
from limbik.maths.linear import copy
from limbik.maths.so3 import log_matrix, matrix_from_quat, swing_twist_vector


@inner
def _largest_eigenvector(a, vectors, out):
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
>>>>>>> compile


@inner
def _rigid(ints, floats, world, scratch, turn):
    """Rotation (into turn, flat) and centroids of the best rigid motion onto the targets.

    Returns (how many position goals, centroid now, centroid of the targets).
    """
    count = 0
    px, py, pz, gx, gy, gz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for term in range(ints[N_TERMS]):
        i, f = ints[I_TERM] + TERM_INTS * term, ints[F_TERM] + TERM_FLOATS * term
        if ints[i] == POSITION:
            x, y, z = point_of(world, ints[i + 2], floats, f + T_AT)
            px, py, pz = px + x, py + y, pz + z
            g = f + T_POINT
            gx, gy, gz = gx + floats[g], gy + floats[g + 1], gz + floats[g + 2]
            count += 1
    if count < 2:
        return count, px, py, pz, gx, gy, gz
    px, py, pz, gx, gy, gz = px / count, py / count, pz / count, gx / count, gy / count, gz / count
    s = scratch[0:9]
    s[:] = 0.0
    for term in range(ints[N_TERMS]):
        i, f = ints[I_TERM] + TERM_INTS * term, ints[F_TERM] + TERM_FLOATS * term
        if ints[i] == POSITION:
            x, y, z = point_of(world, ints[i + 2], floats, f + T_AT)
            x, y, z = x - px, y - py, z - pz
            g = f + T_POINT
            u, v, w = floats[g] - gx, floats[g + 1] - gy, floats[g + 2] - gz
            s[0] += x * u
            s[1] += x * v
            s[2] += x * w
            s[3] += y * u
            s[4] += y * v
            s[5] += y * w
            s[6] += z * u
            s[7] += z * v
            s[8] += z * w
    fit_turn(s, scratch[9:], turn)
    return count, px, py, pz, gx, gy, gz


<<<<<<< HEAD
@kernel
=======
@inner
def _euler(m, i, j, k, out):
    """Angles of m = Rᵢ(a)·Rⱼ(b)·Rₖ(c), all twelve orders; m flat and row-major."""
    if i != k:
        e = 1.0 if (j - i) % 3 == 1 else -1.0
        s = min(1.0, max(-1.0, e * m[3 * i + k]))
        out[1] = math.asin(s)
        if abs(s) > 1.0 - 1e-12:
            out[0], out[2] = math.atan2(e * m[3 * k + j], m[3 * j + j]), 0.0
        else:
            out[0] = math.atan2(-e * m[3 * j + k], m[3 * k + k])
            out[2] = math.atan2(-e * m[3 * i + j], m[3 * i + i])
    else:
        third = 3 - i - j
        e = 1.0 if (j - i) % 3 == 1 else -1.0
        c = min(1.0, max(-1.0, m[3 * i + i]))
        out[1] = math.acos(c)
        if abs(c) > 1.0 - 1e-12:
            out[0], out[2] = math.atan2(e * m[3 * third + j], m[3 * j + j]), 0.0
        else:
            out[0] = math.atan2(m[3 * j + i], -e * m[3 * third + i])
            out[2] = math.atan2(m[3 * i + j], e * m[3 * i + third])


@inner
def _into_range(value, low, high, near):
    """``value`` plus whole turns: inside [low, high] if possible, and then nearest to ``near``."""
    turn = 2.0 * math.pi
    value += turn * math.floor((near - value) / turn + 0.5)
    if value > high:
        value -= turn * math.ceil((value - high) / turn)
    if value < low:
        value += turn * math.ceil((low - value) / turn)
    return value


@inner
>>>>>>> compile
def align_root(ints, floats, world, root, q, scratch):
    """Move the free root in q so that the effectors lie nearest their targets; False if it cannot.

    world must be where q has the joints; scratch: at least 64 floats.
    """
    turn = scratch[45:54]
    count, px, py, pz, gx, gy, gz = _rigid(ints, floats, world, scratch, turn)
    if count < 2:
        return False
    w = kin.WORLD * root
    m, offset = ints[kin.F_PLACED] + 9 * root, ints[kin.F_OFFSET] + 3 * root
    # Where the root goes, in the frame its parts move in.
    moved, local, ball = scratch[0:3], scratch[3:6], scratch[6:15]
    x, y, z = world[w + 9] - px, world[w + 10] - py, world[w + 11] - pz
    moved[0] = turn[0] * x + turn[1] * y + turn[2] * z + gx - floats[offset]
    moved[1] = turn[3] * x + turn[4] * y + turn[5] * z + gy - floats[offset + 1]
    moved[2] = turn[6] * x + turn[7] * y + turn[8] * z + gz - floats[offset + 2]
    for i in range(3):
        local[i] = (
            floats[m + i] * moved[0] + floats[m + 3 + i] * moved[1] + floats[m + 6 + i] * moved[2]
        )
        for j in range(3):
            total = 0.0
            for k in range(3):
                for h in range(3):
                    total += floats[m + 3 * k + i] * turn[3 * k + h] * world[w + 3 * h + j]
            ball[3 * i + j] = total
    part = ints[ints[kin.I_FIRST_PART] + root]
    for k in range(3):
        slot = ints[ints[kin.I_FIRST_SLOT] + part + k]
        f = ints[kin.F_PART] + 9 * (part + k)
        along = floats[f] * local[0] + floats[f + 1] * local[1] + floats[f + 2] * local[2]
        q[ints[ints[kin.I_COORD] + slot]] = along
    ball_coordinates(ints, floats, part + 3, ball, q, scratch[15:24])
    return True
