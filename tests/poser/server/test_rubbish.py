"""Malformed, oversized, out-of-order and fuzzed messages: they close who sends them, alone."""

from __future__ import annotations

import json
import random
import socket
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

from helpers.poser.poser_client import HAND, Client, client, closed, drag_message, until
from limbik.poser.server.listen import PoserServer


def sent(server: PoserServer, *messages: str | bytes) -> tuple[int, str]:
    with client(server.url) as page:
        for message in messages:
            page.socket.send(message)
        return closed(page)


@pytest.mark.parametrize(
    "messages",
    [
        (b"",),
        (b"\x01" * 63,),
        (b"\x09" + bytes(63),),
        (drag_message(1, 5, [0, 1, 0]), drag_message(1, 5, [0, 1, 0])),
        (drag_message(1, 5, [0, 1, 0]), drag_message(1, 4, [0, 1, 0])),
        (drag_message(1, 1, [float("nan"), 1, 0]),),
        (drag_message(1, 1, [0, float("inf"), 0]),),
        ("",),
        ("null",),
        ("{}",),
        ('{"id": 1, "do": "no.such.command"}',),
        ('{"id": 1, "do": "undo", "more": 1}',),
        ('{"id": 2, "do": "undo"}', '{"id": 1, "do": "undo"}'),
        ('{"id": 1, "do": "pose.set", "q": [NaN]}',),
        ("[" * 20000,),
    ],
    ids=lambda messages: repr(messages[0])[:24],
)  # fmt: skip
def test_what_our_page_never_sends_closes_the_client(
    server: PoserServer, messages: tuple[str | bytes, ...]
) -> None:
    code, reason = sent(server, *messages)
    assert code == 1008
    assert reason


@pytest.mark.parametrize("message", ["x" * 65537, b"x" * 65537, "ä" * 40000, b"x" * 3_000_000])
def test_too_large_a_message_closes_the_client(server: PoserServer, message: str | bytes) -> None:
    with client(server.url) as page:
        with suppress(ConnectionClosed):  # before all of it was sent
            page.socket.send(message)
        assert closed(page)[0] in (1009, 1006)  # a client that is still sending is cut off


COMMANDS = [
    "undo", "drop", "grab", "effector.set", "lock", "limit.set", "method.set", "pose.set", "open",
    "key.insert", "frames", "builtin", "timeline.set", "coordinate.set", "pose.load", "clip.choose",
]  # fmt: skip
NAMES = [
    "effector", "joint", "on", "limit", "name", "settings", "q", "frame", "frames", "files", "mode",
    "position", "wxyz", "weight", "coordinate", "value", "fps", "ease", "pose", "index",
]  # fmt: skip
VALUES: list[Any] = [
    0, 1, -1, 2**53, 2**70, 1e300, -0.5, "", "x" * 300, "human", None, True, [], {}, [1], [[[]]],
]  # fmt: skip
LETTERS = [0, 9, 34, 91, 123, 125, 0x7F, 0xE9, 0x2028, 0x1F600]


def rubbish(chosen: random.Random, number: int) -> str | bytes:
    """Bytes of any kind, almost a drag, letters, almost a command, or half of one."""
    kind = chosen.randrange(5)
    if kind == 0:
        return chosen.randbytes(chosen.choice([0, 1, 15, 16, 17, 63, 64, 65, 500]))
    if kind == 1:
        head = bytes([chosen.choice([1, 2]), chosen.randrange(4)])
        return head + chosen.randbytes(chosen.choice([14, 62]))
    if kind == 2:
        return "".join(chr(chosen.choice(LETTERS)) for _ in range(chosen.randrange(40)))
    said = {"id": number, "do": chosen.choice(COMMANDS)}
    for _ in range(chosen.randrange(4)):
        said[chosen.choice(NAMES)] = chosen.choice(VALUES)
    text = json.dumps(said)
    if kind == 4:
        text = text[: chosen.randrange(len(text) + 1)] + chosen.choice(["", "}"])
    return text


def ended(page: Client, messages: list[str | bytes]) -> int | None:
    """The code with which the server answers messages, None where all of them were allowed."""
    try:
        for message in messages:
            page.socket.send(message)
        while True:
            page.socket.recv(timeout=0.2)
    except ConnectionClosed as error:
        return None if error.rcvd is None else error.rcvd.code
    except TimeoutError:
        return None


def test_fuzzed_messages_hurt_only_who_sends_them(server: PoserServer) -> None:
    chosen = random.Random(20240)
    with client(server.url) as good:
        hand, start = good.effector(HAND), good.at(HAND).copy()
        codes = []
        for round in range(60):
            with client(server.url) as bad:
                code = ended(bad, [rubbish(chosen, k) for k in range(1, 21)])
                assert code in (None, 1008)
                codes.append(code)
            target = start + [0, 0.004 * round, 0]
            good.drag(hand["id"], target)
            assert np.linalg.norm(good.at(HAND) - target) < 1e-3
    until(lambda: len(server.sessions) == 0)


@pytest.mark.parametrize(
    "first", [b"\x00\xff\x16\x03\x01" * 50, b"GET /ws HTTP/1.1\r\n" * 3, b"PUT /" + b"a" * 70000]
)
def test_what_is_not_even_http_is_survived(server: PoserServer, first: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(first)
    with client(server.url) as page:
        page.drag(page.effector(HAND)["id"], page.at(HAND) + [0, 0.05, 0])
