"""What became of a clip, as it goes from a worker to the run; and the kinds of failures."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

UNREADABLE = "unreadable"
REFUSED = "refused"
TOO_SLOW = "too slow"
OUT_OF_MEMORY = "out of memory"
KILLED = "killed its worker"
WRITING = "not written"
DEFECT = "defect"
LOST = "worker lost"


@dataclass(frozen=True)
class Outcome:
    """One line of a run's summary."""

    source: str
    ok: bool
    reason: str = ""
    sentence: str = ""
    seconds: float = 0.0
    frames: int = 0
    disk_full: bool = False
    """There is no room for any clip."""
    superseded: bool = False
    """Another run has taken over, and nothing was written."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
