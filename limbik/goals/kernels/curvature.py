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
    BALL_INTS,
    BALL_KIND,
    BALL_SLOT,
    EXPONENTIAL,
    F_SCALE,
    I_ABOVE,
    I_BALL,
    I_COORD,
    I_SLOT_IS_ROTATION,
    N_BALLS,
    N_SLOTS,
    NONE,
)
from limbik.goals.kernels.second_points import (
    cross,
)
from limbik.goals.kernels.second_terms import second_of_terms
from limbik.jit import inner
from limbik.maths.so3 import exp_matrix, left_jacobian_into


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
        ball = balls + BALL_INTS * k
        _chart_second(
            ints,
            floats,
            q,
            ints[ball + BALL_KIND],
            ints[ball + BALL_SLOT],
            axes,
            torques,
            scratch,
            s,
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
    second_of_terms(ints, floats, q, world, axes, scratch, lam, moments, torques, columns, s)
    add_second(ints, floats, q, axes, scratch, moments, torques, s)
