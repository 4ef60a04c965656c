"""Opening: from built-in names, uploaded files and figures in memory to what the poser draws."""

from __future__ import annotations

import hashlib
import re
import shutil
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from limbik import figures
from limbik.errors import FigureError, FormatError, LimbikError, NoMotionError, did_you_mean
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figures import BUILT_IN
from limbik.formats import FORMATS, load, load_motion
from limbik.formats.gltf import mesh as gltf_mesh
from limbik.formats.gltf.motion import motion_of, moving_clips
from limbik.formats.gltf.rig import Rig
from limbik.humanoid.ground import Axis, floor_height, up_axis
from limbik.poser.document import figure_codec as figure_json
from limbik.poser.document.document import CHAIN_OF_EIGHT, Effector, Source
from limbik.poser.files.exported import recorded_effectors, with_unit

OPENS: tuple[str, ...] = tuple(e for e, form in FORMATS.items() if form.figure or form.motion)
"""Endings of files that hold a figure or a motion."""

COMPANIONS = (".bin", ".png", ".jpg", ".jpeg", ".ktx2", ".webp", ".stl", ".obj", ".dae", ".mtl")
"""Endings of files that others refer to; nothing is opened in them."""

_FOLDER = "opened"
INCLUDED = re.compile(r"<include\b[^>]*\bfile\s*=\s*[\"']([^\"']+)[\"']")


class NamedClip(NamedTuple):
    """A clip that can be chosen: its name, and where it comes from."""

    name: str
    source: Callable[[], Motion]

    def read(self) -> Motion:
        """The clip on the figure that it came with."""
        with _collect_warnings():
            return self.source()


@dataclass(frozen=True, eq=False)
class Opened:
    """A figure as its source has it, with what came along.

    ``up`` and ``floor`` (along it, in the figure's unit) are for drawing; the figure's data stay
    in the axes they have.  ``notes`` is what the reader of the file had to say, ``effectors`` those
    that the file was saved with, where that is known.
    """

    figure: Figure
    file: str
    builtin: str
    meshes: tuple[SkinnedMesh, ...]
    clips: tuple[NamedClip, ...]
    up: Axis
    floor: float
    notes: tuple[str, ...] = ()
    effectors: tuple[Effector, ...] = ()


def keep_files(names: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Move uploaded files aside together, where later uploads of the same names do not reach them.

    Returns their paths below the session's folder, the one with the figure (or, without one, the
    motion) first.
    """
    if not names:
        raise LimbikError("No file was chosen.")
    paths = _in_order([_inside(folder, name) for name in names])
    digest = hashlib.sha256()
    for path in sorted(paths, key=lambda path: path.name):
        digest.update(path.name.encode() + b"\0")
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    place = f"{_FOLDER}/{digest.hexdigest()[:24]}"
    (folder / place).mkdir(parents=True, exist_ok=True)
    for path in paths:
        path.replace(folder / place / path.name)
    return tuple(f"{place}/{path.name}" for path in paths)


def discard_files(kept: Sequence[str], folder: Path) -> None:
    """Remove what ``keep_files`` put aside."""
    shutil.rmtree(folder / Path(kept[0]).parent, ignore_errors=True)


def _inside(folder: Path, name: str) -> Path:
    if not name or name != Path(name).name or name in (".", "..") or "\0" in name:
        raise LimbikError(f'"{name[:80]}" is not the name of an uploaded file.')
    path = folder / name
    if not path.is_file() or path.is_symlink():
        raise LimbikError(f'"{name[:80]}" was not uploaded.')
    return path


def _in_order(paths: list[Path]) -> list[Path]:
    """The paths with the file to open first: figures before motions before what they refer to."""

    def rank(path: Path) -> tuple[int, int]:
        form = FORMATS.get(path.suffix.lower())
        if form is None:
            return 3, 0
        if form.figure is None:
            return 2, 0
        return (1 if path.name in included else 0), int(path.suffix.lower() == ".vrma")

    included: set[str] = set()
    for path in paths:
        if path.suffix.lower() in (".xml", ".mjcf"):
            text = path.read_text(encoding="utf-8", errors="replace")
            included |= {Path(found).name for found in INCLUDED.findall(text)}
    return sorted(paths, key=rank)


def holds_figure(files: Sequence[str]) -> bool:
    """Whether the first of the files has a figure of its own."""
    form = FORMATS.get(Path(files[0]).suffix.lower())
    return form is not None and form.figure is not None


def open_source(source: Source, folder: Path) -> Opened:
    """The figure of a source, and what comes with it; ``folder`` is the session's."""
    if source.kind == "builtin":
        return _builtin(source.name)
    if source.kind == "memory":
        kept = figure_json.read(folder / source.files[0])
        clips = [_clip(motion, source.name) for motion in kept.motions]
        return _opened(kept.figure, clips, kept.meshes)
    paths = [folder / name for name in source.files]
    with _collect_warnings() as notes:
        figure = with_unit(load(paths[0]), paths[1:])
        meshes = gltf_mesh.meshes(figure) if isinstance(figure.source, Rig) else ()
        clips = [*_own_clips(paths[0], figure), *_other_clips(paths[1:], figure)]
        opened = _opened(figure, clips, meshes, file=paths[0].name)
    effectors = recorded_effectors(figure, paths[1:])
    return replace(opened, notes=tuple(notes), effectors=effectors)


_filters = threading.RLock()


@contextmanager
def _collect_warnings() -> Iterator[list[str]]:
    """Collect what readers warn of.  Python's filters of warnings belong to the whole process, so
    that one session at a time may touch them."""
    notes: list[str] = []
    with _filters, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield notes
        finally:
            notes += dict.fromkeys(str(warning.message) for warning in caught)


def _builtin(name: str) -> Opened:
    if name == CHAIN_OF_EIGHT:
        return _opened(figures.chain(lengths=[0.3] * 8), [], builtin=name)
    if name not in BUILT_IN:
        raise LimbikError(
            f'There is no built-in figure "{name[:40]}"{did_you_mean(name, BUILT_IN)}.'
        )
    made = BUILT_IN[name]()
    if isinstance(made, Figure):
        return _opened(made, [], builtin=name)
    return _opened(made.figure, [_clip(made, name)], builtin=name)


def _opened(
    figure: Figure,
    clips: Sequence[NamedClip],
    meshes: tuple[SkinnedMesh, ...] = (),
    *,
    file: str = "",
    builtin: str = "",
) -> Opened:
    # Not read(): what is warned of here belongs to what the caller hears.
    first = clips[0].source().q if clips else None
    up = up_axis(figure, first)
    floor = floor_height(figure, up, first, meshes)
    return Opened(figure, file, builtin, meshes, tuple(clips), up, floor)


def _own_clips(path: Path, figure: Figure) -> list[NamedClip]:
    """The clips in the figure's own file."""
    if isinstance(figure.source, Rig):
        return [
            NamedClip(name, lambda name=name: motion_of(figure, name))
            for name in moving_clips(figure)
        ]
    if FORMATS[path.suffix.lower()].motion is None:
        return []
    try:
        motion = load_motion(path, figure=figure)
    except NoMotionError:
        return []
    return [_clip(motion, path.stem)]


def _other_clips(paths: Sequence[Path], figure: Figure) -> list[NamedClip]:
    """The clips in files that were opened together with the figure's."""
    clips: list[NamedClip] = []
    for path in paths:
        form = FORMATS.get(path.suffix.lower())
        if form is not None and form.motion is not None and path.suffix.lower() != ".xml":
            clips.append(_clip(motion_for(path, figure), path.stem))
    return clips


def _clip(motion: Motion, name: str) -> NamedClip:
    return NamedClip(motion.name or name, lambda: motion)


def motion_for(path: Path, figure: Figure) -> Motion:
    """The motion in a file, on a figure that is already there; a sentence where it does not fit."""
    form = FORMATS.get(path.suffix.lower())
    if form is None or form.motion is None:
        raise FormatError(
            f"{path.suffix or 'a name without an ending'} is not a format with a figure or a "
            f"motion (limbik reads {', '.join(OPENS)})",
            path,
        )
    try:
        return load_motion(path, figure=figure)
    except FormatError:
        if form.figure is None:
            raise
    try:
        # A file with a figure of its own: its joints, in the coordinates that are here.
        return load_motion(path).onto(figure)
    except FigureError as error:
        raise FormatError(str(error), path) from error


def open_motion(files: Sequence[str], folder: Path, figure: Figure) -> Motion:
    """The motion in the first of some files that have no figure, on the figure that is there."""
    with _collect_warnings():
        return motion_for(folder / files[0], figure)
