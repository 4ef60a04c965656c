"""The arrays of an NPZ file of unknown origin: numbers and words, none larger than the file can
justify, and no Python objects."""

from __future__ import annotations

import io
import math
import struct
import sys
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from limbik.errors import FormatError
from limbik.formats.files import read_bytes

ROOM = 40_000_000
"""Bytes that the arrays of an NPZ file may take, beside twice the file's own."""

MAX_ARRAYS = 10_000
"""An NPZ file with more is refused."""

BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,  # a password
    NotImplementedError,
    struct.error,
    ValueError,
)

_BAD_HEADER = (
    ValueError,
    KeyError,
    SyntaxError,
    TypeError,
    MemoryError,
    RecursionError,
    tokenize.TokenError,
    Warning,
)

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


@contextmanager
def arrays_of(path: Path) -> Iterator[Arrays]:
    """The arrays of an NPZ file; whatever is wrong with the file is a FormatError."""
    data = read_bytes(path)
    if data.count(b"PK\x01\x02") > MAX_ARRAYS:
        raise FormatError(f"has more than {MAX_ARRAYS:,} arrays", path)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except BROKEN as error:
        raise FormatError(f"is not an NPZ file: {error}", path) from error
    with archive:
        yield Arrays(archive, len(data), path)


class Arrays:
    """The arrays of an NPZ file, none larger than the file can justify, and no objects."""

    def __init__(self, archive: zipfile.ZipFile, size: int, path: Path) -> None:
        self._archive, self._path = archive, path
        self._left = ROOM + 2 * size
        self._names = set(archive.namelist())

    def __contains__(self, name: str) -> bool:
        return f"{name}.npy" in self._names

    def numbers(self, name: str, shape: tuple[int | None, ...] | None = None) -> np.ndarray:
        """An array of numbers; where a ``shape`` is given it must have that, None being any."""
        found = self._get(name, "fiu")
        if shape is not None and (
            found.ndim != len(shape)
            or any(want not in (None, have) for want, have in zip(shape, found.shape, strict=True))
        ):
            wanted = ", ".join("any" if size is None else str(size) for size in shape)
            text = f'array "{name}" has the shape {found.shape}, not ({wanted})'
            raise FormatError(text, self._path)
        return found

    def texts(self, name: str) -> list[str]:
        """The words of an array of them."""
        found = self._get(name, "U")
        letters = np.frombuffer(found.tobytes(), np.dtype("u4").newbyteorder(found.dtype.byteorder))
        # NumPy takes any 32 bits for a letter; Python has no strings of such.
        if ((letters > sys.maxunicode) | ((letters >= 0xD800) & (letters < 0xE000))).any():
            raise FormatError(f'array "{name}" has letters that there are not', self._path)
        return [str(text) for text in found.ravel().tolist()]

    def _get(self, name: str, kinds: str) -> np.ndarray:
        if name not in self:
            raise FormatError(f'has no array "{name}": is it a motion?', self._path)
        entry = self._archive.getinfo(f"{name}.npy")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # Others are taken apart in pieces of any size, whatever size the file says.
            raise FormatError(f'array "{name}" is packed in a way NumPy does not', self._path)
        self._spend(entry.file_size, name)
        try:
            file = io.BytesIO(self._archive.read(entry))
        except BROKEN as error:
            raise FormatError(f"is not an NPZ file: {error}", self._path) from error
        try:
            version = np.lib.format.read_magic(file)
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # of headers that are not quite right
                shape, by_columns, kind = _HEADERS[version](file)
        except _BAD_HEADER as error:
            raise FormatError(f'array "{name}" is not one of NumPy', self._path) from error
        # Longer numbers than doubles may be beyond all doubles.
        if kind.kind not in kinds or kind.itemsize == 0 or (kind.kind == "f" and kind.itemsize > 8):
            raise FormatError(f'array "{name}" holds {kind}, which is of no use', self._path)
        body = file.getbuffer()[file.tell() :]
        if min(shape, default=1) < 0 or math.prod(shape) * kind.itemsize != len(body):
            raise FormatError(f'array "{name}" is not as long as it says', self._path)
        # Numbers become doubles, and a string of one letter takes twenty times its four bytes.
        self._spend(len(body) * (20 if kind.kind == "U" else max(8 // kind.itemsize, 1) - 1), name)
        return np.frombuffer(body, kind).reshape(shape, order="F" if by_columns else "C")

    def _spend(self, size: int, name: str) -> None:
        self._left -= size
        if self._left < 0:
            raise FormatError(f'array "{name}" is too large for the file', self._path)
