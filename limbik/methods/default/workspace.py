"""The desk a damped step is worked out on: all its arrays, carved from one workspace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbik.figure.layout import N_COORDS, N_ROWS, N_SLOTS
from limbik.jit import inner
from limbik.solver.objective import state_size
from limbik.solver.problem import Problem


class Desk(NamedTuple):
    """Arrays of a problem's n coordinates and its rows; d counts the free directions."""

    state: np.ndarray  # where everything is, for evaluate and linearise
    r: np.ndarray  # (rows,) residuals at q
    trial_r: np.ndarray  # (rows,) residuals at the trial
    target: np.ndarray  # (rows,) residuals to aim a step at
    y: np.ndarray  # (rows,) unknowns of the dual form
    base: np.ndarray  # (max(n, rows),) right-hand side
    push: np.ndarray  # (n,) −½∇f
    trial: np.ndarray  # (n,) pose to try
    starts: np.ndarray  # first coordinate of direction d,
    spans: np.ndarray  # how many it moves,
    coefficients: np.ndarray  # (n, 3) and by how much each
    column: np.ndarray  # row of jt that holds direction d
    pull: np.ndarray  # what the diagonal goals ask of direction d,
    stiff: np.ndarray  # and how firmly
    bend: np.ndarray  # what the edge of a cone adds to that
    ease: np.ndarray  # how freely direction d moves
    step: np.ndarray  # the answer: how far along direction d
    held: np.ndarray  # 1 where a limit holds direction d
    cut: np.ndarray  # how a limit cuts direction d off,
    along: np.ndarray  # where that leaves it,
    across: np.ndarray  # and its neighbour
    jt: np.ndarray  # (n, rows) transposed Jacobian
    system: np.ndarray  # (min(n, rows),)² the dual system, then its factor
    by_direction: np.ndarray  # (rows, n) Jacobian along the free directions
    second: np.ndarray  # (n, n) S: what the residuals' second derivatives add to the Hessian
    hessian: np.ndarray  # (n, n) ½∇²f along the free directions, without damping
    factor: np.ndarray  # (n, n) the damped Hessian of what is not held, then its factor
    moments: np.ndarray  # (slots, 3) for ``curvature``
    torques: np.ndarray  # (slots, 3) for ``curvature``
    columns: np.ndarray  # (n, 3) for ``curvature``
    free: np.ndarray  # the directions that are not held
    order: np.ndarray  # the free directions from the tips of the limbs to the root
    first: np.ndarray  # first position that shares an entry of the Hessian with position k
    where: np.ndarray  # scratch
    alone: np.ndarray  # (n,) scratch
    metric: np.ndarray  # (n,) 1/M: how far each coordinate goes for the same damping


def desk_size(problem: Problem) -> int:
    """Floats that ``lay_out`` needs beyond the problem's state."""
    n, rows = problem.figure.n, problem.rows
    square = 3 * n * n + 4 * n + 6 * len(problem.figure.tree.slots)
    return 4 * rows + max(n, rows) + 18 * n + 2 * n * rows + min(n, rows) ** 2 + square


@inner
def lay_out(ints, work):
    """work (state_size + desk_size,) -> Desk."""
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    side, long = min(n, rows), max(n, rows)
    at = state_size(ints)
    state = work[:at]
    by_row = work[at : at + 4 * rows].reshape(4, rows)
    at += 4 * rows
    base = work[at : at + long]
    at += long
    by_n = work[at : at + 10 * n].reshape(10, n)
    at += 10 * n
    marks = work[at : at + 5 * n].view(np.uint32).reshape(10, n)
    at += 5 * n
    coefficients = work[at : at + 3 * n].reshape(n, 3)
    at += 3 * n
    jt = work[at : at + n * rows].reshape(n, rows)
    at += n * rows
    system = work[at : at + side * side].reshape(side, side)
    at += side * side
    by_direction = work[at : at + rows * n].reshape(rows, n)
    at += rows * n
    squares = work[at : at + 3 * n * n].reshape(3, n, n)
    at += 3 * n * n
    slots = np.int64(ints[N_SLOTS])
    by_slot = work[at : at + 6 * slots].reshape(2, slots, 3)
    at += 6 * slots
    columns = work[at : at + 3 * n].reshape(n, 3)
    at += 3 * n
    alone = work[at : at + n]
    return Desk(
        state, by_row[0], by_row[1], by_row[2], by_row[3], base, by_n[0], by_n[1], marks[0],
        marks[1], coefficients, marks[2], by_n[2], by_n[3], by_n[8], by_n[4], by_n[5], marks[3],
        marks[4], by_n[6], by_n[7], jt, system, by_direction, squares[0], squares[1], squares[2],
        by_slot[0], by_slot[1], columns, marks[5], marks[6], marks[7],
        marks[8], alone, by_n[9],
    )  # fmt: skip
