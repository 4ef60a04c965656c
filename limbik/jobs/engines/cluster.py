"""The engine of a cluster: tasks of Dask distributed, of one clip or of several short ones.

Dask hands out the tasks, and hands them out again when one of its workers is lost.  In each of
them a clip is done by a process of its own (``slot``), as on one machine, so that limits of time
and memory hold, and a clip that kills its process leaves Dask's worker alive.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from typing import Any

from limbik.errors import LimbikError
from limbik.jobs import outcome as reasons
from limbik.jobs.clip import record_failure
from limbik.jobs.engines.order import EngineError, Order
from limbik.jobs.engines.slot import Slot
from limbik.jobs.job import Job
from limbik.jobs.outcome import Outcome
from limbik.jobs.plan import is_done

AHEAD = 3
"""Tasks per thread of the cluster that are handed over at a time: a scheduler that holds a million
tasks is slow, and clips that wait here cost nothing."""

TASK_SECONDS = 2.0
"""What a task should take, at least: a scheduler hands out some hundred tasks per second."""

MOST_CLIPS = 100
"""Clips of one task."""

_LOOK = 2.0  # seconds between counts of the cluster's threads

_slots: list[Slot] = []
_slots_lock = threading.Lock()


@lru_cache(maxsize=2)
def job_of(order: Order) -> Job:
    """The job of an order, read once per process."""
    return order.job()


def do_task(order: Order, sources: Sequence[str]) -> list[dict[str, Any]]:
    """Some clips, one after the other, in a thread of a Dask worker.

    Dask asks again for what a lost worker had done; what is done is not done twice.
    """
    with _slots_lock:
        old = [slot for slot in _slots if slot.order != order]
        own = [slot for slot in _slots if slot.order == order]
        slot = own.pop() if own else Slot(order)
        _slots[:] = own
    for other in old:
        other.kill()
    folders = order.folders
    try:
        return [
            Outcome(source, True).as_json()
            if is_done(folders.src, folders.out, job_of(order), source)
            else slot.do(source).as_json()
            for source in sources
        ]
    finally:
        with _slots_lock:
            _slots.append(slot)


def run_cluster(order: Order, sources: Sequence[str], cluster: Any) -> Iterator[Outcome]:
    """What became of each clip, as they end.  ``cluster`` is an address or a Client of Dask.

    Raises:
        EngineError: where the scheduler cannot be reached, or is lost.
    """
    try:
        import distributed
    except ImportError:
        raise LimbikError('--cluster needs Dask: pip install "limbik[cluster]"') from None
    with _client(cluster, distributed) as client:
        yield from _run(order, sources, client, distributed)


def _run(order: Order, sources: Sequence[str], client: Any, distributed: Any) -> Iterator[Outcome]:
    bundles = _Bundles(sources, client)
    tasks: dict[str, Sequence[str]] = {}
    ended = distributed.as_completed(loop=client.loop, raise_errors=False)
    try:
        while True:
            for bundle in bundles.next_ones(len(tasks)):
                future = client.submit(do_task, order, bundle, pure=False, retries=1)
                tasks[future.key] = bundle
                ended.add(future)
            if not tasks:
                return
            future = next(ended)
            bundle = tasks.pop(future.key)
            if future.status == "cancelled":
                raise EngineError(_gone(client))
            if future.status != "error":
                for found in future.result():
                    bundles.took(found["seconds"])
                    yield Outcome(**found)
            elif len(bundle) > 1:
                bundles.alone += bundle  # one of them is to blame
            else:
                yield _of_error(order, bundle[0], future.exception(), distributed)
            future.release()
    except (OSError, distributed.CancelledError) as error:
        raise EngineError(_gone(client)) from error


class _Bundles:
    """The clips in bundles that keep a core busy for a moment, so that a scheduler has few tasks.

    The first clips go one by one, until it is known how long they take; so do the last.
    """

    def __init__(self, sources: Sequence[str], client: Any) -> None:
        self._left, self._at = sources, 0
        self._client, self._threads, self._until = client, 1, 0.0
        self._clips, self._seconds = 0, 0.0
        self.alone: list[str] = []
        """Clips of a bundle that failed, to be tried one by one."""

    def took(self, seconds: float) -> None:
        self._clips, self._seconds = self._clips + 1, self._seconds + seconds

    def next_ones(self, waiting: int) -> Iterator[Sequence[str]]:
        """Bundles to hand over now, where so many are waiting or at work."""
        if time.monotonic() > self._until:  # workers may come and go
            self._threads = max(1, sum(self._client.nthreads().values()))
            self._until = time.monotonic() + _LOOK
        for _ in range(AHEAD * self._threads - waiting):
            if self.alone:
                yield [self.alone.pop()]
            elif self._at < len(self._left):
                bundle = self._left[self._at : self._at + self._size()]
                self._at += len(bundle)
                yield bundle

    def _size(self) -> int:
        if not self._clips:
            return 1
        fitting = TASK_SECONDS * self._clips / max(self._seconds, 1e-3)
        fair = (len(self._left) - self._at) / (AHEAD * self._threads)
        return max(1, min(int(fitting), int(fair), MOST_CLIPS))


def _gone(client: Any) -> str:
    address = getattr(client.scheduler, "address", "") or ""
    return f"the scheduler of Dask {address} no longer answers".replace("  ", " ")


def _of_error(order: Order, source: str, error: BaseException, distributed: Any) -> Outcome:
    if isinstance(error, EngineError):
        raise error
    if isinstance(error, distributed.KilledWorker):
        reason = "the workers of Dask that did it were lost, each time again"
        failed = Outcome(source, False, reasons.LOST, reason)
    else:
        failed = Outcome(source, False, reasons.DEFECT, f"{type(error).__name__}: {error}")
    record_failure(job_of(order), order.folders, failed)
    return failed


@contextmanager
def _client(cluster: Any, distributed: Any) -> Iterator[Any]:
    """A client of an address, of ``local:N``, or the one that was given, which stays open."""
    if not isinstance(cluster, str):
        yield cluster
        return
    with ExitStack() as stack:
        address: Any = cluster
        kind, _, count = cluster.partition(":")
        if kind == "local":
            try:
                workers = int(count)
            except ValueError:
                workers = 0
            if workers < 1:
                raise LimbikError(f'--cluster "{cluster}": expected local:N, such as local:4')
            address = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    dashboard_address=None,
                    memory_limit=None,
                )
            )
        elif "://" not in cluster:
            raise LimbikError(
                f'--cluster "{cluster}": expected tcp://host:port of a Dask scheduler, or local:N'
            )
        try:
            client = distributed.Client(address, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise EngineError(f"no scheduler of Dask answers at {cluster}") from error
        stack.enter_context(client)
        try:
            yield client
        finally:
            # A scheduler that is gone is told by us; Dask would add a traceback.
            logging.getLogger("distributed.client").disabled = client.status != "running"
