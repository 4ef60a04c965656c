"""A slot: one worker process, started, watched, and started again when it is lost."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from limbik.jobs import outcome as reasons
from limbik.jobs.clip import record_failure
from limbik.jobs.engines.order import EngineError, Order
from limbik.jobs.outcome import Outcome

_PROGRAM = "import sys; sys.path[:] = {path!r}; from limbik.jobs.engines.worker import main; main()"
_LIBRARIES = ("NUMBA_NUM", "OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "VECLIB_MAXIMUM")
_ONE_THREAD = {f"{name}_THREADS": "1" for name in _LIBRARIES}
"""One core per worker, and the same sums in the same order everywhere."""
_LOOK = 0.2  # seconds between looks at a worker's time and memory
_STARTS = 3
_TRIES = 2
_STALE_AFTER = 600.0  # seconds in which a worker must be ready: kernels may have to be compiled


class _LostError(Exception):
    """The worker is gone."""


class Slot:
    """One worker process for one order.  Use it from one thread at a time."""

    def __init__(self, order: Order, stopped: Callable[[], bool] = lambda: False) -> None:
        self.order, self._stopped = order, stopped
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._errors: Any = None

    def do(self, source: str) -> Outcome:
        """Do one clip.  A worker that dies takes only the clip with it that killed it twice.

        Raises:
            EngineError: where no worker can be started.
        """
        began = time.monotonic()
        reason = ""
        for _ in range(_TRIES):
            self._ensure()
            try:
                return self._ask(source)
            except _LostError as lost:
                reason = str(lost)
                self.kill()
                if self._stopped():
                    break
        seconds = time.monotonic() - began
        return self._failed(Outcome(source, False, reasons.KILLED, reason, seconds))

    def _ask(self, source: str) -> Outcome:
        self._send({"source": source})
        began = time.monotonic()
        limit, most = self.order.time_limit, self.order.memory_limit
        while True:
            try:
                answer = self._answers.get(timeout=_LOOK)
            except queue.Empty:
                if self._stopped():
                    raise _LostError("stopped") from None
                seconds = time.monotonic() - began
                if limit is not None and seconds > limit:
                    reason = f"took longer than {limit:g} seconds"
                    return self._stop(Outcome(source, False, reasons.TOO_SLOW, reason, seconds))
                if most is not None and self._resident() > most:
                    reason = f"needs more memory than {most / 1e9:.3g} GB"
                    return self._stop(
                        Outcome(source, False, reasons.OUT_OF_MEMORY, reason, seconds)
                    )
                continue
            if answer is None:
                raise _LostError(self._how_it_ended())
            found = Outcome(**answer["outcome"])
            if found.reason == reasons.OUT_OF_MEMORY:
                self.kill()  # what is left of it may not be enough for the next
            return found

    def _stop(self, failed: Outcome) -> Outcome:
        self.kill()
        return self._failed(failed)

    def _failed(self, failed: Outcome) -> Outcome:
        if not self._stopped():
            record_failure(self.order.job(), self.order.folders, failed)
        return failed

    # ---- the process --------------------------------------------------------------------------

    def _ensure(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        reason = ""
        for _ in range(_STARTS):
            if self._stopped():
                raise EngineError("stopped")
            self.kill()
            self._start()
            try:
                answer = self._first_answer()
            except queue.Empty:
                reason = f"it was not ready within {_STALE_AFTER:g} seconds"
                continue
            if answer is not None and "ready" in answer:
                return
            if answer is not None:
                self.kill()
                raise EngineError(answer["refused"])
            reason = self._how_it_ended()
        self.kill()
        raise EngineError(f"no worker could be started: {reason}")

    def _first_answer(self) -> dict[str, Any] | None:
        until = time.monotonic() + _STALE_AFTER
        while True:
            try:
                return self._answers.get(timeout=_LOOK)
            except queue.Empty:
                if self._stopped() or time.monotonic() > until:
                    raise

    def _start(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (until the process ends)
        windows = sys.platform == "win32"
        path = [str(Path.cwd()) if entry == "" else entry for entry in sys.path]
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM.format(path=path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **_ONE_THREAD},
            start_new_session=not windows,  # Ctrl-C is not for workers
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) if windows else 0,
        )
        self._process, self._answers = process, queue.SimpleQueue()
        threading.Thread(target=_listen, args=(process, self._answers), daemon=True).start()
        self._send(self.order.as_json())

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(OSError):  # it is gone, which its answers show
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _resident(self) -> int:
        """Bytes of memory the worker uses; 0 where the system does not say."""
        assert self._process is not None
        try:
            pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
            return int(pages) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            return 0

    def _how_it_ended(self) -> str:
        assert self._process is not None
        code = self._process.wait()
        last_line = ""
        if self._errors is not None:
            self._errors.seek(0)
            lines = self._errors.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
            last_line = f": {lines[-1]}" if lines else ""
        if code >= 0:
            return f"its worker ended with exit code {code}{last_line}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        perhaps = ", perhaps because there was no memory left" if name == "SIGKILL" else last_line
        return f"its worker was ended by {name}{perhaps}"

    def kill(self) -> None:
        """End the worker at once."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError, ValueError):
                    assert pipe is not None
                    pipe.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def interrupt(self) -> None:
        """End the worker from another thread; the one that waits for it finds it lost."""
        process = self._process
        if process is not None:
            process.kill()


def _listen(
    process: subprocess.Popen[bytes], answers: queue.SimpleQueue[dict[str, Any] | None]
) -> None:
    """Hand on what a worker says; None at its end."""
    assert process.stdout is not None
    with suppress(OSError, ValueError):
        for line in process.stdout:
            answers.put(json.loads(line))
    answers.put(None)
