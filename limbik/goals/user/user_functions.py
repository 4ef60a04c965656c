"""Terms whose rows a user's functions compute.

What such terms have in common is compiled once and kept on disk: the frames that the functions read
are gathered, and derivatives taken on to the joint values.  The user's own functions are called by
the addresses in the term's table, with the C signature USER_FUNCTION:

    function(q, n, frames, k, data, m, rows, out, by_q)

q (n,) is the pose, frames (k, 3, 4) are the world frames of the term's joints, data (m,) its
numbers.  A residual writes out (rows,) and leaves by_q alone; a Jacobian writes out (rows, k, 6)
and by_q (rows, n).
"""

from __future__ import annotations

import math
from typing import Any

from numba import float64, int64, types, uint64
from numba.extending import intrinsic

from limbik.figure.layout import N_COORDS, N_ROWS, T_COUNT, T_OWN_INTS, T_WEIGHT, WORLD
from limbik.goals.kernels.functions import (
    OWN_JOINTS,
    OWN_NUMBERS,
    add_motion_row,
    address_at,
    call_with_data,
    open_floats,
    open_ints,
    own_joint,
    own_numbers,
    own_table,
    term_function,
)
from limbik.jit import inner

_FLOATS = types.CPointer(float64)
USER_FUNCTION = types.void(
    _FLOATS, int64, _FLOATS, int64, _FLOATS, int64, int64, _FLOATS, _FLOATS
)  # fmt: skip

U_RESIDUAL, U_JACOBIAN, USER_TABLE = 0, 2, 4
"""In a term's table: the two halves of the address of the residual and of the Jacobian, or 0."""

_STEP = 1e-6  # of a difference: rad, or this part of a length of 1


def room_of(rows: int, joints: int, n: int) -> int:
    """How many floats the functions here may write to: frames, rows, pose, derivatives."""
    return 12 * joints + rows + n + (6 * joints + n) * rows + 2 * rows


class user_function(term_function):
    """A function that is compiled as a USER_FUNCTION when its ``address`` is first asked for."""

    signature = USER_FUNCTION


@intrinsic
def _call_user_at(typingctx, address, q, n, frames, k, data, m, rows, out, by_q):  # type: ignore[no-untyped-def]
    """Call the USER_FUNCTION at an address with the data of these arrays."""
    signature = types.void(uint64, q, int64, frames, int64, data, int64, int64, out, by_q)
    return signature, call_with_data


# Numba gives the first argument itself
_call_user: Any = _call_user_at


@inner
def _open_term(ints, floats, world, i):
    """(where its numbers and its room begin, joints, rows, coordinates, numbers) of the term at i.

    The world frames [R | p] of its joints are written to floats[room:], 12 numbers each.
    """
    numbers, room = own_numbers(ints, i)
    own = ints[i + T_OWN_INTS]
    k, m = int64(ints[own + OWN_JOINTS]), int64(ints[own + OWN_NUMBERS])
    for j in range(k):
        joint, _, _ = own_joint(ints, i, j)
        w, at = WORLD * joint, room + 12 * j
        for row in range(3):
            for column in range(3):
                floats[at + 4 * row + column] = world[w + 3 * row + column]
            floats[at + 4 * row + 3] = world[w + 9 + row]
    return numbers, room, k, int64(ints[i + T_COUNT]), int64(ints[N_COORDS]), m


@inner
def _copy(values, count, out):
    """The first ``count`` values into out: a user's function cannot change the solver's pose."""
    for c in range(count):
        out[c] = values[c]


@term_function
def user_residual(ints_at, floats_at, q_at, world_at, axes_at, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    """−w·residual, and as the error the largest entry."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    out, error = open_floats(out_at), open_floats(error_at)
    numbers, room, k, rows, n, m = _open_term(ints, floats, world, i)
    values, q = floats[room + 12 * k :], floats[room + 12 * k + rows :]
    _copy(open_floats(q_at), n, q)
    for c in range(rows):
        values[c] = 0.0
    _call_user(
        address_at(ints, own_table(ints, i) + U_RESIDUAL), q, n, floats[room:], k, floats[numbers:],
        m, rows, values, values,
    )  # fmt: skip
    largest = 0.0
    for c in range(rows):
        out[row + c] = -floats[f + T_WEIGHT] * values[c]
        away = abs(values[c])
        if not away <= largest:
            largest = away if away == away else math.inf
    error[0] = largest


@inner
def _differences(address, q, n, frames, k, data, m, rows, by_frame, by_q, ahead, behind):
    """Central differences of the residual, frame by frame and number by number."""
    for c in range(rows):  # rows that a residual does not write are 0
        ahead[c] = behind[c] = 0.0
    for j in range(k):
        for axis in range(6):
            one, two = 12 * j + 4 * ((axis - 2) % 3), 12 * j + 4 * ((axis - 1) % 3)
            for side in range(2):
                h, values = (_STEP, ahead) if side == 0 else (-_STEP, behind)
                if axis < 3:
                    at = 12 * j + 4 * axis + 3
                    x = frames[at]
                    frames[at] = x + h
                    _call_user(address, q, n, frames, k, data, m, rows, values, values)
                    frames[at] = x
                else:
                    cosine, sine = math.cos(h), math.sin(h)
                    x0, x1, x2 = frames[one], frames[one + 1], frames[one + 2]
                    y0, y1, y2 = frames[two], frames[two + 1], frames[two + 2]
                    frames[one], frames[two] = cosine * x0 - sine * y0, sine * x0 + cosine * y0
                    frames[one + 1] = cosine * x1 - sine * y1
                    frames[two + 1] = sine * x1 + cosine * y1
                    frames[one + 2] = cosine * x2 - sine * y2
                    frames[two + 2] = sine * x2 + cosine * y2
                    _call_user(address, q, n, frames, k, data, m, rows, values, values)
                    frames[one], frames[one + 1], frames[one + 2] = x0, x1, x2
                    frames[two], frames[two + 1], frames[two + 2] = y0, y1, y2
            for c in range(rows):
                by_frame[(c * k + j) * 6 + axis] = (ahead[c] - behind[c]) / (2.0 * _STEP)
    for coordinate in range(n):
        at = q[coordinate]
        q[coordinate] = at + _STEP
        _call_user(address, q, n, frames, k, data, m, rows, ahead, ahead)
        q[coordinate] = at - _STEP
        _call_user(address, q, n, frames, k, data, m, rows, behind, behind)
        q[coordinate] = at
        for c in range(rows):
            by_q[c * n + coordinate] = (ahead[c] - behind[c]) / (2.0 * _STEP)


@term_function
def user_jacobian(ints_at, floats_at, q_at, world_at, axes_at, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    """w·∂residual/∂q, from derivatives by frame and by q."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    axes, jt = open_floats(axes_at), open_floats(out_at)
    numbers, room, k, rows, n, m = _open_term(ints, floats, world, i)
    frames, data = floats[room:], floats[numbers:]
    room += 12 * k + rows
    q, by_frame = floats[room:], floats[room + n :]
    _copy(open_floats(q_at), n, q)
    room += n + 6 * k * rows
    by_q = floats[room:]
    for c in range((6 * k + n) * rows):
        by_frame[c] = 0.0
    table = own_table(ints, i)
    address = address_at(ints, table + U_JACOBIAN)
    if address != uint64(0):
        _call_user(address, q, n, frames, k, data, m, rows, by_frame, by_q)
    else:
        room += n * rows
        address = address_at(ints, table + U_RESIDUAL)
        _differences(
            address, q, n, frames, k, data, m, rows, by_frame, by_q, floats[room:],
            floats[room + rows :],
        )  # fmt: skip
    w, stride = floats[f + T_WEIGHT], int64(ints[N_ROWS])
    for c in range(rows):
        for j in range(k):
            joint, path, length = own_joint(ints, i, j)
            p, d = WORLD * joint + 9, (c * k + j) * 6
            add_motion_row(
                ints, floats, axes, path, length, world[p], world[p + 1], world[p + 2],
                w * by_frame[d], w * by_frame[d + 1], w * by_frame[d + 2], w * by_frame[d + 3],
                w * by_frame[d + 4], w * by_frame[d + 5], row + c, jt,
            )  # fmt: skip
        for coordinate in range(n):
            jt[coordinate * stride + row + c] += w * by_q[c * n + coordinate]
