"""External kernels compiled by other processes, while this one compiles what calls them.

Numba compiles on one core.  The other processes leave what they compile in the cache on disk.  Each
is given one kernel at a time; a kernel that this process needs and nobody has begun it compiles
itself, and so it does all of them where no process can be started, or one fails.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ALONE = "LIMBIK_COMPILE_ALONE"
"""The environment variable that forbids other processes."""

helps = False
"""Whether this process compiles for another one, and never runs what it compiles."""

_changed = threading.Condition()
_waiting: list[str] = []
_begun: set[str] = set()
_processes = 0
_usual: Callable[[], Sequence[str]] | None = None


def usually(missing: Callable[[], Sequence[str]]) -> None:
    """Say which external kernels most programs will need and are not compiled yet."""
    global _usual
    _usual = missing


def start_usual() -> None:
    """Start on what most programs need, as soon as anything at all has to be compiled."""
    global _usual
    with _changed:
        missing, _usual = _usual, None
    if missing is not None and not os.environ.get(ALONE):
        start(missing())


def start(symbols: Sequence[str]) -> None:
    """Let other processes compile the external kernels of these symbols, in this order.

    There is one for each core but this process's own; none where they are at work already, or for
    a single kernel.
    """
    global _processes
    count = min((os.cpu_count() or 1) - 1, len(symbols))
    if count < 1 or len(symbols) < 2 or os.environ.get(ALONE):
        return
    if not Path(sys.executable or "").stem.lower().startswith("python"):
        return  # Python inside another program
    with _changed:
        if _processes:
            return
        _waiting[:], _processes = symbols, count
    for _ in range(count):
        threading.Thread(target=_feed, daemon=True).start()


def _feed() -> None:
    """Give a new process one kernel after the other."""
    global _processes
    paths = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {ALONE: "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    symbol = ""
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "limbik.compiling.compile_ahead"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            while symbol := _next():
                print(symbol, file=process.stdin, flush=True)
                if process.stdout.readline().strip() != symbol:
                    break  # it has ended
                with _changed:
                    _begun.discard(symbol)
                    _changed.notify_all()
    except OSError:  # it cannot be started, or has ended
        pass
    finally:
        with _changed:
            _begun.discard(symbol)
            _processes -= 1
            if not _processes:
                _waiting.clear()
            _changed.notify_all()


def _next() -> str:
    with _changed:
        if not _waiting:
            return ""
        _begun.add(symbol := _waiting.pop(0))
        return symbol


def wait_for(symbol: str) -> None:
    """Until another process has compiled a kernel, where one has begun."""
    with _changed:
        if symbol in _waiting:
            _waiting.remove(symbol)
        _changed.wait_for(lambda: symbol not in _begun)


def main(symbols: Iterable[str]) -> None:
    """Compile external kernels into the cache on disk, and print each when it is there."""
    for symbol in symbols:
        module, _, name = symbol.strip().rpartition(".")
        getattr(importlib.import_module(module), name).compile()
        print(symbol.strip(), flush=True)


if __name__ == "__main__":
    vars(importlib.import_module("limbik.compiling.compile_ahead"))["helps"] = True
    main(sys.stdin)
