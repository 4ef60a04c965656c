"""One clip from its file to its outputs: read, take through the steps, write, put in place.

Outputs and sidecar are drafts first.  They go to their places by rename, the sidecar last: so an
output is whole, and where there is a sidecar everything it names is there.
"""

from __future__ import annotations

import errno
import os
import platform
import secrets
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from limbik.errors import FormatError, LimbikError
from limbik.figure.motion import Motion
from limbik.formats import load_motion, save
from limbik.jobs import outcome as reasons
from limbik.jobs.job import Job
from limbik.jobs.outcome import Outcome
from limbik.jobs.sidecar import (
    ENDING,
    Output,
    Sidecar,
    input_of,
    output_of,
    read_sidecar,
    sidecar_path,
    to_json,
)
from limbik.jobs.steps import StepRefusedError, Work
from limbik.version import __version__

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_MOST_WARNINGS = 20
_folders: dict[Path, Path] = {}  # to make and remove one costs more than a small clip


@dataclass(frozen=True)
class JobFolders:
    """Where a run reads and writes: ``drafts`` is in OUT, on the same disk."""

    src: Path
    out: Path
    drafts: Path


class SupersededError(Exception):
    """The folder of drafts is gone: another run has taken over."""


@dataclass
class _Clock:
    """Seconds by what was done."""

    began: float = field(default_factory=time.perf_counter)
    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.timings[name] = round(self.timings.get(name, 0.0) + spent, 6)

    def stop(self) -> dict[str, float]:
        return {**self.timings, "total": round(time.perf_counter() - self.began, 6)}


def do_clip(job: Job, folders: JobFolders, source: str) -> Outcome:
    """Everything of one clip.  What goes wrong is in the outcome and the sidecar, not raised."""
    clock = _Clock()
    with clock.part("hash"):
        record = new_record(job, source, folders.src)
    draft: Path | None = None
    error: Exception | None = None
    full = False
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            try:
                work = _work(job, folders.src / source, clock)
                record.frames, record.quality = work.motion.frames, work.quality
                with clock.part("write"):
                    draft = _new_draft(folders)
                    record.outputs = _write(job, work.motion, draft, source)
            finally:
                warned = dict.fromkeys(str(w.message) for w in caught)
                record.warnings = list(warned)[:_MOST_WARNINGS]
        record.status = "done"
    except SupersededError:
        return Outcome(source, False, superseded=True)
    except Exception as problem:
        error = problem
        record.reason, record.sentence, full = _explain(problem, writing=draft is not None)
        record.outputs = []
    record.timings = clock.stop()
    try:
        place(job, folders, record, draft)
    except SupersededError:
        return Outcome(source, False, superseded=True)
    except OSError as problem:
        if error is None or _is_full(problem):
            record.status, record.reason = "failed", reasons.WRITING
            record.sentence, full = f"cannot be written: {problem.strerror}", _is_full(problem)
    finally:
        if draft is not None:
            with suppress(OSError):  # what is left there goes with the run
                _empty(draft)
    return Outcome(
        source,
        record.done,
        record.reason,
        record.sentence,
        seconds=record.timings["total"],
        frames=record.frames,
        disk_full=full,
    )


def new_record(job: Job, source: str, src: Path) -> Sidecar:
    """The sidecar of a clip that is about to be done, or that failed elsewhere."""
    try:
        found = input_of(src / source)
    except OSError:
        found = None
    return Sidecar(
        source=source,
        job=job.digest,
        version=__version__,
        status="failed",
        input=found,
        worker=f"{platform.node()} {os.getpid()}",
    )


def record_failure(job: Job, folders: JobFolders, failed: Outcome) -> None:
    """Write the sidecar of a clip whose worker could not."""
    record = new_record(job, failed.source, folders.src)
    record.reason, record.sentence = failed.reason, failed.sentence
    record.timings = {"total": round(failed.seconds, 6)}
    try:
        place(job, folders, record, None)
    except (OSError, SupersededError):
        return  # the summary says it, and the next run finds no record and tries again


def _work(job: Job, path: Path, clock: _Clock) -> Work:
    with clock.part("read"):
        figure = None if job.figure is None else job.figure.figure
        try:
            motion = load_motion(path, figure=figure, clip=job.clip, stretch=job.stretch)
        except LimbikError as error:
            raise _UnreadableError(_without_file(error)) from error
    work = Work(motion)
    for step in job.steps:
        with clock.part(step.kind):
            step.run(work)
    return work


def _without_file(error: LimbikError) -> str:
    """The sentence of an error without the file's name, which stands beside it."""
    if not isinstance(error, FormatError):
        return str(error)
    return error.message if error.line is None else f"line {error.line}: {error.message}"


class _UnreadableError(Exception):
    """A clip that its reader refuses."""


def _explain(error: Exception, *, writing: bool) -> tuple[str, str, bool]:
    """The reason and sentence of a failure, and whether the disk is full."""
    if isinstance(error, _UnreadableError):
        return reasons.UNREADABLE, str(error), False
    if isinstance(error, StepRefusedError):
        return reasons.REFUSED, str(error), False
    if isinstance(error, MemoryError):
        return reasons.OUT_OF_MEMORY, "needs more memory than a worker may take", False
    cause = error if isinstance(error, OSError) else error.__cause__
    if isinstance(cause, OSError) and (writing or _is_full(cause)):
        return reasons.WRITING, str(error), _is_full(cause)
    if isinstance(error, LimbikError):
        return reasons.WRITING if writing else reasons.REFUSED, str(error), False
    where = traceback.extract_tb(error.__traceback__)[-1]
    at = f"{Path(where.filename).name} line {where.lineno}"
    return reasons.DEFECT, f"{type(error).__name__}: {error} ({at})", False


def _is_full(error: OSError) -> bool:
    return error.errno in _FULL


def _new_draft(folders: JobFolders) -> Path:
    """An empty folder for the files of a clip; the same for each clip of a process."""
    draft = _folders.get(folders.drafts)
    try:
        if draft is None:
            draft = folders.drafts / secrets.token_hex(8)
            draft.mkdir()
            _folders[folders.drafts] = draft
        _empty(draft)
    except FileNotFoundError:
        raise SupersededError from None
    return draft


def _empty(draft: Path) -> None:
    for file in draft.iterdir():
        file.unlink()


def _write(job: Job, motion: Motion, draft: Path, source: str) -> list[Output]:
    name = job.stem(source).rpartition("/")[2]
    for ending in job.formats:
        save(motion.figure if ending == ".asf" else motion, draft / f"{name}{ending}",
             precision=job.precision)  # fmt: skip
    return [output_of(file) for file in sorted(draft.iterdir())]


def place(job: Job, folders: JobFolders, record: Sidecar, draft: Path | None) -> None:
    """Put drafts and the sidecar in their places; what an earlier run wrote and this did not goes.

    Raises:
        SupersededError: where another run has taken over.
        OSError: where the disk refuses.
    """
    record.finished = datetime.now(UTC).isoformat(timespec="seconds")
    sidecar = sidecar_path(folders.out, job.stem(record.source))
    draft_sidecar = folders.drafts / f"{secrets.token_hex(8)}{ENDING}"
    try:
        draft_sidecar.write_bytes(to_json(record))
        sidecar.parent.mkdir(parents=True, exist_ok=True)
        old = read_sidecar(sidecar)
        sidecar.unlink(missing_ok=True)
        new = {output.file for output in record.outputs}
        for output in [] if old is None else old.outputs:
            if output.file not in new and Path(output.file).name == output.file:
                (sidecar.parent / output.file).unlink(missing_ok=True)
        for output in record.outputs:
            assert draft is not None
            os.replace(draft / output.file, sidecar.parent / output.file)  # noqa: PTH105
        os.replace(draft_sidecar, sidecar)  # noqa: PTH105
    except FileNotFoundError:
        raise SupersededError from None
    except OSError:
        draft_sidecar.unlink(missing_ok=True)
        raise
