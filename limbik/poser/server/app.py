"""The server: the page, one websocket a client, uploads and downloads.

Python holds the truth and solves; the page draws.  What a client sends is answered before its next
message is looked at, so that nothing is ever queued here: the page keeps one drag in flight.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from limbik.errors import LimbikError
from limbik.poser import building
from limbik.poser.editing.session import Session
from limbik.poser.files.prop_mesh import prop_mesh
from limbik.poser.files.save import saved_as
from limbik.poser.protocol.mesh_bytes import mesh_bytes
from limbik.poser.protocol.origin_bytes import origin_bytes
from limbik.poser.protocol.page_state import origin_id
from limbik.poser.protocol.text import ProtocolError
from limbik.poser.server.connection_limits import Once, log_errors_of
from limbik.poser.server.guard import Guard
from limbik.poser.server.open_session import (
    OUR_MISTAKE,
    OpenSession,
    close,
    log,
    mistake,
    send_note,
)
from limbik.poser.server.session_registry import SessionRegistry, TooManyError
from limbik.poser.server.uploads import upload

_TYPES = {
    "index.html": "text/html; charset=utf-8",
    "poser.js": "text/javascript; charset=utf-8",
    "poser.css": "text/css; charset=utf-8",
    "LICENSES.txt": "text/plain; charset=utf-8",
}
WRONG_MESSAGE, TRY_LATER = 1008, 1013
"""Close codes of websockets that we use, besides those of the other modules."""


def application(
    sessions: SessionRegistry, *, host: str = "127.0.0.1", port: int, token: str | None = None
) -> ASGIApp:
    """The ASGI application; ``host`` and ``port`` are what it is bound to."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        keeping = asyncio.create_task(sessions.keep())
        once = Once()
        log.addFilter(once)
        log_errors_of(asyncio.get_running_loop(), log)
        try:
            yield
        finally:
            log.removeFilter(once)
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            await sessions.close()

    routes = [
        Route("/", partial(_page, name="index.html")),
        *(Route(f"/{name}", partial(_page, name=name)) for name in _TYPES),
        Route("/files/{session}/{name}", partial(upload, sessions=sessions), methods=["PUT"]),
        Route("/save/{session}/{kind}", partial(_save, sessions=sessions), methods=["GET"]),
        Route("/mesh/{session}/{figure:int}", partial(_mesh, sessions=sessions), methods=["GET"]),
        Route("/origin/{session}/{id:int}", partial(_origin, sessions=sessions), methods=["GET"]),
        Route("/prop/{session}/{prop:int}", partial(_prop, sessions=sessions), methods=["GET"]),
        Route("/library/{session}/{pose}", partial(_picture, sessions=sessions), methods=["GET"]),
        WebSocketRoute("/ws", partial(_talk, sessions=sessions)),
    ]
    starlette = Starlette(
        routes=routes, lifespan=lifespan, exception_handlers={Exception: _our_mistake}
    )
    return Guard(starlette, host, port, token)


async def _our_mistake(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return PlainTextResponse("limbik made a mistake; what you did is kept.", 500)


async def _page(_: Request, name: str) -> Response:
    if not building.stands():
        return PlainTextResponse(building.advice(), 503)
    return FileResponse(building.PAGE / name, media_type=_TYPES[name])


# ---- one client --------------------------------------------------------------------------------


async def _talk(client: WebSocket, sessions: SessionRegistry) -> None:
    """The websocket of one client, from its greeting to its end."""
    await client.accept()
    open_session: OpenSession | None = None
    try:
        with _note_after_a_second(client, sessions):
            open_session = await sessions.enter(client.query_params.get("session", ""), client)
        await _greet(client, open_session, sessions)
        await _answer_all(client, open_session, sessions)
    except WebSocketDisconnect:
        pass  # an answer was on its way to somebody who has gone
    except ProtocolError as error:
        await close(client, WRONG_MESSAGE, str(error))
    except TooManyError as error:
        await close(client, TRY_LATER, str(error))
    except LimbikError as error:
        await close(client, OUR_MISTAKE, str(error))
    except Exception as error:
        log.exception("a client was closed by a mistake of limbik")
        await close(client, OUR_MISTAKE, mistake(error))
    finally:
        if open_session is not None:
            await sessions.leave(open_session, client)


@contextmanager
def _note_after_a_second(client: WebSocket, sessions: SessionRegistry) -> Iterator[None]:
    """Tell a client why it waits, where it does."""
    sentence = "Opening the figure. The first time limbik compiles itself, for a minute or two."
    timer = asyncio.get_running_loop().call_later(
        1.0, lambda: sessions.workers.later(send_note(client, sentence))
    )
    try:
        yield
    finally:
        timer.cancel()


async def _greet(client: WebSocket, open_session: OpenSession, sessions: SessionRegistry) -> None:
    async with open_session.lock:
        if open_session.client is not client or open_session.session is None:
            return
        greeting = await sessions.workers.do(open_session.session.greeting)
    await _send(client, greeting)
    while open_session.notes:
        await send_note(client, open_session.notes.pop(0))


async def _answer_all(
    client: WebSocket, open_session: OpenSession, sessions: SessionRegistry
) -> None:
    while client.application_state is WebSocketState.CONNECTED:
        message: Any = await client.receive()
        if message["type"] == "websocket.disconnect":
            return
        received = message.get("bytes")
        received = message["text"] if received is None else received
        answers = await sessions.receive(open_session, client, received)
        if answers is None:
            return  # opened in another window, which has closed this one
        await _send(client, answers)


async def _send(client: WebSocket, answers: list[str | bytes]) -> None:
    for answer in answers:
        if client.application_state is not WebSocketState.CONNECTED:
            return  # closed meanwhile, by another window that opened the session
        if isinstance(answer, str):
            await client.send_text(answer)
        else:
            await client.send_bytes(answer)


# ---- downloads ---------------------------------------------------------------------------------


@asynccontextmanager
async def _locked(request: Request, sessions: SessionRegistry) -> AsyncIterator[Session]:
    """The session that a request names, with its lock held; 404 where it is not open."""
    open_session = sessions.get(request.path_params["session"])
    if open_session is None or open_session.session is None:
        raise HTTPException(404, "This session is not open; reload the page.")
    async with open_session.lock:
        yield open_session.session


async def _save(request: Request, sessions: SessionRegistry) -> Response:
    try:
        async with _locked(request, sessions) as session:
            file = await sessions.workers.do(saved_as, session, request.path_params["kind"])
    except LimbikError as error:
        return PlainTextResponse(str(error), 400)
    return Response(file.data, media_type=file.media_type, headers=_attached(file.name))


def _attached(name: str) -> dict[str, str]:
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\%' else "_" for c in name)
    value = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    return {"Content-Disposition": value}


async def _mesh(request: Request, sessions: SessionRegistry) -> Response:
    async with _locked(request, sessions) as session:
        meshes = session.meshes_of(request.path_params["figure"])
        if not meshes:
            return PlainTextResponse("This figure has no mesh, or is no longer open.", 404)
        data = await sessions.workers.do(mesh_bytes, meshes)
    return Response(data, media_type="application/octet-stream")


async def _prop(request: Request, sessions: SessionRegistry) -> Response:
    async with _locked(request, sessions) as session:
        prop = session.document.scene.prop(request.path_params["prop"])
        if prop is None or not prop.file:
            return PlainTextResponse("There is no such mesh any more.", 404)
        try:
            mesh = await sessions.workers.do(prop_mesh, session.folder / prop.file)
            data = await sessions.workers.do(mesh_bytes, mesh.pieces)
        except (LimbikError, OSError) as error:
            return PlainTextResponse(str(error), 400)
    return Response(data, media_type="application/octet-stream")


async def _origin(request: Request, sessions: SessionRegistry) -> Response:
    """The motion that the clip was retargeted from."""
    async with _locked(request, sessions) as session:
        origin = session.document.origin
        if origin is None or origin_id(origin) != request.path_params["id"]:
            return PlainTextResponse("This clip is no longer open.", 404)
        data = await sessions.workers.do(
            lambda: origin_bytes(origin, session.figure_cache.opened(origin.source))
        )
    return Response(data, media_type="application/octet-stream")


async def _picture(request: Request, sessions: SessionRegistry) -> Response:
    """The picture of a pose in the library, for a page that is open."""
    if sessions.get(request.path_params["session"]) is None:
        return PlainTextResponse("This session is not open; reload the page.", 404)
    try:
        data, kind = await sessions.workers.do(
            sessions.library.picture, request.path_params["pose"]
        )
    except LimbikError as error:
        return PlainTextResponse(str(error), 404)
    return Response(data, media_type=kind)
