"""Rest: stay near a pose.  It enters a problem as a diagonal, not as n more rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from limbik.equality import ByValue
from limbik.errors import FigureError, GoalError
from limbik.goals.terms import Scene, Term, Vector

if TYPE_CHECKING:
    from limbik.figure.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Rest(ByValue):
    """Stay near a pose: weight · the mean over all coordinates of (q − pose)².

    An angle counts as the arc it makes at a quarter of the figure's size, so that a weight means
    the same in metres and in centimetres.  ``pose`` (n,), or values by name, is the figure's rest
    pose unless given; ``weight`` is one number or one a coordinate.  Rest gives way to other goals
    by its weight only: a heavy one keeps them from being reached, and the result says so.  Unless
    it says another ``priority``, it has that of the goals that come last.
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"pose": None}

    weight: float | Vector = 1e-3
    pose: Vector | Mapping[str, Any] | None = None
    priority: int | None = field(default=None, kw_only=True)

    @property
    def label(self) -> str:
        return "Rest"

    def terms(self, scene: Scene) -> list[Term]:
        return []

    def as_rest(self, figure: Figure) -> Rest:
        """The same wish as a pose and weights."""
        return self

    def diagonal(self, scene: Scene) -> tuple[np.ndarray, np.ndarray]:
        """(weights (n,), pose (n,)): f gains Σ weightsᵢ·(qᵢ − poseᵢ)²."""
        figure = scene.figure
        try:
            weight = np.array(self.weight, dtype=float)
        except (TypeError, ValueError):
            raise GoalError(f"Rest: weight needs numbers, got {self.weight!r}") from None
        if weight.shape not in ((), (figure.n,)):
            raise GoalError(f"Rest: weight needs one number or {figure.n}")
        if not np.isfinite(weight).all() or (weight < 0).any():
            raise GoalError(f"Rest: weight {self.weight!r} must be finite and not negative")
        try:
            pose = figure.rest if self.pose is None else figure.single_pose(self.pose, "Rest: pose")
        except FigureError as error:
            raise GoalError(str(error)) from None
        scale = np.where(figure.slides, 1.0, scene.lever**2) / max(1, figure.n)
        return weight * scale, np.array(pose)
