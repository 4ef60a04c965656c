"""Inequalities that hold at q and that a step would break: rows that join the step's model.

Where h ≤ 0 holds, w·max(0, h) is 0 and so is its gradient: a step that knows nothing of it runs
into it, is refused, and creeps up to it under a large damping.  Here such a row enters the model as
w·h as soon as the step breaks it to first order, and the step is solved for again.
"""

from __future__ import annotations

from limbik.figure.layout import N_COORDS, N_ROWS
from limbik.jit import inner, kernel


@kernel
def set_apart(ints, lm):
    """Move what jt has of inequalities that hold to ahead_jt; returns how many rows that are."""
    found = 0
    for i in range(ints[N_ROWS]):
        if lm.ahead[1 + i] < 0.0:
            found += 1
            for c in range(ints[N_COORDS]):
                lm.ahead_jt[c, i], lm.jt[c, i] = lm.jt[c, i], 0.0
    return found


@inner
def join(ints, lm, count, curved):
    """Let the inequalities that lm.step breaks join the model; returns how many did.

    ``curved`` where the step is made with lm.hessian, which gets their JᵀJ.
    """
    joined = 0
    for i in range(ints[N_ROWS]):
        value = lm.ahead[1 + i]
        if value < 0.0 and lm.model_residual[i] == 0.0:
            for d in range(count):
                value -= lm.ahead_jt[lm.column[d], i] * lm.step[d]
            if value > 0.0:
                joined += 1
                lm.model_residual[i] = lm.ahead[1 + i]
                for c in range(ints[N_COORDS]):
                    lm.jt[c, i] = lm.ahead_jt[c, i]
                if curved:
                    _add_square(lm, count, i, 1.0)
    return joined


@inner
def leave(ints, lm, count, curved):
    """The model without the inequalities that joined it."""
    for i in range(ints[N_ROWS]):
        if lm.ahead[1 + i] < 0.0 and lm.model_residual[i] < 0.0:
            lm.model_residual[i] = 0.0
            for c in range(ints[N_COORDS]):
                lm.jt[c, i] = 0.0
            if curved:
                _add_square(lm, count, i, -1.0)


@inner
def _add_square(lm, count, i, sign):
    """hessian += sign·aᵢaᵢᵀ of the inequality of row i along the free directions."""
    for k in range(count):
        a = sign * lm.ahead_jt[lm.column[lm.order[k]], i]
        if a != 0.0:
            for e in range(lm.first[k], k + 1):
                lm.hessian[k, e] += a * lm.ahead_jt[lm.column[lm.order[e]], i]
