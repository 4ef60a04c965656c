"""``limbik track``: a figure follows the effectors of a clip."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from limbik.animate.track import Track
from limbik.animate.track import track as track_clip
from limbik.cli import arguments, conditions, files, options
from limbik.cli.contents import clip_of
from limbik.cli.limits import limited
from limbik.cli.targets import Targets, pairs, read_targets
from limbik.cli.terminal import STYLES, notes, out, progress_bar
from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.figure.units import length_text
from limbik.goals import Goal, Reach
from limbik.solver.result import Status
from limbik.solver.runner import find_method

_FPS = 30.0  # of targets without a frame rate, for a figure that came without one too


def track(
    clip: Annotated[
        str,
        typer.Argument(
            metavar="CLIP.bvh",
            help="A file with motion, or cartwheel. With --targets any file with a figure, or one "
            f"of: {arguments.NAMES}.",
        ),
    ],
    effectors: Annotated[
        str,
        typer.Option(
            metavar="A,B,C",
            help="The joints whose positions are followed. With --targets, A=NAME is followed by a "
            "joint of another name there.",
        ),
    ],
    from_file: Annotated[
        str | None,
        typer.Option(
            "--targets",
            metavar="FILE",
            help="Follow joints of another file: a motion; a .csv with columns A.x, A.y, A.z and "
            "perhaps time; or a .npy of (frames, effectors, 3) numbers. - is standard input.",
            show_default="the clip itself",
        ),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="Frames per second of targets that have no frame rate.",
            show_default="that of the clip, or 30",
        ),
    ] = None,
    name: options.ClipName = None,
    every: options.Every = None,
    near: Annotated[
        str | None,
        typer.Option(
            metavar="CLIP.bvh",
            help="Stay near this motion where the targets leave the figure free, the whole clip "
            "solved at once. A motion of the same joints, such as the clip itself.",
        ),
    ] = None,
    smooth: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0.0,
            help="Smooth away movements that are much shorter, the whole clip solved at once.",
        ),
    ] = None,
    floor: conditions.Floor = None,
    above: conditions.AboveOption = None,
    within: conditions.WithinOption = None,
    balance: conditions.BalanceOption = None,
    avoid: conditions.AvoidOption = False,
    obstacle: conditions.Obstacle = None,
    relative: conditions.Relative = None,
    hold: conditions.HoldOption = None,
    close: conditions.CloseOption = None,
    limits: options.Limits = None,
    stretch: options.Stretch = False,
    method: options.MethodName = None,
    tolerance: Annotated[
        float | None,
        options.tolerance(
            "Largest distance allowed, in the figure's unit.", "0.0001 of the figure's size"
        ),
    ] = None,
    restarts: Annotated[
        int | None, options.restarts("How often a frame may start again from another pose.")
    ] = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    save_to: Annotated[Path | None, options.saved_to("OUT.bvh", "motion")] = None,
    to: options.OutputFormat = "",
    force: options.Force = False,
) -> None:
    """Follow the positions of a clip's effectors, starting from its first pose.

    Only the named joints' positions are used; everything else is found again.  --targets takes them
    from another file.  Exits with 0 when every frame reached its targets and with 1 when not.
    """
    output = files.output(save_to, to=to, force=force, read=clip, json=json)
    followed = pairs(effectors)
    names = list(followed)
    if from_file is None and (list(followed.values()) != names or fps is not None):
        raise LimbikError("JOINT=NAME and --fps are for --targets")
    chosen = find_method(method)
    own, recorded = clip_of(clip, name, stretch=stretch)
    if recorded is None and from_file is None:
        raise LimbikError(f'"{files.place(Path(clip))}" has no motion to follow: give --targets')
    joints = [own.index(name) for name in names]
    figure, whole, kind = limited(own, recorded, limits)
    reference = None
    if from_file is not None:
        rate = fps if fps is not None else _FPS if whole is None else whole.fps
        wanted = read_targets(from_file, figure, list(followed.values()), rate)
        wanted = wanted if every is None else wanted.sample(every)
    else:
        assert whole is not None
        motion = whole if every is None else whole.sample(every)
        wanted, reference = Targets(motion.positions()[:, joints], motion.fps), motion.q
    targets, frames = wanted.positions, len(wanted.positions)
    asked = conditions.Conditions(
        floor, above, within, balance, avoid, obstacle, relative, hold, close
    )
    more_goals: list[Goal] = [*asked.goals(figure), *asked.floor_goals(figure)]

    settings: dict[str, Any] = {
        "start": figure.rest if whole is None else whole.q[0],
        "fps": wanted.fps,
        "method": None if method is None else chosen,
        "tolerance": tolerance,
        "restarts": restarts,
        "seed": seed,
        "smooth": smooth,
    }
    poses = None if near is None else _near(near, figure, wanted, every)
    with progress_bar("getting ready", frames) as bar:
        # Two frames first, so that no kernel is compiled while the others are timed.
        track_clip(
            figure, _goals(names, targets[:2], more_goals),
            near=None if poses is None else poses[:2], **settings,
        )  # fmt: skip
        bar.describe(f"following {frames} frames")
        goals = _goals(names, targets, more_goals)
        result = track_clip(
            figure, goals, reference=reference, near=poses, progress=bar.done, **settings
        )
    path = None if output is None else files.write(result.motion.onto(own), output)[0]
    console = notes if output is not None and output.standard else out
    report: dict[str, Any] = {
        "frames": frames,
        "reached": int((result.status == Status.REACHED).sum()),
        "worst_error": float(result.error.max()),
        "sum_squared_error": (result.errors[:, : len(names)] ** 2).sum(axis=1).tolist(),
        "us_per_frame": 1e6 * result.seconds / frames,
        "limit_violation": result.violation,
        "jumps": len(result.jumps),
        "restarts": int((result.attempts - 1).sum()),
        "clip": figure.name if whole is None else whole.name,
        "effectors": names,
        "targets": from_file,
        "every": every,
        "fps": wanted.fps,
        "limits": kind,
        "method": "whole clip" if near is not None or smooth is not None else chosen.name,
        "near": near,
        "smooth": smooth,
        "seed": seed,
        "out": None if path is None else str(path),
    }
    if json:
        print(json_text.dumps(report, allow_nan=False))
    else:
        _show(figure, result, report, console, [*names, *(goal.label for goal in more_goals)])
    raise typer.Exit(0 if result.ok else 1)


def _near(file: str, figure: Figure, wanted: Targets, every: float | None) -> np.ndarray:
    """(frames, n) the poses to stay near, at the targets' times."""
    motion = clip_of(file, None).motion
    if motion is None:
        raise LimbikError(f'--near: "{files.place(Path(file))}" has no motion')
    if every is not None:
        motion = motion.sample(every)
    elif abs(motion.fps - wanted.fps) > 1e-6 * wanted.fps:
        motion = motion.resample(wanted.fps)
    return motion.onto(figure).q


def _goals(names: list[str], targets: np.ndarray, more_goals: list[Goal]) -> list[Goal]:
    """A goal for each joint that follows its ``targets`` (frames, joints, 3), and what holds in
    every frame."""
    return [*(Reach(name, position=targets[:, k]) for k, name in enumerate(names)), *more_goals]


def _show(
    figure: Figure, result: Track, report: dict[str, Any], console: Console, labels: list[str]
) -> None:
    motion = result.motion
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    worst = int(np.argmax(result.error))
    effector = labels[int(np.argmax(result.errors[worst]))]
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
    if report["out"] and console is out:
        table.add_row("wrote", escape(report["out"]))
    console.print(table)
    missed = [status for status in result.status if status != Status.REACHED]
    if missed:
        console.print()
        for status in sorted(set(missed)):
            line = f"  {missed.count(status)} frames"
            console.print(Text.assemble((str(status), STYLES[status]), line))
