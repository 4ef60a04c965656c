"""Above: a point of a joint stays on one side of a plane, such as a floor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import int64

from limbik.figure import layout as lay
from limbik.figure.layout import N_SLOTS
from limbik.goals import terms as tm
from limbik.goals.kernels import functions as fn
from limbik.goals.kernels.rows import point_of
from limbik.goals.kernels.second_points import add_point_moments
from limbik.goals.priority import Prioritized
from limbik.jit import inner


@dataclass(frozen=True, eq=False, repr=False)
class Above(Prioritized):
    """A point of a joint stays on one side of a plane: max(0, offset − n·p(q)).

    The point is ``at`` (3,) of the joint, in its own frame.  ``normal`` (3,) points to the side
    that is allowed and is made a unit vector; without it the plane is level (the figure's up axis,
    y where it has none).  ``offset`` is the plane's distance from the origin along the normal, in
    the figure's unit: 0 is the floor.

    >>> Above("LeftToeBase")
    Above(joint='LeftToeBase')
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"offset": 0}

    joint: str
    normal: tm.Vector | None = None
    offset: float = 0.0
    at: tm.Vector = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def __post_init__(self) -> None:
        tm.joint_name(self.joint, "Above")

    @property
    def label(self) -> str:
        return self.joint

    def terms(self, scene: tm.Scene) -> list[tm.Term]:
        what = f'Above "{self.joint}"'
        joint = tm.joint_index(scene.figure, self.joint, "Above")
        usual = (0.0, 0.0, 1.0) if scene.figure.up == "z" else (0.0, 1.0, 0.0)
        normal = tm.unit_normal(usual if self.normal is None else self.normal, what)
        offset = tm.vector([self.offset], 1, f"{what}: offset")
        diagonal = tm.one_weight(self.weight, what)
        numbers = np.concatenate((offset, normal, tm.vector(self.at, 3, f"{what}: at")))
        functions = fn.TermFunctions(
            1,
            above_residual.address,
            above_jacobian.address,
            (joint,),
            numbers,
            unit="length",
            one_sided=True,
            second=above_second.address,
        )
        return [tm.Term(tm.FUNCTION, -1, weight=diagonal, functions=functions)]

    def describe(self, answered: tm.Answered) -> str:
        """Why the goal ``holds`` another one, or "": then the usual words say what is missing."""
        plane = "the floor" if self.normal is None else "its plane"
        return f"{self.joint} would go below {plane}" if answered.holds else ""

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[tm.TargetWrite]:
        return [tm.TargetWrite(0, tm.NUMBERS, tables["offset"])]


@inner
def _shortfall(ints, floats, world, i):
    """(path, its length, point p, normal n, offset − n·p) of the term at i."""
    joint, path, length = fn.own_joint(ints, i, 0)
    at, _ = fn.own_numbers(ints, i)
    x, y, z = point_of(world, joint, floats, at + 4)
    nx, ny, nz = floats[at + 1], floats[at + 2], floats[at + 3]
    return path, length, x, y, z, nx, ny, nz, floats[at] - (nx * x + ny * y + nz * z)


@fn.term_function
def above_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    short = max(_shortfall(ints, floats, world, i)[-1], 0.0)
    fn.open_floats(out_at)[row] = floats[f + lay.T_WEIGHT] * short
    fn.open_floats(error_at)[0] = short


@fn.term_function
def above_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, ahead):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    path, length, x, y, z, nx, ny, nz, short = _shortfall(ints, floats, world, i)
    w = floats[f + lay.T_WEIGHT]
    if fn.foresees(fn.open_floats(ahead), row, w, short):
        fn.add_motion_row(
            ints, floats, fn.open_floats(axes_at), path, length, x, y, z, w * nx, w * ny, w * nz,
            0.0, 0.0, 0.0, row, fn.open_floats(out_at),
        )  # fmt: skip


@fn.second_function
def above_second(  # type: ignore[no-untyped-def]
    ints_at, floats_at, q, world_at, axes_at, i, f, row, lam_at, moments_at, torques_at, s
):
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    path, length, x, y, z, nx, ny, nz, short = _shortfall(ints, floats, world, i)
    if short > 0.0:
        w, slots = fn.open_floats(lam_at)[row] * floats[f + lay.T_WEIGHT], int64(ints[N_SLOTS])
        add_point_moments(
            ints, floats, fn.open_floats(axes_at), path, length, x, y, z, w * nx, w * ny, w * nz,
            fn.open_table(moments_at, slots, 3), fn.open_table(torques_at, slots, 3),
        )  # fmt: skip
