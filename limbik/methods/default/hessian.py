"""The Hessian of f along the free directions, in an order in which its factor stays sparse."""

from __future__ import annotations

import numpy as np

from limbik.figure.kinematics import N_COORDS, NONE
from limbik.goals.terms import N_ROWS
from limbik.jit import inner, kernel
from limbik.solver.objective import I_RUN, I_RUN_FIRST


@inner
def _order(ints, desk, count):
    """desk.order: the free directions from the tips of the limbs to the root, and desk.first.

    Two directions share an entry of the Hessian where one goal feels both, so that in this order
    its factor has no entries that it has not itself: limbs meet in the trunk only.  first[k] is
    the first position that shares an entry with position k, desk.y[i] the first that row i feels.
    """
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    order, where, last = desk.order, desk.where, desk.y
    for c in range(ints[N_COORDS]):
        where[c] = NONE
    for d in range(count):
        if where[desk.starts[d]] == NONE:
            where[desk.starts[d]] = d
    k = 0
    for back in range(ints[N_COORDS]):
        c = np.int64(ints[N_COORDS]) - 1 - back
        d = where[c]
        if d == NONE:
            continue
        if d + 1 < count and desk.starts[d + 1] == c:
            order[k] = d + 1
            k += 1
        order[k] = d
        k += 1
    for i in range(ints[N_ROWS]):
        last[i] = -1.0
    for k in range(count):
        c = desk.starts[order[k]]
        desk.first[k] = k
        for run in range(index + ints[first + c], index + ints[first + c + 1], 2):
            for i in range(ints[run], ints[run + 1]):
                if last[i] < 0.0:
                    last[i] = k
                desk.first[k] = min(desk.first[k], np.uint32(last[i]))


@kernel
def assemble_hessian(ints, desk, count, curved):
    """desk.hessian = JᵀJ + D along the free directions, and + S where ``curved``.

    Row k holds the entries first[k] … k of the direction at position k of desk.order.
    """
    rows, first, index = np.int64(ints[N_ROWS]), ints[I_RUN_FIRST], ints[I_RUN]
    j, order = desk.by_direction, desk.order
    _order(ints, desk, count)
    where, wide = desk.where, 0
    for k in range(count):
        row = desk.column[order[k]]
        for i in range(rows):
            j[i, k] = desk.jt[row, i]
        # A direction's first coordinate, and which ones have more than one.
        where[k], desk.alone[k] = desk.starts[order[k]], desk.coefficients[order[k], 0]
        if desk.spans[order[k]] > 1:
            desk.free[wide] = k
            wide += 1
    for k in range(count):
        d, low, line = order[k], np.int64(desk.first[k]), desk.hessian[k]
        c, row = desk.starts[d], desk.column[d]
        for e in range(low, k + 1):
            line[e] = 0.0
        for run in range(index + ints[first + c], index + ints[first + c + 1], 2):
            # Three rows at a time, which most goals have, from the first direction they feel on.
            i, stop = np.int64(ints[run]), np.int64(ints[run + 1])
            while i < stop:
                x, y, z = desk.jt[row, i], 0.0, 0.0
                two, three = min(i + 1, stop - 1), min(i + 2, stop - 1)
                if i + 1 < stop:
                    y = desk.jt[row, two]
                if i + 2 < stop:
                    z = desk.jt[row, three]
                begin = np.int64(min(desk.y[i], desk.y[two], desk.y[three]))
                for e in range(begin, k + 1):
                    line[e] += x * j[i, e] + y * j[two, e] + z * j[three, e]
                i += 3
        if curved:
            for s in range(desk.spans[d]):
                share, second = desk.coefficients[d, s], desk.second[c + s]
                for e in range(low, k + 1):
                    line[e] += share * desk.alone[e] * second[where[e]]
                for w in range(wide):
                    to = order[desk.free[w]]
                    if low <= desk.free[w] <= k:
                        for t in range(1, desk.spans[to]):
                            part = share * desk.coefficients[to, t]
                            line[desk.free[w]] += part * second[desk.starts[to] + t]
        line[k] += desk.stiff[d] + desk.bend[d]
