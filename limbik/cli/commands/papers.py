"""``limbik papers``: the papers' experiments, done again."""

from __future__ import annotations

import json as json_text
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from limbik.cli import files, options
from limbik.cli.terminal import notes, out
from limbik.errors import LimbikError
from limbik.formats import load_motion
from limbik.papers.catalogue import Reproduced, chosen, count_verdicts, reproduce_all
from limbik.papers.cells import columns_of
from limbik.papers.contract import Order, Verdict
from limbik.papers.report import folder_for, write_report

Report = Callable[[str, int, int], None]
COLOURS = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.DEPENDS: "yellow"}


def papers(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="line_search, extended_jacobian, dual_quaternion or newton_svd.",
            show_default="all",
        ),
    ] = None,
    clip: Annotated[
        Path | None,
        typer.Option(metavar="FILE.bvh", help="A motion to use instead of the built-in one."),
    ] = None,
    rigs: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Files of skeletons to be posed in line_search's gallery."
        ),
    ] = None,
    save_to: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder for the report.")
    ] = Path("out/papers"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Shorter experiments: at most 2 minutes on 2 cores.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Chooses the random numbers.")] = 0,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate",
            help="Only measure, for line_search, how many iterations of each method fit into "
            "0.015 s on this machine, and keep the numbers.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Do the papers' experiments again and say which of their claims hold.

    Writes report.html, a page that needs nothing beside it, numbers.json with the raw numbers, the
    same in every run, and timings.json.  Drawing needs matplotlib.
    """
    wanted = chosen(name)
    if calibrate and name not in (None, "line_search"):
        raise LimbikError(f"--calibrate measures for line_search, not for {name}")
    motion = None if clip is None else load_motion(files.source(str(clip)))
    order = Order(quick=quick, seed=seed)
    if clip is not None:
        order = replace(order, clip=motion, clip_name=clip.name)
    if rigs is not None:
        order = replace(order, rigs=_rigs(rigs))
    if calibrate:
        _calibrate(order, json)
        return

    from limbik import plots

    plots.new_page(1.0, 1.0)  # before the work, in case nothing can be drawn
    with folder_for(files.expanded(save_to)) as folder:
        with _bars() as report:
            done = reproduce_all(wanted, replace(order, progress=report))
        page = write_report(folder, done, order)
    if json:
        print(json_text.dumps(_as_json(done, page), allow_nan=False))
        return
    _show(done)
    out.print(f"wrote {escape(str(page))}, with numbers.json and timings.json", soft_wrap=True)


def _as_json(done: list[Reproduced], page: Path) -> dict[str, Any]:
    papers = [
        {
            "paper": reproduced.paper.name,
            "verdicts": {verdict.value: n for verdict, n in reproduced.verdicts.items()},
            "own_verdicts": {
                verdict.value: n for verdict, n in count_verdicts(reproduced.own_claims).items()
            },
            "seconds": reproduced.seconds,
        }
        for reproduced in done
    ]
    beside = [page.with_name(name) for name in ("numbers.json", "timings.json")]
    return {"papers": papers, "wrote": [str(file) for file in (page, *beside)]}


def _rigs(folder: Path) -> tuple[Path, ...]:
    """The skeletons in a folder; refuses one without any."""
    from limbik.papers.line_search.chapters.gallery import files_in

    found = files_in(folder)
    if not found:
        raise LimbikError(f'there is no file of a skeleton in the folder "{folder}"')
    return found


def _calibrate(order: Order, json: bool) -> None:
    """Measure the iteration caps of line_search, and say what was kept."""
    from limbik.papers.line_search import calibrate

    with _bars() as report:
        kept = calibrate(replace(order, progress=report))
    if json:
        tables = [{"columns": list(t.columns), "rows": columns_of(t)[0]} for t in kept.tables]
        print(json_text.dumps({"tables": tables, "text": kept.text}))
        return
    for measured in kept.tables:
        rows, numeric = columns_of(measured)
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        for name, to_the_right in zip(measured.columns, numeric, strict=True):
            table.add_column(escape(name), justify="right" if to_the_right else "left")
        for row in rows:
            table.add_row(*map(escape, row))
        out.print(table)
    out.print(escape(kept.text), soft_wrap=True)


@contextmanager
def _bars() -> Iterator[Report]:
    """A bar for everything that is going on, told by name; each goes when it is done."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    hidden = not notes.is_terminal
    with Progress(*columns, console=notes, transient=True, disable=hidden) as progress:
        running: dict[str, TaskID] = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in running:
                running[what] = progress.add_task(what, total=total)
            progress.update(running[what], completed=done, total=total)
            if done >= total:
                progress.remove_task(running.pop(what))

        yield report


def _show(done: list[Reproduced]) -> None:
    """How many claims hold, do not hold and depend, a line per paper; limbik's own apart."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("paper")
    for verdict in Verdict:
        table.add_column(verdict.value, justify="right")
    rows = {reproduced.paper.name: reproduced.verdicts for reproduced in done}
    own = [claim for reproduced in done for claim in reproduced.own_claims]
    if own:
        rows["limbik's own claims"] = count_verdicts(own)
    for name, verdicts in rows.items():
        counts = (
            f"[{COLOURS[verdict]}]{count}[/]" if count else "[dim]0[/]"
            for verdict, count in verdicts.items()
        )
        table.add_row(name, *counts)
    out.print(table)
