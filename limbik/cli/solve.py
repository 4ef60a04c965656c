"""``limbik solve``: one pose that meets the goals given on the command line."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from limbik.cli import arguments
from limbik.cli.terminal import miss_text, notes, out, status_text
from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import save
from limbik.goals import Goal, Rest
from limbik.solver.result import Result
from limbik.solver.solve import solve as solve_goals

_FPS = 30.0  # of a pose saved for a figure that came without a frame rate


def solve(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help=f"A file, or one of: {arguments.NAMES}.")
    ],
    reach: Annotated[
        list[str] | None,
        typer.Option(metavar="JOINT=X,Y,Z", help="A joint goes to a place. May be repeated."),
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
    lock: Annotated[
        list[str] | None,
        typer.Option(metavar="JOINT", help="A joint keeps its start values. May be repeated."),
    ] = None,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="One of `limbik methods`.")
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(help="Largest error allowed, in the figure's unit; also in rad for angles."),
    ] = None,
    restarts: Annotated[
        int | None, typer.Option(min=0, help="How often to start again; as many as help if left.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Chooses the random numbers of restarts.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    save_to: Annotated[
        Path | None,
        typer.Option("--out", metavar="POSE.bvh", help="Write the pose that was found."),
    ] = None,
) -> None:
    """Find a pose that meets goals, inside the joint limits.

    Starts from the file's first frame, or from the rest pose of a figure without motion.  Lengths
    are in the figure's own unit.  Exits with 0 when every goal is reached and with 1 when not.
    """
    path = arguments.writable(save_to)
    goals = arguments.goals(reach or [], pin or [], aim or [], plane or [], distance or [])
    figure, motion = arguments.opened(file)
    start = figure.rest if motion is None else motion.q[0]
    if rest is not None:
        goals.append(Rest(weight=rest))
    if not goals:
        raise GoalError(
            "no goals: give --reach, --pin, --aim, --plane or --distance, such as "
            f"--reach {figure.joints[-1]}=x,y,z"
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
            lock=lock or (),
        )
    if path is not None:
        save(Motion(figure, result.q[None], motion.fps if motion else _FPS), path)
    if json:
        print(json_text.dumps(_as_json(figure, goals, result, path), allow_nan=False))
    else:
        _show(figure, goals, result, path)
    raise typer.Exit(0 if result.ok else 1)


def _show(figure: Figure, goals: list[Goal], result: Result, path: Path | None) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for column in ("goal", "joint"):
        table.add_column(column)
    table.add_column("error", justify="right")
    table.add_column("")
    for goal, miss in zip(goals, result.errors, strict=True):
        if isinstance(goal, Rest):
            continue  # a wish, met by its weight and never short
        mark = "[green]reached[/green]" if miss.ok else "[yellow]short[/yellow]"
        kind = type(goal).__name__.lower()
        table.add_row(kind, escape(miss.label), miss_text(miss, figure.unit), mark)
    out.print(table)
    out.print()
    out.print(status_text(result.status, result.why), soft_wrap=True)
    again = result.attempts - 1
    restarts = f", {again} restart{'s' * (again > 1)}" if again else ""
    out.print(f"{result.iterations} iterations{restarts}", style="dim")
    if path is not None:
        out.print(f"wrote {escape(str(path))}", style="dim")


def _as_json(
    figure: Figure, goals: list[Goal], result: Result, path: Path | None
) -> dict[str, Any]:
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
        "q": dict(zip(figure.coordinates, result.q.tolist(), strict=True)),
        "objective": result.objective,
        "iterations": result.iterations,
        "evaluations": result.evaluations,
        "attempts": result.attempts,
        "seconds": result.seconds,
        "out": None if path is None else str(path),
    }
