"""Goals of several priorities: solved level by level, the levels above held where they ended.

The first level is solved as if it were alone.  Each level below is solved with the rows of those
above it held (methods/default/held_lm.py); what would move them by more than its share of 1e-6 of
their units, or leave its own f higher than it was, is taken back.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from limbik.errors import MethodError
from limbik.figure import layout as lay
from limbik.goals import Rest
from limbik.goals.priority import FIRST
from limbik.methods import Method
from limbik.methods.base import OUT_ITERATIONS, REACHED, SPENT, STATIONARY
from limbik.methods.default.held_lm import (
    EQUAL,
    FREE,
    O_ASKS,
    O_ROWS,
    ONE_SIDED,
    TIGHT,
    HeldLevenbergMarquardt,
)
from limbik.solver import objective as ob
from limbik.solver.explanation.holders import worst_goal
from limbik.solver.problem import Problem
from limbik.solver.runner import Runner
from limbik.solver.targets.target_slots import shared_floats

MOVED = 1e-6
"""How far all lower levels together may move a higher one, in the units of its goals."""

_PART = 0.1  # of its tolerance: how far what holds so exactly may move
_FIRM = 1e8  # times the square of the lever: the weight of coordinates that a Rest above holds


def runner_of(problem: Problem, method: Method, **options: Any) -> Runner:
    """A Runner, one that knows of priorities where the goals have several."""
    return (OrderedRunner if max(problem.levels) else Runner)(problem, method, **options)


class OrderedRunner(Runner):
    """A Runner for goals of several priorities; ``method`` solves the first level."""

    def __init__(self, problem: Problem, method: Method, **options: Any) -> None:
        super().__init__(problem, method, **options)
        self._options = options
        last = max(problem.levels)
        self._levels = [_Level(problem, method, k, options, MOVED / last) for k in range(last + 1)]
        self._order = threading.Lock()
        # Loops alone come first: most often they and the goals can be met together.
        alone = max(problem.levels) == 1 and all(
            getattr(goal, "priority", 0) == FIRST
            for goal, level in zip(problem.goals, problem.levels, strict=True)
            if level == 0
        )
        quick = alone and self._levels[1].asks
        once: dict[str, Any] = {**options, "restarts": 0}
        self._quick = Runner(problem, method, **once) if quick else None

    def again(self) -> OrderedRunner:
        """Another one for the same problem, for another thread."""
        problem = self.problem.at(self.problem.floats.copy())
        return OrderedRunner(problem, self.method, **self._options)

    def compile(self) -> None:
        pass  # a chain is run problem by problem (run_chain_in_order)

    def run(
        self,
        q: np.ndarray,
        seed: int = 0,
        history: np.ndarray | None = None,
        budget: int | None = None,
    ) -> tuple[int, np.ndarray]:
        """Solve from q (n,), projected first, in place; (exit code, totals over all levels)."""
        if budget is not None and budget < 1:
            raise MethodError(f"budget must be at least 1 iteration, got {budget}")
        if self._quick is not None:
            start = q.copy()
            code, totals = self._quick.run(q, seed, history, budget)
            if code == REACHED:
                return code, totals
            q[:] = start
        with self._order:
            self._levels[0].take(self.problem, q)
            code, totals = self._levels[0].runner.run(q, seed, history, budget)
            codes = [code]
            for level in self._levels[1:]:
                left = None if budget is None else budget - int(totals[OUT_ITERATIONS])
                if left is not None and left < 1:
                    codes.append(SPENT)
                    break
                level.take(self.problem, q)
                code, more = level.improve(q, seed, left)
                codes.append(code)
                totals[1 : len(totals) - 1] += more[1 : len(totals) - 1]
                totals[-1] = max(totals[-1], more[-1])
        worst = worst_goal(self.problem, q)
        if worst is None:
            return REACHED, totals
        # What is said of the answer is said of the first level that is short.
        level = self.problem.levels[worst]
        code = codes[level] if level < len(codes) else SPENT
        return (STATIONARY if code == REACHED else code), totals


class _Level:
    """One level: its goals and those above it, as a problem with a runner of its own."""

    def __init__(
        self, full: Problem, method: Method, level: int, options: dict[str, Any], most: float
    ) -> None:
        """most: how far this level may move those above it, in the units of their goals."""
        self._most = most
        self.numbers = [k for k, of in enumerate(full.levels) if of <= level]
        self.problem = problem = full.part(self.numbers)
        self._shared = shared_floats(problem, full, self.numbers)
        above = np.array([full.levels[k] < level for k in self.numbers])
        self._held_goals = [k for k in range(len(self.numbers)) if above[k]]
        self._held_terms = [t for k in self._held_goals for t in problem.terms_of[k]]
        own = [k for k in range(len(self.numbers)) if not above[k]]
        asked = [t for k in own for t in problem.terms_of[k]]
        self.asks = bool(np.isfinite(problem.tolerances[asked]).any())
        if level == 0:
            self.runner = Runner(problem, method, **options)
            return
        if not self.asks:  # wishes have no tolerance: there is nothing to start again for
            options = options | {"restarts": 0}
        self.runner = Runner(problem, HeldLevenbergMarquardt(), **options)
        self._own_rows = ~np.logical_or.reduce(problem.rows_of[self._held_goals])
        self._own_rest = _diagonal(problem, own)
        self._held_rest = _diagonal(problem, self._held_goals)[0] > 0.0
        first = int(problem.ints[lay.F_TOLERANCE])
        problem.floats[first : first + len(problem.terms)][self._held_terms] = np.inf
        self._tables = tables = np.zeros((3, problem.rows))
        # Terms that are held at 0 where they hold.
        self._at_zero: list[tuple[int, slice, bool]] = []
        for t, row in enumerate(np.cumsum([0, *(term.rows for term in problem.terms)])[:-1]):
            if t not in self._held_terms:
                continue
            term, rows = problem.terms[t], slice(row, row + problem.terms[t].rows)
            size = np.sqrt(float(term.weight.max(initial=0.0))) or np.inf
            if term.matrix_weight is not None:
                size = np.sqrt(float(np.linalg.eigvalsh(term.matrix_weight)[0]))
            tables[0, rows] = EQUAL
            # What must hold more exactly than others moves less.
            tables[1, rows] = max(1.0, TIGHT / (_PART * problem.tolerances[t])) / size
            one_sided = term.functions is not None and term.functions.one_sided
            if one_sided or problem.tolerances[t] < MOVED:
                self._at_zero.append((t, rows, one_sided))

    def take(self, full: Problem, q: np.ndarray) -> None:
        """Take the targets as they are now, and what is held as it is at q."""
        problem = self.problem
        to, target_offsets = self._shared
        problem.floats[to] = full.floats[target_offsets]
        if not self._held_goals:
            return
        ints, floats, tables = problem.ints, problem.floats, self._tables
        tables[2] = np.where(tables[0] == FREE, 0.0, problem.residual(q))
        errors = ob.errors_of(ints, problem.state)
        for t, rows, one_sided in self._at_zero:
            holds = errors[t] <= problem.tolerances[t]
            tables[0, rows] = ONE_SIDED if holds and one_sided else EQUAL
            if holds:
                tables[2, rows] = 0.0
        for options in (self.runner.final_options, self.runner.draft_options):
            options[O_ASKS] = self.asks
            options[O_ROWS : O_ROWS + tables.size] = tables.ravel()
        if ints[lay.N_REST]:
            weight, pose = self._own_rest
            moved = lay.section(ints, floats, lay.F_REST_POSE)
            only = sum(isinstance(goal, Rest) for goal in full.goals) == 1
            firm = _FIRM * problem.scene.lever**2
            lay.section(ints, floats, lay.F_REST)[:] = np.where(self._held_rest, firm, weight)
            moved[:] = np.where(self._held_rest, q, moved if only else pose)
            floats[int(ints[lay.F_REST_OFFSET])] = 0.0

    def improve(self, q: np.ndarray, seed: int, budget: int | None) -> tuple[int, np.ndarray]:
        """Solve for this level from q, in place; what moves the levels above is taken back."""
        problem, before = self.problem, q.copy()
        q[:] = problem.figure.project(q)
        errors, f = self._held_and_own(q)
        code, totals = self.runner.run(q, seed, None, budget)
        errors_after, f_after = self._held_and_own(q)
        moved = np.abs(errors_after - errors)
        still = (np.abs(q - before)[self._held_rest] <= self._most).all()
        if not (still and (moved <= self._most).all() and f_after <= f * (1.0 + 1e-9)):
            q[:] = before
            code = STATIONARY if code in (REACHED, STATIONARY) else code
        return code, totals

    def _held_and_own(self, q: np.ndarray) -> tuple[np.ndarray, float]:
        """The errors of what is held, in the units of its goals, and f of this level alone."""
        problem = self.problem
        ints, floats, own = problem.ints, problem.floats, problem.residual(q)[self._own_rows]
        errors, f = ob.errors_of(ints, problem.state)[self._held_terms], float(own @ own)
        if ints[lay.N_REST]:
            pose = lay.section(ints, floats, lay.F_REST_POSE)
            weight = np.where(self._held_rest, 0.0, lay.section(ints, floats, lay.F_REST))
            f += float(weight @ (q - pose) ** 2)
        return errors, f


def _diagonal(problem: Problem, goals: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """(weights (n,), pose (n,)) of the Rest goals among these, as one."""
    weight, moment = np.zeros(problem.figure.n), np.zeros(problem.figure.n)
    for k in goals:
        goal = problem.goals[k]
        if isinstance(goal, Rest):
            w, p = goal.diagonal(problem.scene)
            weight, moment = weight + w * problem.moves, moment + w * problem.moves * p
    return weight, np.divide(moment, weight, out=np.zeros_like(moment), where=weight > 0)
