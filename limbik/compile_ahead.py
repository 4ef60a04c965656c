"""External kernels compiled by a second process, while this one compiles what calls them.

Numba compiles on one core.  The second process leaves what it compiles in the cache on disk and
names each kernel when it is there; where it cannot be started or fails, this process compiles all.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

ALONE = "LIMBIK_COMPILE_ALONE"
"""The environment variable that forbids a second process."""

_lock = threading.Lock()
_waiting: set[str] = set()
_process: subprocess.Popen[str] | None = None


def start(symbols: Sequence[str]) -> None:
    """Let a second process compile the external kernels of these symbols, in this order.

    Nothing happens where one is at work already, for a single kernel, or on a single core.
    """
    global _process
    if len(symbols) < 2 or (os.cpu_count() or 1) < 2 or os.environ.get(ALONE):
        return
    if not Path(sys.executable or "").stem.lower().startswith("python"):
        return  # Python inside another program
    with _lock:
        if _process is not None:
            return
        paths = [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {ALONE: "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        try:
            _process = subprocess.Popen(
                [sys.executable, "-m", "limbik.compile_ahead", *symbols],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment,
            )
        except OSError:
            return
        _waiting.update(symbols)


def wait_for(symbol: str) -> None:
    """Until the second process has compiled a kernel, where it is asked for that."""
    global _process
    with _lock:
        while symbol in _waiting and _process is not None and _process.stdout is not None:
            line = _process.stdout.readline()
            _waiting.discard(line.strip())
            if not line or not _waiting:  # it has ended, or is about to
                _process.stdout.close()
                _process.wait()
                _process = None
                _waiting.clear()


def main(symbols: Sequence[str]) -> None:
    """Compile these external kernels into the cache on disk, and print each when it is there."""
    for symbol in symbols:
        module, _, name = symbol.rpartition(".")
        getattr(importlib.import_module(module), name).load()
        print(symbol, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
