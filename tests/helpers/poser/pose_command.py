"""``limbik pose`` in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from helpers.command_line import PROJECT, command, environment
from limbik.poser.document.document import Document
from limbik.poser.editing.session import Session
from limbik.poser.server.store import Store

WAIT = 120.0  # seconds; kernels may have to be compiled first
COMPILING = "limbik: compiling its kernels for this machine"


def saved_document(state: Path) -> Document | None:
    """What is on disk of the only session below ``state``; None where nothing is yet."""
    files = [*state.glob("*/session.json")]
    if not files:
        return None
    (id,), store = [file.parent.name for file in files], Store(state)
    saved = store.load(id)
    return None if saved is None else Session.restore(saved, store.files(id)).document


def is_saved(state: Path, q: np.ndarray) -> bool:
    """Whether the only session below ``state`` is on disk with the pose ``q``."""
    document = saved_document(state)
    return document is not None and np.allclose(document.q, q, atol=1e-6)


class Server:
    """A poser that serves at ``url``."""

    def __init__(self, state: Path, *arguments: str, port: int = 0) -> None:
        self.process = subprocess.Popen(
            command("pose", *arguments, "--no-open", "--port", str(port)),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=PROJECT,
            env={**environment(), "LIMBIK_STATE": str(state), "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise AssertionError(f"{line}{self.process.communicate()[1]}")
        self.url = line[line.index("http://") :].strip()

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def end(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """Stop it with a signal: exit code, and what it said of mistakes.

        That kernels had to be compiled, which it says where that takes long, is no mistake.
        """
        os.kill(self.process.pid, how)
        err = self.process.communicate(timeout=WAIT)[1]
        lines = err.splitlines(keepends=True)
        return self.process.returncode, "".join(line for line in lines if COMPILING not in line)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
