"""``limbik track``: a figure follows the effectors of a clip."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from limbik.animate.learn import limits_from
from limbik.animate.track import Track
from limbik.animate.track import track as follow
from limbik.cli import arguments
from limbik.cli.terminal import STYLES, out, progress_bar
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import save
from limbik.solver.result import Status, length_text
from limbik.solver.solve import find_method


def track(
    clip: Annotated[
        str,
        typer.Argument(metavar="CLIP.bvh", help="A file with motion, or cartwheel."),
    ],
    effectors: Annotated[
        str, typer.Option(metavar="A,B,C", help="The joints whose positions are followed.")
    ],
    every: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Take a frame only so often; all frames if left."),
    ] = None,
    limits: Annotated[
        str | None,
        typer.Option(
            metavar="clip+DEGREES",
            help="clip+10: each rotation may go as far as anywhere in the whole clip, and 10 "
            "degrees further. Slides keep the limits they have, because degrees say nothing about "
            "lengths. The file's own limits if left.",
        ),
    ] = None,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="One of `limbik methods`.")
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="Largest distance allowed, in the figure's unit.")
    ] = None,
    restarts: Annotated[
        int | None,
        typer.Option(min=0, help="How often a frame may start again; as many as help if left."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Chooses the random numbers of restarts.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    save_to: Annotated[
        Path | None,
        typer.Option("--out", metavar="OUT.bvh", help="Write the motion that came out."),
    ] = None,
) -> None:
    """Follow the positions of a clip's effectors, starting from its first pose.

    Only the named joints' positions are used; everything else is found again.  Exits with 0 when
    every frame reached its targets and with 1 when not.
    """
    path = arguments.writable(save_to)
    names = arguments.names(effectors, "--effectors")
    wide = None if limits is None else arguments.margin(limits)
    chosen = find_method(method)
    whole = arguments.opened_motion(clip)
    figure = whole.figure
    places = [figure.index(name) for name in names]
    if wide is not None:
        figure = figure.with_limits(limits_from(whole, margin=wide))
    motion = whole if every is None else whole.sample(every)
    targets = motion.positions()[:, places]

    options: dict[str, Any] = {
        "start": motion.q[0],
        "fps": motion.fps,
        "method": chosen,
        "tolerance": tolerance,
        "restarts": restarts,
        "seed": seed,
    }
    with progress_bar("getting ready", motion.frames) as bar:
        follow(figure, names, targets[:2], **options)
        bar.say(f"following {motion.frames} frames")
        result = follow(figure, names, targets, reference=motion.q, progress=bar.done, **options)
    if path is not None:
        save(result.motion, path)
    report: dict[str, Any] = {
        "frames": motion.frames,
        "reached": int((result.status == Status.REACHED).sum()),
        "worst_error": float(result.error.max()),
        "sum_squared_error": (result.errors**2).sum(axis=1).tolist(),
        "us_per_frame": 1e6 * result.seconds / motion.frames,
        "limit_violation": result.violation,
        "jumps": len(result.jumps),
        "restarts": int((result.attempts - 1).sum()),
        "clip": whole.name,
        "effectors": names,
        "every": every,
        "fps": motion.fps,
        "limits": limits,
        "method": chosen.name,
        "seed": seed,
        "out": None if path is None else str(path),
    }
    if json:
        print(json_text.dumps(report, allow_nan=False))
    else:
        _show(figure, motion, result, report)
    raise typer.Exit(0 if result.ok else 1)


def _show(figure: Figure, motion: Motion, result: Track, report: dict[str, Any]) -> None:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    worst = int(np.argmax(result.error))
    effector = report["effectors"][int(np.argmax(result.errors[worst]))]
    at = f"{escape(effector)} at {worst / motion.fps:.3g} s"
    restarted = int((result.attempts > 1).sum())
    jumps = ", ".join(f"{frame / motion.fps:.3g} s" for frame in result.jumps[:5])
    table.add_row("frames", f"{motion.frames} at {motion.fps:.4g} fps, {motion.duration:.3g} s")
    table.add_row("reached", f"{report['reached']} of {motion.frames}")
    table.add_row("worst error", f"{length_text(result.error[worst], figure.unit)}  ({at})")
    table.add_row("mean error", length_text(float(result.errors.mean()), figure.unit))
    table.add_row("time", f"{report['us_per_frame']:.0f} µs per frame, {report['method']}")
    table.add_row("restarts", f"{report['restarts']} in {restarted} frames")
    table.add_row("outside limits", f"{report['limit_violation']:g}")
    table.add_row("jumps", f"{report['jumps']}" + (f"  (at {jumps})" if jumps else ""))
    if report["out"]:
        table.add_row("wrote", escape(report["out"]))
    out.print(table)
    missed = [status for status in result.status if status != Status.REACHED]
    if missed:
        out.print()
        for status in sorted(set(missed)):
            line = f"  {missed.count(status)} frames"
            out.print(Text.assemble((str(status), STYLES[status]), line))
