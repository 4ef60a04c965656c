"""Rows of the built-in goals: residuals w·(g − F(q)) and their Jacobian, on flat buffers.

Residuals read the joints that forward kinematics has placed; Jacobian rows read the world axes of
the slots on the way from the root to the goal's joint (a turn moves p by a × (p − o), a slide by a:
equations A.11, A.15 and A.22 of line_search).
"""

from __future__ import annotations

import math

from limbik.figure.kinematics import point_column
from limbik.figure.layout import (
    AXIS,
    F_SCALE,
    I_COORD,
    I_SLOT_IS_ROTATION,
    N_TERMS,
    T_AT,
    T_AT2,
    T_JOINT,
    T_JOINT2,
    T_KIND,
    T_LENGTH,
    T_LENGTH2,
    T_MATRIX,
    T_PATH,
    T_PATH2,
    T_POINT,
    T_ROW,
    T_VALUE,
    T_WEIGHT,
    WORLD,
    term_at,
)
from limbik.goals.kernels.functions import call_jacobian, call_residual
from limbik.goals.terms import AIM, AXES, DISTANCE, FUNCTION, PLANE, POSITION, ROTATION
from limbik.jit import inner
from limbik.maths.so3 import left_jacobian_inverse_into, log_matrix

_HALF_A_TURN = 2.9  # rad; from here on rows of axes are led around


@inner
def point_of(world, joint, floats, at):
    """World place of the point floats[at:at+3] of a joint."""
    w = WORLD * joint
    x, y, z = floats[at], floats[at + 1], floats[at + 2]
    return (
        world[w + 9] + world[w] * x + world[w + 1] * y + world[w + 2] * z,
        world[w + 10] + world[w + 3] * x + world[w + 4] * y + world[w + 5] * z,
        world[w + 11] + world[w + 6] * x + world[w + 7] * y + world[w + 8] * z,
    )


@inner
def direction_of(world, joint, floats, axis):
    """The direction floats[axis:axis+3] of a joint, in the world."""
    w = WORLD * joint
    x, y, z = floats[axis], floats[axis + 1], floats[axis + 2]
    return (
        world[w] * x + world[w + 1] * y + world[w + 2] * z,
        world[w + 3] * x + world[w + 4] * y + world[w + 5] * z,
        world[w + 6] * x + world[w + 7] * y + world[w + 8] * z,
    )


@inner
def aim_of(world, joint, floats, f):
    """Of an Aim: the point p it looks from, its axis v, t − p to its target t, and ‖t − p‖."""
    px, py, pz = point_of(world, joint, floats, f + T_AT)
    vx, vy, vz = direction_of(world, joint, floats, f + T_AT2)
    dx = floats[f + T_POINT] - px
    dy = floats[f + T_POINT + 1] - py
    dz = floats[f + T_POINT + 2] - pz
    return px, py, pz, vx, vy, vz, dx, dy, dz, math.sqrt(dx * dx + dy * dy + dz * dz)


@inner
def missing_turn(world, joint, floats, goal, matrix, out):
    """log(R_goal·Rᵀ), the world rotation vector that is missing, into out (3,)."""
    w = WORLD * joint
    for i in range(3):
        for j in range(3):
            matrix[3 * i + j] = (
                floats[goal + 3 * i] * world[w + 3 * j]
                + floats[goal + 3 * i + 1] * world[w + 3 * j + 1]
                + floats[goal + 3 * i + 2] * world[w + 3 * j + 2]
            )
    log_matrix(matrix, out)


@inner
def _length(wx, wy, wz, x, y, z):
    """Length of (x, y, z), counting only what has weight."""
    x, y, z = x if wx > 0.0 else 0.0, y if wy > 0.0 else 0.0, z if wz > 0.0 else 0.0
    return math.sqrt(x * x + y * y + z * z)


@inner
def residuals(ints, floats, q, world, axes, scratch, r, errors):
    """Weighted residuals of all terms into r (rows,), unweighted errors into errors (terms,)."""
    for term in range(ints[N_TERMS]):
        i, f = term_at(ints, term)
        kind, row, joint = ints[i + T_KIND], ints[i + T_ROW], ints[i + T_JOINT]
        wx, wy, wz = floats[f + T_WEIGHT], floats[f + T_WEIGHT + 1], floats[f + T_WEIGHT + 2]
        if kind == POSITION:
            px, py, pz = point_of(world, joint, floats, f + T_AT)
            dx = floats[f + T_POINT] - px
            dy = floats[f + T_POINT + 1] - py
            dz = floats[f + T_POINT + 2] - pz
            r[row], r[row + 1], r[row + 2] = wx * dx, wy * dy, wz * dz
            errors[term] = _length(wx, wy, wz, dx, dy, dz)
        elif kind == ROTATION:
            e = scratch[9:12]
            missing_turn(world, joint, floats, f + T_MATRIX, scratch[0:9], e)
            r[row], r[row + 1], r[row + 2] = wx * e[0], wy * e[1], wz * e[2]
            errors[term] = _length(wx, wy, wz, e[0], e[1], e[2])
        elif kind == AXES:
            e = scratch[9:12]
            missing_turn(world, joint, floats, f + T_MATRIX, scratch[0:9], e)
            w = WORLD * joint
            for k in range(3):
                m = f + T_MATRIX + 3 * k
                r[row + k] = wx * (floats[m] - world[w + 3 * k])
                r[row + 3 + k] = wx * (floats[m + 1] - world[w + 3 * k + 1])
            errors[term] = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
        elif kind == AIM:
            _, _, _, vx, vy, vz, dx, dy, dz, length = aim_of(world, joint, floats, f)
            if length < 1e-12:  # standing in the target, every direction points at it
                dx, dy, dz, length = vx, vy, vz, 1.0
            dx, dy, dz = dx / length, dy / length, dz / length
            r[row], r[row + 1], r[row + 2] = wx * (dx - vx), wy * (dy - vy), wz * (dz - vz)
            cx, cy, cz = vy * dz - vz * dy, vz * dx - vx * dz, vx * dy - vy * dx
            sine = math.sqrt(cx * cx + cy * cy + cz * cz)
            errors[term] = math.atan2(sine, vx * dx + vy * dy + vz * dz)
        elif kind == PLANE:
            px, py, pz = point_of(world, joint, floats, f + T_AT)
            p = f + T_POINT
            short = floats[f + T_VALUE] - (floats[p] * px + floats[p + 1] * py + floats[p + 2] * pz)
            r[row] = wx * short
            errors[term] = abs(short)
        elif kind == FUNCTION:
            call_residual(ints, floats, q, world, axes, i, f, term, r, errors)
        else:
            px, py, pz = point_of(world, joint, floats, f + T_AT)
            ox, oy, oz = point_of(world, ints[i + T_JOINT2], floats, f + T_AT2)
            apart = math.sqrt((px - ox) ** 2 + (py - oy) ** 2 + (pz - oz) ** 2)
            r[row] = wx * (floats[f + T_VALUE] - apart)
            errors[term] = abs(floats[f + T_VALUE] - apart)


@inner
def jacobian_rows(ints, floats, q, world, axes, scratch, jt, detour, ahead):
    """Jacobian of F, transposed, into jt (n, rows), and what to add to r to aim a step at.

    ``detour`` (rows,) is 0, except where r goes flat near half a turn: there rows of axes (AXES,
    AIM) are led along the tangent of the shortest way, e × axis, so that a step does not die.
    ``ahead`` (1 + rows,) is for one-sided rows that hold (functions.py).
    """
    i_coord, i_turns, f_scale = ints[I_COORD], ints[I_SLOT_IS_ROTATION], ints[F_SCALE]
    jt[:, :] = 0.0
    detour[:] = 0.0
    ahead[1:] = 0.0
    for term in range(ints[N_TERMS]):
        i, f = term_at(ints, term)
        kind, row, joint = ints[i + T_KIND], ints[i + T_ROW], ints[i + T_JOINT]
        path, length = ints[i + T_PATH], ints[i + T_LENGTH]
        wx, wy, wz = floats[f + T_WEIGHT], floats[f + T_WEIGHT + 1], floats[f + T_WEIGHT + 2]
        if kind == POSITION:
            px, py, pz = point_of(world, joint, floats, f + T_AT)
            for k in range(path, path + length):
                slot = ints[k]
                c = ints[i_coord + slot]
                x, y, z = point_column(ints, floats, axes, slot, 1.0, px, py, pz)
                jt[c, row] += wx * x
                jt[c, row + 1] += wy * y
                jt[c, row + 2] += wz * z
        elif kind == ROTATION:
            e, inverse = scratch[9:12], scratch[12:21]
            missing_turn(world, joint, floats, f + T_MATRIX, scratch[0:9], e)
            # log(E·exp(−ω)) = e − Jr⁻¹(e)·ω, and the right Jacobian at e is the left one at −e.
            left_jacobian_inverse_into(-e[0], -e[1], -e[2], inverse)
            for k in range(path, path + length):
                slot = ints[k]
                if not ints[i_turns + slot]:
                    continue
                c, scale, x = ints[i_coord + slot], floats[f_scale + slot], AXIS * slot
                ax, ay, az = axes[x] * scale, axes[x + 1] * scale, axes[x + 2] * scale
                jt[c, row] += wx * (inverse[0] * ax + inverse[1] * ay + inverse[2] * az)
                jt[c, row + 1] += wy * (inverse[3] * ax + inverse[4] * ay + inverse[5] * az)
                jt[c, row + 2] += wz * (inverse[6] * ax + inverse[7] * ay + inverse[8] * az)
        elif kind == AXES:
            e, w = scratch[9:12], WORLD * joint
            missing_turn(world, joint, floats, f + T_MATRIX, scratch[0:9], e)
            for axis in range(2):
                vx, vy, vz = world[w + axis], world[w + 3 + axis], world[w + 6 + axis]
                first = row + 3 * axis
                if e[0] * e[0] + e[1] * e[1] + e[2] * e[2] > _HALF_A_TURN**2:
                    m = f + T_MATRIX + axis
                    gx, gy, gz = floats[m], floats[m + 3], floats[m + 6]
                    detour[first] = wx * (e[1] * vz - e[2] * vy - gx + vx)
                    detour[first + 1] = wx * (e[2] * vx - e[0] * vz - gy + vy)
                    detour[first + 2] = wx * (e[0] * vy - e[1] * vx - gz + vz)
                for k in range(path, path + length):
                    slot = ints[k]
                    if not ints[i_turns + slot]:
                        continue
                    c, scale, x = ints[i_coord + slot], floats[f_scale + slot] * wx, AXIS * slot
                    ax, ay, az = axes[x] * scale, axes[x + 1] * scale, axes[x + 2] * scale
                    jt[c, first] += ay * vz - az * vy
                    jt[c, first + 1] += az * vx - ax * vz
                    jt[c, first + 2] += ax * vy - ay * vx
        elif kind == AIM:
            _aim_rows(ints, floats, world, axes, term, jt, detour)
        elif kind == FUNCTION:
            call_jacobian(ints, floats, q, world, axes, i, f, jt, ahead)
        else:
            ux, uy, uz = floats[f + T_POINT], floats[f + T_POINT + 1], floats[f + T_POINT + 2]
            px, py, pz = point_of(world, joint, floats, f + T_AT)
            if kind == DISTANCE:
                ox, oy, oz = point_of(world, ints[i + T_JOINT2], floats, f + T_AT2)
                ux, uy, uz = px - ox, py - oy, pz - oz
                apart = math.sqrt(ux * ux + uy * uy + uz * uz)
                if apart > 1e-12:
                    ux, uy, uz = ux / apart, uy / apart, uz / apart
                else:  # together: any direction parts them, so one that no axis is perpendicular to
                    ux, uy, uz = 0.48, 0.6, 0.64
                _scalar_rows(
                    ints, floats, axes, ints[i + T_PATH2], ints[i + T_LENGTH2], ox, oy, oz,
                    -wx * ux, -wx * uy, -wx * uz, row, jt,
                )  # fmt: skip
            _scalar_rows(
                ints, floats, axes, path, length, px, py, pz, wx * ux, wx * uy, wx * uz, row, jt
            )


@inner
def _scalar_rows(ints, floats, axes, path, length, px, py, pz, ux, uy, uz, row, jt):
    """One row that measures the motion of the point p along u."""
    for k in range(path, path + length):
        slot = ints[k]
        x, y, z = point_column(ints, floats, axes, slot, 1.0, px, py, pz)
        jt[ints[ints[I_COORD] + slot], row] += ux * x + uy * y + uz * z


@inner
def _aim_rows(ints, floats, world, axes, term, jt, detour):
    """Rows of an Aim: the axis v turns, and the direction d to the target moves with the joint."""
    i, f = term_at(ints, term)
    row, joint = ints[i + T_ROW], ints[i + T_JOINT]
    wx, wy, wz = floats[f + T_WEIGHT], floats[f + T_WEIGHT + 1], floats[f + T_WEIGHT + 2]
    px, py, pz, vx, vy, vz, dx, dy, dz, length = aim_of(world, joint, floats, f)
    if length < 1e-12:
        return
    dx, dy, dz = dx / length, dy / length, dz / length
    cosine = vx * dx + vy * dy + vz * dz
    if cosine < math.cos(_HALF_A_TURN):
        # e: the rotation vector that takes v to d; e × v is the tangent of that way.
        ex, ey, ez = vy * dz - vz * dy, vz * dx - vx * dz, vx * dy - vy * dx
        sine = math.sqrt(ex * ex + ey * ey + ez * ez)
        angle = math.atan2(sine, cosine)
        if sine < 1e-9:  # exactly opposite: about anything perpendicular to v
            if abs(vx) < 0.9:
                ex, ey, ez = 0.0, -vz, vy
            else:
                ex, ey, ez = vz, 0.0, -vx
            sine = math.sqrt(ex * ex + ey * ey + ez * ez)
        ex, ey, ez = ex / sine * angle, ey / sine * angle, ez / sine * angle
        detour[row] = wx * (ey * vz - ez * vy - dx + vx)
        detour[row + 1] = wy * (ez * vx - ex * vz - dy + vy)
        detour[row + 2] = wz * (ex * vy - ey * vx - dz + vz)
    for k in range(ints[i + T_PATH], ints[i + T_PATH] + ints[i + T_LENGTH]):
        slot = ints[k]
        c, scale, x = ints[ints[I_COORD] + slot], floats[ints[F_SCALE] + slot], AXIS * slot
        ax, ay, az = axes[x] * scale, axes[x + 1] * scale, axes[x + 2] * scale
        mx, my, mz = ax, ay, az
        if ints[ints[I_SLOT_IS_ROTATION] + slot]:
            ox, oy, oz = px - axes[x + 3], py - axes[x + 4], pz - axes[x + 5]
            mx, my, mz = ay * oz - az * oy, az * ox - ax * oz, ax * oy - ay * ox
            jt[c, row] += wx * (ay * vz - az * vy)
            jt[c, row + 1] += wy * (az * vx - ax * vz)
            jt[c, row + 2] += wz * (ax * vy - ay * vx)
        along = dx * mx + dy * my + dz * mz
        jt[c, row] += wx * (mx - dx * along) / length
        jt[c, row + 1] += wy * (my - dy * along) / length
        jt[c, row + 2] += wz * (mz - dz * along) / length
