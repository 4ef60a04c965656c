"""What a run came to: the summary that ``limbik.batch`` returns, and what Ctrl-C raises."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path

from limbik.jobs.outcome import Outcome


@dataclass
class Summary:
    """What a run came to; ``ok`` is true when every clip has its outputs."""

    src: Path
    out: Path
    clips: int
    """All clips, or those of the shard."""
    before: int = 0
    """Clips that were done before this run."""
    done: int = 0
    """Clips that this run did."""
    failed: list[Outcome] = field(default_factory=list)
    """Clips that failed: each with its ``source``, ``reason`` and ``sentence``."""
    seconds: float = 0.0
    stopped: str = ""
    """Why the run ended before all clips were tried; empty where it did not."""
    plan: dict[str, int] = field(default_factory=dict)
    """How many clips were to be done for each reason."""
    dry: bool = False
    """Nothing was run: ``plan`` is the answer."""

    @property
    def ok(self) -> bool:
        """Every clip is done."""
        return not self.failed and not self.stopped and (self.dry or self.left == 0)

    @property
    def left(self) -> int:
        """Clips that were not tried."""
        return self.clips - self.before - self.done - len(self.failed)

    def __repr__(self) -> str:
        return (
            f"<batch: {self.before + self.done} of {self.clips} clips done, "
            f"{len(self.failed)} failed>"
        )


class BatchInterrupt(KeyboardInterrupt):
    """Ctrl-C during a run, with the summary of what was done until then."""

    def __init__(self, summary: Summary) -> None:
        super().__init__(f"stopped; {resume_hint(summary)}")
        self.summary = summary


def resume_hint(summary: Summary) -> str:
    """How to go on with a run that was stopped."""
    folders = shlex.join([str(summary.src), str(summary.out)])
    return f"go on with: limbik batch {folders} --resume"
