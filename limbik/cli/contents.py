"""What is in a file: its figure and all its clips, whichever format it has."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from limbik.cli.arguments import opened
from limbik.errors import LimbikError, did_you_mean
from limbik.figure.figure import Figure
from limbik.figure.mesh import SkinnedMesh
from limbik.figure.motion import Motion
from limbik.formats import FORMATS, load, load_motion
from limbik.formats.gltf import read as gltf
from limbik.formats.gltf.mesh import meshes
from limbik.formats.gltf.rig import Rig


class Contents(NamedTuple):
    """A file's figure, its clips by name, and its meshes."""

    figure: Figure
    clips: Mapping[str, Motion]
    meshes: tuple[SkinnedMesh, ...]


def contents(name: str, figure_file: str | None = None) -> Contents:
    """Everything in a file, or in something built in by its name.

    ``figure_file`` has the figure of a motion that comes without one.
    """
    path = Path(name)
    form = FORMATS.get(path.suffix.lower())
    if figure_file is not None:
        figure = opened(figure_file).figure
        motion = load_motion(path, figure=figure)
        return Contents(motion.figure, {motion.name: motion}, ())
    if path.is_file() and form is not None and form.motion is gltf.read_motion:
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


def chosen(clips: Mapping[str, Motion], name: str | None, file: str) -> Motion | None:
    """A clip by its name, else the only one, or None where there is none."""
    if name is None:
        if len(clips) > 1:
            shown = ", ".join(list(clips)[:8]) + (", ..." if len(clips) > 8 else "")
            raise LimbikError(f"{Path(file).name} has {len(clips)} clips: choose --clip ({shown})")
        return next(iter(clips.values()), None)
    if name not in clips:
        hint = did_you_mean(name, clips) or (f" (it has {', '.join(clips)})" if clips else "")
        raise LimbikError(f'{Path(file).name} has no clip "{name}"{hint}')
    return clips[name]
