"""Files into figures and motions and back; the file's ending says which format it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeVar

from limbik.errors import FigureError, FormatError, NoMotionError, did_you_mean
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import robots, table_kinds, tables, urdf
from limbik.formats.acclaim import amc_read, amc_write, asf_read, asf_write
from limbik.formats.bvh import read as bvh_read
from limbik.formats.bvh import write as bvh_write
from limbik.formats.gltf import read as gltf_read
from limbik.formats.gltf import write as gltf_write
from limbik.formats.markers import c3d, trc
from limbik.formats.markers.markers import Markers
from limbik.formats.mjcf import read as mjcf_read
from limbik.formats.names import built_in
from limbik.formats.robot_motion import write as robot_write

SCALES = ("keep", "refuse")
Thing = TypeVar("Thing", Figure, Motion)

__all__ = [
    "FORMATS",
    "Format",
    "load",
    "load_markers",
    "load_motion",
    "register_writer",
    "save",
    "written_endings",
]


class Format(NamedTuple):
    """What limbik can do with one kind of file; None where it cannot.

    ``figure(path)`` and ``motion(path, figure)`` read, the figure being the one the caller gave or
    None; ``write(thing, path, precision)`` writes a whole file or nothing; ``markers(path)`` reads
    the positions of markers.
    """

    figure: Callable[[Path], Figure] | None = None
    motion: Callable[[Path, Figure | None], Motion] | None = None
    write: Callable[[Figure | Motion, Path, int], None] | None = None
    markers: Callable[[Path], Markers] | None = None


_GLTF = Format(gltf_read.read_figure, gltf_read.read_motion, gltf_write.write)

FORMATS: dict[str, Format] = {
    ".bvh": Format(bvh_read.read_figure, bvh_read.read_motion, bvh_write.write),
    ".asf": Format(figure=asf_read.read_figure, write=asf_write.write),
    ".amc": Format(motion=amc_read.read_motion, write=amc_write.write),
    ".glb": _GLTF,
    ".gltf": _GLTF,
    ".vrm": _GLTF,
    ".vrma": _GLTF,
    ".csv": Format(motion=table_kinds.read_csv, write=tables.write_csv),
    ".npz": Format(motion=table_kinds.read_npz, write=tables.write_npz),
    ".urdf": Format(figure=urdf.read_figure),
    ".xml": Format(figure=robots.read_figure, motion=mjcf_read.read_motion),
    ".mjcf": Format(figure=mjcf_read.read_figure, motion=mjcf_read.read_motion),
    ".c3d": Format(markers=c3d.read_markers),
    ".trc": Format(markers=trc.read_markers),
}
"""By file ending, in lower case.  A new format is a module in this folder and a line here."""

_WRITERS: dict[str, Callable[[Figure | Motion, Path, int], None]] = {}


def load(
    path: str | PathLike[str],
    *,
    unit: str = "",
    up: str = "",
    from_unit: str | float = "",
    from_up: str = "",
    stretch: bool = False,
) -> Figure:
    """The figure in a file.  Its angles are radians, its lengths in the file's unit unless asked.

    glTF, VRM, URDF and MJCF files say what they are in.  BVH and ASF files do not: state it with
    ``from_unit`` and ``from_up``.  (Of CMU's ASF files, a value divided by their ``length 0.45`` is
    in inches: ``from_unit=0.0254 / 0.45``.)  BVH files may have position channels on every joint.
    They are coordinates, but fixed, so that no bone is stretched to reach a goal.

    Args:
        path: a file, or the name of a built-in figure such as "human".
        unit: convert lengths to this unit: "m", "cm", "mm", "in" or "ft".
        up: convert to this axis up: "y" or "z".
        from_unit: the unit of a file that does not say; a number is metres.
        from_up: the axis up of a file that does not say.
        stretch: let the position channels of BVH joints move.

    Returns:
        The figure.

    Raises:
        FormatError: the file cannot be read; the message names file and line.

    Example:
        >>> fig = load("walk.bvh")
        >>> fig = load("walk.bvh", unit="m", from_unit="cm")
    """
    file = _path(path)
    own = built_in(path)
    if own is not None:
        figure = own.figure if isinstance(own, Motion) else own
        return _in_units(figure, file, unit, up, from_unit, from_up)
    read = _format(file).figure
    if read is None:
        _refuse(file, "reads figures from", [e for e, f in FORMATS.items() if f.figure])
    figure = read(file)
    if stretch:
        figure = bvh_read.stretching(figure)
    return _in_units(figure, file, unit, up, from_unit, from_up)


def load_motion(
    path: str | PathLike[str],
    *,
    figure: Figure | None = None,
    clip: str | None = None,
    model: str | PathLike[str] | None = None,
    unit: str = "",
    up: str = "",
    from_unit: str | float = "",
    from_up: str = "",
    scale: str = "keep",
    stretch: bool = False,
) -> Motion:
    """The motion in a file: on the file's own figure, or on ``figure`` where that is given.

    NPZ and CSV files of robots' motions (``save`` lists them) need the robot, and are refused where
    their joints are in another order.

    Args:
        path: a file, or the name of a built-in motion, "cartwheel".
        figure: a figure with the file's coordinates, as the same skeleton with other limits has.
            CSV and NPZ files need one; AMC files need one from an ASF file, or that file beside
            them.
        clip: the name of one of several motions in a glTF or VRM file; the first unless given.
        model: the body model's own .npz file, for a motion of an SMPL, SMPL-H or SMPL-X body as
            AMASS has them: it says how long the subject's bones are.  Without it they are those of
            an average adult, and a warning says so.
        unit: as in ``load``; a given figure is converted too.
        up: as in ``load``.
        from_unit: as in ``load``.
        from_up: as in ``load``.
        scale: a glTF clip may change the scale of joints, which have none here: "keep" keeps every
            joint where the file has it, so that what hangs on such a joint slides; "refuse" refuses
            such a clip.
        stretch: as in ``load``.

    Returns:
        The motion.

    Raises:
        FormatError: the file cannot be read, or ``figure`` does not fit it.

    Example:
        >>> clip = load_motion("walk.bvh")
        >>> clip.frames, round(clip.fps)
        (601, 120)
    """
    file = _path(path)
    if figure is not None and not isinstance(figure, Figure):
        raise FormatError(f"figure: needs a Figure, got {figure!r}", file)
    if clip is not None and not isinstance(clip, str):
        raise FormatError(f"clip: needs the name of a clip, got {clip!r}", file)
    own = built_in(path)
    if isinstance(own, Figure):
        raise NoMotionError(f'"{file}" is a built-in figure without motion')
    if own is not None:
        motion = own if figure is None else own.onto(figure)
        return _in_units(motion, file, unit, up, from_unit, from_up)
    known = _format(file)
    if known.motion is None:
        _refuse(file, "reads motions from", [e for e, f in FORMATS.items() if f.motion])
    if scale not in SCALES:
        raise FormatError(f'scale must be "keep" or "refuse", not {scale!r}', file)
    if model is not None and known.motion is not table_kinds.read_npz:
        raise FormatError("model: is for .npz files with motions of SMPL bodies", file)
    if known.motion is gltf_read.read_motion:
        motion = gltf_read.read_motion(file, figure, clip, scale=scale)
    else:
        motion = (
            known.motion(file, figure)
            if model is None
            else table_kinds.read_npz(file, figure, _path(model))
        )
        if clip is not None and motion.name != clip:
            raise FormatError(f'has no clip "{clip}": {file.suffix} files hold one motion', file)
    if stretch:
        motion = Motion(bvh_read.stretching(motion.figure), motion.q, motion.fps, motion.name)
    return _in_units(motion, file, unit, up, from_unit, from_up)


def load_markers(path: str | PathLike[str]) -> Markers:
    """The markers of optical motion capture in a C3D or TRC file, NaN where one was not seen.

    Args:
        path: the file.

    Returns:
        Names, positions (frames, markers, 3), unit and rate.

    Raises:
        FormatError: the file cannot be read.

    Example:
        >>> markers = load_markers("walk.trc")
        >>> markers.names, markers.positions.shape, markers.unit
        (('LFHD', 'RFHD'), (2, 2, 3), 'mm')
    """
    file = _path(path)
    read = _format(file).markers
    if read is None:
        _refuse(file, "reads markers from", [e for e, f in FORMATS.items() if f.markers])
    return read(file)


def register_writer(ending: str, write: Callable[[Figure | Motion, Path, int], None]) -> None:
    """Let ``save`` write files with this ending, by a writer from a layer above this one."""
    _WRITERS[ending] = write


def written_endings() -> list[str]:
    """Endings of the files that ``save`` writes."""
    return [ending for ending, form in FORMATS.items() if form.write] + list(_WRITERS)


def _path(path: object) -> Path:
    if not isinstance(path, str | PathLike):
        raise FormatError(f"a file is given by its path, got {path!r}")
    return Path(path)


def save(
    thing: Figure | Motion,
    path: str | PathLike[str],
    *,
    precision: int = 6,
    layout: str = "",
) -> None:
    """Write a motion, or a figure in its rest pose as one frame.

    A motion saved as .amc has its skeleton written beside it, as .asf (acclaim/amc_write.py); .csv
    and .npz hold joint values and no figure; .html is a page that plays the motion in a browser,
    without a server.  Lengths are written in the figure's own unit.  A file that was there is
    replaced once the new one is complete, and stays if that fails.

    Args:
        thing: a motion or a figure.
        path: where to; its ending says the format.
        precision: decimals of degrees and of lengths, in formats that are text.
        layout: for robots' motions in the files of others, in metres with z up and with the names
            of the joints inside: "mujoco" (.npz: qpos), "gmr" (.npz), "mjlab" and "beyondmimic"
            (.npz), "unitree" (.csv: xyz, xyzw, joints); formats/robot_motion/write.py says what is
            in each.  A name such as "dance.unitree.csv" says it too.

    Raises:
        FormatError: the format cannot hold it, or the file cannot be written.

    Example:
        >>> save(clip, "out.bvh")
    """
    file = _path(path)
    if not isinstance(thing, Figure | Motion):
        kind = type(thing).__name__
        raise FormatError(f"only a Figure or a Motion can be saved, not {kind}", file)
    if isinstance(precision, bool) or not isinstance(precision, int):
        raise FormatError(f"precision: needs a whole number, got {precision!r}", file)
    ending = file.suffix.lower()
    layout = layout or robot_write.layout_of(file)
    if layout:
        robot_write.write(thing, file, layout)
        return
    write = _WRITERS.get(ending) or FORMATS.get(ending, Format()).write
    if write is None:
        _refuse(file, "writes", written_endings())
    write(thing, file, precision)


def _in_units(
    thing: Thing, file: Path, unit: str, up: str, from_unit: str | float, from_up: str
) -> Thing:
    """What was read in the unit and with the axis up that were asked for."""
    if not unit and not up and from_unit == "" and not from_up:
        return thing
    try:
        return thing.in_units(unit, up=up, from_unit=from_unit, from_up=from_up)
    except FigureError as error:
        raise FormatError(str(error), file) from error


def _format(file: Path) -> Format:
    if os.path.isdir(file):  # noqa: PTH112  (no error for any name)
        raise FormatError("is a folder, not a file", file)
    found = FORMATS.get(file.suffix.lower())
    return _refuse(file, "reads", list(FORMATS)) if found is None else found


def _refuse(file: Path, verb: str, known: list[str]) -> NoReturn:
    if file.suffix.lower() == ".xacro" and verb.startswith("reads"):
        raise FormatError(urdf.IS_XACRO, file)
    what = file.suffix or "a name without an ending"
    hint = did_you_mean(file.suffix, known)
    if FORMATS.get(file.suffix.lower(), Format()).markers is not None and verb.startswith("reads"):
        hint = ": it holds markers, which limbik.load_markers reads and limbik fit-markers fits"
    raise FormatError(
        f"{what} is not a format limbik {verb} (knows {', '.join(known)}){hint}", file
    )
