"""What each built-in kind of term adds to S, the second derivatives of f (curvature.py)."""

from __future__ import annotations

import math

from limbik.figure.layout import (
    AXIS,
    F_SCALE,
    I_SLOT_IS_ROTATION,
    N_COORDS,
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
    T_WEIGHT,
    WORLD,
    term_at,
)
from limbik.goals.kernels.functions import call_second
from limbik.goals.kernels.rows import aim_of, missing_turn, point_of
from limbik.goals.kernels.second_points import (
    add_columns,
    add_direction_moments,
    add_point_moments,
    cross,
    curve_direction,
)
from limbik.goals.terms import AIM, AXES, DISTANCE, FUNCTION, PLANE, POSITION, ROTATION
from limbik.jit import inner
from limbik.maths.so3 import left_jacobian_inverse_into


@inner
def _add_rotation_moments(
    ints, floats, axes, path, length, e, inverse, lx, ly, lz, moments, torques
):
    """N and T of the missing turn e = log(R_goal·Rᵀ) with multiplier λ.

    ∂_b e = −K·a_b with K = Jr⁻¹(e) = I + ½[e]× + c[e]×²; K changes with e, so N_b is
    −(DK[∂_b e])ᵀλ, and T is −Kᵀλ.  ``inverse`` (9,) is K.
    """
    ex, ey, ez = e[0], e[1], e[2]
    square = ex * ex + ey * ey + ez * ez
    if square < 1e-4:
        c = 1.0 / 12.0 + square * (1.0 / 720.0 + square / 30240.0)
        slope = 1.0 / 360.0 + square * (1.0 / 7560.0 + square / 201600.0)
    else:
        angle = math.sqrt(square)
        half = 0.5 * angle
        sine = math.sin(half)
        cotangent = math.cos(half) / sine
        c = (1.0 - half * cotangent) / square
        # dc/dθ over θ
        slope = ((half / (sine * sine) - cotangent) / (2.0 * square) - 2.0 * c / angle) / angle
    tx = inverse[0] * lx + inverse[3] * ly + inverse[6] * lz
    ty = inverse[1] * lx + inverse[4] * ly + inverse[7] * lz
    tz = inverse[2] * lx + inverse[5] * ly + inverse[8] * lz
    ax, ay, az = cross(ex, ey, ez, lx, ly, lz)  # e × λ
    bx, by, bz = cross(ex, ey, ez, ax, ay, az)  # e × (e × λ)
    for k in range(path, path + length):
        slot = ints[k]
        if not ints[ints[I_SLOT_IS_ROTATION] + slot]:
            continue
        scale, x = floats[ints[F_SCALE] + slot], AXIS * slot
        wx, wy, wz = axes[x] * scale, axes[x + 1] * scale, axes[x + 2] * scale
        ux = -(inverse[0] * wx + inverse[1] * wy + inverse[2] * wz)
        uy = -(inverse[3] * wx + inverse[4] * wy + inverse[5] * wz)
        uz = -(inverse[6] * wx + inverse[7] * wy + inverse[8] * wz)
        # DK[u]ᵀλ = −½ u × λ + slope·(e·u)·e × (e × λ) + c·(e × (u × λ) + u × (e × λ))
        sx, sy, sz = cross(ux, uy, uz, lx, ly, lz)
        fx, fy, fz = cross(ex, ey, ez, sx, sy, sz)
        gx, gy, gz = cross(ux, uy, uz, ax, ay, az)
        along = slope * (ex * ux + ey * uy + ez * uz)
        moments[slot, 0] -= -0.5 * sx + along * bx + c * (fx + gx)
        moments[slot, 1] -= -0.5 * sy + along * by + c * (fy + gy)
        moments[slot, 2] -= -0.5 * sz + along * bz + c * (fz + gz)
        torques[slot, 0] -= tx
        torques[slot, 1] -= ty
        torques[slot, 2] -= tz


@inner
def _second_of_aim(ints, floats, world, axes, term, lx, ly, lz, moments, torques, columns, s):
    """An Aim's d − v: the axis v turns, and the direction d = (t − p)/‖t − p‖ follows the joint."""
    i, f = term_at(ints, term)
    joint, path, length = ints[i + T_JOINT], ints[i + T_PATH], ints[i + T_LENGTH]
    px, py, pz, vx, vy, vz, dx, dy, dz, far = aim_of(world, joint, floats, f)
    if far < 1e-12:
        return
    dx, dy, dz = dx / far, dy / far, dz / far
    add_direction_moments(
        ints, floats, axes, path, length, vx, vy, vz, lx, ly, lz, moments, torques
    )
    along = dx * lx + dy * ly + dz * lz
    hx, hy, hz = (lx - along * dx) / far, (ly - along * dy) / far, (lz - along * dz) / far
    add_point_moments(ints, floats, axes, path, length, px, py, pz, hx, hy, hz, moments, torques)
    columns[:, :] = 0.0
    add_columns(ints, floats, axes, path, length, px, py, pz, 1.0, columns)
    curve_direction(ints, columns, dx, dy, dz, lx, ly, lz, 1.0 / (far * far), s)


@inner
def _second_of_distance(ints, floats, world, axes, term, lam, moments, torques, columns, s):
    """A Distance ‖p − o‖: both ends move, and the line between them turns."""
    i, f = term_at(ints, term)
    px, py, pz = point_of(world, ints[i + T_JOINT], floats, f + T_AT)
    ox, oy, oz = point_of(world, ints[i + T_JOINT2], floats, f + T_AT2)
    ux, uy, uz = px - ox, py - oy, pz - oz
    apart = math.sqrt(ux * ux + uy * uy + uz * uz)
    if apart < 1e-12:
        return
    ux, uy, uz = ux / apart, uy / apart, uz / apart
    lx, ly, lz = lam * ux, lam * uy, lam * uz
    columns[:, :] = 0.0
    add_point_moments(
        ints,
        floats,
        axes,
        ints[i + T_PATH],
        ints[i + T_LENGTH],
        px,
        py,
        pz,
        lx,
        ly,
        lz,
        moments,
        torques,
    )
    add_columns(ints, floats, axes, ints[i + T_PATH], ints[i + T_LENGTH], px, py, pz, 1.0, columns)
    add_point_moments(
        ints,
        floats,
        axes,
        ints[i + T_PATH2],
        ints[i + T_LENGTH2],
        ox,
        oy,
        oz,
        -lx,
        -ly,
        -lz,
        moments,
        torques,
    )
    add_columns(
        ints, floats, axes, ints[i + T_PATH2], ints[i + T_LENGTH2], ox, oy, oz, -1.0, columns
    )
    for a in range(ints[N_COORDS]):
        x, y, z = columns[a, 0], columns[a, 1], columns[a, 2]
        if x == 0.0 and y == 0.0 and z == 0.0:
            continue
        ua = ux * x + uy * y + uz * z
        for b in range(ints[N_COORDS]):
            u, v, w = columns[b, 0], columns[b, 1], columns[b, 2]
            across = x * u + y * v + z * w - ua * (ux * u + uy * v + uz * w)
            s[a, b] -= lam / apart * across


@inner
def second_of_terms(ints, floats, q, world, axes, scratch, lam, moments, torques, columns, s):
    """Every term's share of N, T and S; lam (rows,) is the multiplier of each row of F, unweighted
    rows being weighted by T_WEIGHT."""
    for term in range(ints[N_TERMS]):
        i, f = term_at(ints, term)
        kind, row, joint = ints[i + T_KIND], ints[i + T_ROW], ints[i + T_JOINT]
        path, length = ints[i + T_PATH], ints[i + T_LENGTH]
        wx, wy, wz = floats[f + T_WEIGHT], floats[f + T_WEIGHT + 1], floats[f + T_WEIGHT + 2]
        if kind == POSITION:
            px, py, pz = point_of(world, joint, floats, f + T_AT)
            add_point_moments(
                ints, floats, axes, path, length, px, py, pz,
                wx * lam[row], wy * lam[row + 1], wz * lam[row + 2], moments, torques,
            )  # fmt: skip
        elif kind == ROTATION:
            e, inverse = scratch[9:12], scratch[12:21]
            missing_turn(world, joint, floats, f + T_MATRIX, scratch[0:9], e)
            left_jacobian_inverse_into(-e[0], -e[1], -e[2], inverse)
            _add_rotation_moments(
                ints, floats, axes, path, length, e, inverse,
                wx * lam[row], wy * lam[row + 1], wz * lam[row + 2], moments, torques,
            )  # fmt: skip
        elif kind == AXES:
            w = WORLD * joint
            for axis in range(2):
                first = row + 3 * axis
                add_direction_moments(
                    ints, floats, axes, path, length,
                    world[w + axis], world[w + 3 + axis], world[w + 6 + axis],
                    wx * lam[first], wx * lam[first + 1], wx * lam[first + 2], moments, torques,
                )  # fmt: skip
        elif kind == AIM:
            _second_of_aim(
                ints, floats, world, axes, term, wx * lam[row], wy * lam[row + 1],
                wz * lam[row + 2], moments, torques, columns, s,
            )  # fmt: skip
        elif kind == PLANE:
            px, py, pz = point_of(world, joint, floats, f + T_AT)
            along, p = wx * lam[row], f + T_POINT
            add_point_moments(
                ints, floats, axes, path, length, px, py, pz, along * floats[p],
                along * floats[p + 1], along * floats[p + 2], moments, torques,
            )  # fmt: skip
        elif kind == DISTANCE:
            _second_of_distance(
                ints, floats, world, axes, term, wx * lam[row], moments, torques, columns, s
            )
        elif kind == FUNCTION:
            call_second(ints, floats, q, world, axes, i, f, lam, moments, torques, s)
