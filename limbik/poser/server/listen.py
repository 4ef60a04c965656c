"""Listening: a port that is free, the address to open, and a server that runs until it is told."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from limbik.errors import LimbikError
from limbik.poser.editing.session import Session
from limbik.poser.protocol.text import MOST_TEXT
from limbik.poser.server.app import application
from limbik.poser.server.connection_limits import BACKLOG, IDLE, BoundedProtocol
from limbik.poser.server.guard import is_loopback, new_token
from limbik.poser.server.session_registry import SessionRegistry
from limbik.poser.server.store import Store

PORT = 8765
_TRIED = 50  # ports after it, where nobody asked for a certain one


class PortError(LimbikError):
    """An address that the server cannot listen on."""


class PoserServer:
    """A poser that listens from the start and answers while ``run`` (or ``start``) lasts.

    ``fresh`` makes a session for whoever comes without one.  ``port`` None takes 8765 or the next
    that is free, 0 any.  Beyond this machine (``host`` not of the loopback) a token is asked for,
    which ``url`` has.
    """

    def __init__(
        self,
        fresh: Callable[[str, Path], Session],
        *,
        host: str = "127.0.0.1",
        port: int | None = 0,
        store: Store | None = None,
    ) -> None:
        self.socket = listening(host, port)
        self.port: int = self.socket.getsockname()[1]
        self.token = None if is_loopback(host) else new_token()
        self.sessions = SessionRegistry(store or Store(), fresh)
        self.host = host
        self.config = uvicorn.Config(
            application(self.sessions, host=host, port=self.port, token=self.token),
            http=BoundedProtocol,
            backlog=BACKLOG,
            timeout_keep_alive=int(IDLE),
            log_config=None,
            log_level="critical",  # what clients do wrong is no news; our own mistakes we log
            access_log=False,
            ws_max_size=MOST_TEXT,
            ws_per_message_deflate=False,  # a pose is small, and packing it costs more than sending
            ws_ping_interval=15.0,
            ws_ping_timeout=45.0,  # a method compiles for 20 s while its client waits
            lifespan="on",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=0,  # what is open then is saved when the lifespan ends
        )
        self._server = uvicorn.Server(self.config)
        self._thread: threading.Thread | None = None

    @property
    def place(self) -> str:
        """The address without a token: http://127.0.0.1:8765/."""
        name = seen_as(self.host)
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}/"

    @property
    def url(self) -> str:
        """The address to open."""
        return self.place if self.token is None else f"{self.place}?token={self.token}"

    def run(self) -> None:
        """Serve in this thread until Ctrl-C, which comes out as KeyboardInterrupt, or ``stop``."""
        self._server.run(sockets=[self.socket])

    def start(self) -> None:
        """Serve in a thread of its own; returns when it answers."""
        self._thread = threading.Thread(target=self.run, name="limbik-poser", daemon=True)
        self._thread.start()
        while not self._server.started:
            if not self._thread.is_alive():
                raise LimbikError(f"The server at {self.place} ended before it began.")
            time.sleep(0.005)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop in which it serves."""
        if self.sessions.loop is None:
            raise LimbikError(f"The server at {self.place} does not run.")
        return self.sessions.loop

    def stop(self, wait: float = 5.0) -> None:
        """Save every session and stop; waits at most so many seconds for it."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(wait)


def listening(host: str, port: int | None) -> socket.socket:
    """A socket that listens; connections wait in it until somebody serves."""
    wanted = [PORT + k for k in range(_TRIED)] + [0] if port is None else [port]
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise PortError(f'There is no address "{host}" to listen on: {error}.') from error
    refused: OSError | None = None
    for number in wanted:
        found = socket.socket(family, kind, protocol)
        try:
            if os.name == "nt":
                found.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE"), 1)  # noqa: B009
            else:
                found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind((address[0], number, *address[2:]))
            found.listen(128)
        except OSError as error:
            found.close()
            refused = error
            continue
        found.setblocking(False)
        return found
    why = refused.strerror if refused is not None else "none is free"
    raise PortError(
        f"Port {port} of {host} cannot be used ({why}): "
        "choose another with --port, or leave it out to get the next one that is free."
    ) from refused


def seen_as(host: str) -> str:
    """The name under which a server bound to ``host`` is reached."""
    if host not in ("0.0.0.0", "::", ""):
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: this only asks which of our addresses leads outside.
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


def open_browser(url: str) -> None:
    """Show an address in the person's browser, where there is a screen for one."""
    if sys.platform.startswith("linux"):
        shown = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
        if not shown and "WSL_DISTRO_NAME" not in os.environ:
            return  # Python would take a browser in the terminal, over our own words
    # Some browsers keep the call until they are closed.
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
