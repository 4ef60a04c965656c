"""Joint values as tables: CSV for people and spreadsheets, NPZ for NumPy.

A CSV file has a line of names, ``time`` and the figure's coordinates, then a line per frame:
seconds, radians, and lengths in the figure's unit, with all digits.  The times say how many frames
come in a second; one frame alone that is not at 30 has a last column for that, ``fps``.  An NPZ
file has

    q            (frames, n) the same values        fps          frames per second
    coordinates  (n,) their names                   positions    (frames, joints, 3) in the world
    joints       (joints,) names                    parents      (joints,) indices, −1 for a root
    unit, up     as the figure has them, or ""      name         of the motion

Neither holds the figure, which has to be given to read them; columns are found by their names.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from limbik.errors import FigureError, FormatError, NoMotionError, did_you_mean
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.files import write_whole
from limbik.formats.npz_arrays import Arrays
from limbik.formats.on_parents import VALUES
from limbik.formats.text_numbers import read_frames, shown

TIME, RATE = "time", "fps"
STEADY = 0.05
"""By which share of a frame's time a frame may come early or late."""

STILL = 30.0
"""Frames per second of a figure at rest, or of a table with one frame that does not say."""


_END = re.compile(rb"\r\n|\r|\n")
_EMPTY = re.compile(rb",(?=[ \t]*(?:[,\r\n]|\Z))")
_FIRST_EMPTY = re.compile(rb"[\r\n][ \t]*,")
_TWO_WORDS = re.compile(rb"[ \t](?<=[^\s,][ \t])[ \t]*[^\s,]")


def _motion(thing: Figure | Motion) -> Motion:
    return (
        Motion(thing, thing.rest[None], STILL, thing.name) if isinstance(thing, Figure) else thing
    )


# ---- CSV -----------------------------------------------------------------------------------------


def write_csv(thing: Figure | Motion, path: Path, precision: int = 6) -> None:
    """Write a motion, or a figure's rest pose, with all digits whatever the ``precision``."""
    motion = _motion(thing)
    for name in motion.figure.coordinates:
        if "\n" in name or "\r" in name or name != name.encode("utf-8", "replace").decode():
            raise FormatError(f"a CSV file cannot hold the name {shown(name)}", path)
    head = io.StringIO()
    alone = [motion.fps] if len(motion) == 1 and motion.fps != STILL else []
    names = [TIME, *motion.figure.coordinates, *([RATE] if alone else [])]
    csv.writer(head, lineterminator="\n").writerow(names)

    def fill(file: BinaryIO) -> None:
        file.write(head.getvalue().encode())
        step = max(1, VALUES // (motion.figure.n + 1))
        times = motion.times
        for start in range(0, len(motion), step):
            part = slice(start, start + step)
            rows = np.column_stack([times[part], motion.q[part], *alone])
            line = ",".join(["%.17g"] * rows.shape[1]) + "\n"
            file.write((line * len(rows) % tuple(rows.ravel().tolist())).encode())

    write_whole(path, fill)


def from_table(data: bytes, path: Path, figure: Figure | None = None) -> Motion:
    """The motion of a CSV file's bytes, on the figure whose coordinates it names."""
    figure = needed(figure, path)
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    ends = [at for at in (data.find(b"\n", start), data.find(b"\r", start)) if at >= 0]
    end = min(ends, default=len(data))
    names = _header(data[start:end], path)
    if not names or names[0] != TIME:
        raise FormatError(f'its first column is not "{TIME}"', path, 1)
    alone = names[-1] == RATE and RATE not in figure.coordinates
    columns = _columns(names[1:-1] if alone else names[1:], figure, path, 1)
    faults = (fault.search(data, end) for fault in (_EMPTY, _FIRST_EMPTY, _TWO_WORDS))
    wrong = next((fault for fault in faults if fault is not None), None)
    if wrong is not None:
        line = 1 + len(_END.findall(data, end, wrong.end()))
        raise FormatError("has an empty cell, or one that is not a number", path, line)
    data = data.replace(b",", b" ")
    values = read_frames(data, end, 1, len(names), 0, path)
    del data
    if len(values) == 0:
        raise NoMotionError("has no frames", path)
    fps = _rate(values[:, 0], path)
    if alone:
        if len(values) > 1 or not values[0, -1] > 0.0:
            raise FormatError(f'"{RATE}" is for a single frame, and above 0', path, 2)
        fps, values = float(values[0, -1]), values[:, :-1]
    if columns != sorted(columns):
        for at in range(0, len(values), VALUES):  # not all at once, which would take a copy
            values[at : at + VALUES, 1:] = values[at : at + VALUES, 1:][:, columns]
    return _read(figure, values[:, 1:], fps, path)


def _header(line: bytes, path: Path) -> list[str]:
    try:
        row = next(csv.reader([line.decode("utf-8")], strict=True), [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"is not a CSV file: {error}", path, 1) from error
    return [name.strip() for name in row]


def _rate(times: np.ndarray, path: Path) -> float:
    """Frames per second of times that are a steady step apart."""
    if len(times) == 1:
        return STILL
    with np.errstate(over="ignore", invalid="ignore"):
        step = float(times[-1] - times[0]) / (len(times) - 1)
        late = np.abs(times - times[0] - step * np.arange(len(times)))
        wrong = ~(late <= STEADY * step)
    if not step > 0 or not np.isfinite(1.0 / step) or wrong.any():
        line = 2 + (int(np.argmax(wrong)) if wrong.any() else len(times) - 1)
        raise FormatError("times must rise by the same step from frame to frame", path, line)
    return 1.0 / step


# ---- NPZ -----------------------------------------------------------------------------------------


def write_npz(thing: Figure | Motion, path: Path, precision: int = 6) -> None:
    """Write a motion, or a figure's rest pose, as arrays of doubles."""
    motion = _motion(thing)
    figure = motion.figure
    arrays = {
        "q": motion.q,
        "coordinates": np.array(figure.coordinates, str),
        "joints": np.array(figure.joints, str),
        "parents": figure.parents,
        "fps": np.array(motion.fps),
        "positions": motion.positions(),
        "unit": np.array(figure.unit),
        "up": np.array(figure.up),
        "name": np.array(motion.name),
    }
    write_whole(path, lambda file: np.savez(file, **arrays))  # pyright: ignore[reportArgumentType]


def from_arrays(arrays: Arrays, path: Path, figure: Figure | None = None) -> Motion:
    """The motion of an NPZ file of this kind, on the figure whose coordinates it names."""
    figure = needed(figure, path)
    q, fps = arrays.numbers("q"), arrays.numbers("fps")
    names = arrays.texts("coordinates")
    stored = {key: arrays.texts(key) for key in ("unit", "up", "name") if key in arrays}
    if q.ndim != 2 or len(names) != q.shape[1] or fps.size != 1:
        shape = f"q {q.shape}, {len(names)} coordinates, {fps.size} fps"
        raise FormatError(f"its arrays do not fit together: {shape}", path)
    if len(q) == 0:
        raise NoMotionError("has no frames", path)
    texts_of = {key: texts[0] for key, texts in stored.items() if len(texts) == 1}
    for key, own in (("unit", figure.unit), ("up", figure.up)):
        if texts_of.get(key) and own and texts_of[key] != own:
            text = f"its {key} is {shown(texts_of[key])}, that of the figure is {own}"
            raise FormatError(f"{text}: figure.in_units converts it", path)
    columns = _columns(names, figure, path)
    q = q if columns == sorted(columns) else q[:, columns]
    return _read(figure, q, float(fps.ravel()[0]), path, texts_of.get("name", ""))


# ---- both ----------------------------------------------------------------------------------------


def needed(figure: Figure | None, path: Path) -> Figure:
    if figure is None:
        raise FormatError(
            "holds joint values and no figure: load_motion(path, figure=...), or --figure FILE",
            path,
        )
    return figure


def _columns(
    names: Sequence[str], figure: Figure, path: Path, line: int | None = None
) -> list[int]:
    """Which column of a table each of the figure's coordinates is."""
    where = {name: k for k, name in enumerate(names)}
    known = set(figure.coordinates)
    for name in names:
        if name not in known:
            hint = did_you_mean(name[:80], figure.coordinates)
            raise FormatError(f"the figure has no coordinate {shown(name)}{hint}", path, line)
    if len(where) < len(names):
        twice = next(name for k, name in enumerate(names) if where[name] != k)
        raise FormatError(f"names {shown(twice)} twice", path, line)
    missing = [name for name in figure.coordinates if name not in where]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise FormatError(f"has no column for {shown(missing[0])}{more}", path, line)
    return [where[name] for name in figure.coordinates]


def _read(figure: Figure, q: np.ndarray, fps: float, path: Path, name: str = "") -> Motion:
    try:
        return Motion(figure, q, fps, name or path.stem)
    except FigureError as error:
        raise FormatError(str(error), path) from error
