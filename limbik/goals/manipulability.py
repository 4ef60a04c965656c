"""Manipulability: a wish that a point of a joint can be moved well in every direction.

With J (3, n) the Jacobian of the point over the lever, A = JJᵀ + δ²I and κ = det(A)^(−1/6), which
is the inverse of the geometric mean of the half axes of the velocity ellipsoid (Yoshikawa's measure
to the power −1/3; δ keeps it finite where J lacks rank), the residual is lever·κ, and

    ∂κ/∂q_a = −κ/3 · Σ_c (A⁻¹J_c)·∂²p/∂q_a∂q_c.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numba import int64

from limbik.figure.kinematics import N_COORDS, N_SLOTS
from limbik.goals.curvature import add_second
from limbik.goals.functions import (
    TermFunctions,
    open_floats,
    open_ints,
    own_joint,
    own_numbers,
    term_function,
)
from limbik.goals.priority import Prioritized
from limbik.goals.rows import point_of
from limbik.goals.second_points import add_columns, push_point
from limbik.goals.terms import (
    FUNCTION,
    N_ROWS,
    T_WEIGHT,
    Scene,
    Term,
    Vector,
    joint_index,
    joint_name,
    one_weight,
    vector,
)
from limbik.jit import inner

_FLOOR = 1e-4  # δ², of a Jacobian in levers per radian
_SCRATCH = 64


@dataclass(frozen=True, eq=False, repr=False)
class Manipulability(Prioritized):
    """A point of a joint can be moved well in every direction: lever · det(JJᵀ)^(−1/6).

    J is the Jacobian of the point ``at`` (3,) of the joint over the lever, a quarter of the
    figure's size.  It is a wish: it is never short, gives way to other goals by its weight, and has
    the priority of the goals that come last unless it says another.  With ``priority=1`` it takes
    all that goals of priority 0 leave free.

    >>> Manipulability("LeftHand", priority=1).label
    'manipulability of LeftHand'
    """

    joint: str
    at: Vector = (0.0, 0.0, 0.0)
    weight: float = 1e-3
    priority: int | None = field(default=None, kw_only=True)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        joint_name(self.joint, "Manipulability")

    @property
    def label(self) -> str:
        return f"manipulability of {self.joint}"

    def terms(self, scene: Scene) -> list[Term]:
        figure, what = scene.figure, f'Manipulability "{self.joint}"'
        joint = joint_index(figure, self.joint, "Manipulability")
        n, slots = figure.n, len(figure.tree.slots)
        functions = TermFunctions(
            1, manipulability_residual.address, manipulability_jacobian.address, (joint,),
            np.concatenate((vector(self.at, 3, f"{what}: at"), [scene.lever])),
            room=3 * n + n * n + 6 * slots + _SCRATCH, tolerance=math.inf,
        )  # fmt: skip
        return [Term(FUNCTION, -1, weight=one_weight(self.weight, what), functions=functions)]


@inner
def _inverse(ints, floats, world, axes, i, columns):
    """(A⁻¹ as xx, xy, xz, yy, yz, zz; det A), and J (n, 3) into columns."""
    joint, path, length = own_joint(ints, i, 0)
    at, _ = own_numbers(ints, i)
    x, y, z = point_of(world, joint, floats, at)
    columns[:, :] = 0.0
    add_columns(ints, floats, axes, path, length, x, y, z, 1.0 / floats[at + 3], columns)
    xx, xy, xz, yy, yz, zz = _FLOOR, 0.0, 0.0, _FLOOR, 0.0, _FLOOR
    for c in range(len(columns)):
        u, v, w = columns[c, 0], columns[c, 1], columns[c, 2]
        xx, xy, xz = xx + u * u, xy + u * v, xz + u * w
        yy, yz, zz = yy + v * v, yz + v * w, zz + w * w
    # A = LDLᵀ: cofactors would cancel where J lacks rank and is much longer than δ.
    m21, l31 = -xy / xx, xz / xx
    d2, t = yy + m21 * xy, yz - l31 * xy
    m32 = -t / d2
    d3, m31 = zz - l31 * xz + m32 * t, m21 * m32 - l31
    return (
        1.0 / xx + m21 * m21 / d2 + m31 * m31 / d3, m21 / d2 + m31 * m32 / d3, m31 / d3,
        1.0 / d2 + m32 * m32 / d3, m32 / d3, 1.0 / d3, xx * d2 * d3,
    )  # fmt: skip


@term_function
def manipulability_residual(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    at, room = own_numbers(ints, i)
    n = int64(ints[N_COORDS])
    columns = floats[room : room + 3 * n].reshape((n, 3))
    _, _, _, _, _, _, det = _inverse(ints, floats, world, open_floats(axes_at), i, columns)
    short = floats[at + 3] * det ** (-1.0 / 6.0)
    open_floats(out_at)[row] = floats[f + T_WEIGHT] * short
    open_floats(error_at)[0] = short


@term_function
def manipulability_jacobian(ints_at, floats_at, q_at, world_at, axes_at, i, f, row, out_at, error):  # type: ignore[no-untyped-def]
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    axes, jt, q = open_floats(axes_at), open_floats(out_at), open_floats(q_at)
    at, room = own_numbers(ints, i)
    n, slots, lever = int64(ints[N_COORDS]), int64(ints[N_SLOTS]), floats[at + 3]
    columns = floats[room : room + 3 * n].reshape((n, 3))
    xx, xy, xz, yy, yz, zz, det = _inverse(ints, floats, world, axes, i, columns)
    joint, path, length = own_joint(ints, i, 0)
    x, y, z = point_of(world, joint, floats, at)
    first = room + 3 * n
    s = floats[first : first + n * n].reshape((n, n))
    first += n * n
    moments = floats[first : first + 3 * slots].reshape((slots, 3))
    torques = floats[first + 3 * slots : first + 6 * slots].reshape((slots, 3))
    scratch = floats[first + 6 * slots : first + 6 * slots + _SCRATCH]
    # F is −lever·κ, and a point with multiplier λ gives S = −λ·∂²p, here over the lever.
    scale = -floats[f + T_WEIGHT] * lever * det ** (-1.0 / 6.0) / 3.0
    for k in range(3):
        s[:, :] = 0.0
        moments[:, :] = 0.0
        torques[:, :] = 0.0
        lx, ly, lz = (k == 0) / lever, (k == 1) / lever, (k == 2) / lever
        push_point(ints, floats, axes, path, length, x, y, z, lx, ly, lz, moments, torques)
        add_second(ints, floats, q, axes, scratch, moments, torques, s)
        gx = xx if k == 0 else (xy if k == 1 else xz)
        gy = xy if k == 0 else (yy if k == 1 else yz)
        gz = xz if k == 0 else (yz if k == 1 else zz)
        for c in range(n):
            g = gx * columns[c, 0] + gy * columns[c, 1] + gz * columns[c, 2]
            if g != 0.0:
                for a in range(n):
                    jt[a * ints[N_ROWS] + row] += scale * g * s[c, a]
