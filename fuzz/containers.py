"""GLB and NPZ files taken apart and put together again, with lengths and checksums made right."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from typing import Any


def packed(model: Any, blob: bytes) -> bytes:
    """JSON and bytes as a GLB."""
    text = json.dumps(model).encode()
    text += b" " * (-len(text) % 4)
    blob += b"\0" * (-len(blob) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text
    if blob:
        body += struct.pack("<I4s", len(blob), b"BIN\0") + blob
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def unpacked(data: bytes) -> tuple[Any, bytes]:
    """The JSON and the bytes of a GLB; ValueError where it is none."""
    if data[:4] != b"glTF" or len(data) < 20:
        raise ValueError("not a GLB")
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def zipped(members: dict[str, bytes], squeeze: bool = False) -> bytes:
    """Files as a ZIP archive, which NPZ is."""
    out = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if squeeze else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def unzipped(data: bytes) -> dict[str, bytes]:
    """The files of a ZIP archive; ValueError where it is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except Exception as error:  # zipfile raises a dozen kinds for broken archives
        raise ValueError("not a ZIP archive") from error
