"""The binary messages: drags and scrubs come in, poses and onion skins go out.

Their layout is in binary_layout.py.  What our page would never send raises ProtocolError.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.figure import Figure
from limbik.maths.quaternions import matrix_to_quat
from limbik.poser.document.effector import FURTHEST, Vec3, Vec4
from limbik.poser.drag.answer import Answer
from limbik.poser.protocol import binary_layout as layout
from limbik.poser.protocol.text import ProtocolError

LAST_FRAME = 1e9
MOST_ASKED_FRAMES = 64

_DRAG, _SCRUB = layout.DRAG.struct, layout.SCRUB.struct
_POSE, _FRAMES = layout.POSE.struct, layout.FRAMES.struct


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


def read_binary(message: bytes) -> Drag | Scrub:
    """A drag (64 bytes) or a scrub (16 bytes)."""
    size, kind = len(message), message[0] if message else 0
    if kind == layout.DRAG.kind and size == _DRAG.size:
        return _read_drag(message)
    if kind == layout.SCRUB.kind and size == _SCRUB.size:
        return _read_scrub(message)
    raise ProtocolError(f"no binary message of kind {kind} has {size} bytes")


def _read_drag(message: bytes) -> Drag:
    _, flags, effector, sequence, x, y, z, a, b, c, d = _DRAG.unpack(message)
    if not 1 <= flags <= layout.HAS_POSITION | layout.HAS_ROTATION:
        raise ProtocolError(f"drag: flags {flags} give no target")
    position = wxyz = None
    if flags & layout.HAS_POSITION:
        position = (x, y, z)
        if not (abs(x) <= FURTHEST and abs(y) <= FURTHEST and abs(z) <= FURTHEST):
            raise ProtocolError("drag: the position is not finite, or too far away")
    if flags & layout.HAS_ROTATION:
        length = math.hypot(a, b, c, d)
        if not 1e-6 <= length <= 1e6:
            raise ProtocolError("drag: wxyz is no rotation")
        wxyz = (a / length, b / length, c / length, d / length)
    return Drag(effector, sequence, position, wxyz)


def _read_scrub(message: bytes) -> Scrub:
    _, flags, reserved, sequence, frame = _SCRUB.unpack(message)
    if flags > layout.IS_PLAYING or reserved:
        raise ProtocolError(f"scrub: flags {flags}, {reserved} are not known")
    if not abs(frame) <= LAST_FRAME:
        raise ProtocolError("scrub: the frame is not finite, or too late")
    return Scrub(frame, bool(flags), sequence)


# ---- to the page --------------------------------------------------------------------------------


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
    status, flags, ms, iterations = layout.UNSOLVED, 0, 0.0, 0
    rows = [*placed(figure, q), q]
    if answer is not None:
        status = layout.UNSOLVED if answer.status is None else layout.STATUSES[answer.status]
        flags = layout.IS_FOLLOWING * answer.is_following | layout.IS_STUCK * answer.is_stuck
        ms, iterations = answer.ms, min(answer.iterations, 0xFFFF)
        goals, limits = len(answer.goals), len(answer.limits)
        why = answer.why.encode(errors="replace")[:0xFFFF]
        rows += [answer.goals, answer.limits]
    if ghost is not None:
        rows += [*placed(figure, ghost.q), np.array([ghost.ms, ghost.ok])]
    head = _POSE.pack(
        layout.POSE.kind, status, goals, sequence, len(figure.parents), figure.n, limits,
        ghost is not None, flags, ms, frame, revision & 0xFFFFFFFF, len(why), iterations,
    )  # fmt: skip
    numbers = np.concatenate([row.ravel() for row in rows]).astype("<f4")
    return b"".join((head, numbers.tobytes(), why))


def frames_message(figure: Figure, poses: np.ndarray, frames: np.ndarray, command: int) -> bytes:
    """Poses (F, n) of the timeline at ``frames`` (F,), for onion skins; ``command`` asked."""
    count = len(poses)
    if count != len(frames) or count > MOST_ASKED_FRAMES:
        raise ProtocolError(f"frames: at most {MOST_ASKED_FRAMES} at once, and {count} were asked")
    head = _FRAMES.pack(layout.FRAMES.kind, 0, count, command & 0xFFFFFFFF, len(figure.parents), 0)
    if not count:
        return head
    positions, wxyz = placed(figure, poses)
    each = np.concatenate([positions.reshape(count, -1), wxyz.reshape(count, -1)], axis=1)
    return b"".join((head, np.asarray(frames, "<f4").tobytes(), each.astype("<f4").tobytes()))


def placed(figure: Figure, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World positions (…, joints, 3) and rotations wxyz (…, joints, 4) in the pose(s) q."""
    frames = figure.frames(q)
    return frames[..., :3, 3], matrix_to_quat(frames[..., :3, :3])
