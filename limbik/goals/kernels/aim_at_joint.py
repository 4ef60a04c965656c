"""Rows of an Aim whose target is a joint: d − R·axis, where both ends of d may move."""

from __future__ import annotations

import math

import numpy as np

from limbik.figure.layout import T_WEIGHT
from limbik.goals.kernels import functions as fn
from limbik.goals.kernels.rows import direction_of, point_of
from limbik.goals.terms import FUNCTION, Term
from limbik.jit import inner


def aim_at_joint(
    joint: int,
    at: np.ndarray,
    axis: np.ndarray,
    other: int,
    weight: np.ndarray,
    other_at: np.ndarray,
) -> Term:
    """The ``axis`` (3,) of a joint points from its point ``at`` (3,) at the point ``other_at`` (3,)
    of another joint."""
    functions = fn.TermFunctions(
        3, aim_residual.address, aim_jacobian.address, (joint, other),
        np.concatenate((at, axis, other_at)), unit="angle",
    )  # fmt: skip
    return Term(FUNCTION, -1, weight=weight, functions=functions)


@inner
def _directions(ints, floats, world, i):
    """(place, axis in the world, unit vector to the target, its length, the target)."""
    joint, _, _ = fn.own_joint(ints, i, 0)
    other, _, _ = fn.own_joint(ints, i, 1)
    at, _ = fn.own_numbers(ints, i)
    p = point_of(world, joint, floats, at)
    v = direction_of(world, joint, floats, at + 3)
    o = point_of(world, other, floats, at + 6)
    dx, dy, dz = o[0] - p[0], o[1] - p[1], o[2] - p[2]
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length < 1e-12:  # standing in the target, every direction points at it
        return p, v, v, 0.0, o
    return p, v, (dx / length, dy / length, dz / length), length, o


@fn.term_function
def aim_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    _, v, d, _, _ = _directions(ints, floats, world, i)
    r, cosine, square = fn.open_floats(out_at), 0.0, 0.0
    for k in range(3):
        r[row + k] = floats[f + T_WEIGHT + k] * (d[k] - v[k])
        cosine += d[k] * v[k]
    cx, cy, cz = v[1] * d[2] - v[2] * d[1], v[2] * d[0] - v[0] * d[2], v[0] * d[1] - v[1] * d[0]
    square = cx * cx + cy * cy + cz * cz
    fn.open_floats(error_at)[0] = math.atan2(math.sqrt(square), cosine)


@fn.term_function
def aim_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, error):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    axes, jt = fn.open_floats(axes_at), fn.open_floats(out_at)
    p, v, d, length, o = _directions(ints, floats, world, i)
    _, path, steps = fn.own_joint(ints, i, 0)
    _, other_path, other_steps = fn.own_joint(ints, i, 1)
    for k in range(3):
        # A row feels ω × v along its axis, and (1 − d·dᵀ)/length of how p and o move.
        w = floats[f + T_WEIGHT + k]
        tx = w * (v[1] * (k == 2) - v[2] * (k == 1))
        ty = w * (v[2] * (k == 0) - v[0] * (k == 2))
        tz = w * (v[0] * (k == 1) - v[1] * (k == 0))
        lx, ly, lz = 0.0, 0.0, 0.0
        if length > 0.0:
            lx = w * ((k == 0) - d[k] * d[0]) / length
            ly = w * ((k == 1) - d[k] * d[1]) / length
            lz = w * ((k == 2) - d[k] * d[2]) / length
        fn.add_motion_row(
            ints, floats, axes, path, steps, p[0], p[1], p[2], lx, ly, lz, tx, ty, tz, row + k, jt
        )
        fn.add_motion_row(
            ints, floats, axes, other_path, other_steps, o[0], o[1], o[2], -lx, -ly, -lz,
            0.0, 0.0, 0.0, row + k, jt,
        )  # fmt: skip
