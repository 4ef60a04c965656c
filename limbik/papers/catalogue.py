"""Which papers there are, and running the experiments of one."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from importlib import import_module

from limbik.errors import LimbikError, did_you_mean
from limbik.papers.contract import Chapter, Claim, Order, Verdict


@dataclass(frozen=True)
class Paper:
    """A paper by its short name, which is also the module with its experiments."""

    name: str
    title: str
    source: str
    """Who wrote it, and where it stands."""


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "line_search",
            "A projected back-tracking line-search for constrained interactive inverse kinematics",
            "M. Engell-Nørregård and K. Erleben, Computers & Graphics, 2011, and its preprint",
        ),
        Paper(
            "extended_jacobian",
            "Solving inverse kinematics – a new approach to the extended Jacobian technique",
            "M. Šoch and R. Lórencz, Czech Technical University in Prague",
        ),
        Paper(
            "dual_quaternion",
            "Inverse kinematics with dual-quaternions, exponential-maps, and joint limits",
            "B. Kenwright, Newcastle University",
        ),
        Paper(
            "newton_svd",
            "Numerical methods for inverse kinematics",
            "N. Joubert, notes for CS184, UC Berkeley, 2008",
        ),
    )
}
"""By short name, in the order of the report."""


@dataclass(frozen=True)
class Reproduced:
    """A paper with the chapters of its experiments, and the seconds they took."""

    paper: Paper
    chapters: list[Chapter]
    seconds: float

    @property
    def claims(self) -> list[Claim]:
        """The claims of all chapters."""
        return [claim for chapter in self.chapters for claim in chapter.claims]

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How many claims hold, do not hold and depend."""
        return count_verdicts(self.claims)


def count_verdicts(claims: list[Claim]) -> dict[Verdict, int]:
    """How many of the claims got each verdict, in the order of :class:`Verdict`."""
    seen = Counter(claim.verdict for claim in claims)
    return {verdict: seen[verdict] for verdict in Verdict}


def chosen(name: str | None) -> list[Paper]:
    """The paper of that name; all of them where there is no name."""
    if name is None:
        return list(PAPERS.values())
    if name not in PAPERS:
        hint = did_you_mean(name, PAPERS) or f" (there are {', '.join(PAPERS)})"
        raise LimbikError(f'there is no paper called "{name}"{hint}')
    return [PAPERS[name]]


def reproduce(paper: Paper, order: Order) -> Reproduced:
    """Run the experiments of one paper."""
    start = time.perf_counter()
    # Only now: a paper's module may load SciPy or Blender, which no other command needs.
    chapters = import_module(f"limbik.papers.{paper.name}").run(order)
    return Reproduced(paper, chapters, time.perf_counter() - start)
