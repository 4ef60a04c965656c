"""A client of the poser without a browser, and servers to try it on."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from helpers.poser.pose_command import WAIT

HAND, FOOT = "LeftHand", "LeftFoot"  # of the built-in human


class Pose(NamedTuple):
    """What a binary pose says, as far as tests ask."""

    status: int
    sequence: int
    ms: float
    positions: np.ndarray  # (joints, 3)
    q: np.ndarray  # (n,)
    ok: dict[int, bool]  # by effector


def decode(data: bytes) -> Pose:
    """A pose out of its message, read as the page would."""
    kind, status, goals, sequence, joints, n, *_ = struct.unpack_from("<BBHIHHHH", data)
    assert kind == 1
    (ms,) = struct.unpack_from("<f", data, 16)
    numbers = np.frombuffer(data, "<f4", 7 * joints + n + 11 * goals, offset=32)
    rows = numbers[7 * joints + n :].reshape(goals, 11)
    return Pose(
        status,
        sequence,
        ms,
        numbers[: 3 * joints].reshape(joints, 3),
        numbers[7 * joints : 7 * joints + n],
        {int(row[0]): bool(row[3]) for row in rows},
    )


def drag_message(effector: int, sequence: int, position: Any) -> bytes:
    return struct.pack("<BBHI7d", 1, 1, effector, sequence, *position, 1.0, 0.0, 0.0, 0.0)


@dataclass
class Client:
    """One page: its websocket, and what it was told last."""

    socket: ClientConnection
    hello: dict[str, Any] = field(default_factory=dict)
    figure: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    pose: Pose | None = None
    notes: list[str] = field(default_factory=list)
    said: list[dict[str, Any]] = field(default_factory=list)
    """Messages of other kinds, such as that kernels are compiled."""
    replies: dict[int, dict[str, Any]] = field(default_factory=dict)
    number: int = 0

    @property
    def session(self) -> str:
        return self.hello["session"]

    def receive(self) -> None:
        """One message."""
        message = self.socket.recv(timeout=WAIT)
        if isinstance(message, bytes):
            self.pose = decode(message)
            return
        said = json.loads(message)
        if "hello" in said:
            self.hello = said["hello"]
        elif "figure" in said:
            self.figure = said["figure"]
        elif "state" in said:
            self.state = said["state"]
        elif "note" in said:
            self.notes.append(said["note"])
        elif "id" in said:
            self.replies[said["id"]] = said
        else:
            self.said.append(said)

    def greeted(self) -> Client:
        while not (self.hello and self.figure and self.state and self.pose):
            self.receive()
        return self

    def do(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """A command, and its reply; the state and the pose that come after it are read too."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "do": name, **arguments}))
        while self.number not in self.replies:
            self.receive()
        reply = self.replies[self.number]
        if "ok" in reply:
            self.state, self.pose = {}, None
            while not self.state or self.pose is None:
                self.receive()
        return reply

    def drag(self, effector: int, position: Any) -> Pose:
        """The pose that answers a drag."""
        self.number += 1
        self.socket.send(drag_message(effector, self.number, position))
        while self.pose is None or self.pose.sequence != self.number:
            self.receive()
        return self.pose

    def effector(self, name: str) -> dict[str, Any]:
        return next(one for one in self.state["effectors"] if one["name"] == name)

    def at(self, name: str) -> np.ndarray:
        """Where a joint is."""
        assert self.pose is not None
        return self.pose.positions[[joint["name"] for joint in self.figure["joints"]].index(name)]

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()


def client(url: str, session: str = "", **options: Any) -> Client:
    """A page at a server's address that has been greeted."""
    place = urlsplit(url)
    query = f"session={session}"
    for token in parse_qs(place.query).get("token", []):
        query += f"&token={token}"
    options = {"origin": f"http://{place.netloc}", "compression": None} | options
    address = f"ws://{place.netloc}/ws?{query}"
    return Client(connect(address, max_size=None, **options)).greeted()


def closed(page: Client) -> tuple[int, str]:
    """Code and reason with which the server closes a client; 1006 where it was cut off before it
    could hear them."""
    try:
        while True:
            page.socket.recv(timeout=WAIT)
    except ConnectionClosed as error:
        return (1006, "") if error.rcvd is None else (error.rcvd.code, error.rcvd.reason)


def until(what: Callable[[], bool]) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + WAIT
    while not what():
        assert time.monotonic() < end
        time.sleep(0.01)
