"""The terminal: what is printed where, errors as one line, and waiting that Ctrl-C can end."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from limbik.errors import LimbikError
from limbik.result import Miss, Status, length_text

WRONG_USE, INTERRUPTED = 2, 130
"""Exit codes; 0 is "every goal reached" and 1 "not reached"."""

STYLES = {
    Status.REACHED: "bold green",
    Status.LIMITED: "bold yellow",
    Status.OUT_OF_REACH: "bold yellow",
    Status.STALLED: "bold red",
}

out = Console(highlight=False)
"""For answers."""

notes = Console(stderr=True, highlight=False)
"""For errors, warnings and progress, so that answers can be piped on."""

T = TypeVar("T")


def note(kind: str, message: str, style: str) -> None:
    """One line on stderr: ``Error: ...``."""
    notes.print(Text.assemble((f"{kind}: ", style), message), soft_wrap=True)


class Commands(TyperGroup):
    """The commands, with limbik's errors and warnings told in one line instead of a traceback."""

    def invoke(self, ctx: Any) -> Any:
        def show(message: Warning | str, *_: Any, **__: Any) -> None:
            note("Warning", str(message), "bold yellow")

        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = show
            try:
                return super().invoke(ctx)
            except LimbikError as error:
                note("Error", str(error), "bold red")
                raise typer.Exit(WRONG_USE) from None
            except KeyboardInterrupt:
                raise typer.Exit(INTERRUPTED) from None


def waiting(sentence: str, work: Callable[[], T]) -> T:
    """What ``work()`` returns, with a spinner on stderr while it runs.

    It runs on a thread of its own: a signal is only heard between two Python instructions, and a
    compiled kernel may take minutes over what is one instruction to the main thread.
    """
    answers: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(work())
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    try:
        with notes.status(sentence):
            thread.start()
            while thread.is_alive():
                thread.join(0.1)
    except KeyboardInterrupt:
        # Leaving in the usual way would tear the libraries down under the running kernel.
        sys.stdout.flush()
        os._exit(INTERRUPTED)
    if failures:
        raise failures[0]
    return answers[0]


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
