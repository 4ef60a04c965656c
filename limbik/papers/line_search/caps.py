"""Iteration caps: how many iterations of each method fit into the paper's time slot.

They are measured once, by ``limbik papers --calibrate``, and kept in caps.json with the machine
they were measured on.  Every run reads them from there, so its numbers do not depend on the clock.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from limbik.errors import FormatError
from limbik.papers.contract import Chapter, Order, Table
from limbik.papers.line_search.contestants import Named, everyone
from limbik.papers.line_search.follow import follow
from limbik.papers.line_search.subject import Subject, subject_of
from limbik.papers.machine import machine

CAPS = Path(__file__).with_name("caps.json")
"""Where the caps are kept."""

SLOT = 0.015
"""Seconds per frame: the paper's slot, about 66 frames per second."""

FALLBACK = 100
"""Iterations per frame for a method that caps.json lacks: 150 µs each would fill the slot."""

_PROBE, _FRAMES, _ROUNDS = 40, 30, 3  # iterations per frame, frames, and times over
_ROUNDING = 1e-9  # 0.015 / 1e-5 shall be 1500
_FEWEST = 5  # iterations below which a frame says little about one


@dataclass(frozen=True)
class Caps:
    """What caps.json says."""

    slot: float
    machine: dict[str, str]
    figure: str
    seconds: dict[str, float]
    """Median time of an iteration."""

    def cap(self, key: str, slot: float | None = None) -> int:
        """Iterations that fit into the slot, at least 1; FALLBACK of the full slot if unknown."""
        given = self.slot if slot is None else slot
        fits = given / self.seconds[key] if key in self.seconds else FALLBACK * given / self.slot
        return max(1, math.floor(fits * (1.0 + _ROUNDING)))

    def knows(self, key: str) -> bool:
        """Whether the method was measured."""
        return key in self.seconds


def read(path: Path = CAPS) -> Caps:
    """The caps on file; refuses what cannot be used, by name."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        caps = Caps(
            slot=float(data["slot_seconds"]),
            machine={str(k): str(v) for k, v in data["machine"].items()},
            figure=str(data["figure"]),
            seconds={str(k): float(v) for k, v in data["seconds_per_iteration"].items()},
        )
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", path) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"is not a file of caps: {error!r}", path) from error
    for key, value in (("slot_seconds", caps.slot), *caps.seconds.items()):
        if not 0.0 < value < math.inf:
            raise FormatError(f'"{key}" must be a positive time, got {value}', path)
    return caps


def write(caps: Caps, path: Path = CAPS) -> None:
    """Put the caps on file; a half-written file never replaces a good one."""
    # The caps are those of the numbers on file, to the digit.
    kept = replace(caps, seconds={k: float(f"{v:.3e}") for k, v in sorted(caps.seconds.items())})
    data = {
        "slot_seconds": caps.slot,
        "machine": caps.machine,
        "figure": caps.figure,
        "seconds_per_iteration": kept.seconds,
        "caps": {key: kept.cap(key) for key in kept.seconds},
    }
    draft = path.with_suffix(".draft")
    try:
        draft.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", path) from error


def calibrate(order: Order, path: Path = CAPS) -> Chapter:
    """Measure every method on the built-in figure and write caps.json.

    The machine should be doing nothing else.  A clip changes nothing here: the caps belong to the
    built-in figure, whose size is that of the paper's.
    """
    subject = subject_of(Order(seed=order.seed))
    contestants, _ = everyone(subject)
    seconds = {
        one.key: iteration_seconds(subject, one)
        for one in order.steps("line_search: measuring iterations", contestants)
    }
    measured_on = {name: str(value) for name, value in machine().items()}
    caps = Caps(SLOT, measured_on, _about(subject), seconds)
    write(caps, path)
    kept = read(path)
    table = Table(
        "Iterations that fit into the slot",
        ["method", "µs per iteration", f"iterations in {1e3 * SLOT:g} ms"],
        [[one.label, 1e6 * kept.seconds[one.key], kept.cap(one.key)] for one in contestants],
    )
    return Chapter(
        title="Caps",
        text=f"Measured and written to {path.name}; later runs read them from there.",
        settings={"file": str(path), "slot": SLOT, "figure": kept.figure, "machine": kept.machine},
        tables=[table],
        timings={"seconds per iteration": kept.seconds},
    )


def iteration_seconds(subject: Subject, one: Named) -> float:
    """Median over frames of time by iterations, the best of some rounds, on the 0.7 s drill."""
    drill = subject.drill(0.7, most=_FRAMES)
    follow(subject, drill.first(1), one.key, one.method, 2)  # compiles
    rounds = []
    for _ in range(_ROUNDS):
        entry = follow(subject, drill, one.key, one.method, _PROBE)
        long = entry.iterations >= _FEWEST
        used = long if long.any() else entry.iterations > 0
        if not used.any():
            return SLOT  # it never moves: one iteration is more than it takes
        rounds.append(float(np.median(entry.seconds[used] / entry.iterations[used])))
    return min(rounds)


def _about(subject: Subject) -> str:
    goals = len(subject.effectors)
    return f"{subject.figure.name}, {subject.figure.n} coordinates, {goals} position goals"
