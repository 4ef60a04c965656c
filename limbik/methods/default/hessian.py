"""The Hessian of f along the free directions, in an order in which its factor stays sparse."""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types

from limbik.figure.layout import I_RUN, I_RUN_FIRST, N_COORDS, N_ROWS, NONE
from limbik.jit import INTS, external, inner
from limbik.methods.default.workspace import LM


@inner
def _order(ints, lm, count):
    """lm.order: the free directions from the tips of the limbs to the root, and lm.first.

    Two directions share an entry of the Hessian where one goal feels both, so that in this order
    its factor has no entries that it has not itself: limbs meet in the trunk only.  first[k] is
    the first position that shares an entry with position k, lm.y[i] the first that row i feels.
    """
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    order, where, last = lm.order, lm.where, lm.y
    for c in range(ints[N_COORDS]):
        where[c] = NONE
    for d in range(count):
        if where[lm.starts[d]] == NONE:
            where[lm.starts[d]] = d
    k = 0
    for back in range(ints[N_COORDS]):
        c = np.int64(ints[N_COORDS]) - 1 - back
        d = where[c]
        if d == NONE:
            continue
        if d + 1 < count and lm.starts[d + 1] == c:
            order[k] = d + 1
            k += 1
        order[k] = d
        k += 1
    for i in range(ints[N_ROWS]):
        last[i] = -1.0
    for k in range(count):
        c = lm.starts[order[k]]
        lm.first[k] = k
        for run in range(index + ints[first + c], index + ints[first + c + 1], 2):
            for i in range(ints[run], ints[run + 1]):
                if last[i] < 0.0:
                    last[i] = k
                lm.first[k] = min(lm.first[k], np.uint32(last[i]))


@external(types.none(INTS, LM, int64, boolean))
def assemble_hessian(ints, lm, count, curved):
    """lm.hessian = JᵀJ + D along the free directions, and + S where ``curved``.

    Row k holds the entries first[k] … k of the direction at position k of lm.order.
    """
    rows, first, index = np.uint64(ints[N_ROWS]), ints[I_RUN_FIRST], ints[I_RUN]
    j, order, one = lm.by_direction, lm.order, np.uint64(1)
    _order(ints, lm, count)
    where, wide = lm.where, 0
    for k in range(count):
        row = lm.column[order[k]]
        for i in range(rows):
            j[i, k] = lm.jt[row, i]
        # A direction's first coordinate, and which ones have more than one.
        where[k], lm.alone[k] = lm.starts[order[k]], lm.coefficients[order[k], 0]
        if lm.spans[order[k]] > 1:
            lm.free[wide] = k
            wide += 1
    for k in range(np.uint64(count)):  # unsigned, or every access would test its index's sign
        d, low, line = order[k], np.uint64(lm.first[k]), lm.hessian[k]
        c, row, end = lm.starts[d], lm.column[d], k + one
        for e in range(low, end):
            line[e] = 0.0
        for run in range(index + ints[first + c], index + ints[first + c + 1], 2):
            # Three rows at a time, which most goals have, from the first direction they feel on.
            i, stop = np.uint64(ints[run]), np.uint64(ints[run + 1])
            while i < stop:
                x, y, z = lm.jt[row, i], 0.0, 0.0
                two, three = min(i + one, stop - one), min(i + np.uint64(2), stop - one)
                if i + one < stop:
                    y = lm.jt[row, two]
                if i + np.uint64(2) < stop:
                    z = lm.jt[row, three]
                begin = np.uint64(min(lm.y[i], lm.y[two], lm.y[three]))
                u, v, w = j[i], j[two], j[three]
                for e in range(begin, end):
                    line[e] += x * u[e] + y * v[e] + z * w[e]
                i += np.uint64(3)
        if curved:
            for s in range(lm.spans[d]):
                share, second = lm.coefficients[d, s], lm.second[c + s]
                for e in range(low, end):
                    line[e] += share * lm.alone[e] * second[where[e]]
                for other in range(wide):
                    to = order[lm.free[other]]
                    if low <= lm.free[other] <= k:
                        for t in range(1, lm.spans[to]):
                            part = share * lm.coefficients[to, t]
                            line[lm.free[other]] += part * second[lm.starts[to] + t]
        line[k] += lm.stiff[d] + (lm.edge_curvature[d] if curved else lm.edge_bound[d])
        if curved and low < k:
            line[k - one] += lm.edge_between[d]  # direction d + 1 comes right before d
