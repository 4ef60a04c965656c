"""A clip under the timeline: poses over time, without the figure, whose limits may be edited."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from limbik.errors import LimbikError
from limbik.figure import Figure
from limbik.motion import Motion
from limbik.poser.saved import Saved

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

    @cached_property
    def _packed(self) -> str:
        """The poses as text, made once: a clip is saved again and again and never changes."""
        packed = zlib.compress(self.q.astype("<f8").tobytes(), 1)
        return base64.b64encode(packed).decode("ascii")

    def to_json(self) -> dict[str, Any]:
        frames, n = self.q.shape
        return {"frames": frames, "n": n, "fps": self.fps, "name": self.name, "q": self._packed}

    @classmethod
    def from_json(cls, saved: object, n: int) -> Clip:
        """What ``to_json`` gave, for a figure of ``n`` coordinates; anything else is refused."""
        data = Saved(saved, "clip")
        frames = data.whole("frames", 1, MOST_FRAMES)
        if data.whole("n", 0) != n:
            raise LimbikError(f"clip: is of a figure of {data.get('n')} coordinates, not {n}")
        size = 8 * frames * n
        try:
            packed = base64.b64decode(data.text("q", None), validate=True)
            # One byte more than is wanted: a longer content must not fill the memory.
            raw = zlib.decompressobj().decompress(packed, size + 1)
        except (ValueError, zlib.error) as error:
            raise LimbikError(f"clip: its poses cannot be read: {error}") from error
        if len(raw) != size:
            raise LimbikError(f"clip: its poses are not {frames} of {n} values")
        q = np.frombuffer(raw, dtype="<f8").reshape(frames, n)
        return cls(q, data.number("fps", above=0.0), data.text("name"))
