"""The messages between page and server: what a page sends is read here, strictly; poses go out.

Everything is little-endian.  A message that our page would never send raises ProtocolError, which
closes that client and nobody else.  Each connection has its Inbox, because the numbers of its
messages must rise.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any, NamedTuple

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.maths.quaternions import matrix_to_quat
from limbik.poser.drag.answer import Answer
from limbik.solver.result import Status

MOST_TEXT = 64 * 1024
"""Bytes that a text message may have."""

FURTHEST = 1e30
"""Targets beyond this (in the figure's unit) are refused: they would not fit the page's floats."""

LAST_FRAME = 1e9
LARGEST_WHOLE = 2**53
"""Whole numbers beyond this are refused: a page cannot have meant them exactly."""

DRAG, SCRUB = 1, 2
POSE, FRAMES = 1, 2
STATUSES = {
    Status.REACHED: 0,
    Status.LIMITED: 1,
    Status.OUT_OF_REACH: 2,
    Status.STALLED: 3,
    Status.HELD: 4,
}
UNSOLVED = 255
MOST_ASKED_FRAMES = 64

_DRAG = struct.Struct("<BBHI7d")
_SCRUB = struct.Struct("<BBHId")
_POSE = struct.Struct("<BBHIHHHHffIHH")
_FRAMES = struct.Struct("<BBHIHH")

Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]


class ProtocolError(LimbikError):
    """A message that our page would never send; its client is closed."""


class Drag(NamedTuple):
    """Effector ``effector`` shall go to ``position`` (3,) and be turned ``wxyz`` (4,), of which one
    may be None: as it was."""

    effector: int
    sequence: int
    position: Vec3 | None
    wxyz: Vec4 | None


class Scrub(NamedTuple):
    """The timeline is to stand at ``frame``, which may lie between two."""

    frame: float
    playing: bool
    sequence: int


# ---- from the page ------------------------------------------------------------------------------


class Inbox:
    """Reads the messages of one connection; a new connection needs a new one.

    >>> Inbox().read('{"id": 1, "do": "undo"}')
    {'id': 1, 'do': 'undo'}
    """

    def __init__(self) -> None:
        self._sequence = self._id = 0

    def read(self, message: str | bytes) -> Drag | Scrub | dict[str, Any]:
        """A drag, a scrub, or a command {"id", "do", ...arguments}; ProtocolError otherwise."""
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


def read_binary(message: bytes) -> Drag | Scrub:
    """A drag (64 bytes) or a scrub (16 bytes)."""
    size, kind = len(message), message[0] if message else 0
    if kind == DRAG and size == _DRAG.size:
        return _read_drag(message)
    if kind == SCRUB and size == _SCRUB.size:
        return _read_scrub(message)
    raise ProtocolError(f"no binary message of kind {kind} has {size} bytes")


def _read_drag(message: bytes) -> Drag:
    _, flags, effector, sequence, x, y, z, a, b, c, d = _DRAG.unpack(message)
    if not 1 <= flags <= 3:
        raise ProtocolError(f"drag: flags {flags} give no target")
    position = wxyz = None
    if flags & 1:
        position = (x, y, z)
        if not (abs(x) <= FURTHEST and abs(y) <= FURTHEST and abs(z) <= FURTHEST):
            raise ProtocolError("drag: the position is not finite, or too far away")
    if flags & 2:
        length = math.hypot(a, b, c, d)
        if not 1e-6 <= length <= 1e6:
            raise ProtocolError("drag: wxyz is no rotation")
        wxyz = (a / length, b / length, c / length, d / length)
    return Drag(effector, sequence, position, wxyz)


def _read_scrub(message: bytes) -> Scrub:
    _, flags, reserved, sequence, frame = _SCRUB.unpack(message)
    if flags > 1 or reserved:
        raise ProtocolError(f"scrub: flags {flags}, {reserved} are not known")
    if not abs(frame) <= LAST_FRAME:
        raise ProtocolError("scrub: the frame is not finite, or too late")
    return Scrub(frame, bool(flags), sequence)


def read_command(message: str) -> dict[str, Any]:
    """A text message as the object it is, with a whole "id" above 0 and a name "do"."""
    parsed = read_json(message)
    if not isinstance(parsed, dict):
        raise ProtocolError("a text message must be an object")
    number, name = parsed.get("id"), parsed.get("do")
    if type(number) is not int or number < 1:
        raise ProtocolError('a command needs a whole "id" above 0')
    if not isinstance(name, str) or not 0 < len(name) <= 64:
        raise ProtocolError('a command needs a name "do"')
    return parsed


def read_json(message: str) -> Any:
    """JSON of bounded size; refused are NaN and infinities, whole numbers beyond 2⁵³, a key given
    twice, nesting too deep to follow and characters that cannot be written again."""
    try:
        size = len(message.encode()) if len(message) <= MOST_TEXT else len(message)
        if size > MOST_TEXT:
            raise ProtocolError(f"a text message of {size} bytes; at most {MOST_TEXT} are read")
        parsed = _DECODER.decode(message)
        if "\\u" in message:  # an escape may be half of a character
            json.dumps(parsed, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ProtocolError("a text message has half a character") from None
    except RecursionError:
        raise ProtocolError("a text message is nested too deeply") from None
    except ValueError as error:
        raise ProtocolError(f"a text message is not JSON: {error}") from None
    return parsed


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ProtocolError(f"the number {digits[:20]} is too large")
    return value


def _whole(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > LARGEST_WHOLE:
        raise ProtocolError(f"the number {digits[:20]} is too large")
    return int(digits)


def _no_number(word: str) -> float:
    raise ProtocolError(f"{word} is not a number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ProtocolError(f'"{twice[:40]}" is given twice')
    return found


_DECODER = json.JSONDecoder(
    parse_float=_finite, parse_int=_whole, parse_constant=_no_number, object_pairs_hook=_unique
)


# ---- to the page --------------------------------------------------------------------------------


def text(message: dict[str, Any]) -> str:
    """A message {"hello"}, {"figure"}, {"state"}, {"note"} or a reply, as JSON without NaN."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def pose_message(
    figure: Figure,
    q: np.ndarray,
    answer: Answer | None = None,
    *,
    ghost: Answer | None = None,
    sequence: int = 0,
    frame: float = 0.0,
    revision: int = 0,
) -> bytes:
    """The figure in the pose q (n,), with what a solve said about it.

    Without an ``answer`` nothing was solved: the message has the pose alone.  ``ghost`` is the
    answer of the method compared with.  ``sequence`` is that of the drag or scrub answered, 0 where
    nobody asked; ``frame`` is where the timeline stands.
    """
    goals, limits, why = 0, 0, b""
    status, ms, iterations = UNSOLVED, 0.0, 0
    rows = [*placed(figure, q), q]
    if answer is not None:
        status = UNSOLVED if answer.status is None else STATUSES[answer.status]
        ms, iterations = answer.ms, min(answer.iterations, 0xFFFF)
        goals, limits = len(answer.goals), len(answer.limits)
        why = answer.why.encode(errors="replace")[:0xFFFF]
        rows += [answer.goals, answer.limits]
    if ghost is not None:
        rows += [*placed(figure, ghost.q), np.array([ghost.ms, ghost.ok])]
    head = _POSE.pack(
        POSE, status, goals, sequence, len(figure.parents), figure.n, limits, ghost is not None,
        ms, frame, revision & 0xFFFFFFFF, len(why), iterations,
    )  # fmt: skip
    numbers = np.concatenate([row.ravel() for row in rows]).astype("<f4")
    return b"".join((head, numbers.tobytes(), why))


def frames_message(figure: Figure, poses: np.ndarray, frames: np.ndarray, command: int) -> bytes:
    """Poses (F, n) of the timeline at ``frames`` (F,), for onion skins; ``command`` asked."""
    count = len(poses)
    if count != len(frames) or count > MOST_ASKED_FRAMES:
        raise ProtocolError(f"frames: at most {MOST_ASKED_FRAMES} at once, and {count} were asked")
    head = _FRAMES.pack(FRAMES, 0, count, command & 0xFFFFFFFF, len(figure.parents), 0)
    if not count:
        return head
    positions, wxyz = placed(figure, poses)
    each = np.concatenate([positions.reshape(count, -1), wxyz.reshape(count, -1)], axis=1)
    return b"".join((head, np.asarray(frames, "<f4").tobytes(), each.astype("<f4").tobytes()))


def placed(figure: Figure, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World positions (…, joints, 3) and rotations wxyz (…, joints, 4) in the pose(s) q."""
    frames = figure.frames(q)
    return frames[..., :3, 3], matrix_to_quat(frames[..., :3, :3])
