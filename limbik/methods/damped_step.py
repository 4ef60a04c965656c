"""The damped Gauss–Newton step inside limits, along the directions that the limits leave free.

minimise ‖t − Jδ‖² + Σ Dᵢ(pᵢ − δᵢ)² + λ‖δ‖²_M over the free directions: a rows × rows system in the
dual form where there are fewer rows than coordinates, a directions × directions one otherwise.
Directions that the step would carry over a limit are held where it stops them and the others solved
for again, so that what is cut off on one coordinate is made up for on the rest.
"""

from __future__ import annotations

from limbik.compiling import inner, kernel
from limbik.goals.terms import N_ROWS
from limbik.kinematics import F_CONE, F_LOWER, F_UPPER, I_CONE, I_IN_CONE, N_COORDS, NONE
from limbik.limits import CONE_FLOATS, CONE_INTS, CONE_SWING, nearest_on_ellipse
from limbik.linear import cholesky, cholesky_solve, dot
from limbik.problem import F_METRIC, I_RUN, I_RUN_FIRST

INSIDE, RANGE, SWING, BEND = range(4)

_NEGLIGIBLE = 1e-4  # part of ‖t‖² that limits may cut off without a second solve


@inner
def _add_columns(ints, desk, begin, end, sign):
    """whole += sign·ease·v·vᵀ (lower triangle) for the columns v of directions begin … end − 1."""
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    jt, a = desk.jt, desk.whole
    for d in range(begin, end):
        c, row = desk.starts[d], desk.column[d]
        scale = sign * desk.ease[d]
        run, stop = index + ints[first + c], index + ints[first + c + 1]
        if stop - run == 2 and ints[run + 1] - ints[run] == 3:
            # Most directions move one point only; three rows cost less than loops over them.
            i = ints[run]
            x, y, z = jt[row, i], jt[row, i + 1], jt[row, i + 2]
            sx, sy, sz = scale * x, scale * y, scale * z
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
                    scaled = scale * jt[row, i]
                    for h in range(run, k, 2):
                        for j in range(ints[h], ints[h + 1]):
                            a[i, j] += scaled * jt[row, j]
                    # Past the diagonal too: a loop of fixed length runs four entries at a time.
                    for j in range(low, high):
                        a[i, j] += scaled * jt[row, j]


@inner
def _move_rows(ints, desk, d, beside, amount, v):
    """v −= amount·(the column of direction d, or the one ``beside`` it)."""
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    c, row = desk.starts[d], desk.column[d] + beside
    for k in range(index + ints[first + c], index + ints[first + c + 1], 2):
        for i in range(ints[k], ints[k + 1]):
            v[i] -= amount * desk.jt[row, i]


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
        i, f = ints[I_CONE] + CONE_INTS * cone, ints[F_CONE] + CONE_FLOATS * cone
        if ints[i] != CONE_SWING:
            continue
        tx, ty = desk.coefficients[d, 0], desk.coefficients[d, 1]
        if desk.spans[d] == 2:
            x, y = tx * step[d], ty * step[d]
        elif ints[i + 1] == c and d + 1 < count and desk.starts[d + 1] == c + 1:
            x, y = step[d], step[d + 1]
        else:
            continue
        a, b = floats[f], floats[f + 1]
        x, y = q[c] + x - floats[f + 2], q[c + 1] + y - floats[f + 3]
        if (x / a) * (x / a) + (y / b) * (y / b) <= 1.0:
            continue
        x, y = nearest_on_ellipse(x, y, a, b)
        x, y = x + floats[f + 2] - q[c], y + floats[f + 3] - q[c + 1]
        any_cut = True
        if desk.spans[d] == 2:
            cut[d], along[d], across[d] = BEND, tx * x + ty * y, ty * x - tx * y
        else:
            cut[d], along[d], across[d] = SWING, x, y
    return any_cut


@inner
def _cut_off(ints, desk, count):
    """What the limits cut off, as a part of the squared residuals that are aimed at."""
    rows, lost = ints[N_ROWS], desk.y
    lost[:] = 0.0
    for d in range(count):
        if desk.cut[d] != INSIDE:
            _move_rows(ints, desk, d, 0, desk.along[d] - desk.step[d], lost)
            if desk.cut[d] == SWING:
                _move_rows(ints, desk, d, 1, desk.across[d] - desk.step[d + 1], lost)
            elif desk.cut[d] == BEND:
                _move_rows(ints, desk, d, 1, desk.across[d], lost)
    return dot(lost, lost, rows) / (dot(desk.target, desk.target, rows) + 1e-300)


@inner
def _hold(ints, desk, d, amount, lam):
    """Take direction d out of the dual system: it moves by ``amount`` whatever the others do."""
    desk.held[d] = 1
    _add_columns(ints, desk, d, d + 1, -1.0)
    _move_rows(ints, desk, d, 0, amount - desk.ease[d] * desk.pull[d] / lam, desk.base)


@inner
def _dual(ints, floats, q, desk, count, lam, passes):
    """The step by (J E⁻¹Jᵀ + λI)·y = t − J E⁻¹d/λ, step = E⁻¹(Jᵀy + d/λ), with E = M + D/λ."""
    rows = ints[N_ROWS]
    first, index, metric = ints[I_RUN_FIRST], ints[I_RUN], ints[F_METRIC]
    jt, y, base, whole, factor, ease = (
        desk.jt,
        desk.y,
        desk.base,
        desk.whole,
        desk.factor,
        desk.ease,
    )
    for i in range(rows):
        base[i] = desk.target[i]
        for j in range(i):
            whole[i, j] = 0.0
        whole[i, i] = lam
    for d in range(count):
        desk.held[d] = 0
        ease[d] = floats[metric + desk.starts[d]]
        if desk.stiff[d] > 0.0:
            ease[d] = 1.0 / (1.0 / ease[d] + desk.stiff[d] / lam)
            _move_rows(ints, desk, d, 0, ease[d] * desk.pull[d] / lam, base)
    _add_columns(ints, desk, 0, count, 1.0)
    for turn in range(passes):
        for i in range(rows):
            y[i] = base[i]
            for j in range(i + 1):
                factor[i, j] = whole[i, j]
        if not cholesky(factor, rows):
            return False
        cholesky_solve(factor, rows, y)
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
            desk.step[d] = ease[d] * total
        if turn + 1 == passes or not _land(ints, floats, q, desk, count):
            break
        if _cut_off(ints, desk, count) <= _NEGLIGIBLE:
            break
        for d in range(count):
            if desk.cut[d] != INSIDE:
                _hold(ints, desk, d, desk.along[d], lam)
                if desk.cut[d] == SWING:
                    _hold(ints, desk, d + 1, desk.across[d], lam)
                elif desk.cut[d] == BEND:
                    _move_rows(ints, desk, d, 1, desk.across[d], base)
    return True


@inner
def _primal(ints, floats, q, desk, count, lam, passes):
    """The step by (JᵀJ + D + λM⁻¹)·step = Jᵀt + d."""
    rows, metric = ints[N_ROWS], ints[F_METRIC]
    jt, base, whole, factor, column = desk.jt, desk.base, desk.whole, desk.factor, desk.column
    for d in range(count):
        desk.held[d] = 0
        for e in range(d):
            whole[d, e] = dot(jt[column[d]], jt[column[e]], rows)
        square = dot(jt[column[d]], jt[column[d]], rows)
        whole[d, d] = square + desk.stiff[d] + lam / floats[metric + desk.starts[d]]
        base[d] = dot(jt[column[d]], desk.target, rows) + desk.pull[d]
    for turn in range(passes):
        for d in range(count):
            desk.step[d] = base[d]
            for e in range(d + 1):
                factor[d, e] = whole[d, e]
        if not cholesky(factor, count):
            return False
        cholesky_solve(factor, count, desk.step)
        if turn + 1 == passes or not _land(ints, floats, q, desk, count):
            break
        last = True
        for d in range(count):
            if desk.cut[d] == RANGE:
                last = False
                # Row d becomes "this is the step"; what it does to the others moves to the right.
                desk.held[d] = 1
                for e in range(count):
                    if e != d:
                        h, w = max(d, e), min(d, e)
                        base[e] -= 0.0 if desk.held[e] else whole[h, w] * desk.along[d]
                        whole[h, w] = 0.0
                whole[d, d], base[d] = 1.0, desk.along[d]
        if last:
            break
    return True


@kernel
def damped_step(ints, floats, q, desk, count, lam, passes):
    """desk.step along the first ``count`` free directions, in up to ``passes`` solves.

    False where the system is not positive definite, which only rounding can cause.
    """
    if ints[N_ROWS] <= ints[N_COORDS]:
        return _dual(ints, floats, q, desk, count, lam, passes)
    return _primal(ints, floats, q, desk, count, lam, passes)
