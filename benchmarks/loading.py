"""Seconds and memory of loading large files: a 50 MB BVH, a 20 MB AMC and a 30 MB GLB.

    python -m benchmarks.loading

Each file is made from limbik's own cartwheel, and read in a process of its own; the best of three
counts.  Memory is what the process held at most, above what it held before it read (on Linux).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, show
from limbik.figures.cartwheel import cartwheel
from limbik.formats.acclaim.amc_read import FPS

SIZES = {"bvh": 50e6, "amc": 20e6, "glb": 30e6}
SECONDS, TIMES = 5.0, 6.0
"""What the project promises: so many seconds, and so many times the file's size in memory."""

SCRIPT = """
import sys, time, warnings
from pathlib import Path
import limbik

warnings.simplefilter("ignore", UserWarning)
warm, path = sys.argv[1:]


def peak():
    # getrusage would count what the process held before it became this one.
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


limbik.load_motion(warm)
before, began = peak(), time.perf_counter()
motion = limbik.load_motion(path)
print(time.perf_counter() - began, peak() - before, len(motion), motion.figure.n)
"""


def make(kind: str, size: float, folder: Path) -> tuple[Path, Path]:
    """(a small, a large) file of one kind, the large one of about so many bytes."""
    clip = cartwheel()
    if kind == "amc":
        clip = limbik.Motion(clip.figure, clip.q, FPS, clip.name)
        limbik.save(clip.figure, folder / "clip.asf")
    small, large = folder / f"clip_1.{kind}", folder / f"clip_2.{kind}"
    limbik.save(clip, small)
    limbik.save(_repeated(clip, 4), large)
    # What a repetition adds, without the part of the file that is there once.
    each = (large.stat().st_size - small.stat().st_size) / 3
    count = int(np.ceil((size - small.stat().st_size) / each)) + 1
    limbik.save(_repeated(clip, count), large)
    return small, large


def _repeated(clip: limbik.Motion, count: int) -> limbik.Motion:
    """The clip over and over, a little different every time, so that no value is there twice."""
    rng = np.random.default_rng(1)
    q = np.tile(clip.q, (count, 1))
    return limbik.Motion(clip.figure, q + rng.normal(0.0, 1e-3, q.shape), clip.fps, clip.name)


def measure(kind: str, size: float) -> dict[str, Any]:
    """A row: the file's size, its frames, seconds to load and memory in times its size."""
    with tempfile.TemporaryDirectory() as folder:
        small, large = make(kind, size, Path(folder))
        runs = []
        for _ in range(3):
            done = subprocess.run(
                [sys.executable, "-c", SCRIPT, str(small), str(large)],
                env=os.environ,
                capture_output=True,
                text=True,
                check=True,
            )
            seconds, memory, frames, n = done.stdout.split()
            runs.append((float(seconds), int(memory)))
        bytes_there = large.stat().st_size
    seconds, memory = min(run[0] for run in runs), min(run[1] for run in runs)
    return {
        "file": kind,
        "MB": bytes_there / 1e6,
        "frames": int(frames),
        "coordinates": int(n),
        "seconds": seconds,
        "memory_MB": memory / 1e6,
        "memory_over_size": memory / bytes_there,
        "kept": seconds < SECONDS and memory <= TIMES * bytes_there,
    }


def main() -> None:
    """Measure every kind."""
    rows = [measure(kind, size) for kind, size in SIZES.items()]
    show("Loading", rows)
    keep("loading", rows)


if __name__ == "__main__":
    main()
