"""What a run has come to, from its index: progress, failures, slowest clips, quality."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import LimbikError
from limbik.jobs.folder import RunFolder
from limbik.jobs.index import open_index
from limbik.jobs.measures import MEASURES

SLOWEST = 10
_BINS = 24


def status_of(out: Path) -> dict[str, Any]:
    """Everything ``limbik batch status`` shows, as plain values.

    Raises:
        LimbikError: where no run was ever begun in OUT.
    """
    record = RunFolder(out).read_record()
    if record is None:
        raise LimbikError(f"{out}: there is no run here (limbik batch SRC OUT --job job.toml)")
    with closing(open_index(out)) as base:
        rows = base.execute(
            "SELECT source, job, version, status, reason, sentence, frames, seconds, quality, "
            "timings FROM clips ORDER BY source"
        ).fetchall()
    job = record.get("job")
    done = [row for row in rows if row[3] == "done" and row[1] == job]
    gone = _gone(record.get("source"))
    failed = [row for row in rows if row[3] != "done" and row[1] == job and not gone(row[0])]
    clips = max(int(record.get("clips") or 0), len(done) + len(failed))
    busy = sum(row[7] for row in done)
    frames = sum(row[6] for row in done)
    timings: dict[str, float] = {}
    for row in done:
        for name, seconds in json.loads(row[9]).items():
            timings[name] = timings.get(name, 0.0) + seconds
    return {
        "out": str(out),
        "source": record.get("source"),
        "clips": clips,
        "done": len(done),
        "failed": len(failed),
        "left": clips - len(done) - len(failed),
        "of_another_job": sum(row[1] != job for row in rows),
        "frames": frames,
        "seconds": busy,
        "frames_per_second": frames / busy if busy else 0.0,
        "timings": {name: timings[name] for name in sorted(timings)},
        "versions": _counted(row[2] for row in done),
        "reasons": _counted(row[4] for row in failed),
        "failures": [
            {"source": row[0], "reason": row[4], "sentence": row[5]}
            for row in sorted(failed, key=lambda row: (row[4], row[0]))
        ],
        "slowest": [
            {"source": row[0], "seconds": row[7], "frames": row[6]}
            for row in sorted(done, key=lambda row: -row[7])[:SLOWEST]
        ],
        "quality": _quality([(row[0], json.loads(row[8])) for row in done]),
    }


def _gone(source: str | None) -> Callable[[str], bool]:
    """Whether a clip was deleted from the folder of clips; nothing is where that is not here."""
    if source is None or not Path(source).is_dir():
        return lambda clip: False
    return lambda clip: not Path(source, clip).exists()


def _counted(words: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _quality(clips: list[tuple[str, dict[str, float]]]) -> dict[str, Any]:
    """Of each measure: how many clips have it, its spread, and the clip where it is worst."""
    found = {}
    for name, measure in MEASURES.items():
        values = [(c[name], source) for source, c in clips if math.isfinite(c.get(name, math.nan))]
        if not values:
            continue
        numbers = np.array([value for value, _ in values])
        counts, edges = np.histogram(numbers, bins=_BINS)
        found[name] = {
            "label": measure.label,
            "unit": measure.unit.strip(),
            "clips": len(values),
            "median": float(np.median(numbers)),
            "p95": float(np.percentile(numbers, 95)),
            "max": float(numbers.max()),
            "worst": max(values)[1],
            "histogram": {"edges": edges.tolist(), "counts": counts.tolist()},
        }
    return found


def clip_rows(out: Path) -> tuple[list[str], list[list[Any]]]:
    """A table with one row per clip: the names of its columns, and the rows by source."""
    names = ["source", "status", "reason", "sentence", "frames", "seconds", "version", "finished"]
    with closing(open_index(out)) as base:
        found = base.execute(
            f"SELECT {', '.join(names)}, quality FROM clips ORDER BY source"
        ).fetchall()
    qualities = [json.loads(row[-1]) for row in found]
    measured = [name for name in MEASURES if any(name in quality for quality in qualities)]
    rows = [
        [*row[:-1], *(quality.get(name, "") for name in measured)]
        for row, quality in zip(found, qualities, strict=True)
    ]
    return [*names, *measured], rows
