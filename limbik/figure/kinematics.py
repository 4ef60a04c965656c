"""Forward kinematics and Jacobians on flat buffers (layout.py)."""

from __future__ import annotations

import math

import numpy as np

from limbik.figure.layout import (
    AXIS,
    EXPONENTIAL,
    F_JOINT_ROTATION,
    F_OFFSET,
    F_PART,
    F_SCALE,
    F_SHIFT,
    I_COORD,
    I_FIRST_PART,
    I_FIRST_SLOT,
    I_JOINT_HAS_ROTATION,
    I_KIND,
    I_ORDER,
    I_PARENT,
    I_SLOT_IS_ROTATION,
    N_JOINTS,
    N_SLOTS,
    NONE,
    SLIDE,
    TURN_ANY,
    TURN_X,
    TURN_Y,
    TURN_Z,
    WORLD,
)
from limbik.jit import inlined, inner, kernel
from limbik.maths.so3 import exp_matrix, left_jacobian_into


@inner
def multiply_3x3(a, b, out):
    """out = a·b for 3×3 matrices, flat and row-major; out must not be a or b."""
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]


@inner
def point_column(ints, floats, axes, slot, factor, px, py, pz):
    """(x, y, z): how a point p below a slot moves per unit of the slot's coordinate, times factor.

    That is a × (p − o) where the slot turns about its axis a through o, and a where it slides.
    """
    scale, x = factor * floats[ints[F_SCALE] + slot], AXIS * slot
    ax, ay, az = axes[x] * scale, axes[x + 1] * scale, axes[x + 2] * scale
    if ints[ints[I_SLOT_IS_ROTATION] + slot]:
        dx, dy, dz = px - axes[x + 3], py - axes[x + 4], pz - axes[x + 5]
        return ay * dz - az * dy, az * dx - ax * dz, ax * dy - ay * dx
    return ax, ay, az


@inlined
def _ball(kind, basis, x, y, z, turn, axes, r, scratch):
    """A ball's rotation into ``turn`` and its three axes, carried by r, into ``axes`` (columns).

    The axes are the columns of the left Jacobian of SO(3) for the exponential ball; for the
    swing–twist ball the first two columns of the left Jacobian of the swing, and the twisted axis.
    """
    if kind == EXPONENTIAL:
        exp_matrix(x, y, z, turn)
        left_jacobian_into(x, y, z, scratch[0:9])
        multiply_3x3(r, scratch[0:9], axes)
        return
    swing, jacobian, carried = scratch[0:9], scratch[9:18], scratch[18:27]
    exp_matrix(x, y, 0.0, swing)
    left_jacobian_into(x, y, 0.0, jacobian)
    for i in range(3):
        jacobian[3 * i + 2] = swing[3 * i + 2]
    multiply_3x3(r, basis, carried)
    multiply_3x3(carried, jacobian, axes)
    # turn = B · swing · exp([0, 0, z]) · Bᵀ
    c, s = math.cos(z), math.sin(z)
    for i in range(3):
        first, second = swing[3 * i], swing[3 * i + 1]
        swing[3 * i] = c * first + s * second
        swing[3 * i + 1] = c * second - s * first
    multiply_3x3(basis, swing, jacobian)
    for i in range(3):
        for j in range(3):
            turn[3 * i + j] = (
                jacobian[3 * i] * basis[3 * j]
                + jacobian[3 * i + 1] * basis[3 * j + 1]
                + jacobian[3 * i + 2] * basis[3 * j + 2]
            )


@kernel(borrows=True)
def forward(ints, floats, q, order, count, world, axes, scratch):
    """Place the ``count`` joints listed at ints[order:] and find the world axis of each slot.

    world: (joints · WORLD,), axes: (slots · AXIS,), scratch: at least 54 floats.  Joints that are
    not listed are left untouched; a listed joint's parent must be listed before it.
    """
    i_parent, i_part, i_turned = ints[I_PARENT], ints[I_FIRST_PART], ints[I_JOINT_HAS_ROTATION]
    i_kind, i_slot, i_coord = ints[I_KIND], ints[I_FIRST_SLOT], ints[I_COORD]
    f_offset, f_placed, f_part = ints[F_OFFSET], ints[F_JOINT_ROTATION], ints[F_PART]
    f_scale, f_shift = ints[F_SCALE], ints[F_SHIFT]
    for listed in range(count):
        joint = ints[order + listed]
        parent = ints[i_parent + joint]
        o = f_offset + 3 * joint
        tx, ty, tz = floats[o], floats[o + 1], floats[o + 2]
        if parent != NONE:
            w = WORLD * parent
            r00, r01, r02 = world[w], world[w + 1], world[w + 2]
            r10, r11, r12 = world[w + 3], world[w + 4], world[w + 5]
            r20, r21, r22 = world[w + 6], world[w + 7], world[w + 8]
            px = world[w + 9] + r00 * tx + r01 * ty + r02 * tz
            py = world[w + 10] + r10 * tx + r11 * ty + r12 * tz
            pz = world[w + 11] + r20 * tx + r21 * ty + r22 * tz
        else:
            r00, r01, r02 = 1.0, 0.0, 0.0
            r10, r11, r12 = 0.0, 1.0, 0.0
            r20, r21, r22 = 0.0, 0.0, 1.0
            px, py, pz = tx, ty, tz
        if ints[i_turned + joint]:
            m = f_placed + 9 * joint
            a, b, c = r00, r01, r02
            r00 = a * floats[m] + b * floats[m + 3] + c * floats[m + 6]
            r01 = a * floats[m + 1] + b * floats[m + 4] + c * floats[m + 7]
            r02 = a * floats[m + 2] + b * floats[m + 5] + c * floats[m + 8]
            a, b, c = r10, r11, r12
            r10 = a * floats[m] + b * floats[m + 3] + c * floats[m + 6]
            r11 = a * floats[m + 1] + b * floats[m + 4] + c * floats[m + 7]
            r12 = a * floats[m + 2] + b * floats[m + 5] + c * floats[m + 8]
            a, b, c = r20, r21, r22
            r20 = a * floats[m] + b * floats[m + 3] + c * floats[m + 6]
            r21 = a * floats[m + 1] + b * floats[m + 4] + c * floats[m + 7]
            r22 = a * floats[m + 2] + b * floats[m + 5] + c * floats[m + 8]
        for part in range(ints[i_part + joint], ints[i_part + joint + 1]):
            kind = ints[i_kind + part]
            slot = ints[i_slot + part]
            x = AXIS * slot
            value = floats[f_scale + slot] * q[ints[i_coord + slot]] + floats[f_shift + slot]
            if kind <= TURN_Z:
                # A turn about a principal axis mixes the two other columns of the rotation.
                c, s = math.cos(value), math.sin(value)
                if kind == TURN_X:
                    axes[x], axes[x + 1], axes[x + 2] = r00, r10, r20
                    r01, r02 = c * r01 + s * r02, c * r02 - s * r01
                    r11, r12 = c * r11 + s * r12, c * r12 - s * r11
                    r21, r22 = c * r21 + s * r22, c * r22 - s * r21
                elif kind == TURN_Y:
                    axes[x], axes[x + 1], axes[x + 2] = r01, r11, r21
                    r00, r02 = c * r00 - s * r02, c * r02 + s * r00
                    r10, r12 = c * r10 - s * r12, c * r12 + s * r10
                    r20, r22 = c * r20 - s * r22, c * r22 + s * r20
                else:
                    axes[x], axes[x + 1], axes[x + 2] = r02, r12, r22
                    r00, r01 = c * r00 + s * r01, c * r01 - s * r00
                    r10, r11 = c * r10 + s * r11, c * r11 - s * r10
                    r20, r21 = c * r20 + s * r21, c * r21 - s * r20
                axes[x + 3], axes[x + 4], axes[x + 5] = px, py, pz
                continue
            f = f_part + 9 * part
            if kind == SLIDE:
                ax, ay, az = floats[f], floats[f + 1], floats[f + 2]
                wx = r00 * ax + r01 * ay + r02 * az
                wy = r10 * ax + r11 * ay + r12 * az
                wz = r20 * ax + r21 * ay + r22 * az
                axes[x], axes[x + 1], axes[x + 2] = wx, wy, wz
                px += value * wx
                py += value * wy
                pz += value * wz
                axes[x + 3], axes[x + 4], axes[x + 5] = px, py, pz
                continue
            r, turn = scratch[0:9], scratch[9:18]
            r[0], r[1], r[2] = r00, r01, r02
            r[3], r[4], r[5] = r10, r11, r12
            r[6], r[7], r[8] = r20, r21, r22
            if kind == TURN_ANY:
                ax, ay, az = floats[f], floats[f + 1], floats[f + 2]
                axes[x] = r00 * ax + r01 * ay + r02 * az
                axes[x + 1] = r10 * ax + r11 * ay + r12 * az
                axes[x + 2] = r20 * ax + r21 * ay + r22 * az
                axes[x + 3], axes[x + 4], axes[x + 5] = px, py, pz
                exp_matrix(value * ax, value * ay, value * az, turn)
            else:
                second = floats[f_scale + slot + 1] * q[ints[i_coord + slot + 1]]
                third = floats[f_scale + slot + 2] * q[ints[i_coord + slot + 2]]
                columns = scratch[18:27]
                _ball(
                    kind, floats[f : f + 9], value, second, third, turn, columns, r, scratch[27:54]
                )
                for k in range(3):
                    axes[x], axes[x + 1], axes[x + 2] = columns[k], columns[3 + k], columns[6 + k]
                    axes[x + 3], axes[x + 4], axes[x + 5] = px, py, pz
                    x += AXIS
            a, b, c = r00, r01, r02
            r00 = a * turn[0] + b * turn[3] + c * turn[6]
            r01 = a * turn[1] + b * turn[4] + c * turn[7]
            r02 = a * turn[2] + b * turn[5] + c * turn[8]
            a, b, c = r10, r11, r12
            r10 = a * turn[0] + b * turn[3] + c * turn[6]
            r11 = a * turn[1] + b * turn[4] + c * turn[7]
            r12 = a * turn[2] + b * turn[5] + c * turn[8]
            a, b, c = r20, r21, r22
            r20 = a * turn[0] + b * turn[3] + c * turn[6]
            r21 = a * turn[1] + b * turn[4] + c * turn[7]
            r22 = a * turn[2] + b * turn[5] + c * turn[8]
        w = WORLD * joint
        world[w], world[w + 1], world[w + 2] = r00, r01, r02
        world[w + 3], world[w + 4], world[w + 5] = r10, r11, r12
        world[w + 6], world[w + 7], world[w + 8] = r20, r21, r22
        world[w + 9], world[w + 10], world[w + 11] = px, py, pz


@kernel
def forward_many(ints, floats, poses, world):
    """World transforms of every pose: poses (frames, n) -> world (frames, joints · WORLD)."""
    axes = np.empty(max(1, ints[N_SLOTS]) * AXIS)
    scratch = np.empty(54)
    for frame in range(poses.shape[0]):
        forward(
            ints,
            floats,
            poses[frame],
            ints[I_ORDER],
            ints[N_JOINTS],
            world[frame],
            axes,
            scratch,
        )


@kernel
def jacobian_many(ints, floats, poses, joint, at, out):
    """Jacobians of the point ``at`` on a joint: out (frames, 6, n), linear rows then angular.

    A turn's column is (a × (p − o), a) and a slide's (a, 0): equations A.11, A.15 and A.22 of
    line_search, the angular rows being the turn itself.
    """
    world = np.empty(ints[N_JOINTS] * WORLD)
    axes = np.empty(max(1, ints[N_SLOTS]) * AXIS)
    scratch = np.empty(54)
    out[:] = 0.0
    w = WORLD * joint
    for frame in range(poses.shape[0]):
        forward(ints, floats, poses[frame], ints[I_ORDER], ints[N_JOINTS], world, axes, scratch)
        x, y, z = at[0], at[1], at[2]
        px = world[w + 9] + world[w] * x + world[w + 1] * y + world[w + 2] * z
        py = world[w + 10] + world[w + 3] * x + world[w + 4] * y + world[w + 5] * z
        pz = world[w + 11] + world[w + 6] * x + world[w + 7] * y + world[w + 8] * z
        above = joint
        while above != NONE:
            first = ints[I_FIRST_PART] + above
            for part in range(ints[first], ints[first + 1]):
                slots = 3 if ints[ints[I_KIND] + part] >= EXPONENTIAL else 1
                start = ints[ints[I_FIRST_SLOT] + part]
                for slot in range(start, start + slots):
                    coordinate = ints[ints[I_COORD] + slot]
                    scale = floats[ints[F_SCALE] + slot]
                    k = AXIS * slot
                    ax, ay, az = axes[k], axes[k + 1], axes[k + 2]
                    if ints[ints[I_SLOT_IS_ROTATION] + slot]:
                        dx, dy, dz = px - axes[k + 3], py - axes[k + 4], pz - axes[k + 5]
                        out[frame, 0, coordinate] += scale * (ay * dz - az * dy)
                        out[frame, 1, coordinate] += scale * (az * dx - ax * dz)
                        out[frame, 2, coordinate] += scale * (ax * dy - ay * dx)
                        out[frame, 3, coordinate] += scale * ax
                        out[frame, 4, coordinate] += scale * ay
                        out[frame, 5, coordinate] += scale * az
                    else:
                        out[frame, 0, coordinate] += scale * ax
                        out[frame, 1, coordinate] += scale * ay
                        out[frame, 2, coordinate] += scale * az
            above = ints[ints[I_PARENT] + above]
