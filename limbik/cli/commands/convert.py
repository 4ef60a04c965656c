"""``limbik convert``: a file of one format into another."""

from __future__ import annotations

import json as json_text
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from limbik.cli import files, options
from limbik.cli.arguments import NAMES
from limbik.cli.contents import Contents, alone, chosen, contents
from limbik.cli.terminal import notes, out
from limbik.errors import FigureError, LimbikError, LimbikWarning
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion

GLTF = (".glb", ".gltf", ".vrm", ".vrma")


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN", help=f"A file to read, or one of: {NAMES}; - is standard input."
        ),
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; - is standard output.")
    ],
    clip: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Which clip, where the file has several; OUT holds that one only."
        ),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The figure of a motion that comes without (AMC, CSV), or an SMPL body model.",
        ),
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
    force: options.Force = False,
    layout: options.Layout = "",
    to: options.OutputFormat = "",
    json: options.Json = False,
) -> None:
    """Read a file and write it in another format, which the ending of OUT decides.

    A motion goes with its figure into BVH, glTF, or AMC with its ASF file beside it. CSV and NPZ
    hold joint values only, ASF the skeleton only.
    """
    source = files.source(source)
    to_file = files.output(target, to=to, force=force, read=source, figure=figure)
    assert to_file is not None
    if json and to_file.standard:
        raise LimbikError("--json and OUT - both write to standard output: choose one")
    path = to_file.path
    found = contents(source, figure)
    motion = chosen(found.clips, clip, source)
    thing: Figure | Motion = found.figure if motion is None else motion
    if clip is not None and motion is not None:
        thing = alone(motion)
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
            raise LimbikError(f"{files.place(Path(source))}: {_as_options(str(error))}") from error
    if path.suffix.lower() in GLTF:
        _warn_of_gltf(thing, found, source)
    written = files.write(thing, to_file, layout)
    if json:
        print(json_text.dumps(_as_json(thing, written), allow_nan=False))
        return
    page = notes if to_file.standard else out
    for file in written:
        name = "standard output" if to_file.standard else str(file)
        page.print(f"wrote {escape(name)}  [dim]{_what(thing, file)}[/dim]", soft_wrap=True)


def _as_json(thing: Figure | Motion, written: list[Path]) -> dict[str, Any]:
    figure = thing.figure if isinstance(thing, Motion) else thing
    motion = thing if isinstance(thing, Motion) else None
    return {
        "wrote": [str(file) for file in written],
        "joints": len(figure.joints),
        "unit": figure.unit,
        "up": figure.up,
        "frames": None if motion is None else motion.frames,
        "fps": None if motion is None else motion.fps,
        "clip": None if motion is None else motion.name,
    }


def _warn_of_gltf(thing: Figure | Motion, found: Contents, source: str) -> None:
    figure = thing.figure if isinstance(thing, Motion) else thing
    name = files.place(Path(source))
    if found.meshes and figure.source is None:
        text = "the mesh does not follow into another unit or up axis; bones are drawn instead"
        warnings.warn(f"{name}: {text}", LimbikWarning, stacklevel=2)


def _as_options(sentence: str) -> str:
    """A sentence about arguments of Python, for people who type options."""
    for name in ("from_unit", "from_up"):
        option = f"--{name.replace('_', '-')}"
        sentence = sentence.replace(f"{name}=", f"{option} ").replace(name, option)
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
