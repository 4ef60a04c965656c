"""glTF 2.0, GLB, VRM and VRM animations into figures and motions.

``figure.py`` says how nodes become joints, ``animation.py`` which frame rate a clip gets.
"""

from __future__ import annotations

import warnings
from pathlib import Path

from limbik.errors import FigureError, FormatError, NoMotionError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.gltf.figure import figure_of
from limbik.formats.gltf.file import read_document
from limbik.formats.gltf.motion import check_size, motion_of, moving_clips, refuse_scales
from limbik.formats.gltf.rig import read_layout
from limbik.formats.text_numbers import shown


def read_figure(path: Path) -> Figure:
    """The figure in a glTF file, in metres and y up as the format has them; its ``source`` is the
    ``Rig``, with roles and the names of the clips."""
    return figure_of(read_layout(read_document(path)))


def read_motion(path: Path, figure: Figure | None = None, *, scale: str = "keep") -> Motion:
    """The first clip of a glTF file, on its own figure or on one with the same joints.

    ``scale`` "refuse" refuses a clip that changes the scale of joints.
    """
    own = read_figure(path)
    names = moving_clips(own)
    if not names:
        raise NoMotionError("has no animation of its joints", path)
    if len(names) > 1:
        text = f"{path.name}: {shown(names[0])} is the first of {len(names)} clips"
        more = ", ".join(name[:40] for name in names[:20]) + (", ..." if len(names) > 20 else "")
        warnings.warn(f"{text} ({more}); limbik.formats.gltf.read.clips has them all", stacklevel=3)
    if scale == "refuse":
        refuse_scales(own, names[0])
    motion = motion_of(own, names[0])
    try:
        return motion if figure is None else motion.onto(figure)
    except FigureError as error:
        raise FormatError(str(error), path) from error


def clips(path: Path | str) -> dict[str, Motion]:
    """All clips of a glTF file that move its joints, by name, on one figure.

    >>> clips("walk.glb")["walk"].fps
    120.0
    """
    figure = read_figure(Path(path))
    names = moving_clips(figure)
    check_size(figure, names)
    return {name: motion_of(figure, name) for name in names}
