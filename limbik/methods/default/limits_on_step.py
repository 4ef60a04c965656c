"""What limits cut off a step, and what that leaves for the other directions."""

from __future__ import annotations

import numpy as np

from limbik.figure.cones import nearest_on_ellipse
from limbik.figure.layout import (
    CONE_A,
    CONE_B,
    CONE_EXPONENTIAL,
    CONE_KIND,
    CONE_START,
    CONE_SWING,
    CONE_X,
    CONE_Y,
    F_LOWER,
    F_UPPER,
    I_IN_CONE,
    I_RUN,
    I_RUN_FIRST,
    N_CONES,
    N_COORDS,
    NONE,
    cone_at,
)
from limbik.figure.projection import project
from limbik.jit import inner
from limbik.maths.linear import (
    copy,
)
from limbik.methods.default.directions import press_out
from limbik.solver.objective import scratch_of

INSIDE, RANGE, SWING, EDGE = range(4)


@inner
def project_step(ints, floats, q, lm, count):
    """lm.trial = P(q + step)."""
    copy(q, np.int64(ints[N_COORDS]), lm.trial)
    for d in range(count):
        for s in range(lm.spans[d]):
            lm.trial[lm.starts[d] + s] += lm.coefficients[d, s] * lm.step[d]
    for cone in range(ints[N_CONES]):
        if ints[cone_at(ints, cone)[0] + CONE_KIND] == CONE_EXPONENTIAL:
            press_out(
                ints, lm.starts, lm.spans, lm.coefficients, count, lm.half_descent, q, lm.trial
            )
            break
    project(ints, floats, lm.trial, scratch_of(ints, lm.state))


@inner
def cut_off(ints, floats, q, lm, count):
    """Where the limits let the step's free directions go; True if they cut anything off.

    lm.cut[d] is INSIDE, or RANGE (direction d gets along[d]; so does each of the three of an
    exponential ball), or SWING (d and d + 1, the two numbers of a swing, get along[d] and
    across[d]), or EDGE (a tangent of a cone's edge gets along[d], and across[d] along the normal
    beside it).
    """
    in_cone, lower, upper = ints[I_IN_CONE], ints[F_LOWER], ints[F_UPPER]
    step, along, across, cut = lm.step, lm.along, lm.across, lm.cut
    any_cut, projected = False, False
    for d in range(count):
        cut[d] = INSIDE
    for d in range(count):
        c = lm.starts[d]
        if lm.held[d]:
            continue
        cone = ints[in_cone + c]
        if cone == NONE:
            to = q[c] + step[d]
            if to < floats[lower + c] or to > floats[upper + c]:
                cut[d], any_cut = RANGE, True
                along[d] = min(max(to, floats[lower + c]), floats[upper + c]) - q[c]
            continue
        i, f = cone_at(ints, cone)
        ball = d + 2 < count and ints[i + CONE_START] == c and lm.starts[d + 2] == c + 2
        if ints[i + CONE_KIND] == CONE_EXPONENTIAL and lm.spans[d] == 1 and ball:
            if not projected:
                project_step(ints, floats, q, lm, count)
                projected = True
            for s in range(3):
                if lm.trial[c + s] != q[c + s] + step[d + s]:
                    any_cut = True
                    for k in range(3):
                        cut[d + k], along[d + k] = RANGE, lm.trial[c + k] - q[c + k]
        if ints[i + CONE_KIND] != CONE_SWING:
            continue
        tx, ty = lm.coefficients[d, 0], lm.coefficients[d, 1]
        if lm.spans[d] == 2:
            x, y = tx * step[d], ty * step[d]
        elif ints[i + CONE_START] == c and d + 1 < count and lm.starts[d + 1] == c + 1:
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
        if lm.spans[d] == 2:
            cut[d], along[d], across[d] = EDGE, tx * x + ty * y, ty * x - tx * y
        else:
            cut[d], along[d], across[d] = SWING, x, y
    return any_cut


@inner
def move_cut(ints, lm, count, lam, hold, v):
    """v −= what the directions that are cut off do to the rows.

    With ``hold`` they are held from now on and v is the right-hand side, which knows of each
    direction's drift already; without, v becomes what the limits take from the step.
    """
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    jt, along, across, step, ease = lm.jt, lm.along, lm.across, lm.step, lm.ease
    for d in range(count):
        kind = lm.cut[d]
        if kind == INSIDE:
            continue
        c, row, beside = lm.starts[d], lm.column[d], lm.column[d]
        one = along[d] - (ease[d] * lm.pull[d] / lam if hold else step[d])
        two = 0.0
        if kind != RANGE:
            beside, two = row + 1, across[d]
        if kind == SWING:
            two -= ease[d + 1] * lm.pull[d + 1] / lam if hold else step[d + 1]
        if hold:
            lm.held[d] = 1
            if kind == SWING:
                lm.held[d + 1] = 1
        for k in range(index + ints[first + c], index + ints[first + c + 1], 2):
            for i in range(ints[k], ints[k + 1]):
                v[i] -= one * jt[row, i] + two * jt[beside, i]
