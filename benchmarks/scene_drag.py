"""Drags of the human in the poser's server: with nothing kept, and with floor, balance, collisions
and a box in both hands.

python -m benchmarks.scene_drag

Cases take turns, drag by drag, so that a busy machine slows all of them alike.  ``cpu`` is the time
of the thread that solves, ``wall`` what a person waits.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import keep, show
from limbik.poser.drag.prop_shapes import place_of
from limbik.poser.editing.session import Session

STEPS = 120
CASES = {
    "nothing": (),
    "floor": ("floor",),
    "balance": ("balance",),
    "collisions": ("collisions",),
    "box in both hands": ("hold",),
    "floor, balance, collisions": ("floor", "balance", "collisions"),
    "all": ("floor", "balance", "collisions", "hold"),
}
DRAGGED = ("LeftHand", "Hips", "Head", "box")


class Case:
    """One session, and the times of its drags in ms."""

    def __init__(self, kept: tuple[str, ...]) -> None:
        self.session = Session.builtin("human", Path(tempfile.mkdtemp()))
        self.session.greeting()
        self._number = 0
        self.box = self.do("prop.add", kind="box")["prop"]
        hands = [self.session.figure.index(name) for name in ("LeftHand", "RightHand")]
        self.do("prop.hold", prop=self.box, joints=hands)
        if "hold" not in kept:
            self.do("prop.hold", prop=self.box, joints=[])
        self.do("floor", on="floor" in kept)
        for name in ("balance", "collisions"):
            if name in kept:
                self.do(name, on=True)
        self.start = self.session.document
        self.cpu: list[float] = []
        self.wall: list[float] = []

    def do(self, command: str, **arguments: Any) -> dict[str, Any]:
        self._number += 1
        message = json.dumps({"id": self._number, "do": command, **arguments})
        reply = json.loads(self.session.receive(message)[0])
        assert reply.get("ok"), reply
        return reply

    def grab(self, what: str) -> None:
        """Begin a drag anew."""
        session = self.session
        session.drop()
        session.document = self.start
        frames = session.figure.frames(self.start.q)
        if what == "box":
            self.id = self.box
            prop = self.start.scene.prop(self.box)
            assert prop is not None
            self.at = place_of(prop, session.figure, frames)[:3, 3]
        else:
            self.id = next(e.id for e in self.start.effectors if e.joint == what)
            self.at = frames[session.figure.index(what), :3, 3]

    def drag(self, step: int) -> None:
        angle = 2.0 * np.pi * step / STEPS
        across, up = 0.12 * np.sin(angle), -0.1 * (1.0 - np.cos(angle))
        x, y, z = (self.at + [across, up, 0.06 * np.sin(angle)]).tolist()
        cpu, wall = time.thread_time(), time.perf_counter()
        self.session.drag(self.id, (x, y, z), None)
        self.cpu.append(1e3 * (time.thread_time() - cpu))
        self.wall.append(1e3 * (time.perf_counter() - wall))


def rows() -> list[dict[str, Any]]:
    """A row for each case and each thing that is dragged."""
    cases = {name: Case(kept) for name, kept in CASES.items()}
    out: list[dict[str, Any]] = []
    for what in DRAGGED:
        took = {n: c for n, c in cases.items() if what != "box" or "hold" in CASES[n]}
        for case in took.values():
            case.grab(what)
        for step in range(1, STEPS + 1):
            for case in took.values():
                case.drag(step)
        for name, case in took.items():
            cpu, wall = np.array(case.cpu), np.array(case.wall)
            out.append(
                {
                    "dragged": what,
                    "kept": name,
                    "cpu_median_ms": float(np.median(cpu)),
                    "cpu_90_%_ms": float(np.percentile(cpu, 90)),
                    "wall_median_ms": float(np.median(wall)),
                }
            )
            case.session.drop()
            case.cpu.clear()
            case.wall.clear()
    return out


def main() -> None:
    """Measure, print, keep."""
    found = rows()
    show(f"Human, {STEPS} steps of a drag in the poser's server", found)
    keep("scene_drag", found)


if __name__ == "__main__":
    main()
