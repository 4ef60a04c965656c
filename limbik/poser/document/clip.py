"""A clip under the timeline: poses over time, without the figure, whose limits may be edited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion

MOST_FRAMES = 1_000_000


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion that is edited: ``q`` (frames, n) as its file has it, limits not looked at."""

    q: np.ndarray
    fps: float
    name: str = ""

    def __post_init__(self) -> None:
        q = np.array(self.q, dtype=np.float64, order="C")
        if q.ndim != 2 or len(q) == 0 or not np.isfinite(q).all():
            raise LimbikError(f'clip "{self.name}": needs finite poses, got shape {q.shape}')
        if len(q) > MOST_FRAMES:
            raise LimbikError(f'clip "{self.name}": {len(q):,} frames, at most {MOST_FRAMES:,}')
        q.setflags(write=False)
        object.__setattr__(self, "q", q)

    @classmethod
    def of(cls, motion: Motion) -> Clip:
        """The clip of a motion."""
        return cls(motion.q, motion.fps, motion.name)

    def motion(self, figure: Figure) -> Motion:
        """The clip, unedited, on a figure that has its coordinates."""
        return Motion(figure, self.q, self.fps, self.name)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Clip)
            and (self.name, self.fps) == (other.name, other.fps)
            and np.array_equal(self.q, other.q)
        )

    def __hash__(self) -> int:
        return hash((self.name, self.fps, self.q.shape))
