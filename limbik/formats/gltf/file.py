"""glTF 2.0 files, text or binary (GLB, VRM): the container, its JSON and its buffers.

Nothing in the JSON is believed before it is looked at: entries come through ``Document.entry``,
whole numbers through ``Document.whole``, vectors through ``Document.numbers``.  Buffers are views
of the file's bytes; a file is in memory once.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import struct
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote

from limbik.errors import FormatError, LimbikWarning
from limbik.formats.files import read_bytes
from limbik.formats.text_numbers import shown

MAX_ENTRIES = 100_000
"""A file with more nodes, accessors, ... in one list is refused."""

JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942

# Extensions that are read, that are refused by name where they matter, or that are about looks.
_KNOWN = re.compile(
    r"(KHR_mesh_quantization|KHR_draco_mesh_compression|(EXT|KHR)_meshopt_compression|"
    r"(KHR|EXT|MSFT|ADOBE)_(materials|texture|lights|xmp)_?.*|VRM|VRMC_.*)\Z"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_AGAIN = 20  # times that the bytes of a file may be looked at
_ROOM = 100_000_000  # bytes that the JSON of even a small file may take as Python objects


class Document:
    """A glTF file: its JSON as Python objects, and its buffers."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.path, self.size = path, len(data)
        if not data:
            self.fail("is empty")
        self.chunks: list[tuple[int, memoryview]] = []
        self.binary = data[:4] == b"glTF"
        text = self._open(data) if self.binary else memoryview(data)
        self.json = self._parse(text)
        self._buffers: dict[int, memoryview] = {}
        self._files: dict[Path, memoryview] = {}  # several buffers may lie in one
        self._spent = 0
        asset = self.json.get("asset")
        version = asset.get("version") if isinstance(asset, dict) else None
        if not isinstance(version, str) or not version.startswith("2."):
            self.fail(f"is glTF {shown(str(version))}; limbik reads version 2")
        self._warn_of_unknown()

    def _warn_of_unknown(self) -> None:
        """Warn of extensions that a reader must know and that limbik does not."""
        required = self.listed(self.json, "extensionsRequired", "extensionsRequired")
        unknown = dict.fromkeys(str(name) for name in required if not _KNOWN.match(str(name)))
        if unknown:
            names = ", ".join(shown(name) for name in [*unknown][:5])
            more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
            text = f"{self.path.name}: needs {names}{more}, which limbik does not know"
            warnings.warn(
                f"{text}; what depends on that is missing or wrong", LimbikWarning, stacklevel=6
            )

    def __getstate__(self) -> dict[str, Any]:
        # Views of bytes cannot be pickled or copied; the bytes can.
        chunks = [(kind, bytes(view)) for kind, view in self.chunks]
        buffers = {index: bytes(view) for index, view in self._buffers.items()}
        return {**self.__dict__, "chunks": chunks, "_buffers": buffers}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.chunks = [(kind, memoryview(data)) for kind, data in state["chunks"]]
        self._buffers = {index: memoryview(data) for index, data in state["_buffers"].items()}

    def fail(self, message: str) -> NoReturn:
        """Refuse the file."""
        raise FormatError(message, self.path)

    # ---- container and JSON ------------------------------------------------------------------

    def _open(self, data: bytes) -> memoryview:
        """The JSON of a GLB; its other chunks are kept in order as (kind, bytes)."""
        if len(data) < 20:
            self.fail("ends within its header")
        version, length = struct.unpack_from("<II", data, 4)
        if version != 2:
            self.fail(f"is GLB version {version}; limbik reads version 2")
        if length > len(data):
            self.fail(f"is cut short: {len(data):,} of {length:,} bytes")
        view, at, text = memoryview(data)[:length], 12, None
        while at + 8 <= length:
            size, kind = struct.unpack_from("<II", data, at)
            if at + 8 + size > length:
                self.fail(f"has a chunk of {size:,} bytes that reaches beyond its end")
            chunk = view[at + 8 : at + 8 + size]
            if text is None:
                if kind != JSON_CHUNK:
                    self.fail("does not begin with its JSON")
                text = chunk
            else:
                if len(self.chunks) >= MAX_ENTRIES:
                    self.fail(f"has more than {MAX_ENTRIES:,} chunks")
                self.chunks.append((kind, chunk))
            at += 8 + size
        if text is None:
            self.fail("has no JSON")
        return text

    def _parse(self, text: memoryview) -> dict[str, Any]:
        raw = bytes(text)
        # Empty lists and objects take thirty times the room of their two letters.
        objects, lists, values = raw.count(b"{"), raw.count(b"["), raw.count(b",")
        takes = 240 * objects + 64 * lists + 60 * values + 100 * raw.count(b":")
        if takes > _ROOM + 4 * self.size:
            self.fail("has more JSON than any model needs")
        try:
            found = json.loads(raw, parse_constant=self._constant)
        except RecursionError:
            self.fail("has JSON that is nested too deeply")
        except UnicodeDecodeError:
            self.fail("is not glTF: neither binary glTF nor JSON in UTF-8")
        except ValueError as error:
            self.fail(f"is not glTF: {shown(str(error))}")
        if not isinstance(found, dict):
            self.fail("is not glTF: its JSON is no object")
        return found

    def _constant(self, word: str) -> NoReturn:
        self.fail(f"has {word}, which is not JSON")

    # ---- what the JSON says ------------------------------------------------------------------

    def count(self, kind: str) -> int:
        """How many "nodes", "skins", ... there are."""
        return len(self.entries(kind))

    def entries(self, kind: str) -> list[Any]:
        """The list of "nodes", "skins", ..., empty where there is none."""
        return self.listed(self.json, kind, kind)

    def listed(self, holder: dict[str, Any], key: str, what: str) -> list[Any]:
        """A list in an object, empty where there is none."""
        found = holder.get(key, [])
        if not isinstance(found, list):
            self.fail(f"{what}: is not a list")
        if len(found) > MAX_ENTRIES:
            self.fail(f"{what}: has more than {MAX_ENTRIES:,} entries")
        return found

    def entry(self, kind: str, index: Any) -> dict[str, Any]:
        """One of the "nodes", "skins", ... by its number."""
        entries = self.entries(kind)
        at = self.whole_number(index, kind, 0, len(entries) - 1)
        return self.object(entries[at], f"{kind} {at}")

    def object(self, found: Any, what: str) -> dict[str, Any]:
        """``found``, which must be a JSON object."""
        if not isinstance(found, dict):
            self.fail(f"{what}: is not an object")
        return found

    def whole_number(self, value: Any, what: str, low: int = 0, high: int | None = None) -> int:
        """``value``, which must be a whole number from ``low`` to ``high``."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            self.fail(f"{what}: needs a whole number, found {_brief(value)}")
        if value < low or (high is not None and value > high):
            room = f"from {low} to {high}" if high is not None and high >= low else f"from {low}"
            there = "there is none" if high is not None and high < low else f"must be {room}"
            self.fail(f"{what}: {_brief(value)} is out of range; {there}")
        return value

    def numbers(
        self, holder: dict[str, Any], key: str, otherwise: Sequence[float], what: str
    ) -> list[float]:
        """As many finite numbers as ``otherwise`` has, which stands in where there are none."""
        found = holder.get(key)
        if found is None:
            return list(otherwise)
        if not isinstance(found, list) or len(found) != len(otherwise):
            self.fail(f"{what}: its {key} needs {len(otherwise)} numbers")
        values: list[float] = []
        for value in found:
            plain = isinstance(value, int | float) and not isinstance(value, bool)
            try:
                number = float(value) if plain else math.nan
            except OverflowError:
                number = math.inf
            if not math.isfinite(number):
                self.fail(f"{what}: its {key} has {_brief(value)}, which is not a finite number")
            values.append(number)
        return values

    def name(self, entry: dict[str, Any]) -> str:
        """What an entry is called, "" where it is not."""
        found = entry.get("name")
        return found.encode("utf-8", "replace").decode() if isinstance(found, str) else ""

    # ---- buffers -----------------------------------------------------------------------------

    def buffer(self, index: Any) -> memoryview:
        """The bytes of a buffer: in the GLB, in the JSON, or in a file of the same folder."""
        at = self.whole_number(index, "buffers", 0, self.count("buffers") - 1)
        if at not in self._buffers:
            entry = self.entry("buffers", at)
            length = self.whole_number(entry.get("byteLength"), f"buffer {at}: its byteLength", 1)
            data = self._bytes(entry.get("uri"), at, length)
            if len(data) < length:
                self.fail(f"buffer {at}: has {len(data):,} of {length:,} bytes")
            self._buffers[at] = data[:length]
        return self._buffers[at]

    def spend(self, size: int, what: str) -> None:
        """Count bytes that are looked at: many accessors on the same bytes cost more time than a
        file of that size ever should, and are refused."""
        self._spent += size
        if self._spent > _AGAIN * self.size + _ROOM:
            self.fail(f"{what}: its bytes are used over and over")

    def _bytes(self, uri: Any, at: int, length: int) -> memoryview:
        if uri is None:
            if at == 0 and self.chunks and self.chunks[0][0] == BIN_CHUNK:
                return self.chunks[0][1]
            self.fail(f"buffer {at}: its bytes are not in the file")
        return self.resource(uri, f"buffer {at}", length)

    def resource(self, uri: Any, what: str, length: int | None = None) -> memoryview:
        """The bytes behind an address: a data URI, or a file inside this file's folder."""
        if not isinstance(uri, str):
            self.fail(f"{what}: its uri is not text")
        if uri.startswith("data:"):
            head, comma, body = uri.partition(",")
            if not comma or not head.endswith(";base64"):
                self.fail(f"{what}: its data URI is not base64")
            try:
                return memoryview(base64.b64decode(body, validate=True))
            except (binascii.Error, ValueError):
                self.fail(f"{what}: its data URI is not base64")
        file = self.beside(uri, what)
        if length is not None and file.stat().st_size < length:
            self.fail(f"{what}: {shown(uri)} has fewer than {length:,} bytes")
        if file not in self._files:
            self._files[file] = memoryview(read_bytes(file))
            self.size += len(self._files[file])
        return self._files[file]

    def beside(self, uri: str, what: str) -> Path:
        """The file an address names; anything outside this file's folder is refused."""
        folder = self.path.parent.resolve()
        named = unquote(uri)
        # Half of a pair of UTF-16 ("\ud800" in the JSON) is no letter that a path can have.
        unwritable = named != named.encode("utf-8", "replace").decode()
        outside = _SCHEME.match(named) or "\\" in named or "\0" in named or unwritable
        file = folder if outside else (folder / named).resolve()
        if outside or folder not in file.parents:
            self.fail(f"{what}: {shown(uri)} is outside the file's folder, which is refused")
        try:
            there = file.is_file()
        except OSError:
            there = False
        if not there:
            self.fail(f"{what}: there is no file {shown(uri)} beside it")
        return file


def read_document(path: Path) -> Document:
    """The glTF file at a path."""
    return Document(read_bytes(path), path)


def unique_names(names: Sequence[str]) -> list[str]:
    """The names with numbers where one was used before: "Hand", "Hand_2", "Hand_3"."""
    taken, uses = set(names), dict[str, int]()
    out: list[str] = []
    for name in names:
        uses[name] = number = uses.get(name, 0) + 1
        fresh = name
        while number > 1 and (fresh := f"{name}_{uses[name]}") in taken:
            uses[name] += 1
        taken.add(fresh)
        out.append(fresh)
    return out


def _brief(value: Any) -> str:
    """A JSON value for a message: short, and without printing a number of a million digits."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**18:
        return "a huge number"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return shown(value) if isinstance(value, str) else str(value)
