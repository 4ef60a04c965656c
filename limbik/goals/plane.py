"""Plane: a point of a joint lies in a plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from limbik.errors import GoalError
from limbik.figure import layout as lay
from limbik.goals import terms as tm
from limbik.goals.priority import Prioritized


@dataclass(frozen=True, eq=False, repr=False)
class Plane(Prioritized):
    """A point of a joint lies in a plane: offset − n·p(q).

    ``at`` (3,) is the point, in the joint's own frame; the plane is n·p = ``offset``.  ``normal``
    (3,) is made a unit vector; ``offset`` is then a length in the figure's unit.
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"normal": 3, "offset": 0}

    joint: str
    normal: tm.Vector
    offset: float
    at: tm.Vector = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def __post_init__(self) -> None:
        tm.joint_name(self.joint, "Plane")

    @property
    def label(self) -> str:
        return self.joint

    def terms(self, scene: tm.Scene) -> list[tm.Term]:
        what = f'Plane "{self.joint}"'
        joint = tm.joint_index(scene.figure, self.joint, "Plane")
        normal = tm.unit_normal(self.normal, what)
        offset = float(tm.vector([self.offset], 1, f"{what}: offset")[0])
        diagonal = tm.one_weight(self.weight, what)
        at = tm.vector(self.at, 3, f"{what}: at")
        return [tm.Term(tm.PLANE, joint, at, point=normal, value=offset, weight=diagonal)]

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[tm.TargetWrite]:
        writes = []
        if "normal" in tables:
            lengths = np.linalg.norm(tables["normal"], axis=-1, keepdims=True)
            if (lengths < 1e-12).any():
                raise GoalError(f'Plane "{self.joint}": normal has zero length')
            writes.append(tm.TargetWrite(0, lay.T_POINT, tables["normal"] / lengths))
        if "offset" in tables:
            writes.append(tm.TargetWrite(0, lay.T_VALUE, tables["offset"]))
        return writes
