"""Equality, hash and a short repr for frozen dataclasses whose fields may be arrays."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import numpy as np


def value_key(value: Any) -> Any:
    """A hashable stand-in for a value: arrays and lists become tuples, all else stays.

    >>> value_key(np.array([1.0, 2.0])) == value_key([1, 2])
    True
    """
    if isinstance(value, np.ndarray):
        return value_key(value.tolist())
    if isinstance(value, list | tuple):
        return tuple(value_key(entry) for entry in value)
    if isinstance(value, dict):
        return frozenset((key, value_key(entry)) for key, entry in value.items())
    return value


class ByValue:
    """Dataclasses made with ``eq=False`` and ``repr=False`` that compare by the values they hold.

    ``[1, 2, 3]`` and an array of the same numbers are the same value.  Fields with
    ``compare=False`` do not count.  The repr leaves out what has its default.
    """

    __slots__ = ()

    def _value_key(self) -> tuple[Any, ...]:
        compared = [f.name for f in fields(self) if f.compare]  # type: ignore[arg-type]
        return tuple(value_key(getattr(self, name)) for name in compared)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self is other or self._value_key() == other._value_key()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self._value_key()))

    def __repr__(self) -> str:
        shown_fields = []
        # Those that are given by name only come last, also where a base class has them.
        for f in sorted(fields(self), key=lambda f: f.kw_only):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if f.default is not MISSING and value_key(value) == value_key(f.default):
                continue
            shown = repr(value.tolist() if isinstance(value, np.ndarray) else value)
            if len(shown) > 60:
                shown = f"<{type(value).__name__} {np.shape(value) or ''}>".replace(" >", ">")
            shown_fields.append(f"{f.name}={shown}")
        return f"{type(self).__name__}({', '.join(shown_fields)})"
