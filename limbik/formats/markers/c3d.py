"""C3D, the binary files of motion capture systems: the markers in them, as the C3D manual has it.

A file is a header, parameters by group and name, and a frame of points (x, y, z and a residual,
negative where a point was not seen) and analog samples after the other.  Numbers are 16-bit
integers with a scale, or floats, of Intel, MIPS or DEC processors.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limbik.errors import FigureError, FormatError
from limbik.figure.units import METRES
from limbik.formats.files import read_bytes
from limbik.formats.markers.markers import Markers

BLOCK = 512
INTEL, DEC, MIPS = 84, 85, 86
MAX_RECORDS = 10_000
"""A file with more parameters is refused."""

_KINDS = {-1: "S1", 1: "u1", 2: "i2", 4: "f4"}


class _Header(NamedTuple):
    points: int
    analog: int
    first: int
    last: int
    scale: float
    start: int
    rate: float


def read_markers(path: Path) -> Markers:
    """The markers of a C3D file, NaN where they were not seen."""
    data = read_bytes(path)
    if len(data) < 2 * BLOCK or data[1] != 0x50 or data[0] == 0:
        raise FormatError("is not a C3D file", path)
    at = (data[0] - 1) * BLOCK
    if at + 4 > len(data):
        raise FormatError("its parameters are beyond its end", path)
    processor = data[at + 3]
    if processor not in (INTEL, DEC, MIPS):
        raise FormatError(f"is of a processor that is not known ({processor})", path)
    end = min(len(data), at + max(data[at + 2], 1) * BLOCK)
    header = _header(data, processor)
    parameters = _parameters(data, at + 4, end, processor, path)
    return _markers(data, header, parameters, processor, path)


def _floats(raw: bytes, processor: int) -> np.ndarray:
    """32-bit floats of a processor; those of DEC have swapped halves and are 4 times less."""
    if processor == DEC:
        halves = np.frombuffer(raw, "<u2").reshape(-1, 2)[:, ::-1]
        return np.ascontiguousarray(halves).view("<f4").ravel() / np.float32(4.0)
    return np.frombuffer(raw, "<f4" if processor == INTEL else ">f4")


def _header(data: bytes, processor: int) -> _Header:
    order = ">" if processor == MIPS else "<"
    points, analog, first, last = struct.unpack_from(f"{order}4H", data, 2)
    (start,) = struct.unpack_from(f"{order}H", data, 16)
    scale, rate = (
        float(_floats(data[12:16], processor)[0]),
        float(_floats(data[20:24], processor)[0]),
    )
    return _Header(points, analog, first, last, scale, start, rate)


def _parameters(
    data: bytes, at: int, end: int, processor: int, path: Path
) -> dict[tuple[str, str], np.ndarray]:
    """The parameters by group and name, in capitals."""
    order = ">" if processor == MIPS else "<"
    groups: dict[int, str] = {}
    found: list[tuple[int, str, np.ndarray]] = []
    for _ in range(MAX_RECORDS):
        if at + 2 > end or data[at] == 0:
            break
        length, group = (
            abs(struct.unpack_from("b", data, at)[0]),
            struct.unpack_from("b", data, at + 1)[0],
        )
        name = data[at + 2 : at + 2 + length].decode("latin-1").strip().upper()
        here = at + 2 + length
        if here + 2 > end:
            raise FormatError(f"its parameters end in the middle, at byte {at}", path)
        (step,) = struct.unpack_from(f"{order}H", data, here)
        if group < 0:
            groups[-group] = name
        elif group > 0 and here + 4 <= end:
            found.append((group, name, _value(data, here + 2, end, processor, path, name)))
        if step == 0:
            break
        at = here + step
    else:
        raise FormatError(f"has more than {MAX_RECORDS:,} parameters", path)
    return {(groups.get(group, ""), name): value for group, name, value in found}


def _value(data: bytes, at: int, end: int, processor: int, path: Path, name: str) -> np.ndarray:
    """The numbers or letters of a parameter; letters have the length of the words last."""
    kind, count = struct.unpack_from("bB", data, at)
    if kind not in _KINDS or count > 7:
        raise FormatError(f'parameter "{name[:40]}" is of no kind that there is ({kind})', path)
    shape = tuple(data[at + 2 : at + 2 + count])
    size = abs(kind)
    for length in shape:
        size *= length
    raw = data[at + 2 + count : at + 2 + count + size]
    if at + 2 + count + size > end or len(shape) != count:
        raise FormatError(f'parameter "{name[:40]}" is longer than the file', path)
    if kind == 4:
        return _floats(raw, processor).reshape(shape[::-1])
    order = ">" if processor == MIPS else "<"
    return np.frombuffer(raw, np.dtype(_KINDS[kind]).newbyteorder(order)).reshape(shape[::-1])


def _words(value: np.ndarray | None) -> list[str]:
    if value is None or value.dtype.kind != "S" or value.ndim == 0 or value.size == 0:
        return []
    rows = value.reshape(-1, value.shape[-1])
    return [row.tobytes().decode("utf-8", "replace").strip(" \0") for row in rows]


def _number(value: np.ndarray | None, unless: float) -> float:
    if value is None or value.dtype.kind not in "fiu" or value.size == 0:
        return unless
    return float(value.ravel()[0])


def _frames(header: _Header, parameters: dict[tuple[str, str], np.ndarray], available: int) -> int:
    """How many frames the file says it has; fields of 16 bits do not hold more than 65,535."""
    ends = []
    for key in ("ACTUAL_START_FIELD", "ACTUAL_END_FIELD"):
        value = parameters.get(("TRIAL", key))
        if value is None or value.dtype.kind != "i" or value.size != 2:
            break
        low, high = (int(half) & 0xFFFF for half in value.ravel())
        ends.append(low + 65536 * high)
    if len(ends) == 2 and ends[1] >= ends[0]:
        return ends[1] - ends[0] + 1
    return available if header.last == 65535 else header.last - header.first + 1


def _markers(
    data: bytes,
    header: _Header,
    parameters: dict[tuple[str, str], np.ndarray],
    processor: int,
    path: Path,
) -> Markers:
    start = (int(_number(parameters.get(("POINT", "DATA_START")), header.start)) & 0xFFFF) - 1
    whole = header.scale >= 0.0
    wide, width = 4 * header.points + header.analog, 2 if whole else 4
    if header.points == 0:
        raise FormatError("has no markers", path)
    body = memoryview(data)[max(start, 0) * BLOCK :]
    available = len(body) // (wide * width)
    frames = _frames(header, parameters, available)
    if start < 1 or not 0 < frames <= available:
        raise FormatError(f"holds {available} frames of the {frames} it announces", path)
    raw = bytes(body[: frames * wide * width])
    if whole:
        values = np.frombuffer(raw, ">i2" if processor == MIPS else "<i2").astype(np.float32)
    else:
        values = _floats(raw, processor)
    points = values.reshape(frames, wide)[:, : 4 * header.points].reshape(frames, -1, 4)
    with np.errstate(over="ignore", invalid="ignore"):
        at = points[..., :3].astype(float) * (header.scale if whole else 1.0)
        at[~(points[..., 3] >= 0.0)] = np.nan
    rate = _number(parameters.get(("POINT", "RATE")), header.rate)
    up = "".join(_words(parameters.get(("POINT", "Y_SCREEN")))).lower()
    unit = "".join(_words(parameters.get(("POINT", "UNITS")))).lower()
    try:
        return Markers(
            _names(parameters, header.points),
            at,
            rate,
            unit=unit if unit in METRES else "",
            up=up[1:] if up in ("+y", "+z") else "",
            name=path.stem,
        )
    except FigureError as error:
        raise FormatError(str(error), path) from error


def _names(parameters: dict[tuple[str, str], np.ndarray], points: int) -> list[str]:
    """The labels of the points; those without one, or with that of another, get a number."""
    labels = _words(parameters.get(("POINT", "LABELS")))
    extra = 2
    while len(labels) < points and ("POINT", f"LABELS{extra}") in parameters:
        labels += _words(parameters[("POINT", f"LABELS{extra}")])
        extra += 1
    names: dict[str, None] = {}
    for k in range(points):
        name = labels[k] if k < len(labels) and labels[k] else f"*{k + 1}"
        names[name if name not in names else f"{name}*{k + 1}"] = None
    return list(names)
