"""What a worker is told when it starts: the job and where to read and write."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from limbik.errors import LimbikError
from limbik.jobs.clip import JobFolders
from limbik.jobs.job import Job
from limbik.version import __version__


class EngineError(LimbikError):
    """Workers cannot be started, or the cluster is gone: no clip is to blame."""


@dataclass(frozen=True)
class Order:
    """A run, as workers know it; plain values, so that it travels.

    The job itself, with its figures, lies in a file in OUT, which every worker reaches.
    """

    job_file: str
    sha256: str
    src: str
    out: str
    drafts: str
    time_limit: float | None
    memory_limit: int | None
    version: str = __version__

    @property
    def folders(self) -> JobFolders:
        return JobFolders(Path(self.src), Path(self.out), Path(self.drafts))

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def job(self) -> Job:
        """The job with its figures, from its file; nothing but the very file that was written."""
        if self.version != __version__:
            raise EngineError(
                f"the run is of limbik {self.version} and a worker has {__version__}: "
                "install the same version everywhere"
            )
        try:
            data = Path(self.job_file).read_bytes()
        except OSError as error:
            raise EngineError(
                f"a worker cannot read {self.job_file} ({error.strerror}): SRC and OUT must lie on "
                "a disk that every worker reaches by the same path"
            ) from error
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise EngineError(f"{self.job_file}: is not the file that this run wrote")
        return pickle.loads(data)


def give_order(job: Job, folders: JobFolders) -> Order:
    """Write the job for the workers of a run, beside its drafts."""
    data = pickle.dumps(job)
    file = folders.drafts / "job.pickle"
    file.write_bytes(data)
    return Order(
        job_file=str(file),
        sha256=hashlib.sha256(data).hexdigest(),
        src=str(folders.src),
        out=str(folders.out),
        drafts=str(folders.drafts),
        time_limit=job.time_limit,
        memory_limit=job.memory_limit,
    )
