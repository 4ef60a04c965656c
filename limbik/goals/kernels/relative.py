"""Rows between two joints: a point and a rotation of one as another has them.

The residual is what is missing in the world: p₀ + R₀·g − p for a position g in the other joint's
frame (p₀, R₀), and log(R₀·G·Rᵀ) for a rotation G.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.errors import GoalError
from limbik.figure.layout import T_WEIGHT, WORLD
from limbik.goals.kernels import functions as fn
from limbik.goals.kernels.rows import point_of
from limbik.goals.terms import FUNCTION, Scene, Term, joint_index
from limbik.jit import inner
from limbik.maths.so3 import left_jacobian_inverse_into, log_matrix

_MATRICES = 48  # floats that the rotation's functions write to


def relative_position(
    joint: int,
    at: np.ndarray,
    other: int,
    place: np.ndarray,
    weight: np.ndarray,
    tolerance: float | None = None,
) -> Term:
    """The point ``at`` of a joint at ``place`` (3,) in the frame of another joint."""
    functions = fn.TermFunctions(
        3, position_residual.address, position_jacobian.address, (joint, other),
        np.concatenate((place, at)), unit="length", tolerance=tolerance,
    )  # fmt: skip
    return Term(FUNCTION, -1, weight=weight, functions=functions)


def relative_rotation(
    joint: int, other: int, matrix: np.ndarray, weight: np.ndarray, tolerance: float | None = None
) -> Term:
    """A joint turned by ``matrix`` (3, 3) against another joint."""
    functions = fn.TermFunctions(
        3, rotation_residual.address, rotation_jacobian.address, (joint, other), matrix.ravel(),
        room=_MATRICES, unit="angle", tolerance=tolerance,
    )  # fmt: skip
    return Term(FUNCTION, -1, weight=weight, functions=functions)


def other_joint(scene: Scene, name: str, joint: int, what: str) -> int:
    """The index of the joint that another one is told against; not itself."""
    other = joint_index(scene.figure, name, what)
    if other == joint:
        raise GoalError(f"{what}: a joint cannot be told against itself")
    return other


@inner
def _ends(ints, floats, world, i):
    """((x, y, z) of the point, (x, y, z) of where it should be)."""
    joint, _, _ = fn.own_joint(ints, i, 0)
    other, _, _ = fn.own_joint(ints, i, 1)
    at, _ = fn.own_numbers(ints, i)
    return point_of(world, joint, floats, at + 3), point_of(world, other, floats, at)


@fn.term_function
def position_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    r, square = fn.open_floats(out_at), 0.0
    point, goal = _ends(ints, floats, world, i)
    for k in range(3):
        away = goal[k] - point[k]
        r[row + k] = floats[f + T_WEIGHT + k] * away
        square += away * away if floats[f + T_WEIGHT + k] > 0.0 else 0.0
    fn.open_floats(error_at)[0] = math.sqrt(square)


@fn.term_function
def position_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, error):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    axes, jt = fn.open_floats(axes_at), fn.open_floats(out_at)
    point, goal = _ends(ints, floats, world, i)
    _, path, length = fn.own_joint(ints, i, 0)
    _, other_path, other_length = fn.own_joint(ints, i, 1)
    for k in range(3):
        w = floats[f + T_WEIGHT + k]
        x, y, z = w * (k == 0), w * (k == 1), w * (k == 2)
        fn.add_motion_row(
            ints, floats, axes, path, length, point[0], point[1], point[2], x, y, z,
            0.0, 0.0, 0.0, row + k, jt,
        )  # fmt: skip
        fn.add_motion_row(
            ints, floats, axes, other_path, other_length, goal[0], goal[1], goal[2], -x, -y, -z,
            0.0, 0.0, 0.0, row + k, jt,
        )  # fmt: skip


@inner
def _missing(ints, floats, world, i, e):
    """e (3,) = log(R₀·G·Rᵀ)."""
    joint, _, _ = fn.own_joint(ints, i, 0)
    other, _, _ = fn.own_joint(ints, i, 1)
    at, room = fn.own_numbers(ints, i)
    w, o = WORLD * joint, WORLD * other
    goal, turn = floats[room : room + 9], floats[room + 9 : room + 18]
    for a in range(3):
        for b in range(3):
            goal[3 * a + b] = (
                world[o + 3 * a] * floats[at + b]
                + world[o + 3 * a + 1] * floats[at + 3 + b]
                + world[o + 3 * a + 2] * floats[at + 6 + b]
            )
    for a in range(3):
        for b in range(3):
            turn[3 * a + b] = (
                goal[3 * a] * world[w + 3 * b]
                + goal[3 * a + 1] * world[w + 3 * b + 1]
                + goal[3 * a + 2] * world[w + 3 * b + 2]
            )
    log_matrix(turn, e)


@fn.term_function
def rotation_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    r, square = fn.open_floats(out_at), 0.0
    _, room = fn.own_numbers(ints, i)
    e = floats[room + 18 : room + 21]
    _missing(ints, floats, world, i, e)
    for k in range(3):
        r[row + k] = floats[f + T_WEIGHT + k] * e[k]
        square += e[k] * e[k] if floats[f + T_WEIGHT + k] > 0.0 else 0.0
    fn.open_floats(error_at)[0] = math.sqrt(square)


@fn.term_function
def rotation_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, error):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    axes, jt = fn.open_floats(axes_at), fn.open_floats(out_at)
    _, room = fn.own_numbers(ints, i)
    e = floats[room + 18 : room + 21]
    own, theirs = floats[room + 21 : room + 30], floats[room + 30 : room + 39]
    _missing(ints, floats, world, i, e)
    # log(exp(ω₀)·E·exp(−ω)) = e + Jl⁻¹(e)·ω₀ − Jr⁻¹(e)·ω, and Jr(e) is Jl(−e).
    left_jacobian_inverse_into(-e[0], -e[1], -e[2], own)
    left_jacobian_inverse_into(e[0], e[1], e[2], theirs)
    _, path, length = fn.own_joint(ints, i, 0)
    _, other_path, other_length = fn.own_joint(ints, i, 1)
    for k in range(3):
        w = floats[f + T_WEIGHT + k]
        fn.add_motion_row(
            ints, floats, axes, path, length, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            w * own[3 * k], w * own[3 * k + 1], w * own[3 * k + 2], row + k, jt,
        )  # fmt: skip
        fn.add_motion_row(
            ints, floats, axes, other_path, other_length, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            -w * theirs[3 * k], -w * theirs[3 * k + 1], -w * theirs[3 * k + 2], row + k, jt,
        )  # fmt: skip
