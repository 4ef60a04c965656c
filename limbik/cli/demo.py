"""``limbik demo``: limbik shows what it does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from limbik.cli.terminal import out


def demo(
    save_to: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder for demo.png and demo.bvh.")
    ] = Path("out"),
    frames: Annotated[int | None, typer.Option(min=2, hidden=True)] = None,
) -> None:
    """Let the built-in human turn a cartwheel from six goals, and draw it.

    Hands, feet, pelvis and head get their targets from the built-in motion; limbik finds the other
    joints.  Writes demo.png and demo.bvh.
    """
    from limbik.demo import run

    raise typer.Exit(0 if run(save_to, frames=frames, console=out).ok else 1)
