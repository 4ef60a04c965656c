"""Goals and limits become r(q), J(q), P(q) and f = rᵀWr: the only place where they meet.

A problem compiles once into the figure's flat buffers plus its own sections.  Methods call
``evaluate`` and ``linearise`` here and ``project`` and ``free_directions`` in limits.py; they never
see bones.  Goals written in Python run through the same names: compiled methods get the compiled
``evaluate``, and a method run as plain Python gets the one that calls the user's functions.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numba.extending import overload

from limbik import kinematics as kin
from limbik.compiling import inlined, inner, kernel
from limbik.errors import FigureError, GoalError
from limbik.figure import Figure
from limbik.goals import Goal, PythonGoal, Rest
from limbik.goals import terms as tm
from limbik.goals.rows import jacobian_rows, residuals

(
    N_USED,
    I_USED,
    N_ERRORS,
    F_TOLERANCE,
    I_RUN_FIRST,
    I_RUN,
    F_REST,
    F_REST_POSE,
    F_REST_OFFSET,
    F_METRIC,
    F_MOVES,
    N_FULL,
    F_FULL,
    N_REST,
    PYTHON,
) = range(tm.F_TERM + 1, tm.F_TERM + 16)

SCRATCH = 64
POSITION_TOLERANCE = 1e-4  # of the figure's size
ROTATION_TOLERANCE = 1e-3  # rad

_python_problems: weakref.WeakValueDictionary[int, Problem] = weakref.WeakValueDictionary()
_keys = itertools.count(1)


# ---- kernels -----------------------------------------------------------------------------------


@kernel
def state_size(ints):
    """How many floats ``evaluate`` and ``linearise`` need to remember where the joints are."""
    return (
        ints[kin.N_JOINTS] * kin.WORLD
        + (ints[kin.N_SLOTS] + 1) * kin.AXIS
        + SCRATCH
        + ints[N_ERRORS]
    )


@inlined
def _split(ints, state):
    """state -> world, axes, scratch, errors."""
    a = ints[kin.N_JOINTS] * kin.WORLD
    b = a + (ints[kin.N_SLOTS] + 1) * kin.AXIS
    c = b + SCRATCH
    return state[:a], state[a:b], state[b:c], state[c : c + ints[N_ERRORS]]


@kernel
def errors_of(ints, state):
    """The unweighted error of each term at the last evaluated q."""
    return _split(ints, state)[3]


@kernel
def scratch_of(ints, state):
    """SCRATCH floats that anyone may use between two evaluations."""
    return _split(ints, state)[2]


@inlined
def place(ints, floats, q, state):
    """Where q has the joints that matter: (world, scratch)."""
    world, axes, scratch, _ = _split(ints, state)
    kin.forward(ints, floats, q, ints[I_USED], ints[N_USED], world, axes, scratch)
    return world, scratch


@inlined
def _place(ints, floats, q, state, r):
    """Forward kinematics of the joints that matter, and the rows of the built-in goals."""
    world, axes, scratch, errors = _split(ints, state)
    kin.forward(ints, floats, q, ints[I_USED], ints[N_USED], world, axes, scratch)
    residuals(ints, floats, world, scratch, r, errors)


@inner
def _mix(floats, first, rows, v):
    """v ← Lᵀv in place, for the full weight matrix W = LLᵀ."""
    for i in range(rows):
        total = 0.0
        for j in range(i, rows):
            total += floats[first + j * rows + i] * v[j]
        v[i] = total


@inlined
def _objective(ints, floats, q, r):
    """f = rᵀWr plus the diagonal goals; r becomes weighted by a full W where there is one."""
    rows = ints[tm.N_ROWS]
    if ints[N_FULL]:
        _mix(floats, ints[F_FULL], rows, r)
    f = floats[ints[F_REST_OFFSET]]
    for i in range(rows):
        f += r[i] * r[i]
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    for c in range(ints[kin.N_COORDS]):
        away = q[c] - floats[pose + c]
        f += floats[weight + c] * away * away
    return f


@kernel
def _evaluate(ints, floats, q, state, r):
    _place(ints, floats, q, state, r)
    return _objective(ints, floats, q, r)


def evaluate(ints, floats, q, state, r):
    """f(q), its weighted residuals into r (rows,), and where everything is into ``state``.

    Equation 17 of line_search: f = (g − F)ᵀW(g − F).
    """
    problem = _python_problems.get(int(ints[PYTHON]))
    if problem is None:
        return _evaluate(ints, floats, q, state, r)
    _place(ints, floats, q, state, r)
    problem.python_residuals(q, r, errors_of(ints, state))
    return _objective(ints, floats, q, r)


@overload(evaluate, inline="always")
def _compiled_evaluate(ints, floats, q, state, r):
    return lambda ints, floats, q, state, r: _evaluate(ints, floats, q, state, r)


@inlined
def _rows_of_goals(ints, floats, state, jt, bend):
    world, axes, scratch, _ = _split(ints, state)
    jacobian_rows(ints, floats, world, axes, scratch, jt, bend)


@inlined
def _aim_and_mix(ints, floats, jt, model, r):
    """model becomes r plus what bends it, both under the full weight matrix where there is one."""
    rows, first = ints[tm.N_ROWS], ints[F_FULL]
    if ints[N_FULL]:
        _mix(floats, first, rows, model)
        for c in range(ints[kin.N_COORDS]):
            _mix(floats, first, rows, jt[c])
    bent = False
    for i in range(rows):
        bent = bent or model[i] != 0.0
        model[i] += r[i]
    return bent


@kernel
def _linearise(ints, floats, q, state, r, jt, model):
    _rows_of_goals(ints, floats, state, jt, model)
    return _aim_and_mix(ints, floats, jt, model, r)


def linearise(ints, floats, q, state, r, jt, model):
    """J(q)ᵀ into jt (n, rows) and the residuals to aim at into model (rows,).

    model is r, except near half a turn, where r goes flat (goals.rows); True if it differs.  q must
    be the pose that was evaluated last, with residuals r.
    """
    problem = _python_problems.get(int(ints[PYTHON]))
    if problem is None:
        return _linearise(ints, floats, q, state, r, jt, model)
    _rows_of_goals(ints, floats, state, jt, model)
    problem.python_jacobian(q, jt)
    return _aim_and_mix(ints, floats, jt, model, r)


@overload(linearise, inline="always")
def _compiled_linearise(ints, floats, q, state, r, jt, model):
    return lambda ints, floats, q, state, r, jt, model: _linearise(
        ints, floats, q, state, r, jt, model
    )


@kernel
def reached(ints, floats, state):
    """Whether every goal was within its tolerance at the last evaluated q."""
    errors = errors_of(ints, state)
    for k in range(ints[N_ERRORS]):
        if not errors[k] <= floats[ints[F_TOLERANCE] + k]:
            return False
    return ints[N_ERRORS] > 0


@kernel
def descent(ints, floats, q, jt, r, out):
    """−½∇f = JᵀW(g − F) + D(pose − q) into out (n,): equation 26 of line_search, halved."""
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    for c in range(ints[kin.N_COORDS]):
        begin, end = index + ints[first + c], index + ints[first + c + 1]
        total = floats[weight + c] * (floats[pose + c] - q[c])
        if end - begin == 2 and ints[begin + 1] - ints[begin] == 3:
            # Most coordinates move one point only; three rows cost less than a loop over them.
            i = ints[begin]
            total += jt[c, i] * r[i] + jt[c, i + 1] * r[i + 1] + jt[c, i + 2] * r[i + 2]
        else:
            for k in range(begin, end, 2):
                for i in range(ints[k], ints[k + 1]):
                    total += jt[c, i] * r[i]
        out[c] = total


# ---- the object --------------------------------------------------------------------------------


class Problem:
    """A figure, what must hold, and what is allowed, compiled for the methods.

    ``start`` (n,) is projected onto the limits; ``tolerance`` is one number, or a pair (position in
    the figure's unit, rotation in rad); ``lock`` names joints that keep their start values;
    ``weights`` is a symmetric positive definite W (rows, rows) over all rows, which then replaces
    the goals' own weights (equation 17 of line_search).  Rows stand in the order of the goals,
    position before rotation; those of PythonGoals come last.
    """

    def __init__(
        self,
        figure: Figure,
        goals: Goal | Iterable[Goal],
        *,
        start: Sequence[float] | np.ndarray | None = None,
        tolerance: float | tuple[float, float] | None = None,
        lock: Iterable[str] = (),
        weights: np.ndarray | None = None,
    ) -> None:
        self.figure = figure
        self.goals: tuple[Goal, ...] = _as_tuple(goals)
        if not self.goals:
            raise GoalError("no goals: there is nothing to solve for")
        for goal in self.goals:
            if not hasattr(goal, "terms"):
                raise GoalError(f"{goal!r} is not a goal")
        self.start = figure.project(
            figure.rest if start is None else figure.single_pose(start, "start")
        )
        self.scene = tm.Scene(figure, self.start, figure.frames(self.start))
        self.terms: list[tm.Term] = []
        self.terms_of: list[list[int]] = []
        for goal in self.goals:
            found = goal.terms(self.scene)
            self.terms_of.append(list(range(len(self.terms), len(self.terms) + len(found))))
            self.terms += found
        self.python = [goal for goal in self.goals if isinstance(goal, PythonGoal)]
        self.tolerances = self._tolerances(tolerance)
        self._term_rows = sum(tm.ROWS[t.kind] for t in self.terms)
        self._python_rows = [len(g.rows(figure, self.start)) for g in self.python]
        self.rows = self._term_rows + sum(self._python_rows)
        self.moves = np.ones(figure.n, bool)
        for joint in (lock,) if isinstance(lock, str) else lock:
            try:
                self.moves[figure.coordinates_of(joint)] = False
            except FigureError as error:
                raise GoalError(f"lock: {error}") from None
        for coordinates in figure.tree.cones:
            # A projection onto a cone moves all its coordinates, so they are locked together.
            self.moves[coordinates] = self.moves[coordinates].all()
        self.ints, self.floats = self._compile(weights)
        if self.python:
            self.ints[PYTHON] = next(_keys)
            _python_problems[int(self.ints[PYTHON])] = self
        self._state = np.empty(int(state_size(self.ints)))

    # ---- what methods minimise, for people and tests ---------------------------------------

    def residual(self, q: np.ndarray) -> np.ndarray:
        """(rows,) weighted residuals: f is their squared length plus the Rest goals."""
        r = np.empty(self.rows)
        evaluate(self.ints, self.floats, np.array(q, float), self._state, r)
        return r

    def objective(self, q: np.ndarray) -> float:
        """f(q)."""
        r = np.empty(self.rows)
        return float(evaluate(self.ints, self.floats, np.array(q, float), self._state, r))

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """(rows, n) weighted Jacobian of F: minus the derivative of ``residual``."""
        q, r = np.array(q, float), np.empty(self.rows)
        jt, model = np.empty((self.figure.n, self.rows)), np.empty(self.rows)
        evaluate(self.ints, self.floats, q, self._state, r)
        linearise(self.ints, self.floats, q, self._state, r, jt, model)
        return np.ascontiguousarray(jt.T)

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """(n,) ∇f, equation 26 of line_search."""
        r, jt = self.residual(q), np.ascontiguousarray(self.jacobian(q).T)
        out = np.empty(self.figure.n)
        descent(self.ints, self.floats, np.array(q, float), jt, r, out)
        return -2.0 * out

    def push_of(self, goal: int, q: np.ndarray) -> np.ndarray:
        """(n,) minus the gradient of one goal's share of f (with a full W: of its own rows)."""
        rows = np.zeros(self.rows, bool)
        row = 0
        for term, count in enumerate(tm.ROWS[t.kind] for t in self.terms):
            rows[row : row + count] = term in self.terms_of[goal]
            row += count
        for python, count in zip(self.python, self._python_rows, strict=True):
            rows[row : row + count] = python is self.goals[goal]
            row += count
        return 2.0 * self.jacobian(q).T[:, rows] @ self.residual(q)[rows]

    def term_errors(self, q: np.ndarray) -> np.ndarray:
        """(terms + Python goals,) unweighted errors, lengths or radians."""
        self.residual(q)
        return errors_of(self.ints, self._state).copy()

    def python_residuals(self, q: np.ndarray, r: np.ndarray, errors: np.ndarray) -> None:
        """Fill in the rows and errors of the goals written in Python."""
        row = self._term_rows
        for k, (goal, count) in enumerate(zip(self.python, self._python_rows, strict=True)):
            values = goal.rows(self.figure, q, count)
            r[row : row + count] = -values
            errors[len(self.terms) + k] = np.abs(values).max(initial=0.0)
            row += count

    def python_jacobian(self, q: np.ndarray, jt: np.ndarray) -> None:
        """Fill in the Jacobian rows of the goals written in Python."""
        row = self._term_rows
        for goal, count in zip(self.python, self._python_rows, strict=True):
            jt[:, row : row + count] = goal.derivative(self.figure, q, count).T
            jt[~self.moves, row : row + count] = 0.0
            row += count

    # ---- compiling -------------------------------------------------------------------------

    def _tolerances(self, tolerance: float | tuple[float, float] | None) -> np.ndarray:
        if tolerance is None:
            length, angle = POSITION_TOLERANCE * self.figure.size, ROTATION_TOLERANCE
        else:
            pair = np.asarray(tolerance, float)
            if pair.shape not in ((), (2,)) or not (pair > 0).all():
                raise GoalError(
                    f"tolerance {tolerance!r} must be one positive number or two "
                    "(position, rotation)"
                )
            length, angle = np.broadcast_to(pair, (2,)).tolist()
        of_terms = [angle if term.is_angle else length for term in self.terms]
        return np.array(of_terms + [goal.tolerance for goal in self.python], float)

    def _path(self, joint: int, term: tm.Term) -> list[int]:
        """Slots that move a term's joint, from the root down, without those that are locked.

        Turns of the joint itself that no slide follows do not move its origin, so they are left out
        where only that counts.
        """
        path: list[int] = []
        tree = self.figure.tree
        at = term.at if joint == term.joint else term.at2
        still = term.kind in (tm.POSITION, tm.PLANE, tm.DISTANCE) and not at.any()
        turns = tree.ints[tree.ints[kin.I_TURNS] :]
        while joint >= 0:
            slots = list(tree.slots_of[joint])
            while still and slots and turns[slots[-1]]:
                slots.pop()
            path = [s for s in slots if self.moves[tree.slots[s].coordinate]] + path
            still = False
            joint = int(tree.parents[joint])
        return path

    def _compile(self, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        figure, n = self.figure, self.figure.n
        pack = kin.Buffers(*figure.buffers)
        ints, floats, paths = [], [], []
        touched = np.zeros((n, self.rows), bool)
        used: set[int] = set()
        first_path = len(figure.buffers[0])
        row = 0
        for term in self.terms:
            count = tm.ROWS[term.kind]
            ends = [term.joint] if term.second < 0 else [term.joint, term.second]
            spans = []
            for joint in ends:
                path = self._path(joint, term)
                spans += [first_path + len(paths), len(path)]
                paths += path
                coords = [figure.tree.slots[s].coordinate for s in path]
                touched[coords, row : row + count] = True
                while joint >= 0:
                    used.add(joint)
                    joint = int(figure.parents[joint])
            ints.append([term.kind, row, term.joint, term.second, *spans, 0, 0][: tm.TERM_INTS])
            data = np.zeros(tm.TERM_FLOATS)
            data[tm.T_AT : tm.T_AT + 3] = term.at
            data[tm.T_AT2 : tm.T_AT2 + 3] = term.at2
            data[tm.T_POINT : tm.T_POINT + 3] = term.point
            data[tm.T_MATRIX : tm.T_MATRIX + 9] = term.matrix.ravel()
            data[tm.T_WEIGHT : tm.T_WEIGHT + 3] = np.sqrt(term.weight) if weights is None else 1.0
            data[tm.T_VALUE] = term.value
            floats.append(data)
            row += count
        full = self._full_weights(weights)
        touched[self.moves, self._term_rows :] = True
        for coordinates in figure.tree.cones:
            # Directions along a cone's edge mix its coordinates, so they share their rows.
            touched[coordinates] = touched[coordinates].any(axis=0)
        if full is not None:
            touched[:] = self.moves[:, None]
        # The paths come first, so that their offsets are known.
        pack.ints(tm.I_TERM, paths)
        pack.ints(tm.I_TERM, ints)
        pack.floats(tm.F_TERM, floats)
        pack.count(tm.N_TERMS, len(self.terms))
        pack.count(tm.N_ROWS, self.rows)
        pack.count(N_USED, len(used))
        pack.ints(I_USED, sorted(used))
        pack.count(N_ERRORS, len(self.tolerances))
        pack.floats(F_TOLERANCE, self.tolerances)
        # Rows that a coordinate touches, as runs: where each begins and where it ends.
        padded = np.pad(touched, ((0, 0), (1, 1))).astype(np.int8)
        owner, edge = np.nonzero(np.diff(padded, axis=1))
        pack.ints(I_RUN_FIRST, np.searchsorted(owner, np.arange(n + 1)))
        pack.ints(I_RUN, edge)
        rest, pose, offset = self._rest()
        pack.count(N_REST, int((rest > 0).sum()))
        pack.floats(F_REST, rest)
        pack.floats(F_REST_POSE, pose)
        pack.floats(F_REST_OFFSET, [offset])
        pack.floats(F_METRIC, np.where(figure.slides, self.scene.lever**2, 1.0))
        pack.floats(F_MOVES, self.moves)
        pack.count(N_FULL, full is not None)
        pack.floats(F_FULL, [] if full is None else full)
        return pack.done()

    def _full_weights(self, weights: np.ndarray | None) -> np.ndarray | None:
        """L of W = LLᵀ where W is more than a diagonal, else None."""
        if weights is not None:
            if np.ndim(weights) != 2:
                raise GoalError(f"weights: needs a matrix, {self.rows} × {self.rows}")
            _, matrix = tm.weights(weights, self.rows, "weights")
            assert matrix is not None  # two dimensions make a matrix
            return np.linalg.cholesky(matrix)
        if all(term.matrix_weight is None for term in self.terms):
            return None
        full, row = np.eye(self.rows), 0
        for term in self.terms:
            count = tm.ROWS[term.kind]
            if term.matrix_weight is not None:
                block = np.linalg.cholesky(term.matrix_weight)
                full[row : row + count, row : row + count] = block
            row += count
        return full

    def _rest(self) -> tuple[np.ndarray, np.ndarray, float]:
        """All Rest goals as one diagonal: Σ wₖ(q − pₖ)² = w(q − p)² + a constant."""
        weight, moment, square = np.zeros(self.figure.n), np.zeros(self.figure.n), 0.0
        for goal in self.goals:
            if isinstance(goal, Rest):
                w, p = goal.diagonal(self.scene)
                w = w * self.moves
                weight, moment = weight + w, moment + w * p
                square += float(w @ p**2)
        pose = np.divide(moment, weight, out=np.zeros_like(moment), where=weight > 0)
        return weight, pose, max(0.0, square - float(weight @ pose**2))


def _as_tuple(goals: Any) -> tuple[Goal, ...]:
    """The goals as a tuple; a single goal stands for itself."""
    return (goals,) if hasattr(goals, "terms") else tuple(goals)
