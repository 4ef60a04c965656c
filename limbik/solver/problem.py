"""A problem: goals and limits stacked into r(q), J(q), P(q) and f = rᵀWr, the only meeting point.

It compiles once into the figure's flat buffers plus sections of its own; objective.py has the
kernels that read them.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from limbik.errors import GoalError, did_you_mean
from limbik.figure import layout as lay
from limbik.figure.figure import Figure, Pose
from limbik.goals import Goal, PythonGoal
from limbik.goals import terms as tm
from limbik.goals.moving import target_table
from limbik.goals.priority import levels_of
from limbik.solver import objective as ob
from limbik.solver.layout import Shape, layout_of, row_owners
from limbik.solver.problem_arguments import (
    checked_figure,
    full_weights,
    goals_given,
    moving_coordinates,
    names_given,
    rest_of,
    tolerances_of,
)
from limbik.solver.targets.target_slots import own_floats, target_writes


class Problem:
    """A figure, what must hold, and what is allowed, compiled for the methods.

    Rows stand in the order of the goals, position before rotation; those of PythonGoals come last.

    Args:
        figure: the figure to pose.
        goals: one goal or several.
        start: (n,), or values by name over the rest pose; projected onto the limits.
        tolerance: one number, or (position in the figure's unit, rotation in rad).
        lock: names of joints that keep their start values.
        weights: a symmetric positive definite W (rows, rows) over all rows, which then replaces the
            goals' own weights (equation 17 of line_search).
    """

    def __init__(
        self,
        figure: Figure,
        goals: Goal | Iterable[Goal],
        *,
        start: Pose | None = None,
        tolerance: float | tuple[float, float] | None = None,
        lock: Iterable[str] = (),
        weights: np.ndarray | None = None,
    ) -> None:
        self.figure = checked_figure(figure)
        self._weights, self._given = weights, (tolerance, names_given(lock, "lock"))
        self._unlocked: Problem | None = None
        self.goals: tuple[Goal, ...] = goals_given(goals)
        if not self.goals:
            raise GoalError("no goals: there is nothing to solve for")
        for goal in self.goals:
            if not hasattr(goal, "terms") or isinstance(goal, type):
                raise GoalError(f"{goal!r} is not a goal")
        self.levels = levels_of(self.goals)
        if weights is not None and max(self.levels):
            raise GoalError("weights: a matrix over all rows leaves no room for priorities")
        if start is None:
            self.start = figure.rest.copy()  # which is inside the limits
        else:
            self.start = figure.project(figure.single_pose(start, "start"))
        self.scene = tm.Scene(figure, self.start)
        self.terms: list[tm.Term] = []
        self.terms_of: list[list[int]] = [[] for _ in self.goals]
        # Rows of goals written in Python come last.
        last = [isinstance(goal, PythonGoal) for goal in self.goals]
        for k in sorted(range(len(self.goals)), key=last.__getitem__):
            found = self.goals[k].terms(self.scene)
            self.terms_of[k] = list(range(len(self.terms), len(self.terms) + len(found)))
            self.terms += found
        self._functions = [t.functions for t in self.terms if t.functions is not None]
        self.tolerances = tolerances_of(figure, self.terms, tolerance)
        self.rows = sum(term.rows for term in self.terms)
        locked = self._given[1]
        self.moves = moving_coordinates(figure, locked)
        full = full_weights(self.terms, weights)
        rest = rest_of(self.goals, self.scene, self.moves)
        shape = Shape(
            figure, self.terms, self.start, self.moves, self.tolerances, full is not None,
            self.scene.lever, 0 if rest is None else int((rest[0] > 0).sum()),
        )  # fmt: skip
        layout = layout_of(shape, bool(locked))
        self.ints, self.floats, self.root = layout.ints, layout.floats.copy(), layout.root
        self._write(weights is None, full, rest)
        self.state = np.empty(layout.state)  # where everything is at the last evaluated pose

    # ---- what methods minimise, for people and tests ---------------------------------------

    def residual(self, q: np.ndarray) -> np.ndarray:
        """(rows,) weighted residuals: f is their squared length plus the Rest goals.

        Args:
            q: a pose (n,).

        Returns:
            (rows,) √W·(g − F(q)).
        """
        r = np.empty(self.rows)
        ob.evaluate(self.ints, self.floats, self._pose(q), self.state, r)
        self.raise_failure()
        return r

    def objective(self, q: np.ndarray) -> float:
        """f(q).

        Args:
            q: a pose (n,).

        Returns:
            f = rᵀr plus the diagonal goals.
        """
        r = np.empty(self.rows)
        f = float(ob.evaluate(self.ints, self.floats, self._pose(q), self.state, r))
        self.raise_failure()
        return f

    def _pose(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """q (n,), fresh and checked: kernels read as many numbers as the figure has."""
        return self.figure.single_pose(q, "q")

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """(rows, n) weighted Jacobian of F: minus the derivative of ``residual``.

        Args:
            q: a pose (n,).

        Returns:
            (rows, n), per rad or unit.
        """
        q, r = self._pose(q), np.empty(self.rows)
        jt, model = np.empty((self.figure.n, self.rows)), np.empty(self.rows)
        ob.evaluate(self.ints, self.floats, q, self.state, r)
        ob.linearise(self.ints, self.floats, q, self.state, r, jt, model)
        self.raise_failure()
        return np.ascontiguousarray(jt.T)

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """(n,) ∇f, equation 26 of line_search.

        Args:
            q: a pose (n,).

        Returns:
            (n,), f per rad or unit.
        """
        r, jt = self.residual(q), np.ascontiguousarray(self.jacobian(q).T)
        out = np.empty(self.figure.n)
        ob.descent(self.ints, self.floats, self._pose(q), jt, r, out)
        return -2.0 * out

    def hessian(self, q: np.ndarray) -> np.ndarray:
        """(n, n) ∇²f; goals that are functions without second derivatives count as linear.

        Args:
            q: a pose (n,).

        Returns:
            (n, n), symmetric.
        """
        q, n, slots = self._pose(q), self.figure.n, len(self.figure.tree.slots)
        jacobian, r, s = self.jacobian(q), self.residual(q), np.empty((n, n))
        ob.curvature(
            self.ints, self.floats, q, self.state, r, np.empty(self.rows), np.empty((slots, 3)),
            np.empty((slots, 3)), np.empty((n, 3)), s,
        )  # fmt: skip
        rest = lay.section(self.ints, self.floats, lay.F_REST)
        return 2.0 * (jacobian.T @ jacobian + np.diag(rest) + s)

    def __repr__(self) -> str:
        name = self.figure.name or "unnamed"
        return f"<Problem {name}: {len(self.goals)} goals, {self.rows} rows, n = {self.figure.n}>"

    @cached_property
    def rows_of(self) -> np.ndarray:
        """(goals, rows) whether a row is one of the goal's."""
        owners = row_owners(self.terms)
        rows = np.zeros((len(self.goals), self.rows), bool)
        for k, terms in enumerate(self.terms_of):
            rows[k] = np.isin(owners, terms)
        return rows

    # ---- targets that move -----------------------------------------------------------------

    def set_target(self, goal: Goal | int | str, **target: Any) -> None:
        """Give a goal a new target, without compiling the problem again.

        ``goal`` is the goal, its place among the goals, or its label.  The target is named as in
        the goal: ``position=`` and ``wxyz=`` of a Reach that was made with them, ``target=`` of an
        Aim, ``normal=`` and ``offset=`` of a Plane, ``distance=`` of a Distance, ``pose=`` of a
        Rest that is the only one, ``data=`` of a CompiledGoal.

        Args:
            goal: the goal, its place among the goals, or its label.
            target: named as in the goal: ``position=``, ``wxyz=``, ``target=``, ``normal=``,
                ``offset=``, ``distance=``, ``pose=`` or ``data=``.

        Raises:
            GoalError: there is no such goal, or it has no such target.

        Example:
            >>> problem = limbik.Problem(fig, limbik.Reach("LeftHand", position=[0.4, 1.2, 0.3]))
            >>> problem.set_target("LeftHand", position=[0.4, 1.3, 0.3])
        """
        number = self.number_of(goal)
        tables = {
            name: target_table(self.goals[number], name, value, single=True)
            for name, value in target.items()
        }
        for first, values in target_writes(self, number, tables):
            self.floats[first : first + values.shape[1]] = values[0]

    def set_ranges(self, lower: np.ndarray, upper: np.ndarray) -> None:
        """Narrow the ranges that hold: (n,) each; coordinates inside cones keep their cones.

        Args:
            lower: (n,) rad or the figure's unit.
            upper: (n,).
        """
        lay.section(self.ints, self.floats, lay.F_LOWER)[:] = lower
        lay.section(self.ints, self.floats, lay.F_UPPER)[:] = upper

    def number_of(self, goal: Goal | int | str) -> int:
        """The place of a goal among the goals, by its place, its label or itself.

        Args:
            goal: its place, its label or itself.

        Returns:
            Its place, counted from 0.

        Raises:
            GoalError: there is no such goal, or several have that label.
        """
        goals = self.goals
        if isinstance(goal, str):
            found = [k for k, known in enumerate(goals) if known.label == goal]
        elif isinstance(goal, int | np.integer):
            found = [int(goal)] if 0 <= goal < len(goals) else []
        else:
            found = [k for k, known in enumerate(goals) if known is goal]
            found = found or [k for k, known in enumerate(goals) if known == goal]
        if not found:
            labels = [known.label for known in goals]
            hint = did_you_mean(goal, labels) if isinstance(goal, str) else ""
            raise GoalError(f"{goal!r} is none of the goals ({', '.join(labels)}){hint}")
        if len(found) > 1:
            raise GoalError(f"{len(found)} goals are called {goal!r}; give its place")
        return found[0]

    def at(self, floats: np.ndarray) -> Problem:
        """The same problem with other targets: ``floats`` are its numbers then.

        Args:
            floats: as ``floats`` of this problem, which are not copied.

        Returns:
            The problem.
        """
        other = copy.copy(self)
        other.floats, other.state = floats, np.empty_like(self.state)
        return other

    @property
    def has_functions(self) -> bool:
        """Whether a goal is a function, and so may feel what its joints do not tell."""
        return bool(self._functions)

    def part(self, numbers: Sequence[int]) -> Problem:
        """A problem of some of the goals, by their places, with all else the same.

        Args:
            numbers: their places, in rising order.

        Returns:
            The problem.
        """
        tolerance, locked = self._given
        goals = [self.goals[k] for k in numbers]
        return Problem(self.figure, goals, start=self.start, tolerance=tolerance, lock=locked)

    def own_numbers(self, term: int) -> np.ndarray:
        """The numbers of a term that is a function, as they are now: targets may have moved.

        Args:
            term: its place among the terms.

        Returns:
            A view of the problem's numbers.
        """
        functions, first = self.terms[term].functions, own_floats(self.ints, term)
        return self.floats[first : first + (0 if functions is None else len(functions.numbers))]

    def raise_failure(self) -> None:
        """Raise what a goal written in Python raised while a kernel called it."""
        for functions in self._functions:
            if functions.failure is not None:
                failure, functions.failure = functions.failure, None
                raise failure

    def unlocked(self) -> Problem:
        """The same problem, with the same targets, in which every joint may move."""
        if self._unlocked is None:
            self._unlocked = Problem(
                self.figure, self.goals, start=self.start, weights=self._weights
            )
        there = self._unlocked
        here = lay.section(self.ints, self.floats, lay.F_TERM)
        lay.section(there.ints, there.floats, lay.F_TERM)[:] = here
        return there

    def term_errors(self, q: np.ndarray) -> np.ndarray:
        """(terms,) unweighted errors: lengths, radians, or numbers of a goal's own.

        Args:
            q: a pose (n,).

        Returns:
            (terms,), none negative.
        """
        self.residual(q)
        return ob.errors_of(self.ints, self.state).copy()

    @property
    def notice(self) -> float:
        """How far √f must fall for an answer to be noticeably better: one goal's tolerance."""
        weights = [
            float(np.sqrt(term.weight.max())) * tolerance
            for term, tolerance in zip(self.terms, self.tolerances, strict=True)
            if np.isfinite(tolerance)
        ]
        return float(min(weights, default=0.0))

    # ---- compiling -------------------------------------------------------------------------

    def _write(
        self,
        weighted: bool,
        full: np.ndarray | None,
        rest: tuple[np.ndarray, np.ndarray, float] | None,
    ) -> None:
        """Write targets, weights and poses into the floats."""
        ints, floats = self.ints, self.floats
        for term, data in zip(self.terms, lay.section(ints, floats, lay.F_TERM), strict=True):
            weight = np.sqrt(term.weight) if weighted else np.ones(3)
            np.concatenate(
                (term.at, term.at2, term.point, term.matrix.reshape(9), weight),
                out=data[: lay.T_VALUE],
            )
            data[lay.T_VALUE] = term.value
        for k, term in enumerate(self.terms):
            if term.functions is not None:
                own = own_floats(self.ints, k)
                floats[own : own + len(term.functions.numbers)] = term.functions.numbers
        floats[int(ints[lay.F_REACH])] = self._reach(full is not None)
        if full is not None:
            floats[int(ints[lay.F_FULL]) :][: full.size] = full.ravel()
        if rest is not None:
            weight, pose, offset = rest
            lay.section(ints, floats, lay.F_REST)[:] = weight
            lay.section(ints, floats, lay.F_REST_POSE)[:] = pose
            floats[int(ints[lay.F_REST_OFFSET])] = offset

    @property
    def reach(self) -> float:
        """√f of a target that is missed by the figure's size."""
        far = float(self.floats[int(self.ints[lay.F_REACH])])
        return float(np.sqrt(far)) if np.isfinite(far) else self.figure.size

    def _reach(self, mixed: bool) -> float:
        """A value of f beyond which it says only that a target is far away."""
        if mixed or self.has_functions or not self.terms:
            return np.inf
        weight = max(
            max(term.weight.tolist()) / (self.scene.lever**2 if term.is_angle else 1.0)
            for term in self.terms
        )
        return max(weight, 1e-300) * self.figure.size**2
