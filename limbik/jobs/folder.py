"""What a run keeps in OUT/.limbik: the job, drafts of outputs, and the locks."""

from __future__ import annotations

import json
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from limbik.formats.files import write_whole

NAME = ".limbik"


@dataclass(frozen=True)
class RunFolder:
    """OUT, and what lies in its hidden folder."""

    out: Path

    @property
    def path(self) -> Path:
        return self.out / NAME

    @property
    def locks(self) -> Path:
        return self.path / "locks"

    @property
    def job_text(self) -> Path:
        return self.path / "job.toml"

    @property
    def record(self) -> Path:
        return self.path / "run.json"

    def drafts(self, name: str) -> Path:
        """Where drafts of the run of this name lie."""
        return self.path / "drafts" / name

    def new_drafts(self, name: str, *, alone: bool) -> Path:
        """An empty folder for this run's drafts.

        ``alone`` says that no other run of this name can be at work: what earlier ones left goes.
        What still works for one of these cannot place anything any more.
        """
        own = self.drafts(name)
        if alone:
            shutil.rmtree(own, ignore_errors=True)
        found = own / secrets.token_hex(4)
        found.mkdir(parents=True)
        return found

    def end_drafts(self, drafts: Path) -> None:
        """Remove a run's folder of drafts."""
        shutil.rmtree(drafts, ignore_errors=True)

    def read_record(self) -> dict[str, Any] | None:
        """What the last run said of itself; None where there was none."""
        try:
            found = json.loads(self.record.read_bytes())
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def write(self, path: Path, data: bytes) -> None:
        write_whole(path, lambda file: _copy(data, file))


def _copy(data: bytes, file: Any) -> None:
    file.write(data)
