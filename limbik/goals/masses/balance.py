"""Balance: the centre of mass, seen from above, stays inside the hull of what a figure stands on.

The residual is the distance of the centre of mass from what lies deeper inside the hull than the
margin.  Its square has a continuous gradient, at the hull's corners too, and its derivative is
exact for contacts that move (maths/planar_hull.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int64, uint32

from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.figure.layout import N_COORDS, N_SLOTS, T_WEIGHT
from limbik.goals.kernels.functions import (
    ANY_COST,
    TermFunctions,
    add_motion_row,
    foresees,
    open_floats,
    open_ints,
    open_table,
    own_joint,
    own_numbers,
    own_table,
    second_function,
    term_function,
)
from limbik.goals.kernels.second_points import add_columns, add_point_moments
from limbik.goals.masses.contacts import contact_points, up_axis
from limbik.goals.masses.hull_curvature import PER_COORDINATE, add_turns, turn_edges
from limbik.goals.masses.mass_sums import (
    MASS,
    add_center_moments,
    add_center_row,
    center_of,
    mass_at,
    masses_of,
    point_after_masses,
    sum_masses,
)
from limbik.goals.priority import Prioritized
from limbik.goals.terms import FUNCTION, Answered, Scene, Term, vector, weights
from limbik.jit import inner
from limbik.maths.planar_hull import EDGE, LINE, NEAREST, hull_depth, hull_shortfall, planar_hull

SLACK = 1e-4
"""Of the figure's size: how much further inside than the margin the goal asks for."""


@dataclass(frozen=True, eq=False, repr=False)
class Balance(Prioritized):
    """The centre of mass stays above what the figure stands on.

    Seen from above, it lies in the convex hull of the contact points, by ``margin`` inside its
    edge (in the figure's unit); the residual is the distance from there.  ``support`` has names of
    joints, and pairs (joint, point in its frame).  A joint without a point stands for its sole: the
    outline, from above in the rest pose, of the shapes that follow it and the joints below it.
    Contacts move with the pose.

    The goal is met when the centre of mass is inside, not only within a tolerance of it.

    >>> Balance(["LeftFoot", "RightFoot"], margin=0.02).label
    'balance'
    """

    support: Any
    margin: float = 0.0
    weight: float = 1.0

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
        room = NEAREST + (3 + LINE) * count + MASS * len(figure.tree.slots)
        functions = TermFunctions(
            1, balance_residual.address, balance_jacobian.address,
            (*joints, *(joint for joint, _ in points)),
            np.concatenate((margin, [slack], numbers, *(point for _, point in points))),
            room=room + PER_COORDINATE * figure.n,
            table=np.array([len(joints), count, (up + 1) % 3, (up + 2) % 3]),
            unit="length", tolerance=slack, one_sided=True, second=balance_second.address,
        )  # fmt: skip
        return [Term(FUNCTION, -1, weight=diagonal, functions=functions)]

    def outside(self, figure: Figure, q: np.ndarray) -> float:
        """How far the centre of mass is outside the hull in a pose q (n,); negative inside.

        Args:
            figure: with masses.
            q: a pose (n,).

        Returns:
            A length in the figure's unit.

        Raises:
            FigureError: the figure has no masses.
            GoalError: it stands on nothing.
        """
        points = contact_points(figure, self.support, "Balance")
        frames, up = figure.frames(q), up_axis(figure)
        level = [(up + 1) % 3, (up + 2) % 3]
        corners = np.array([(frames[j, :3, :3] @ p + frames[j, :3, 3])[level] for j, p in points])
        flat, hull, lines = corners.ravel(), np.empty(len(points)), np.empty(LINE * len(points))
        found = planar_hull(flat, len(points), hull, lines)
        x, y = figure.com(q)[level]
        out = hull_shortfall(flat, hull, lines, found, x, y, 0.0, np.empty(NEAREST))
        return float(out if out > 0.0 else hull_depth(lines, found, x, y))

    def describe(self, answered: Answered) -> str:
        """What is missing, or why the goal ``holds`` another one."""
        outside = self.outside(answered.figure, answered.q)
        away = f"{answered.text(outside)} outside its support"
        if answered.holds:
            if outside <= SLACK * answered.figure.size:
                away = "at the edge of its support"
            return f"the body would fall: its centre of mass is {away}"
        if outside <= 0.0:
            away = f"only {answered.text(-outside)} inside the edge of its support"
        return f"the centre of mass is {away.replace('its', 'the')}"


@inner
def _shortfall(ints, floats, world, i, masses, count, table, at, room):
    """(h, how far the centre of mass is from the hull's nearest point, whether that is a contact of
    a hull without an inside, its place (2) seen from above): h is hull_shortfall, or inside, where
    that is 0, minus the distance from the edge; its result is at floats[room:room + NEAREST]."""
    one, two = ints[table + 2], ints[table + 3]
    corners_at = room + NEAREST
    for k in range(count):
        point = point_after_masses(ints, floats, world, i, masses, at + 2, k)[2:]
        floats[corners_at + 2 * k] = point[one]
        floats[corners_at + 2 * k + 1] = point[two]
    center = center_of(ints, floats, world, i, masses, at + 2)
    hull_at = corners_at + 2 * count
    corners, hull = floats[corners_at:hull_at], floats[hull_at : hull_at + count]
    lines = floats[hull_at + count : hull_at + (1 + LINE) * count]
    found = planar_hull(corners, count, hull, lines)
    x, y = center[one], center[two]
    margin = floats[at] + floats[at + 1] if found > 2 else floats[at]
    short = hull_shortfall(corners, hull, lines, found, x, y, margin, floats[room : room + NEAREST])
    if found > 2:
        if short == 0.0:
            short = hull_depth(lines, found, x, y) + margin
        return short, short, False, x, y
    part = floats[room + 7]
    return short, short - margin, found < 2 or part == 0.0 or part == 1.0, x, y


@inner
def _pull_on_contact(ints, floats, world, i, masses, table, at, room, w, end):
    """(path, its length, point p, w·∂shortfall/∂p) of the contact at ``end`` (0 to 3) of the two
    nearest edges of the hull; the length is 0 where the shortfall does not depend on it."""
    edge = room + 2 + EDGE * (end // 2)
    share = w * floats[edge + 4]
    share *= floats[edge + 5] if end % 2 else 1.0 - floats[edge + 5]
    if share == 0.0:
        return uint32(0), uint32(0), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k = int64(floats[edge + end % 2])
    path, length, px, py, pz = point_after_masses(ints, floats, world, i, masses, at + 2, k)
    x, y, z = _level(
        ints[table + 2], ints[table + 3], share * floats[edge + 2], share * floats[edge + 3]
    )
    return path, length, px, py, pz, x, y, z


@term_function
def balance_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    """w·max(0, h) with h of ``_shortfall``; the error is max(0, h), a length."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    table, (at, room) = own_table(ints, i), own_numbers(ints, i)
    masses, count = int64(ints[table]), int64(ints[table + 1])
    short = max(_shortfall(ints, floats, world, i, masses, count, table, at, room)[0], 0.0)
    open_floats(out_at)[row] = floats[f + T_WEIGHT] * short
    open_floats(error_at)[0] = short


@term_function
def balance_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, ahead_at):  # type: ignore[no-untyped-def]
    """−w·∂h/∂q: how the centre of mass and the nearest contacts move along the way that is
    short."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    axes, jt = open_floats(axes_at), open_floats(out_at)
    table, (at, room) = own_table(ints, i), own_numbers(ints, i)
    masses, count = int64(ints[table]), int64(ints[table + 1])
    short, _, _, _, _ = _shortfall(ints, floats, world, i, masses, count, table, at, room)
    ahead, w = open_floats(ahead_at), floats[f + T_WEIGHT]
    if short <= 0.0 and (ahead[0] < ANY_COST or not foresees(ahead, row, w, short)):
        return
    one, two = ints[table + 2], ints[table + 3]
    sums = room + NEAREST + (3 + LINE) * count
    sum_masses(ints, floats, world, i, masses, at + 2, sums)
    x, y, z = _level(one, two, -w * floats[room], -w * floats[room + 1])
    add_center_row(ints, floats, axes, sums, x, y, z, row, jt)
    for end in range(4):
        path, length, px, py, pz, x, y, z = _pull_on_contact(
            ints, floats, world, i, masses, table, at, room, w, end
        )
        add_motion_row(
            ints, floats, axes, path, length, px, py, pz, x, y, z, 0.0, 0.0, 0.0, row, jt
        )


@second_function
def balance_second(  # type: ignore[no-untyped-def]
    ints_at, floats_at, q, world_at, axes_at, i, f, row, lam_at, moments_at, torques_at, s_at
):
    """What the centre of mass and the contacts add, and that edges turn (hull_curvature.py)."""
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    axes, slots = open_floats(axes_at), int64(ints[N_SLOTS])
    moments, torques = open_table(moments_at, slots, 3), open_table(torques_at, slots, 3)
    table, (at, room) = own_table(ints, i), own_numbers(ints, i)
    masses, count = int64(ints[table]), int64(ints[table + 1])
    short, d, flat, cx, cy = _shortfall(ints, floats, world, i, masses, count, table, at, room)
    if short <= 0.0:
        return
    one, two = ints[table + 2], ints[table + 3]
    w = open_floats(lam_at)[row] * floats[f + T_WEIGHT]
    x, y, z = _level(one, two, -w * floats[room], -w * floats[room + 1])
    add_center_moments(ints, floats, world, axes, i, masses, at + 2, x, y, z, moments, torques)
    for end in range(4):
        path, length, px, py, pz, x, y, z = _pull_on_contact(
            ints, floats, world, i, masses, table, at, room, w, end
        )
        add_point_moments(ints, floats, axes, path, length, px, py, pz, x, y, z, moments, torques)
    n = int64(ints[N_COORDS])
    if d <= 0.0:
        return
    columns = room + NEAREST + (3 + LINE) * count + MASS * slots
    _take_columns(ints, floats, world, axes, i, masses, at, room, columns, n)
    t1, o1, t2, o2 = turn_edges(
        ints, floats, columns, room, room + NEAREST, cx, cy, d, flat, one, two
    )
    share, other = (0.0, 0.0) if flat else (floats[room + 6], floats[room + 6 + EDGE])
    add_turns(ints, floats, columns, w, share, t1, o1, other, t2, o2, d, open_table(s_at, n, n))


@inner
def _take_columns(ints, floats, world, axes, i, masses, at, room, first, n):
    """How each coordinate moves the centre of mass and the ends of the two nearest edges, as POINTS
    tables (n, 3) from floats[first] on."""
    columns = floats[first : first + 3 * n].reshape((n, 3))
    for k in range(PER_COORDINATE * n):
        floats[first + k] = 0.0
    for k in range(masses):
        x, y, z, m = mass_at(ints, floats, world, i, k, at + 2)
        _, path, length = own_joint(ints, i, k)
        add_columns(ints, floats, axes, path, length, x / m, y / m, z / m, m, columns)
    for end in range(4):
        k = int64(floats[room + 2 + EDGE * (end // 2) + end % 2])
        path, length, x, y, z = point_after_masses(ints, floats, world, i, masses, at + 2, k)
        first += 3 * n
        columns = floats[first : first + 3 * n].reshape((n, 3))
        add_columns(ints, floats, axes, path, length, x, y, z, 1.0, columns)


@inner
def _level(one, two, a, b):
    """(x, y, z) with a and b along two of the axes."""
    return (
        a * (one == 0) + b * (two == 0),
        a * (one == 1) + b * (two == 1),
        a * (one == 2) + b * (two == 2),
    )
