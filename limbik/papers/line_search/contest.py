"""The contest: every contestant follows the clip at the three samplings, under several rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from limbik.papers.contract import Order
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search import steps
from limbik.papers.line_search.caps import Caps
from limbik.papers.line_search.follow import Entry, Guest, follow, follow_as_shipped
from limbik.papers.line_search.statistics import Box, box_of
from limbik.papers.line_search.subject import BODY, SAMPLINGS, TIGHT, Drill, Subject

EQUAL = (10, 100)
"""Equal iteration counts for all."""

SLOTS = 10
"""A method that needs more slots than this for an equal count is left out of it."""

HASTE = 100
"""The short slot is this part of the paper's: processors have become faster since."""

QUICK_FRAMES = (60, 12, 12)
"""Frames at each sampling in a quick run."""


@dataclass(frozen=True)
class Contest:
    """All entries, by rule ("slot", "short slot", "10", "100"), sampling and contestant."""

    subject: Subject
    drills: tuple[Drill, ...]
    entries: dict[str, dict[float, dict[str, Entry]]]
    contestants: tuple[who.Named, ...]
    refused: dict[str, str]
    guests: tuple[str, ...]
    rungs: tuple[steps.Rung, ...] = ()
    """The Jacobian transpose with steps of several lengths, in the slot."""

    @property
    def best_step(self) -> steps.Rung | None:
        """The best step of the Jacobian transpose that is stable on this clip."""
        return steps.best_stable(self.rungs)

    @property
    def solved(self) -> float:
        """The sum of squared errors of a frame in which all effectors are at the tolerance.

        Below it a frame counts as solved, and how far below is a matter of rounding.
        """
        return len(self.subject.effectors) * (TIGHT * BODY) ** 2

    def boxes(self, rule: str = "slot") -> dict[float, dict[str, Box]]:
        """The box of every entry."""
        return {
            every: {key: box_of(entry.errors) for key, entry in entries.items()}
            for every, entries in self.entries[rule].items()
        }

    def entry(self, key: str, every: float = SAMPLINGS[0], rule: str = "slot") -> Entry:
        return self.entries[rule][every][key]


def hold(order: Order, subject: Subject, caps: Caps, guests: Sequence[Guest] = ()) -> Contest:
    """Run everybody.

    ``guests`` come from elsewhere, such as another program's solvers: functions that follow a drill
    and give entries.  These stand beside the methods under the rule "slot", by their labels; their
    notes are printed below the box plots.
    """
    if order.quick:
        named, refused = who.few(), {}
    else:
        named, refused = who.everyone(subject)
    most = QUICK_FRAMES if order.quick else (None, None, None)
    drills = tuple(
        subject.drill(every, most=count) for every, count in zip(SAMPLINGS, most, strict=True)
    )
    entries: dict[str, dict[float, dict[str, Entry]]] = {}
    rules = ["slot", "short slot", *map(str, EQUAL)]
    if order.quick:
        rules = ["slot", str(EQUAL[0])]
    for rule in rules:
        entries[rule] = {drill.every: {} for drill in drills}
    jobs = [(rule, drill, one) for rule in rules for drill in drills for one in named]
    for rule, drill, one in order.steps("line_search: box plots", jobs):
        if rule == "slot":
            cap = caps.cap(one.key)
        elif rule == "short slot":
            cap = caps.cap(one.key, caps.slot / HASTE)
        else:
            cap = int(rule)
            if cap > SLOTS * caps.cap(one.key):
                continue
        entries[rule][drill.every][one.key] = follow(subject, drill, one.label, one.method, cap)
    invited: list[str] = []
    default = next(one for one in named if one.key == who.DEFAULT)
    for drill in order.steps("line_search: as shipped, and guests", drills):
        row = entries["slot"][drill.every]
        row[who.RESTARTED] = follow(
            subject, drill, who.label_of(who.RESTARTED), default.method, caps.cap(who.DEFAULT),
            restarts=None, seed=order.seed,
        )  # fmt: skip
        row[who.SHIPPED] = follow_as_shipped(subject, drill, who.label_of(who.SHIPPED), order.seed)
        for guest in guests:
            for entry in guest(subject, drill):
                row[entry.label] = entry
                if entry.label not in invited:
                    invited.append(entry.label)
    rungs: tuple[steps.Rung, ...] = ()
    if who.TRANSPOSE in entries["slot"][drills[0].every]:
        keys = {who.STEP: who.TRANSPOSE, who.STEP / 2: who.HALF}
        known = {
            step: {every: row[key] for every, row in entries["slot"].items() if key in row}
            for step, key in keys.items()
        }
        rungs = steps.sweep(order, subject, drills, caps.cap(who.TRANSPOSE), known)
        best = steps.best_stable(rungs)
        if best is not None:
            for every, row in entries["slot"].items():
                row[who.BEST] = best.entries[every]
    return Contest(subject, drills, entries, tuple(named), refused, tuple(invited), rungs)
