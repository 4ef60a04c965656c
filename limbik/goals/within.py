"""Within: a point of a joint stays inside a box or a sphere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int64

from limbik.errors import GoalError
from limbik.figure import layout as lay
from limbik.figure.layout import N_COORDS, N_SLOTS
from limbik.goals import terms as tm
from limbik.goals.kernels import functions as fn
from limbik.goals.kernels.rows import point_of
from limbik.goals.kernels.second_points import add_columns, add_point_moments, curve_direction
from limbik.goals.priority import Prioritized
from limbik.jit import inner


@dataclass(frozen=True, eq=False, repr=False)
class Within(Prioritized):
    """A point of a joint stays inside a box or a sphere: what it is outside by becomes 0.

    The point is ``at`` (3,) of the joint, in its own frame.  ``box`` is (lowest corner, highest
    corner), each (3,), along the world's axes; ``sphere`` is (centre (3,), radius).  Give one.

    >>> Within("LeftHand", sphere=([0.3, 1.2, 0.3], 0.1)).label
    'LeftHand'
    """

    joint: str
    box: Any = None
    sphere: Any = None
    at: tm.Vector = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def __post_init__(self) -> None:
        tm.joint_name(self.joint, "Within")
        if (self.box is None) == (self.sphere is None):
            raise GoalError(f'Within "{self.joint}": give box= or sphere=')

    @property
    def label(self) -> str:
        return self.joint

    def describe(self, answered: tm.Answered) -> str:
        """Why the goal ``holds`` another one, or "": then the usual words say what is missing."""
        what = "box" if self.sphere is None else "sphere"
        return f"{self.joint} would leave its {what}" if answered.holds else ""

    def terms(self, scene: tm.Scene) -> list[tm.Term]:
        what = f'Within "{self.joint}"'
        joint = tm.joint_index(scene.figure, self.joint, "Within")
        diagonal = tm.one_weight(self.weight, what)
        name, given = ("box", self.box) if self.sphere is None else ("sphere", self.sphere)
        try:
            first, second = given
        except (TypeError, ValueError):
            raise GoalError(f"{what}: {name} needs two things, got {given!r}") from None
        low = tm.vector(first, 3, f"{what}: {name}")
        if self.sphere is None:
            high, radius = tm.vector(second, 3, f"{what}: box"), -1.0
            if (low > high).any():
                raise GoalError(f"{what}: box: its lowest corner is above its highest")
        else:
            high, radius = low, float(tm.vector([second], 1, f"{what}: sphere")[0])
            if radius < 0:
                raise GoalError(f"{what}: sphere: its radius {radius:g} is negative")
        numbers = np.concatenate((low, high, [radius], tm.vector(self.at, 3, f"{what}: at")))
        functions = fn.TermFunctions(
            3,
            within_residual.address,
            within_jacobian.address,
            (joint,),
            numbers,
            unit="length",
            one_sided=True,
            room=3 * scene.figure.n,
            second=within_second.address,
        )
        return [tm.Term(tm.FUNCTION, -1, weight=np.full(3, diagonal[0]), functions=functions)]


@inner
def _outside(floats, at, x, y, z):
    """(what is missing (3,), how far the point is from a sphere's centre, or 0 for a box)."""
    radius = floats[at + 6]
    if radius < 0.0:
        return (
            max(floats[at] - x, 0.0) - max(x - floats[at + 3], 0.0),
            max(floats[at + 1] - y, 0.0) - max(y - floats[at + 4], 0.0),
            max(floats[at + 2] - z, 0.0) - max(z - floats[at + 5], 0.0),
            0.0,
        )
    dx, dy, dz = floats[at] - x, floats[at + 1] - y, floats[at + 2] - z
    far = math.sqrt(dx * dx + dy * dy + dz * dz)
    part = (far - radius) / far if far > radius else 0.0
    return dx * part, dy * part, dz * part, far


@fn.term_function
def within_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    joint, _, _ = fn.own_joint(ints, i, 0)
    at, _ = fn.own_numbers(ints, i)
    x, y, z = point_of(world, joint, floats, at + 7)
    dx, dy, dz, _ = _outside(floats, at, x, y, z)
    w, r = floats[f + lay.T_WEIGHT], fn.open_floats(out_at)
    r[row], r[row + 1], r[row + 2] = w * dx, w * dy, w * dz
    fn.open_floats(error_at)[0] = math.sqrt(dx * dx + dy * dy + dz * dz)


@inner
def _nearest_wall(low, high, x):
    """(sign, h): how ∂h follows from −∂x for the wall of a box that x is nearest to, and by how
    much x is outside of that (negative)."""
    return (1.0, low - x) if low - x > x - high else (-1.0, x - high)


@fn.term_function
def within_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, ahead_at):  # type: ignore[no-untyped-def]
    """A point that is inside is foreseen to leave: each row of a box by the wall that is nearest
    along its axis, a sphere in its first row, as far as it is from the centre."""
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    axes, jt = fn.open_floats(axes_at), fn.open_floats(out_at)
    ahead = fn.open_floats(ahead_at)
    joint, path, length = fn.own_joint(ints, i, 0)
    at, _ = fn.own_numbers(ints, i)
    x, y, z = point_of(world, joint, floats, at + 7)
    w, radius = floats[f + lay.T_WEIGHT], floats[at + 6]
    missing = _outside(floats, at, x, y, z)
    far = missing[3]
    for k in range(3):
        # ∂F/∂p is 1 along each axis on which a box is left.  For a sphere with the unit vector u
        # to its centre it is (1 − radius/far)·(1 − u·uᵀ) + u·uᵀ.
        lx, ly, lz = 0.0, 0.0, 0.0
        if radius < 0.0:
            sign = 1.0
            if missing[k] == 0.0:
                own = x if k == 0 else (y if k == 1 else z)
                sign, short = _nearest_wall(floats[at + k], floats[at + 3 + k], own)
                if not fn.foresees(ahead, row + k, w, short):
                    continue
            lx, ly, lz = w * sign * (k == 0), w * sign * (k == 1), w * sign * (k == 2)
        elif far > radius:
            part = 1.0 - radius / far
            u = (floats[at] - x) / far, (floats[at + 1] - y) / far, (floats[at + 2] - z) / far
            along = w * (1.0 - part) * u[k]
            lx = along * u[0] + w * part * (k == 0)
            ly = along * u[1] + w * part * (k == 1)
            lz = along * u[2] + w * part * (k == 2)
        elif k == 0 and far > 0.0 and fn.foresees(ahead, row, w, far - radius):
            part = w / far
            lx, ly = part * (floats[at] - x), part * (floats[at + 1] - y)
            lz = part * (floats[at + 2] - z)
        else:
            continue
        fn.add_motion_row(
            ints, floats, axes, path, length, x, y, z, lx, ly, lz, 0.0, 0.0, 0.0, row + k, jt
        )


@fn.second_function
def within_second(  # type: ignore[no-untyped-def]
    ints_at, floats_at, q, world_at, axes_at, i, f, row, lam_at, moments_at, torques_at, s_at
):
    """For a box λ·∇²r = −w·λ·∇²p along the axes that are outside; for a sphere of radius R around
    c, with x = c − p, u = x/‖x‖ and r = w·(x − R·u), it is w·λ·(∇²x − R·∇²u)."""
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    joint, path, length = fn.own_joint(ints, i, 0)
    at, room = fn.own_numbers(ints, i)
    x, y, z = point_of(world, joint, floats, at + 7)
    dx, dy, dz, far = _outside(floats, at, x, y, z)
    if dx == 0.0 and dy == 0.0 and dz == 0.0:
        return
    n, slots, axes = int64(ints[N_COORDS]), int64(ints[N_SLOTS]), fn.open_floats(axes_at)
    lam, w, radius = fn.open_floats(lam_at), floats[f + lay.T_WEIGHT], floats[at + 6]
    lx, ly, lz = w * lam[row], w * lam[row + 1], w * lam[row + 2]
    if far == 0.0:
        lx, ly, lz = lx * (dx != 0.0), ly * (dy != 0.0), lz * (dz != 0.0)
    else:
        part = 1.0 / (far - radius)
        ux, uy, uz = dx * part, dy * part, dz * part
        columns = floats[room : room + 3 * n].reshape((n, 3))
        columns[:, :] = 0.0
        add_columns(ints, floats, axes, path, length, x, y, z, -1.0, columns)
        s = fn.open_table(s_at, n, n)
        curve_direction(ints, columns, ux, uy, uz, lx, ly, lz, -radius / (far * far), s)
        along = lx * ux + ly * uy + lz * uz
        lx -= radius / far * (lx - along * ux)
        ly -= radius / far * (ly - along * uy)
        lz -= radius / far * (lz - along * uz)
    add_point_moments(
        ints, floats, axes, path, length, x, y, z, lx, ly, lz,
        fn.open_table(moments_at, slots, 3), fn.open_table(torques_at, slots, 3),
    )  # fmt: skip
