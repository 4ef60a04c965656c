"""``limbik demo``: limbik shows what it does."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated

import typer

from limbik.cli import files, options
from limbik.cli.terminal import notes, out


def demo(
    save_to: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder for demo.png and demo.bvh.")
    ] = Path("out"),
    json: options.Json = False,
    frames: Annotated[int | None, typer.Option(min=2, hidden=True)] = None,
) -> None:
    """Let the built-in human turn a cartwheel from six goals, and draw it.

    Hands, feet, pelvis and head get their targets from the built-in motion; limbik finds the other
    joints.  Writes demo.png and demo.bvh, in place of those of an earlier run.
    """
    from limbik.demo import as_json, run

    folder = files.expanded(save_to)
    found = run(folder, frames=frames, console=notes if json else out)
    if json:
        print(json_text.dumps(as_json(found, folder), allow_nan=False))
    raise typer.Exit(0 if found.ok else 1)
