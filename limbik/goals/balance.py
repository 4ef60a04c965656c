"""Balance: the centre of mass, seen from above, stays inside the hull of what a figure stands on.

With a and b the ends of the hull's edge that is nearest to the centre of mass c, t the place of the
nearest point between them and u the unit vector that leads out there, the signed distance s changes
by u·(ċ − (1 − t)·ȧ − t·ḃ), inside and outside: it is exact for contacts that move, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int64

from limbik.equality import ByValue
from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.figure.kinematics import N_SLOTS
from limbik.goals.contacts import contact_points, up_axis
from limbik.goals.functions import (
    TermFunctions,
    add_motion_row,
    open_floats,
    open_ints,
    own_joint,
    own_numbers,
    own_table,
    term_function,
)
from limbik.goals.mass_sums import MASS, add_center_row, center_of, masses_of, sum_masses
from limbik.goals.rows import point_of
from limbik.goals.terms import FUNCTION, T_WEIGHT, Scene, Term, vector, weights
from limbik.jit import inner
from limbik.maths.planar_hull import hull_distance, planar_hull

SLACK = 1e-4
"""Of the figure's size: how much further inside than the margin the goal asks for."""


@dataclass(frozen=True, eq=False, repr=False)
class Balance(ByValue):
    """The centre of mass stays above what the figure stands on: max(0, margin + s(q)).

    s is the distance, seen from above, of the centre of mass from the convex hull of the contact
    points, negative inside.  ``support`` has names of joints, and pairs (joint, point in its
    frame).  A joint without a point stands for its sole: the outline, from above in the rest pose,
    of the shapes that follow it and the joints below it.  ``margin`` is how far inside the hull
    the centre of mass has to be, in the figure's unit.

    The goal is met when the centre of mass is inside, not only within a tolerance of it.

    >>> Balance(["LeftFoot", "RightFoot"], margin=0.02).label
    'balance'
    """

    support: Any
    margin: float = 0.0
    weight: float = 100.0

    @property
    def label(self) -> str:
        return "balance"

    def terms(self, scene: Scene) -> list[Term]:
        figure = scene.figure
        joints, numbers = masses_of(figure, "Balance")
        points = contact_points(figure, self.support, "Balance")
        margin = vector([self.margin], 1, "Balance: margin")
        diagonal, full = weights(self.weight, 1, "Balance")
        if full is not None:
            raise GoalError("Balance: weight takes one number")
        slack, up, count = SLACK * figure.size, up_axis(figure), len(points)
        functions = TermFunctions(
            1, balance_residual.address, balance_jacobian.address,
            (*joints, *(joint for joint, _ in points)),
            np.concatenate((margin + slack, numbers, *(point for _, point in points))),
            room=MASS * len(figure.tree.slots) + 4 * count,
            table=np.array([len(joints), count, (up + 1) % 3, (up + 2) % 3]),
            unit="length", tolerance=slack,
        )  # fmt: skip
        return [Term(FUNCTION, -1, weight=diagonal, functions=functions)]

    def outside(self, figure: Figure, q: np.ndarray) -> float:
        """How far the centre of mass is outside the hull in a pose q (n,); negative inside."""
        points = contact_points(figure, self.support, "Balance")
        frames, up = figure.frames(q), up_axis(figure)
        level = [(up + 1) % 3, (up + 2) % 3]
        corners = np.array([(frames[j, :3, :3] @ p + frames[j, :3, 3])[level] for j, p in points])
        hull = np.empty(len(points) + 1)
        found = planar_hull(corners.ravel(), len(points), hull)
        x, y = figure.com(q)[level]
        return float(hull_distance(corners.ravel(), hull, found, x, y)[0])

    def describe(self, figure: Figure, q: np.ndarray, amount: str, holds: bool) -> str:
        """What is missing, or why the goal holds another one."""
        if holds:
            return "the centre of mass would leave the support"
        return f"the centre of mass is {amount} outside the support" + (
            f" with its margin of {self.margin:g}" if self.margin else ""
        )


@inner
def _nearest(ints, floats, world, i, masses, count, table, at, room):
    """hull_distance of the centre of mass; corners go to floats[room:], 4 floats per contact."""
    one, two = ints[table + 2], ints[table + 3]
    first = at + 1 + MASS * masses
    for k in range(count):
        joint, _, _ = own_joint(ints, i, masses + k)
        point = point_of(world, joint, floats, first + 3 * k)
        floats[room + 2 * k] = point[one]
        floats[room + 2 * k + 1] = point[two]
    center = center_of(ints, floats, world, i, masses, at + 1)
    corners, hull = floats[room : room + 2 * count], floats[room + 2 * count : room + 4 * count]
    found = planar_hull(corners, count, hull)
    return hull_distance(corners, hull, found, center[one], center[two])


@term_function
def balance_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    table, (at, room) = own_table(ints, i), own_numbers(ints, i)
    masses, count = int64(ints[table]), int64(ints[table + 1])
    corners = room + MASS * ints[N_SLOTS]
    s = _nearest(ints, floats, world, i, masses, count, table, at, corners)[0]
    short = max(floats[at] + s, 0.0)
    open_floats(out_at)[row] = floats[f + T_WEIGHT] * short
    open_floats(error_at)[0] = short


@term_function
def balance_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, error):  # type: ignore[no-untyped-def]
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    axes, jt = open_floats(axes_at), open_floats(out_at)
    table, (at, room) = own_table(ints, i), own_numbers(ints, i)
    masses, count = int64(ints[table]), int64(ints[table + 1])
    corners = room + MASS * ints[N_SLOTS]
    s, ux, uy, a, b, t = _nearest(
        ints, floats, world, i, masses, count, table, at, corners
    )  # fmt: skip
    if floats[at] + s <= 0.0:
        return
    one, two, w = ints[table + 2], ints[table + 3], floats[f + T_WEIGHT]
    ux, uy = w * ux, w * uy
    lx = ux * (one == 0) + uy * (two == 0)
    ly = ux * (one == 1) + uy * (two == 1)
    lz = ux * (one == 2) + uy * (two == 2)
    sum_masses(ints, floats, world, i, masses, at + 1, room)
    add_center_row(ints, floats, axes, room, -lx, -ly, -lz, row, jt)
    for end in range(2):
        k, share = (a, 1.0 - t) if end == 0 else (b, t)
        joint, path, length = own_joint(ints, i, masses + k)
        x, y, z = point_of(world, joint, floats, at + 1 + MASS * masses + 3 * k)
        add_motion_row(
            ints, floats, axes, path, length, x, y, z, share * lx, share * ly, share * lz,
            0.0, 0.0, 0.0, row, jt,
        )  # fmt: skip
