"""Uploads: a file that a person opens goes into the folder of the session, whole or not at all."""

from __future__ import annotations

import asyncio
import os
import tempfile
import unicodedata
from pathlib import Path

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from limbik.errors import LimbikError
from limbik.poser.editing.page_messages import LARGEST_FILE
from limbik.poser.server.open_session import OpenSession
from limbik.poser.server.session_registry import SessionRegistry

LARGEST_SESSION = 400_000_000
"""Bytes that all files of a session may have together."""

MOST_FILES = 64
LONGEST_NAME = 200  # bytes; file systems allow 255, and readers make names out of names

_BLOCK = 1 << 20
_PATIENCE = 5.0  # seconds that the rest of a refused upload is read and thrown away
_DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{p}{n}" for p in ("com", "lpt") for n in range(10)),
}


class UploadError(LimbikError):
    """An upload that is refused, with the HTTP status that says so."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def checked_name(name: str) -> str:
    """The name of an uploaded file, which must be a plain name on every system."""
    if not name or len(name.encode(errors="replace")) > LONGEST_NAME:
        raise UploadError(400, f"The name of a file must have 1 to {LONGEST_NAME} bytes.")
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name):
        raise UploadError(400, "The name of a file must not have control characters.")
    if set(name) & set('/\\:*?"<>|') or name.startswith(".") or name.endswith((".", " ")):
        raise UploadError(400, f'"{name}" cannot be the name of a file here; rename it first.')
    if name.split(".")[0].strip().lower() in _DEVICES:
        raise UploadError(400, f'"{name}" names a device on some systems; rename it first.')
    return name


async def upload(request: Request, sessions: SessionRegistry) -> Response:
    """PUT /files/{session}/{name}: 201 with {"name", "bytes"}, or a status with a sentence."""
    open_session = sessions.get(request.path_params["session"])
    try:
        if open_session is None or open_session.session is None:
            raise UploadError(404, "This session is not open; reload the page.")
        name = checked_name(request.path_params["name"])
        # One after the other, so that each finds the space that those before it left.
        async with open_session.uploading:
            size = await _received(request, open_session, sessions, name)
    except UploadError as error:
        await _drain(request)
        return PlainTextResponse(str(error), error.status, {"Connection": "close"})
    except ClientDisconnect:
        return Response(status_code=400)  # nobody is left to read it
    return JSONResponse({"name": name, "bytes": size}, 201)


async def _received(
    request: Request, open_session: OpenSession, sessions: SessionRegistry, name: str
) -> int:
    assert open_session.session is not None
    folder = open_session.session.folder
    others, size = await sessions.workers.do(space_taken, folder, name)
    if others + 1 > MOST_FILES:
        raise UploadError(413, f"At most {MOST_FILES} files can be opened together.")
    room = min(LARGEST_FILE, LARGEST_SESSION - size)
    length = request.headers.get("content-length", "0")
    _check_room(int(length) if length.isascii() and length.isdigit() else 0, room, name)
    try:
        return await _written(request, sessions, folder, name, room)
    except OSError as error:
        raise UploadError(507, f'"{name}" cannot be stored: {error.strerror}.') from error


async def _written(
    request: Request, sessions: SessionRegistry, folder: Path, name: str, room: int
) -> int:
    handle, temporary = tempfile.mkstemp(prefix=".upload-", dir=folder)
    received = 0
    try:
        with os.fdopen(handle, "wb") as file:
            waiting = bytearray()
            async for chunk in request.stream():
                waiting += chunk
                received += len(chunk)
                _check_room(received, room, name)
                if len(waiting) >= _BLOCK:
                    await sessions.workers.do(file.write, bytes(waiting))
                    waiting.clear()
            await sessions.workers.do(file.write, bytes(waiting))
        Path(temporary).replace(folder / name)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return received


def _check_room(size: int, room: int, name: str) -> None:
    if size > LARGEST_FILE:
        raise UploadError(413, f'"{name}" is larger than the {LARGEST_FILE // 10**6} MB allowed.')
    if size > room:
        raise UploadError(
            413,
            f"The files of a session may have {LARGEST_SESSION // 10**6} MB together; open another "
            "window to start anew.",
        )


def space_taken(folder: Path, but: str) -> tuple[int, int]:
    """Number of the files uploaded to a folder and not opened yet, and the bytes of all below it,
    without the one that is about to be replaced."""
    count = size = 0
    for path in folder.rglob("*"):
        if path.name.startswith(".upload-") or path == folder / but:
            continue
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue  # another opening has just moved it
        if path.is_file():
            count += path.parent == folder
            size += status.st_size
    return count, size


async def _drain(request: Request) -> None:
    """Read what is still coming: a browser shows no answer before it has sent everything."""
    try:
        async with asyncio.timeout(_PATIENCE):
            async for _ in request.stream():
                pass
    except (TimeoutError, ClientDisconnect, RuntimeError):
        return  # RuntimeError: it was read to its end before
