"""FarFromLimits: a wish that joints stay in the middle of their ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.goals.rest import Rest
from limbik.goals.terms import Scene


@dataclass(frozen=True, eq=False, repr=False)
class FarFromLimits(Rest):
    """Stay away from limits: weight · lever² · the mean of ((q − middle) / half the range)².

    The mean is over all coordinates that have a range; a cone counts as its bounding range, and the
    lever is a quarter of the figure's size.  Like Rest it is a wish: it is never short, it gives
    way to other goals by its weight, and has the priority of the goals that come last unless it
    says another.  With ``priority=1`` it takes all that goals of priority 0 leave free.

    >>> reach = limbik.Reach("LeftHand", position=[0.3, 1.2, 0.3])
    >>> limbik.solve(fig, [reach, FarFromLimits(priority=1)]).ok
    True
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {}

    weight: float = 1e-3
    pose: None = field(default=None, init=False)

    @property
    def label(self) -> str:
        return "FarFromLimits"

    def as_rest(self, figure: Figure) -> Rest:
        if not isinstance(self.weight, int | float) or not 0.0 <= self.weight < np.inf:
            raise GoalError(f"FarFromLimits: weight {self.weight!r} must be a finite number ≥ 0")
        ranged = np.isfinite(figure.lower) & np.isfinite(figure.upper)
        ranged &= figure.upper > figure.lower
        lower, upper = np.where(ranged, (figure.lower, figure.upper), figure.rest)
        half = 0.5 * (upper - lower)
        # A Rest weighs a coordinate by lever² / n where it turns, and by 1 / n where it slides.
        unit = np.where(figure.slides, (figure.size / 4) ** 2, 1.0) * figure.n
        share = np.divide(
            unit, half**2 * max(1, ranged.sum()), out=np.zeros(figure.n), where=ranged
        )
        return Rest(self.weight * share, pose=0.5 * (lower + upper), priority=self.priority)

    def diagonal(self, scene: Scene) -> tuple[np.ndarray, np.ndarray]:
        return self.as_rest(scene.figure).diagonal(scene)
