"""TRC, the tables of markers of OpenSim and Motion Analysis: tabs between cells, empty ones where
a marker was not seen."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from limbik.errors import FigureError, FormatError
from limbik.figure.units import METRES
from limbik.formats.files import read_bytes
from limbik.formats.markers.markers import Markers
from limbik.formats.text_numbers import number, shown

MAX_MARKERS = 10_000
"""A file that announces more is refused."""


def read_markers(path: Path) -> Markers:
    """The markers of a TRC file, NaN where they were not seen; it does not say which axis is up."""
    text = read_bytes(path).decode("utf-8-sig", "replace")
    lines = text.splitlines()
    if len(lines) < 5 or not lines[0].startswith("PathFileType"):
        raise FormatError("is not a TRC file: it does not begin with PathFileType", path, 1)
    header = dict(zip(_cells(lines[1]), _cells(lines[2]), strict=False))
    rate, count = (_number(header, key, path) for key in ("DataRate", "NumMarkers"))
    if not 0 < count <= MAX_MARKERS or count != int(count):
        raise FormatError(f"NumMarkers: needs 1 to {MAX_MARKERS:,}, found {count:g}", path, 3)
    names = [cell for cell in _cells(lines[3])[2:] if cell]
    if len(names) != count:
        raise FormatError(f"names {len(names)} markers of {int(count)}", path, 4)
    rows = []
    for line, row in enumerate(lines[5:], 6):
        if row.strip():
            rows.append(_row(row, len(names), path, line))
    if not rows:
        raise FormatError("has no frames", path)
    unit = header.get("Units", "").lower()
    try:
        return Markers(
            names,
            np.array(rows).reshape(len(rows), -1, 3),
            rate,
            unit=unit if unit in METRES else "",
            name=path.stem,
        )
    except FigureError as error:
        raise FormatError(str(error), path) from error


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]


def _number(header: dict[str, str], key: str, path: Path) -> float:
    value = number(header.get(key, ""))
    if value is None:
        raise FormatError(f"{key}: needs a number, found {shown(header.get(key, ''))}", path, 3)
    return value


def _row(text: str, markers: int, path: Path, line: int) -> list[float]:
    cells = _cells(text)[2:]
    while len(cells) > 3 * markers and not cells[-1]:
        cells.pop()
    if len(cells) > 3 * markers:
        raise FormatError(f"has {len(cells)} values for {markers} markers", path, line)
    values = [math.nan] * (3 * markers)
    for k, cell in enumerate(cells):
        value = number(cell)
        if value is not None:
            values[k] = value
        elif cell.lower() not in ("", "nan"):
            raise FormatError(f"{shown(cell)} is not a number", path, line)
    return values
