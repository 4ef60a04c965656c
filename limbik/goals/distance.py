"""Distance: two points of the figure are a given length apart."""

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
class Distance(Prioritized):
    """Two points of the figure are a given length apart: distance − ‖p₁(q) − p₂(q)‖.

    The points are ``at`` (3,) of ``joint`` and ``other_at`` (3,) of ``other``, each in its joint's
    own frame; ``distance`` is in the figure's unit.
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"distance": 0}

    joint: str
    other: str
    distance: float
    at: tm.Vector = (0.0, 0.0, 0.0)
    other_at: tm.Vector = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def __post_init__(self) -> None:
        tm.joint_name(self.joint, "Distance")
        tm.joint_name(self.other, "Distance")

    @property
    def label(self) -> str:
        return f"{self.joint}–{self.other}"

    def terms(self, scene: tm.Scene) -> list[tm.Term]:
        what = f'Distance "{self.joint}", "{self.other}"'
        joint = tm.joint_index(scene.figure, self.joint, "Distance")
        other = tm.joint_index(scene.figure, self.other, "Distance")
        length = float(tm.vector([self.distance], 1, f"{what}: distance")[0])
        if length < 0:
            raise GoalError(f"{what}: distance {length:g} is negative")
        diagonal = tm.one_weight(self.weight, what)
        at = tm.vector(self.at, 3, f"{what}: at")
        at2 = tm.vector(self.other_at, 3, f"{what}: other_at")
        return [tm.Term(tm.DISTANCE, joint, at, other, at2, value=length, weight=diagonal)]

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[tm.TargetWrite]:
        if (tables["distance"] < 0).any():
            raise GoalError(f"Distance {self.label}: a distance is negative")
        return [tm.TargetWrite(0, lay.T_VALUE, tables["distance"])]
