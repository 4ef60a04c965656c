"""The layout of the binary messages, the one place that knows it; little-endian.

Each message is a head of named fields, then float32 numbers, then (a pose) a text in UTF-8.  The
page's offsets are made from this file (typescript.py).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from limbik.poser.drag.answer import GOAL_ROW, LIMIT_ROW
from limbik.solver.result import Status

__all__ = [
    "DRAG", "FRAMES", "GOAL_ROW", "HAS_POSITION", "HAS_ROTATION", "IS_FOLLOWING", "IS_PLAYING",
    "IS_STUCK", "LIMIT_ROW", "POSE", "SCRUB", "STATUSES", "UNSOLVED", "Head",
]  # fmt: skip


@dataclass(frozen=True)
class Head:
    """The first bytes of a message: ``kind`` is the first byte, ``fields`` name what follows it
    with the format characters of ``struct``, "3d" for three doubles."""

    kind: int
    fields: tuple[tuple[str, str], ...]

    @property
    def struct(self) -> struct.Struct:
        return struct.Struct("<B" + "".join(form for _, form in self.fields))

    @property
    def offsets(self) -> dict[str, int]:
        """Where each field begins."""
        out, at = {}, 1
        for name, form in self.fields:
            out[name] = at
            at += struct.calcsize("<" + form)
        return out


# ---- from the page ------------------------------------------------------------------------------

DRAG = Head(
    1,
    (("flags", "B"), ("effector", "H"), ("sequence", "I"), ("position", "3d"), ("wxyz", "4d")),
)
HAS_POSITION, HAS_ROTATION = 1, 2
"""Flags of a drag: what it gives."""

SCRUB = Head(2, (("flags", "B"), ("reserved", "H"), ("sequence", "I"), ("frame", "d")))
IS_PLAYING = 1
"""The flag of a scrub."""

# ---- to the page --------------------------------------------------------------------------------

POSE = Head(
    1,
    (
        ("status", "B"), ("goals", "H"), ("sequence", "I"), ("joints", "H"), ("coordinates", "H"),
        ("limits", "H"), ("ghost", "B"), ("flags", "B"), ("ms", "f"), ("frame", "f"),
        ("revision", "I"), ("why", "H"), ("iterations", "H"),
    ),
)  # fmt: skip
"""After it: positions (joints, 3), wxyz (joints, 4), q (coordinates,), a row for each goal and for
each limit, with a ghost its positions, wxyz and (ms, ok), then ``why`` bytes of text."""

IS_FOLLOWING, IS_STUCK = 1, 2
"""Flags of a pose: the next step of the drag goes on; another pose meets the goals better."""

FRAMES = Head(
    2, (("reserved", "B"), ("count", "H"), ("command", "I"), ("joints", "H"), ("reserved2", "H"))
)
"""After it: the frames (count,), then for each positions (joints, 3) and wxyz (joints, 4)."""

STATUSES = {
    Status.REACHED: 0,
    Status.LIMITED: 1,
    Status.OUT_OF_REACH: 2,
    Status.STALLED: 3,
    Status.HELD: 4,
}
UNSOLVED = 255
"""Numbers of a pose's status."""
