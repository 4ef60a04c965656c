"""Reading saved JSON strictly: every value has the type it must have, or a sentence says which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from limbik.errors import LimbikError

LONGEST_TEXT = 1000
Word = TypeVar("Word", bound=str)


class Saved:
    """An object out of a JSON file; ``what`` names it in sentences."""

    def __init__(self, saved: object, what: str) -> None:
        if not isinstance(saved, dict) or not all(isinstance(name, str) for name in saved):
            raise LimbikError(f"{what}: needs an object with named values")
        self._values: dict[str, Any] = saved
        self.what = what

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._values)

    def get(self, name: str) -> Any:
        """A value as it stands; a missing one is refused."""
        if name not in self._values:
            raise LimbikError(f'{self.what}: "{name}" is missing')
        return self._values[name]

    def only(self, names: Sequence[str]) -> None:
        """Refuse values that nobody knows."""
        for name in self._values:
            if name not in names:
                raise LimbikError(f'{self.what}: "{name[:40]}" is unknown')

    def whole_number(self, name: str, least: int, most: int = 2**53) -> int:
        value = self.get(name)
        if type(value) is not int or not least <= value <= most:
            raise LimbikError(f"{self.what}: {name} must be a whole number, at least {least}")
        return value

    def number(self, name: str, *, above: float = -math.inf, most: float = math.inf) -> float:
        value = number(self.get(name), f"{self.what}: {name}")
        if not value > above:
            raise LimbikError(f"{self.what}: {name} must be above {above:g}, and it is {value:g}")
        if not value <= most:
            raise LimbikError(f"{self.what}: {name} must be at most {most:g}, not {value:g}")
        return value

    def flag(self, name: str) -> bool:
        value = self.get(name)
        if not isinstance(value, bool):
            raise LimbikError(f"{self.what}: {name} must be true or false")
        return value

    def text(self, name: str, longest: int | None = LONGEST_TEXT) -> str:
        value = self.get(name)
        if not isinstance(value, str) or (longest is not None and len(value) > longest):
            raise LimbikError(f"{self.what}: {name} must be a text of at most {longest} letters")
        return value

    def choice(self, name: str, known: Sequence[Word]) -> Word:
        value = self.get(name)
        for word in known:
            if value == word:
                return word
        raise LimbikError(f"{self.what}: {name} must be one of {', '.join(known)}")

    def floats(self, name: str, count: int) -> np.ndarray:
        """(count,) finite numbers."""
        value = self.get(name)
        if not isinstance(value, list) or len(value) != count:
            raise LimbikError(f"{self.what}: {name} must be a list of {count} numbers")
        return np.array([number(v, f"{self.what}: {name}") for v in value], dtype=np.float64)

    def number_of(self, name: str) -> int:
        """A name that is a whole number, as ids are in JSON."""
        if not (name.isascii() and name.isdigit() and len(name) < 16):
            raise LimbikError(f'{self.what}: "{name[:40]}" is not an id')
        return int(name)


def number(value: object, what: str) -> float:
    """A finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise LimbikError(f"{what}: needs a number, got {str(value)[:40]!r}")
    try:
        out = float(value)
    except OverflowError:
        out = math.inf
    if not math.isfinite(out):
        raise LimbikError(f"{what}: {value!r:.40} is not finite")
    return out


def _vector(value: object, count: int, what: str) -> tuple[float, ...]:
    if not isinstance(value, list | tuple) or len(value) != count:
        raise LimbikError(f"{what}: needs {count} numbers")
    return tuple(number(v, what) for v in value)


def vec3(value: object, what: str) -> tuple[float, float, float]:
    """Three finite numbers."""
    x, y, z = _vector(value, 3, what)
    return x, y, z


def vec4(value: object, what: str) -> tuple[float, float, float, float]:
    """A unit quaternion from four finite numbers that are not all 0."""
    w, x, y, z = _vector(value, 4, what)
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if not (length > 1e-9 and math.isfinite(length)):
        raise LimbikError(f"{what}: {[w, x, y, z]} is not a rotation")
    if abs(length - 1.0) < 1e-12:
        return w, x, y, z  # so that what was saved comes back to the last digit
    return w / length, x / length, y / length, z / length
