"""``limbik solve``: one pose that meets the goals given on the command line."""

from __future__ import annotations

import json as json_text
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from limbik.cli import arguments, conditions, files, options
from limbik.cli.contents import clip_of
from limbik.cli.limits import limited
from limbik.cli.terminal import (
    distance_text,
    miss_text,
    note,
    notes,
    out,
    status_text,
)
from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.goals import Goal, Rest
from limbik.humanoid import recognise
from limbik.solver.result import Result
from limbik.solver.solve import solve as solve_goals

FAR = 3.0
"""Times the figure's size: a root that moves further is reported."""

_FPS = 30.0  # of a pose saved for a figure that came without a frame rate


def solve(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help=f"A file, or one of: {arguments.NAMES}.")
    ],
    reach: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=X,Y,Z",
            help="A joint goes to a place. May be repeated. JOINT=X,Y,Z,QW,QX,QY,QZ turns it to an "
            "orientation too, a quaternion in the world.",
        ),
    ] = None,
    pin: Annotated[
        list[str] | None,
        typer.Option(metavar="JOINT", help="A joint stays where the start pose has it."),
    ] = None,
    aim: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=X,Y,Z",
            help="A joint's z axis points at a place; JOINT=X,Y,Z,-y takes another axis.",
        ),
    ] = None,
    plane: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=NX,NY,NZ,OFFSET", help="A joint lies in the plane normal · p = offset."
        ),
    ] = None,
    distance: Annotated[
        list[str] | None,
        typer.Option(metavar="JOINT,JOINT=D", help="Two joints are a length apart."),
    ] = None,
    rest: Annotated[
        float | None,
        typer.Option(metavar="WEIGHT", help="Stay near the rest pose, with this weight."),
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
    weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=WEIGHT",
            help="How much the goals on a joint count; 1 unless given. May be repeated.",
        ),
    ] = None,
    fix_root: Annotated[
        bool, typer.Option("--fix-root", help="The root keeps its start values, as with --lock.")
    ] = False,
    clip: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Start from the first frame of this clip, where the file has several.",
            show_default="the first",
        ),
    ] = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(metavar="JOINT", help="A joint keeps its start values. May be repeated."),
    ] = None,
    method: options.MethodName = None,
    tolerance: Annotated[
        float | None,
        options.tolerance(
            "Largest error allowed, in the figure's unit; also in rad for angles.",
            "0.0001 of the figure's size, 0.001 rad",
        ),
    ] = None,
    restarts: Annotated[
        int | None, options.restarts("How often to start again from another pose.")
    ] = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    save_to: Annotated[Path | None, options.saved_to("POSE.bvh", "pose")] = None,
    to: options.OutputFormat = "",
    force: options.Force = False,
) -> None:
    """Find a pose that meets goals, inside the joint limits, and print its joint values.

    Starts from the file's first frame, or from the rest pose of a figure without motion.  Lengths
    are in the figure's own unit.  Exits with 0 when every goal is reached and with 1 when not.
    """
    target = files.output(save_to, to=to, force=force, read=file, json=json)
    goals = arguments.goals(reach or [], pin or [], aim or [], plane or [], distance or [])
    also = conditions.Conditions(
        floor, above, within, balance, avoid, obstacle, relative, hold, close
    )
    own, recorded = clip_of(file, clip, stretch=stretch)
    figure, motion, kind = limited(own, recorded, limits)
    start = figure.rest if motion is None else motion.q[0]
    fixed = [*(lock or []), *(_roots(figure) if fix_root else [])]
    ground = also.floor_goals(figure)
    goals = arguments.weighted([*goals, *also.goals(figure)], weight or [])
    goals += ground
    if rest is not None:
        goals.append(Rest(weight=rest))
    if not goals:
        raise GoalError(
            "no goals: give --reach, --pin, --aim, --plane, --distance or another, such as "
            f"--reach {_example(figure, start)}"
        )
    with notes.status("solving"):
        result = solve_goals(
            figure,
            goals,
            start=start,
            method=method,
            tolerance=tolerance,
            restarts=restarts,
            seed=seed,
            lock=fixed,
        )
    found = Motion(figure, result.q[None], motion.fps if motion else _FPS).onto(own)
    path = None if target is None else files.write(found, target)[0]
    moved = _root_moved(figure, start, result.q)
    if json:
        answer = _as_json(found, goals, result, path)
        answer |= {"limits_used": kind, "root_moved": moved}
        print(json_text.dumps(answer, allow_nan=False))
    elif target is not None and target.standard:
        _show(found, goals, result, None, notes, ground)
    else:
        _show(found, goals, result, path, out, ground)
    if moved > FAR * figure.size:
        text = f"{_roots(figure)[0]} moved {distance_text(moved, figure.unit)}"
        size = distance_text(figure.size, figure.unit)
        note("Warning", f"{text}; the figure's size is {size} (--fix-root holds it)", "bold yellow")
    raise typer.Exit(0 if result.ok else 1)


def _example(figure: Figure, q: np.ndarray) -> str:
    """JOINT=x,y,z for a hand, or for the last joint, where it is in the pose q (n,)."""
    joint = recognise(figure).roles.get("leftHand", figure.joints[-1])
    place = figure.positions(q)[figure.index(joint)]
    smallest = 10.0 ** math.floor(math.log10(figure.size)) / 1000
    return f"{joint}={','.join(f'{smallest * round(x / smallest):.4g}' for x in place)}"


def _roots(figure: Figure) -> list[str]:
    return [name for name, at in zip(figure.joints, figure.parents, strict=True) if at < 0]


def _root_moved(figure: Figure, start: np.ndarray, q: np.ndarray) -> float:
    """How far the root has gone from the start, in the figure's unit."""
    roots = [figure.index(name) for name in _roots(figure)]
    away = figure.positions(q)[roots] - figure.positions(start)[roots]
    return float(np.linalg.norm(away, axis=-1).max())


def _values(figure: Figure, q: np.ndarray) -> Table:
    """A line for each coordinate: its value in rad or the figure's unit, and in degrees."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("coordinate", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("")
    table.add_column("degrees", justify="right", no_wrap=True)
    for name, value, slides in zip(figure.coordinates, q.tolist(), figure.slides, strict=True):
        unit = figure.unit if slides else "rad"
        degrees = "" if slides else f"{math.degrees(value) + 0.0:.2f}"
        table.add_row(escape(name), f"{value + 0.0:.6g}", unit, degrees)
    return table


def _show(
    found: Motion,
    goals: list[Goal],
    result: Result,
    path: Path | None,
    page: Console,
    ground: Sequence[Goal] = (),
) -> None:
    """``ground`` are goals of the floor, which are reported where they are short."""
    figure = found.figure
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for column in ("goal", "joint"):
        table.add_column(column)
    table.add_column("error", justify="right")
    table.add_column("")
    for goal, miss in zip(goals, result.errors, strict=True):
        if isinstance(goal, Rest):
            continue  # a wish, met by its weight and never short
        if miss.ok and any(goal is one for one in ground):
            continue
        mark = "[green]reached[/green]" if miss.ok else "[yellow]short[/yellow]"
        kind = type(goal).__name__.lower()
        table.add_row(kind, escape(miss.label), miss_text(miss, figure.unit), mark)
    page.print(table)
    page.print()
    page.print(_values(figure, found.q[0]))
    page.print()
    page.print(status_text(result.status, result.why), soft_wrap=True)
    again = result.attempts - 1
    restarts = f", {again} restart{'s' * (again > 1)}" if again else ""
    page.print(f"{result.iterations} iterations{restarts}", style="dim")
    if path is not None:
        page.print(f"wrote {escape(str(path))}", style="dim", soft_wrap=True)


def _as_json(found: Motion, goals: list[Goal], result: Result, path: Path | None) -> dict[str, Any]:
    """The result; its pose is the one frame of ``found``, in the file's own coordinates."""
    return {
        "ok": result.ok,
        "status": str(result.status),
        "why": result.why,
        "goals": [
            {
                "goal": type(goal).__name__.lower(),
                "joint": miss.label,
                "length": miss.length,
                "angle": miss.angle,
                "ok": miss.ok,
            }
            for goal, miss in zip(goals, result.errors, strict=True)
        ],
        "limits": [limit._asdict() for limit in result.limits],
        "q": dict(zip(found.figure.coordinates, found.q[0].tolist(), strict=True)),
        "objective": result.objective,
        "iterations": result.iterations,
        "evaluations": result.evaluations,
        "attempts": result.attempts,
        "seconds": result.seconds,
        "out": None if path is None else str(path),
    }
