"""Meshes in STL, OBJ and MSH files: the vertices and triangles of solids, for masses and shapes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limbik.errors import FormatError
from limbik.formats.files import read_bytes
from limbik.formats.text_numbers import shown

MAX_BYTES = 200_000_000
"""A larger file is refused."""
ENDINGS = (".stl", ".obj", ".msh")

_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
_VERTEX = re.compile(rb"vertex\s+(\S{1,40})\s+(\S{1,40})\s+(\S{1,40})")


class Triangles(NamedTuple):
    """(vertices, 3) points and (triangles, 3) indices of their corners."""

    vertices: np.ndarray
    triangles: np.ndarray


def read_mesh(path: Path) -> Triangles:
    """The triangles of an STL or OBJ file, or of one in MuJoCo's own MSH format.

    Raises:
        FormatError: where it is not there, too large, of another kind or faulty.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise FormatError(f"is not a mesh limbik reads ({', '.join(ENDINGS)})", path)
    try:
        if not path.is_file():
            raise FormatError("there is no such file", path)
        if path.stat().st_size > MAX_BYTES:
            raise FormatError(f"has more than {MAX_BYTES // 1_000_000} MB", path)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be read: {error}", path) from error
    data = read_bytes(path)
    found = {".stl": _stl, ".obj": _obj, ".msh": _msh}[ending](data, path)
    if not len(found.triangles):
        raise FormatError("has no triangles", path)
    if not np.isfinite(found.vertices).all():
        raise FormatError("has vertices that are not finite", path)
    return found


def _stl(data: bytes, path: Path) -> Triangles:
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if count >= 0 and len(data) >= 84 + count * _RECORD.itemsize and not _is_text(data, count):
        records = np.frombuffer(data, _RECORD, count, 84)
        corners = records["corners"].astype(float).reshape(-1, 3)
    else:
        try:
            corners = np.array(_VERTEX.findall(data), dtype="S40").astype(float).reshape(-1, 3)
        except ValueError:
            raise FormatError("is not STL: a vertex is not three numbers", path) from None
    if len(corners) % 3:
        raise FormatError("is not STL: a triangle has not three corners", path)
    return Triangles(corners, np.arange(len(corners)).reshape(-1, 3))


def _is_text(data: bytes, count: int) -> bool:
    """Whether an STL file is text; a binary one may begin with "solid" too, but has its size."""
    exact = len(data) == 84 + count * _RECORD.itemsize
    return data[:5].lower() == b"solid" and not exact and b"facet" in data[:1000]


def _obj(data: bytes, path: Path) -> Triangles:
    vertices: list[list[bytes]] = []
    triangles: list[tuple[int, int, int]] = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.startswith(b"v "):
            vertices.append(line.split(None, 4)[1:4])
            if len(vertices[-1]) != 3:
                raise FormatError("a vertex needs three numbers", path, number)
        elif line.startswith(b"f "):
            face = _face(line.split()[1:], len(vertices), path, number)
            triangles += [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]
    try:
        # Single precision, as OBJ readers mostly have it.
        points = np.array(vertices, dtype="S60").astype(np.float32).astype(float).reshape(-1, 3)
    except ValueError:
        raise FormatError("a vertex is not three numbers", path) from None
    return _checked(points, np.array(triangles, int).reshape(-1, 3), path)


def _checked(points: np.ndarray, corners: np.ndarray, path: Path) -> Triangles:
    if len(corners) and not (corners.min() >= 0 and corners.max() < len(points)):
        raise FormatError("a face has a vertex that is not there", path)
    return Triangles(points, corners)


def _msh(data: bytes, path: Path) -> Triangles:
    """Four counts, then the vertices, normals and texture coordinates, then the faces."""
    counts = np.frombuffer(data[:16], "<i4").tolist() if len(data) >= 16 else [-1]
    if min(counts) < 0 or len(data) != 16 + 4 * int(np.dot(counts, [3, 3, 2, 3])):
        raise FormatError("is not MSH: its size is not what it says", path)
    vertices, normals, texcoords, faces = counts
    points = np.frombuffer(data, "<f4", 3 * vertices, 16).astype(float).reshape(-1, 3)
    at = 16 + 4 * (3 * vertices + 3 * normals + 2 * texcoords)
    corners = np.frombuffer(data, "<i4", 3 * faces, at).astype(int).reshape(-1, 3)
    return _checked(points, corners, path)


def _face(words: Iterable[bytes], known: int, path: Path, line: int) -> list[int]:
    """Indices of a face's vertices, "3/1/2" or "-1" in the file, counted from 0."""
    out = []
    for word in words:
        try:
            k = int(word.partition(b"/")[0])
        except ValueError:
            what = f"a face has {shown(word.decode('latin-1'))} for a vertex"
            raise FormatError(what, path, line) from None
        out.append(k - 1 if k > 0 else known + k)
    return out
