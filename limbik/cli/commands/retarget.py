"""``limbik retarget``: a clip of one body on another."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from limbik.animate.retargeting.retarget import Retargeted
from limbik.animate.retargeting.retarget import retarget as carry_over
from limbik.animate.track import jumps
from limbik.cli import arguments, files, options
from limbik.cli.contents import clip_of
from limbik.cli.terminal import notes, out, progress_bar
from limbik.errors import LimbikError
from limbik.solver.result import length_text


def retarget(
    clip: Annotated[
        str, typer.Argument(metavar="CLIP.bvh", help="A file with motion, or cartwheel.")
    ],
    figure: Annotated[
        str,
        typer.Argument(
            metavar="FIGURE",
            help="A file with a figure (URDF, MJCF, VRM, glTF, BVH), or one of: "
            f"{arguments.NAMES}.",
        ),
    ],
    save_to: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; - is standard output.")
    ],
    scale: Annotated[
        str,
        typer.Option(
            metavar="limbs|fitted|common",
            help="How proportions are carried over: every bone in the figure's own length; legs, "
            "trunk and arms by a factor each; or all by one.",
        ),
    ] = "limbs",
    smooth: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Smooth away movements that are much shorter.",
            show_default="0.03 at 30 fps, 0.014 at 120",
        ),
    ] = None,
    overrides: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="Roles, weights and offsets that shall differ."),
    ] = None,
    name: options.ClipName = None,
    every: options.Every = None,
    json: options.Json = False,
    to: options.OutputFormat = "",
    force: options.Force = False,
) -> None:
    """Put a clip of one body on another: bones by what they are, contacts held, limits kept.

    Bones are recognised by their names and how they hang together; nothing has to be written for a
    pair of bodies.  A figure without a base that moves gets one.
    """
    target = files.output(save_to, to=to, force=force, read=clip)
    assert target is not None
    if json and target.standard:
        raise LimbikError("--json and OUT - both write to standard output: choose one")
    _, motion = arguments.opened(clip) if name is None else clip_of(clip, name)
    if motion is None:
        raise LimbikError(f'"{files.place(Path(clip))}" has no motion to retarget')
    motion = motion if every is None else motion.sample(every)
    onto, _ = arguments.opened(figure)
    with progress_bar(f"retargeting {motion.frames} frames", motion.frames):
        result = carry_over(motion, onto, scale=scale, smooth=smooth, overrides=overrides)
    path = files.write(result.motion, target)[0]
    report = _report(result)
    report["out"] = None if path is None else str(path)
    if json:
        print(json_text.dumps(report, allow_nan=False))
        return
    page = notes if target.standard else out
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    unit = onto.unit
    table.add_row("frames", f"{motion.frames} at {motion.fps:.4g} fps")
    table.add_row("roles", f"{report['roles']} in both bodies")
    table.add_row("contacts", f"{report['contacts']}")
    slide = length_text(report["slide"], unit)
    table.add_row("slide", f"{slide} at most")
    table.add_row("mean error", length_text(report["mean_error"], unit))
    table.add_row("outside limits", f"{report['limit_violation']:g}")
    table.add_row("jumps", f"{report['jumps']}")
    table.add_row("time", f"{report['us_per_frame']:.0f} µs per frame")
    if path is not None and page is out:
        table.add_row("wrote", escape(str(path)))
    page.print(table)


def _report(result: Retargeted) -> dict[str, Any]:
    motion = result.motion
    slides = [
        np.ptp(motion.figure.positions(motion.q[c.start : c.end], c.joint), axis=0).max()
        for c in result.contacts
    ]
    return {
        "frames": motion.frames,
        "roles": len(result.roles),
        "contacts": len(result.contacts),
        "slide": float(max(slides, default=0.0)),
        "mean_error": float(result.errors.mean()),
        "limit_violation": float(np.max(motion.figure.violation(motion.q))),
        "jumps": len(jumps(motion.figure, motion.q)),
        "scale": result.scale,
        "us_per_frame": 1e6 * result.seconds / motion.frames,
    }
