"""batch: one job done with every clip of a folder; what is done stays done."""

from __future__ import annotations

import json
import logging
import os
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from limbik.errors import LimbikError, LimbikWarning
from limbik.formats.files import read_bytes
from limbik.jobs.clip import JobFolders
from limbik.jobs.engines.cluster import run_cluster
from limbik.jobs.engines.local import run_local
from limbik.jobs.engines.order import EngineError, give_order
from limbik.jobs.folder import RunFolder
from limbik.jobs.job import Job
from limbik.jobs.job_file import parse_job, read_job
from limbik.jobs.lock import RunLock
from limbik.jobs.outcome import Outcome
from limbik.jobs.plan import Plan, Shard, check_folders, make_plan
from limbik.jobs.reports import write_reports
from limbik.jobs.result import BatchInterrupt, Summary
from limbik.version import __version__

_log = logging.getLogger("limbik.batch")


def batch(
    source: str | PathLike[str],
    out: str | PathLike[str],
    job: str | PathLike[str] | Mapping[str, Any] | Job | None = None,
    *,
    workers: int | None = None,
    cluster: Any = None,
    shard: str | tuple[int, int] | None = None,
    resume: bool = False,
    dry_run: bool = False,
    log: str | PathLike[str] | None = None,
    progress: Callable[[Outcome | Plan], object] | None = None,
) -> Summary:
    """Do a job with every clip below the folder ``source``, into the folder ``out``.

    Only what is missing or changed is done: ``out`` holds a record beside each output.  A clip that
    fails is in the summary and does not stop the others; the next run tries it again.

    Args:
        source: the folder with the clips, in folders of any depth.
        out: the folder for the outputs, which have the same folders.
        job: a TOML file (``limbik batch init`` writes an example), or a mapping of the same shape.
        workers: processes on this machine; by default one per core (one for a shard).
        cluster: in place of these, the address of a Dask scheduler ("tcp://host:port"), "local:4",
            or a ``dask.distributed.Client``.
        shard: "2/10", the second of ten equal parts, for array jobs.
        resume: go on with the run in ``out``, with its job where none is given.
        dry_run: say what would be done, and do nothing.
        log: a file to which a line is added per clip.
        progress: called with the plan, then with the outcome of each clip.

    Returns:
        How many clips are done and which failed, with the reason of each.

    Raises:
        LimbikError: where the job cannot be, or another run is at work in ``out``.

    Example:
        >>> limbik.save(clip, "walk.bvh")
        >>> job = {"steps": [{"do": "check"}], "outputs": {"formats": ["csv"]}}
        >>> limbik.batch(".", "tables", {**job, "clips": ["walk.bvh"]}, workers=1)
        <batch: 1 of 1 clips done, 0 failed>
    """
    part = _shard(shard)
    whole = isinstance(workers, int) and not isinstance(workers, bool)
    if workers is not None and not (whole and workers >= 1):
        raise LimbikError(f"workers: needs a whole number above 0, got {workers!r}")
    if cluster is not None and (workers is not None or part is not None):
        raise LimbikError("cluster: stands in place of workers and shard")
    count = workers or (1 if part is not None else cores())
    src, folder = Path(source), RunFolder(Path(out))
    text, base, checked = _job(job, folder, resume)
    check_folders(src, folder.out)
    if dry_run:
        plan = _plan(src, folder.out, checked, part)
        return Summary(
            src, folder.out, plan.clips, plan.clips - len(plan.todo), plan=plan.why, dry=True
        )
    name = "run" if part is None else part.name
    try:
        with RunLock(folder.locks, name) as lock, _logging(log):
            plan = _plan(src, folder.out, checked, part)
            summary = Summary(src, folder.out, plan.clips, plan.clips - len(plan.todo))
            summary.plan = plan.why
            if progress is not None:
                progress(plan)
            drafts = folder.new_drafts(name, alone=lock.held)
            try:
                _write_record(folder, src, checked, text, base, plan)
                folders = JobFolders(src.resolve(), folder.out.resolve(), drafts.resolve())
                _drain(_engine(checked, folders, plan, count, cluster), summary, progress)
            finally:
                folder.end_drafts(drafts)
            if checked.reports and part is None:
                write_reports(folder.out, checked.reports)
    except OSError as error:
        place = error.filename or folder.out
        raise LimbikError(f"{place}: {error.strerror or error}") from error
    return summary


def _plan(src: Path, out: Path, job: Job, part: Shard | None) -> Plan:
    plan = make_plan(src, out, job, part)
    if not plan.total:
        what = (
            f"that match {', '.join(job.clips)}" if job.clips else f"({', '.join(job.endings())})"
        )
        raise LimbikError(f"{src}: there are no clips {what}")
    for place in plan.unreadable:
        warnings.warn(f"a folder was left out: {place}", LimbikWarning, stacklevel=3)
    return plan


def _engine(
    job: Job, folders: JobFolders, plan: Plan, workers: int, cluster: Any
) -> Generator[Outcome, None, None]:
    sources = [clip.source for clip in plan.todo]
    if not sources:
        return
    order = give_order(job, folders)
    if cluster is not None:
        yield from run_cluster(order, sources, cluster)
        return
    for step in job.steps:
        step.prepare()  # compiled here once, not in every worker at the same time
    yield from run_local(order, sources, workers)


def _drain(
    engine: Generator[Outcome, None, None],
    summary: Summary,
    progress: Callable[[Outcome], object] | None,
) -> None:
    """Take in what the engine has to say, until it ends, is stopped, or is lost."""
    began = time.monotonic()
    try:
        with closing(engine):
            for found in engine:
                _log_outcome(found)
                if found.superseded:
                    summary.stopped = "another run has taken over"
                    break
                if found.ok:
                    summary.done += 1
                else:
                    summary.failed.append(found)
                if progress is not None:
                    progress(found)
                if found.disk_full:
                    summary.stopped = "there is no room left on the disk of OUT"
                    break
    except EngineError as error:
        summary.stopped = str(error)
    except KeyboardInterrupt:
        summary.stopped = "stopped with Ctrl-C"
        summary.seconds = time.monotonic() - began
        _log.info("stopped with Ctrl-C: %r", summary)
        raise BatchInterrupt(summary) from None
    summary.seconds = time.monotonic() - began
    _log.info("ended: %r%s", summary, f"; {summary.stopped}" if summary.stopped else "")


def _job(
    job: str | PathLike[str] | Mapping[str, Any] | Job | None, folder: RunFolder, resume: bool
) -> tuple[str, Path, Job]:
    """The job's text, the folder where its names of figures begin, and the job."""
    record = folder.read_record() if resume else None
    if resume and record is None:
        raise LimbikError(f"{folder.out}: there is no run to go on with; leave --resume out")
    if job is None:
        if not resume:
            raise LimbikError(
                "a job is needed (--job job.toml; limbik batch init writes an example)"
            )
        assert record is not None
        if not folder.job_text.exists():
            raise LimbikError(f"{folder.out}: its job was made in Python; give it again")
        text = read_bytes(folder.job_text).decode("utf-8")
        base = Path(str(record.get("folder") or "."))
        return text, base, parse_job(text, base / folder.job_text.name)
    checked = read_job(job)
    if isinstance(job, str | PathLike):
        path = Path(job)
        return read_bytes(path).decode("utf-8-sig"), path.parent.resolve(), checked
    return "", Path(), checked


def _write_record(
    folder: RunFolder, src: Path, job: Job, text: str, base: Path, plan: Plan
) -> None:
    """What ``--resume`` and ``status`` need to know of a run."""
    if text:
        folder.write(folder.job_text, text.encode())
    else:
        folder.job_text.unlink(missing_ok=True)
    record = {
        "source": str(src.resolve()),
        "folder": str(base),
        "job": job.digest,
        "version": __version__,
        "clips": plan.total,
    }
    folder.write(folder.record, json.dumps(record, indent=1).encode())


def _shard(text: str | tuple[int, int] | None) -> Shard | None:
    if text is None:
        return None
    try:
        number, count = text.split("/") if isinstance(text, str) else text
        found = Shard(int(number), int(count))
    except (TypeError, ValueError):
        found = Shard(0, 0)
    if not 1 <= found.number <= found.of:
        raise LimbikError(f'shard "{text}": expected I/N with I from 1 to N, such as 2/10')
    return found


def cores() -> int:
    """Cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


@contextmanager
def _logging(log: str | PathLike[str] | None) -> Iterator[None]:
    if log is None:
        yield
        return
    handler = logging.FileHandler(log, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    before = _log.level
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    try:
        yield
    finally:
        _log.removeHandler(handler)
        _log.setLevel(before)
        handler.close()


def _log_outcome(found: Outcome) -> None:
    if found.ok:
        _log.info("done %s (%d frames, %.3f s)", found.source, found.frames, found.seconds)
    else:
        _log.info("failed %s (%s): %s", found.source, found.reason, found.sentence)
