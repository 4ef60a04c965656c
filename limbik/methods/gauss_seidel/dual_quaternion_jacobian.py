"""Forward kinematics by dual quaternions, and the analytic Jacobian of Figure 8 of dual_quaternion.

q_end = q_before·q_part·q_after (equations 13 to 15), so ∂q_end = q_before·∂q_part·q_after for each
coordinate of a part.  From there t = 2 q_d q_r* gives ∂t = 2(∂q_d q_r* + q_d ∂q_r*) (the figure
prints a quotient), and the rotation vector of what is missing, o = log(q_goal q_r*), gives ∂o.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.layout import (
    EXPONENTIAL,
    F_JOINT_ROTATION,
    F_OFFSET,
    F_PART,
    F_SCALE,
    F_SHIFT,
    I_COORD,
    I_FIRST_PART,
    I_FIRST_SLOT,
    I_KIND,
    I_PARENT,
    I_USED,
    N_COORDS,
    N_JOINTS,
    N_SLOTS,
    N_TERMS,
    N_USED,
    NONE,
    SLIDE,
    SWING_TWIST,
    T_AT,
    T_JOINT,
    T_KIND,
    T_LENGTH,
    T_MATRIX,
    T_PATH,
    T_ROW,
    T_WEIGHT,
    TURN_ANY,
    term_at,
)
from limbik.goals.terms import POSITION, ROTATION
from limbik.jit import inlined, inner, kernel, kernel_part
from limbik.maths.dual_quaternions import (
    dq_conjugate_into,
    dq_multiply_into,
    exp_quat_derivative,
    log_quat_derivative,
)
from limbik.maths.linear import copy
from limbik.maths.quaternions import exp_quat, quat_of_matrix
from limbik.methods.workspace import floats_taken, take_table
from limbik.solver.problem import Problem

DQ = 8  # floats of a dual quaternion
_SPARE = 10  # dual quaternions for intermediate results


class Chains(NamedTuple):
    """Dual quaternions of a pose."""

    world: np.ndarray  # (joints, 8) each joint's transform
    change: np.ndarray  # (slots, 8) q_before·∂q_part for each slot of a part
    done: np.ndarray  # (slots, 8) q_before·q_part
    spare: np.ndarray  # (_SPARE, 8)


@kernel_part
def view_chains(ints, wanted, work):
    """work -> Chains, empty, and what is left; tables without rows unless they are ``wanted``."""
    joints = np.int64(ints[N_JOINTS]) if wanted else 0
    slots, spare = (np.int64(ints[N_SLOTS]), _SPARE) if wanted else (0, 0)
    world, work = take_table(work, joints, DQ)
    change, work = take_table(work, slots, DQ)
    done, work = take_table(work, slots, DQ)
    temporary, work = take_table(work, spare, DQ)
    return Chains(world, change, done, temporary), work


def chains_size(problem: Problem, wanted: bool = True) -> int:
    """Floats that ``view_chains`` needs."""
    return floats_taken(view_chains, problem.ints, wanted)


@inner
def _multiply(a, b, out):
    """out = a·b for quaternions; out must not be a or b."""
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]


@inlined
def _swing_and_twist(basis, x, y, z, part, changes, spare):
    """exp(xu + yv)·exp(zt), and its derivatives by x, y and z into rows of ``changes``."""
    swing, twist, turned = spare[0], spare[1], spare[2]
    wx, wy, wz = (
        basis[0] * x + basis[1] * y,
        basis[3] * x + basis[4] * y,
        basis[6] * x + basis[7] * y,
    )
    exp_quat(wx, wy, wz, swing)
    exp_quat(basis[2] * z, basis[5] * z, basis[8] * z, twist)
    _multiply(swing, twist, part)
    for k in range(2):
        exp_quat_derivative(wx, wy, wz, basis[k], basis[3 + k], basis[6 + k], turned)
        _multiply(turned, twist, changes[k])
    exp_quat_derivative(
        basis[2] * z, basis[5] * z, basis[8] * z, basis[2], basis[5], basis[8], turned
    )
    _multiply(swing, turned, changes[2])


@inlined
def _part(ints, floats, q, part, slot, moved, changes, spare):
    """A part's own dual quaternion into ``moved``, its derivatives into rows of ``changes``.

    Returns how many slots it has.
    """
    kind, f = ints[ints[I_KIND] + part], ints[F_PART] + 9 * part
    scale, shift, coord = ints[F_SCALE], ints[F_SHIFT], ints[I_COORD]
    moved[:] = 0.0
    changes[:, :] = 0.0
    value = floats[scale + slot] * q[ints[coord + slot]] + floats[shift + slot]
    if kind == SLIDE:
        moved[0] = 1.0
        for k in range(3):
            moved[5 + k] = 0.5 * value * floats[f + k]
            changes[0, 5 + k] = 0.5 * floats[f + k]
        return 1
    if kind <= TURN_ANY:
        c, s = math.cos(0.5 * value), math.sin(0.5 * value)
        moved[0], changes[0, 0] = c, -0.5 * s
        for k in range(3):
            # A turn about −x is kept as one about x, with its sign in the scale.
            along = floats[f + k] if kind == TURN_ANY else (1.0 if kind == k else 0.0)
            moved[1 + k], changes[0, 1 + k] = s * along, 0.5 * c * along
        return 1
    y = floats[scale + slot + 1] * q[ints[coord + slot + 1]]
    z = floats[scale + slot + 2] * q[ints[coord + slot + 2]]
    if kind == EXPONENTIAL:
        exp_quat(value, y, z, moved)
        exp_quat_derivative(value, y, z, 1.0, 0.0, 0.0, changes[0])
        exp_quat_derivative(value, y, z, 0.0, 1.0, 0.0, changes[1])
        exp_quat_derivative(value, y, z, 0.0, 0.0, 1.0, changes[2])
    elif kind == SWING_TWIST:
        _swing_and_twist(floats[f : f + 9], value, y, z, moved, changes, spare)
    return 3


@kernel
def place_by_dual_quaternions(ints, floats, q, chains):
    """Every joint that matters, as a product of translations and rotations: equations 13 to 15."""
    here, placed, moved = chains.spare[0], chains.spare[1], chains.spare[2]
    changes, spare = chains.spare[3:6], chains.spare[6:9]
    for listed in range(ints[N_USED]):
        joint = ints[ints[I_USED] + listed]
        parent, o, m = (
            ints[ints[I_PARENT] + joint],
            ints[F_OFFSET] + 3 * joint,
            ints[F_JOINT_ROTATION],
        )
        m += 9 * joint
        placed[0], placed[1], placed[2], placed[3] = quat_of_matrix(floats[m : m + 9])
        moved[:] = 0.0
        moved[1], moved[2], moved[3] = floats[o], floats[o + 1], floats[o + 2]
        # Equation 14: (1 + ε t/2)·q, the second form of equation 12.
        _multiply(moved, placed, spare[0])
        for k in range(4):
            placed[4 + k] = 0.5 * spare[0, k]
        if parent == NONE:
            copy(placed, len(placed), here)
        else:
            dq_multiply_into(chains.world[parent], placed, here)
        first = ints[I_FIRST_PART] + joint
        for part in range(ints[first], ints[first + 1]):
            slot = ints[ints[I_FIRST_SLOT] + part]
            slots = _part(ints, floats, q, part, slot, moved, changes, spare)
            dq_multiply_into(here, moved, placed)
            for k in range(slots):
                dq_multiply_into(here, changes[k], chains.change[slot + k])
                copy(placed, len(placed), chains.done[slot + k])
            copy(placed, len(placed), here)
        copy(here, len(here), chains.world[joint])


@kernel
def dual_quaternion_rows(ints, floats, q, jt, chains):
    """The rows of positions and rotations (as vectors) of J(q)ᵀ, jt (n, rows), by Figure 8.

    Rows of other kinds of terms are left as they are.
    """
    place_by_dual_quaternions(ints, floats, q, chains)
    spare = chains.spare
    end, at, inverse, rest, change, goal, short, changed = (
        spare[0], spare[1], spare[2], spare[3], spare[4], spare[5], spare[6], spare[7],
    )  # fmt: skip
    for term in range(ints[N_TERMS]):
        i, f = term_at(ints, term)
        kind, row, joint = ints[i + T_KIND], ints[i + T_ROW], ints[i + T_JOINT]
        if kind != POSITION and kind != ROTATION:
            continue
        for c in range(ints[N_COORDS]):
            for k in range(3):
                jt[c, row + k] = 0.0
        at[:] = 0.0
        at[0] = 1.0
        if kind == POSITION:
            for k in range(3):
                at[5 + k] = 0.5 * floats[f + T_AT + k]
        else:
            goal[0], goal[1], goal[2], goal[3] = quat_of_matrix(
                floats[f + T_MATRIX : f + T_MATRIX + 9]
            )
        dq_multiply_into(chains.world[joint], at, end)
        for k in range(ints[i + T_PATH], ints[i + T_PATH] + ints[i + T_LENGTH]):
            slot = ints[k]
            dq_conjugate_into(chains.done[slot], inverse)
            dq_multiply_into(inverse, end, rest)
            dq_multiply_into(chains.change[slot], rest, change)
            if kind == POSITION:
                _translation_change(end, change, short, changed)
            else:
                _missing_change(goal, end, change, short, changed)
            c, scale = ints[ints[I_COORD] + slot], floats[ints[F_SCALE] + slot]
            for d in range(3):
                jt[c, row + d] += floats[f + T_WEIGHT + d] * scale * changed[d]


@inner
def _translation_change(end, change, short, out):
    """∂t = 2(∂q_d q_r* + q_d ∂q_r*) into out (3,)."""
    conjugate, product = short[:4], short[4:]
    for part in range(2):
        real, dual = (end, change) if part == 0 else (change, end)
        conjugate[0] = real[0]
        for k in range(1, 4):
            conjugate[k] = -real[k]
        _multiply(dual[4:], conjugate, product)
        for k in range(3):
            out[k] = 2.0 * product[1 + k] + (out[k] if part else 0.0)


@inner
def _missing_change(goal, end, change, short, out):
    """−∂log(q_goal q_r*) into out (3,): how the rotation vector that is missing shrinks."""
    conjugate, missing, moved = short[:4], short[4:], out[4:]
    for part in range(2):
        real = end if part == 0 else change
        conjugate[0] = real[0]
        for k in range(1, 4):
            conjugate[k] = -real[k]
        _multiply(goal[:4], conjugate, missing if part == 0 else moved)
    log_quat_derivative(missing, moved, out)
    for k in range(3):
        out[k] = -out[k]
