"""Where a figure comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Source:
    """Where the figure comes from: a built-in name, files in the session's folder, or memory.

    ``files`` are paths below the session's folder: those that were opened together, the one with
    the figure first.  For "memory" it is the one file that figure_codec.py wrote.
    """

    kind: Literal["builtin", "files", "memory"]
    name: str
    files: tuple[str, ...] = ()
