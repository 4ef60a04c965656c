"""Basic elements of extended_jacobian on any tree: pairs of segments, and how joints move them.

An element runs from a joint over its child to a grandchild (or to the end of the child's last
bone).  The vector from its first joint to its end, seen in the frame of the first joint's parent,
is what the rows that are added to the Jacobian measure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.figure import kinematics as kin
from limbik.figure import layout as lay
from limbik.figure.layout import F_REST, I_RUN_FIRST
from limbik.jit import kernel
from limbik.solver.problem import Problem

ELEMENT = 5  # numbers an element: its first joint, its last joint, a point of the last joint


def basic_elements(problem: Problem) -> list[list[float]]:
    """The elements i:i+2 on the way to the goals, whose joints are not all locked or fixed.

    Other branches are left out: without a goal there is nothing that would move them.  A goal
    written in Python may look at anything, so with one of those all elements count.
    """
    figure = problem.figure
    parents = figure.parents
    on_the_way = np.full(len(figure.joints), problem.has_functions)
    for term in problem.terms:
        for joint in (term.joint, term.second):
            on_the_way[figure.tree.ancestors(joint)] = True
    has_child = np.isin(np.arange(len(parents)), parents)
    found: list[list[float]] = []
    for joint in np.flatnonzero(on_the_way):
        middle = int(parents[joint])
        if middle < 0:
            continue
        tip = figure.definition[joint].tip
        ends = [(int(parents[middle]), (0.0, 0.0, 0.0))]
        if tip is not None and not has_child[joint]:
            ends.append((middle, tip))
        for first, at in ends:
            if first >= 0 and problem.moves[_coordinates(problem, first, int(joint), at)].any():
                found.append([first, float(joint), *at])
    return found


def that_count(problem: Problem, elements: list[list[float]]) -> np.ndarray:
    """(n,) True for coordinates that may move and do move a goal or an element.

    Only these are unknowns: one that moves nothing anywhere says nothing about a matrix's rank.
    """
    ints, figure = problem.ints, problem.figure
    runs = ints[ints[I_RUN_FIRST] :][: figure.n + 1]
    counts = (np.diff(runs.astype(int)) > 0) | (problem.floats[ints[F_REST] :][: figure.n] > 0.0)
    for first, last, *at in elements:
        counts[_coordinates(problem, int(first), int(last), at)] = True
    return counts & problem.moves


def turns_with_others(problem: Problem) -> np.ndarray:
    """(n,) True for turns of a joint that turns about more than one axis."""
    figure = problem.figure
    count = np.bincount(figure.owner[~figure.slides], minlength=len(figure.joints))
    turns = problem.moves & ~figure.slides
    return turns & (count[figure.owner] > 1)


def _coordinates(problem: Problem, first: int, last: int, at: Sequence[float]) -> list[int]:
    """Coordinates that move an element: not turns that leave its end where it is, nor slides that
    carry all of it along."""
    tree, joint = problem.figure.tree, last
    turns = tree.ints[tree.ints[lay.I_SLOT_IS_ROTATION] :]
    found: list[int] = []
    while True:
        slots = list(tree.slots_of[joint])
        while joint == last and not any(at) and slots and turns[slots[-1]]:
            slots.pop()
        found += [tree.slots[s].coordinate for s in slots if turns[s] or joint != first]
        if joint == first:
            return found
        joint = int(tree.parents[joint])


@kernel
def place_all(ints, floats, q, world, axes, scratch):
    """Forward kinematics of all joints, also of those that no goal needs."""
    kin.forward(ints, floats, q, ints[lay.I_ORDER], ints[lay.N_JOINTS], world, axes, scratch)


@kernel
def element_rows(ints, floats, elements, world, axes, first_row, at):
    """The rows of equation 9 for each element into at[:, first_row:], (n, rows) and transposed.

    Three rows an element: how the vector from its first joint to its end changes in the frame of
    the first joint's parent, by every coordinate.  What turns the whole element does not count.
    """
    for k in range(len(elements) // ELEMENT):
        e, row = ELEMENT * k, first_row + 3 * k
        top, joint = int(elements[e]), int(elements[e + 1])
        for c in range(at.shape[0]):
            for i in range(row, row + 3):
                at[c, i] = 0.0
        w = lay.WORLD * joint
        x, y, z = elements[e + 2], elements[e + 3], elements[e + 4]
        px = world[w + 9] + world[w] * x + world[w + 1] * y + world[w + 2] * z
        py = world[w + 10] + world[w + 3] * x + world[w + 4] * y + world[w + 5] * z
        pz = world[w + 11] + world[w + 6] * x + world[w + 7] * y + world[w + 8] * z
        t = lay.WORLD * top + 9
        while True:
            first = ints[lay.I_FIRST_PART] + joint
            for part in range(ints[first], ints[first + 1]):
                slots = 3 if ints[ints[lay.I_KIND] + part] >= lay.EXPONENTIAL else 1
                start = ints[ints[lay.I_FIRST_SLOT] + part]
                for slot in range(start, start + slots):
                    s, c = lay.AXIS * slot, ints[ints[lay.I_COORD] + slot]
                    scale = floats[ints[lay.F_SCALE] + slot]
                    ax, ay, az = axes[s] * scale, axes[s + 1] * scale, axes[s + 2] * scale
                    if ints[ints[lay.I_SLOT_IS_ROTATION] + slot]:
                        # The first joint's own turns carry its origin along.
                        ox, oy, oz = axes[s + 3], axes[s + 4], axes[s + 5]
                        if joint == top:
                            ox, oy, oz = world[t], world[t + 1], world[t + 2]
                        dx, dy, dz = px - ox, py - oy, pz - oz
                        ax, ay, az = ay * dz - az * dy, az * dx - ax * dz, ax * dy - ay * dx
                    elif joint == top:
                        continue
                    at[c, row] += ax
                    at[c, row + 1] += ay
                    at[c, row + 2] += az
            if joint == top:
                break
            joint = int(ints[ints[lay.I_PARENT] + joint])
        parent = ints[ints[lay.I_PARENT] + top]
        if parent == lay.NONE:
            continue
        w = lay.WORLD * int(parent)
        for c in range(at.shape[0]):
            x, y, z = at[c, row], at[c, row + 1], at[c, row + 2]
            for i in range(3):
                at[c, row + i] = world[w + i] * x + world[w + 3 + i] * y + world[w + 6 + i] * z
