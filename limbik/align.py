"""Where a free root should stand: the rigid motion that brings effectors nearest their targets.

A local method cannot always turn a whole figure around, least of all through the limits of Euler
angles; the best rigid motion is known in closed form (Horn 1987, the quaternion form), and the same
rotation can be written in several ways of which some lie inside the limits.
"""

from __future__ import annotations

import numpy as np

from limbik import kinematics as kin
from limbik.compiling import inner, kernel
from limbik.figure import Figure
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
from limbik.joints import Slide, Turn
from limbik.rigid import ball_coordinates, fit_turn


def free_root(figure: Figure, moves: np.ndarray) -> int:
    """Index of the joint that carries the whole figure freely, or −1.

    It has three perpendicular slides, then a ball or three turns about principal axes, none of
    them coupled or locked.
    """
    roots = [i for i, parent in enumerate(figure.parents) if parent < 0]
    if len(roots) != 1:
        return -1
    joint = figure.definition[roots[0]]
    slides, turning = joint.parts[:3], joint.parts[3:]
    axes = np.array([part.axis for part in slides if isinstance(part, Slide)])
    if axes.shape != (3, 3) or not np.allclose(axes @ axes.T, np.eye(3), atol=1e-12):
        return -1
    if any(isinstance(part, Turn | Slide) and part.coupled for part in joint.parts):
        return -1
    tree = figure.tree
    first = int(tree.ints[int(tree.ints[kin.I_FIRST_PART]) + roots[0]]) + 3
    kinds = tree.ints[int(tree.ints[kin.I_KIND]) + first :][: len(turning)].tolist()
    if any(isinstance(part, Turn) for part in turning):
        if len(kinds) != 3 or max(kinds) > kin.TURN_Z or kinds[1] in (kinds[0], kinds[2]):
            return -1
    elif len(turning) != 1 or isinstance(turning[0], Slide):
        return -1
    return roots[0] if moves[figure.coordinates_of(joint.name)].all() else -1


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
    fit_turn(s, scratch[9:45], turn)
    return count, px, py, pz, gx, gy, gz


@kernel
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
