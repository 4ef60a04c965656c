"""Ease: how a value goes from a key to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from limbik.errors import LimbikError

Ease = Literal["smooth", "linear", "step"]
"""Of a whole timeline; "step" holds a key until the next one."""
EASES: tuple[Ease, ...] = get_args(Ease)

KeyEase = Literal["smooth", "linear", "in", "out", "step", "bezier"]
"""Of one key, for the way to the next one: "in" starts slowly, "out" arrives slowly."""
KEY_EASES: tuple[KeyEase, ...] = get_args(KeyEase)

Handles = tuple[float, float, float, float]
"""x and y of the two handles of a cubic Bézier curve from (0, 0) to (1, 1): time and value."""

BEZIERS: dict[str, Handles] = {"in": (0.42, 0.0, 1.0, 1.0), "out": (0.0, 0.0, 0.58, 1.0)}
FIRST_HANDLES: Handles = (0.42, 0.0, 0.58, 1.0)
FURTHEST = 2.0
"""How far a handle's value may go beyond those of the two keys, in their distances."""


@dataclass(frozen=True)
class Shape:
    """An ease, with the handles of a "bezier"."""

    ease: KeyEase = "smooth"
    handles: Handles = FIRST_HANDLES

    def share(self, u: float) -> float:
        """The share of the way from key to key at the share u of the time; "smooth" is that of a
        start and an end at rest."""
        if self.ease == "step":
            return 0.0 if u < 1.0 else 1.0
        if self.ease == "linear" or u <= 0.0 or u >= 1.0:
            return min(max(u, 0.0), 1.0)
        if self.ease == "smooth":
            return u * u * (3.0 - 2.0 * u)
        return bezier(BEZIERS.get(self.ease, self.handles), u)


def bezier(handles: Handles, u: float) -> float:
    """The value at the time u, 0 to 1, of the curve with these handles."""
    x1, y1, x2, y2 = handles
    low, high = 0.0, 1.0
    for _ in range(50):  # x rises with t, since the handles' times are between 0 and 1
        t = 0.5 * (low + high)
        low, high = (t, high) if _cubic(x1, x2, t) < u else (low, t)
    return _cubic(y1, y2, 0.5 * (low + high))


def _cubic(a: float, b: float, t: float) -> float:
    return 3.0 * t * (1.0 - t) ** 2 * a + 3.0 * t * t * (1.0 - t) * b + t**3


def checked_handles(handles: Handles) -> Handles:
    """Handles whose times are between their keys and whose values are not far off."""
    x1, y1, x2, y2 = handles
    if not (0.0 <= x1 <= 1.0 and 0.0 <= x2 <= 1.0):
        raise LimbikError("A handle's time must lie between its two keys.")
    if not (-FURTHEST <= y1 <= 1.0 + FURTHEST and -FURTHEST <= y2 <= 1.0 + FURTHEST):
        raise LimbikError("A handle's value is too far from those of its keys.")
    return x1, y1, x2, y2
