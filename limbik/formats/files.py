"""Files whole or not at all: read in one go, write beside the target and then put in its place."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from limbik.errors import FormatError

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def read_bytes(path: Path) -> bytes:
    """The file's bytes; a file that cannot be read is refused by name."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FormatError("there is no such file", path) from None
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be read: {_reason(error)}", path) from error


def write_whole(
    path: Path,
    write: Callable[[BinaryIO], None],
    *,
    durable: bool = False,
    private: bool = False,
) -> None:
    """Let ``write`` fill a temporary file in the same folder, then put it in the place of ``path``.

    When anything fails the temporary file goes and ``path`` stays as it was.  A file that was there
    hands on who may read and write it; one that is read-only is refused.  ``durable`` returns when
    the file is on the disk, so that a power cut leaves the old one or the new one; a new
    ``private`` file can be read by nobody else.
    """
    try:
        target = path.resolve()
        mode = target.stat().st_mode if target.is_file() else None
        if mode is not None and not mode & _WRITABLE:
            raise PermissionError(errno.EACCES, "it is read-only")
        if "\0" in target.name:
            raise ValueError("embedded null byte")
        draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be written: {_reason(error)}", path) from error
    try:
        # Ctrl-C may come at any time, also when the file is there and has no name here yet.
        with open(draft, "xb", opener=_private if private else None) as file:
            write(file)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if mode is not None:
            draft.chmod(stat.S_IMODE(mode))
        os.replace(draft, target)  # noqa: PTH105  (Path.replace is the same, this says it is atomic)
        if durable:
            _sync_folder(target.parent)
    except BaseException as error:
        if not isinstance(error, FileExistsError):  # then it is somebody else's
            with contextlib.suppress(OSError):
                draft.unlink()
        if isinstance(error, OSError):
            raise FormatError(f"cannot be written: {_reason(error)}", path) from error
        raise


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _sync_folder(folder: Path) -> None:
    """A rename lasts through a power cut only when its folder is on the disk too."""
    if os.name == "nt":
        return  # folders cannot be opened there, and NTFS logs renames itself
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
