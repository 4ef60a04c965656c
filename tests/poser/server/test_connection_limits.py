"""Connections that say nothing: closed after a while, limited in number, logged once."""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from helpers.poser.poser_client import HAND, WAIT, client, until
from limbik.poser.server import connection_limits
from limbik.poser.server.connection_limits import IDLE, BoundedProtocol, most_connections
from limbik.poser.server.listen import PoserServer

HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"


class Clock:
    """An event loop that is nothing but a clock, set by hand."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, what: Callable[[], None]) -> Any:
        entry = (self.now + delay, what)
        self.waiting.append(entry)
        return Handle(lambda: entry in self.waiting and self.waiting.remove(entry))

    def create_task(self, task: Any) -> Any:
        task.close()
        return Handle(lambda: None)

    def after(self, seconds: float) -> None:
        end = self.now + seconds
        while due := [entry for entry in self.waiting if entry[0] <= end]:
            entry = min(due, key=lambda one: one[0])
            self.waiting.remove(entry)
            self.now = max(self.now, entry[0])
            entry[1]()
        self.now = end


class Handle:
    def __init__(self, cancel: Callable[[], object]) -> None:
        self.cancel = cancel

    def add_done_callback(self, _: object) -> None: ...


class Wire:
    """A transport that remembers whether it was closed."""

    closed = False
    protocol: Any = None

    def abort(self) -> None:
        self.closed = True

    close = abort

    def is_closing(self) -> bool:
        return self.closed

    def get_protocol(self) -> Any:
        return self.protocol

    def get_extra_info(self, _: str) -> None:
        return None

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


def connected(state: ServerState | None = None) -> tuple[BoundedProtocol, Wire, Clock]:
    async def app(scope: object, receive: object, send: object) -> None: ...

    clock, wire = Clock(), Wire()
    config = Config(app, log_config=None, log_level="critical")
    made = BoundedProtocol(config, state or ServerState(), {}, clock)  # type: ignore[arg-type]
    wire.protocol = made
    made.connection_made(wire)
    return made, wire, clock


@pytest.mark.parametrize("said", [b"", HEAD])
def test_a_head_that_does_not_come_is_waited_for_some_seconds(said: bytes) -> None:
    made, wire, clock = connected()
    made.data_received(said or b"G")
    clock.after(IDLE - 0.1)
    assert not wire.closed
    clock.after(0.2)
    assert wire.closed
    assert 2.0 <= IDLE <= 10.0


def test_a_head_that_comes_letter_by_letter_has_no_longer() -> None:
    made, wire, clock = connected()
    for letter in HEAD:
        clock.after(0.9)
        if not wire.closed:
            made.data_received(bytes([letter]))
    assert wire.closed
    assert clock.waiting == []


def test_a_body_is_waited_for_while_it_goes_on() -> None:
    made, wire, clock = connected()
    made.data_received(b"PUT /files/a/b HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
    for _ in range(10):
        clock.after(IDLE - 0.5)
        made.data_received(b"x")
    assert not wire.closed
    clock.after(IDLE + 0.1)
    assert wire.closed


def test_a_client_that_waits_for_us_is_not_closed() -> None:
    made, wire, clock = connected()
    made.data_received(HEAD + b"\r\n")
    clock.after(10 * IDLE)
    assert not wire.closed
    made.cycle.response_complete = True
    made.on_response_complete()
    made.data_received(HEAD)  # the next request, and no end of it
    clock.after(IDLE - 0.1)
    assert not wire.closed
    clock.after(0.2)
    assert wire.closed


def test_a_websocket_is_left_to_its_own_questions() -> None:
    _, wire, clock = connected()
    wire.protocol = object()
    clock.after(10 * IDLE)
    assert not wire.closed
    assert clock.waiting == []


def test_a_connection_too_many_is_closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "MOST_CONNECTIONS", 3)
    monkeypatch.setattr(connection_limits, "resource", None)
    state = ServerState()
    wires = [connected(state)[1] for _ in range(5)]
    assert [wire.closed for wire in wires] == [False] * 3 + [True] * 2


def test_the_files_that_a_process_may_open_are_not_all_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (200, 200))
    assert most_connections() <= 100


# ---- a real server -------------------------------------------------------------------------------


def test_half_sent_requests_are_closed_and_others_are_served(
    server: PoserServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server.config.http is BoundedProtocol
    assert server.config.backlog <= 128
    monkeypatch.setattr(connection_limits, "IDLE", 0.3)
    with ExitStack() as stack, client(server.url) as page:
        raw = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), WAIT))
            for _ in range(60)
        ]
        for one in raw:
            one.sendall(HEAD)
        assert [one.recv(10) for one in raw] == [b""] * len(raw)
        # The websocket says nothing meanwhile and stays.
        page.drag(page.effector(HAND)["id"], page.at(HAND) + [0, 0.05, 0])


def test_what_goes_wrong_again_and_again_is_logged_once(
    server: PoserServer, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[bool] = []

    def out_of_files() -> None:
        for _ in range(1000):
            error = OSError(errno.EMFILE, "Too many open files")
            server.loop.call_exception_handler(
                {"message": "socket.accept() out of system resource", "exception": error}
            )
        done.append(True)

    with caplog.at_level(logging.WARNING):
        server.loop.call_soon_threadsafe(out_of_files)
        until(lambda: bool(done))
    assert len([r for r in caplog.records if "out of system resource" in r.getMessage()]) == 1
    assert httpx.get(server.url).status_code in (200, 503)
