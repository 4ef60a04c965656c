"""Other starts: whether a drag that ends short is stuck in a local optimum, and the way out.

A drag goes on from its last answer and never restarts, so that it follows the hand.  Where it ends
short, what holds it there need not hold it everywhere: here the same goals are solved from other
poses.  While a person drags, little time is spent on that, and what is found goes along with the
target; when the drag has ended, more.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from limbik.figure.units import length_text
from limbik.methods import ProjectedLevenbergMarquardt
from limbik.poser.drag.answer import Answer
from limbik.poser.drag.drag_solver import DragSolver
from limbik.posture.floor import Floor
from limbik.solver.explanation.holders import too_short, worst_goal
from limbik.solver.problem import Problem
from limbik.solver.result import Miss, Status, misses
from limbik.solver.runner import Runner

PROBE = 60
"""Iterations that a look at other starts may take while a person drags."""

SEARCH = 600
"""Iterations of one search after a drag; a search is one of SEARCHES."""

SEARCHES = 6

NEAR = 60
"""Iterations that bring a pose that was found back towards the present one."""

PART, STILL_PART, LEAST, LEAST_ANGLE = 0.5, 0.7, 0.01, math.radians(5.0)
"""A pose is clearly better where the worst error falls below this part of what it was (the second
for one that is known already, so that the sentence does not come and go), and by this many sizes or
radians at least."""

_DRAG_SEED, _SEARCH_SEED = 1, 1000
_ALIKE = 1.05  # objectives within this factor are equally good: the nearer pose is taken


class OtherStarts:
    """The goals of a drag solver, solved from other poses than its own.

    ``q`` is a pose (n,) that is clearly better than the one shown, None where none is known.
    ``tried`` counts searches.
    """

    def __init__(self, live: DragSolver) -> None:
        self._live = live
        self.q: np.ndarray | None = None
        self.tried = 0
        self._short = 0  # drags in a row that ended short
        self._runners: tuple[Runner, Runner] | None = None
        self._with_pull: Runner | None = None

    def watch(self, answer: Answer) -> Answer:
        """The answer to a drag; its sentence says where it is stuck.

        Other starts are tried at the first drag that ends short, then after 2, 4, 8 and so on.
        """
        if not self.worth_searching(answer):
            self.q, self._short = None, 0
            return answer
        self._short += 1
        if self.q is not None:
            q = self.q.copy()
            self._follow(q)
            self.q = q if self._is_better(q, answer.q, STILL_PART) else None
        if self.q is None and self._short & (self._short - 1) == 0:
            self.q = self._found(answer.q, _DRAG_SEED + self._short, PROBE)
        return self.explained(answer)

    def released(self, answer: Answer) -> bool:
        """Take the answer to the end of a drag, and say whether a search for a better pose is worth
        it.  The end of a drag takes more iterations than its steps, and may have come as near as
        the pose that was known."""
        worth = self.worth_searching(answer)
        if self.q is not None and not (worth and self._is_better(self.q, answer.q)):
            self.q = None
        return worth

    def explained(self, answer: Answer) -> Answer:
        """The answer, where another pose is known to be better with a sentence that says so: the
        limits that hold it in this pose are not the reason."""
        if self.q is None:
            return answer
        return replace(
            answer,
            why=self.sentence(answer),
            limits=answer.limits[:0],
            is_following=False,
            is_stuck=True,
        )

    def worth_searching(self, answer: Answer) -> bool:
        """Whether a goal is missed clearly, and no bone is too short for it."""
        problems = self._live.problems
        if problems is None or answer.status in (None, Status.REACHED) or answer.ok:
            return False
        length, angle = _worst(misses(problems[0], answer.q))
        if length <= LEAST * self._live.figure.size and angle <= LEAST_ANGLE:
            return False
        goal = worst_goal(problems[0], answer.q)
        return goal is not None and too_short(problems[0], goal) is None

    def search(self, answer: Answer) -> bool:
        """Look for a pose that is better than the answer's; True where more searches may help.

        Of poses that are equally good the one nearest to the answer's is kept.
        """
        self.tried += 1
        found = self._found(answer.q, _SEARCH_SEED + self.tried, SEARCH)
        best, then = self.q, self._problems()[0]
        if best is not None and self.tried == 1:
            best = self._brought_near(best, answer.q)
        if found is not None:
            found = self._brought_near(found, answer.q)
            if best is None or self._rank(found, best, answer.q, then):
                best = found
        self.q = best
        return self.tried < SEARCHES

    def sentence(self, answer: Answer) -> str:
        """What is said where another pose is known to be better."""
        assert self.q is not None
        problem = self._problems()[0]
        here, there = misses(problem, answer.q), misses(problem, self.q)
        goal = worst_goal(problem, answer.q)
        goal = 0 if goal is None else goal
        other = "reaches it"
        if not all(miss.ok for miss in there):
            other = f"comes nearer ({_amount(problem, *_worst(there))})"
        amount = _amount(problem, here[goal].length, here[goal].angle)
        return f"stuck here: {here[goal].label} is {amount} in this pose, and another pose {other}"

    def answer(self, shown: Answer) -> Answer:
        """How the goals stand in the better pose."""
        assert self.q is not None
        goals = shown.goals.copy()
        for row, miss in zip(goals, misses(self._problems()[0], self.q), strict=False):
            row[3] = miss.ok
            row[1:3] = [math.nan if x is None else x for x in (miss.length, miss.angle)]
        return replace(
            shown, q=self.q, goals=goals, limits=shown.limits[:0], why=self.sentence(shown)
        )

    # ---- inside ----------------------------------------------------------------------------

    def _problems(self) -> tuple[Problem, Problem]:
        problems = self._live.problems
        assert problems is not None
        return problems

    def _ready(self) -> tuple[Runner, Runner]:
        """(one that restarts, one that does not); made anew where the drag solver's goals are."""
        problem = self._problems()[0]
        if self._runners is None or self._runners[0].problem is not problem:
            method = ProjectedLevenbergMarquardt()
            self._runners = (
                Runner(problem, method, near=True, restarts=None),
                Runner(problem, method, near=True, restarts=0),
            )
        return self._runners

    def _found(self, q: np.ndarray, seed: int, budget: int) -> np.ndarray | None:
        """A clearly better pose than q, or None."""
        for _ in range(2):  # the second time the floor holds what went below it
            start = q.copy()
            self._ready()[0].run(start, seed, None, budget)
            found = self._inside(start)
            if found is None or not self._is_better(found, q):
                return None
            if not self._live.sinks(found):
                return found
        return None

    def _follow(self, q: np.ndarray) -> None:
        self._ready()[1].run(q, 0, None, PROBE)

    def _inside(self, q: np.ndarray) -> np.ndarray | None:
        return self._live.figure.project(q) if np.isfinite(q).all() else None

    def _brought_near(self, q: np.ndarray, shown: np.ndarray) -> np.ndarray:
        """The pose with what the goals leave free brought back towards the pose shown."""
        pulled = self._problems()[1]
        if self._with_pull is None or self._with_pull.problem is not pulled:
            self._with_pull = Runner(pulled, ProjectedLevenbergMarquardt(), near=True, restarts=0)
        near = q.copy()
        self._with_pull.run(near, 0, None, NEAR)
        self._follow(near)
        inside = self._inside(near)
        if inside is None or not self._is_better(inside, shown) or self._live.sinks(inside):
            return q
        return inside

    def _is_better(self, q: np.ndarray, than: np.ndarray, part: float = PART) -> bool:
        """Whether q meets the goals clearly better than another pose; a body does not twist itself
        more than that is worth."""
        problem, pulled = self._problems()
        if self._live.posture is not None and pulled.objective(q) >= pulled.objective(than):
            return False
        new, old = _worst(misses(problem, q)), _worst(misses(problem, than))
        if problem.objective(q) >= problem.objective(than) or self._depth(q) > self._depth(than):
            return False
        least = LEAST * self._live.figure.size
        nearer = new[0] < part * old[0] and old[0] - new[0] > least
        straighter = new[1] < part * old[1] and old[1] - new[1] > LEAST_ANGLE
        return nearer or straighter

    def _depth(self, q: np.ndarray) -> float:
        """How far the pose q is below the floor; 0 where it is not."""
        problem = self._problems()[0]
        found = zip(problem.goals, misses(problem, q), strict=True)
        below = (miss.length for goal, miss in found if isinstance(goal, Floor) and not miss.ok)
        return max((depth or 0.0 for depth in below), default=0.0)

    def _rank(self, q: np.ndarray, other: np.ndarray, shown: np.ndarray, problem: Problem) -> bool:
        """Whether q is better than another pose, or as good and nearer to the one shown."""
        floor = float(np.max(problem.tolerances, initial=0.0)) ** 2
        a, b = problem.objective(q) + floor, problem.objective(other) + floor
        if a > _ALIKE * b or b > _ALIKE * a:
            return a < b
        return self._away(q, shown) < self._away(other, shown)

    def _away(self, q: np.ndarray, shown: np.ndarray) -> float:
        """How far the joints are from where they are shown, in total."""
        figure = self._live.figure
        return float(np.linalg.norm(figure.positions(q) - figure.positions(shown), axis=1).sum())


def _worst(errors: tuple[Miss, ...]) -> tuple[float, float]:
    """The largest error of the goals that are missed, as a length and as an angle."""
    missed = [miss for miss in errors if not miss.ok]
    return (
        max((miss.length or 0.0 for miss in missed), default=0.0),
        max((miss.angle or 0.0 for miss in missed), default=0.0),
    )


def _amount(problem: Problem, length: float | None, angle: float | None) -> str:
    if length:
        return f"{length_text(length, problem.figure.unit)} short"
    return f"{math.degrees(angle or 0.0):.3g}° off"
