"""Blocks of rows: what belongs to one end effector, and the displacement asked of it at a time."""

from __future__ import annotations

import math

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import F_FULL, N_FULL, N_ROWS
from limbik.jit import kernel
from limbik.solver.objective import errors_of
from limbik.solver.problem import Problem


def block_ends(problem: Problem) -> list[int]:
    """Where each block of rows ends: one block per term."""
    return np.cumsum([term.rows for term in problem.terms], dtype=int).tolist()


def reach_limits(problem: Problem, part: float | None, name: str) -> list[float]:
    """How long a displacement each block may ask for: ``part`` of the figure's size, None: any.

    An angle counts by the length that it moves at the lever of its weight.  Goals in numbers of a
    user's own stay as they are: their unit is not known.  Refused where W mixes the rows of several
    goals, for then a row is no displacement.
    """
    ends = block_ends(problem)
    if part is None:
        return [math.inf] * len(ends)
    if problem.ints[N_FULL]:
        rows, first = problem.rows, int(problem.ints[F_FULL])
        mixed = problem.floats[first : first + rows * rows].reshape(rows, rows).copy()
        for begin, end in zip([0, *ends], ends, strict=False):
            mixed[begin:end, begin:end] = 0.0
        if mixed.any():
            raise MethodError(f"{name}: reach_clamp cannot be used where weights mix several goals")
    length = part * problem.figure.size
    limits = {"length": length, "angle": length / problem.scene.lever, "number": math.inf}
    return [limits[term.unit] for term in problem.terms]


@kernel
def clamp_reach(ints, state, ends, limits, model_residual):
    """Shorten what is missing, model_residual (rows,), to at most ``limits`` in each block.

    ClampMag(t − s, D_max) of Buss and Kim (2005), the goal clamping of section 4.2 of line_search.
    A block's length is the unweighted error of its term at the pose that was evaluated last.
    """
    errors, row = errors_of(ints, state), 0
    for k in range(len(ends)):
        part = limits[k] / errors[k] if errors[k] > limits[k] else 1.0
        while row < ends[k]:
            model_residual[row] *= part
            row += 1


@kernel
def block_lengths(ints, ends, values):
    """Σ over the blocks of the length of each block's part of values (rows or more,).

    What follows the goals' rows are the diagonal goals': each is a block of its own.
    """
    total, row = 0.0, 0
    for k in range(len(ends)):
        square = 0.0
        while row < ends[k]:
            square += values[row] * values[row]
            row += 1
        total += math.sqrt(square)
    for i in range(np.int64(ints[N_ROWS]), len(values)):
        total += abs(values[i])
    return total
