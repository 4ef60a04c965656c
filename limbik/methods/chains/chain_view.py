"""The chain view of a problem: which joints turn what, from the tips inwards, and their bones.

Most methods see only r and J.  Cyclic descent and FABRIK turn joint after joint, so they need to
know what hangs below each: here that becomes a table of numbers which their kernels read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from limbik.figure import layout as lay
from limbik.figure.layout import N_FULL
from limbik.goals.terms import POSITION
from limbik.jit import kernel
from limbik.solver.problem import Problem

# What a step turns.  A triple is three turns about principal axes that make a ball; BENDS are the
# coordinates of a ball that shares its joint with other turns.  ALONE moves one coordinate about
# which nothing is known but f.
ALONE, TURN, SLIDE, BALL, TRIPLE, BENDS = range(6)

STEP = 6
S_KIND, S_JOINT, S_PART, S_SLOT, S_FIRST, S_COUNT = range(STEP)
PIVOT = 9
P_JOINT, P_PARENT, P_STEP, P_STEPS, P_FIRST, P_COUNT, P_AIM, P_AIMS, P_CENTRE = range(PIVOT)
_HEADER = 5
_PARALLEL = 1e-6  # sine of the angle between two axes that count as one


class Chain(NamedTuple):
    """Steps from the tips inwards, and pivots from the root outwards.

    A step is what a method moves at once; S_FIRST and S_COUNT say which entries of ``below`` are
    the terms it moves.  A pivot is a joint with steps; what lies between two pivots is rigid.  Its
    ``bones``, from P_FIRST on, end at other pivots (their number) or at the points of terms (number
    of pivots + term).  Its ``aims``, from P_AIM on, tell it how to turn: they are the ends of its
    bones and, where the joint there cannot turn every way, those beyond: or none would turn.
    It turns about the world point of the slot P_CENTRE.
    """

    steps: np.ndarray  # (steps, STEP)
    pivots: np.ndarray  # (pivots, PIVOT)
    below: np.ndarray  # terms, step by step
    bones: np.ndarray  # ends of bones, pivot by pivot
    aims: np.ndarray  # what to turn towards, pivot by pivot

    def table(self) -> np.ndarray:
        """Everything as floats in a row, for a kernel; ``open_chain`` reads it."""
        sizes = [len(part) for part in self]
        return np.concatenate([np.asarray(part, float).ravel() for part in (sizes, *self)])


@kernel
def open_chain(table):
    """table -> Chain of views."""
    steps, pivots = int(table[0]), int(table[1])
    a = _HEADER + STEP * steps
    b = a + PIVOT * pivots
    c = b + int(table[2])
    d = c + int(table[3])
    return Chain(
        table[_HEADER:a].reshape(steps, STEP),
        table[a:b].reshape(pivots, PIVOT),
        table[b:c],
        table[c:d],
        table[d : d + int(table[4])],
    )


@kernel
def world_and_axes(ints, state):
    """Where a problem's state has the joints and the axes of the slots: (world, axes)."""
    a = ints[lay.N_JOINTS] * lay.WORLD
    return state[:a], state[a : a + (ints[lay.N_SLOTS] + 1) * lay.AXIS]


def chain_view(problem: Problem) -> Chain:
    """The chain view of a problem; it does not depend on where the targets are."""
    steps, below = _steps(problem)
    return Chain(steps, below=below, **_pivots(problem, steps))


def _terms_of_slots(problem: Problem) -> list[set[int]]:
    """Which terms each slot moves; empty for what is locked."""
    ints = problem.ints
    found: list[set[int]] = [set() for _ in problem.figure.tree.slots]
    for term, row in enumerate(lay.section(ints, problem.floats, lay.I_TERM).astype(int)):
        for path, length in (
            (row[lay.T_PATH], row[lay.T_LENGTH]),
            (row[lay.T_PATH2], row[lay.T_LENGTH2]),
        ):
            for slot in ints[path : path + length]:
                found[slot].add(term)
    return found


def _steps(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """(steps, below) of a chain, from the last joint to the first and in each from its last part.

    A joint stands behind its parent in a figure, so whatever is above a step has not moved before.
    """
    tree, terms_of = problem.figure.tree, _terms_of_slots(problem)
    n = problem.figure.n
    rest = lay.section(problem.ints, problem.floats, lay.F_REST) > 0
    driven = np.bincount([slot.coordinate for slot in tree.slots], minlength=n)
    opaque = problem.has_functions or bool(problem.ints[N_FULL])
    first_part, kinds, first_slot = (
        lay.section(tree.ints, tree.floats, entry).astype(int)
        for entry in (lay.I_FIRST_PART, lay.I_KIND, lay.I_FIRST_SLOT)
    )
    rows: list[list[int]] = []
    below: list[int] = []
    done: set[int] = set()

    def coordinates(slots: Iterable[int]) -> list[int]:
        return [tree.slots[slot].coordinate for slot in slots]

    def matters(slots: Iterable[int]) -> bool:
        return any(
            problem.moves[c] and (problem.has_functions or rest[c] or bool(terms_of[slot]))
            for slot, c in zip(slots, coordinates(slots), strict=True)
        )

    def plain(slots: Iterable[int]) -> bool:
        """Whether points move with these slots and nothing else does."""
        kinds_below = {problem.terms[t].kind for slot in slots for t in terms_of[slot]}
        single = all(driven[c] == 1 and problem.moves[c] for c in coordinates(slots))
        return single and kinds_below <= {POSITION} and not opaque

    def add(kind: int, joint: int, part: int, slots: range) -> None:
        terms = sorted(set().union(*(terms_of[slot] for slot in slots)))
        rows.append([kind, joint, part, slots[0], len(below), len(terms)])
        below.extend(terms)
        done.update(coordinates(slots))

    for joint in reversed(range(len(tree.joints))):
        parts = range(first_part[joint], first_part[joint + 1])
        turning = [part for part in parts if kinds[part] != lay.SLIDE]
        triple = _is_triple([kinds[part] for part in turning], turning)
        if triple:
            slots = range(first_slot[turning[0]], first_slot[turning[0]] + 3)
            triple = matters(slots) and plain(slots)
        for part in reversed(parts):
            ball = kinds[part] in (lay.EXPONENTIAL, lay.SWING_TWIST)
            slots = range(first_slot[part], first_slot[part] + (3 if ball else 1))
            if triple and part in turning:
                if part == turning[0]:
                    add(TRIPLE, joint, part, range(slots[0], slots[0] + 3))
            elif ball and matters(slots) and plain(slots):
                add(BALL if len(turning) == 1 else BENDS, joint, part, slots)
            else:
                for slot in reversed(slots):
                    one = range(slot, slot + 1)
                    if not matters(one) or coordinates(one)[0] in done:
                        continue
                    simple = plain(one) and not ball
                    kind = (SLIDE if kinds[part] == lay.SLIDE else TURN) if simple else ALONE
                    add(kind, joint, part, one)
    return np.array(rows, int).reshape(-1, STEP), np.array(below, int)


def _is_triple(kinds: list[int], parts: list[int]) -> bool:
    """Whether three turns, with no slide between them, reach every rotation about one point."""
    return (
        len(kinds) == 3
        and max(kinds) <= lay.TURN_Z
        and kinds[1] not in (kinds[0], kinds[2])
        and parts[2] - parts[0] == 2
    )


def _pivots(problem: Problem, steps: np.ndarray) -> dict[str, np.ndarray]:
    """Pivots, bones and aims of a chain with these steps."""
    parents = problem.figure.parents
    joints = sorted(set(steps[:, S_JOINT].tolist()))
    number = {joint: k for k, joint in enumerate(joints)}

    def holder(joint: int) -> int:
        """The pivot that a joint hangs from or is, or −1."""
        while joint >= 0 and joint not in number:
            joint = int(parents[joint])
        return number.get(joint, -1)

    ends: list[list[int]] = [[] for _ in joints]
    above = [holder(int(parents[joint])) for joint in joints]
    for k, parent in enumerate(above):
        if parent >= 0:
            ends[parent].append(k)
    for t, term in enumerate(problem.terms):
        if holder(term.joint) >= 0:
            ends[holder(term.joint)].append(len(joints) + t)
    turns = lay.section(problem.ints, problem.floats, lay.I_SLOT_IS_ROTATION)
    rows: list[list[int]] = []
    bones: list[int] = []
    aims: list[int] = []
    for k, joint in enumerate(joints):
        own = np.flatnonzero(steps[:, S_JOINT] == joint)
        slots = steps[own, S_SLOT].tolist()
        centre = min(slots, key=lambda slot: (not turns[slot], slot))
        wanted = _aims(problem, steps, joints, ends, k)
        rows.append(
            [joint, above[k], own[0], len(own), len(bones), len(ends[k]), len(aims), len(wanted)]
            + [centre]
        )
        bones += ends[k]
        aims += wanted
    pivots = np.array(rows, int).reshape(-1, PIVOT)
    return {"pivots": pivots, "bones": np.array(bones, int), "aims": np.array(aims, int)}


def _aims(
    problem: Problem, steps: np.ndarray, joints: list[int], ends: list[list[int]], pivot: int
) -> list[int]:
    """The ends of a pivot's bones and, beyond joints that cannot turn every way, further ones.

    A hinge beyond which a parallel one follows has that to rely on, as in a plane.
    """
    axis = _hinge(problem, joints[pivot])
    found: list[int] = []
    waiting = list(reversed(ends[pivot]))
    while waiting:
        end = waiting.pop()
        if end >= len(joints):
            found.append(end)
            continue
        kinds = set(steps[steps[:, S_JOINT] == joints[end], S_KIND].tolist())
        if kinds != {SLIDE}:
            found.append(end)
        other = _hinge(problem, joints[end])
        if axis is not None and other is not None:
            enough = float(np.linalg.norm(np.cross(axis, other))) <= _PARALLEL
        else:
            enough = bool(kinds & {BALL, TRIPLE})
        if not enough:
            waiting += reversed(ends[end])
    return found


def _hinge(problem: Problem, joint: int) -> np.ndarray | None:
    """The world axis (3,) of a joint that is a hinge and nothing else, at the start; or None."""
    hinge = problem.figure.definition[joint].hinge
    if hinge is None:
        return None
    return problem.scene.frames[joint, :3, :3] @ np.array(hinge.axis)
