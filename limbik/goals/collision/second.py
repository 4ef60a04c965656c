"""Second derivatives of Avoid's rows, with which goals that conflict with collisions settle.

Row k is r = w·ρ with ρ² = Σ h², so that λ·∇²r = c·(Σ (∇d∇dᵀ − h∇²d) − uuᵀ/ρ²) with c = λw/ρ and
u = Σ h∇d.  d is the least distance D of two points on the cores, less the radii.  With V the
columns of the relative motion of the two nearest points, n the normal, A = V − nnᵀV, and X the
directions along the cores in which the two points may slide,

    ∇²d = n·(∇²p_b − ∇²p_a) + (AᵀA − Bᵀ(XᵀX)⁻¹B) / D  with  B = XᵀV + D·Y,

where Y is how the turning bodies carry X along n.  Where the cores overlap, or one is a half-space,
a cylinder, a surface or a hull, only the first part counts.
"""

from __future__ import annotations

import math

from numba import int64

from limbik.figure.collision.shape_buffers import POSE
from limbik.figure.layout import (
    AXIS,
    F_SCALE,
    I_COORD,
    I_SLOT_IS_ROTATION,
    N_COORDS,
    N_SLOTS,
    T_COUNT,
    T_WEIGHT,
)
from limbik.goals.collision.view import ACTIVE, NEAR, view_avoid
from limbik.goals.kernels.functions import (
    open_floats,
    open_ints,
    open_table,
    own_joint,
    second_function,
)
from limbik.goals.kernels.second_points import add_point_moments, cross
from limbik.jit import inner
from limbik.maths.cores import BOX, FIELD

_INSIDE, _FLAT, _APART = 1.0 - 1e-7, 1e-5, 1e-4
_CORES = 1e-6  # of the sizes: cores that are nearer than this count as overlapping


@inner
def _slides(floats, view, shape, x, y, z, nx, ny, nz, axis):
    """Whether a core's nearest point (x, y, z) may slide along its axis, and that axis."""
    p = view.poses + POSE * shape
    ax, ay, az = floats[p + axis], floats[p + 3 + axis], floats[p + 6 + axis]
    half = floats[view.sizes + 4 * shape + axis]
    along = ax * (x - floats[p + 9]) + ay * (y - floats[p + 10]) + az * (z - floats[p + 11])
    level = abs(ax * nx + ay * ny + az * nz) < _FLAT
    return half > 0.0 and abs(along) < _INSIDE * half and level, ax, ay, az


@inner
def _add_columns(ints, floats, axes, path, length, sign, x, y, z, y1, y2, columns):
    """columns (n, 6): V of the point, and Y of two directions with y = t × n, or zeros."""
    for k in range(path, path + length):
        slot = ints[k]
        scale, a = sign * floats[ints[F_SCALE] + slot], AXIS * slot
        ax, ay, az = axes[a] * scale, axes[a + 1] * scale, axes[a + 2] * scale
        c = ints[ints[I_COORD] + slot]
        if ints[ints[I_SLOT_IS_ROTATION] + slot]:
            columns[c, 3] += ax * y1[0] + ay * y1[1] + az * y1[2]
            columns[c, 4] += ax * y2[0] + ay * y2[1] + az * y2[2]
            ax, ay, az = cross(ax, ay, az, x - axes[a + 3], y - axes[a + 4], z - axes[a + 5])
        columns[c, 0] += ax
        columns[c, 1] += ay
        columns[c, 2] += az


@inner
def _turn_columns(columns, n, nx, ny, nz, one, two, apart):
    """columns become A (3), B (2) and ∇d = n·V (1)."""
    for c in range(n):
        x, y, z = columns[c, 0], columns[c, 1], columns[c, 2]
        along = nx * x + ny * y + nz * z
        columns[c, 3] = one[0] * x + one[1] * y + one[2] * z + apart * columns[c, 3]
        columns[c, 4] = two[0] * x + two[1] * y + two[2] * z + apart * columns[c, 4]
        columns[c, 5] = along
        columns[c, 0], columns[c, 1], columns[c, 2] = x - along * nx, y - along * ny, z - along * nz


@inner
def _add_pair(columns, n, gain, curve, x11, x12, x22, s):
    """S += gain·∇d∇dᵀ − curve·(AᵀA − BᵀGB) with G = (XᵀX)⁻¹."""
    for a in range(n):
        ax, ay, az, b1, b2, g = (
            columns[a, 0], columns[a, 1], columns[a, 2], columns[a, 3], columns[a, 4],
            columns[a, 5],
        )  # fmt: skip
        if ax == 0.0 and ay == 0.0 and az == 0.0 and g == 0.0 and b1 == 0.0 and b2 == 0.0:
            continue
        g1, g2 = x11 * b1 + x12 * b2, x12 * b1 + x22 * b2
        for b in range(n):
            turn = ax * columns[b, 0] + ay * columns[b, 1] + az * columns[b, 2]
            turn -= g1 * columns[b, 3] + g2 * columns[b, 4]
            s[a, b] += gain * g * columns[b, 5] - curve * turn


@second_function
def avoid_second(  # type: ignore[no-untyped-def]
    ints_at, floats_at, q, world, axes_at, i, f, row, lam_at, moments_at, torques_at, s_at
):
    """For the pairs that ``avoid_residual`` found too near at this pose."""
    ints, floats, axes = open_ints(ints_at), open_floats(floats_at), open_floats(axes_at)
    view, rows, n = view_avoid(ints, i), int64(ints[i + T_COUNT]), int64(ints[N_COORDS])
    near = int64(floats[view.state + NEAR])
    if near == 0:
        return
    slots, lam = int64(ints[N_SLOTS]), open_floats(lam_at)
    moments, torques = open_table(moments_at, slots, 3), open_table(torques_at, slots, 3)
    s, first = open_table(s_at, n, n), view.scratch + 6 * n
    columns = floats[view.scratch : first].reshape((n, 6))
    sums = floats[first : first + rows * n].reshape((rows, n))
    sums[:, :] = 0.0
    for k in range(near):
        at = view.active + ACTIVE * k
        p, h = int64(floats[at]), floats[at + 1]
        at += 2
        a, b = int64(ints[view.pair + 2 * p]), int64(ints[view.pair + 2 * p + 1])
        own = int64(ints[view.row + p])
        c = lam[row + own] * floats[f + T_WEIGHT] / math.sqrt(floats[view.squares + own])
        nx, ny, nz = floats[at + 6], floats[at + 7], floats[at + 8]
        ra, rb = floats[view.sizes + 4 * a + 3], floats[view.sizes + 4 * b + 3]
        plain = ints[view.kinds + b] != FIELD and not ints[view.hulls + p]
        if not plain:  # the points are those of the cores
            ra = rb = 0.0
        ca = (floats[at] - ra * nx, floats[at + 1] - ra * ny, floats[at + 2] - ra * nz)
        cb = (floats[at + 3] + rb * nx, floats[at + 4] + rb * ny, floats[at + 5] + rb * nz)
        apart = nx * (cb[0] - ca[0]) + ny * (cb[1] - ca[1]) + nz * (cb[2] - ca[2])
        # Up to two directions in which the points slide; (0, 0, 0) for none.
        one, two, y1, y2 = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        end1, end2, found, x12 = 0, 0, 0, 0.0
        smooth = plain and ints[view.kinds + a] <= BOX and ints[view.kinds + b] <= BOX
        smooth = smooth and apart > _CORES * (floats[view.radii + a] + floats[view.radii + b])
        if smooth:
            for end in range(2):
                x, y, z = ca if end == 0 else cb
                sign = -1.0 if end == 0 else 1.0
                for axis in range(3):
                    free, tx, ty, tz = _slides(
                        floats, view, a if end == 0 else b, x, y, z, nx, ny, nz, axis
                    )
                    if not free or found == 2:
                        continue
                    if found == 0:
                        one, y1, end1 = (
                            (sign * tx, sign * ty, sign * tz),
                            cross(tx, ty, tz, nx, ny, nz),
                            end,
                        )
                        found = 1
                    else:
                        x12 = sign * (one[0] * tx + one[1] * ty + one[2] * tz)
                        if 1.0 - x12 * x12 > _APART:
                            two, y2, end2 = (
                                (sign * tx, sign * ty, sign * tz),
                                cross(tx, ty, tz, nx, ny, nz),
                                end,
                            )
                            found = 2
        zero = (0.0, 0.0, 0.0)
        columns[:, :] = 0.0
        for end in range(2):
            follows = ints[view.follows + (a if end == 0 else b)]
            if follows == view.world:
                continue
            _, path, length = own_joint(ints, i, follows)
            x, y, z = ca if end == 0 else cb
            sign = -1.0 if end == 0 else 1.0
            along = sign * c * h
            add_point_moments(
                ints, floats, axes, path, length, x, y, z, along * nx, along * ny, along * nz,
                moments, torques,
            )  # fmt: skip
            _add_columns(
                ints, floats, axes, path, length, sign, x, y, z,
                y1 if found > 0 and end1 == end else zero,
                y2 if found > 1 and end2 == end else zero, columns,
            )  # fmt: skip
        _turn_columns(columns, n, nx, ny, nz, one, two, apart)
        x11, x22, off = (1.0 if found > 0 else 0.0), 0.0, 0.0
        if found > 1:
            x11 = x22 = 1.0 / (1.0 - x12 * x12)
            off = -x12 * x11
        _add_pair(columns, n, c, c * h / apart if smooth else 0.0, x11, off, x22, s)
        for d in range(n):
            sums[own, d] += h * columns[d, 5]
    for k in range(rows):
        square = floats[view.squares + k]
        if square > 0.0:
            c = lam[row + k] * floats[f + T_WEIGHT] / (square * math.sqrt(square))
            for a in range(n):
                if sums[k, a] != 0.0:
                    for b in range(n):
                        s[a, b] -= c * sums[k, a] * sums[k, b]
