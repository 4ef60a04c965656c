"""A problem: goals and limits stacked into r(q), J(q), P(q) and f = rᵀWr, the only meeting point.

It compiles once into the figure's flat buffers plus sections of its own; objective.py has the
kernels that read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from limbik.errors import FigureError, GoalError
from limbik.figure import kinematics as kin
from limbik.figure.figure import Figure, Pose
from limbik.figure.free_root import free_root
from limbik.goals import Goal, PythonGoal, Rest
from limbik.goals import terms as tm
from limbik.goals.functions import TermFunctions
from limbik.solver import objective as ob

POSITION_TOLERANCE = 1e-4  # of the figure's size
ROTATION_TOLERANCE = 1e-3  # rad


class Problem:
    """A figure, what must hold, and what is allowed, compiled for the methods.

    ``start`` (n,), or values by name over the rest pose, is projected onto the limits;
    ``tolerance`` is one number, or a pair (position in the figure's unit, rotation in rad);
    ``lock`` names joints that keep their start values; ``weights`` is a symmetric positive definite
    W (rows, rows) over all rows, which then replaces the goals' own weights (equation 17 of
    line_search). Rows stand in the order of the goals, position before rotation; those of
    PythonGoals come last.
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
        self.figure = _checked_figure(figure)
        self._weights = weights
        self._unlocked: Problem | None = None
        self.goals: tuple[Goal, ...] = _as_tuple(goals)
        if not self.goals:
            raise GoalError("no goals: there is nothing to solve for")
        for goal in self.goals:
            if not hasattr(goal, "terms") or isinstance(goal, type):
                raise GoalError(f"{goal!r} is not a goal")
        self.start = figure.project(
            figure.rest if start is None else figure.single_pose(start, "start")
        )
        self.scene = tm.Scene(figure, self.start, figure.frames(self.start))
        self.terms: list[tm.Term] = []
        self.terms_of: list[list[int]] = [[] for _ in self.goals]
        # Rows of goals written in Python come last.
        for k in sorted(range(len(self.goals)), key=lambda k: isinstance(self.goals[k], PythonGoal)):
            found = self.goals[k].terms(self.scene)
            self.terms_of[k] = list(range(len(self.terms), len(self.terms) + len(found)))
            self.terms += found
        self._functions = [t.functions for t in self.terms if t.functions is not None]
        self.tolerances = self._tolerances(tolerance)
        self.rows = sum(term.rows for term in self.terms)
        # A slide whose range is one value is part of a bone's length; it is not solved for.
        self.moves = ~(figure.slides & (figure.lower == figure.upper))
        for joint in _names(lock, "lock"):
            try:
                self.moves[figure.coordinates_of(joint)] = False
            except FigureError as error:
                raise GoalError(f"lock: {error}") from None
        for coordinates in figure.tree.cones:
            # A projection onto a cone moves all its coordinates, so they are locked together.
            self.moves[coordinates] = self.moves[coordinates].all()
        self.ints, self.floats = self._compile(weights)
        self._state = np.empty(int(ob.state_size(self.ints)))

    # ---- what methods minimise, for people and tests ---------------------------------------

    def residual(self, q: np.ndarray) -> np.ndarray:
        """(rows,) weighted residuals: f is their squared length plus the Rest goals."""
        r = np.empty(self.rows)
        ob.evaluate(self.ints, self.floats, self._pose(q), self._state, r)
        self.raise_failure()
        return r

    def objective(self, q: np.ndarray) -> float:
        """f(q)."""
        r = np.empty(self.rows)
        f = float(ob.evaluate(self.ints, self.floats, self._pose(q), self._state, r))
        self.raise_failure()
        return f

    def _pose(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """q (n,), fresh and checked: kernels read as many numbers as the figure has."""
        return self.figure.single_pose(q, "q")

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """(rows, n) weighted Jacobian of F: minus the derivative of ``residual``."""
        q, r = self._pose(q), np.empty(self.rows)
        jt, model = np.empty((self.figure.n, self.rows)), np.empty(self.rows)
        ob.evaluate(self.ints, self.floats, q, self._state, r)
        ob.linearise(self.ints, self.floats, q, self._state, r, jt, model)
        self.raise_failure()
        return np.ascontiguousarray(jt.T)

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """(n,) ∇f, equation 26 of line_search."""
        r, jt = self.residual(q), np.ascontiguousarray(self.jacobian(q).T)
        out = np.empty(self.figure.n)
        ob.descent(self.ints, self.floats, self._pose(q), jt, r, out)
        return -2.0 * out

    def hessian(self, q: np.ndarray) -> np.ndarray:
        """(n, n) ∇²f, exact for the built-in goals; goals that are functions count as linear."""
        q, n, slots = self._pose(q), self.figure.n, len(self.figure.tree.slots)
        jacobian, r, s = self.jacobian(q), self.residual(q), np.empty((n, n))
        ob.curvature(
            self.ints, self.floats, q, self._state, r, np.empty(self.rows), np.empty((slots, 3)),
            np.empty((slots, 3)), np.empty((n, 3)), s,
        )  # fmt: skip
        rest = self.floats[self.ints[ob.F_REST] :][:n]
        return 2.0 * (jacobian.T @ jacobian + np.diag(rest) + s)

    def __repr__(self) -> str:
        name = self.figure.name or "unnamed"
        return f"<Problem {name}: {len(self.goals)} goals, {self.rows} rows, n = {self.figure.n}>"

    @cached_property
    def rows_of(self) -> np.ndarray:
        """(goals, rows) whether a row is one of the goal's."""
        owners = self._row_owners()
        rows = np.zeros((len(self.goals), self.rows), bool)
        for k, terms in enumerate(self.terms_of):
            rows[k] = np.isin(owners, terms)
        return rows

    def _row_owners(self) -> np.ndarray:
        """(rows,) the term of each row."""
        return np.repeat(np.arange(len(self.terms)), [term.rows for term in self.terms])

    @property
    def has_functions(self) -> bool:
        """Whether a goal is a function, and so may feel what its joints do not tell."""
        return bool(self._functions)

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
        there, here = self._unlocked, int(self.ints[tm.F_TERM])
        size = tm.TERM_FLOATS * len(self.terms)
        there.floats[int(there.ints[tm.F_TERM]) :][:size] = self.floats[here : here + size]
        return there

    def term_errors(self, q: np.ndarray) -> np.ndarray:
        """(terms,) unweighted errors: lengths, radians, or numbers of a goal's own."""
        self.residual(q)
        return ob.errors_of(self.ints, self._state).copy()

    @property
    def notice(self) -> float:
        """How far √f must fall for an answer to be noticeably better: one goal's tolerance."""
        weights = [
            float(np.sqrt(term.weight.max())) * tolerance
            for term, tolerance in zip(self.terms, self.tolerances, strict=True)
        ]
        return float(min(weights, default=0.0))

    # ---- compiling -------------------------------------------------------------------------

    def _tolerances(self, tolerance: float | tuple[float, float] | None) -> np.ndarray:
        if tolerance is None:
            length, angle = POSITION_TOLERANCE * self.figure.size, ROTATION_TOLERANCE
        else:
            try:
                pair = np.asarray(tolerance, float)
            except (TypeError, ValueError):
                pair = np.empty(0)
            if pair.shape not in ((), (2,)) or not (pair > 0).all():
                raise GoalError(
                    f"tolerance {tolerance!r} must be one positive number or two "
                    "(position, rotation)"
                )
            length, angle = np.broadcast_to(pair, (2,)).tolist()
        given = [None if t.functions is None else t.functions.tolerance for t in self.terms]
        usual = [angle if term.is_angle else length for term in self.terms]
        return np.array([u if g is None else g for u, g in zip(usual, given, strict=True)], float)

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
        ints: list[np.ndarray] = []
        floats: list[np.ndarray] = []
        paths: list[int] = []
        own_ints: list[np.ndarray] = []
        own_floats: list[np.ndarray] = []
        touched = np.zeros((n, self.rows), bool)
        used: set[int] = set()
        first_path = len(figure.buffers[0])
        row = 0
        for term in self.terms:
            count = term.rows
            spans = []
            for joint in term.joints:
                path = self._path(joint, term)
                spans += [first_path + len(paths), len(path)]
                paths += path
                coords = [figure.tree.slots[s].coordinate for s in path]
                touched[coords, row : row + count] = True
                while joint >= 0:
                    used.add(joint)
                    joint = int(figure.parents[joint])
            record = np.zeros(tm.TERM_INTS, np.int64)
            record[:4] = term.kind, row, term.joint, term.second
            record[tm.T_COUNT] = count
            if term.functions is None:
                record[4 : 4 + len(spans)] = spans
            else:
                own_ints.append(self._own_ints(term.functions, spans))
                own_floats.append(term.functions.numbers)
                own_floats.append(np.zeros(term.functions.room))
                if term.functions.direct:
                    touched[self.moves, row : row + count] = True
            ints.append(record)
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
        for coordinates in figure.tree.cones:
            # Directions along a cone's edge mix its coordinates, so they share their rows.
            touched[coordinates] = touched[coordinates].any(axis=0)
        if full is not None:
            touched[:] = self.moves[:, None]
        # The paths come first, so that their offsets are known, then what functions own.
        pack.ints(tm.I_TERM, paths)
        self._place_functions(ints, own_ints, own_floats, pack)
        pack.ints(tm.I_TERM, ints)
        pack.floats(tm.F_TERM, floats)
        pack.count(tm.N_TERMS, len(self.terms))
        pack.count(tm.N_ROWS, self.rows)
        pack.count(ob.N_USED, len(used))
        pack.ints(ob.I_USED, sorted(used))
        pack.count(ob.N_ERRORS, len(self.tolerances))
        pack.floats(ob.F_TOLERANCE, self.tolerances)
        # Rows that a coordinate touches, as runs: where each begins and where it ends.
        padded = np.pad(touched, ((0, 0), (1, 1))).astype(np.int8)
        owner, edge = np.nonzero(np.diff(padded, axis=1))
        pack.ints(ob.I_RUN_FIRST, np.searchsorted(owner, np.arange(n + 1)))
        pack.ints(ob.I_RUN, edge)
        rest, pose, offset = self._rest()
        pack.count(ob.N_REST, int((rest > 0).sum()))
        pack.floats(ob.F_REST, rest)
        pack.floats(ob.F_REST_POSE, pose)
        pack.floats(ob.F_REST_OFFSET, [offset])
        pack.floats(ob.F_METRIC, np.where(figure.slides, self.scene.lever**2, 1.0))
        pack.floats(ob.F_REACH, [self._reach(full is not None)])
        pack.count(ob.N_FULL, full is not None)
        pack.floats(ob.F_FULL, [] if full is None else full)
        above, balls = self._chains()
        pack.ints(ob.I_ABOVE, above)
        pack.count(ob.N_BALLS, len(balls))
        pack.ints(ob.I_BALL, balls)
        root = free_root(figure, self.moves)
        carriers = np.flatnonzero(figure.owner == root) if root >= 0 else []
        pack.count(ob.N_ROOT, len(carriers))
        pack.ints(ob.I_ROOT, carriers)
        pairs, spans = self._spans()
        pack.count(ob.N_SPANS, len(pairs))
        pack.ints(ob.I_SPAN, pairs)
        pack.floats(ob.F_SPAN, spans)
        pack.ints(ob.I_ROW_ERROR, self._row_owners())
        return pack.done()

    def _own_ints(self, functions: TermFunctions, spans: list[int]) -> np.ndarray:
        """The ints that belong to a term that is a function (goals/functions.py)."""
        locked = np.flatnonzero(~self.moves) if functions.direct else np.zeros(0, int)
        joints = np.column_stack((functions.joints, np.reshape(spans, (-1, 2)))).ravel()
        counts = [len(functions.joints), len(functions.numbers), len(locked)]
        return np.concatenate((counts, joints, locked, functions.table)).astype(np.int64)

    def _place_functions(
        self,
        ints: list[np.ndarray],
        own_ints: list[np.ndarray],
        own_floats: list[np.ndarray],
        pack: kin.Buffers,
    ) -> None:
        """Append what belongs to the terms that are functions, and write into each term's ints
        where it lies and which addresses it calls."""
        terms = [k for k, term in enumerate(self.terms) if term.functions is not None]
        for k, own, numbers, room in zip(
            terms, own_ints, own_floats[::2], own_floats[1::2], strict=True
        ):
            functions = self.terms[k].functions
            assert functions is not None
            pack.ints(tm.I_TERM, own)
            pack.floats(tm.F_TERM, np.concatenate((numbers, room)))
            ints[k][tm.T_OWN_INTS] = pack.start_of(tm.I_TERM)
            ints[k][tm.T_OWN_FLOATS] = pack.start_of(tm.F_TERM)
            for first, address in (
                (tm.T_RESIDUAL, functions.residual),
                (tm.T_JACOBIAN, functions.jacobian),
            ):
                ints[k][first : first + 2] = address & 0xFFFFFFFF, address >> 32

    def _chains(self) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """(the next slot towards the root that may move, or −1, of every slot; kind and first slot
        of every ball that may move)."""
        tree, moves = self.figure.tree, self.moves
        above = np.full(len(tree.slots), -1)
        last = np.full(len(tree.parents), -1)
        for joint, parent in enumerate(tree.parents):
            previous = -1 if parent < 0 else last[parent]
            for slot in tree.slots_of[joint]:
                above[slot] = previous
                if moves[tree.slots[slot].coordinate]:
                    previous = slot
            last[joint] = previous
        kinds = tree.ints[int(tree.ints[kin.I_KIND]) : int(tree.ints[kin.I_FIRST_SLOT])]
        first = tree.ints[int(tree.ints[kin.I_FIRST_SLOT]) :][: len(kinds)]
        balls = [
            (int(kind), int(slot))
            for kind, slot in zip(kinds, first, strict=True)
            if kind >= kin.EXPONENTIAL and moves[tree.slots[int(slot)].coordinate]
        ]
        return above, balls

    def _spans(self) -> tuple[list[tuple[int, int]], list[list[float]]]:
        """How far apart the bones let two position goals be, tolerances included.

        (pairs of terms, or (term, −1) for a term and a base that does not move; for each the
        longest distance and the base's place.)  Pairs across a joint that slides freely are left
        out.
        """
        figure, tree = self.figure, self.figure.tree
        slide = np.zeros(len(figure.joints))
        fixed = np.zeros(len(figure.joints) + 1, bool)
        fixed[-1] = True  # the world, which is the parent −1 of roots
        turns = tree.ints[tree.ints[kin.I_TURNS] :]
        scales, shifts = (tree.floats[int(tree.ints[at]) :] for at in (kin.F_SCALE, kin.F_SHIFT))
        for joint, slots in enumerate(tree.slots_of):
            coordinates = [tree.slots[slot].coordinate for slot in slots]
            fixed[joint] = fixed[figure.parents[joint]] and not self.moves[coordinates].any()
            for slot, c in zip(slots, coordinates, strict=True):
                # A slide may follow a turn, so that the slot decides and not its coordinate.
                if not turns[slot]:
                    far = max(abs(figure.lower[c]), abs(figure.upper[c]))
                    far = far if self.moves[c] else abs(self.start[c])
                    slide[joint] += far * abs(scales[slot]) + abs(shifts[slot])
        chains = []
        for k, term in enumerate(self.terms):
            if term.kind != tm.POSITION or not (term.weight > 0).all() or fixed[term.joint]:
                continue
            joint, length = term.joint, float(np.linalg.norm(term.at)) + float(self.tolerances[k])
            chain = {joint: length}
            while not fixed[figure.parents[joint]]:
                offset = figure.definition[joint].offset
                length += float(np.linalg.norm(offset)) + float(slide[joint])
                joint = int(figure.parents[joint])
                chain[joint] = length
            chains.append((k, joint, chain))
        pairs: list[tuple[int, int]] = []
        spans: list[list[float]] = []
        for i, (k, first, chain) in enumerate(chains):
            longest = chain[first] + slide[first]
            if np.isfinite(longest):
                parent, base = int(figure.parents[first]), np.array(figure.definition[first].offset)
                if parent >= 0:
                    frame = self.scene.frames[parent]
                    base = frame[:3, :3] @ base + frame[:3, 3]
                pairs.append((k, -1))
                spans.append([longest, *base])
            for other, _, path in chains[:i]:
                joint = next((j for j in chain if j in path), -1)
                if joint >= 0 and np.isfinite(chain[joint] + path[joint]):
                    pairs.append((k, other))
                    spans.append([chain[joint] + path[joint], 0.0, 0.0, 0.0])
        return pairs, spans

    @property
    def reach(self) -> float:
        """√f of a target that is missed by the figure's size."""
        far = float(self.floats[int(self.ints[ob.F_REACH])])
        return float(np.sqrt(far)) if np.isfinite(far) else self.figure.size

    def _reach(self, mixed: bool) -> float:
        """A value of f beyond which it says only that a target is far away."""
        if mixed or self.has_functions or not self.terms:
            return np.inf
        weight = max(
            float(term.weight.max()) / (self.scene.lever**2 if term.is_angle else 1.0)
            for term in self.terms
        )
        return max(weight, 1e-300) * self.figure.size**2

    def _full_weights(self, weights: np.ndarray | None) -> np.ndarray | None:
        """L of W = LLᵀ where W is more than a diagonal, else None."""
        if weights is not None:
            try:
                weights = np.asarray(weights, float)
            except (TypeError, ValueError):
                weights = np.empty(0)
            if weights.ndim != 2:
                raise GoalError(f"weights: needs a matrix, {self.rows} × {self.rows}")
            _, matrix = tm.weights(weights, self.rows, "weights")
            assert matrix is not None  # two dimensions make a matrix
            return np.linalg.cholesky(matrix)
        if all(term.matrix_weight is None for term in self.terms):
            return None
        full, row = np.eye(self.rows), 0
        for term in self.terms:
            count = term.rows
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


def _checked_figure(figure: object) -> Figure:
    """The figure; anything else is refused, with what was probably meant."""
    if isinstance(figure, Figure):
        return figure
    hint = ""
    if isinstance(figure, str):
        hint = f"; limbik.load(path) and limbik.figures.{figure or 'human'}() give one"
        hint = hint if figure.isidentifier() else "; limbik.load(path) gives one"
    elif isinstance(getattr(figure, "figure", None), Figure):
        hint = f"; that of a {type(figure).__name__} is its .figure"
    raise FigureError(f"a problem needs a Figure, got {_short(figure)}{hint}")


def _as_tuple(goals: Any) -> tuple[Goal, ...]:
    """The goals as a tuple; a single goal stands for itself."""
    if hasattr(goals, "terms"):
        return (goals,)
    if isinstance(goals, str | bytes | Mapping) or not isinstance(goals, Iterable):
        raise GoalError(f"goals: needs a goal or several, got {_short(goals)}")
    return tuple(goals)


def _names(names: Any, what: str) -> tuple[str, ...]:
    """Names of joints as a tuple; a single name stands for itself."""
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, Iterable):
        raise GoalError(f"{what}: needs names of joints, got {names!r}")
    return tuple(names)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
