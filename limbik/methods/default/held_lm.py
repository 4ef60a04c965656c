"""Projected Levenberg–Marquardt below goals of higher priority, whose rows stay what they are.

minimise f of one level subject to rᵢ(q) = cᵢ for the rows of the levels above it: the augmented
Lagrangian f + ρΣ(rᵢ − cᵢ + sᵢ)² is minimised by ``levenberg_marquardt``, then sᵢ += rᵢ − cᵢ and ρ
grows, until the rows are what they were: a round leaves about 1/ρ of what they moved, and the later
ones begin near the answer, where a large ρ costs nothing.  At last the rows are restored by
themselves, if anything is left.  Rows of inequalities that hold (max(0, h) = 0) have no
multipliers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.figure.layout import F_REST, F_REST_OFFSET, F_REST_POSE, N_COORDS, N_ROWS
from limbik.jit import kernel
from limbik.maths.linear import copy
from limbik.methods.base import (
    O_DRAFT,
    O_ITERATIONS,
    OUT,
    OUT_F,
    OUT_HISTORY,
    OUT_ITERATIONS,
    REACHED,
    SLOW,
    SPENT,
    STATIONARY,
)
from limbik.methods.default.held_rows import HeldRows, change
from limbik.methods.default.levenberg_marquardt import levenberg_marquardt
from limbik.methods.default.settings import O_TABLES, LevenbergMarquardt
from limbik.methods.default.workspace import lm_size, view_lm
from limbik.methods.settings import setting
from limbik.methods.workspace import take, take_table
from limbik.solver.objective import evaluate, linearise, reached
from limbik.solver.problem import Problem

FREE, EQUAL, ONE_SIDED = range(3)
"""Kinds of rows: of the level itself; held at c; held at 0, and no less than that ever."""

TIGHT = 1e-8
"""How far held rows may move, in the units of their goals."""

_RHO, _GROW, _MOST = 1e2, 10.0, 1e8  # held rows against others at first, how ρ grows, how far
_ROUNDS, _RESTORE = 12, 40  # at most so many rounds, and iterations of the last one
_PENALTY = 1e6  # how much a movement of held rows counts in what restarts compare

O_ASKS, O_ROWS = O_TABLES, O_TABLES + 1


def held_table(rows: int) -> int:
    """How many numbers the tables of ``held_lm`` have: whether the level has goals with a
    tolerance, then per row its kind, its factor to a goal's unit, and c."""
    return 1 + 3 * rows


@kernel
def _weight(ints, floats, q, lm, kind, rest):
    """ρ that makes held rows _RHO times as stiff as the level's own, at q: by ‖∂r/∂q_c‖²."""
    evaluate(ints, floats, q, lm.state, lm.r)
    linearise(ints, floats, q, lm.state, lm.r, lm.jt, lm.model_residual)
    own, above = 0.0, 0.0
    for c in range(ints[N_COORDS]):
        free, held = rest[c], 0.0
        for i in range(ints[N_ROWS]):
            square = lm.jt[c, i] * lm.jt[c, i]
            if kind[i] == FREE:
                free += square
            else:
                held += square
        own, above = max(own, free), max(above, held)
    return _RHO * own / above if own > 0.0 and above > 0.0 else _RHO


@kernel(borrows=True)
def held_lm(ints, floats, work, options, q, out, history):
    """Solve one level from q; returns REACHED where its goals are met and held rows unchanged."""
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    lm, _ = view_lm(ints, work)
    own = work[len(work) - (O_TABLES + OUT + n + 4 * rows) :]
    inner, own = take(own, O_TABLES)
    totals, own = take(own, OUT)
    rest, own = take(own, n)
    by_row, _ = take_table(own, 4, rows)
    scale, shift, raw = by_row[0], by_row[1], by_row[2]
    table, _ = take_table(options[O_ROWS:], 3, rows)
    kind, per_unit, keep = table[0], table[1], table[2]
    asks, first = options[O_ASKS] > 0.0, ints[F_REST]
    copy(options, O_TABLES, inner)
    totals[:] = 0.0
    copy(floats[first:], n, rest)
    rho = _weight(ints, floats, q, lm, kind, rest)
    for i in range(rows):
        scale[i] = 1.0 if kind[i] == FREE else math.sqrt(rho)
        shift[i] = 0.0 if kind[i] == FREE else -keep[i]
    restores, code, turn = False, SPENT, 0
    while True:
        held = HeldRows(scale, shift, keep, per_unit, raw, by_row[3], TIGHT, asks, restores)
        left = options[O_ITERATIONS] - totals[OUT_ITERATIONS]
        inner[O_ITERATIONS] = _RESTORE if restores else left
        code = levenberg_marquardt(ints, floats, lm, inner, q, out, history[:0], held)
        for k in range(1, OUT):
            totals[k] += out[k]
        moved, inner[O_DRAFT] = change(held), 0.0
        if restores or code == SLOW or moved <= TIGHT:
            break
        turn += 1
        restores = code == SPENT or turn == _ROUNDS
        if restores:
            floats[first : first + n] = 0.0
        for i in range(rows):
            if restores:
                scale[i] = 0.0 if kind[i] == FREE else 1.0
                shift[i] = 0.0 if kind[i] == FREE else -keep[i]
            elif kind[i] != FREE:
                grow = scale[i] * scale[i] < _MOST * rho
                if kind[i] == EQUAL:
                    s = shift[i] + raw[i]  # the multiplier and what the row moved
                    shift[i] = (s / _GROW if grow else s) - keep[i]
                if grow:
                    scale[i] *= math.sqrt(_GROW)
    copy(rest, n, floats[first:])
    # The level's own f at the answer; a movement of held rows counts heavily.
    evaluate(ints, floats, q, lm.state, raw)
    moved, f = 0.0, floats[ints[F_REST_OFFSET]]
    for i in range(rows):
        moved = max(moved, abs(raw[i] - keep[i]) * per_unit[i])
        if kind[i] == FREE:
            f += raw[i] * raw[i]
    for c in range(n):
        away = q[c] - floats[ints[F_REST_POSE] + c]
        f += rest[c] * away * away
    if moved <= TIGHT and asks and reached(ints, floats, lm.state):
        code = REACHED
    elif restores:
        code = STATIONARY if moved <= TIGHT and turn == _ROUNDS else SPENT
    for k in range(1, OUT):
        out[k] = totals[k]
    out[OUT_F] = f + (_PENALTY * moved if moved > TIGHT else 0.0)
    out[OUT_HISTORY] = 0.0
    return code


@dataclass(frozen=True)
class HeldLevenbergMarquardt(LevenbergMarquardt):
    """The default, below goals of higher priority: ``solver/ordered.py`` fills its tables in."""

    name = "held_lm"
    kernel = held_lm

    iterations: int = setting(400, "Iterations an attempt may take, in all rounds together.")

    def tables(self, problem: Problem) -> np.ndarray:
        return np.zeros(held_table(problem.rows))

    def workspace(self, problem: Problem) -> int:
        return lm_size(problem) + O_TABLES + OUT + problem.figure.n + 4 * problem.rows
