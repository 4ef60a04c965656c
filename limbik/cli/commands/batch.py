"""``limbik batch``: one job done with every clip of a folder; ``init`` and ``status`` beside it."""

from __future__ import annotations

import json as json_text
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperGroup

from limbik.cli import files, options
from limbik.cli.commands.batch_progress import batch_bar
from limbik.cli.commands.batch_status import show_status
from limbik.cli.terminal import INTERRUPTED, Command, flowing, note, out
from limbik.formats.files import write_whole
from limbik.jobs.job_file import EXAMPLE
from limbik.jobs.reports import write_picture
from limbik.jobs.result import BatchInterrupt, Summary, resume_hint
from limbik.jobs.run import batch as run_batch
from limbik.jobs.summary import status_of

_MOST_LINES = 100
"""Failures that are printed at the end of a run; ``limbik batch status`` has all."""


class BatchGroup(TyperGroup):
    """``limbik batch SRC OUT`` runs a job; ``init`` and ``status`` are commands of their own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] not in self.commands:
            args = ["run", *(args or ["--help"])]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return ("" if name == "run" else name), command, rest


app = typer.Typer(
    name="batch",
    cls=BatchGroup,
    help="Do one job with every clip of a folder, on all cores or a cluster.",
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

_EXAMPLES = [
    "limbik batch init job.toml",
    "limbik batch clips results --job job.toml",
    "limbik batch clips results --resume",
    "limbik batch clips results --job job.toml --shard 3/100",
    "limbik batch status results",
]


def batch(
    source: Annotated[Path, typer.Argument(metavar="SRC", help="The folder with the clips.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The folder for outputs and their records.")
    ],
    job: Annotated[
        Path | None,
        typer.Option(
            metavar="JOB.toml",
            help="What to do with each clip; `limbik batch init` writes an example.",
            show_default="with --resume that of OUT",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Processes on this machine.", show_default="one per core"
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on Dask: tcp://host:port of a scheduler, or local:4 for four workers here.",
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N", help="Do the I-th of N equal parts, for array jobs; with one process."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in OUT; refused where is none.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")
    ] = False,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Add a line per clip to a file.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Do one job with every clip below SRC; outputs go to OUT, in the same folders.

    Only what is missing or changed is done, so a run that was stopped goes on where it was. A clip
    that fails does not stop the others. Exits with 0 when every clip is done and with 1 when some
    failed. `limbik batch init` writes an example of a job, `limbik batch status OUT` shows how far
    a run is.
    """
    with batch_bar(hidden=json) as bar, _ended_by_signals():
        try:
            summary = run_batch(
                files.expanded(source),
                files.expanded(target),
                None if job is None else files.expanded(job),
                workers=workers,
                cluster=cluster,
                shard=shard,
                resume=resume,
                dry_run=dry_run,
                log=log,
                progress=bar.take,
            )
            interrupted = False
        except BatchInterrupt as stop:
            summary, interrupted = stop.summary, True
    if json:
        print(json_text.dumps(_as_json(summary), allow_nan=False))
    else:
        _show(summary)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(0 if summary.ok else 1)


def init(
    path: Annotated[
        Path, typer.Argument(metavar="JOB.toml", help="The file to write; - is standard output.")
    ] = Path("job.toml"),
    force: options.Force = False,
) -> None:
    """Write an example of a job with notes, to be changed."""
    if str(path) == files.STANDARD:
        print(EXAMPLE, end="")
        return
    path = files.expanded(path)
    files.check_free(path, force)
    write_whole(path, lambda file: _write_example(file))
    out.print(f"wrote {path}", markup=False, soft_wrap=True)


def _write_example(file: Any) -> None:
    file.write(EXAMPLE.encode())


def status(
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The folder of a run's outputs.")],
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw it as a picture too (needs matplotlib)."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Show how far a run is: failures by reason, the slowest clips, the quality of the outputs.

    Exits with 0 when every clip is done and with 1 when not.
    """
    found = status_of(files.expanded(target))
    if picture is not None:
        write_picture(found, files.expanded(picture))
    if json:
        print(json_text.dumps(found, allow_nan=False))
    else:
        show_status(found)
    raise typer.Exit(0 if found["done"] == found["clips"] else 1)


app.command(
    name="run", cls=Command, help=flowing(batch), epilog="\n\n".join(["Examples:", *_EXAMPLES])
)(batch)
for _command in (init, status):
    app.command(cls=Command, help=flowing(_command))(_command)


# ---- while it runs -------------------------------------------------------------------------------


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM, which queues of clusters send before they kill, end a run as Ctrl-C does."""
    if os.name == "nt" or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


# ---- at the end ----------------------------------------------------------------------------------


def _as_json(summary: Summary) -> dict[str, Any]:
    return {
        "source": str(summary.src),
        "out": str(summary.out),
        "clips": summary.clips,
        "before": summary.before,
        "done": summary.done,
        "failed": [
            {"source": found.source, "reason": found.reason, "sentence": found.sentence}
            for found in summary.failed
        ],
        "left": summary.left,
        "plan": summary.plan,
        "stopped": summary.stopped or None,
        "seconds": summary.seconds,
    }


def _show(summary: Summary) -> None:
    if summary.dry:
        _show_plan(summary)
        return
    for found in sorted(summary.failed, key=lambda found: found.source)[:_MOST_LINES]:
        line = Text.assemble((found.source, "bold"), f"  {found.reason}: {found.sentence}")
        out.print(line, soft_wrap=True)
    if len(summary.failed) > _MOST_LINES:
        more = len(summary.failed) - _MOST_LINES
        out.print(f"... and {more} more: limbik batch status {summary.out} --json", markup=False)
    parts = [f"{summary.done} done"]
    if summary.before:
        parts.append(f"{summary.before} done before")
    parts.append(f"{len(summary.failed)} failed")
    if summary.left:
        parts.append(f"{summary.left} left")
    rate = f", {summary.done / summary.seconds:.1f} clips per second" if summary.done else ""
    out.print(
        f"{summary.clips} clips: {', '.join(parts)}  ({summary.seconds:.1f} s{rate})",
        soft_wrap=True,
    )
    if summary.stopped:
        note("Stopped", f"{summary.stopped}; {resume_hint(summary)}", "bold yellow")


def _show_plan(summary: Summary) -> None:
    todo = sum(summary.plan.values())
    out.print(f"{summary.clips} clips: {todo} to do, {summary.before} done before")
    for why, count in summary.plan.items():
        out.print(f"  {count}  {why}")
