"""``limbik fit-markers``: a figure follows the markers of optical motion capture."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from limbik.animate.markers.fit_markers import fit_markers as fit
from limbik.cli import files, options
from limbik.cli.arguments import NAMES, opened
from limbik.cli.terminal import notes, out
from limbik.errors import LimbikError


def fit_markers(
    markers: Annotated[str, typer.Argument(metavar="MARKERS", help="A C3D or TRC file.")],
    figure: Annotated[
        str, typer.Argument(metavar="FIGURE", help=f"A file with a figure, or one of: {NAMES}.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; - is standard output.")
    ],
    seat: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MARKER=JOINT",
            help="Which joint carries a marker; may be given several times.",
            show_default="known for Plug-in Gait and CMU names",
        ),
    ] = None,
    calibrate: Annotated[bool, typer.Option(help="Find the lengths of the limbs.")] = True,
    force: options.Force = False,
    to: options.OutputFormat = "",
    json: options.Json = False,
) -> None:
    """Let a figure follow the markers of optical motion capture.

    The lengths of its limbs and the places of the markers on it are calibrated first.
    """
    path = files.expanded(Path(markers))
    found = files.output(target, to=to, force=force, read=str(path))
    assert found is not None
    if json and found.standard:
        raise LimbikError("--json and OUT - both write to standard output: choose one")
    seats = {}
    for text in seat or []:
        marker, equals, joint = (part.strip() for part in text.rpartition("="))
        if not (marker and equals and joint):
            raise LimbikError(f'--seat "{text}": expected MARKER=JOINT, such as LKNE=LeftUpLeg')
        seats[marker] = joint
    result = fit(path, opened(figure).figure, seats_of=seats, calibrate=calibrate)
    written = files.write(result.motion, found)
    if json:
        report = {
            "wrote": [str(file) for file in written],
            "frames": result.motion.frames,
            "rms_mm": result.rms_mm,
            "scales": dict(result.scales),
            "markers": {name: joint for name, (joint, _) in result.markers.items()},
            "ignored": list(result.ignored),
            "swapped": len(result.swapped),
        }
        print(json_text.dumps(report, allow_nan=False))
        return
    page = notes if found.standard else out
    name = "standard output" if found.standard else str(written[0])
    page.print(f"markers   {len(result.markers)}, RMS {result.rms_mm:.3g} mm", soft_wrap=True)
    if result.ignored:
        page.print(f"ignored   {escape(', '.join(result.ignored))}", soft_wrap=True)
    scales = ", ".join(f"{limb} {scale:.3f}" for limb, scale in result.scales.items())
    page.print(f"scales    {scales}", soft_wrap=True)
    page.print(f"wrote     {escape(name)}", soft_wrap=True)
