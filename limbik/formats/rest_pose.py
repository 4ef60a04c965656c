"""Rest poses that a file's own limits forbid: they are moved inside, and that is said."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from limbik.errors import LimbikWarning
from limbik.figure.figure import Figure


def warn_of_moved(
    figure: Figure, meant: Sequence[float] | np.ndarray | float, what: str, path: Path
) -> None:
    """Warn where the figure's rest pose is not the one (n,) that the file means.

    ``what`` is what that one is called: "0", "the reference pose".
    """
    moved = np.flatnonzero(np.abs(figure.rest - np.asarray(meant)) > 1e-9)
    if len(moved):
        which = ", ".join(figure.coordinates[c] for c in moved[:3])
        more = f" and {len(moved) - 3} more" if len(moved) > 3 else ""
        text = f"{path.name}: {what} is outside the limits of {which}{more}"
        warnings.warn(f"{text}; the rest pose is the nearest inside", LimbikWarning, stacklevel=5)
