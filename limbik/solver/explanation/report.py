"""What is said of an answer: status, errors, limits and why, worked out when somebody asks."""

from __future__ import annotations

import time
from functools import cached_property

import numpy as np

from limbik.methods.base import (
    OUT_EVALUATIONS,
    OUT_HISTORY,
    OUT_ITERATIONS,
    OUT_SINGULAR,
    STUCK,
)
from limbik.solver.explanation.explain import explain, status_of
from limbik.solver.explanation.holders import ActiveLimit, Holders, active_limits
from limbik.solver.problem import Problem
from limbik.solver.restarts import TOTAL_ATTEMPTS
from limbik.solver.result import History, Miss, Result, Status, misses


class Report:
    """An answer q with the targets it was found for, and what follows from it.

    ``floats`` are the problem's numbers at that time: its targets may move later.
    """

    def __init__(
        self,
        problem: Problem,
        floats: np.ndarray,
        q: np.ndarray,
        code: int,
        totals: np.ndarray,
        noted: np.ndarray | None,
    ) -> None:
        self._problem, self._floats, self._q = problem, floats, q
        self._code, self._totals, self._noted = code, totals, noted

    @cached_property
    def problem(self) -> Problem:
        """The problem with the targets that were solved for."""
        return self._problem.at(self._floats)

    @cached_property
    def _status(self) -> tuple[Status, Holders | None]:
        return status_of(self.problem, self._code, self._q)

    @property
    def status(self) -> Status:
        return self._status[0]

    @cached_property
    def errors(self) -> tuple[Miss, ...]:
        return misses(self.problem, self._q)

    @cached_property
    def why(self) -> str:
        status, holders = self._status
        stuck = self._code == STUCK
        return explain(self.problem, self._q, status, holders, self.errors, self.attempts, stuck)

    @cached_property
    def limits(self) -> tuple[ActiveLimit, ...]:
        return active_limits(self.problem, self._q)

    @cached_property
    def objective(self) -> float:
        return self.problem.objective(self._q)

    @property
    def attempts(self) -> int:
        return int(self._totals[TOTAL_ATTEMPTS])

    @property
    def iterations(self) -> int:
        return int(self._totals[OUT_ITERATIONS])

    @property
    def evaluations(self) -> int:
        return int(self._totals[OUT_EVALUATIONS])

    @property
    def singular(self) -> int:
        return int(self._totals[OUT_SINGULAR])

    @property
    def history(self) -> History | None:
        if self._noted is None:
            return None
        kept = self._noted[: int(self._totals[OUT_HISTORY])]
        return History(kept[:, 0].copy(), kept[:, 1:].copy())


def result_of_run(
    problem: Problem,
    q: np.ndarray,
    code: int,
    totals: np.ndarray,
    noted: np.ndarray | None,
    began: float,
) -> Result:
    """The result of a run that ended at q with an exit code; ``began`` is when it was asked for."""
    report = Report(problem, problem.floats.copy(), q, code, totals, noted)
    return Result.late(report, q, time.perf_counter() - began)
