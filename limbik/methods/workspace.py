"""The sheet a first-order method works on: its arrays in one workspace, and its last judgement."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from limbik.figure.kinematics import N_COORDS
from limbik.figure.projection import project
from limbik.goals.terms import N_ROWS
from limbik.jit import kernel
from limbik.maths.linear import copy
from limbik.methods.base import REACHED, SPENT, STATIONARY, STUCK, record
from limbik.solver.objective import (
    F_REST,
    descent,
    evaluate,
    linearise,
    reached,
    scratch_of,
    state_size,
)
from limbik.solver.problem import Problem


class Sheet(NamedTuple):
    """Arrays of a problem's n coordinates and its rows, and what is left of the workspace."""

    state: np.ndarray  # where everything is, for evaluate and linearise
    scratch: np.ndarray  # for project, and for anyone between two evaluations
    r: np.ndarray  # (rows,) residuals at q
    trial_r: np.ndarray  # (rows,) residuals at the trial
    target: np.ndarray  # (rows,) residuals to aim a step at
    push: np.ndarray  # (n,) −½∇f
    trial: np.ndarray  # (n,) pose to try
    step: np.ndarray  # (n,) the way there
    jt: np.ndarray  # (n, rows) transposed Jacobian
    spare: np.ndarray  # everything that the method asked for beyond ``sheet_size``


def sheet_size(problem: Problem) -> int:
    """Floats that ``open_sheet`` needs beyond the problem's state."""
    n, rows = problem.figure.n, problem.rows
    return 3 * rows + 3 * n + n * rows


@kernel
def open_sheet(ints, work):
    """work (state_size + sheet_size + the method's own,) -> Sheet."""
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    at = state_size(ints)
    state = work[:at]
    by_row = work[at : at + 3 * rows].reshape(3, rows)
    at += 3 * rows
    by_n = work[at : at + 3 * n].reshape(3, n)
    at += 3 * n
    jt = work[at : at + n * rows].reshape(n, rows)
    at += n * rows
    return Sheet(
        state, scratch_of(ints, state), by_row[0], by_row[1], by_row[2], by_n[0], by_n[1], by_n[2],
        jt, work[at:],
    )  # fmt: skip


@kernel
def gain_left(ints, floats, q, sheet, f):
    """‖J‖·‖P(q − ∇f/2‖J‖²) − q‖/√f: the projected gradient in a scale of its own.

    0 exactly where q is stationary; away from the limits it is the cosine ‖Jᵀr‖/‖J‖‖r‖ between
    what is missing and what J can give, whatever the figure's unit.  J and r include the diagonal
    goals; sheet.jt and sheet.push must be those of q, and sheet.trial is overwritten.
    """
    n, weight = ints[N_COORDS], ints[F_REST]
    jt, moved = sheet.jt, sheet.trial
    square = 0.0
    for c in range(n):
        square += floats[weight + c]
        for i in range(ints[N_ROWS]):
            square += jt[c, i] * jt[c, i]
    if square == 0.0 or f <= 1e-28 * square:
        return 0.0  # what is left is rounding
    for c in range(n):
        moved[c] = q[c] + sheet.push[c] / square
    project(ints, floats, moved, sheet.scratch)
    far = 0.0
    for c in range(n):
        far += (moved[c] - q[c]) ** 2
    return math.sqrt(square * far / f)


# Not kernels: run as plain Python, these two must reach goals written in Python.


@register_jitable
def judge(ints, floats, q, sheet, f, stationary):
    """The exit code of a method that stops at q of its own accord: REACHED, STATIONARY or STUCK.

    q must be inside the limits and the pose that was evaluated last, with residuals sheet.r.  Costs
    one Jacobian unless the goals are reached.
    """
    if reached(ints, floats, sheet.state):
        return REACHED
    linearise(ints, floats, q, sheet.state, sheet.r, sheet.jt, sheet.target)
    descent(ints, floats, q, sheet.jt, sheet.r, sheet.push)
    if gain_left(ints, floats, q, sheet, f) <= stationary:
        return STATIONARY
    return STUCK


@register_jitable
def end_inside(ints, floats, q, sheet, spent, stationary, history, noted):
    """The end of a method that leaves the limits on its way: q becomes P(q) and is judged there.

    Returns (exit code, f, how many iterates are noted); ``spent`` says that no iterations are left.
    Costs one evaluation, and one Jacobian unless the goals are reached.
    """
    copy(q, len(q), sheet.trial)
    project(ints, floats, q, sheet.scratch)
    f = evaluate(ints, floats, q, sheet.state, sheet.r)
    for c in range(len(q)):
        if q[c] != sheet.trial[c]:
            noted = record(history, noted, f, q)
            break
    code = judge(ints, floats, q, sheet, f, stationary)
    if code == STUCK and spent:
        code = SPENT
    return code, f, noted
