"""CenterOfMass: the centre of mass of a figure at a place, or above some of its joints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import int64

from limbik.errors import GoalError
from limbik.figure.layout import N_SLOTS, T_WEIGHT
from limbik.goals.kernels.functions import (
    TermFunctions,
    add_motion_row,
    open_floats,
    open_ints,
    open_table,
    own_numbers,
    own_table,
    second_function,
    term_function,
)
from limbik.goals.kernels.second_points import add_point_moments
from limbik.goals.masses.contacts import contact_points, up_axis
from limbik.goals.masses.mass_sums import (
    MASS,
    add_center_moments,
    add_center_row,
    center_of,
    masses_of,
    point_after_masses,
    sum_masses,
)
from limbik.goals.priority import Prioritized
from limbik.goals.terms import FUNCTION, NUMBERS, Scene, TargetWrite, Term, Vector, vector, weights
from limbik.jit import inner


@dataclass(frozen=True, eq=False, repr=False)
class CenterOfMass(Prioritized):
    """The centre of mass at a place: g − c(q).

    ``position`` (3,) is the place g in the world; ``weight`` is one number or three, and a
    direction of the weight 0 is free.  With ``over``, joints or pairs (joint, point in its frame)
    instead, g is the mean of these points, wherever the pose has them, and only its horizontal
    part counts.

    >>> CenterOfMass([0, 0.9, 0], weight=(1, 0, 1)).label
    'the centre of mass'
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"position": 3}

    position: Vector | None = None
    over: Any = None
    weight: float | Vector = 1.0

    def __post_init__(self) -> None:
        if (self.position is None) == (self.over is None):
            raise GoalError("CenterOfMass: give position= or over=")

    @property
    def label(self) -> str:
        return "the centre of mass"

    def terms(self, scene: Scene) -> list[Term]:
        figure = scene.figure
        joints, numbers = masses_of(figure, "CenterOfMass")
        diagonal, full = weights(self.weight, 3, "CenterOfMass")
        if full is not None:
            raise GoalError("CenterOfMass: weight takes one number or three")
        place, points = np.zeros(3), []
        if self.over is None:
            place = vector(self.position, 3, "CenterOfMass: position")
        else:
            points = _points(scene, self.over)
            diagonal = np.where(np.arange(3) == up_axis(figure), 0.0, diagonal)
        functions = TermFunctions(
            3, com_residual.address, com_jacobian.address,
            (*joints, *(joint for joint, _ in points)),
            np.concatenate((place, numbers, *(point for _, point in points))),
            room=MASS * len(figure.tree.slots),
            table=np.array([len(joints), len(points)]), unit="length",
            second=com_second.address,
        )  # fmt: skip
        return [Term(FUNCTION, -1, weight=diagonal, functions=functions)]

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[TargetWrite]:
        return [TargetWrite(0, NUMBERS, tables["position"])]


def _points(scene: Scene, over: object) -> list[tuple[int, np.ndarray]]:
    """The points that ``over`` names; a joint alone is its origin."""
    if isinstance(over, list | tuple):
        over = [(entry, np.zeros(3)) if isinstance(entry, str) else entry for entry in over]
    return contact_points(scene.figure, over, "CenterOfMass: over")


@inner
def _missing(ints, floats, world, i):
    """(x, y, z): where the centre of mass should be, less where it is."""
    table, (at, _) = own_table(ints, i), own_numbers(ints, i)
    masses, count = ints[table], ints[table + 1]
    gx, gy, gz = floats[at], floats[at + 1], floats[at + 2]
    for k in range(count):
        _, _, x, y, z = point_after_masses(ints, floats, world, i, masses, at + 3, k)
        gx, gy, gz = gx + x / count, gy + y / count, gz + z / count
    x, y, z = center_of(ints, floats, world, i, masses, at + 3)
    return gx - x, gy - y, gz - z


@term_function
def com_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    """w·(g − c) along x, y and z; the error is ‖g − c‖ over the axes that have a weight."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    r, square = open_floats(out_at), 0.0
    missing = _missing(ints, floats, world, i)
    for k in range(3):
        w = floats[f + T_WEIGHT + k]
        r[row + k] = w * missing[k]
        square += missing[k] * missing[k] if w > 0.0 else 0.0
    open_floats(error_at)[0] = math.sqrt(square)


@term_function
def com_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, error):  # type: ignore[no-untyped-def]
    """w·∂(c − g)/∂q, three rows; g moves where it is the mean of points."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    axes, jt = open_floats(axes_at), open_floats(out_at)
    table, (at, room) = own_table(ints, i), own_numbers(ints, i)
    masses, count = ints[table], ints[table + 1]
    sum_masses(ints, floats, world, i, masses, at + 3, room)
    for k in range(3):
        w = floats[f + T_WEIGHT + k]
        if w == 0.0:
            continue
        x, y, z = w * (k == 0), w * (k == 1), w * (k == 2)
        add_center_row(ints, floats, axes, room, x, y, z, row + k, jt)
        for p in range(count):
            path, length, px, py, pz = point_after_masses(ints, floats, world, i, masses, at + 3, p)
            add_motion_row(
                ints, floats, axes, path, length, px, py, pz, -x / count, -y / count, -z / count,
                0.0, 0.0, 0.0, row + k, jt,
            )  # fmt: skip


@second_function
def com_second(  # type: ignore[no-untyped-def]
    ints_at, floats_at, q, world_at, axes_at, i, f, row, lam_at, moments_at, torques_at, s
):
    """λ·∇²r = Σ w·λ·(∇²g − ∇²c), with g the mean of the points that c shall be above."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    axes, lam, slots = open_floats(axes_at), open_floats(lam_at), int64(ints[N_SLOTS])
    moments, torques = open_table(moments_at, slots, 3), open_table(torques_at, slots, 3)
    table, (at, _) = own_table(ints, i), own_numbers(ints, i)
    masses, count = ints[table], ints[table + 1]
    x = lam[row] * floats[f + T_WEIGHT]
    y = lam[row + 1] * floats[f + T_WEIGHT + 1]
    z = lam[row + 2] * floats[f + T_WEIGHT + 2]
    add_center_moments(ints, floats, world, axes, i, masses, at + 3, x, y, z, moments, torques)
    for p in range(count):
        path, length, px, py, pz = point_after_masses(ints, floats, world, i, masses, at + 3, p)
        add_point_moments(
            ints, floats, axes, path, length, px, py, pz, -x / count, -y / count, -z / count,
            moments, torques,
        )  # fmt: skip
