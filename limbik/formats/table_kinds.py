"""CSV and NPZ files: which of the motions that are kept in them one holds, by what is inside."""

from __future__ import annotations

from pathlib import Path

from limbik.errors import FormatError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import tables
from limbik.formats.files import read_bytes
from limbik.formats.npz_arrays import arrays_of
from limbik.formats.robot_motion import read as robot_motion
from limbik.formats.smpl import read as smpl


def read_npz(path: Path, figure: Figure | None = None, model: Path | None = None) -> Motion:
    """The motion of an NPZ file: limbik's joint values, a robot's, or one of the SMPL family.

    ``model`` is the file of a body model, for the last.
    """
    with arrays_of(path) as arrays:
        if smpl.is_clip(arrays):
            return smpl.from_arrays(arrays, path, figure, model)
        if model is not None:
            raise FormatError("model: is for motions of SMPL bodies (arrays poses, trans)", path)
        if robot_motion.is_clip(arrays):
            return robot_motion.from_arrays(arrays, path, tables.needed(figure, path))
        return tables.from_arrays(arrays, path, figure)


def read_csv(path: Path, figure: Figure | None = None) -> Motion:
    """The motion of a CSV file: limbik's joint values, or a robot's root and joints."""
    data = read_bytes(path)
    if robot_motion.is_table(data):
        return robot_motion.from_table(data, path, tables.needed(figure, path))
    return tables.from_table(data, path, figure)
