"""The messages of one connection, read in order."""

from __future__ import annotations

from typing import Any

from limbik.poser.protocol.binary import Drag, Scrub, read_binary
from limbik.poser.protocol.text import ProtocolError, read_command


class Inbox:
    """Reads the messages of one connection, whose numbers must rise; a new connection needs a new
    one.

    >>> Inbox().read('{"id": 1, "do": "undo"}')
    {'id': 1, 'do': 'undo'}
    """

    def __init__(self) -> None:
        self._sequence = self._id = 0

    def read(self, message: str | bytes) -> Drag | Scrub | dict[str, Any]:
        """A drag, a scrub, or a command {"id", "do", ...arguments}.

        ProtocolError for what our page would never send, which closes that client alone.
        """
        if isinstance(message, str):
            command = read_command(message)
            if command["id"] <= self._id:
                raise ProtocolError(f"command {command['id']} came after command {self._id}")
            self._id = command["id"]
            return command
        moved = read_binary(message)
        if moved.sequence <= self._sequence:
            raise ProtocolError(f"drag {moved.sequence} came after drag {self._sequence}")
        self._sequence = moved.sequence
        return moved
