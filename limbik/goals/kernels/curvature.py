"""Second derivatives of goals: what Gauss–Newton leaves out of the Hessian of f.

½∇²f = JᵀJ + D + S with S = −Σᵢ λᵢ∇²Fᵢ, where λ = W(g − F) and F are the measured values.  Where the
residuals stay large (a target out of reach) S decides how f bends, and a step without it creeps.

On a tree S is cheap.  A turn about the axis a_a moves everything behind it rigidly, so the Jacobian
column m_b of a slot b behind it changes by a_a × m_b, and for a point with multiplier λ

    S_ab = −λ·(a_a × m_b) = a_a·N_b  with  N_b = −m_b × λ  for every a above b, and for a = b.

Each term adds its own N_b to the slots on its path; then one walk from every slot to the root gives
S.  Two slots of one exponential or swing chart add T·∂_e ω_d, the derivative of the left Jacobian
of SO(3), where T gathers −x × λ.  A goal that is a function adds its share by a function of its own
(functions.py); where it has none that share is 0.
"""

from __future__ import annotations

import math

from limbik.figure.layout import (
    AXIS,
    EXPONENTIAL,
    F_SCALE,
    I_ABOVE,
    I_BALL,
    I_COORD,
    I_SLOT_IS_ROTATION,
    N_BALLS,
    N_COORDS,
    N_SLOTS,
    N_TERMS,
    NONE,
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
from limbik.maths.so3 import exp_matrix, left_jacobian_into, left_jacobian_inverse_into


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
def _second_of_terms(ints, floats, q, world, axes, scratch, lam, moments, torques, columns, s):
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


@inner
def _chart_torque(kind, axes, x, u, v, w, torque, scratch, out):
    """CᵀT = M⁻ᵀ(axesᵀT) into out (3,): T in the frame C of a ball's chart, where axes = C·M.

    M has the columns of the left Jacobian at (u, v, w); for a swing its first two, then exp(s)e₃.
    """
    m, turn = scratch[0:9], scratch[9:18]
    left_jacobian_into(u, v, w, m)
    if kind != EXPONENTIAL:
        exp_matrix(u, v, 0.0, turn)
        for k in range(3):
            m[3 * k + 2] = turn[3 * k + 2]
    y = scratch[18:21]
    for k in range(3):
        a = x + AXIS * k
        y[k] = axes[a] * torque[0] + axes[a + 1] * torque[1] + axes[a + 2] * torque[2]
    # Rows of M⁻ᵀ: cross products of M's columns over its determinant.
    ax, ay, az = cross(m[1], m[4], m[7], m[2], m[5], m[8])
    bx, by, bz = cross(m[2], m[5], m[8], m[0], m[3], m[6])
    cx, cy, cz = cross(m[0], m[3], m[6], m[1], m[4], m[7])
    det = ax * m[0] + ay * m[3] + az * m[6]
    if abs(det) < 1e-9:
        out[0], out[1], out[2] = 0.0, 0.0, 0.0
        return
    out[0] = (ax * y[0] + bx * y[1] + cx * y[2]) / det
    out[1] = (ay * y[0] + by * y[1] + cy * y[2]) / det
    out[2] = (az * y[0] + bz * y[1] + cz * y[2]) / det


@inner
def _chart_second(ints, floats, q, kind, slot, axes, torques, scratch, s):
    """S += T·∂_e ω_d for the slots d ≤ e of one chart, ω_d the columns of the left Jacobian.

    With Jl(v) = I + a[v]× + b[v]×² that is, in the chart's frame, with t the torque there,
    t·(a′/θ vₑ v×d + a e×d + b′/θ vₑ v×(v×d) + b (e×(v×d) + v×(e×d))).
    """
    torque, local, v = torques[slot], scratch[0:3], scratch[3:6]
    if torque[0] == 0.0 and torque[1] == 0.0 and torque[2] == 0.0:
        return
    c = ints[ints[I_COORD] + slot]
    for k in range(3):
        v[k] = floats[ints[F_SCALE] + slot + k] * q[ints[ints[I_COORD] + slot + k]]
    width = 3
    if kind != EXPONENTIAL:
        width, v[2] = 2, 0.0
    _chart_torque(kind, axes, AXIS * slot, v[0], v[1], v[2], torque, scratch[6:27], local)
    square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    if square < 1e-3:
        a = 0.5 - square * (1.0 / 24.0 - square / 720.0)
        b = 1.0 / 6.0 - square * (1.0 / 120.0 - square / 5040.0)
        da = -1.0 / 12.0 + square * (1.0 / 180.0 - square / 6720.0)
        db = -1.0 / 60.0 + square * (1.0 / 1260.0 - square / 60480.0)
    else:
        angle = math.sqrt(square)
        sine, cosine = math.sin(angle), math.cos(angle)
        a, b = (1.0 - cosine) / square, (angle - sine) / (square * angle)
        da = (sine / angle - 2.0 * a) / square
        db = (a - 3.0 * b) / square
    tx, ty, tz = local[0], local[1], local[2]
    # t·(v × d) = (t × v)·d and t·(v × (v × d)) = ((t × v) × v)·d
    fx, fy, fz = cross(tx, ty, tz, v[0], v[1], v[2])
    gx, gy, gz = cross(fx, fy, fz, v[0], v[1], v[2])
    for e in range(width):
        ux, uy, uz = 1.0 if e == 0 else 0.0, 1.0 if e == 1 else 0.0, 1.0 if e == 2 else 0.0
        hx, hy, hz = cross(tx, ty, tz, ux, uy, uz)  # t·(e × d)
        kx, ky, kz = cross(hx, hy, hz, v[0], v[1], v[2])  # t·(e × (v × d))
        lx, ly, lz = cross(fx, fy, fz, ux, uy, uz)  # t·(v × (e × d))
        wx = v[e] * (da * fx + db * gx) + a * hx + b * (kx + lx)
        wy = v[e] * (da * fy + db * gy) + a * hy + b * (ky + ly)
        wz = v[e] * (da * fz + db * gz) + a * hz + b * (kz + lz)
        for d in range(e + 1):
            value = wx if d == 0 else (wy if d == 1 else wz)
            value *= floats[ints[F_SCALE] + slot + d] * floats[ints[F_SCALE] + slot + e]
            s[c + d, c + e] += value
            if d != e:
                s[c + e, c + d] += value


@inner
def add_second(ints, floats, q, axes, scratch, moments, torques, s):
    """S (n, n) += what moments and torques (slots, 3) of all terms make; scratch: 54 floats."""
    i_coord, i_turns, f_scale = ints[I_COORD], ints[I_SLOT_IS_ROTATION], ints[F_SCALE]
    above, balls = ints[I_ABOVE], ints[I_BALL]
    for slot in range(ints[N_SLOTS]):
        nx, ny, nz = moments[slot, 0], moments[slot, 1], moments[slot, 2]
        if nx == 0.0 and ny == 0.0 and nz == 0.0:
            continue
        b = ints[i_coord + slot]
        a = slot
        while a != NONE:
            if ints[i_turns + a]:
                x, c = AXIS * a, ints[i_coord + a]
                value = axes[x] * nx + axes[x + 1] * ny + axes[x + 2] * nz
                value *= floats[f_scale + a]
                s[c, b] += value
                if a != slot:
                    s[b, c] += value
            a = ints[above + a]
    for k in range(ints[N_BALLS]):
        _chart_second(
            ints, floats, q, ints[balls + 2 * k], ints[balls + 2 * k + 1], axes, torques, scratch, s
        )


@inner
def second_derivatives(
    ints, floats, q, world, axes, scratch, lam, moments, torques, columns, s
):  # fmt: skip
    """S (n, n) = −Σ λᵢ∇²Fᵢ, symmetric.

    q must be placed in world and axes; lam (rows,) is W(g − F) without the factors T_WEIGHT.
    moments and torques are (slots, 3), columns (n, 3), scratch at least 54 floats.
    """
    s[:, :] = 0.0
    moments[:, :] = 0.0
    torques[:, :] = 0.0
    _second_of_terms(ints, floats, q, world, axes, scratch, lam, moments, torques, columns, s)
    add_second(ints, floats, q, axes, scratch, moments, torques, s)
