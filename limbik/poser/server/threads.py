"""Threads for what takes time, so that the server's event loop answers everybody else meanwhile."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

T = TypeVar("T")


class DaemonThreads(Executor):
    """An executor that does not hold up the end of Python, and works until that end.

    ThreadPoolExecutor waits for its threads when Python ends, twenty seconds for one that compiles,
    and takes no more work then, when sessions have still to be saved.
    """

    def __init__(self, most: int) -> None:
        self._most, self._count = most, 0
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run a function in a thread that has nothing to do, or in a new one."""
        future: Future[T] = Future()

        def job() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    result = fn(*args, **kwargs)
                except BaseException as error:  # handed to whoever waits
                    future.set_exception(error)
                else:
                    future.set_result(result)

        self._jobs.put(job)
        if not self._idle.acquire(blocking=False) and self._count < self._most:
            self._count += 1
            name = f"limbik-poser-{self._count}"
            threading.Thread(target=self._work, name=name, daemon=True).start()
        return future

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            self._idle.release()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let every thread end when it has done its work."""
        for _ in range(self._count):
            self._jobs.put(None)


class Workers:
    """At most ``most`` threads: one for every session, so that none waits for another's file or
    compilation."""

    def __init__(self, most: int) -> None:
        self._threads = DaemonThreads(most)
        self._tasks: set[asyncio.Task[Any]] = set()

    async def do(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run something in a thread and wait for what it returns."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine without waiting for it."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)  # or it might be collected while it runs
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """Start nothing more; what runs is not waited for."""
        self._threads.shutdown(wait=False)
