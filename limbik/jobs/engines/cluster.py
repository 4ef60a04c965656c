"""The engine of a cluster: one task of Dask distributed per clip.

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

AHEAD = 4
"""Tasks per thread of the cluster that are handed over at a time: a scheduler that holds a million
tasks is slow, and clips that wait here cost nothing."""

_LOOK = 2.0  # seconds between counts of the cluster's threads

_slots: list[Slot] = []
_slots_lock = threading.Lock()


@lru_cache(maxsize=2)
def job_of(order: Order) -> Job:
    """The job of an order, read once per process."""
    return order.job()


def do_task(order: Order, source: str) -> dict[str, Any]:
    """One clip, in a thread of a Dask worker.

    Dask asks again for what a lost worker had done; what is done is not done twice.
    """
    if is_done(order.places.src, order.places.out, job_of(order), source):
        return Outcome(source, True).as_json()
    with _slots_lock:
        old = [slot for slot in _slots if slot.order != order]
        own = [slot for slot in _slots if slot.order == order]
        slot = own.pop() if own else Slot(order)
        _slots[:] = own
    for other in old:
        other.kill()
    try:
        return slot.do(source).as_json()
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
    left = iter(sources)
    names: dict[str, str] = {}
    ended = distributed.as_completed(loop=client.loop, raise_errors=False)
    waiting = 0
    room = _Room(client)
    try:
        while True:
            for source in left:
                future = client.submit(do_task, order, source, pure=False, retries=1)
                names[future.key] = source
                ended.add(future)
                waiting += 1
                if waiting >= room.tasks():
                    break
            if not waiting:
                return
            future = next(ended)
            waiting -= 1
            source = names.pop(future.key)
            if future.status == "cancelled":
                raise EngineError(_gone(client))
            if future.status == "error":
                yield _of_error(order, source, future.exception(), distributed)
            else:
                yield Outcome(**future.result())
            future.release()
    except (OSError, distributed.CancelledError) as error:
        raise EngineError(_gone(client)) from error


def _gone(client: Any) -> str:
    address = getattr(client.scheduler, "address", "") or ""
    return f"the scheduler of Dask {address} no longer answers".replace("  ", " ")


class _Room:
    """How many tasks to hand over at a time; workers may come and go."""

    def __init__(self, client: Any) -> None:
        self._client, self._tasks, self._until = client, 0, 0.0

    def tasks(self) -> int:
        if time.monotonic() > self._until:
            self._tasks = AHEAD * max(1, sum(self._client.nthreads().values()))
            self._until = time.monotonic() + _LOOK
        return self._tasks


def _of_error(order: Order, source: str, error: BaseException, distributed: Any) -> Outcome:
    if isinstance(error, EngineError):
        raise error
    if isinstance(error, distributed.KilledWorker):
        said = "the workers of Dask that did it were lost, each time again"
        failed = Outcome(source, False, reasons.LOST, said)
    else:
        failed = Outcome(source, False, reasons.DEFECT, f"{type(error).__name__}: {error}")
    record_failure(job_of(order), order.places, failed)
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
