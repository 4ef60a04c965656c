"""The terminal: what is printed where, errors as one line, progress bars."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from limbik.cli import files
from limbik.errors import FormatError, LimbikError
from limbik.figure.units import METRES, length_text
from limbik.solver.result import Miss, Status

WRONG_USE, INTERRUPTED = 2, 130
"""Exit codes; 0 is "every goal reached" and 1 "not reached"."""

STYLES = {
    Status.REACHED: "bold green",
    Status.LIMITED: "bold yellow",
    Status.HELD: "bold yellow",
    Status.OUT_OF_REACH: "bold yellow",
    Status.STALLED: "bold red",
}

JSON_HELP = "Print one JSON object instead."

_ALL_CLIPS = "clip= takes another"  # what the reader says to programs

out = Console(highlight=False)
"""For answers."""

notes = Console(stderr=True, highlight=False)
"""For errors, warnings and progress, so that answers can be piped on."""


def note(kind: str, message: str, style: str) -> None:
    """One line on stderr: ``Error: ...``."""
    notes.print(Text.assemble((f"{kind}: ", style), message), soft_wrap=True)


def flowing(function: Callable[..., None]) -> str:
    """A docstring with a line per paragraph, which Typer then breaks to the terminal's width."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def sentence(error: Exception) -> str:
    """An error in one line, with the whole path of the file it is about."""
    if isinstance(error, FormatError) and error.file is not None:
        line = "" if error.line is None else f" line {error.line}"
        return f"{files.place(error.file)}{line}: {error.message}"
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror or error}"
    return files.with_typed_path(str(error))


def _flags_without_a_type(params: list[Any]) -> list[Any]:
    """Parameters for the help, in which ``--json`` takes no value and so shows no type."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    return params


class Command(TyperCommand):
    """One command."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_without_a_type(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse what has no place; who forgets ``--reach`` is told how a target is written."""
        ctx.allow_extra_args = True
        rest = " ".join(super().parse_args(ctx, args))
        if rest:
            takes_targets = any(param.name == "reach" for param in self.params)
            target = takes_targets and ("=" in rest or "," in rest)
            hint = ". A target is written --reach JOINT=X,Y,Z" if target else ""
            ctx.fail(f"There is no place for {rest!r}{hint}")
        return []


class Commands(TyperGroup):
    """The commands, with limbik's errors and warnings told in one line instead of a traceback."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_without_a_type(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        def show(message: Warning | str, *_: Any, **__: Any) -> None:
            text = files.with_typed_path(str(message)).replace(_ALL_CLIPS, "--clip chooses another")
            note("Warning", text, "bold yellow")

        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = show
            try:
                return super().invoke(ctx)
            except LimbikError as error:
                note("Error", sentence(error), "bold red")
                raise typer.Exit(WRONG_USE) from None
            except KeyboardInterrupt:
                raise typer.Exit(INTERRUPTED) from None
            finally:
                files.clear()


class Bar:
    """A progress bar on stderr; nothing where that is not a terminal."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task

    def describe(self, sentence: str) -> None:
        """Another sentence beside the bar."""
        self._progress.update(self._task, description=sentence)

    def done(self, count: int) -> None:
        """So many of the total are done."""
        self._progress.update(self._task, completed=count)


@contextmanager
def progress_bar(sentence: str, total: int) -> Iterator[Bar]:
    """A bar that goes away when the work is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    hidden = not notes.is_terminal
    with Progress(*columns, console=notes, transient=True, disable=hidden) as progress:
        yield Bar(progress, progress.add_task(sentence, total=total))


def distance_text(length: float, unit: str) -> str:
    """A length for people, in km where it is long: "100 km"."""
    metres = length * METRES.get(unit, 0.0)
    return f"{metres / 1e3:.3g} km" if metres >= 1e3 else length_text(length, unit)


def miss_text(miss: Miss, unit: str) -> str:
    """How far a goal is from being met, for people: "0.31 mm, 0.02°"."""
    parts = []
    if miss.length is not None:
        parts.append(length_text(miss.length, unit))
    if miss.angle is not None:
        parts.append(f"{miss.angle * 57.29577951308232:.3g}°")
    return ", ".join(parts)


def status_text(status: Status, why: str) -> Text:
    """The status in its colour, and the sentence."""
    return Text.assemble((str(status), STYLES[status]), f"  {why}")
