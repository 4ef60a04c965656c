"""The numbers of a glTF file: accessors as views of its buffers, checked before they are read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbik.formats.gltf.file import Document
from limbik.formats.text_numbers import shown

WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
BYTE, UBYTE, SHORT, USHORT, UINT, FLOAT = 5120, 5121, 5122, 5123, 5125, 5126
DTYPES = {BYTE: "<i1", UBYTE: "<u1", SHORT: "<i2", USHORT: "<u2", UINT: "<u4", FLOAT: "<f4"}

FRACTIONS = (FLOAT, BYTE, UBYTE, SHORT, USHORT)
"""Component types of numbers that need not be whole; integers then stand for parts of one."""
WHOLE = (UBYTE, USHORT, UINT)

_PACKED = {"EXT_meshopt_compression", "KHR_meshopt_compression"}
_SPARE = 1_000_000  # bytes of zeros that an accessor without a buffer may ask for in any file


class Values(NamedTuple):
    """(count, width) numbers of an accessor as the file has them.

    ``normalised`` ones are integers that stand for 0 to 1, or −1 to 1.
    """

    raw: np.ndarray
    normalised: bool

    def floats(self, rows: Any = slice(None)) -> np.ndarray:
        """The numbers, or some rows of them, as float64."""
        raw = self.raw[rows]
        values = raw.astype(np.float64)
        if self.normalised:
            # Table 3 of the specification: c / 127 and so on, the least integer taken as −1.
            values = np.maximum(values / np.iinfo(raw.dtype).max, -1.0)
        return values


def read_values(
    document: Document, index: Any, what: str, kind: str, components: tuple[int, ...] = (FLOAT,)
) -> Values:
    """The numbers of an accessor that must have the type ``kind`` ("VEC3") and one of the
    component types; floats that are not finite are refused."""
    entry = document.entry("accessors", index)
    name = f"{what} (accessor {index})"
    if entry.get("type") != kind:
        document.fail(f"{name}: must be {kind}, is {shown(str(entry.get('type')))}")
    component = document.whole_number(entry.get("componentType"), f"{name}: its componentType")
    if component not in components:
        document.fail(f"{name}: cannot have components of type {component}")
    count = document.whole_number(entry.get("count"), f"{name}: its count", 1)
    dtype, width = np.dtype(DTYPES[component]), WIDTHS[kind]
    offset = document.whole_number(entry.get("byteOffset", 0), f"{name}: its byteOffset")
    if entry.get("bufferView") is None:
        if count * width * dtype.itemsize > document.size + _SPARE:
            document.fail(f"{name}: asks for {count:,} zeros")
        raw = np.zeros((count, width), dtype)
    else:
        raw = _view(document, entry["bufferView"], offset, count, width, dtype, name)
    document.spend(raw.nbytes, name)
    if entry.get("sparse") is not None:
        raw = _with_sparse(document, document.object(entry["sparse"], name), raw, name)
    if component == FLOAT and not np.isfinite(raw).all():
        document.fail(f"{name}: has values that are not finite")
    normalised = component != FLOAT and entry.get("normalized") is True
    return Values(raw, normalised)


def _view(
    document: Document,
    index: Any,
    offset: int,
    count: int,
    width: int,
    dtype: np.dtype[Any],
    name: str,
) -> np.ndarray:
    entry = document.entry("bufferViews", index)
    data = bytes_of_view(document, index)
    item = width * dtype.itemsize
    stride = document.whole_number(entry.get("byteStride", item), f"{name}: its byteStride", 1, 252)
    if stride < item:
        document.fail(f"{name}: items of {item} bytes every {stride} bytes")
    if offset + (count - 1) * stride + item > len(data):
        document.fail(f"{name}: reaches beyond its {len(data):,} bytes")
    return np.ndarray((count, width), dtype, data, offset, (stride, dtype.itemsize))


def bytes_of_view(document: Document, index: Any) -> memoryview:
    """The bytes of a buffer view."""
    entry = document.entry("bufferViews", index)
    what = f"buffer view {index}"
    extensions = entry.get("extensions")
    for packed in _PACKED & set(extensions) if isinstance(extensions, dict) else ():
        document.fail(f"{what}: is packed by {packed}, which limbik does not unpack")
    buffer = document.buffer(entry.get("buffer"))
    start = document.whole_number(entry.get("byteOffset", 0), f"{what}: its byteOffset")
    length = document.whole_number(entry.get("byteLength"), f"{what}: its byteLength", 1)
    if start + length > len(buffer):
        document.fail(f"{what}: reaches beyond the {len(buffer):,} bytes of its buffer")
    return buffer[start : start + length]


def _with_sparse(
    document: Document, sparse: dict[str, Any], raw: np.ndarray, name: str
) -> np.ndarray:
    """The values with those replaced that a sparse accessor lists."""
    count = document.whole_number(sparse.get("count"), f"{name}: its sparse count", 1, len(raw))
    where = document.object(sparse.get("indices"), f"{name}: its sparse indices")
    new = document.object(sparse.get("values"), f"{name}: its sparse values")
    component = document.whole_number(where.get("componentType"), f"{name}: its sparse indices")
    if component not in WHOLE:
        document.fail(f"{name}: its sparse indices cannot be of type {component}")
    parts = []
    for part, width, dtype in (
        (where, 1, np.dtype(DTYPES[component])),
        (new, raw.shape[1], raw.dtype),
    ):
        offset = document.whole_number(part.get("byteOffset", 0), f"{name}: its sparse byteOffset")
        parts.append(_view(document, part.get("bufferView"), offset, count, width, dtype, name))
    rows = parts[0][:, 0].astype(np.int64)
    if rows.max() >= len(raw) or (np.diff(rows) <= 0).any():
        document.fail(f"{name}: its sparse indices do not rise within its {len(raw):,} values")
    filled = raw.copy()
    filled[rows] = parts[1]
    return filled
