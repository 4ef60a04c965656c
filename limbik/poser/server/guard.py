"""Who may talk to the server, and what browsers may do with its answers.

Other pages in the same browser can reach a server on this machine.  Three checks keep them out:
the Host must be this server's (a foreign name that was made to lead here is refused), the Origin
must be the page that this server gave, and beyond this machine a token must be shown.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
FRAMED_BY = "'self' http://localhost:* http://127.0.0.1:*"
"""Pages that may show the poser in a frame: notebooks of this machine."""

PRIVATE = ("/save/", "/mesh/", "/files/", "/ws")
"""Paths with what a person made: nobody else's page may ask for them, and nothing is kept."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server bound to that host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """A token that nobody can guess, 192 bits."""
    return secrets.token_urlsafe(24)


class Guard:
    """Stands before the application; refuses with a sentence, and adds headers to every answer.

    ``host`` is what the server is bound to.  ``token`` is None where none is asked for.  ``port``
    only names the cookie, because a browser sends cookies to every port of a host: a tunnel may
    well show the server under another port, and then Host and Origin still agree.
    """

    def __init__(self, app: ASGIApp, host: str, port: int, token: str | None) -> None:
        self.app, self.token = app, token
        self.cookie = f"limbik_{port}"
        self.names = LOCAL_NAMES | {host.lower(), socket.gethostname().lower()}
        self.everywhere = host in ("0.0.0.0", "::", "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        status, sentence = self._refusal(scope, headers)
        if status:
            await refuse(scope, receive, send, status, sentence)
            return
        given = _query(scope, "token") is not None

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                self._protect(out, scope["path"], headers["host"])
                if self.token is not None and given:
                    cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
                    out.append("Set-Cookie", cookie)
            await send(message)

        await self.app(scope, receive, send_guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str]:
        """HTTP status and sentence; 0 where nothing is refused."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self.knows(hosts[0]):
            return 403, f"This server does not answer to the name {' '.join(hosts)[:80]!r}."
        private = scope["path"].startswith(PRIVATE)
        needs_origin = scope["type"] == "websocket" or scope.get("method") not in ("GET", "HEAD")
        if private and (needs_origin or origins) and not _same_place(origins, hosts[0]):
            origin = " ".join(origins)[:80] or "one without a name"
            return (
                403,
                f"Only the page of this server may do this, not {origin}.",
            )
        if private and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "Only the page of this server may do this, not another site."
        if self.token is not None and not self._shows_token(scope, headers):
            return 401, (
                "This server asks for a token: open the address that limbik printed when it "
                "started, with ?token= and what follows."
            )
        return 0, ""

    def knows(self, host: str) -> bool:
        """Whether a Host header means this server.

        A number cannot be made to lead elsewhere, so that where the server listens everywhere any
        number will do.
        """
        name = _host_name(host)
        if name is None:
            return False
        if name in self.names:
            return True
        if not self.everywhere:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _shows_token(self, scope: Scope, headers: Headers) -> bool:
        shown = [_query(scope, "token"), *_cookies(headers.getlist("cookie"), self.cookie)]
        wanted = (self.token or "").encode()
        # In a time that does not depend on where the two differ.
        return any(hmac.compare_digest((one or "").encode(), wanted) for one in shown)

    def _protect(self, headers: MutableHeaders, path: str, host: str) -> None:
        headers["Content-Security-Policy"] = (
            "default-src 'self'; img-src 'self' blob: data:; "
            # Some browsers do not count a websocket of the same place as 'self'.
            f"connect-src 'self' blob: data: ws://{host}; worker-src 'self' blob:; "
            "object-src 'none'; base-uri 'none'; form-action 'none'; "
            f"frame-ancestors {FRAMED_BY}"
        )
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        headers["Cache-Control"] = "no-store" if path.startswith(PRIVATE) else "no-cache"


async def refuse(scope: Scope, receive: Receive, send: Send, status: int, sentence: str) -> None:
    """Answer with a status and a sentence; a websocket is never opened."""
    prefix = "http.response"
    if scope["type"] == "websocket":
        await receive()  # websocket.connect
        prefix = "websocket.http.response"
        if prefix not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008})  # an HTTP 403 before it is open
            return
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"x-content-type-options", b"nosniff"),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": f"{prefix}.start", "status": status, "headers": headers})
    await send({"type": f"{prefix}.body", "body": (sentence + "\n").encode()})


def _host_name(host: str) -> str | None:
    """The name in a Host header without its port, None where it is malformed."""
    try:
        parts = urlsplit(f"//{host}")
        name, _ = parts.hostname, parts.port
    except ValueError:
        return None
    plain = parts.netloc == host and not parts.username and parts.password is None
    return name if plain and "@" not in host else None


def _same_place(origins: list[str], host: str) -> bool:
    """Whether an Origin header names the host that was asked, under the scheme of this server."""
    return len(origins) == 1 and origins[0].lower() in (
        f"http://{host.lower()}",
        f"https://{host.lower()}",  # behind something that speaks TLS for us
    )


def _query(scope: Scope, name: str) -> str | None:
    for pair in scope["query_string"].decode("latin-1").split("&"):
        key, _, value = pair.partition("=")
        if key == name:
            return unquote(value)
    return None


def _cookies(headers: Iterable[str], name: str) -> list[str]:
    """Values of a cookie; those of other servers, which may be malformed, do not matter."""
    pairs = (pair.strip().partition("=") for header in headers for pair in header.split(";"))
    return [value for key, _, value in pairs if key == name]
