"""What an experiment gives: chapters of text, settings, tables, pictures, claims and raw numbers.

A paper's module has one function, ``run(order) -> list[Chapter]``.  It computes and says what it
saw; report.py turns it into a page.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from limbik.figure.motion import Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Page

T = TypeVar("T")


class Verdict(StrEnum):
    """What the run says about a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    DEPENDS = "depends"


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, or one of limbik's own, and what this run saw of it."""

    where: str
    """Where the paper makes it: "section 6.1"; for limbik's own what it is about."""
    says: str
    """The claim, in our words."""
    verdict: Verdict
    """Computed from the numbers of this run, never written down beforehand."""
    seen: str
    """The numbers that the verdict rests on, in a sentence."""
    timed: bool = False
    """Whether it rests on measured times, which differ from run to run: kept with the timings."""
    own: bool = False
    """Whether it is limbik's own claim, which no paper makes: listed and counted apart."""


@dataclass(frozen=True)
class Table:
    """Rows for people; numbers are formatted by the report unless they come as text."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | int]]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A drawing, as the bytes of an SVG or PNG file."""

    title: str
    caption: str
    data: bytes
    kind: str
    """"svg" or "png"."""

    @classmethod
    def of(cls, page: Page, title: str, caption: str, *, kind: str = "svg") -> Picture:
        """A matplotlib page (plots.new_page) as a picture; ``kind="png"`` for very many marks."""
        out = io.BytesIO()
        if kind == "svg":
            # Without a date and with fixed ids two runs give the same bytes.
            import matplotlib as mpl

            with mpl.rc_context({"svg.hashsalt": "limbik", "svg.fonttype": "path"}):
                page.savefig(out, format="svg", metadata={"Date": None})
        else:
            page.savefig(out, format=kind, dpi=130)
        return cls(title, caption, out.getvalue(), kind)


@dataclass
class Chapter:
    """One experiment of a paper."""

    title: str
    text: str
    """What was done and what came out; paragraphs are parted by empty lines."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Everything that one would need to do the same again."""
    claims: list[Claim] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    numbers: dict[str, Any] = field(default_factory=dict)
    """The raw numbers for the JSON file: lists, arrays, numbers and text under plain names.  The
    same for two runs with the same order."""
    timings: dict[str, Any] = field(default_factory=dict)
    """Measured times, kept apart because they differ from run to run."""


@dataclass(frozen=True)
class Order:
    """What was asked for."""

    quick: bool = False
    """A shorter run: all papers together in 2 minutes on 2 cores."""
    seed: int = 0
    clip: Motion | None = None
    """The motion to use; None: the built-in one."""
    clip_name: str = "built-in cartwheel"
    rigs: tuple[Path, ...] = ()
    """Files of skeletons for the gallery of line_search, beside the built-in ones."""
    progress: Callable[[str, int, int], object] = lambda what, done, total: None
    """Told (what is going on, steps done, steps in all)."""

    def steps(self, what: str, items: Iterable[T]) -> Iterator[T]:
        """The items, one by one, with progress reported as they go."""
        todo = list(items)
        for done, item in enumerate(todo):
            self.progress(what, done, len(todo))
            yield item
        self.progress(what, len(todo), len(todo))
