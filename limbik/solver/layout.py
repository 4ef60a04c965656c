"""Where a problem lies in its two flat buffers: what its joints, limits and kinds of goals decide.

Targets, weights and poses are written into a copy of the floats (problem.py); all else is the same
for problems of one shape, and is made once per figure and shape.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from limbik.figure import layout as lay
from limbik.figure.figure import Figure
from limbik.figure.free_root import free_root
from limbik.goals import terms as tm
from limbik.goals.kernels.functions import TermFunctions
from limbik.solver import objective as ob

_KEPT = 64  # layouts per figure


@dataclass(frozen=True)
class Shape:
    """What decides a layout.

    start:      (n,) locked joints keep these values
    moves:      (n,) the coordinates that may move
    tolerances: (terms,) how large each error may be
    full:       whether there is a weight matrix W over all rows
    lever:      a radian counts as much as this length
    rests:      how many coordinates a Rest goal weighs
    """

    figure: Figure
    terms: list[tm.Term]
    start: np.ndarray
    moves: np.ndarray
    tolerances: np.ndarray
    full: bool
    lever: float
    rests: int

    @property
    def key(self) -> tuple[object, ...] | None:
        """Equal for shapes with one layout; None where it is not worth looking for."""
        if self.full:
            return None
        parts: list[object] = [self.rests, self.tolerances.tobytes()]
        for t in self.terms:
            weighed = 0.0 not in t.weight.tolist()
            second_point = t.second >= 0 and bool(t.at2.any())
            parts += (t.kind, t.joint, t.second, t.at.tobytes(), second_point, weighed)
            if t.functions is not None:
                parts.append(t.functions.layout_key)
        return tuple(parts)


@dataclass(frozen=True)
class Layout:
    """A problem's buffers without its targets, weights and poses.

    ints:   (k,) uint32, shared by all problems of this shape: nobody writes to it
    floats: (m,) the floats to copy and to fill in
    root:   the joint that carries the whole figure freely, or −1
    state:  how many floats an evaluation needs to remember where the joints are
    """

    ints: np.ndarray
    floats: np.ndarray
    root: int
    state: int


class _Known:
    """The layouts of one figure, the last _KEPT that were used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._layouts: OrderedDict[tuple[object, ...], Layout] = OrderedDict()

    def find(self, key: tuple[object, ...]) -> Layout | None:
        with self._lock:
            found = self._layouts.get(key)
            if found is not None:
                self._layouts.move_to_end(key)
            return found

    def keep(self, key: tuple[object, ...], layout: Layout) -> None:
        with self._lock:
            self._layouts[key] = layout
            while len(self._layouts) > _KEPT:
                self._layouts.popitem(last=False)


_known: weakref.WeakKeyDictionary[Figure, _Known] = weakref.WeakKeyDictionary()


def layout_of(shape: Shape, locked: bool) -> Layout:
    """The layout of a problem of this shape; ``locked`` where joints are locked at its start."""
    key = None if locked else shape.key
    if key is None:
        return _lay_out(shape)
    known = _known.setdefault(shape.figure, _Known())
    found = known.find(key)
    if found is None:
        found = _lay_out(shape)
        known.keep(key, found)
    return found


def _lay_out(shape: Shape) -> Layout:
    figure, terms, n = shape.figure, shape.terms, shape.figure.n
    rows = sum(term.rows for term in terms)
    pack = lay.Buffers(*figure.buffers)
    records, paths, used, touched = _terms(shape, len(figure.buffers[0]), rows)
    # The paths come first, so that their offsets are known, then what functions own.
    pack.loose_ints(paths)
    _place_functions(shape, records, pack)
    pack.count(lay.N_TERMS, len(terms))
    pack.count(lay.N_ROWS, rows)
    pack.ints(lay.I_TERM, records)
    pack.floats(lay.F_TERM, np.zeros(lay.TERM_FLOATS * len(terms)))
    pack.count(lay.N_USED, len(used))
    pack.ints(lay.I_USED, sorted(used))
    pack.count(lay.N_ERRORS, len(shape.tolerances))
    pack.floats(lay.F_TOLERANCE, shape.tolerances)
    # Rows that a coordinate touches, as runs: where each begins and where it ends.
    padded = np.pad(touched, ((0, 0), (1, 1))).astype(np.int8)
    owner, edge = np.nonzero(np.diff(padded, axis=1))
    pack.ints(lay.I_RUN_FIRST, np.searchsorted(owner, np.arange(n + 1)))
    pack.ints(lay.I_RUN, edge)
    pack.count(lay.N_REST, shape.rests)
    pack.floats(lay.F_REST, np.zeros(n))
    pack.floats(lay.F_REST_POSE, np.zeros(n))
    pack.floats(lay.F_REST_OFFSET, [0.0])
    pack.floats(lay.F_METRIC, np.where(figure.slides, shape.lever**2, 1.0))
    pack.floats(lay.F_REACH, [0.0])
    pack.count(lay.N_FULL, shape.full)
    pack.floats(lay.F_FULL, np.zeros(rows * rows if shape.full else 0))
    above, balls = _chains(shape)
    pack.ints(lay.I_ABOVE, above)
    pack.count(lay.N_BALLS, len(balls))
    pack.ints(lay.I_BALL, balls)
    root = free_root(figure, shape.moves)
    carriers = np.flatnonzero(figure.owner == root) if root >= 0 else []
    pack.count(lay.N_ROOT, len(carriers))
    pack.ints(lay.I_ROOT, carriers)
    pairs, spans = _spans(shape)
    pack.count(lay.N_SPANS, len(pairs))
    pack.ints(lay.I_SPAN, pairs)
    pack.floats(lay.F_SPAN, spans)
    pack.ints(lay.I_ROW_ERROR, row_owners(terms))
    ints, floats = pack.done()
    return Layout(ints, floats, root, int(ob.state_size(ints)))


def row_owners(terms: list[tm.Term]) -> np.ndarray:
    """(rows,) the term of each row."""
    return np.repeat(np.arange(len(terms)), [term.rows for term in terms])


def _terms(
    shape: Shape, first_path: int, rows: int
) -> tuple[np.ndarray, list[int], set[int], np.ndarray]:
    """(ints of each term, the slots of all paths, joints to place, (n, rows) what touches what)."""
    figure = shape.figure
    records = np.zeros((len(shape.terms), lay.TERM_INTS), np.int64)
    paths: list[int] = []
    used: set[int] = set()
    touched = np.zeros((figure.n, rows), bool)
    row = 0
    for record, term in zip(records, shape.terms, strict=True):
        spans: list[int] = []
        for joint in term.joints:
            path = _path(shape, joint, term)
            spans += [first_path + len(paths), len(path)]
            paths += path
            coords = [figure.tree.slots[s].coordinate for s in path]
            touched[coords, row : row + term.rows] = True
            used.update(figure.tree.ancestors(joint))
        record[lay.T_KIND], record[lay.T_ROW] = term.kind, row
        record[lay.T_JOINT], record[lay.T_JOINT2] = term.joint, term.second
        record[lay.T_PATH : lay.T_PATH + min(len(spans), 4)] = spans[:4]
        record[lay.T_COUNT] = term.rows
        if term.functions is not None:
            if term.functions.direct:
                touched[shape.moves, row : row + term.rows] = True
            term.functions.spans = spans
        row += term.rows
    for coordinates in figure.tree.cones:
        # Directions along a cone's edge mix its coordinates, so they share their rows.
        touched[coordinates] = touched[coordinates].any(axis=0)
    if shape.full:
        touched[:] = shape.moves[:, None]
    return records, paths, used, touched


def _path(shape: Shape, joint: int, term: tm.Term) -> list[int]:
    """Slots that move a term's joint, from the root down, without those that are locked.

    Turns of the joint itself that no slide follows do not move its origin, so they are left out
    where only that counts.
    """
    path: list[int] = []
    tree = shape.figure.tree
    at = term.at if joint == term.joint else term.at2
    still = term.kind in (tm.POSITION, tm.PLANE, tm.DISTANCE) and not at.any()
    turns = lay.section(tree.ints, tree.floats, lay.I_SLOT_IS_ROTATION)
    for carrier in tree.ancestors(joint):
        slots = list(tree.slots_of[carrier])
        while still and slots and turns[slots[-1]]:
            slots.pop()
        path = [s for s in slots if shape.moves[tree.slots[s].coordinate]] + path
        still = False
    return path


def _place_functions(shape: Shape, records: np.ndarray, pack: lay.Buffers) -> None:
    """Append what belongs to the terms that are functions, and write into each term's ints where
    it lies and which addresses it calls (goals/kernels/functions.py)."""
    for record, term in zip(records, shape.terms, strict=True):
        functions = term.functions
        if functions is None:
            continue
        record[lay.T_PATH : lay.T_PATH + 4] = 0
        record[lay.T_OWN_INTS] = pack.loose_ints(_own_ints(functions, shape.moves))
        record[lay.T_OWN_FLOATS] = pack.loose_floats(
            np.zeros(len(functions.numbers) + functions.room)
        )
        for first, address in (
            (lay.T_RESIDUAL, functions.residual),
            (lay.T_JACOBIAN, functions.jacobian),
            (lay.T_SECOND, functions.second),
        ):
            record[first : first + 2] = address & 0xFFFFFFFF, address >> 32


def _own_ints(functions: TermFunctions, moves: np.ndarray) -> np.ndarray:
    """Counts, joints with their paths, locked coordinates and the table of a function's term."""
    locked = np.flatnonzero(~moves) if functions.direct else np.zeros(0, int)
    joints = np.column_stack((functions.joints, np.reshape(functions.spans, (-1, 2)))).ravel()
    counts = [len(functions.joints), len(functions.numbers), len(locked)]
    return np.concatenate((counts, joints, locked, functions.table)).astype(np.int64)


def _chains(shape: Shape) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """(the next slot towards the root that may move, or −1, of every slot; kind and first slot
    of every ball that may move)."""
    tree, moves = shape.figure.tree, shape.moves
    above = np.full(len(tree.slots), -1)
    last = np.full(len(tree.parents), -1)
    for joint, parent in enumerate(tree.parents):
        previous = -1 if parent < 0 else last[parent]
        for slot in tree.slots_of[joint]:
            above[slot] = previous
            if moves[tree.slots[slot].coordinate]:
                previous = slot
        last[joint] = previous
    kinds = lay.section(tree.ints, tree.floats, lay.I_KIND)
    first = lay.section(tree.ints, tree.floats, lay.I_FIRST_SLOT)
    balls = [
        (int(kind), int(slot))
        for kind, slot in zip(kinds, first, strict=True)
        if kind >= lay.EXPONENTIAL and moves[tree.slots[int(slot)].coordinate]
    ]
    return above, balls


def _spans(shape: Shape) -> tuple[list[tuple[int, int]], list[list[float]]]:
    """How far apart the bones let two position goals be, tolerances included.

    (pairs of terms, or (term, −1) for a term and a base that does not move; for each the
    longest distance and the base's place.)  Pairs across a joint that slides freely are left
    out.
    """
    figure, tree = shape.figure, shape.figure.tree
    slide = np.zeros(len(figure.joints))
    fixed = np.zeros(len(figure.joints) + 1, bool)
    fixed[-1] = True  # the world, which is the parent −1 of roots
    turns, scales, shifts = (
        lay.section(tree.ints, tree.floats, entry)
        for entry in (lay.I_SLOT_IS_ROTATION, lay.F_SCALE, lay.F_SHIFT)
    )
    for joint, slots in enumerate(tree.slots_of):
        coordinates = [tree.slots[slot].coordinate for slot in slots]
        fixed[joint] = fixed[figure.parents[joint]] and not shape.moves[coordinates].any()
        for slot, c in zip(slots, coordinates, strict=True):
            # A slide may follow a turn, so that the slot decides and not its coordinate.
            if not turns[slot]:
                far = max(abs(figure.lower[c]), abs(figure.upper[c]))
                far = far if shape.moves[c] else abs(shape.start[c])
                slide[joint] += far * abs(scales[slot]) + abs(shifts[slot])
    chains = []
    for k, term in enumerate(shape.terms):
        if term.kind != tm.POSITION or not (term.weight > 0).all() or fixed[term.joint]:
            continue
        joint, length = term.joint, float(np.linalg.norm(term.at)) + float(shape.tolerances[k])
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
                frame = figure.frames(shape.start)[parent]
                base = frame[:3, :3] @ base + frame[:3, 3]
            pairs.append((k, -1))
            spans.append([longest, *base])
        for other, _, path in chains[:i]:
            joint = next((j for j in chain if j in path), -1)
            if joint >= 0 and np.isfinite(chain[joint] + path[joint]):
                pairs.append((k, other))
                spans.append([chain[joint] + path[joint], 0.0, 0.0, 0.0])
    return pairs, spans
