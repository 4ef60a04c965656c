"""``limbik convert``: a file of one format into another."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from limbik.cli.arguments import NAMES, writable
from limbik.cli.contents import Contents, chosen, contents
from limbik.cli.terminal import out
from limbik.errors import FigureError, FormatError, LimbikError, LimbikWarning
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import save
from limbik.formats.acclaim import amc_write

GLTF = (".glb", ".gltf", ".vrm", ".vrma")


def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help=f"A file to read, or one of: {NAMES}.")
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    clip: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which clip, where the file has several.")
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The figure of a motion that comes without (AMC, CSV)."),
    ] = None,
    unit: Annotated[
        str, typer.Option(metavar="UNIT", help="Convert lengths to m, cm, mm, in or ft.")
    ] = "",
    up: Annotated[str, typer.Option(metavar="AXIS", help="Turn the figure: y or z up.")] = "",
    from_unit: Annotated[
        str,
        typer.Option(
            metavar="UNIT", help="What the file is in, where it does not say; a number is metres."
        ),
    ] = "",
    from_up: Annotated[
        str, typer.Option(metavar="AXIS", help="Which axis is up, where the file does not say.")
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Replace OUT where it exists.")
    ] = False,
) -> None:
    """Read a file and write it in another format, which the ending of OUT decides.

    A motion goes with its figure into BVH, glTF, or AMC with the ASF file beside it. CSV and NPZ
    hold joint values only, ASF the skeleton only.
    """
    path = writable(target)
    assert path is not None
    if path.exists() and Path(source).exists() and path.samefile(source):
        raise FormatError("is the file to read; write to another", path)
    _check_free(path, force)
    found = contents(source, figure)
    motion = chosen(found.clips, clip, source)
    thing: Figure | Motion = found.figure if motion is None else motion
    if path.suffix.lower() == ".asf":
        thing = found.figure
    try:
        stated = float(from_unit)
    except ValueError:
        stated = from_unit
    if unit or up or from_unit or from_up:
        try:
            thing = thing.in_units(unit, up=up, from_unit=stated, from_up=from_up)
        except FigureError as error:
            raise LimbikError(f"{Path(source).name}: {_as_options(str(error))}") from error
    beside = amc_write.skeleton_beside(thing, path) if path.suffix.lower() == ".amc" else None
    if beside is not None:
        _check_free(beside, force)
    if path.suffix.lower() in GLTF:
        _say_what_gltf_makes(thing, found, source)
    save(thing, path)
    for file in (path, beside):
        if file is not None:
            out.print(f"wrote {escape(str(file))}  [dim]{_what(thing, file)}[/dim]", soft_wrap=True)


def _check_free(path: Path, force: bool) -> None:
    if path.exists() and not force:
        raise FormatError("is there already; --force replaces it", path)


def _say_what_gltf_makes(thing: Figure | Motion, found: Contents, source: str) -> None:
    figure = thing.figure if isinstance(thing, Motion) else thing
    name = Path(source).name
    if found.meshes and figure.source is None:
        text = "the mesh does not follow into another unit or up axis; bones are drawn instead"
        warnings.warn(f"{name}: {text}", LimbikWarning, stacklevel=2)


def _as_options(sentence: str) -> str:
    """A sentence about arguments of Python, for people who type options."""
    for name in ("from_unit", "from_up"):
        sentence = sentence.replace(f"{name}=", f"--{name.replace('_', '-')} ")
    return sentence


def _what(thing: Figure | Motion, file: Path) -> str:
    figure = thing.figure if isinstance(thing, Motion) else thing
    joints = f"{len(figure.joints)} joint{'s' * (len(figure.joints) != 1)}"
    unit = f", in {figure.unit}" if figure.unit else ""
    up = f", {figure.up} up" if figure.up else ""
    if isinstance(thing, Figure) or file.suffix.lower() == ".asf":
        return f"{joints}{unit}{up}"
    frames = f"{thing.frames} frame{'s' * (thing.frames != 1)} at {thing.fps:.6g} fps"
    return f"{frames}, {joints}{unit}{up}"
