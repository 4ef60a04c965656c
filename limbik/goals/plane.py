"""Plane: a point of a joint lies in a plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from limbik.equality import ByValue
from limbik.errors import GoalError
from limbik.goals.terms import (
    PLANE,
    T_POINT,
    T_VALUE,
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
class Plane(ByValue):
    """A point of a joint lies in a plane: offset − n·p(q).

    ``at`` (3,) is the point, in the joint's own frame; the plane is n·p = ``offset``.  ``normal``
    (3,) is made a unit vector; ``offset`` is then a length in the figure's unit.
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"normal": 3, "offset": 0}

    joint: str
    normal: Vector
    offset: float
    at: Vector = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def __post_init__(self) -> None:
        joint_name(self.joint, "Plane")

    @property
    def label(self) -> str:
        return self.joint

    def terms(self, scene: Scene) -> list[Term]:
        what = f'Plane "{self.joint}"'
        joint = joint_index(scene.figure, self.joint, "Plane")
        normal = vector(self.normal, 3, f"{what}: normal")
        length = float(np.linalg.norm(normal))
        if length < 1e-12:
            raise GoalError(f"{what}: normal has zero length")
        offset = float(vector([self.offset], 1, f"{what}: offset")[0])
        diagonal, full = weights(self.weight, 1, what)
        if full is not None:
            raise GoalError(f"{what}: weight takes one number")
        at = vector(self.at, 3, f"{what}: at")
        return [Term(PLANE, joint, at, point=normal / length, value=offset, weight=diagonal)]

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[TargetWrite]:
        writes = []
        if "normal" in tables:
            lengths = np.linalg.norm(tables["normal"], axis=-1, keepdims=True)
            if (lengths < 1e-12).any():
                raise GoalError(f'Plane "{self.joint}": normal has zero length')
            writes.append(TargetWrite(0, T_POINT, tables["normal"] / lengths))
        if "offset" in tables:
            writes.append(TargetWrite(0, T_VALUE, tables["offset"]))
        return writes
