"""One open session and its client."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from limbik.poser.editing.session import Session
from limbik.poser.protocol.text import note

LONGEST_REASON = 123  # bytes that a websocket carries when it closes
GONE = (RuntimeError, WebSocketDisconnect)
"""What sending raises when the client has gone meanwhile, which its own loop notices."""

OUR_MISTAKE = 1011
"""Close code of a websocket where the server failed; the page comes back by itself."""

log = logging.getLogger("limbik.poser")


class OpenSession:
    """An open session, or one that is being opened while ``session`` is None.

    ``lock`` is held by whatever uses the session, so that messages come one after the other;
    ``held`` keeps it open without a client; ``saved`` is the count of changes that is on disk;
    ``notes`` are sentences that its next client has to be told.
    """

    def __init__(self, id: str) -> None:
        self.id = id
        self.session: Session | None = None
        self.client: WebSocket | None = None
        self.lock, self.saving, self.uploading = asyncio.Lock(), asyncio.Lock(), asyncio.Lock()
        self.held = self.complained = False
        self.saved = 0
        self.notes: list[str] = []

    @property
    def unsaved(self) -> bool:
        """Whether something changed since it was saved."""
        return self.session is not None and self.session.dirty != self.saved


def mistake(error: Exception) -> str:
    """What a person is told of an error that nobody foresaw."""
    return f"limbik made a mistake ({type(error).__name__}: {error!s:.60}); what you did is kept."


async def close(client: WebSocket, code: int, reason: str) -> None:
    """Close a client with a sentence."""
    if len(reason.encode()) > LONGEST_REASON:
        reason = reason.encode()[: LONGEST_REASON - 3].decode(errors="ignore") + "…"
    with suppress(*GONE):
        await client.close(code, reason)


async def send_note(client: WebSocket | None, sentence: str) -> None:
    """A sentence to show for a moment."""
    if client is not None:
        await send(client, note(sentence))


async def send(client: WebSocket, message: str | bytes) -> None:
    """A message that nobody asked for."""
    with suppress(*GONE):
        if isinstance(message, str):
            await client.send_text(message)
        else:
            await client.send_bytes(message)
