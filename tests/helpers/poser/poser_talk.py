"""A page without a page: real messages to a session, and its answers taken apart."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from limbik.poser.document.effector import Effector
from limbik.poser.editing.session import Session


class Told(NamedTuple):
    """A binary pose, taken apart by the table in the design, not by the code that wrote it."""

    status: int
    sequence: int
    frame: float
    revision: int
    positions: np.ndarray
    wxyz: np.ndarray
    q: np.ndarray
    goals: np.ndarray
    limits: np.ndarray
    ghost: np.ndarray | None
    flags: int
    why: str


def taken_apart(data: bytes) -> Told:
    kind, status, goals, sequence, joints, n, limits = struct.unpack_from("<BBHIHHH", data)
    ghost, flags = struct.unpack_from("<BB", data, 14)
    _, frame, revision, why, _ = struct.unpack_from("<ffIHH", data, 16)
    assert kind == 1
    sizes = [3 * joints, 4 * joints, n, 11 * goals, 4 * limits, ghost * (7 * joints + 2)]
    numbers = np.frombuffer(data, "<f4", sum(sizes), 32)
    assert len(data) == 32 + 4 * sum(sizes) + why
    p, r, q, g, lim, gh = np.split(numbers, np.cumsum(sizes)[:-1])
    sentence = data[len(data) - why :].decode()
    return Told(
        status, sequence, frame, revision, p.reshape(-1, 3), r.reshape(-1, 4), q,
        g.reshape(-1, 11), lim.reshape(-1, 4), gh if ghost else None, flags, sentence,
    )  # fmt: skip


class Talk:
    """One client's side of a session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.id = self.sequence = 0
        self.figure: dict[str, Any] = {}
        self.state: dict[str, Any] = {}
        self.pose: Told | None = None
        self.hello: dict[str, Any] = {}
        self.notes: list[str] = []
        self.kinds: list[str] = []
        self._read(session.greeting())

    @classmethod
    def builtin(cls, name: str, folder: Path) -> Talk:
        return cls(Session.builtin(name, folder))

    def _read(self, messages: list[str | bytes]) -> dict[str, Any]:
        reply: dict[str, Any] = {}
        self.kinds = []
        for message in messages:
            if isinstance(message, bytes):
                self.kinds.append(["", "pose", "frames"][message[0]])
                if message[0] == 1:
                    self.pose = taken_apart(message)
                continue
            said = json.loads(message)
            for key in ("hello", "figure", "state"):
                if key in said:
                    setattr(self, key, said[key])
                    self.kinds.append(key)
            if "note" in said:
                self.notes.append(said["note"])
            if "id" in said and "do" not in said:
                reply = said
                self.kinds.append("reply")
        return reply

    def ask(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Send a command; the reply, which may be an error."""
        self.id += 1
        return self._read(
            self.session.receive(json.dumps({"id": self.id, "do": name, **arguments}))
        )

    def do(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Send a command that must succeed."""
        reply = self.ask(name, **arguments)
        assert reply.get("ok") is True, reply
        return reply

    def drag(self, effector: int, position: Any = None, wxyz: Any = None) -> Told:
        self.sequence += 1
        flags = (position is not None) + 2 * (wxyz is not None)
        place, turn = position or (0.0, 0.0, 0.0), wxyz or (1.0, 0.0, 0.0, 0.0)
        head = (1, flags, effector, self.sequence)
        self._read(self.session.receive(struct.pack("<BBHI7d", *head, *place, *turn)))
        assert self.pose is not None
        return self.pose

    def scrub(self, frame: float, playing: bool = False) -> Told:
        self.sequence += 1
        self._read(self.session.receive(struct.pack("<BBHId", 2, playing, 0, self.sequence, frame)))
        assert self.pose is not None
        return self.pose

    def effector(self, name: str) -> Effector:
        return next(e for e in self.session.document.effectors if e.joint == name)

    def joint(self, name: str) -> int:
        return self.session.figure.index(name)

    def position(self, name: str) -> np.ndarray:
        figure, document = self.session.figure, self.session.document
        return figure.positions(document.q)[figure.index(name)]

    def upload(self, *paths: Path) -> list[str]:
        """Put files where uploads go."""
        for path in paths:
            shutil.copy(path, self.session.folder / path.name)
        return [path.name for path in paths]


def moved(effector: Effector, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> list[float]:
    """A target beside an effector's."""
    a, b, c = effector.position
    return [a + x, b + y, c + z]
