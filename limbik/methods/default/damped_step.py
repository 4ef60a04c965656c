"""The damped Gauss–Newton step inside limits, along the directions that the limits leave free.

minimise ‖t − Jδ‖² + Σ Dᵢ(pᵢ − δᵢ)² + λ‖δ‖²_M over the free directions: a rows × rows system in the
dual form where there are fewer rows than coordinates, a directions × directions one otherwise.
Directions that the step would carry over a limit are held where it stops them and the others solved
for again, so that what is cut off on one coordinate is made up for on the rest.
"""

from __future__ import annotations

import numpy as np

from limbik.figure.layout import (
    CONE_A,
    CONE_B,
    CONE_KIND,
    CONE_START,
    CONE_SWING,
    CONE_X,
    CONE_Y,
    F_LOWER,
    F_METRIC,
    F_REACH,
    F_UPPER,
    I_IN_CONE,
    I_ROOT,
    I_RUN,
    I_RUN_FIRST,
    N_COORDS,
    N_ROOT,
    N_ROWS,
    NONE,
    cone_at,
)
from limbik.figure.projection import nearest_on_ellipse
from limbik.jit import inlined, inner
from limbik.maths.linear import (
    cholesky,
    cholesky_solve,
    copy,
    dot,
    envelope_cholesky,
    envelope_solve,
)

INSIDE, RANGE, SWING, BEND = range(4)

_FAR = 0.02  # of the figure's size squared: f that is far from the targets
_NEGLIGIBLE = 1e-4  # part of ‖t‖² that limits may cut off without a second solve


@inner
def _assemble(ints, desk, count, lam):
    """system = J E⁻¹Jᵀ + λI (lower triangle) over the directions that are not held."""
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    jt, a = desk.jt, desk.system
    for i in range(ints[N_ROWS]):
        for j in range(i):
            a[i, j] = 0.0
        a[i, i] = lam
    for d in range(count):
        if desk.held[d]:
            continue
        c, row, ease = desk.starts[d], desk.column[d], desk.ease[d]
        run, stop = index + ints[first + c], index + ints[first + c + 1]
        if stop - run == 2 and ints[run + 1] - ints[run] == 3:
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
                low, high = ints[k], ints[k + 1]
                for i in range(low, high):
                    scaled = ease * jt[row, i]
                    for h in range(run, k, 2):
                        for j in range(ints[h], ints[h + 1]):
                            a[i, j] += scaled * jt[row, j]
                    # Past the diagonal too: a loop of fixed length runs four entries at a time.
                    for j in range(low, high):
                        a[i, j] += scaled * jt[row, j]


@inner
def _land(ints, floats, q, desk, count):
    """Where the limits let the step's free directions go; True if they cut anything off.

    desk.cut[d] is INSIDE, or RANGE (direction d gets along[d]), or SWING (d and d + 1, the two
    numbers of a swing, get along[d] and across[d]), or BEND (a tangent of a cone's edge gets
    along[d], and across[d] along the normal beside it).
    """
    in_cone, lower, upper = ints[I_IN_CONE], ints[F_LOWER], ints[F_UPPER]
    step, along, across, cut = desk.step, desk.along, desk.across, desk.cut
    any_cut = False
    for d in range(count):
        cut[d] = INSIDE
        c = desk.starts[d]
        if desk.held[d]:
            continue
        cone = ints[in_cone + c]
        if cone == NONE:
            to = q[c] + step[d]
            if to < floats[lower + c] or to > floats[upper + c]:
                cut[d], any_cut = RANGE, True
                along[d] = min(max(to, floats[lower + c]), floats[upper + c]) - q[c]
            continue
        i, f = cone_at(ints, cone)
        if ints[i + CONE_KIND] != CONE_SWING:
            continue
        tx, ty = desk.coefficients[d, 0], desk.coefficients[d, 1]
        if desk.spans[d] == 2:
            x, y = tx * step[d], ty * step[d]
        elif ints[i + CONE_START] == c and d + 1 < count and desk.starts[d + 1] == c + 1:
            x, y = step[d], step[d + 1]
        else:
            continue
        a, b = floats[f + CONE_A], floats[f + CONE_B]
        x, y = q[c] + x - floats[f + CONE_X], q[c + 1] + y - floats[f + CONE_Y]
        if (x / a) * (x / a) + (y / b) * (y / b) <= 1.0:
            continue
        x, y = nearest_on_ellipse(x, y, a, b)
        x, y = x + floats[f + CONE_X] - q[c], y + floats[f + CONE_Y] - q[c + 1]
        any_cut = True
        if desk.spans[d] == 2:
            cut[d], along[d], across[d] = BEND, tx * x + ty * y, ty * x - tx * y
        else:
            cut[d], along[d], across[d] = SWING, x, y
    return any_cut


@inner
def _move_cut(ints, desk, count, lam, hold, v):
    """v −= what the directions that are cut off do to the rows.

    With ``hold`` they are held from now on and v is the right-hand side, which knows of each
    direction's drift already; without, v becomes what the limits take from the step.
    """
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    jt, along, across, step, ease = desk.jt, desk.along, desk.across, desk.step, desk.ease
    for d in range(count):
        kind = desk.cut[d]
        if kind == INSIDE:
            continue
        c, row, beside = desk.starts[d], desk.column[d], desk.column[d]
        one = along[d] - (ease[d] * desk.pull[d] / lam if hold else step[d])
        two = 0.0
        if kind != RANGE:
            beside, two = row + 1, across[d]
        if kind == SWING:
            two -= ease[d + 1] * desk.pull[d + 1] / lam if hold else step[d + 1]
        if hold:
            desk.held[d] = 1
            if kind == SWING:
                desk.held[d + 1] = 1
        for k in range(index + ints[first + c], index + ints[first + c + 1], 2):
            for i in range(ints[k], ints[k + 1]):
                v[i] -= one * jt[row, i] + two * jt[beside, i]


@inner
def _along_columns(ints, desk, count, lam):
    """step = E⁻¹(Jᵀy + d/λ) for the directions that are not held."""
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    jt, y = desk.jt, desk.y
    for d in range(count):
        if desk.held[d]:
            continue
        c, row = desk.starts[d], desk.column[d]
        run, stop = index + ints[first + c], index + ints[first + c + 1]
        total = desk.pull[d] / lam
        if stop - run == 2 and ints[run + 1] - ints[run] == 3:
            i = ints[run]
            total += jt[row, i] * y[i] + jt[row, i + 1] * y[i + 1] + jt[row, i + 2] * y[i + 2]
        else:
            for k in range(run, stop, 2):
                for i in range(ints[k], ints[k + 1]):
                    total += jt[row, i] * y[i]
        desk.step[d] = desk.ease[d] * total


@inner
def _prepare(ints, desk, count, lam):
    """ease = E⁻¹ with E = M + D/λ, and base = t − J E⁻¹d/λ; nothing is held yet."""
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    for i in range(ints[N_ROWS]):
        desk.base[i] = desk.target[i]
    for d in range(count):
        c, row = desk.starts[d], desk.column[d]
        desk.held[d] = 0
        desk.ease[d] = desk.metric[c]
        firm = desk.stiff[d] + desk.bend[d]
        if firm > 0.0:
            desk.ease[d] = 1.0 / (1.0 / desk.ease[d] + firm / lam)
            drift = desk.ease[d] * desk.pull[d] / lam
            for k in range(index + ints[first + c], index + ints[first + c + 1], 2):
                for i in range(ints[k], ints[k + 1]):
                    desk.base[i] -= drift * desk.jt[row, i]


@inlined
def _dual(ints, floats, q, desk, count, lam, passes):
    """The step by (J E⁻¹Jᵀ + λI)·y = t − J E⁻¹d/λ, step = E⁻¹(Jᵀy + d/λ), with E = M + D/λ."""
    rows = np.int64(ints[N_ROWS])
    y = desk.y
    _prepare(ints, desk, count, lam)
    missing = dot(desk.target, desk.target, rows)
    for turn in range(passes):
        _assemble(ints, desk, count, lam)
        copy(desk.base, rows, y)
        if not cholesky(desk.system, rows):
            return False
        cholesky_solve(desk.system, rows, y)
        _along_columns(ints, desk, count, lam)
        if turn + 1 == passes or not _land(ints, floats, q, desk, count):
            break
        y[:] = 0.0
        _move_cut(ints, desk, count, lam, False, y)
        if dot(y, y, rows) <= _NEGLIGIBLE * missing:
            break
        _move_cut(ints, desk, count, lam, True, desk.base)
    return True


@inner
def weigh_coordinates(ints, floats, f, desk):
    """desk.metric: what a step of each coordinate costs, as 1/M, where f is the objective.

    A slide counts by the figure's lever.  Far from the targets what carries the whole figure goes
    first: ten times as far for the same damping, or limbs would fold into their limits before the
    figure has moved.  Near the targets it weighs like any other joint.
    """
    first = ints[F_METRIC]
    for c in range(ints[N_COORDS]):
        desk.metric[c] = floats[first + c]
    if ints[N_ROOT]:
        far = min(1.0, f / (_FAR * floats[ints[F_REACH]]))
        for k in range(ints[N_ROOT]):
            desk.metric[ints[ints[I_ROOT] + k]] *= 1.0 + 9.0 * far


@inner
def _order(ints, desk, count):
    """desk.order: the free directions from the tips of the limbs to the root, and desk.first.

    Two directions share an entry of the Hessian where one goal feels both, so that in this order
    its factor has no entries that it has not itself: limbs meet in the trunk only.  first[k] is
    the first position that shares an entry with position k.
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


@inner
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
            for i in range(ints[run], ints[run + 1]):
                value, other = desk.jt[row, i], j[i]
                for e in range(low, k + 1):
                    line[e] += value * other[e]
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


@inner
def _hold(desk, count):
    """Take what is held to the right-hand side: base −= H·along over the held directions."""
    base, order = desk.base, desk.order
    for k in range(count):
        held = desk.held[order[k]]
        line, along = desk.hessian[k], desk.along[order[k]]
        for e in range(desk.first[k], k):
            if held:
                base[e] -= line[e] * along
            elif desk.held[order[e]]:
                base[k] -= line[e] * desk.along[order[e]]


@inlined
def _primal(ints, floats, q, desk, count, lam, passes):
    """The step by (H + λM)·step = Jᵀt + d.

    Ranges and swings are held where the limits stop them; edges of cones are followed (desk.bend
    knows how they curve).
    """
    rows = np.int64(ints[N_ROWS])
    base, a, order, free, low = desk.base, desk.factor, desk.order, desk.free, desk.where
    for d in range(count):
        desk.held[d] = 0
    for turn in range(passes):
        for k in range(count):
            d = order[k]
            base[k] = dot(desk.jt[desk.column[d]], desk.target, rows) + desk.pull[d]
        if turn > 0:
            _hold(desk, count)
        active = 0
        for k in range(count):
            d = order[k]
            if desk.held[d]:
                desk.step[d] = desk.along[d]
                continue
            line, to = desk.hessian[k], a[active]
            begin = active
            while begin > 0 and free[begin - 1] >= desk.first[k]:
                begin -= 1
            for e in range(begin, active):
                to[e] = line[free[e]]
            to[active] = line[k] + lam / desk.metric[desk.starts[d]]
            free[active], low[active], base[active] = k, begin, base[k]
            active += 1
        if not envelope_cholesky(a, active, low):
            return False
        envelope_solve(a, active, low, base)
        for k in range(active):
            desk.step[order[free[k]]] = base[k]
        if turn + 1 == passes or not _land(ints, floats, q, desk, count):
            break
        last = True
        for d in range(count):
            if desk.cut[d] == RANGE:
                desk.held[d], last = 1, False
            elif desk.cut[d] == SWING:
                desk.held[d], desk.held[d + 1], last = 1, 1, False
                desk.along[d + 1] = desk.across[d]
        if last:
            break
    return True


@inner
def damped_step(ints, floats, q, desk, count, lam, passes, curved):
    """desk.step along the first ``count`` free directions, in up to ``passes`` solves.

    ``curved`` where desk.hessian has been assembled with S; otherwise Gauss–Newton.  False where
    the system is not positive definite.
    """
    if not curved and ints[N_ROWS] <= ints[N_COORDS]:
        return _dual(ints, floats, q, desk, count, lam, passes)
    return _primal(ints, floats, q, desk, count, lam, passes)
