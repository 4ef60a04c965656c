"""What there is to do: the clips below SRC, and those of them whose outputs are missing or old."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from limbik.errors import LimbikError
from limbik.jobs.folder import NAME
from limbik.jobs.job import Job
from limbik.jobs.sidecar import ENDING, read_sidecar, same_input, sidecar_path

NEW, FAILED = "new", "failed before"
INPUT, JOB, MISSING = "the clip changed", "the job changed", "an output is missing"


class Clip(NamedTuple):
    """A file to do: its path below SRC, its size, and why it is to be done."""

    source: str
    bytes: int
    why: str = ""


class Shard(NamedTuple):
    """One of ``of`` equal parts of the clips, counted from 1."""

    number: int
    of: int

    @property
    def name(self) -> str:
        return f"shard-{self.number}-of-{self.of}"


@dataclass(frozen=True)
class Plan:
    """What a run will do."""

    clips: int
    """Clips of this run: all of them, or those of the shard."""
    total: int
    """All clips below SRC that the job names, of all shards."""
    todo: list[Clip]
    """The largest first, so that no long clip is left for the end."""
    unreadable: list[str]
    """Folders that could not be read."""

    @property
    def why(self) -> dict[str, int]:
        """How many clips are to be done for each reason."""
        return dict(Counter(clip.why for clip in self.todo))


def check_folders(src: Path, out: Path) -> None:
    """Refuse a SRC that is no folder, and an OUT that cannot be one or is SRC."""
    if not src.is_dir():
        raise LimbikError(f'there is no folder "{src}" to take clips from')
    if out.exists() and (not out.is_dir() or out.samefile(src)):
        raise LimbikError(f'"{out}" cannot be the folder for outputs: it must be another folder')


def make_plan(src: Path, out: Path, job: Job, shard: Shard | None = None) -> Plan:
    """Compare the clips below SRC with the sidecars in OUT."""
    clips, unreadable = find_clips(src, out, job)
    _refuse_same_outputs(clips, job)
    total = len(clips)
    if shard is not None:
        clips = clips[shard.number - 1 :: shard.of]
    todo, digest = [], job.digest
    for clip in clips:
        why = _why(src, out, job, digest, clip.source)
        if why:
            todo.append(clip._replace(why=why))
    todo.sort(key=lambda clip: (-clip.bytes, clip.source))
    return Plan(len(clips), total, todo, unreadable)


def find_clips(src: Path, out: Path, job: Job) -> tuple[list[Clip], list[str]]:
    """The clips below SRC by their paths, and the folders that could not be read."""
    own = out.resolve()
    endings = job.endings()
    found, unreadable = [], []
    for folder, folders, files in os.walk(
        src, onerror=lambda error: unreadable.append(f"{error.filename}: {error.strerror}")
    ):
        here = Path(folder)
        folders[:] = sorted(f for f in folders if f != NAME and (here / f).resolve() != own)
        below = here.relative_to(src).as_posix()
        for name in files:
            source = name if below == "." else f"{below}/{name}"
            if _wanted(source, job, endings):
                path = here / name
                if path.is_file():
                    found.append(Clip(source, path.stat().st_size))
    return sorted(found), unreadable


def _wanted(source: str, job: Job, endings: Sequence[str]) -> bool:
    if source.endswith(ENDING) or any(fnmatchcase(source, pattern) for pattern in job.skip):
        return False
    if job.clips:
        return any(fnmatchcase(source, pattern) for pattern in job.clips)
    return source.lower().endswith(tuple(endings))


def _refuse_same_outputs(clips: list[Clip], job: Job) -> None:
    seen: dict[str, str] = {}
    for clip in clips:
        other = seen.setdefault(job.stem(clip.source), clip.source)
        if other != clip.source:
            raise LimbikError(
                f'"{other}" and "{clip.source}" would have the same outputs: name the clips more '
                "narrowly (clips, skip), or set keep_ending = true under [outputs]"
            )


def is_done(src: Path, out: Path, job: Job, source: str) -> bool:
    """Whether a clip's outputs are there and up to date."""
    return not _why(src, out, job, job.digest, source)


def _why(src: Path, out: Path, job: Job, digest: str, source: str) -> str:
    """Why a clip is to be done; empty where it is done."""
    path = sidecar_path(out, job.stem(source))
    found = read_sidecar(path)
    if found is None or found.source != source:
        return NEW
    if found.job != digest:
        return JOB
    if not found.done or found.input is None:
        return FAILED
    if not same_input(src / source, found.input):
        return INPUT
    for output in found.outputs:
        try:
            if (path.parent / output.file).stat().st_size != output.bytes:
                return MISSING
        except OSError:
            return MISSING
    return ""
