"""Distance: two points of the figure are a given length apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from limbik.equality import ByValue
from limbik.errors import GoalError
from limbik.goals.terms import (
    DISTANCE,
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
class Distance(ByValue):
    """Two points of the figure are a given length apart: distance − ‖p₁(q) − p₂(q)‖.

    The points are ``at`` (3,) of ``joint`` and ``other_at`` (3,) of ``other``, each in its joint's
    own frame; ``distance`` is in the figure's unit.
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"distance": 0}

    joint: str
    other: str
    distance: float
    at: Vector = (0.0, 0.0, 0.0)
    other_at: Vector = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def __post_init__(self) -> None:
        joint_name(self.joint, "Distance")
        joint_name(self.other, "Distance")

    @property
    def label(self) -> str:
        return f"{self.joint}–{self.other}"

    def terms(self, scene: Scene) -> list[Term]:
        what = f'Distance "{self.joint}", "{self.other}"'
        joint = joint_index(scene.figure, self.joint, "Distance")
        other = joint_index(scene.figure, self.other, "Distance")
        length = float(vector([self.distance], 1, f"{what}: distance")[0])
        if length < 0:
            raise GoalError(f"{what}: distance {length:g} is negative")
        diagonal, full = weights(self.weight, 1, what)
        if full is not None:
            raise GoalError(f"{what}: weight takes one number")
        at = vector(self.at, 3, f"{what}: at")
        at2 = vector(self.other_at, 3, f"{what}: other_at")
        return [Term(DISTANCE, joint, at, other, at2, value=length, weight=diagonal)]

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[TargetWrite]:
        if (tables["distance"] < 0).any():
            raise GoalError(f"Distance {self.label}: a distance is negative")
        return [TargetWrite(0, T_VALUE, tables["distance"])]
