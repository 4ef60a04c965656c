"""What is added to a figure from outside: a tool frame on a joint, and a base that moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from limbik.errors import FigureError
from limbik.figure.joints import Joint, Part, Slide, Turn, free, unit_axis

BASES = ("planar", "free")


def tool_joint(
    name: str,
    joint: str,
    offset: Sequence[float] | np.ndarray,
    wxyz: Sequence[float] | np.ndarray,
) -> Joint:
    """A fixed joint ``name`` on ``joint``, at ``offset`` (3,) and turned by ``wxyz`` (4,)."""
    if not isinstance(name, str) or not name:
        raise FigureError(f"with_tool: name must be a word, got {name!r}")
    place, turn = (
        _numbers(values, size, f"with_tool: {what}")
        for values, size, what in ((offset, 3, "offset"), (wxyz, 4, "wxyz"))
    )
    length = float(np.linalg.norm(turn))
    if length < 1e-12:
        raise FigureError("with_tool: wxyz has zero length")
    return Joint(
        name,
        joint,
        offset=tuple(place.tolist()),  # type: ignore[arg-type]
        wxyz=tuple((turn / length).tolist()),  # type: ignore[arg-type]
    )


def on_base(joints: Sequence[Joint], kind: str, up: str, name: str) -> list[Joint]:
    """The joints with a new root ``name`` below all their roots."""
    if not isinstance(kind, str) or kind not in BASES:
        raise FigureError(f"with_base: {kind!r} is not one of {', '.join(BASES)}")
    if not isinstance(name, str) or not name:
        raise FigureError(f"with_base: name must be a word, got {name!r}")
    if any(joint.name == name for joint in joints):
        raise FigureError(f'with_base: there is a joint "{name}" already; give another name=')
    parts: tuple[Part, ...] = free()
    if kind == "planar":
        if not isinstance(up, str) or up not in ("y", "z"):
            raise FigureError('with_base: which axis is up is not known; give up="y" or up="z"')
        floor = "xz" if up == "y" else "xy"
        parts = (*(Slide(unit_axis(axis)) for axis in floor), Turn(unit_axis(up)))
    base = Joint(name, parts=parts)
    return [base, *(replace(j, parent=name) if j.parent is None else j for j in joints)]


def _numbers(values: object, size: int, what: str) -> np.ndarray:
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise FigureError(f"{what} needs {size} finite numbers, got {values!r}")
    return array
