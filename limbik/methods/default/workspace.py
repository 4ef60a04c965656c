"""The arrays that a damped step is worked out on, views of one workspace."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, NamedTuple, get_type_hints

import numpy as np
from numba import types

from limbik.figure.layout import HEADER, N_COORDS, N_ROWS, N_SLOTS
from limbik.jit import FLOATS, INTS, TABLE, kernel_part
from limbik.methods.workspace import floats_taken, take, take_integers, take_table
from limbik.solver.objective import ahead_of, state_size
from limbik.solver.problem import Problem

Floats = Annotated[np.ndarray, FLOATS]
Ints = Annotated[np.ndarray, INTS]
Table = Annotated[np.ndarray, TABLE]


class LMWorkspace(NamedTuple):
    """Arrays of a problem's n coordinates and its rows; d counts the free directions."""

    state: Floats  # where everything is, for evaluate and linearise
    r: Floats  # (rows,) residuals at q
    trial_r: Floats  # (rows,) residuals at the trial
    model_residual: Floats  # (rows,) residuals to aim a step at
    y: Floats  # (rows,) unknowns of the dual form
    base: Floats  # (max(n, rows),) right-hand side
    half_descent: Floats  # (n,) −½∇f
    trial: Floats  # (n,) pose to try
    starts: Ints  # first coordinate of direction d,
    spans: Ints  # how many it moves,
    coefficients: Table  # (n, 3) and by how much each
    column: Ints  # row of jt that holds direction d
    pull: Floats  # what the diagonal goals ask of direction d,
    stiff: Floats  # and how firmly
    edge_curvature: Floats  # how f curves along direction d because the edge of a cone does,
    edge_between: Floats  # what directions d and d + 1 share of that,
    edge_bound: Floats  # and what is no less than both, without an entry beside the diagonal
    ease: Floats  # how freely direction d moves
    step: Floats  # the answer: how far along direction d
    held: Ints  # 1 where a limit holds direction d
    cut: Ints  # how a limit cuts direction d off,
    along: Floats  # where that leaves it,
    across: Floats  # and its neighbour
    jt: Table  # (n, rows) transposed Jacobian
    ahead: Floats  # (1 + rows,) w·h < 0 of inequalities that hold, solver/objective.py
    ahead_jt: Table  # (n, rows) the columns of jt that they would have
    system: Table  # (min(n, rows),)² the dual system, then its factor
    by_direction: Table  # (rows, n) Jacobian along the free directions
    second: Table  # (n, n) S: what the residuals' second derivatives add to the Hessian
    hessian: Table  # (n, n) ½∇²f along the free directions, without damping
    factor: Table  # (n, n) the damped Hessian, then its factor
    moments: Table  # (slots, 3) for ``curvature``
    torques: Table  # (slots, 3) for ``curvature``
    columns: Table  # (n, 3) for ``curvature``
    free: Ints  # positions of directions of more than one coordinate
    order: Ints  # the directions from the tips of the limbs to the root
    first: Ints  # first position that shares an entry of the Hessian with position k
    where: Ints  # scratch
    alone: Floats  # (n,) scratch
    metric: Floats  # (n,) 1/M: how far each coordinate goes for the same damping
    holding: Table  # (n, n) what holds directions where limits stop a step


_HINTS = get_type_hints(LMWorkspace, include_extras=True).values()
LM = types.NamedTuple([hint.__metadata__[0] for hint in _HINTS], LMWorkspace)
"""The type of an LMWorkspace, for external kernels."""


@kernel_part
def view_lm(ints, work):
    """work -> LMWorkspace, and what is left; the problem's state comes first."""
    n, rows, slots = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS]), np.int64(ints[N_SLOTS])
    side = min(n, rows)
    state, work = take(work, state_size(ints))
    by_row, work = take_table(work, 4, rows)
    base, work = take(work, max(n, rows))
    by_n, work = take_table(work, 12, n)
    integers, work = take_integers(work, 9, n)
    coefficients, work = take_table(work, n, 3)
    jt, work = take_table(work, n, rows)
    ahead_jt, work = take_table(work, n, rows)
    system, work = take_table(work, side, side)
    by_direction, work = take_table(work, rows, n)
    second, work = take_table(work, n, n)
    hessian, work = take_table(work, n, n)
    factor, work = take_table(work, n, n)
    moments, work = take_table(work, slots, 3)
    torques, work = take_table(work, slots, 3)
    columns, work = take_table(work, n, 3)
    alone, work = take(work, n)
    holding, work = take_table(work, n, n)
    return LMWorkspace(
        state, by_row[0], by_row[1], by_row[2], by_row[3], base, by_n[0], by_n[1], integers[0],
        integers[1], coefficients, integers[2], by_n[2], by_n[3], by_n[8], by_n[10], by_n[11],
        by_n[4], by_n[5], integers[3], integers[4], by_n[6], by_n[7], jt, ahead_of(ints, state),
        ahead_jt, system, by_direction, second, hessian, factor, moments, torques, columns,
        integers[5], integers[6], integers[7], integers[8], alone, by_n[9], holding,
    ), work  # fmt: skip


def lm_size(problem: Problem) -> int:
    """Floats that ``view_lm`` needs beyond the problem's state."""
    ints = problem.ints
    return _size(int(ints[N_COORDS]), int(ints[N_ROWS]), int(ints[N_SLOTS]))


@lru_cache(maxsize=1024)  # counting takes longer than a short solve
def _size(n: int, rows: int, slots: int) -> int:
    ints = np.zeros(HEADER, np.uint32)
    ints[N_COORDS], ints[N_ROWS], ints[N_SLOTS] = n, rows, slots
    return floats_taken(view_lm, ints) - int(state_size(ints))
