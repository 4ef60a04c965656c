"""Which coordinates a Gauss–Seidel sweep updates in which order, and which at the same time.

Two coordinates are coupled where some row of J feels both; JᵀJ is 0 between all others, such as
those of two fingers on a wrist that is counted apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.figure import layout as lay
from limbik.figure.figure import Figure
from limbik.figure.layout import CHART, CONE_EXPONENTIAL
from limbik.methods.gauss_seidel.sweeps import UNIT
from limbik.solver.problem import Problem

SWEEPS = ("sequential", "colored", "blocked")


def touched(problem: Problem) -> np.ndarray:
    """(n, rows) whether a row of J may feel a coordinate."""
    ints, n = problem.ints, problem.figure.n
    first = lay.section(ints, problem.floats, lay.I_RUN_FIRST).astype(int)
    edges = ints[ints[lay.I_RUN] :].astype(int)
    out = np.zeros((n, problem.rows), bool)
    for c in range(n):
        for k in range(first[c], first[c + 1], 2):
            out[c, edges[k] : edges[k + 1]] = True
    return out


def units_of(problem: Problem) -> list[np.ndarray]:
    """What a sweep updates at a time: each cone's coordinates together, the others alone."""
    cones = {int(cone[0]): cone for cone in problem.figure.tree.cones}
    inside = {int(c) for cone in cones.values() for c in cone[1:]}
    return [cones.get(c, np.array([c])) for c in range(problem.figure.n) if c not in inside]


def coupled(problem: Problem, units: Sequence[np.ndarray]) -> np.ndarray:
    """(units, units) whether JᵀJ may be other than 0 between two units."""
    rows = touched(problem)
    of_units = np.array([rows[unit].any(axis=0) for unit in units], float)
    return of_units @ of_units.T > 0.0


def colors(graph: np.ndarray) -> np.ndarray:
    """(k,) a colour for each node of a graph (k, k), none like a neighbour's: greedy, in order."""
    found = np.full(len(graph), -1)
    for node in range(len(graph)):
        taken = set(found[:node][graph[node, :node]])
        found[node] = next(color for color in range(len(graph)) if color not in taken)
    return found


def limb_of(figure: Figure) -> np.ndarray:
    """(joints,) the number of the limb: joints that each go on from one to its only child."""
    children = np.bincount(figure.parents[figure.parents >= 0], minlength=len(figure.joints))
    limb = np.zeros(len(figure.joints), int)
    count = 0
    for joint, parent in enumerate(figure.parents):
        if parent >= 0 and children[parent] == 1:
            limb[joint] = limb[parent]
        else:
            limb[joint] = count
            count += 1
    return limb


def groups_of(problem: Problem, sweep: str) -> tuple[list[list[int]], float]:
    """(groups of units, share): how a sweep goes, as lists of indices into ``units_of``.

    "sequential": one group in the order of q.  "colored": a group a colour; no two units of a
    colour are coupled, so that they could run at once and give the same.  "blocked": a group a
    limb.  All limbs start from the same x, as if they ran at once, and 1/χ of their updates is
    taken, χ colours being enough for limbs of the same colour not to be coupled: the result is then
    the mean of χ points, each with a model value no higher than before, and the model is convex.
    """
    units = units_of(problem)
    everyone = list(range(len(units)))
    if sweep == "sequential" or not units:
        return [everyone], 1.0
    graph = coupled(problem, units)
    if sweep == "colored":
        kind, share = colors(graph), 1.0
    else:
        kind = limb_of(problem.figure)[problem.figure.owner[[unit[0] for unit in units]]]
        kind = np.unique(kind, return_inverse=True)[1]
        member = kind == np.arange(kind.max() + 1)[:, None]
        share = 1.0 / (1 + int(colors(member @ graph @ member.T > 0).max()))
    return [[u for u in everyone if kind[u] == k] for k in range(int(kind.max()) + 1)], share


def _may_shift(problem: Problem, unit: np.ndarray, cone: int) -> bool:
    """Whether w and (1 − 2π/‖w‖)w are the same to everybody: no goal or joint reads w itself."""
    ints, tree = problem.ints, problem.figure.tree
    kind = lay.section(ints, problem.floats, lay.I_CONE)[cone, lay.CONE_KIND]
    rest = lay.section(ints, problem.floats, lay.F_REST)[unit]
    readers = sum(slot.coordinate in unit for slot in tree.slots)
    exponential = kind in (CHART, CONE_EXPONENTIAL)
    free = bool(problem.moves[unit].all()) and not problem.has_functions
    return exponential and free and readers == len(unit) and not rest.any()


def schedule(problem: Problem, sweep: str) -> np.ndarray:
    """The groups as the floats that sweeps.py reads."""
    units, cones = (
        units_of(problem),
        {int(c[0]): k for k, c in enumerate(problem.figure.tree.cones)},
    )
    groups, share = groups_of(problem, sweep)
    first = np.cumsum([0, *map(len, groups)])
    table = np.zeros((len(units), UNIT))
    for row, u in enumerate(u for group in groups for u in group):
        unit = units[u]
        cone = cones.get(int(unit[0]), -1)
        table[row] = unit[0], len(unit), cone, cone >= 0 and _may_shift(problem, unit, cone)
    return np.concatenate([[len(units), len(groups), share], first, table.ravel()])
