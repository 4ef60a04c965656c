"""The three ways of dual_quaternion to a Jacobian: from axes, by Figure 8, and by differences."""

from __future__ import annotations

import math

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import F_METRIC, I_RUN_FIRST, N_COORDS, N_FULL, N_ROWS
from limbik.jit import kernel_part
from limbik.maths.linear import copy
from limbik.methods.gauss_seidel.dual_quaternion_jacobian import (
    chains_size,
    dual_quaternion_rows,
    view_chains,
)
from limbik.solver.objective import evaluate, linearise, state_size
from limbik.solver.problem import Problem

JACOBIANS = ("geometric", "dual_quaternion", "differences")

STEP = 1e-7
"""δ of equation 47 in rad; for a slide times the figure's lever."""


@kernel_part
def difference_rows(ints, floats, q, state, r, trial, trial_r, jt):
    """J(q)ᵀ into jt (n, rows) by Algorithm 2 of dual_quaternion, divided by δ as equation 47 is.

    Returns the evaluations it took; ``state`` is then that of another pose.  Plain Python where the
    goals are, so that it reaches them.
    """
    evaluations = 0
    first = ints[I_RUN_FIRST]
    for c in range(np.int64(ints[N_COORDS])):
        if ints[first + c] == ints[first + c + 1]:
            continue  # no goal feels it, or it is locked
        copy(q, len(q), trial)
        trial[c] = q[c] + STEP * math.sqrt(floats[ints[F_METRIC] + c])
        delta = trial[c] - q[c]  # what rounding left of δ
        evaluate(ints, floats, trial, state, trial_r)
        evaluations += 1
        for i in range(np.int64(ints[N_ROWS])):
            jt[c, i] = (r[i] - trial_r[i]) / delta
    return evaluations


def check_jacobian(problem: Problem, kind: str, name: str) -> None:
    """Refuse a problem that a kind of Jacobian cannot be found for."""
    if kind == "dual_quaternion" and problem.ints[N_FULL]:
        raise MethodError(
            f"{name}: the dual-quaternion Jacobian takes weights row by row, not a whole matrix; "
            'use jacobian="geometric"'
        )


def jacobian_by(problem: Problem, q: np.ndarray, kind: str) -> np.ndarray:
    """(rows, n) the weighted Jacobian of F at q by one of ``JACOBIANS``, for people and tests."""
    check_jacobian(problem, kind, "jacobian_by")
    ints, floats, q = problem.ints, problem.floats, np.array(q, float)
    state = np.empty(int(state_size(ints)))
    r, model_residual, jt = (
        np.empty(problem.rows),
        np.empty(problem.rows),
        np.empty((len(q), problem.rows)),
    )
    evaluate(ints, floats, q, state, r)
    linearise(ints, floats, q, state, r, jt, model_residual)
    if kind == "dual_quaternion":
        chains, _ = view_chains(ints, True, np.empty(chains_size(problem)))
        dual_quaternion_rows(ints, floats, q, jt, chains)
    elif kind == "differences":
        difference_rows(ints, floats, q, state, r, np.empty(len(q)), model_residual, jt)
    return np.ascontiguousarray(jt.T)
