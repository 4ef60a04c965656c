"""What a name means that somebody typed: a file, or a figure or motion that is built in."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from limbik.errors import FormatError, did_you_mean
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figures import BUILT_IN

NAMES = ", ".join(BUILT_IN)
"""What is built in, for messages and help."""


def is_built_in(name: str | PathLike[str]) -> bool:
    """Whether a name means something built in.  A file of the same name comes first."""
    text = os.fspath(name)
    return text in BUILT_IN and not os.path.exists(text)  # noqa: PTH110  (no error for any name)


def built_in(name: str | PathLike[str]) -> Figure | Motion | None:
    """What is built in under a name, or None where the name means a file."""
    return BUILT_IN[os.fspath(name)]() if is_built_in(name) else None


def check_name(name: str | PathLike[str]) -> None:
    """Refuse a name without an ending that is neither a file nor built in.

    Raises:
        FormatError: with the nearest name that is built in, or all of them.
    """
    text = os.fspath(name)
    if text in BUILT_IN or Path(text).suffix or os.path.exists(text):  # noqa: PTH110
        return
    hint = did_you_mean(text, BUILT_IN) or f" (built in are {NAMES})"
    raise FormatError(f'"{text}" is neither a file nor built in{hint}')
