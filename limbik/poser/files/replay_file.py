"""A replay written to disk, for ``limbik.save(motion, "clip.html")``.

``limbik`` registers it as a writer of the formats, which stand below the poser.  Nothing else of
the poser is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.files import write_whole

_FPS = 30.0  # of a figure in its rest pose, which is one frame


def write_replay(
    thing: Figure | Motion,
    path: Path,
    precision: int = 6,
    *,
    file: Callable[[str], str] | None = None,
) -> None:
    """Write a page that plays the motion in a browser, without a server and without a network.

    The figure is drawn with its meshes where its file has them.  ``precision`` is not used: poses
    are stored as 32-bit numbers.  ``file`` gives the page's own files, those of the build unless
    given.
    """
    from limbik.formats.gltf.mesh import meshes
    from limbik.formats.gltf.rig import Rig
    from limbik.humanoid.ground import floor_height, up_axis
    from limbik.poser.files.replay import replay_page
    from limbik.poser.page_files import page_file
    from limbik.poser.protocol.figure_info import figure_info

    motion = thing if isinstance(thing, Motion) else Motion(thing, thing.rest[None], _FPS)
    figure = motion.figure
    drawn = meshes(figure) if isinstance(figure.source, Rig) else ()
    up = up_axis(figure, motion.q)
    info = figure_info(
        figure, id=1, up=up, floor=floor_height(figure, up, motion.q, drawn), mesh=bool(drawn),
        clips=[], file="", builtin="", mirrors=False,
    )  # fmt: skip
    title = motion.name or figure.name or path.stem
    page = replay_page(motion, info=info, meshes=drawn, title=title, file=file or page_file)

    def write(out: BinaryIO) -> None:
        out.write(page.encode())

    write_whole(path, write)
