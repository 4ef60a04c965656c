"""The record beside each output: what it was made of, by what, and how that went.

Sidecars are the truth about what is done; everything else about a run can be made from them.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from limbik.jobs.companions import companions

ENDING = ".batch.json"
"""walk.bvh has walk.batch.json beside it."""

_FORMAT = 1
_LONGEST = 2000  # letters of a sentence


@dataclass(frozen=True)
class Input:
    """A clip's file as it was read."""

    sha256: str
    bytes: int
    mtime_ns: int


@dataclass(frozen=True)
class Output:
    """A file that was written, by its name in the sidecar's folder."""

    file: str
    bytes: int
    sha256: str


@dataclass
class Sidecar:
    """What became of one clip."""

    source: str
    """The clip's path below SRC, with / between folders."""
    job: str
    """The digest of the job."""
    version: str
    status: str
    """ "done" or "failed"."""
    input: Input | None = None
    """None where the file could not be read."""
    reason: str = ""
    """In one word or two, the kind of a failure."""
    sentence: str = ""
    warnings: list[str] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    frames: int = 0
    quality: dict[str, float] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds by what was done; "total" is all of it."""
    worker: str = ""
    """The host and process that did it."""
    finished: str = ""
    """UTC time."""

    @property
    def done(self) -> bool:
        return self.status == "done"


def sidecar_path(out: Path, stem: str) -> Path:
    return out / f"{stem}{ENDING}"


def to_json(sidecar: Sidecar) -> bytes:
    values = {"limbik_batch": _FORMAT, **asdict(sidecar)}
    values["sentence"] = sidecar.sentence[:_LONGEST]
    return (json.dumps(values, indent=1, allow_nan=True) + "\n").encode()


def read_sidecar(path: Path) -> Sidecar | None:
    """A sidecar; None where there is none, or where what is there is not a whole one."""
    try:
        values = json.loads(path.read_bytes())
        if values.pop("limbik_batch") != _FORMAT:
            return None
        found = values.pop("input")
        outputs = [Output(**output) for output in values.pop("outputs")]
        return Sidecar(**values, input=None if found is None else Input(**found), outputs=outputs)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def input_of(path: Path) -> Input:
    """A clip's file with what belongs to it: the digest of all, the newest time, all bytes."""
    mark = hashlib.sha256()
    size = newest = 0
    for part in (path, *companions(path)):
        with part.open("rb") as file:
            mark.update(hashlib.file_digest(file, "sha256").digest())
            found = os.fstat(file.fileno())
        size, newest = size + found.st_size, max(newest, found.st_mtime_ns)
    return Input(mark.hexdigest(), size, newest)


def same_input(path: Path, recorded: Input) -> bool:
    """Whether a clip is still the one that was read.

    Where size and time are those of the record, the bytes are taken to be.
    """
    try:
        parts = [part.stat() for part in (path, *companions(path))]
    except OSError:
        return False
    size, newest = sum(s.st_size for s in parts), max(s.st_mtime_ns for s in parts)
    if size != recorded.bytes:
        return False
    try:
        return newest == recorded.mtime_ns or input_of(path).sha256 == recorded.sha256
    except OSError:
        return False


def output_of(path: Path) -> Output:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Output(path.name, path.stat().st_size, digest)
