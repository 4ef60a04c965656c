"""One damped least-squares system, blind to the limits, in whichever form is smaller; its trial."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import (
    F_FULL,
    F_METRIC,
    F_REST,
    F_REST_POSE,
    F_TERM,
    N_COORDS,
    N_FULL,
    N_ROWS,
    T_WEIGHT,
    record_at,
)
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel, kernel_part
from limbik.maths.linear import cholesky, cholesky_solve, copy, dot
from limbik.methods.base import OUT_EVALUATIONS, Method
from limbik.methods.workspace import floats_taken, gradient_size, take, take_table
from limbik.solver.objective import evaluate
from limbik.solver.problem import Problem

_FALL, _RISE, _TRIES = 1.0 / 3.0, 4.0, 24  # of λ after a success, after a failure, and how often
_LEAST, _MOST = 1e-6, 1e8  # what the damping is kept between


def damping_scale(problem: Problem) -> float:
    """√w·lever for the largest weight w of a row: what λ is measured in, so that units cancel.

    The lever, a quarter of the figure's size, is about what a radian moves an effector by.  Rows of
    goals written in Python count as lengths of weight 1.
    """
    n, lever, ints, floats = problem.figure.n, problem.scene.lever, problem.ints, problem.floats
    squares = np.full(problem.rows, lever**2)
    row = 0
    for k, term in enumerate(problem.terms):
        first, count = record_at(ints, F_TERM, k) + T_WEIGHT, term.rows
        # The buffers hold √w, and the rows of an angle have the lever in their weight already.
        of_rows = np.resize(floats[first : first + min(count, 3)], count) ** 2
        squares[row : row + count] = of_rows * (1.0 if term.is_angle else lever**2)
        row += count
    if ints[N_FULL]:
        first = int(ints[F_FULL])
        full = floats[first : first + problem.rows**2].reshape(problem.rows, problem.rows)
        squares *= (full**2).sum(axis=1)
    metric, rest = int(ints[F_METRIC]), int(ints[F_REST])
    stiff = floats[rest : rest + n] * floats[metric : metric + n]
    return math.sqrt(max(squares.max(initial=0.0), stiff.max(initial=0.0))) or 1.0


class DampedMethod(Method):
    """A method that solves damped systems; λ is ``damping`` in units of ``damping_scale``."""

    damping: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.damping < math.inf:
            raise MethodError(f"{self.name}: damping must be positive, got {self.damping:g}")

    def tables(self, problem: Problem) -> tuple[float, ...]:
        return (damping_scale(problem),)

    def workspace(self, problem: Problem) -> int:
        return gradient_size(problem) + damped_size(problem)


class DampedWorkspace(NamedTuple):
    """The smaller of the two systems of ``damped_solve``."""

    matrix: np.ndarray  # (side, side) with side the smaller of n and rows; then its factor
    y: np.ndarray  # (rows,) unknowns of the dual form


@kernel_part
def view_damped(ints, work):
    """work -> DampedWorkspace, and what is left."""
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    side = min(n, rows)
    matrix, work = take_table(work, side, side)
    y, work = take(work, rows)
    return DampedWorkspace(matrix, y), work


def damped_size(problem: Problem) -> int:
    """Floats that ``view_damped`` needs."""
    return floats_taken(view_damped, problem.ints)


@kernel
def damped_solve(ints, floats, q, jt, model_residual, square, system, step):
    """Equation 15 of line_search: Δθ = (JᵀJ + λ²I)⁻¹Jᵀe into step (n,), λ² given as ``square``.

    The diagonal goals D are further rows of J, and I is the metric in which a slide counts as the
    angle that moves as far at the lever.  With E = λ²I + D that is (JᵀJ + E)Δθ = Jᵀe + d, d = D(p −
    q); where there are fewer rows than coordinates, the same by (JE⁻¹Jᵀ + I)y = e − JE⁻¹d and
    Δθ = E⁻¹(Jᵀy + d).  False where rounding or overflow leave no positive definite system.
    """
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    metric, weight, pose = ints[F_METRIC], ints[F_REST], ints[F_REST_POSE]
    a, y = system.matrix, system.y
    if rows > n:
        for c in range(n):
            firm = floats[weight + c]
            step[c] = dot(jt[c], model_residual, rows) + firm * (floats[pose + c] - q[c])
            for d in range(c + 1):
                a[c, d] = dot(jt[c], jt[d], rows)
            a[c, c] += firm + square / floats[metric + c]
        if not cholesky(a, n):
            return False
        cholesky_solve(a, n, step)
        return True
    for i in range(rows):
        for j in range(i):
            a[i, j] = 0.0
        # Times λ² throughout, so that no entry grows as λ falls.
        a[i, i] = square
    copy(model_residual, rows, y)
    for c in range(n):
        firm = floats[weight + c]
        ease = 1.0 / (1.0 / floats[metric + c] + firm / square)
        drift = ease * firm * (floats[pose + c] - q[c]) / square
        for i in range(rows):
            scaled = ease * jt[c, i]
            y[i] -= drift * jt[c, i]
            if scaled != 0.0:
                for j in range(i + 1):
                    a[i, j] += scaled * jt[c, j]
    if not cholesky(a, rows):
        return False
    cholesky_solve(a, rows, y)
    for c in range(n):
        firm = floats[weight + c]
        ease = 1.0 / (1.0 / floats[metric + c] + firm / square)
        pull = firm * (floats[pose + c] - q[c]) / square
        step[c] = ease * (dot(jt[c], y, rows) + pull)
    return True


@inlined_by_llvm
def damped_trial(ints, floats, q, w, system, square, out):
    """P(q + Δθ) for the Δθ of ``damped_solve`` into w.trial, residuals into w.trial_r.

    Returns f there: inf where there is no such step.
    """
    if not damped_solve(ints, floats, q, w.jt, w.model_residual, square, system, w.step):
        return math.inf
    total = 0.0
    for c in range(len(q)):
        w.trial[c] = q[c] + w.step[c]
        total += abs(w.trial[c])
    if not math.isfinite(total):
        return math.inf
    project(ints, floats, w.trial, w.scratch)
    out[OUT_EVALUATIONS] += 1.0
    return evaluate(ints, floats, w.trial, w.state, w.trial_r)


@inlined_by_llvm
def damped_search(ints, floats, q, here, w, system, damping, scale, out):
    """``damped_trial`` with a λ that grows from ``damping``·scale until f falls.

    Returns (f there, damping), inf where none of so many does.
    """
    detour = here.detour
    for _ in range(_TRIES):
        value = damped_trial(ints, floats, q, w, system, (damping * scale) ** 2, out)
        if value < here.f:
            return value, damping
        if detour:
            # The way around half a turn led nowhere: try the residuals themselves.
            copy(w.r, ints[N_ROWS], w.model_residual)
            detour = False
        else:
            damping = min(damping * _RISE, _MOST)
    return math.inf, damping


@kernel
def less_damping(damping):
    """λ after a step that lowered f: a third, as far as that goes."""
    return max(damping * _FALL, _LEAST)
