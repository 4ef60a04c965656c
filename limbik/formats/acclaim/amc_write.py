"""Motions into AMC files, for a skeleton of their own or for the one they came from.

A motion of a figure that was read from an ASF file is written for that file; there is nothing else
to write.  Any other goes into two files, the motion in x.amc and its skeleton in x.asf beside it;
an x.asf that was there is replaced, because the motion would not fit it.

The format has no frame rate: readers take it for granted (120 in limbik), so any other is said in a
comment, which limbik reads back, and in a warning for everybody else.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from limbik.errors import FigureError, FormatError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.acclaim.amc_read import FPS
from limbik.formats.acclaim.asf_bones import bones_of
from limbik.formats.acclaim.asf_read import figure_of
from limbik.formats.acclaim.asf_sections import Skeleton, slides
from limbik.formats.acclaim.asf_write import write_skeleton
from limbik.formats.files import write_whole
from limbik.formats.on_parents import VALUES


class _Lines(NamedTuple):
    """A bone's lines: its name, its degrees of freedom, and their values (frames, dof)."""

    name: str
    dof: Sequence[str]
    values: np.ndarray


def skeleton_beside(thing: Figure | Motion, path: Path) -> Path | None:
    """The ASF file that is written with an AMC file, or None where there is one already."""
    figure = thing.figure if isinstance(thing, Motion) else thing
    return None if isinstance(figure.source, Skeleton) else path.with_suffix(".asf")


def write(thing: Figure | Motion, path: Path, precision: int = 6) -> None:
    """Write a motion, or a figure's rest pose as one frame, with so many decimals."""
    if not 0 <= precision <= 17:
        raise FormatError(f"precision must lie within 0 and 17 decimals, not {precision}", path)
    motion = (
        Motion(thing, thing.rest[None], FPS, thing.name) if isinstance(thing, Figure) else thing
    )
    source = motion.figure.source
    beside = skeleton_beside(thing, path)
    written = [] if isinstance(source, Skeleton) else bones_of(motion.figure, motion.q)
    bones = [_Lines(bone.name, bone.dof, bone.values) for bone in written if bone.dof]
    if isinstance(source, Skeleton):
        bones = _of_own_skeleton(motion, source, path)
    if not bones:
        raise FormatError("nothing moves, so there is nothing an AMC file could hold", path)
    if abs(motion.fps - FPS) > 1e-3 * FPS:
        text = f"{path.name}: AMC has no frame rate, and other programs assume {FPS:g}; this is"
        warnings.warn(f"{text} {motion.fps:g} frames per second", stacklevel=3)

    def fill(file: BinaryIO) -> None:
        _fill(file, bones, motion.fps, precision)
        if beside is not None:
            write_skeleton(motion.figure, written, beside)

    write_whole(path, fill)


def _of_own_skeleton(motion: Motion, skeleton: Skeleton, path: Path) -> list[_Lines]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # told when the skeleton was read
        own = figure_of(skeleton, path)
    try:
        q = motion.onto(own).q
    except FigureError as error:
        raise FormatError(str(error), path) from error
    out: list[_Lines] = []
    first = 0
    for name in own.joints:
        bone = skeleton.bones[name]
        if bone.dof:
            values = np.empty((len(q), len(bone.dof)))
            values[:, bone.in_q] = q[:, first : first + len(bone.dof)]
            out.append(_Lines(name, bone.dof, values))
            first += len(bone.dof)
    return out


def _fill(file: BinaryIO, bones: Sequence[_Lines], fps: float, precision: int) -> None:
    file.write(b"# written by limbik, %.10g frames per second\n:FULLY-SPECIFIED\n:DEGREES\n" % fps)
    number = f" %.{precision}f"
    # A "%" in a name must not be read as a place for a number.
    names = [bone.name.replace("%", "%%") for bone in bones]
    lines = [f"{name}{number * len(bone.dof)}\n" for name, bone in zip(names, bones, strict=True)]
    frame = "%d\n" + "".join(lines)
    scale = [1.0 if slides(dof) else 180.0 / np.pi for bone in bones for dof in bone.dof]
    frames = len(bones[0].values)
    step = max(1, VALUES // len(scale))
    for start in range(0, frames, step):
        rows = np.hstack([bone.values[start : start + step] for bone in bones]) * scale
        rows[np.abs(rows) < 0.5 * 10.0**-precision] = 0.0
        for k, row in enumerate(rows.tolist(), start + 1):
            file.write((frame % (k, *row)).encode())
