"""Runs of ``limbik batch`` that are disturbed: small clips, and workers that misbehave on some.

A worker that loads a clip called waits-… writes its process id to ``<clip>.pid`` and waits for a
file ``go``; kills-… ends it by SIGKILL, hangs-… waits for ever, hogs-… asks for 700 MB and uses
none, swells-… uses 330 MB and waits.  The workers are limbik's own, started by limbik: Python runs
``sitecustomize`` of the folder ``faults`` in them.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import limbik
from limbik.jobs.result import Summary
from limbik.jobs.sidecar import ENDING, read_sidecar

FAULTS = """
import os, pathlib, sys, time
if any("limbik.jobs.engines.worker" in word for word in sys.orig_argv):
    folder = pathlib.Path({folder!r})
    plain = pathlib.Path.read_bytes

    def read_bytes(self):
        kind = self.stem.partition("-")[0]
        if kind == "waits":
            draft = folder / (self.name + ".draft")
            draft.write_text(str(os.getpid()))
            draft.rename(folder / (self.name + ".pid"))
            while not (folder / "go").exists():
                time.sleep(0.01)
        if kind == "kills":
            os.kill(os.getpid(), 9)
        if kind == "hangs":
            time.sleep(3600)
        if kind == "hogs":
            bytearray(700_000_000)
        if kind == "swells":
            kept = b"x" * 330_000_000
            time.sleep(3600)
        return plain(self)

    pathlib.Path.read_bytes = read_bytes
"""

JOB: dict[str, Any] = {
    "steps": [{"do": "convert", "fps": 20}, {"do": "check"}],
    "outputs": {"formats": ["bvh", "csv"]},
}
JOB_TEXT = """
[[steps]]
do = "convert"
fps = 20

[[steps]]
do = "check"

[outputs]
formats = ["bvh", "csv"]
"""
PATIENCE = 120.0  # seconds after which a condition is taken to be one that never comes


def write_clips(folder: Path, *names: str, frames: int = 10) -> Path:
    """A folder with small clips: a chain of three hinges that turns, each clip a little further."""
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    for k, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        q = [[0.01 * t * (k + 1), 0.02 * t, -0.01 * t] for t in range(frames)]
        limbik.save(limbik.Motion(figure, q, 30), path)
    return folder


def make_faults(folder: Path) -> Path:
    """The folder to put on PYTHONPATH; marks of workers appear in it."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(FAULTS.format(folder=str(folder)))
    return folder


def wait_for(condition: Callable[[], Any]) -> Any:
    """What the condition gives, once it gives something."""
    until = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < until, "this never happened"
        time.sleep(0.01)
    return found


def worker_at(faults: Path, clip: str) -> int:
    """The process id of the worker that waits in a clip."""
    mark = faults / f"{clip}.pid"
    wait_for(mark.exists)
    pid = int(mark.read_text())
    mark.unlink()
    return pid


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


class InThread(threading.Thread):
    """``limbik.batch`` beside the test."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(daemon=True)
        self._call = (arguments, options)
        self._summary: Summary | None = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._summary = limbik.batch(*self._call[0], **self._call[1])
        except BaseException as error:
            self._error = error

    def end(self) -> Summary:
        self.join(PATIENCE)
        if self._error is not None:
            raise self._error
        assert self._summary is not None, "the run did not end"
        return self._summary


def outputs(out: Path) -> dict[str, bytes]:
    """Every file of a run by its path, without what differs from run to run: times in sidecars.

    Each sidecar must be whole, and its outputs those that are there, once.
    """
    found = {}
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        if path.is_dir() or name.startswith(".limbik/") or name == "index.sqlite":
            continue
        if name.endswith(ENDING):
            record = read_sidecar(path)
            assert record is not None, name
            assert {o.file for o in record.outputs} <= {p.name for p in path.parent.iterdir()}
            found[name] = f"{record.source} {record.status} {record.outputs}".encode()
        else:
            found[name] = path.read_bytes()
    return found


def drafts(out: Path) -> list[Path]:
    return [path for path in (out / ".limbik" / "drafts").rglob("*") if path.is_file()]
