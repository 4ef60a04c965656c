"""A worker: a process that is told an order, then does one clip after another.

It hears and answers in lines of JSON.  When whoever started it goes away, it ends at once, in the
middle of a clip too: nothing is in its place before it is whole.
"""

from __future__ import annotations

import faulthandler
import json
import os
import queue
import sys
import threading
from typing import Any, TextIO

from limbik.errors import LimbikError
from limbik.jobs.clip import do_clip
from limbik.jobs.engines.order import Order

_HEADROOM = 1.5  # times the limit on what is resident: memory that is asked for and not used


def main() -> None:
    """Serve until standard input ends."""
    faulthandler.enable()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what others print is no answer
    messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_hear, args=(messages,), daemon=True).start()
    order = Order(**messages.get())
    try:
        job = order.job()
        for step in job.steps:
            step.prepare()
        _limit_memory(order.memory_limit)
    except LimbikError as error:
        _send(answers, {"refused": str(error)})
        return
    _send(answers, {"ready": os.getpid()})
    while True:
        found = do_clip(job, order.folders, messages.get()["source"])
        _send(answers, {"outcome": found.as_json()})


def _send(answers: TextIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


def _hear(messages: queue.SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        messages.put(json.loads(line))
    os._exit(0)


def _limit_memory(most: int | None) -> None:
    """Let what asks for far too much fail by itself; ``slot`` watches what is really used."""
    if most is None or sys.platform != "linux":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(_HEADROOM * most)
    if hard == resource.RLIM_INFINITY or wanted < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
