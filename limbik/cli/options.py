"""Options that several commands have, declared once."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from limbik.cli import limits
from limbik.cli.files import FORCE_HELP, TO_HELP
from limbik.cli.terminal import JSON_HELP
from limbik.formats.robot_motion.write import LAYOUTS

Limits = Annotated[
    str | None, typer.Option(metavar="none|file|anatomical|clip+DEGREES", help=limits.HELP)
]
Stretch = Annotated[
    bool, typer.Option("--stretch", help="Let position channels of BVH joints stretch bones.")
]
MethodName = Annotated[str | None, typer.Option(metavar="NAME", help="One of `limbik methods`.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Chooses the random numbers of restarts.")]
Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]
OutputFormat = Annotated[str, typer.Option(metavar="FORMAT", help=TO_HELP, show_default="bvh")]
Force = Annotated[bool, typer.Option("--force", "-f", help=FORCE_HELP)]
FigureFile = Annotated[
    str | None,
    typer.Option(
        "--figure", metavar="FILE", help="The figure of a motion that comes without (AMC, CSV)."
    ),
]
Layout = Annotated[
    str,
    typer.Option(
        metavar="NAME", help=f"Write a robot's motion as others keep it: {', '.join(LAYOUTS)}."
    ),
]
ClipName = Annotated[
    str | None,
    typer.Option(
        "--clip",
        metavar="NAME",
        help="Which clip, where the file has several.",
        show_default="the first",
    ),
]
Every = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Take a frame only so often.", show_default="all frames"),
]


def tolerance(help: str, usual: str) -> Any:
    return typer.Option(metavar="LENGTH", help=help, show_default=usual)


def restarts(help: str) -> Any:
    return typer.Option(metavar="N", min=0, help=help, show_default="as many as help")


def saved_to(metavar: str, what: str) -> Any:
    return typer.Option(
        "--out", metavar=metavar, help=f"Write the {what} that was found; - is standard output."
    )
