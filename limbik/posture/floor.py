"""Floor: many points of a figure stay above one plane, as one goal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int64

from limbik.errors import GoalError
from limbik.figure import layout as lay
from limbik.figure.figure import Figure
from limbik.goals import terms as tm
from limbik.goals.kernels import functions as fn
from limbik.goals.kernels.rows import point_of
from limbik.goals.kernels.second_points import add_point_moments
from limbik.goals.masses.contacts import up_axis
from limbik.goals.priority import Prioritized
from limbik.posture.floor_points import floor_points


@dataclass(frozen=True, eq=False, repr=False)
class Floor(Prioritized):
    """Points of a figure stay above a floor: max(0, height + clearance − up·p(q)) for each.

    ``height`` is the floor's, along the figure's up axis (y where it has none), in its unit.
    ``points`` are (joint, at, clearance): a point in the joint's own frame, and how far above the
    floor it must stay.  Unless given they are the heels, balls of the feet, toes, knees, palms,
    fingertips, elbows, hips and head of a body, and the ends of any other figure.

    >>> Floor(0.0).label
    'the floor'
    """

    height: float = 0.0
    points: Iterable[Any] | None = None
    weight: float = 1.0

    @property
    def label(self) -> str:
        return "the floor"

    def terms(self, scene: tm.Scene) -> list[tm.Term]:
        figure = scene.figure
        joints, numbers = self._table(figure)
        count = len(joints)
        weight = tm.one_weight(self.weight, "Floor")
        functions = fn.TermFunctions(
            count, floor_residual.address, floor_jacobian.address, tuple(joints), numbers.ravel(),
            table=np.array([count, up_axis(figure)]), unit="length", one_sided=True,
            second=floor_second.address,
        )  # fmt: skip
        return [tm.Term(tm.FUNCTION, -1, weight=weight, functions=functions)]

    def depths(self, figure: Figure, q: np.ndarray) -> list[tuple[str, float]]:
        """(joint, how far the point is below where it must be) of each point in a pose q (n,);
        negative above.

        Args:
            figure: whose points they are.
            q: a pose (n,).

        Returns:
            Lengths in the figure's unit.
        """
        joints, numbers = self._table(figure)
        frames, up = figure.frames(q), up_axis(figure)
        return [
            (figure.joints[j], float(row[0] - (frames[j, up, :3] @ row[1:] + frames[j, up, 3])))
            for j, row in zip(joints, numbers, strict=True)
        ]

    def describe(self, answered: tm.Answered) -> str:
        """What is below the floor, or what stands on it."""
        joint, depth = max(self.depths(answered.figure, answered.q), key=lambda one: one[1])
        if answered.holds:
            return f"{joint} is on the floor"
        return f"{joint} is {answered.text(depth)} below the floor"

    def _table(self, figure: Figure) -> tuple[list[int], np.ndarray]:
        """(joints, (points, 4): how high each must be, and where it is on its joint)."""
        height = float(tm.vector([self.height], 1, "Floor: height")[0])
        given = floor_points(figure) if self.points is None else self.points
        joints, rows = [], []
        for entry in given:
            try:
                name, at, clearance = entry
            except (TypeError, ValueError):
                raise GoalError(f"Floor: needs (joint, at, clearance), got {entry!r}") from None
            joints.append(tm.joint_index(figure, name, "Floor"))
            point = tm.vector(at, 3, f'Floor: "{name}"')
            room = float(tm.vector([clearance], 1, f'Floor: clearance of "{name}"')[0])
            rows.append([height + room, *point])
        if not joints:
            raise GoalError("Floor: needs a point")
        return joints, np.array(rows)


@fn.term_function
def floor_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    out, table = fn.open_floats(out_at), fn.own_table(ints, i)
    at, _ = fn.own_numbers(ints, i)
    count, up = int64(ints[table]), int64(ints[table + 1])
    w, worst = floats[f + lay.T_WEIGHT], 0.0
    for k in range(count):
        joint, _, _ = fn.own_joint(ints, i, k)
        point = point_of(world, joint, floats, at + 4 * k + 1)
        high = point[0] if up == 0 else (point[1] if up == 1 else point[2])
        short = max(floats[at + 4 * k] - high, 0.0)
        out[row + k] = w * short
        worst = max(worst, short)
    fn.open_floats(error_at)[0] = worst


@fn.term_function
def floor_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, ahead):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    axes, jt, table = fn.open_floats(axes_at), fn.open_floats(out_at), fn.own_table(ints, i)
    at, _ = fn.own_numbers(ints, i)
    count, up = int64(ints[table]), int64(ints[table + 1])
    w = floats[f + lay.T_WEIGHT]
    for k in range(count):
        joint, path, length = fn.own_joint(ints, i, k)
        x, y, z = point_of(world, joint, floats, at + 4 * k + 1)
        high = x if up == 0 else (y if up == 1 else z)
        short = floats[at + 4 * k] - high
        if fn.foresees(fn.open_floats(ahead), row + k, w, short):
            fn.add_motion_row(
                ints, floats, axes, path, length, x, y, z,
                w * (up == 0), w * (up == 1), w * (up == 2), 0.0, 0.0, 0.0, row + k, jt,
            )  # fmt: skip


@fn.second_function
def floor_second(  # type: ignore[no-untyped-def]
    ints_at, floats_at, q, world_at, axes_at, i, f, row, lam_at, moments_at, torques_at, s
):
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    axes, lam, table = fn.open_floats(axes_at), fn.open_floats(lam_at), fn.own_table(ints, i)
    at, _ = fn.own_numbers(ints, i)
    count, up, slots = int64(ints[table]), int64(ints[table + 1]), int64(ints[lay.N_SLOTS])
    for k in range(count):
        joint, path, length = fn.own_joint(ints, i, k)
        x, y, z = point_of(world, joint, floats, at + 4 * k + 1)
        high = x if up == 0 else (y if up == 1 else z)
        if floats[at + 4 * k] > high:
            w = lam[row + k] * floats[f + lay.T_WEIGHT]
            add_point_moments(
                ints, floats, axes, path, length, x, y, z,
                w * (up == 0), w * (up == 1), w * (up == 2),
                fn.open_table(moments_at, slots, 3), fn.open_table(torques_at, slots, 3),
            )  # fmt: skip
