"""Files into figures and motions and back; the file's ending says which format it is."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import NamedTuple, NoReturn

from limbik.errors import FormatError, did_you_mean
from limbik.figure import Figure
from limbik.formats import amc, asf, bvh, bvh_write, mjcf, robots, urdf
from limbik.motion import Motion

__all__ = ["FORMATS", "Format", "load", "load_motion", "save"]


class Format(NamedTuple):
    """What limbik can do with one kind of file; None where it cannot.

    ``figure(path)`` and ``motion(path, figure)`` read, the figure being the one the caller gave or
    None; ``write(thing, path, precision)`` writes a whole file or nothing.
    """

    figure: Callable[[Path], Figure] | None = None
    motion: Callable[[Path, Figure | None], Motion] | None = None
    write: Callable[[Figure | Motion, Path, int], None] | None = None


FORMATS: dict[str, Format] = {
    ".bvh": Format(bvh.read_figure, bvh.read_motion, bvh_write.write),
    ".asf": Format(figure=asf.read_figure),
    ".amc": Format(motion=amc.read_motion),
    ".urdf": Format(figure=urdf.read_figure),
    ".xml": Format(figure=robots.read_figure, motion=mjcf.read_motion),
    ".mjcf": Format(figure=mjcf.read_figure, motion=mjcf.read_motion),
}
"""By file ending, in lower case.  A new format is a module in this folder and a line here."""


def load(path: str | PathLike[str]) -> Figure:
    """The figure in a file.  Its lengths stay in the file's unit, its angles are radians.

    >>> fig = load("walk.bvh")  # doctest: +SKIP
    """
    file = Path(path)
    read = _format(file, "reads").figure
    if read is None:
        _refuse(file, "reads figures from", [e for e, f in FORMATS.items() if f.figure])
    return read(file)


def load_motion(path: str | PathLike[str], *, figure: Figure | None = None) -> Motion:
    """The motion in a file: on the file's own figure, or on ``figure`` where that is given.

    A ``figure`` must have the file's coordinates, as the same skeleton with other limits has.

    >>> clip = load_motion("walk.bvh")  # doctest: +SKIP
    >>> clip.q.shape, clip.fps  # doctest: +SKIP
    ((344, 96), 120.00048)
    """
    file = Path(path)
    read = _format(file, "reads").motion
    if read is None:
        _refuse(file, "reads motions from", [e for e, f in FORMATS.items() if f.motion])
    return read(file, figure)


def save(thing: Figure | Motion, path: str | PathLike[str], *, precision: int = 6) -> None:
    """Write a motion, or a figure in its rest pose as one frame.

    ``precision`` is the number of decimals, of degrees and of lengths, in formats that are text.
    A file that was there is replaced once the new one is complete, and stays if that fails.

    >>> save(clip, "out.bvh")  # doctest: +SKIP
    """
    file = Path(path)
    if not isinstance(thing, Figure | Motion):
        kind = type(thing).__name__
        raise FormatError(f"only a Figure or a Motion can be saved, not {kind}", file)
    write = _format(file, "writes").write
    if write is None:
        _refuse(file, "writes", [e for e, f in FORMATS.items() if f.write])
    write(thing, file, precision)


def _format(file: Path, verb: str) -> Format:
    if verb == "reads" and file.is_dir():
        raise FormatError("is a folder, not a file", file)
    found = FORMATS.get(file.suffix.lower())
    return _refuse(file, verb, list(FORMATS)) if found is None else found


def _refuse(file: Path, verb: str, known: list[str]) -> NoReturn:
    what = file.suffix or "a name without an ending"
    hint = did_you_mean(file.suffix, known)
    raise FormatError(
        f"{what} is not a format limbik {verb} (knows {', '.join(known)}){hint}", file
    )
