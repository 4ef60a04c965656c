"""Locks on OUT: one run at a time, or the shards of one division; they end with their process.

They are locks of the operating system on files in OUT/.limbik/locks, so that a killed run leaves
none behind.  A disk that has no such locks is said to have none: then nothing is refused, and two
runs would do the same work twice, with the same bytes.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from limbik.errors import LimbikError

_UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
_GATE_SECONDS = 60.0
_NOTE = 64  # where the note of who holds a lock begins; what is locked on Windows cannot be read

if sys.platform == "win32":
    import msvcrt

    def _take(file: BinaryIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _give(file: BinaryIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _take(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _give(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


class BusyError(LimbikError):
    """Another run is filling the same OUT."""


class _FileLock:
    """A lock on one file; ``held`` says whether this process has it."""

    def __init__(self, path: Path) -> None:
        self.path, self.held, self.supported = path, False, True
        self._file: BinaryIO | None = None

    def take(self) -> bool:
        """Whether the lock is now held, or the disk has no locks."""
        file = self.path.open("a+b")
        try:
            _take(file)
        except OSError as error:
            file.close()
            if error.errno in _UNSUPPORTED:
                self.supported = False
                return True
            return False
        self._file, self.held = file, True
        return True

    def sign(self) -> None:
        """Write who holds the lock, for the messages of others."""
        who = {
            "host": platform.node(),
            "pid": os.getpid(),
            "since": time.strftime("%Y-%m-%d %H:%M"),
        }
        if self._file is not None:
            with suppress(OSError):  # a full disk: the lock holds without it
                self._file.seek(0)
                self._file.truncate()
                self._file.write(b" " * _NOTE + json.dumps(who).encode())
                self._file.flush()

    def give(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                _give(self._file)
            self._file.close()
            self._file, self.held = None, False

    def holder(self) -> str:
        """Who holds it, for a message."""
        try:
            with self.path.open("rb") as file:
                file.seek(_NOTE)
                who = json.loads(file.read())
            return f"process {who['pid']} on {who['host']}, since {who['since']}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"


class RunLock:
    """The right to fill OUT, wholly or one shard of it; a context manager.

    ``name`` is "run", or "shard-1-of-4": shards of one division work side by side.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._lock = _FileLock(folder / f"{name}.lock")

    @property
    def held(self) -> bool:
        """False where the disk has no locks."""
        return self._lock.held

    def _in_the_way(self) -> list[_FileLock]:
        own = self._lock.path
        _, _, division = self._name.partition("-of-")
        found = []
        for path in sorted(self._folder.glob("*.lock")):
            shares = bool(division) and path.stem.endswith(f"-of-{division}")
            if path != own and path.stem != "gate" and not shares:
                found.append(_FileLock(path))
        return found

    def __enter__(self) -> RunLock:
        self._folder.mkdir(parents=True, exist_ok=True)
        gate = _FileLock(self._folder / "gate.lock")
        until = time.monotonic() + _GATE_SECONDS
        while not gate.take():  # others are looking round too, for a moment
            if time.monotonic() > until:
                raise BusyError(f"{gate.path}: is held for too long by {gate.holder()}")
            time.sleep(0.01)
        try:
            if not self._lock.take():
                self._refuse(self._lock)
            for other in self._in_the_way():
                if not other.take():
                    self._lock.give()
                    self._refuse(other)
                other.give()
            self._lock.sign()
        finally:
            gate.give()
        return self

    def _refuse(self, lock: _FileLock) -> None:
        out = self._folder.parent.parent
        what = lock.path.stem.replace("-", " ")
        raise BusyError(
            f"{out}: another run is at work there ({what}: {lock.holder()}); "
            "wait for it to end, or stop it"
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.give()
