"""The progress of ``limbik batch``: a bar with rate, time left and failures, on stderr."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from limbik.cli.terminal import notes
from limbik.jobs.outcome import Outcome
from limbik.jobs.plan import Plan


class _Rate(ProgressColumn):
    """Clips per second, or seconds per clip."""

    def render(self, task: Task) -> Text:
        elapsed, done = task.elapsed or 0.0, int(task.fields.get("clips_done", 0))
        if not done or not elapsed:
            return Text("")
        rate = done / elapsed
        return Text(f"{rate:.1f} clips/s" if rate >= 1 else f"{1 / rate:.1f} s per clip")


class BatchBar:
    """The progress of a run on stderr; without a terminal nothing is shown."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._task = progress, None
        self._sizes: dict[str, int] = {}
        self._done = self._failed = 0

    def take(self, news: Outcome | Plan) -> None:
        if isinstance(news, Plan):
            # By bytes, because clips differ; the time that is left is told from them.
            self._sizes = {clip.source: max(1, clip.bytes) for clip in news.todo}
            self._task = self._progress.add_task(
                "starting",
                total=sum(self._sizes.values()),
                count=f"0/{len(news.todo)}",
                clips_done=0,
            )
            return
        assert self._task is not None
        self._done += 1
        self._failed += not news.ok
        failed = f", {self._failed} failed" if self._failed else ""
        self._progress.update(
            self._task,
            description="clips",
            advance=self._sizes.get(news.source, 0),
            count=f"{self._done}/{len(self._sizes)}{failed}",
            clips_done=self._done,
        )


@contextmanager
def batch_bar(*, hidden: bool) -> Iterator[BatchBar]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        _Rate(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    off = hidden or not notes.is_terminal
    with Progress(*columns, console=notes, transient=True, disable=off) as progress:
        yield BatchBar(progress)
