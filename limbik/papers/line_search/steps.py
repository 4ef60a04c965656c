"""The Jacobian transpose at its best: fixed steps of several lengths, and the best stable one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from limbik.methods import JacobianTranspose
from limbik.papers.contract import Order, Table
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.follow import Entry, follow, path_of
from limbik.papers.line_search.subject import Drill, Subject

LADDER = (0.00125, 0.0018, 0.0025, 0.0035, 0.005, 0.007)
QUICK_LADDER = (0.00125, 0.0025, 0.005)
"""Steps τ of equation 27 that are tried, in the paper's unit; 0.005 is the paper's.  Where τ
multiplies Jᵀe instead of the gradient −2Jᵀe, the paper's 0.005 is 0.0025 here."""

STILL = 1e-3
"""Radians: an answer is at rest when two further iterations move no coordinate by more."""


@dataclass(frozen=True)
class Rung:
    """One step length on all drills."""

    step: float
    entries: Mapping[float, Entry]
    """By sampling."""
    restless: Mapping[float, int]
    """By sampling: frames whose answer does not come to rest, because the step is too long."""

    @property
    def stable(self) -> bool:
        """Whether every frame at every sampling comes to rest, or still comes nearer."""
        return not any(self.restless.values())

    @property
    def median(self) -> float:
        """The geometric mean, over the samplings, of the median errors."""
        middle = [float(np.median(entry.errors)) for entry in self.entries.values()]
        return float(np.exp(np.mean(np.log(np.maximum(middle, 1e-300)))))


def restless(f: np.ndarray, q: np.ndarray) -> bool:
    """Whether a path, f (count,) and q (count, n), goes on moving without coming nearer."""
    if len(f) < 2 or np.abs(np.diff(q, axis=0)).max() <= STILL:
        return False
    return bool((np.diff(f) >= 0.0).any())


def best_stable(rungs: Sequence[Rung]) -> Rung | None:
    """The stable step with the lowest medians; None where no step is stable."""
    stable = [rung for rung in rungs if rung.stable]
    return min(stable, key=lambda rung: rung.median) if stable else None


def sweep(
    order: Order,
    subject: Subject,
    drills: Sequence[Drill],
    cap: int,
    known: Mapping[float, Mapping[float, Entry]],
) -> tuple[Rung, ...]:
    """Every step of the ladder on all drills; ``known`` has entries by step and sampling."""
    ladder = QUICK_LADDER if order.quick else LADDER
    rungs = []
    for step in order.steps("line_search: steps of the transpose", ladder):
        method = JacobianTranspose(step=step)
        entries, counts = {}, {}
        for drill in drills:
            entry = known.get(step, {}).get(drill.every)
            if entry is None:
                entry = follow(subject, drill, who.label_of(who.BEST), method, cap)
            entries[drill.every] = entry
            counts[drill.every] = _restless_frames(subject, drill, entry, method)
        rungs.append(Rung(step, entries, counts))
    return tuple(rungs)


def _restless_frames(
    subject: Subject, drill: Drill, entry: Entry, method: JacobianTranspose
) -> int:
    """Frames of an entry whose answers two further iterations show to be restless."""
    count = 0
    for chain, poses in zip(drill.chains, entry.poses, strict=True):
        for targets, q in zip(chain.targets, poses, strict=True):
            path = path_of(subject.figure, subject.effectors, targets, q, method, 2)
            count += restless(path.f, path.q)
    return count


def table(rungs: Sequence[Rung]) -> Table:
    """The ladder, for people."""
    samplings = list(rungs[0].entries)
    columns = [
        "step τ",
        *(f"median, {every:g} s" for every in samplings),
        *(f"restless frames, {every:g} s" for every in samplings),
        "stable",
    ]
    rows = [
        [
            rung.step,
            *(float(np.median(rung.entries[every].errors)) for every in samplings),
            *(rung.restless[every] for every in samplings),
            rung.stable,
        ]
        for rung in rungs
    ]
    return Table(
        "Fixed steps of the Jacobian transpose, in the slot",
        columns,
        rows,
        f"A frame is restless when two further iterations move a coordinate by more than {STILL:g} "
        "rad and raise f. The best stable step is the one with the lowest medians, chosen after "
        "the fact: what the method can do, not what a user would have known.",
    )
