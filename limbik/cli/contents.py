"""What is in a file: its figure and all its clips, whichever format it has."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from limbik.cli import files
from limbik.cli.arguments import Opened, opened
from limbik.errors import LimbikError, did_you_mean
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import load, load_motion
from limbik.formats.gltf import read as gltf
from limbik.formats.gltf.mesh import meshes
from limbik.formats.gltf.rig import Rig


class Contents(NamedTuple):
    """A file's figure, its clips by name, and its meshes."""

    figure: Figure
    clips: Mapping[str, Motion]
    meshes: tuple[SkinnedMesh, ...]


def contents(name: str, figure_file: str | None = None) -> Contents:
    """Everything in a file, or in something built in by its name, which ``files.source`` gave.

    ``figure_file`` has the figure of a motion that comes without one; of an SMPL body's it is the
    body model's .npz file.
    """
    path = Path(name)
    if figure_file is not None and Path(figure_file).suffix.lower() == ".npz":
        motion = load_motion(path, model=files.source(figure_file))
        return Contents(motion.figure, {motion.name: motion}, ())
    if figure_file is not None:
        figure = opened(figure_file).figure
        motion = load_motion(path, figure=figure)
        return Contents(motion.figure, {motion.name: motion}, ())
    if os.path.isfile(path) and files.holds_clips(path):  # noqa: PTH113  (no error for any name)
        with warnings.catch_warnings():
            # That there are several, and what a clip leaves out, is said when one is chosen.
            warnings.simplefilter("ignore", UserWarning)
            clips = gltf.clips(path)
        figure = next(iter(clips.values())).figure if clips else load(path)
        return Contents(figure, clips, _meshes(figure))
    found = opened(name)
    clips = {} if found.motion is None else {found.motion.name: found.motion}
    return Contents(found.figure, clips, ())


def _meshes(figure: Figure) -> tuple[SkinnedMesh, ...]:
    return meshes(figure) if isinstance(figure.source, Rig) else ()


def clip_of(name: str, clip: str | None, *, stretch: bool = False) -> Opened:
    """One clip of a file by its name, with its figure; the first, opened with ``stretch``, for
    None."""
    if clip is None:
        return opened(name, stretch=stretch)
    path = files.source(name)
    found = contents(path)
    return Opened(found.figure, chosen(found.clips, clip, path))


def alone(motion: Motion) -> Motion:
    """A motion whose glTF file has no other clips, so that it is written without them."""
    rig = motion.figure.source
    if not isinstance(rig, Rig) or len(rig.clips) < 2 or motion.name not in rig.clips:
        return motion
    document = copy(rig.document)
    at = list(rig.clips).index(motion.name)
    document.json = {**document.json, "animations": [document.entries("animations")[at]]}
    own = replace(rig, document=document, clips={motion.name: rig.clips[motion.name]})
    old = motion.figure
    figure = Figure(
        old.definition,
        rest=old.rest,
        name=old.name,
        unit=old.unit,
        up=old.up,
        source=own,
        physical=old.physical,
    )
    return Motion(figure, motion.q, motion.fps, motion.name)


def chosen(clips: Mapping[str, Motion], name: str | None, file: str) -> Motion | None:
    """A clip by its name, else the only one, or None where there is none."""
    if name is None:
        if len(clips) > 1:
            shown = ", ".join(list(clips)[:8]) + (", ..." if len(clips) > 8 else "")
            raise LimbikError(
                f"{files.place(Path(file))} has {len(clips)} clips: choose --clip ({shown})"
            )
        return next(iter(clips.values()), None)
    if name not in clips:
        hint = did_you_mean(name, clips) or (f" (it has {', '.join(clips)})" if clips else "")
        raise LimbikError(f'{files.place(Path(file))} has no clip "{name}"{hint}')
    return clips[name]
