"""An effector: a point of a joint that a person holds, pins or aims."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]
Mode = Literal["free", "pin", "aim"]

MOST_EFFECTORS = 100
LAST_ID = 0xFFFF
"""The largest id that a drag can name."""
HEAVIEST = 1e6
"""The largest weight."""


@dataclass(frozen=True)
class Effector:
    """A point of a joint and what is wanted of it.

    "pin" holds ``position`` (and ``wxyz`` where it is not None) whatever else moves; "aim" keeps
    the joint's ``axis`` pointing at ``position``; "free" holds only while it is dragged.
    ``at`` and ``axis`` are in the joint's own frame, ``position`` and ``wxyz`` in the world, all in
    the figure's unit.
    """

    id: int
    joint: str
    at: Vec3 = (0.0, 0.0, 0.0)
    mode: Mode = "free"
    position: Vec3 = (0.0, 0.0, 0.0)
    wxyz: Vec4 | None = None
    weight: float = 1.0
    rotation_weight: float = 1.0
    axis: Vec3 = (0.0, 0.0, 1.0)

    def to_json(self) -> dict[str, Any]:
        """The effector as JSON; the joint by its name."""
        return asdict(self)

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Effector:
        """The effector that ``to_json`` wrote."""
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in saved.items()
        }
        return cls(**values)
