"""A glTF file in the making: what another file had, or nothing, with numbers added at its end."""

from __future__ import annotations

import base64
import json
import struct
import warnings
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from limbik.errors import FormatError, LimbikWarning
from limbik.formats.files import write_whole
from limbik.formats.gltf.accessors import DTYPES, WIDTHS
from limbik.formats.gltf.file import BIN_CHUNK, JSON_CHUNK, Document

ARRAY, INDICES = 34962, 34963
"""What a buffer view holds: attributes of vertices, or indices of triangles."""

Bytes = bytes | memoryview


class Draft:
    """JSON and bytes that are about to be written.

    ``json`` shares its lists with the file it began as; ``own`` gives a list that may be changed.
    Bytes of that file stay where they are and what they are; new ones go behind them.
    """

    def __init__(self, path: Path, document: Document | None = None) -> None:
        self.path, self._document = path, document
        self.text = path.suffix.lower() == ".gltf"
        self.json: dict[str, Any] = dict(document.json) if document is not None else {}
        self._chunks = document.chunks if document is not None else []
        self._owned: set[str] = set()
        self._blob: list[Bytes] = []
        self._length = 0
        self._at = 0  # the buffer that new bytes belong to
        if document is not None:
            self._begin(document)
            self._warn_of_left_behind(document)
        self._old = self._length

    def _begin(self, document: Document) -> None:
        """Take over the buffers of a file."""
        moves = document.path.parent.resolve() != self.path.parent.resolve()
        if document.binary and (self._holds_bin() or not document.count("buffers")):
            self._append(self._chunks[0][1] if self._holds_bin() else b"")
        elif self.text:
            self._at = document.count("buffers")
        else:
            self._merge(document)
            return
        if moves:
            self._embed(document)

    def own(self, kind: str) -> list[Any]:
        """A list of the JSON ("nodes") to change; entries must be replaced, not altered."""
        if kind not in self._owned:
            self._owned.add(kind)
            held = self._document.entries(kind) if self._document is not None else []
            self.json[kind] = list(held)
        return self.json[kind]

    def _holds_bin(self) -> bool:
        return bool(self._chunks) and self._chunks[0][0] == BIN_CHUNK

    def _append(self, data: Bytes) -> int:
        """Add bytes behind the others, at a multiple of four; where they begin."""
        spare = -self._length % 4
        self._blob += [b"\0" * spare, data]
        start = self._length + spare
        self._length = start + len(data)
        return start

    def _merge(self, document: Document) -> None:
        """All buffers one behind the other, as a GLB has a single one."""
        starts = [self._append(self._spent(document, k)) for k in range(document.count("buffers"))]
        if not starts:
            return
        views = self.own("bufferViews")
        for k, view in enumerate(views):
            entry = document.object(view, f"buffer view {k}")
            at = document.whole_number(entry.get("buffer"), f"buffer view {k}", 0, len(starts) - 1)
            offset = (
                document.whole_number(entry.get("byteOffset", 0), f"buffer view {k}") + starts[at]
            )
            views[k] = {**entry, "buffer": 0, "byteOffset": offset}
        self.json["buffers"] = [{"byteLength": self._length}]
        self._owned.add("buffers")

    def _embed(self, document: Document) -> None:
        """Buffers in files of their own become part of this one, which moves elsewhere."""
        for k, entry in enumerate(document.entries("buffers")):
            uri = entry.get("uri") if isinstance(entry, dict) else None
            if isinstance(uri, str) and not uri.startswith("data:"):
                self.own("buffers")[k] = {**entry, "uri": _data_uri([self._spent(document, k)])}

    def _spent(self, document: Document, index: int) -> memoryview:
        """The bytes of a buffer, counted: many may be one file, and become as many copies here."""
        data = document.buffer(index)
        document.spend(len(data), f"buffer {index}")
        return data

    def _warn_of_left_behind(self, document: Document) -> None:
        """Warn of pictures in files of their own that a file elsewhere will not find."""
        found = [
            entry.get("uri") for entry in document.entries("images") if isinstance(entry, dict)
        ]
        left = [uri for uri in found if isinstance(uri, str) and not uri.startswith("data:")]
        if left and document.path.parent.resolve() != self.path.parent.resolve():
            text = f"{self.path.name}: its pictures ({left[0][:60]}, ...) stay in another folder"
            warnings.warn(text, LimbikWarning, stacklevel=6)

    def add(
        self, values: np.ndarray, component: int, kind: str, *, target: int = 0, ends: bool = False
    ) -> int:
        """Add (count, width) numbers; the number of their accessor.

        ``target`` says what they are to a graphics card, ``ends`` adds their least and greatest.
        """
        raw = np.ascontiguousarray(values.reshape(-1, WIDTHS[kind]), DTYPES[component])
        view: dict[str, Any] = {"buffer": self._at, "byteOffset": self._append(raw.tobytes())}
        view["byteLength"] = raw.nbytes
        if target:
            view["target"] = target
        self.own("bufferViews").append(view)
        entry: dict[str, Any] = {"bufferView": len(self.json["bufferViews"]) - 1}
        entry |= {"componentType": component, "count": len(raw), "type": kind}
        if ends:
            entry |= {"min": raw.min(axis=0).tolist(), "max": raw.max(axis=0).tolist()}
        self.own("accessors").append(entry)
        return len(self.json["accessors"]) - 1

    def write(self) -> None:
        """Write the file, whole or not at all."""
        if self._length > self._old or (self.text and self._length):
            buffers = self.own("buffers")
            found = buffers[self._at] if self._at < len(buffers) else {}
            entry = dict(found) if isinstance(found, dict) else {}
            entry["byteLength"] = self._length
            if self.text:
                entry["uri"] = _data_uri(self._blob)
            buffers[self._at :] = [entry, *buffers[self._at + 1 :]]
        try:
            text = json.dumps(self.json, separators=(",", ":"), allow_nan=False).encode()
        except ValueError:
            what = "holds a number that is too large to be written again"
            raise FormatError(what, self.path) from None
        write_whole(self.path, lambda file: self._fill(file, text))

    def _fill(self, file: BinaryIO, text: bytes) -> None:
        if self.text:
            file.write(text)
            return
        others = self._chunks[1:] if self._holds_bin() else self._chunks
        text += b" " * (-len(text) % 4)
        spare = -self._length % 4
        total = 20 + len(text) + sum(8 + len(chunk) for _, chunk in others)
        if self._length:
            total += 8 + self._length + spare
        if total >= 1 << 32:
            raise FormatError("would be larger than a GLB can be", self.path)
        file.write(b"glTF" + struct.pack("<IIII", 2, total, len(text), JSON_CHUNK) + text)
        if self._length:
            file.write(struct.pack("<II", self._length + spare, BIN_CHUNK))
            for piece in self._blob:
                file.write(piece)
            file.write(b"\0" * spare)
        for kind, chunk in others:
            file.write(struct.pack("<II", len(chunk), kind))
            file.write(chunk)


def _data_uri(pieces: list[Bytes]) -> str:
    data = base64.b64encode(b"".join(pieces)).decode()
    return f"data:application/octet-stream;base64,{data}"
