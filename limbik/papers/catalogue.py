"""Which papers there are, and running the experiments of one."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from queue import Empty
from typing import Any

from limbik.errors import LimbikError, did_you_mean
from limbik.papers.contract import Chapter, Claim, Order, Verdict
from limbik.papers.machine import cores


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
        """The paper's claims, of all chapters."""
        return [claim for chapter in self.chapters for claim in chapter.claims if not claim.own]

    @property
    def own_claims(self) -> list[Claim]:
        """limbik's own claims, which stand beside the paper's in its chapters."""
        return [claim for chapter in self.chapters for claim in chapter.claims if claim.own]

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How many of the paper's claims hold, do not hold and depend."""
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


_PROCESSES = 2  # more would spend their time on compiling the same kernels
_LOOK = 0.1  # seconds between two looks at what the processes tell

_queue: Any = None  # in a process of its own: where it tells how far it is


def reproduce_all(papers: list[Paper], order: Order) -> list[Reproduced]:
    """Run the experiments of several papers, one after the other.

    A quick run shares them out over two processes where there are two cores: half its time is
    compiling.  A full one does not, because it also measures times.
    """
    workers = min(_PROCESSES, cores(), len(papers))
    if workers < 2 or not order.quick:
        return [reproduce(paper, order) for paper in order.steps("papers", papers)]
    context = multiprocessing.get_context("spawn")
    queue: Any = context.Queue()
    silent = replace(order, progress=_forget)
    with ProcessPoolExecutor(workers, context, _listen, (queue,)) as pool:
        # The longest first (the order of the catalogue), or it would be waited for at the end.
        running = [pool.submit(_apart, paper, silent) for paper in papers]
        try:
            _pass_on(queue, running, order)
            return [future.result() for future in running]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _forget(what: str, done: int, total: int) -> None:
    """Progress that is not reported."""


def _listen(queue: Any) -> None:
    global _queue
    _queue = queue


def _report(what: str, done: int, total: int) -> None:
    _queue.put((what, done, total))


def _apart(paper: Paper, order: Order) -> Reproduced:
    return reproduce(paper, replace(order, progress=_report))


def _pass_on(queue: Any, running: list[Future[Reproduced]], order: Order) -> None:
    """Pass on what the processes tell, until all are done or one has failed."""
    while not all(future.done() for future in running):
        order.progress("papers", sum(future.done() for future in running), len(running))
        if any(future.done() and future.exception() for future in running):
            return
        try:
            order.progress(*queue.get(timeout=_LOOK))
        except Empty:
            continue
    order.progress("papers", len(running), len(running))
