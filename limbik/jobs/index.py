"""``OUT/index.sqlite``: the sidecars of a run as a table to ask; built from them, never the truth.

Only sidecars that are new or changed since the last time are read.  Where SQLite cannot write to
the disk of OUT, as on some network disks, the table is made in memory.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from limbik.jobs.folder import NAME
from limbik.jobs.sidecar import ENDING, read_sidecar

FILE = "index.sqlite"
_SHAPE = 1
_TABLE = """
CREATE TABLE IF NOT EXISTS clips (
    sidecar TEXT PRIMARY KEY, mtime_ns INTEGER, bytes INTEGER,
    source TEXT, job TEXT, version TEXT, status TEXT, reason TEXT, sentence TEXT,
    frames INTEGER, seconds REAL, worker TEXT, finished TEXT,
    quality TEXT, timings TEXT, warnings TEXT, outputs TEXT
)
"""


def open_index(out: Path) -> sqlite3.Connection:
    """The table ``clips``, as the sidecars below OUT are now."""
    for place in (out / FILE, ":memory:"):
        for _ in range(2):
            try:
                return _refreshed(place, out)
            except sqlite3.DatabaseError as error:
                if isinstance(place, str):
                    raise
                if "locked" in str(error) or not _thrown_away(place):
                    break  # another process is building it, or the disk is not ours
    raise AssertionError("a database in memory can be made")


def _thrown_away(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _refreshed(place: Path | str, out: Path) -> sqlite3.Connection:
    base = sqlite3.connect(place, timeout=5.0)
    try:
        if base.execute("PRAGMA user_version").fetchone()[0] not in (0, _SHAPE):
            raise sqlite3.DatabaseError("of another version of limbik")
        base.execute(f"PRAGMA user_version = {_SHAPE}")
        base.execute(_TABLE)
        known = {
            name: (time, size)
            for name, time, size in base.execute("SELECT sidecar, mtime_ns, bytes FROM clips")
        }
        for path, time, size in _sidecars(out):
            name = _text(path.relative_to(out).as_posix())
            if known.pop(name, None) != (time, size):
                _add(base, path, name, time, size)
        base.executemany("DELETE FROM clips WHERE sidecar = ?", [(name,) for name in known])
        base.commit()
    except BaseException:
        base.close()
        raise
    return base


def _sidecars(out: Path) -> Iterator[tuple[Path, int, int]]:
    """Each sidecar below OUT, its time and its size."""
    folders = [str(out)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != NAME:
                        folders.append(entry.path)
                elif entry.name.endswith(ENDING):
                    found = entry.stat()
                    yield Path(entry.path), found.st_mtime_ns, found.st_size


def _text(name: str) -> str:
    """Text in SQLite is UTF-8; names of files may be anything."""
    return name.encode("utf-8", "backslashreplace").decode()


def _add(base: sqlite3.Connection, path: Path, name: str, time: int, size: int) -> None:
    found = read_sidecar(path)
    if found is None:
        base.execute("DELETE FROM clips WHERE sidecar = ?", (name,))
        return
    values = (
        name, time, size,
        _text(found.source), found.job, found.version, found.status, found.reason,
        _text(found.sentence), found.frames, found.timings.get("total", 0.0), found.worker,
        found.finished, json.dumps(found.quality), json.dumps(found.timings),
        json.dumps(found.warnings), json.dumps([output.file for output in found.outputs]),
    )  # fmt: skip
    marks = ", ".join("?" * len(values))
    base.execute(f"INSERT OR REPLACE INTO clips VALUES ({marks})", values)
