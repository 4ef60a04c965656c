"""Sessions on disk: written so that a kill at any time leaves the old file or the new one whole.

A session is a folder of its own below the store's: ``session.json``, and ``files`` with what was
uploaded.  Its name is its id, which nobody can guess; only the page it belongs to knows it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Container
from pathlib import Path
from typing import Any, BinaryIO

import platformdirs

from limbik.formats.files import write_whole
from limbik.version import __version__

FORMAT = 1
OLDEST = 30 * 24 * 3600.0
"""Seconds after which a session that nobody opened is removed."""

MOST_BYTES = 1_000_000_000
"""Bytes that all sessions together may have; the oldest go first."""

IN_USE = 600.0
"""Seconds: a session touched more recently may be open in another server, and is never removed."""

_ID = re.compile(r"[A-Za-z0-9_-]{22}")


def state_folder() -> Path:
    """Where this machine keeps the state of programs: LIMBIK_STATE, or the platform's place."""
    chosen = os.environ.get("LIMBIK_STATE")
    if chosen:
        return Path(chosen).expanduser()
    return platformdirs.user_state_path("limbik", appauthor=False) / "poser"


class Store:
    """The folder of all sessions.

    Where it cannot be written to, a temporary one takes its place and ``note`` says so.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or state_folder()
        self.note = ""
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=self.root):
                pass
        except OSError as error:
            self.note = (
                f"Sessions cannot be kept in {self.root} ({error.strerror}): they last only until "
                "this machine restarts."
            )
            self.root = Path(tempfile.mkdtemp(prefix="limbik-poser-"))

    def new_id(self) -> str:
        """An id that nobody can guess, 132 bits."""
        return secrets.token_urlsafe(16)

    def has(self, id: str) -> bool:
        """Whether a session of that id was ever kept here; False for what is no id at all."""
        return _ID.fullmatch(id) is not None and (self.root / id).is_dir()

    def files(self, id: str) -> Path:
        """The folder for the session's uploads, made where it is missing.

        What an upload left behind when the server was killed is removed.
        """
        folder = self._folder(id) / "files"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for left in folder.glob(".upload-*"):
            left.unlink(missing_ok=True)
        return folder

    def save(self, id: str, saved: dict[str, Any]) -> None:
        """Write a session: into a temporary file, to the disk, then under its name."""
        folder = self._folder(id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        outer = {"format": FORMAT, "limbik": __version__, "session": saved}
        text = json.dumps(outer).encode()

        def write(file: BinaryIO) -> None:
            file.write(text)

        write_whole(folder / "session.json", write, durable=True, private=True)

    def load(self, id: str) -> dict[str, Any] | None:
        """What ``save`` wrote, or None where nothing was; ValueError if the file is damaged."""
        path = self._folder(id) / "session.json"
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        outer = json.loads(text)
        if not isinstance(outer, dict) or not isinstance(outer.get("session"), dict):
            raise ValueError("it holds no session")
        if outer.get("format") != FORMAT:
            raise ValueError(f"it was written by limbik {outer.get('limbik')}")
        return outer["session"]

    def put_aside(self, id: str) -> Path:
        """Rename a session's file that cannot be read, so that a new one does not replace it."""
        path = self._folder(id) / "session.json"
        now = time.strftime("%Y%m%d-%H%M%S")
        aside = path.with_name(f"damaged-{now}-{secrets.token_hex(2)}.json")
        path.replace(aside)
        return aside

    def forget_if_empty(self, id: str) -> None:
        """Remove the folder of a session in which nothing was done and nothing uploaded."""
        folder = self._folder(id)
        kept = any(path.name != "files" for path in folder.iterdir())
        if not kept and not any((folder / "files").iterdir()):
            shutil.rmtree(folder)

    def touch(self, id: str) -> None:
        """Mark a session as in use, for this server and for others that clean the same folder."""
        folder = self._folder(id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.utime(folder)

    def clean(self, in_use: Container[str]) -> list[str]:
        """Remove sessions older than 30 days, then the oldest until 1 GB is left; returns their
        ids.  Those in use stay, here or in another server."""
        now = time.time()
        kept: list[tuple[float, int, str]] = []
        removed = []
        for folder in self.root.iterdir():
            if not (_ID.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink()):
                continue
            newest, size = _weigh(folder)
            if folder.name in in_use or now - newest < IN_USE:
                newest = float("inf")
            if now - newest > OLDEST:
                removed.append(folder.name)
            else:
                kept.append((newest, size, folder.name))
        total = sum(size for _, size, _ in kept)
        for newest, size, id in sorted(kept):
            if total <= MOST_BYTES or newest == float("inf"):
                break
            removed.append(id)
            total -= size
        removed = [id for id in removed if id not in in_use]  # or opened since
        for id in removed:
            shutil.rmtree(self._folder(id), ignore_errors=True)
        return removed

    def _folder(self, id: str) -> Path:
        if _ID.fullmatch(id) is None:
            raise ValueError(f"{id[:40]!r} is not the id of a session")
        return self.root / id


def _weigh(folder: Path) -> tuple[float, int]:
    """When anything in a folder was last touched, and its bytes; what vanishes meanwhile is not
    counted."""
    newest, size = 0.0, 0
    for path in (folder, *folder.rglob("*")):
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        newest = max(newest, status.st_mtime)
        size += status.st_size
    return newest, size
