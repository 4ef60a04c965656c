"""The experiments of line_search (Engell-Nørregård & Erleben 2011), done again."""

from __future__ import annotations

from collections.abc import Sequence

from limbik.papers.contract import Chapter, Order
from limbik.papers.line_search import caps, contest
from limbik.papers.line_search.caps import calibrate
from limbik.papers.line_search.chapters import (
    boxes,
    ccd,
    divergence,
    equation_29,
    flip,
    gallery,
    jump,
    leg,
    quaternions,
    redundancy,
    running,
    singular,
    timelapse,
)
from limbik.papers.line_search.follow import Entry, Guest, from_positions, measured
from limbik.papers.line_search.guests import installed
from limbik.papers.line_search.subject import Drill, Subject, subject_of

__all__ = [
    "Drill",
    "Entry",
    "Guest",
    "Subject",
    "calibrate",
    "from_positions",
    "measured",
    "run",
    "subject_of",
]


def run(order: Order, guests: Sequence[Guest] | None = None) -> list[Chapter]:
    """All experiments of the paper, a chapter each.

    ``guests`` (Blender where it is installed, unless given) follow the same drills as the methods
    and stand in the same box plots: each is called with the subject and a drill, and gives entries
    (``measured`` makes one from poses, ``from_positions`` from where the effectors came to lie).
    """
    subject = subject_of(order)
    kept = caps.read()
    held = contest.hold(order, subject, kept, installed() if guests is None else guests)
    return [
        boxes.chapter(order, held, kept),
        divergence.chapter(order, subject),
        gallery.chapter(order),
        redundancy.chapter(order, held),
        running.chapter(order, kept),
        flip.chapter(order, held),
        leg.chapter(order),
        jump.chapter(order),
        timelapse.chapter(order, held),
        singular.chapter(order, held),
        ccd.chapter(order, held),
        equation_29.chapter(order, held),
        quaternions.chapter(order),
    ]
