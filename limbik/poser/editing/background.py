"""Work that takes long: a thread of its own, a share that is done, and a way to stop it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from limbik.errors import LimbikError

log = logging.getLogger("limbik.poser")

_OFTEN = 0.1  # seconds between two reports of how far it is

Progress = Callable[[float], None]


class Stopped(LimbikError):
    """Somebody cancelled the work."""


class BackgroundTask:
    """``work`` in a thread; ``apply`` takes its result when whoever owns the task collects it.

    ``notify`` is called with the share that is done, 0 to 1, from the thread, and ``ready`` when it
    has ended, well or not.  ``work`` is given a function to report its progress with, which raises
    when the task was cancelled.
    """

    def __init__(
        self,
        label: str,
        work: Callable[[Progress], Any],
        apply: Callable[[Any], None],
        *,
        notify: Callable[[float], None],
        ready: Callable[[], None],
        end: Callable[[], None] = lambda: None,
    ) -> None:
        self.label, self.share = label, 0.0
        self.result: Any = None
        self.error: Exception | None = None
        self._work, self._apply, self._end = work, apply, end
        self._notify, self._ready = notify, ready
        self._stop, self._done, self._notified = threading.Event(), threading.Event(), 0.0
        self._thread = threading.Thread(target=self._run, name="limbik-poser-task", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Stop at the next report of progress."""
        self._stop.set()

    @property
    def cancelled(self) -> bool:
        """Whether it was asked to stop."""
        return self._stop.is_set()

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return not self._done.is_set()

    def wait(self, seconds: float | None = None) -> None:
        """Until it has ended."""
        self._done.wait(seconds)

    def finish(self) -> str:
        """Take the result, after the thread has ended; a sentence where there is none to take."""
        try:
            if self.cancelled:
                return f"{self.label}: cancelled, nothing was changed."
            if self.error is None:
                self._apply(self.result)
                return ""
            if isinstance(self.error, LimbikError):
                return str(self.error)
            log.error("%s failed", self.label, exc_info=self.error)
            return f"{self.label}: limbik made a mistake ({self.error!s:.80}); nothing was changed."
        finally:
            self._end()

    def _run(self) -> None:
        try:
            self.result = self._work(self._report)
        except Exception as error:  # told to the person by finish()
            self.error = error
        self._done.set()
        self._ready()

    def _report(self, share: float) -> None:
        if self.cancelled:
            raise Stopped("cancelled")
        self.share = min(max(share, 0.0), 1.0)
        now = time.monotonic()
        if now - self._notified >= _OFTEN:
            self._notified = now
            self._notify(self.share)
