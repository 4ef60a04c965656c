"""Workspaces: named arrays that are views of one array of floats, and how many floats they need.

``view_<name>(ints, work)`` takes one array after the other off the front of ``work`` and returns
them by name, with what is left of ``work``.  It is the only description of a workspace: its size is
found by running the same function on a work that only counts (``floats_taken``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from limbik.figure.layout import N_COORDS, N_ROWS
from limbik.jit import kernel_part
from limbik.solver.objective import scratch_of, state_size
from limbik.solver.problem import Problem


@kernel_part
def take(work, count):
    """(count,) floats off the front of ``work``, and what is left."""
    return work[:count], work[count:]


@kernel_part
def take_table(work, rows, columns):
    """(rows, columns) floats off the front of ``work``, and what is left."""
    size = rows * columns
    return work[:size].reshape(rows, columns), work[size:]


@kernel_part
def take_integers(work, rows, columns):
    """(rows, columns) uint32 off the front of ``work``, and what is left."""
    count = rows * columns
    size = (count + 1) // 2
    return work[:size].view(np.uint32)[:count].reshape(rows, columns), work[size:]


class _CountingWork:
    """Stands for a work of any length while ``floats_taken`` counts."""

    def __init__(self, taken: int = 0) -> None:
        self.taken = taken

    def __getitem__(self, part: slice) -> Any:
        if part.stop is None:
            return _CountingWork(self.taken + int(part.start))
        return np.empty(int(part.stop))


def floats_taken(view: Callable[..., Any], *arguments: Any) -> int:
    """How many floats ``view(*arguments, work)`` takes off the front of ``work``."""
    return view(*arguments, _CountingWork())[-1].taken


class GradientWorkspace(NamedTuple):
    """What most methods need for a problem of n coordinates and some rows."""

    state: np.ndarray  # where everything is, for evaluate and linearise
    scratch: np.ndarray  # for project, and for anyone between two evaluations
    r: np.ndarray  # (rows,) residuals at q
    trial_r: np.ndarray  # (rows,) residuals at the trial
    model_residual: np.ndarray  # (rows,) residuals to aim a step at
    half_descent: np.ndarray  # (n,) −½∇f
    trial: np.ndarray  # (n,) pose to try
    step: np.ndarray  # (n,) the way there
    jt: np.ndarray  # (n, rows) transposed Jacobian


@kernel_part
def view_gradient(ints, work):
    """work -> GradientWorkspace, and what is left; the problem's state comes first."""
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    state, work = take(work, state_size(ints))
    by_row, work = take_table(work, 3, rows)
    by_n, work = take_table(work, 3, n)
    jt, work = take_table(work, n, rows)
    scratch = scratch_of(ints, state)
    return GradientWorkspace(
        state, scratch, by_row[0], by_row[1], by_row[2], by_n[0], by_n[1], by_n[2], jt
    ), work


def gradient_size(problem: Problem) -> int:
    """Floats that ``view_gradient`` needs beyond the problem's state."""
    return floats_taken(view_gradient, problem.ints) - int(state_size(problem.ints))


class LastStep(NamedTuple):
    """Where the last step began, for methods that learn from what it changed."""

    q: np.ndarray  # (n,) the pose
    half_descent: np.ndarray  # (n,) −½∇f there


@kernel_part
def view_last_step(ints, work):
    """work -> LastStep, and what is left."""
    by_n, work = take_table(work, 2, np.int64(ints[N_COORDS]))
    return LastStep(by_n[0], by_n[1]), work


def last_step_size(problem: Problem) -> int:
    """Floats that ``view_last_step`` needs."""
    return floats_taken(view_last_step, problem.ints)
