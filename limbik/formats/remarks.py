"""Warnings about a file, gathered while it is read: what is said of many things is said once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

from limbik.errors import LimbikWarning
from limbik.formats.text_numbers import shown

_NAMED = 3  # things that a warning names


class Remarks:
    """What there is to say about the parts of a file; ``say`` warns, once for each kind."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kinds: dict[str, tuple[str, list[str]]] = {}
        self._counts: dict[str, int] = {}

    def add(self, kind: str, name: str, text: str | Callable[[], str]) -> None:
        """Note a remark on the thing of this name.  The first ``text`` of a kind is kept; one that
        takes time to make is given as a function, which is called for that first one only."""
        if kind not in self._kinds:
            self._kinds[kind] = (text if isinstance(text, str) else text(), [])
            self._counts[kind] = 0
        elif len(self._kinds[kind][1]) < _NAMED:
            self._kinds[kind][1].append(shown(name))
        self._counts[kind] += 1

    def warn(self, stacklevel: int) -> None:
        """Warn of everything that was noted."""
        for kind, (text, others) in self._kinds.items():
            left = self._counts[kind] - 1 - len(others)
            more = f" and {left:,} more" if left else ""
            also = f" (the same holds for {', '.join(others)}{more})" if others else ""
            warnings.warn(
                f"{self._path.name}: {text}{also}", LimbikWarning, stacklevel=stacklevel + 1
            )
