"""Running limbik's commands: in this process, or in a shell of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from limbik.cli import app

PROJECT = Path(__file__).resolve().parents[2]


class Ran:
    """A finished command: exit code, and what went to stdout and to stderr."""

    def __init__(self, *arguments: str | Path) -> None:
        done = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "160"})
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        self.code, self.out, self.err = done.exit_code, done.stdout, done.stderr


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "limbik", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONIOENCODING": "utf-8"}


def rest_of(terminal: int) -> bytes:
    """What is still to be read from a terminal whose other end is closed; it is closed too."""
    seen = b""
    while True:
        try:
            more = os.read(terminal, 1000)
        except OSError:  # how Linux says that the other end is closed
            break
        if not more:
            break
        seen += more
    os.close(terminal)
    return seen


def in_a_shell(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, cwd=cwd, env=environment(), check=False
    )
