"""``limbik check``: what is wrong with a motion, in numbers and a picture."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from limbik.animate.check import Report
from limbik.animate.check import check as measure
from limbik.cli import files, options
from limbik.cli.arguments import NAMES
from limbik.cli.contents import chosen, contents
from limbik.cli.terminal import out
from limbik.errors import FormatError, LimbikError
from limbik.figure.motion import Motion
from limbik.formats.files import write_whole

PICTURES = (".png", ".svg", ".pdf")
_SHOWN = 40  # contacts that are listed


def check(
    clip: Annotated[
        str,
        typer.Argument(
            metavar="CLIP", help=f"A file with motion, or one of: {NAMES}; - is standard input."
        ),
    ],
    figure: options.FigureFile = None,
    name: options.ClipName = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The motion that this one was made from: its contacts count, and its own slides "
            "and jerk are shown beside.",
        ),
    ] = None,
    ground: Annotated[
        float | None,
        typer.Option(
            metavar="HEIGHT",
            help="Height of the ground in the figure's unit.",
            show_default="found",
        ),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            metavar="RAD/S",
            help="The fastest that a joint may be.",
            show_default="as the figure's file says",
        ),
    ] = None,
    save_to: Annotated[
        Path | None,
        typer.Option("--out", metavar="PICTURE.png", help="Write a picture: .png, .svg or .pdf."),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Measure a motion: how far its contacts slide, how deep it is in the ground, jumps, jerk, and
    joints that are outside their limits or too fast.

    Exits with 0 where limits and speeds hold and nothing jumps, and with 1 where not.
    """
    target = None if save_to is None else picture_file(save_to, force)
    motion = motion_of(clip, figure, name)
    other = None if source is None else motion_of(source, None, None)
    report = measure(motion, source=other, ground=ground, speed_limits=speed)
    if target is not None:
        page = report.plot()
        kind = target.suffix.lower().removeprefix(".")
        write_whole(target, lambda file: page.savefig(file, format=kind))
    if json:
        print(json_text.dumps(report.as_dict(), allow_nan=False))
    else:
        _show(motion, report, target)
    raise typer.Exit(0 if report.ok else 1)


def motion_of(file: str, figure: str | None, clip: str | None) -> Motion:
    """The motion that was named on the command line; a figure without one is refused."""
    path = files.source(file)
    motion = chosen(contents(path, figure).clips, clip, path)
    if motion is None:
        raise LimbikError(f'"{files.place(Path(path))}" has no motion')
    return motion


def picture_file(path: Path, force: bool) -> Path:
    """Where a picture is written; an ending that is none, and a file that exists, are refused."""
    path = files.expanded(path)
    if path.suffix.lower() not in PICTURES:
        raise FormatError(f"a picture ends in one of {', '.join(PICTURES)}", path)
    if not path.parent.is_dir():
        raise FormatError(f'there is no folder "{path.parent}" to write it to', path)
    files.check_free(path, force)
    return path


def _show(motion: Motion, report: Report, target: Path | None) -> None:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    slide = report.slide_mm
    unit = "" if report.unit_known else "  (the unit is not stated: mm of a body of usual size)"
    beside = "" if report.source_jerk is None else f"  (source {report.source_jerk:.4g})"
    table.add_row("frames", f"{report.frames} at {report.fps:.4g} fps, {motion.duration:.3g} s")
    if len(slide):
        text = f"median {np.median(slide):.3g} mm, worst {slide.max():.3g} mm{unit}"
        own = [c.source_slide_mm for c in report.contacts if c.source_slide_mm is not None]
        text += f"  (source {np.median(own):.3g}, {max(own):.3g})" if own else ""
        table.add_row("slide", text)
        table.add_row("sliding", f"{100.0 * report.sliding:.3g} % of contact faster than 1 cm/s")
    table.add_row("penetration", f"{report.penetration_mm:.3g} mm")
    at = ", ".join(f"{frame / report.fps:.3g} s" for frame in report.jumps[:5])
    table.add_row("jumps", f"{len(report.jumps)}" + (f"  (at {at})" if at else ""))
    table.add_row("jerk, 95 %", f"{report.jerk:.4g} rad/s³{beside}")
    fast = f"  (too fast: {', '.join(report.too_fast[:5])})" if report.too_fast else ""
    table.add_row("speed", f"{report.speed:.3g} rad/s{escape(fast)}")
    table.add_row(
        "outside limits", f"{report.limit_violation:.3g} in {report.frames_outside} frames"
    )
    if target is not None:
        table.add_row("wrote", escape(str(target)))
    out.print(table)
    if not report.contacts:
        return
    out.print()
    rows = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("contact", "from s", "to s", "slide mm"):
        rows.add_column(column, justify="left" if column == "contact" else "right")
    if report.source_jerk is not None:
        rows.add_column("source mm", justify="right")
    for contact in report.contacts[:_SHOWN]:
        cells = [escape(contact.joint), f"{contact.start / report.fps:.2f}"]
        cells += [f"{contact.end / report.fps:.2f}", f"{contact.slide_mm:.3g}"]
        if contact.source_slide_mm is not None:
            cells.append(f"{contact.source_slide_mm:.3g}")
        rows.add_row(*cells)
    out.print(rows)
    if len(report.contacts) > _SHOWN:
        out.print(f"[dim]and {len(report.contacts) - _SHOWN} more (--json has all)[/dim]")
