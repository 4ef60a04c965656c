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

from limbik.figure.layout import N_COORDS, N_ROWS, N_SLOTS, T_WEIGHT
from limbik.goals.kernels.curvature import add_second
from limbik.goals.kernels.functions import (
    TermFunctions,
    open_floats,
    open_ints,
    own_joint,
    own_numbers,
    term_function,
)
from limbik.goals.kernels.rows import point_of
from limbik.goals.kernels.second_points import add_columns, add_point_moments
from limbik.goals.priority import Prioritized
from limbik.goals.terms import (
    FUNCTION,
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
def _factor(ints, floats, world, axes, i, columns):
    """R (3, 3), as xx, xy, xz, yy, yz, zz, of A = RᵀR, and the rows R⁻ᵀJ_c into columns (n, 3).

    R is that of [Jᵀ; δI] = QR by Gram and Schmidt: A itself would have the square of its condition
    where J lacks rank.
    """
    joint, path, length = own_joint(ints, i, 0)
    at, _ = own_numbers(ints, i)
    x, y, z = point_of(world, joint, floats, at)
    columns[:, :] = 0.0
    add_columns(ints, floats, axes, path, length, x, y, z, 1.0 / floats[at + 3], columns)
    n, delta = len(columns), math.sqrt(_FLOOR)
    xx = _FLOOR
    for c in range(n):
        xx += columns[c, 0] ** 2
    xx = math.sqrt(xx)
    ux, xy, xz = delta / xx, 0.0, 0.0  # u, v, w: the rows below Jᵀ, of Q
    for c in range(n):
        columns[c, 0] /= xx
        xy += columns[c, 0] * columns[c, 1]
        xz += columns[c, 0] * columns[c, 2]
    vx, wx = -xy * ux, -xz * ux
    yy, yz = vx * vx + _FLOOR, vx * wx
    for c in range(n):
        columns[c, 1] -= xy * columns[c, 0]
        columns[c, 2] -= xz * columns[c, 0]
        yy += columns[c, 1] ** 2
        yz += columns[c, 1] * columns[c, 2]
    yy = math.sqrt(yy)
    vx, vy, yz = vx / yy, delta / yy, yz / yy
    wx, wy = wx - yz * vx, -yz * vy
    zz = wx * wx + wy * wy + _FLOOR
    for c in range(n):
        columns[c, 1] /= yy
        columns[c, 2] -= yz * columns[c, 1]
        zz += columns[c, 2] ** 2
    zz = math.sqrt(zz)
    for c in range(n):
        columns[c, 2] /= zz
    return xx, xy, xz, yy, yz, zz


@term_function
def manipulability_residual(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    """w·lever·κ with κ = det(JJᵀ + δ²)^(−1/6) of the point's Jacobian over the lever; the error is
    lever·κ."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    at, room = own_numbers(ints, i)
    n = int64(ints[N_COORDS])
    columns = floats[room : room + 3 * n].reshape((n, 3))
    xx, _, _, yy, _, zz = _factor(ints, floats, world, open_floats(axes_at), i, columns)
    short = floats[at + 3] * (xx * yy * zz) ** (-1.0 / 3.0)
    open_floats(out_at)[row] = floats[f + T_WEIGHT] * short
    open_floats(error_at)[0] = short


@term_function
def manipulability_jacobian(ints_at, floats_at, q_at, world_at, axes_at, i, f, row, out_at, error):  # type: ignore[no-untyped-def]
    """−∂r/∂q of that: −w·lever·κ/3 · tr(A⁻¹J ∂Jᵀ/∂q), the derivatives of J by second_points.py."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    axes, jt, q = open_floats(axes_at), open_floats(out_at), open_floats(q_at)
    at, room = own_numbers(ints, i)
    n, slots, lever = int64(ints[N_COORDS]), int64(ints[N_SLOTS]), floats[at + 3]
    columns = floats[room : room + 3 * n].reshape((n, 3))
    xx, xy, xz, yy, yz, zz = _factor(ints, floats, world, axes, i, columns)
    joint, path, length = own_joint(ints, i, 0)
    x, y, z = point_of(world, joint, floats, at)
    first = room + 3 * n
    s = floats[first : first + n * n].reshape((n, n))
    first += n * n
    moments = floats[first : first + 3 * slots].reshape((slots, 3))
    torques = floats[first + 3 * slots : first + 6 * slots].reshape((slots, 3))
    scratch = floats[first + 6 * slots : first + 6 * slots + _SCRATCH]
    # F is −lever·κ, and a point with multiplier λ gives S = −λ·∂²p, here over the lever.
    scale = -floats[f + T_WEIGHT] * lever * (xx * yy * zz) ** (-1.0 / 3.0) / 3.0
    for k in range(3):
        s[:, :] = 0.0
        moments[:, :] = 0.0
        torques[:, :] = 0.0
        lx, ly, lz = (k == 0) / lever, (k == 1) / lever, (k == 2) / lever
        add_point_moments(ints, floats, axes, path, length, x, y, z, lx, ly, lz, moments, torques)
        add_second(ints, floats, q, axes, scratch, moments, torques, s)
        for c in range(n):
            # A⁻¹J_c = R⁻¹(R⁻ᵀJ_c), from its last number to its first
            g = columns[c, 2] / zz
            if k < 2:
                gz, g = g, (columns[c, 1] - yz * g) / yy
                if k == 0:
                    g = (columns[c, 0] - xy * g - xz * gz) / xx
            if g != 0.0:
                for a in range(n):
                    jt[a * ints[N_ROWS] + row] += scale * g * s[c, a]
