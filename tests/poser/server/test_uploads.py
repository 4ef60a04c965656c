"""Uploads: whole files under plain names, within limits; and what is downloaded."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import limbik
from helpers.poser.poser_client import WAIT, client, until
from limbik.poser.server import uploads
from limbik.poser.server.listen import PoserServer


def put(server: PoserServer, session: str, name: str, data: Any) -> httpx.Response:
    origin = {"Origin": server.url.rstrip("/")}
    return httpx.put(
        f"{server.url}files/{session}/{name}", content=data, headers=origin, timeout=WAIT
    )


def test_an_uploaded_file_is_opened_and_comes_back(server: PoserServer, tmp_path: Path) -> None:
    limbik.save(limbik.figures.cartwheel(), tmp_path / "wheel.bvh")
    data = (tmp_path / "wheel.bvh").read_bytes()
    with client(server.url) as page:
        done = put(server, page.session, "my%20wheel.bvh", data)
        assert (done.status_code, done.json()) == (
            201,
            {"name": "my wheel.bvh", "bytes": len(data)},
        )
        assert page.do("open", files=["my wheel.bvh"])["ok"]
        assert page.figure["file"] == "my wheel.bvh"
        saved = httpx.get(f"{server.url}save/{page.session}/bvh")
        assert saved.status_code == 200
        (tmp_path / "again.bvh").write_bytes(saved.content)
        session = page.session
    assert limbik.load(tmp_path / "again.bvh").joints == limbik.load(tmp_path / "wheel.bvh").joints
    with client(server.url, session) as page:
        assert page.figure["file"] == "my wheel.bvh"


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "%2e%2e",
        ".hidden",
        "a%5Cb.bvh",
        "a%00b",
        "a%0Ab",
        "C:x.bvh",
        "con.bvh",
        "x" * 300,
        "a.bvh%20",
        "a.",
    ],
)
def test_names_that_lead_elsewhere_are_refused(server: PoserServer, name: str) -> None:
    with client(server.url) as page:
        folder = server.sessions.store.root / page.session / "files"
        refused = put(server, page.session, name, b"x")
        assert refused.status_code in (400, 404, 405)
        assert list(folder.iterdir()) == []
        assert put(server, page.session, f"a%2F..%2F{name}", b"x").status_code == 404


def test_uploads_have_limits(server: PoserServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LARGEST_FILE", 3_000_000)
    monkeypatch.setattr(uploads, "LARGEST_SESSION", 5_000_000)
    monkeypatch.setattr(uploads, "MOST_FILES", 3)
    with client(server.url) as page:
        folder = server.sessions.store.root / page.session / "files"

        def chunks(size: int) -> Iterator[bytes]:  # sent without saying how long it will be
            for _ in range(size // 100_000):
                yield bytes(100_000)

        assert put(server, page.session, "a.bvh", bytes(3_000_000)).status_code == 201
        assert put(server, page.session, "b.bvh", bytes(3_000_001)).status_code == 413
        assert put(server, page.session, "b.bvh", chunks(4_000_000)).status_code == 413
        assert put(server, page.session, "b.bvh", chunks(3_000_000)).status_code == 413
        together = put(server, page.session, "b.bvh", bytes(2_000_001))
        assert together.status_code == 413
        assert "together" in together.text
        assert put(server, page.session, "a.bvh", bytes(2_900_000)).status_code == 201  # replaced
        for name in ("b.bvh", "c.bvh"):
            assert put(server, page.session, name, b"x").status_code == 201
        assert put(server, page.session, "d.bvh", b"x").status_code == 413
        assert put(server, page.session, "c.bvh", b"xyz").status_code == 201
        assert {path.name: path.stat().st_size for path in folder.iterdir()} == {
            "a.bvh": 2_900_000, "b.bvh": 1, "c.bvh": 3,
        }  # fmt: skip


def test_half_an_upload_leaves_nothing(server: PoserServer) -> None:
    with client(server.url) as page:
        folder = server.sessions.store.root / page.session / "files"
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            raw.sendall(
                f"PUT /files/{page.session}/a.bvh HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                f"Origin: http://127.0.0.1:{server.port}\r\n"
                "Content-Length: 1000\r\n\r\nhalf".encode()
            )
            until(lambda: any(folder.iterdir()))
        until(lambda: not any(folder.iterdir()))


def test_nothing_is_uploaded_to_or_saved_from_a_session_that_is_not_open(
    server: PoserServer,
) -> None:
    with client(server.url) as page:
        session = page.session
    until(lambda: len(server.sessions) == 0)
    for id in (session, "A" * 22, "no-session"):
        assert put(server, id, "a.bvh", b"x").status_code == 404
        assert httpx.get(f"{server.url}save/{id}/bvh").status_code == 404
        assert httpx.get(f"{server.url}mesh/{id}/1").status_code == 404
    with client(server.url) as page:
        assert httpx.get(f"{server.url}save/{page.session}/exe").status_code == 400
        assert httpx.get(f"{server.url}mesh/{page.session}/99").status_code == 404
