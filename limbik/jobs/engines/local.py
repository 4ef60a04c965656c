"""The engine of one machine: so many workers, each with a thread here that hands it clips."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence

from limbik.jobs.engines.order import EngineError, Order
from limbik.jobs.engines.slot import Slot
from limbik.jobs.outcome import Outcome

_LOOK = 1.0  # seconds after which a wait is begun again, so that Ctrl-C is heard on every system


def run_local(order: Order, sources: Sequence[str], workers: int) -> Iterator[Outcome]:
    """What became of each clip, as they end.  Closing the iterator ends all workers.

    Raises:
        EngineError: where workers cannot be started.
    """
    stop = threading.Event()
    todo: queue.SimpleQueue[str] = queue.SimpleQueue()
    for source in sources:
        todo.put(source)
    ended: queue.SimpleQueue[Outcome | EngineError] = queue.SimpleQueue()
    slots = [Slot(order, stop.is_set) for _ in range(min(workers, len(sources)))]

    def serve(slot: Slot) -> None:
        while not stop.is_set():
            try:
                source = todo.get_nowait()
            except queue.Empty:
                break
            try:
                found = slot.do(source)
            except EngineError as error:
                ended.put(error)
                break
            ended.put(found)
        slot.kill()

    threads = [threading.Thread(target=serve, args=(slot,), daemon=True) for slot in slots]
    for thread in threads:
        thread.start()
    try:
        for _ in sources:
            found = _next(ended)
            if isinstance(found, EngineError):
                raise found
            yield found
    finally:
        stop.set()
        for slot in slots:
            slot.interrupt()
        for thread in threads:
            thread.join()


def _next(ended: queue.SimpleQueue[Outcome | EngineError]) -> Outcome | EngineError:
    while True:
        try:
            return ended.get(timeout=_LOOK)
        except queue.Empty:
            continue
