"""How many connections a server keeps, and for how long those that say nothing.

A connection costs a file descriptor.  Where these run out nobody else is served, so that their
number is limited, and a client that does not go on with its request is closed.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

try:
    import resource
except ImportError:  # Windows, which has no such limit
    resource = None

IDLE = 5.0
"""Seconds that a client has for the head of its request, and between two parts of what follows."""

MOST_CONNECTIONS = 256
BACKLOG = 64  # connections that are taken in one go, before any of them can be closed
_MESSAGES = 1_000  # different errors that are logged


def most_connections() -> int:
    """How many connections are kept: at most half of the files that this process may open."""
    if resource is None:
        return MOST_CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if soft < 0 else max(8, min(MOST_CONNECTIONS, soft // 2 - BACKLOG))


class BoundedProtocol(H11Protocol):
    """HTTP of one connection; it ends when there are too many, or when its client falls silent."""

    _last = 0.0
    _check: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A client has connected."""
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            transport.abort()
            return
        self._last = self.loop.time()
        self._check = self.loop.call_later(IDLE, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        if self._check is not None:
            self._check.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes have come; those of a head, a few at a time, do not make it last longer."""
        if self._answering:
            self._last = self.loop.time()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """An answer was sent; the next request begins."""
        self._last = self.loop.time()
        super().on_response_complete()

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _close_if_idle(self) -> None:
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return  # or it is a websocket now, which is asked now and then whether it is there
        ours = self._answering and (not self.cycle.more_body or self.flow.read_paused)
        now = self.loop.time()
        if ours:
            self._last = now
        elif now - self._last >= IDLE:
            self.transport.abort()
            return
        self._check = self.loop.call_later(self._last + IDLE - now, self._close_if_idle)


class Once(logging.Filter):
    """Lets every message through once: what goes wrong a thousand times a second fills no disk."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[tuple[str, str]] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a message is new."""
        error = record.exc_info[1] if record.exc_info else None
        key = record.getMessage(), f"{type(error).__name__} {error}"
        if key in self._seen or len(self._seen) >= _MESSAGES:
            return False
        self._seen.add(key)
        return True


def log_errors_of(loop: asyncio.AbstractEventLoop, log: logging.Logger) -> None:
    """Send to ``log`` what goes wrong in an event loop outside of anybody's task."""

    def handler(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        log.error("%s", context["message"], exc_info=context.get("exception"))

    loop.set_exception_handler(handler)
