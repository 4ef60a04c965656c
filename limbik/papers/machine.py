"""The machine and the versions that times depend on, and nothing that tells whose machine it is."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

from limbik.version import __version__


def machine() -> dict[str, str | int]:
    """Processor, cores, system, and the versions of what limbik runs on."""
    return {
        "processor": processor(),
        "cores": cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "Numba": numba.__version__,
        "limbik": __version__,
    }


def thread_clock() -> Callable[[], float]:
    """Seconds that this thread has computed for, so that another program's share does not count.

    The wall clock where the system tells a thread's time too coarsely to measure one solve.
    """
    fine = time.get_clock_info("thread_time").resolution < 1e-6
    return time.thread_time if fine else time.perf_counter


def processor(described_in: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's model where the system tells it, else its family."""
    if described_in.is_file():
        for line in described_in.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name" and value.strip():
                return value.strip()
    return platform.processor() or platform.machine() or "unknown"


def cores() -> int:
    """The cores this process may use, which in a container are fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
