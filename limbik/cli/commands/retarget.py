"""``limbik retarget``: a clip of one body on another."""

from __future__ import annotations

import json as json_text
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from limbik.animate.retargeting.retarget import Retargeted, moving_figure
from limbik.animate.retargeting.retarget import retarget as carry_over
from limbik.animate.track import jumps
from limbik.cli import arguments, files, options
from limbik.cli.contents import chosen, clip_of, contents
from limbik.cli.terminal import notes, out, progress_bar
from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figure.units import length_text


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
    clip_figure: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The figure of a clip that comes without (AMC, CSV), or the body model of an SMPL "
            "clip.",
        ),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            metavar="RAD/S",
            help="The fastest that a hinge may turn.",
            show_default="as the figure's file says",
        ),
    ] = None,
    name: options.ClipName = None,
    every: options.Every = None,
    layout: options.Layout = "",
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
    motion = _clip(clip, name, clip_figure)
    if motion is None:
        raise LimbikError(f'"{files.place(Path(clip))}" has no motion to retarget')
    motion = motion if every is None else motion.sample(every)
    onto, _ = arguments.opened(figure)
    moved = moving_figure(onto)
    files.check_writable(Motion(moved, moved.rest[None], motion.fps, motion.name), target, layout)
    with progress_bar(f"retargeting {motion.frames} frames", motion.frames) as bar:
        result = carry_over(
            motion, onto, scale=scale, smooth=smooth, overrides=overrides,
            speed_limits=None if speed is None else _speeds(onto, speed),
            progress=lambda share: bar.done(round(share * motion.frames)),
        )  # fmt: skip
    path = files.write(result.motion, target, layout)[0]
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


def _clip(file: str, name: str | None, figure: str | None) -> Motion | None:
    """The clip that was named on the command line, with its figure from another file or its own."""
    if figure is None:
        return (arguments.opened(file) if name is None else clip_of(file, name)).motion
    path = files.source(file)
    return chosen(contents(path, figure).clips, name, path)


def _speeds(figure: Figure, speed: float) -> np.ndarray:
    """(n,) one speed limit for all coordinates that turn; those of slides stay the file's."""
    if not speed > 0:
        raise LimbikError(f"--speed must be above 0, got {speed:g}")
    own = np.asarray(figure.speed_limits, float)
    return np.where(figure.slides, own, speed)


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
        "held": [asdict(contact) for contact in result.contacts],
        "slide": float(max(slides, default=0.0)),
        "mean_error": float(result.errors.mean()),
        "limit_violation": float(np.max(motion.figure.violation(motion.q))),
        "jumps": len(jumps(motion.figure, motion.q)),
        "scale": result.scale,
        "us_per_frame": 1e6 * result.seconds / motion.frames,
    }
