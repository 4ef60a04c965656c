"""``limbik batch`` on many short clips: how busy cores are, memory, overhead per clip, scaling.

    python -m benchmarks.batch                 # 2,000 clips, some minutes on a quiet machine
    python -m benchmarks.batch --clips 100     # a look

Clips are pieces of two seconds of the CMU recordings (where they are: LIMBIK_TEST_DATA) and of the
built-in cartwheel.  Each kind of job runs with one and with two processes, and tracking with one
and with four workers of Dask.  Rates are of the clips after the first tenth, so that the start of
the processes does not count; it has a column of its own.

- busy: processor time of the workers over the time that passed, for the cores they may use; wanted:
  the same with the time in which they waited for a core that something else had.
- cpu: processor time per clip; frames per second and core are counted by it, so that what else runs
  on the machine matters little.
- solve: time inside the steps, files: reading and writing, overhead: the time a clip takes a core
  beyond both.  The row "tiny clips" has almost nothing else.
- memory: the workers' resident memory at most, and how far it strays from its median after the
  first fifth.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, show
from limbik.jobs.job_file import read_job
from limbik.jobs.outcome import Outcome
from limbik.jobs.plan import Plan
from limbik.jobs.run import cores
from limbik.jobs.sidecar import ENDING, read_sidecar

EFFECTORS = ["Hips", "Head", "LeftHand", "RightHand", "LeftToeBase", "RightToeBase"]
OUTPUTS = {"formats": ["bvh"]}
JOBS: dict[str, dict[str, Any]] = {
    "convert": {"steps": [{"do": "convert", "fps": 30}], "outputs": OUTPUTS},
    "check": {"steps": [{"do": "check"}]},
    "track": {
        "steps": [{"do": "track", "effectors": EFFECTORS, "limits": "none"}, {"do": "check"}],
        "outputs": OUTPUTS,
    },
    "track, anatomical limits": {
        "steps": [{"do": "track", "effectors": EFFECTORS}, {"do": "check"}],
        "outputs": OUTPUTS,
    },
    "clean": {
        "steps": [{"do": "clean", "smooth": 0.1, "plant_feet": True}],
        "outputs": OUTPUTS,
    },
    "retarget": {"steps": [{"do": "retarget", "onto": "human"}], "outputs": OUTPUTS},
}
TINY = "tiny clips"
JOBS[TINY] = {"steps": [{"do": "check"}]}
SECONDS = 2.0
_PAGE = os.sysconf("SC_PAGE_SIZE")


def make_clips(folder: Path, count: int) -> dict[str, int]:
    """So many clips of two seconds, each with its number of frames."""
    data = Path(os.environ.get("LIMBIK_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
    whole = [limbik.load_motion(path) for path in sorted((data / "cmu_bvh").glob("*.bvh"))]
    whole = [clip for clip in whole if set(EFFECTORS) <= set(clip.figure.joints)]
    whole.append(limbik.figures.cartwheel())
    pieces = []
    for clip in whole:
        size = min(clip.frames, round(SECONDS * clip.fps))
        pieces += [clip[at : at + size] for at in range(0, clip.frames - size + 1, size)]
    chosen = np.resize(np.random.default_rng(1).permutation(len(pieces)), count)
    return _saved(folder, [pieces[at] for at in chosen])


def make_tiny_clips(folder: Path, count: int) -> dict[str, int]:
    """So many clips of a chain of three hinges, two frames each."""
    clip = limbik.Motion(limbik.figures.chain(), [[0, 0, 0], [0.1, 0, 0]], 30)
    return _saved(folder, [clip] * count)


def _saved(folder: Path, clips: list[limbik.Motion]) -> dict[str, int]:
    found = {}
    for k, clip in enumerate(clips):
        path = folder / f"{k % 20:02d}" / f"clip_{k:05d}.bvh"
        path.parent.mkdir(parents=True, exist_ok=True)
        limbik.save(clip, path)
        found[path.relative_to(folder).as_posix()] = clip.frames
    return found


class Watch:
    """Processor time and memory of the workers, and when clips ended."""

    def __init__(self, clips: int) -> None:
        self.clips, self.began = clips, time.perf_counter()
        self.ends: list[float] = []
        self.sources: list[str] = []
        self.marks: list[tuple[float, float, float, int]] = []
        self.resident: list[tuple[float, float]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def take(self, news: Outcome | Plan) -> None:
        if isinstance(news, Plan):
            self.began = time.perf_counter()
            self._thread.start()
            return
        self.ends.append(time.perf_counter())
        self.sources.append(news.source)
        if len(self.ends) in (max(1, self.clips // 10), self.clips - 4):
            used = [_cpu(pid) for pid in _children()]
            ran, waited = (sum(times) for times in zip(*used, strict=True)) if used else (0.0, 0.0)
            self.marks.append((self.ends[-1], ran, waited, len(self.ends)))

    def end(self) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(0.25):
            held = [found for pid in _children() if (found := _resident(pid))]
            if held and len(self.ends) > self.clips // 5:
                self.resident.append((max(held), float(np.mean(held))))


def _children() -> list[int]:
    own, found = os.getpid(), []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == own and fields[0] != "Z":
            found.append(int(entry.parent.name))
    return found


def _cpu(pid: int) -> tuple[float, float]:
    """Seconds in which a process ran, and in which it would have run if a core had been free."""
    ran = waited = 0.0
    for entry in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            on, off, _ = entry.read_text().split()
        except OSError:
            continue
        ran, waited = ran + int(on) / 1e9, waited + int(off) / 1e9
    return ran, waited


def _resident(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / 1e6
    except OSError:
        return 0.0


def measure(kind: str, src: Path, clips: dict[str, int], **engine: Any) -> dict[str, Any]:
    """A row: one run of one job."""
    out = src.parent / "out"
    shutil.rmtree(out, ignore_errors=True)
    watch = Watch(len(clips))
    summary = limbik.batch(src, out, read_job(JOBS[kind]), progress=watch.take, **engine)
    watch.end()
    assert summary.ok, (summary, summary.failed[:3], summary.stopped)
    (start, ran_start, waited_start, first), (end, ran_end, waited_end, last) = watch.marks
    done, wide, cpu = watch.sources[first:last], end - start, ran_end - ran_start
    wanted = cpu + waited_end - waited_start
    processes = engine.get("workers") or int(engine["cluster"].partition(":")[2])
    lanes = min(processes, cores())
    records = [read_sidecar(out / source.replace(".bvh", ENDING)) for source in done]
    parts = [record.timings for record in records if record is not None]
    steps = [step["do"] for step in JOBS[kind]["steps"]]
    solve = sum(part.get(name, 0.0) for part in parts for name in steps) / len(done)
    files = sum(part.get(name, 0.0) for part in parts for name in ("read", "write")) / len(done)
    means = np.array([mean for _, mean in watch.resident] or [np.nan])
    middle = float(np.median(means))
    on_dask = "cluster" in engine  # its workers are not children of this process
    nothing = None
    return {
        "job": kind,
        "engine": " ".join(f"{name} {value}" for name, value in engine.items()),
        "clips": len(clips),
        "start_s": watch.ends[0] - watch.began,
        "clips_per_s": len(done) / wide,
        "busy_percent": nothing if on_dask else 100.0 * cpu / (lanes * wide),
        "wanted_percent": nothing if on_dask else 100.0 * wanted / (lanes * wide),
        "cpu_ms": nothing if on_dask else 1e3 * cpu / len(done),
        "frames_per_s_core": nothing if on_dask else sum(clips[name] for name in done) / cpu,
        "solve_ms": 1e3 * solve,
        "files_ms": 1e3 * files,
        "overhead_ms": 1e3 * (lanes * wide / len(done) - solve - files),
        "memory_MB": nothing
        if on_dask
        else max((most for most, _ in watch.resident), default=float("nan")),
        "strays_percent": nothing
        if on_dask
        else 100.0 * float(np.abs(means - middle).max()) / middle,
    }


def main(words: list[str] | None = None) -> None:
    """Measure every kind of job with every engine."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--clips", type=int, default=2000)
    parser.add_argument(
        "--jobs", nargs="*", default=[name for name in JOBS if name != TINY], choices=list(JOBS)
    )
    parser.add_argument("--no-dask", action="store_true")
    asked = parser.parse_args(words)
    rows = []
    engines: list[dict[str, Any]] = [{"workers": 1}, {"workers": 2}]
    with tempfile.TemporaryDirectory() as folder:
        tiny, src = Path(folder) / "tiny", Path(folder) / "src"
        few = make_tiny_clips(tiny, asked.clips)
        rows += [measure(TINY, tiny, few, **engine) for engine in engines]
        clips = make_clips(src, asked.clips)
        for kind in asked.jobs:
            rows += [measure(kind, src, clips, **engine) for engine in engines]
        if not asked.no_dask:
            kind = "track" if "track" in asked.jobs else asked.jobs[0]
            for workers in (1, 2, 4):
                rows.append(measure(kind, src, clips, cluster=f"local:{workers}"))
    for row in rows:
        kind = row["engine"].split()[0]
        one = next(r for r in rows if r["job"] == row["job"] and r["engine"].split()[0] == kind)
        row["times_of_one"] = row["clips_per_s"] / one["clips_per_s"]
    show("Many clips", rows)
    keep("batch", rows)


if __name__ == "__main__":
    main()
