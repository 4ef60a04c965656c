"""Above: a point of a joint stays on one side of a plane, such as a floor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from limbik.equality import ByValue
from limbik.errors import GoalError
from limbik.goals.functions import (
    TermFunctions,
    add_motion_row,
    open_floats,
    open_ints,
    own_joint,
    own_numbers,
    term_function,
)
from limbik.goals.rows import point_of
from limbik.goals.terms import (
    FUNCTION,
    NUMBERS,
    T_WEIGHT,
    Scene,
    TargetWrite,
    Term,
    Vector,
    joint_index,
    joint_name,
    vector,
    weights,
)


@dataclass(frozen=True, eq=False, repr=False)
class Above(ByValue):
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
    normal: Vector | None = None
    offset: float = 0.0
    at: Vector = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def __post_init__(self) -> None:
        joint_name(self.joint, "Above")

    @property
    def label(self) -> str:
        return self.joint

    def terms(self, scene: Scene) -> list[Term]:
        what = f'Above "{self.joint}"'
        joint = joint_index(scene.figure, self.joint, "Above")
        usual = (0.0, 0.0, 1.0) if scene.figure.up == "z" else (0.0, 1.0, 0.0)
        normal = vector(usual if self.normal is None else self.normal, 3, f"{what}: normal")
        length = float(np.linalg.norm(normal))
        if length < 1e-12:
            raise GoalError(f"{what}: normal has zero length")
        offset = vector([self.offset], 1, f"{what}: offset")
        diagonal, full = weights(self.weight, 1, what)
        if full is not None:
            raise GoalError(f"{what}: weight takes one number")
        numbers = np.concatenate((offset, normal / length, vector(self.at, 3, f"{what}: at")))
        functions = TermFunctions(
            1, above_residual.address, above_jacobian.address, (joint,), numbers, unit="length"
        )
        return [Term(FUNCTION, -1, weight=diagonal, functions=functions)]

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[TargetWrite]:
        return [TargetWrite(0, NUMBERS, tables["offset"])]


@term_function
def above_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    joint, _, _ = own_joint(ints, i, 0)
    at, _ = own_numbers(ints, i)
    x, y, z = point_of(world, joint, floats, at + 4)
    short = floats[at] - (floats[at + 1] * x + floats[at + 2] * y + floats[at + 3] * z)
    short = max(short, 0.0)
    open_floats(out_at)[row] = floats[f + T_WEIGHT] * short
    open_floats(error_at)[0] = short


@term_function
def above_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, error):  # type: ignore[no-untyped-def]
    ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
    joint, path, length = own_joint(ints, i, 0)
    at, _ = own_numbers(ints, i)
    x, y, z = point_of(world, joint, floats, at + 4)
    nx, ny, nz = floats[at + 1], floats[at + 2], floats[at + 3]
    if floats[at] - (nx * x + ny * y + nz * z) > 0.0:
        w = floats[f + T_WEIGHT]
        add_motion_row(
            ints, floats, open_floats(axes_at), path, length, x, y, z, w * nx, w * ny, w * nz,
            0.0, 0.0, 0.0, row, open_floats(out_at),
        )  # fmt: skip
