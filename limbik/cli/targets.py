"""Targets that ``limbik track`` follows: of the clip itself, or from another file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limbik.cli import arguments, files
from limbik.errors import FormatError, LimbikError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import load_motion
from limbik.formats.files import read_bytes


class Targets(NamedTuple):
    """Where each effector shall be: ``positions`` (frames, effectors, 3), so many per second."""

    positions: np.ndarray
    fps: float

    def sample(self, every: float) -> Targets:
        """The frames nearest to the times 0, every, 2·every, ..."""
        if not every > 0 or not np.isfinite(every):
            raise LimbikError(f"--every must be above 0 seconds, got {every:g}")
        last = len(self.positions) - 1
        times = np.arange(int(last / self.fps / every + 1e-6) + 1) * every
        nearest = np.minimum(np.floor(times * self.fps + 0.5).astype(int), last)
        return Targets(self.positions[nearest], 1.0 / every)


def pairs(text: str) -> dict[str, str]:
    """``A,B=C`` as the joints that follow, each with the name it has in the file of targets."""
    found = {}
    for name in arguments.names(text, "--effectors"):
        joint, equals, other = (part.strip() for part in name.partition("="))
        if not joint or (equals and not other):
            raise LimbikError(f'--effectors "{text}": expected JOINT or JOINT=NAME, such as Head')
        if joint in found:
            raise LimbikError(f'--effectors "{text}": names a joint twice')
        found[joint] = other or joint
    return found


def read_targets(name: str, figure: Figure, effectors: list[str], fps: float) -> Targets:
    """The positions of joints in another file, in the figure's unit.

    ``.npy`` holds (frames, effectors, 3) numbers; ``.csv`` has columns ``Head.x``, ``Head.y``,
    ``Head.z`` and, where it has one, ``time`` in seconds; any other file is a motion, whose joints
    are followed.  ``fps`` is the frame rate of files that have none.
    """
    path = Path(files.source(name))
    if path.suffix.lower() == ".npy":
        return Targets(_read_npy(path, len(effectors)), fps)
    if path.suffix.lower() == ".csv":
        columns = _read_csv(path)
        if any(column.rpartition(".")[2] in "xyz" for column in columns if "." in column):
            return _of_columns(columns, path, effectors, fps)
    if path.suffix.lower() in (".csv", ".npz"):
        motion = load_motion(path, figure=figure)
    else:
        motion = arguments.opened_motion(str(path))
    return _of_motion(motion, figure, effectors)


def _of_motion(motion: Motion, figure: Figure, effectors: list[str]) -> Targets:
    other = motion.figure
    unit = figure.unit if figure.unit and other.unit else ""
    up = figure.up if figure.up and other.up else ""
    if (unit and unit != other.unit) or (up and up != other.up):
        motion = motion.in_units(unit, up=up)
    at = [motion.figure.index(name) for name in effectors]
    return Targets(motion.positions()[:, at], motion.fps)


def _read_npy(path: Path, count: int) -> np.ndarray:
    try:
        found = np.load(io.BytesIO(read_bytes(path)), allow_pickle=False)
    except ValueError as error:
        raise FormatError(f"cannot be read: {error}", path) from error
    if not isinstance(found, np.ndarray) or found.ndim != 3 or found.shape[1:] != (count, 3):
        shape = getattr(found, "shape", "several arrays")
        raise FormatError(f"expected (frames, {count}, 3) numbers, found {shape}", path)
    try:
        positions = found.astype(float)
    except (TypeError, ValueError) as error:
        raise FormatError(f"holds no real numbers: {error}", path) from error
    return _checked(positions, path)


def _read_csv(path: Path) -> dict[str, list[str]]:
    """The columns of a table by the names in its first line."""
    text = read_bytes(path).decode("utf-8-sig", "replace")
    rows = [row for row in csv.reader(text.splitlines()) if row and not row[0].startswith("#")]
    if not rows:
        raise FormatError("is empty", path)
    header = [name.strip() for name in rows[0]]
    for k, row in enumerate(rows[1:], 1):
        if len(row) != len(header):
            raise FormatError(f"row {k} has {len(row)} of {len(header)} values", path)
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(header)}


def _of_columns(
    columns: dict[str, list[str]], path: Path, effectors: list[str], fps: float
) -> Targets:
    def numbers(name: str) -> list[float]:
        if name not in columns:
            raise FormatError(f'has no column "{name}"', path)
        try:
            return [float(value) for value in columns[name]]
        except ValueError as error:
            raise FormatError(f'column "{name}": {error}', path) from None

    positions = np.array([[numbers(f"{name}.{axis}") for axis in "xyz"] for name in effectors])
    if "time" in columns:
        times = np.array(numbers("time"))
        steps = np.diff(times)
        if not len(steps) or not steps.min() > 0 or np.ptp(steps) > 0.01 * steps.mean():
            raise FormatError('column "time" must rise by equal steps', path)
        fps = float(1.0 / steps.mean())
    return Targets(_checked(positions.transpose(2, 0, 1), path), fps)


def _checked(positions: np.ndarray, path: Path) -> np.ndarray:
    if not len(positions):
        raise FormatError("has no frames", path)
    if not np.isfinite(positions).all():
        raise FormatError("holds a number that is not finite", path)
    return np.ascontiguousarray(positions)
