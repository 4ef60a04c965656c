"""The damped Gauss–Newton step inside limits, along the directions that the limits leave free.

minimise ‖t − Jδ‖² + Σ Dᵢ(pᵢ − δᵢ)² + λ‖δ‖²_M over the free directions: a rows × rows system in the
dual form where there are fewer rows than coordinates, a directions × directions one otherwise.
Directions that the step would carry over a limit are held where it stops them and the others solved
for again, so that what is cut off on one coordinate is made up for on the rest.
"""

from __future__ import annotations

import math

import numpy as np
from numba import boolean, float64, int64

from limbik.figure.layout import (
    F_METRIC,
    F_REACH,
    I_ROOT,
    I_RUN,
    I_RUN_FIRST,
    N_COORDS,
    N_ROOT,
    N_ROWS,
)
from limbik.jit import FLOATS, INTS, external, inlined, inner, kernel
from limbik.maths.linear import (
    cholesky,
    cholesky_solve,
    copy,
    dot,
    envelope_backward,
    envelope_cholesky,
    envelope_forward,
    envelope_solve,
)
from limbik.methods.default.inequalities import join, leave
from limbik.methods.default.limits_on_step import RANGE, SWING, cut_off, move_cut
from limbik.methods.default.workspace import LM
from limbik.solver.objective import column_dot, runs_before

_FAR = 0.02  # of the figure's size squared: f that is far from the targets
_AHEAD = 4  # so often inequalities that a step breaks may join it
_HELD, _TO_HOLD = 1, 2  # what lm.held says of a direction that is, and of one that shall be
_NEGLIGIBLE = 1e-4  # part of ‖t‖² that limits may cut off without a second solve


@inner
def _rows_that_count(ints, lm):
    """How many rows there are without the last ones that are 0, such as those of inequalities that
    hold."""
    rows, one = np.uint64(ints[N_ROWS]), np.uint64(1)
    while rows > 0 and lm.model_residual[rows - one] == 0.0:
        for c in range(ints[N_COORDS]):
            if lm.jt[c, rows - one] != 0.0:
                return rows
        rows -= one
    return rows


@inner
def _assemble(ints, lm, count, lam, rows):
    """system = J E⁻¹Jᵀ + λI (lower triangle) of the first ``rows`` rows, over the directions that
    are not held."""
    jt, a = lm.jt, lm.system
    for i in range(rows):
        for j in range(i):
            a[i, j] = 0.0
        a[i, i] = lam
    for d in range(count):
        if lm.held[d]:
            continue
        c, row, ease = lm.starts[d], lm.column[d], lm.ease[d]
        run, stop, three = runs_before(ints, c, rows)
        if three:
            # Most directions move one point only; three rows cost less than loops over them.
            i = ints[run]
            x, y, z = jt[row, i], jt[row, i + 1], jt[row, i + 2]
            sx, sy, sz = ease * x, ease * y, ease * z
            a[i, i] += sx * x
            a[i + 1, i] += sy * x
            a[i + 1, i + 1] += sy * y
            a[i + 2, i] += sz * x
            a[i + 2, i + 1] += sz * y
            a[i + 2, i + 2] += sz * z
        else:
            for k in range(run, stop, 2):
                low, high = ints[k], min(ints[k + 1], rows)
                for i in range(low, high):
                    scaled = ease * jt[row, i]
                    for h in range(run, k, 2):
                        for j in range(ints[h], ints[h + 1]):
                            a[i, j] += scaled * jt[row, j]
                    # Past the diagonal too: a loop of fixed length runs four entries at a time.
                    for j in range(low, high):
                        a[i, j] += scaled * jt[row, j]


@inner
def _along_columns(ints, lm, count, lam, rows):
    """step = E⁻¹(Jᵀy + d/λ) for the directions that are not held."""
    for d in range(count):
        if not lm.held[d]:
            column, pull = lm.jt[lm.column[d]], lm.pull[d] / lam
            total = column_dot(ints, lm.starts[d], column, lm.y, pull, rows)
            lm.step[d] = lm.ease[d] * total


@inner
def _prepare(ints, lm, count, lam):
    """ease = E⁻¹ with E = M + D/λ, and base = t − J E⁻¹d/λ; nothing is held yet."""
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    for i in range(ints[N_ROWS]):
        lm.base[i] = lm.model_residual[i]
    for d in range(count):
        c, row = lm.starts[d], lm.column[d]
        lm.held[d] = 0
        lm.ease[d] = lm.metric[c]
        firm = lm.stiff[d] + lm.edge_bound[d]
        if firm > 0.0:
            lm.ease[d] = 1.0 / (1.0 / lm.ease[d] + firm / lam)
            drift = lm.ease[d] * lm.pull[d] / lam
            for k in range(index + ints[first + c], index + ints[first + c + 1], 2):
                for i in range(ints[k], ints[k + 1]):
                    lm.base[i] -= drift * lm.jt[row, i]


@inlined
def _dual(ints, floats, q, lm, count, lam, passes):
    """The step by (J E⁻¹Jᵀ + λI)·y = t − J E⁻¹d/λ, step = E⁻¹(Jᵀy + d/λ), with E = M + D/λ."""
    y, some = lm.y, _rows_that_count(ints, lm)
    rows = np.int64(some)
    _prepare(ints, lm, count, lam)
    missing = dot(lm.model_residual, lm.model_residual, rows)
    for turn in range(passes):
        _assemble(ints, lm, count, lam, some)
        copy(lm.base, rows, y)
        if not cholesky(lm.system, rows):
            return False
        cholesky_solve(lm.system, rows, y)
        _along_columns(ints, lm, count, lam, some)
        if turn + 1 == passes or not cut_off(ints, floats, q, lm, count):
            break
        y[:] = 0.0
        move_cut(ints, lm, count, lam, False, y)
        if dot(y, y, rows) <= _NEGLIGIBLE * missing:
            break
        move_cut(ints, lm, count, lam, True, lm.base)
    return True


@kernel
def weigh_coordinates(ints, floats, f, lm):
    """lm.metric: what a step of each coordinate costs, as 1/M, where f is the objective.

    A slide counts by the figure's lever.  Far from the targets what carries the whole figure goes
    first: ten times as far for the same damping, or limbs would fold into their limits before the
    figure has moved.  Near the targets it weighs like any other joint.
    """
    first = ints[F_METRIC]
    for c in range(ints[N_COORDS]):
        lm.metric[c] = floats[first + c]
    if ints[N_ROOT]:
        far = min(1.0, f / (_FAR * floats[ints[F_REACH]]))
        for k in range(ints[N_ROOT]):
            lm.metric[ints[ints[I_ROOT] + k]] *= 1.0 + 9.0 * far


@inner
def _factorise(lm, count, lam):
    """lm.factor of H + λM over the free directions; False where that is not positive definite."""
    a, low = lm.factor, lm.where
    for k in range(count):
        line, to, begin = lm.hessian[k], a[k], lm.first[k]
        for e in range(begin, k):
            to[e] = line[e]
        to[k] = line[k] + lam / lm.metric[lm.starts[lm.order[k]]]
        low[k] = begin
    return envelope_cholesky(a, count, low)


@inner
def _hold_cut(lm, count, already):
    """Hold the directions that were cut off just now where the limits stop them.

    The least of the model with δ_d = along_d for the directions that are held is its least so far
    plus (LLᵀ)⁻¹Eμ, with the unit vectors of the held directions in E and multipliers μ.  Rows of
    lm.holding are L⁻¹E, made orthonormal one after the other, so that what holds one direction
    leaves those that were held before it where they are.  ``already`` are held; returns how many
    are now.
    """
    a, low, order, base = lm.factor, lm.where, lm.order, lm.base
    for d in range(count):
        if lm.cut[d] == RANGE:
            lm.held[d] = _TO_HOLD
        elif lm.cut[d] == SWING:
            lm.held[d], lm.held[d + 1] = _TO_HOLD, _TO_HOLD
            lm.along[d + 1] = lm.across[d]
    for k in range(count):
        base[k] = 0.0
    holding = already
    for k in range(count):
        d = order[k]
        if lm.held[d] != _TO_HOLD:
            continue
        lm.held[d] = _HELD
        u = lm.holding[holding]
        for e in range(count):
            u[e] = 0.0
        u[k] = 1.0
        envelope_forward(a, count, low, u, k)
        missing = lm.along[d] - lm.step[d] - dot(u, base, count)
        for other in range(holding):
            before = lm.holding[other]
            shared = dot(u, before, count)
            for e in range(count):
                u[e] -= shared * before[e]
        size = 1.0 / math.sqrt(dot(u, u, count))
        for e in range(count):
            u[e] *= size
            base[e] += missing * size * u[e]
        holding += 1
    if holding > already:
        envelope_backward(a, count, low, base)
        for k in range(count):
            d = order[k]
            lm.step[d] = lm.along[d] if lm.held[d] else lm.step[d] + base[k]
    return holding


@inlined
def _primal(ints, floats, q, lm, count, lam, passes):
    """The step by (H + λM)·step = Jᵀt + d.

    Ranges and swings are held where the limits stop them; edges of cones are followed
    (lm.edge_curvature knows how they curve).
    """
    order, base = lm.order, lm.base
    if not _factorise(lm, count, lam):
        return False
    for k in range(count):
        d = order[k]
        lm.held[d] = 0
        column = lm.jt[lm.column[d]]
        base[k] = column_dot(
            ints, lm.starts[d], column, lm.model_residual, lm.pull[d], np.uint64(ints[N_ROWS])
        )
    envelope_solve(lm.factor, count, lm.where, base)
    for k in range(count):
        lm.step[order[k]] = base[k]
    holding = 0
    for _ in range(passes - 1):
        if not cut_off(ints, floats, q, lm, count):
            break
        already, holding = holding, _hold_cut(lm, count, holding)
        if holding == already:
            break
    return True


@inner
def _solve(ints, floats, q, lm, count, lam, passes, dual):
    """lm.step of the model as it is, in the dual form or the primal one; False where its system is
    not positive definite."""
    if dual:
        return _dual(ints, floats, q, lm, count, lam, passes)
    return _primal(ints, floats, q, lm, count, lam, passes)


@external(boolean(INTS, FLOATS, FLOATS, LM, int64, float64, int64, boolean, boolean))
def damped_step(ints, floats, q, lm, count, lam, passes, curved, ahead):
    """lm.step along the first ``count`` free directions, in up to ``passes`` solves.

    ``curved`` where lm.hessian has been assembled with S; otherwise Gauss–Newton.  ``ahead`` where
    there are inequalities that hold: those that the step breaks are kept by another one.  False
    where the system is not positive definite.
    """
    dual = not curved and ints[N_ROWS] <= ints[N_COORDS]
    solved = _solve(ints, floats, q, lm, count, lam, passes, dual)
    if ahead:
        for _ in range(_AHEAD):
            if not solved or not join(ints, lm, count, not dual):
                break
            solved = _solve(ints, floats, q, lm, count, lam, passes, dual)
        leave(ints, lm, count, not dual)
    return solved
