"""Files whole or not at all: read in one go, write beside the target and then put in its place."""

from __future__ import annotations

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


def write_whole(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Let ``write`` fill a temporary file in the same folder, then put it in the place of ``path``.

    When anything fails the temporary file goes and ``path`` stays as it was.  A file that was there
    hands on who may read and write it; one that is read-only is refused.
    """
    try:
        target = path.resolve()
        mode = target.stat().st_mode if target.is_file() else None
        if mode is not None and not mode & _WRITABLE:
            raise PermissionError(errno.EACCES, "it is read-only")
        draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        file = draft.open("xb")
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be written: {_reason(error)}", path) from error
    try:
        with file:
            write(file)
        if mode is not None:
            draft.chmod(stat.S_IMODE(mode))
        os.replace(draft, target)  # noqa: PTH105  (Path.replace is the same, this says it is atomic)
    except BaseException as error:
        draft.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FormatError(f"cannot be written: {_reason(error)}", path) from error
        raise


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
