"""Markers: named points in time, some of which the cameras lost now and then."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure.units import change
from limbik.maths.so3 import quat_to_matrix


class Markers:
    """Positions of named markers at a steady frame rate; nothing in it can be changed.

    >>> seen = Markers(["LFHD", "RFHD"], np.zeros((3, 2, 3)), fps=120, unit="mm", up="z")
    >>> seen.frames, seen.index("RFHD"), seen[1:].frames
    (3, 1, 2)
    """

    __slots__ = ("_fps", "_name", "_names", "_positions", "_unit", "_up")

    def __init__(
        self,
        names: Sequence[str],
        positions: np.ndarray,
        fps: float,
        *,
        unit: str = "",
        up: str = "",
        name: str = "",
    ) -> None:
        """``positions`` is (frames, markers, 3) in ``unit``, NaN where a marker was not seen."""
        at = np.array(positions, float)
        if at.ndim != 3 or at.shape[1:] != (len(names), 3) or len(at) == 0:
            raise FigureError(
                f"markers: positions need the shape (frames, {len(names)}, 3), got {at.shape}"
            )
        if len(set(names)) < len(names):
            raise FigureError("markers: two have the same name")
        if not (math.isfinite(fps) and fps > 0):
            raise FigureError(f"markers: fps must be above 0, got {fps!r}")
        at[~np.isfinite(at).all(axis=2)] = np.nan
        at.setflags(write=False)
        self._names, self._positions, self._fps = tuple(names), at, float(fps)
        self._unit, self._up, self._name = unit, up, name

    @property
    def names(self) -> tuple[str, ...]:
        """The markers' names."""
        return self._names

    @property
    def positions(self) -> np.ndarray:
        """(frames, markers, 3), read-only; NaN where a marker was not seen."""
        return self._positions

    @property
    def seen(self) -> np.ndarray:
        """(frames, markers) whether a marker was seen."""
        return np.isfinite(self._positions[..., 0])

    @property
    def fps(self) -> float:
        """Frames per second."""
        return self._fps

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return len(self._positions)

    @property
    def unit(self) -> str:
        """The unit of lengths ("mm", "m", ...), empty where it is not known."""
        return self._unit

    @property
    def up(self) -> str:
        """The axis that points up, "y" or "z", empty where it is not known."""
        return self._up

    @property
    def name(self) -> str:
        """The recording's name, such as its file's."""
        return self._name

    def index(self, marker: str) -> int:
        """The place of a marker among ``names``.

        Args:
            marker: its name.

        Returns:
            Its place.

        Raises:
            FigureError: there is no marker of that name.
        """
        if marker not in self._names:
            raise FigureError(f'no marker "{marker}"{did_you_mean(str(marker), self._names)}')
        return self._names.index(marker)

    def in_units(
        self, unit: str = "", *, up: str = "", from_unit: str | float = "", from_up: str = ""
    ) -> Markers:
        """The same markers in another unit, or with another axis up, as ``figure.in_units``.

        Args:
            unit: the unit of length to convert to: "m", "cm", "mm", "in" or "ft".
            up: the axis up to convert to: "y" or "z".
            from_unit: what it is in now, where that is not known: a unit, or a number of metres.
            from_up: the axis up that it has now, where that is not known.

        Returns:
            The markers.

        Raises:
            FigureError: the unit or the axis is not known, or there is nothing to convert from.
        """
        by = change((self._unit, self._up), unit, up, from_unit, from_up)
        at = by.scale * self._positions @ quat_to_matrix(np.array(by.wxyz)).T
        return Markers(self._names, at, self._fps, unit=by.unit, up=by.up, name=self._name)

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, key: slice) -> Markers:
        """``markers[10:20:2]`` are the markers of some frames, here at half the frame rate."""
        step = abs(key.indices(len(self._positions))[2])
        at, fps = self._positions[key], self._fps / step
        return Markers(self._names, at, fps, unit=self._unit, up=self._up, name=self._name)

    def __repr__(self) -> str:
        name = self._name or "unnamed"
        text = f"{len(self._names)} markers, {self.frames} frames at {self._fps:g} fps"
        return f"<Markers {name}: {text}>"
