"""Where a free root should stand: the rigid motion that brings effectors nearest their targets.

A local method cannot always turn a whole figure around, least of all through the limits of Euler
angles; the best rigid motion is known in closed form (figure/rigid_fit.py), and the same rotation
can be written in several ways of which some lie inside the limits.
"""

from __future__ import annotations

from numba import boolean, int64

from limbik.figure import layout as lay
from limbik.figure.layout import (
    N_TERMS,
    T_AT,
    T_JOINT,
    T_KIND,
    T_POINT,
    term_at,
)
from limbik.figure.rigid_fit import add_outer, ball_coordinates, fit_turn
from limbik.goals.kernels.rows import point_of
from limbik.goals.terms import POSITION
from limbik.jit import FLOATS, INTS, external, inner


@inner
def _rigid(ints, floats, world, scratch, turn):
    """Rotation (into turn, flat) and centroids of the best rigid motion onto the targets.

    Returns (how many position goals, centroid now, centroid of the targets).
    """
    count = 0
    px, py, pz, gx, gy, gz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for term in range(ints[N_TERMS]):
        i, f = term_at(ints, term)
        if ints[i + T_KIND] == POSITION:
            x, y, z = point_of(world, ints[i + T_JOINT], floats, f + T_AT)
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
        i, f = term_at(ints, term)
        if ints[i + T_KIND] == POSITION:
            x, y, z = point_of(world, ints[i + T_JOINT], floats, f + T_AT)
            x, y, z = x - px, y - py, z - pz
            g = f + T_POINT
            u, v, w = floats[g] - gx, floats[g + 1] - gy, floats[g + 2] - gz
            add_outer(s, x, y, z, u, v, w)
    fit_turn(s, scratch[9:], turn)
    return count, px, py, pz, gx, gy, gz


@external(boolean(INTS, FLOATS, FLOATS, int64, FLOATS, FLOATS))
def align_root(ints, floats, world, root, q, scratch):
    """Move the free root in q so that the effectors lie nearest their targets; False if it cannot.

    world must be where q has the joints; scratch: at least 64 floats.
    """
    turn = scratch[45:54]
    count, px, py, pz, gx, gy, gz = _rigid(ints, floats, world, scratch, turn)
    if count < 2:
        return False
    w = lay.WORLD * root
    m, offset = ints[lay.F_JOINT_ROTATION] + 9 * root, ints[lay.F_OFFSET] + 3 * root
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
    part = ints[ints[lay.I_FIRST_PART] + root]
    for k in range(3):
        slot = ints[ints[lay.I_FIRST_SLOT] + part + k]
        f = ints[lay.F_PART] + lay.PART * (part + k)
        along = floats[f] * local[0] + floats[f + 1] * local[1] + floats[f + 2] * local[2]
        q[ints[ints[lay.I_COORD] + slot]] = along
    if ints[ints[lay.I_KIND] + part + 3] == lay.EXPONENTIAL:
        # By the shortest vector: a figure that has gone round and round begins anew.
        c = ints[ints[lay.I_COORD] + ints[ints[lay.I_FIRST_SLOT] + part + 3]]
        q[c : c + 3] = 0.0
    ball_coordinates(ints, floats, part + 3, ball, q, scratch[15:24])
    return True
