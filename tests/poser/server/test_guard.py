"""Who may not talk to the server: other pages, other names, those without the token."""

from __future__ import annotations

import socket
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from helpers.poser.poser_client import HAND, WAIT, client
from limbik.poser.server.listen import PoserServer
from limbik.poser.server.store import Store
from limbik.poser.startup import First


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://127.0.0.1:1", "null", "http://127.0.0.1", None, "file://", ""],
)
def test_a_foreign_origin_is_refused(server: PoserServer, origin: str | None) -> None:
    place = urlsplit(server.url).netloc
    with pytest.raises(InvalidStatus) as caught:
        connect(f"ws://{place}/ws", origin=origin)  # type: ignore[arg-type]
    assert caught.value.response.status_code == 403
    headers = {} if origin is None else {"Origin": origin}
    with client(server.url) as page:
        put = httpx.put(f"{server.url}files/{page.session}/a.bvh", content=b"x", headers=headers)
        assert put.status_code == 403
        if origin is not None:
            for path in (f"save/{page.session}/bvh", f"mesh/{page.session}/1"):
                assert httpx.get(server.url + path, headers=headers).status_code == 403


def test_another_site_cannot_download(server: PoserServer) -> None:
    with client(server.url) as page:
        path = f"{server.url}save/{page.session}/json"
        assert httpx.get(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
        assert httpx.get(path, headers={"Sec-Fetch-Site": "same-site"}).status_code == 403
        assert httpx.get(path, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:{}", "127.0.0.1.evil.example:{}", "1.2.3.4:{}", "[::1",
        "user@127.0.0.1:{}", "127.0.0.1:{}/x", "127.0.0.1:port", "",
    ],
)  # fmt: skip
def test_a_name_made_to_lead_here_is_refused(server: PoserServer, host: str) -> None:
    host = host.format(server.port)
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert raw.recv(100).split()[1] in (b"403", b"400")
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(
            f"GET /ws HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        assert raw.recv(100).split()[1] in (b"403", b"400")


@pytest.mark.parametrize("host", ["localhost:{}", "127.0.0.1:{}", "LOCALHOST:{}", "localhost:9000"])
def test_our_own_names_are_answered(server: PoserServer, host: str) -> None:
    host = host.format(server.port)
    assert httpx.get(server.url, headers={"Host": host}).status_code == 200


def test_what_browsers_may_do_with_the_page(server: PoserServer) -> None:
    page = httpx.get(server.url)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    policy = dict(
        part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == "'self' http://localhost:* http://127.0.0.1:*"
    assert "unsafe" not in str(policy)
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "javascript" in httpx.get(f"{server.url}poser.js").headers["content-type"]
    assert "css" in httpx.get(f"{server.url}poser.css").headers["content-type"]
    assert httpx.get(f"{server.url}built-from.txt").status_code == 404
    assert httpx.get(f"{server.url}../server/app.py").status_code == 404
    with client(server.url) as open_page:
        saved = httpx.get(f"{server.url}save/{open_page.session}/json")
        assert saved.headers["cache-control"] == "no-store"
        assert saved.headers["content-disposition"].startswith("attachment")


def test_beyond_this_machine_a_token_is_asked_for(tmp_path: Path) -> None:
    running = PoserServer(First("human").session, host="0.0.0.0", store=Store(tmp_path))
    running.start()
    try:
        assert running.token is not None
        assert running.token in running.url
        place = f"http://127.0.0.1:{running.port}/"
        for path in ("", "poser.js", "?token=", f"?token={running.token[:-1]}", "?token=%C3%A9"):
            refused = httpx.get(place + path)
            assert refused.status_code == 401
            assert "address that limbik printed" in refused.text
        with httpx.Client() as browser:
            assert browser.get(f"{place}?token={running.token}").status_code == 200
            assert browser.get(place + "poser.js").status_code == 200  # by its cookie
            (cookie,) = browser.cookies.jar
            assert cookie.has_nonstandard_attr("HttpOnly")
        origin = place.rstrip("/")
        with pytest.raises(InvalidStatus) as caught:
            connect(f"ws://127.0.0.1:{running.port}/ws", origin=origin)  # type: ignore[arg-type]
        assert caught.value.response.status_code == 401
        with client(f"{place}?token={running.token}") as page:
            page.drag(page.effector(HAND)["id"], page.at(HAND) + [0, 0.1, 0])
        name = f"limbik_{running.port}"
        with client(place, additional_headers={"Cookie": f'a="b; {name}={running.token}; c=d'}):
            pass
        assert (
            httpx.get(
                f"{place}?token={running.token}", headers={"Host": "evil.example"}
            ).status_code
            == 403
        )
    finally:
        running.stop()


@pytest.mark.parametrize("first", [True, False])
def test_a_second_origin_is_refused_whichever_is_ours(server: PoserServer, first: bool) -> None:
    """Something between us and the browser that joins headers must not choose for us."""
    place = urlsplit(server.url).netloc
    both = [f"Origin: http://{place}", "Origin: http://evil.example"]
    origins = "\r\n".join(both if first else both[::-1])
    with client(server.url) as page:
        for request in (
            "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            f"PUT /files/{page.session}/a.bvh HTTP/1.1\r\nContent-Length: 0",
            f"GET /save/{page.session}/json HTTP/1.1",
        ):
            for said, refused in ((origins, True), (both[0], False)):
                with socket.create_connection(("127.0.0.1", server.port), WAIT) as raw:
                    raw.sendall(f"{request}\r\nHost: {place}\r\n{said}\r\n\r\n".encode())
                    answer = raw.recv(100).split()[1]
                # What reads websockets refuses two of them itself.
                statuses = (b"400", b"403") if "/ws" in request else (b"403",)
                assert (answer in statuses) is refused
