"""Projected Gauss–Seidel: sweeps over (JᵀJ + δI)x = Jᵀe that keep every joint inside its limits.

A *unit* is what a sweep updates at a time: one coordinate, or all the coordinates of a cone.  Units
stand in groups, which schedule.py chooses.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.layout import (
    CONE_FLOATS,
    CONE_INTS,
    F_CONE,
    F_LOWER,
    F_METRIC,
    F_REST,
    F_REST_POSE,
    F_UPPER,
    HEADER,
    I_CONE,
    I_RUN,
    I_RUN_FIRST,
    N_CONES,
    N_COORDS,
)
from limbik.figure.projection import project
from limbik.jit import inlined, inner, kernel, kernel_part
from limbik.maths.linear import copy
from limbik.methods.workspace import floats_taken, take_integers, take_table
from limbik.solver.problem import Problem

# A schedule as floats: how many units and groups, the share of a group's update that is taken, the
# first unit of each group and one more, then the units.
S_UNITS, S_GROUPS, S_SHARE, S_FIRST = range(4)
UNIT = 4  # first coordinate, how many, its cone or −1, whether its rotation vector may be shifted

_IN_CONE = 4  # projected steps that a cone's coordinates take where it holds them


class System(NamedTuple):
    """Ax = b (equations 28 to 30 of dual_quaternion) and the answer in the making."""

    a: np.ndarray  # (n, n) JᵀJ + δI; the row of a coordinate that no goal feels is 0
    b: np.ndarray  # (n,) Jᵀe
    x: np.ndarray  # (n,) Δw
    y: np.ndarray  # (n,) w + Δw, inside the limits
    before: np.ndarray  # (n,) y as the sweep found it
    landed: np.ndarray  # (n,) where the groups of a blocked sweep ended
    one_cone: np.ndarray  # header of a figure that has no limits but one cone


@kernel_part
def view_system(ints, work):
    """work -> System, empty, and what is left."""
    n = np.int64(ints[N_COORDS])
    a, work = take_table(work, n, n)
    by_n, work = take_table(work, 5, n)
    one_cone, work = take_integers(work, 1, HEADER + CONE_INTS)
    return System(a, by_n[0], by_n[1], by_n[2], by_n[3], by_n[4], one_cone[0]), work


def system_size(problem: Problem) -> int:
    """Floats that ``view_system`` needs."""
    return floats_taken(view_system, problem.ints)


@kernel
def fill_system(ints, floats, q, jt, model_residual, damping, system):
    """A = JᵀJ + D + δsM⁻¹ and b = Jᵀe + D(pose − q), from jt (n, rows) and model_residual (rows,).

    M is 1 for a turn and the square of the figure's lever for a slide, s the mean of (JᵀJ + D)M
    over the coordinates that a goal feels: so δ is a plain number, whatever unit and weights.
    """
    a, b = system.a, system.b
    first, index = ints[I_RUN_FIRST], ints[I_RUN]
    weight, pose, metric = ints[F_REST], ints[F_REST_POSE], ints[F_METRIC]
    felt, scale = 0, 0.0
    for c in range(ints[N_COORDS]):
        begin, end = index + ints[first + c], index + ints[first + c + 1]
        for other in range(c + 1):
            total = 0.0
            for k in range(begin, end, 2):
                for i in range(ints[k], ints[k + 1]):
                    total += jt[c, i] * jt[other, i]
            a[c, other], a[other, c] = total, total
        b[c] = floats[weight + c] * (floats[pose + c] - q[c])
        for k in range(begin, end, 2):
            for i in range(ints[k], ints[k + 1]):
                b[c] += jt[c, i] * model_residual[i]
        a[c, c] += floats[weight + c]
        if a[c, c] > 0.0:
            felt += 1
            scale += a[c, c] * floats[metric + c]
    if felt > 0:
        for c in range(ints[N_COORDS]):
            if a[c, c] > 0.0:
                a[c, c] += damping * scale / (felt * floats[metric + c])


@inner(fastmath={"reassoc", "contract"})
def _left(a, b, x, c):
    """bᵢ − Σ Aᵢⱼxⱼ: what is left of row c, summed in the order that is fastest."""
    total = 0.0
    for j in range(len(x)):
        total += a[c, j] * x[j]
    return b[c] - total


@inlined
def _project_cone(ints, floats, cone, system, scratch):
    """P of one cone's coordinates in system.y: ``project`` on a figure with that limit only."""
    header = system.one_cone
    for k in range(CONE_INTS):
        header[HEADER + k] = ints[ints[I_CONE] + CONE_INTS * cone + k]
    header[F_CONE] = ints[F_CONE] + CONE_FLOATS * cone
    project(header, floats, system.y, scratch)


@inner
def _update_cone(ints, floats, q, system, c, span, cone, scratch):
    """All coordinates of a cone: Algorithm 1, or projected steps where the cone holds them.

    A step r/tr(A_cc) and P lead to a minimum of the model on the cone, where it is convex; clamping
    the Gauss–Seidel step itself would stop elsewhere, because A_cc is no multiple of I.
    """
    a, b, x, y = system.a, system.b, system.x, system.y
    x0, x1, x2 = x[c], x[c + 1], x[c + span - 1]
    y0, y1, y2 = y[c], y[c + 1], y[c + span - 1]
    trace = 0.0
    for i in range(c, c + span):
        trace += a[i, i]
        if a[i, i] > 0.0:
            x[i] += _left(a, b, x, i) / a[i, i]
            y[i] = q[i] + x[i]
    if trace == 0.0:
        return
    t0, t1, t2 = y[c], y[c + 1], y[c + span - 1]
    _project_cone(ints, floats, cone, system, scratch)
    if y[c] == t0 and y[c + 1] == t1 and y[c + span - 1] == t2:
        return
    y[c + span - 1], y[c + 1], y[c] = y2, y1, y0
    x[c + span - 1], x[c + 1], x[c] = x2, x1, x0
    for _ in range(_IN_CONE):
        for i in range(c, c + span):
            y[i] = q[i] + x[i] + _left(a, b, x, i) / trace
        _project_cone(ints, floats, cone, system, scratch)
        for i in range(c, c + span):
            x[i] = y[i] - q[i]


@inner
def sweep(ints, floats, q, system, schedule, scratch):
    """One pass over all units: lines 3 to 6 of Algorithm 1 of dual_quaternion, and equation 31.

    With a share below 1 the groups are blocks: each starts from where the sweep began, as if all
    ran at once, and only that share of their updates is taken.
    """
    a, b, x, y = system.a, system.b, system.x, system.y
    before, landed = system.before, system.landed
    lower, upper = ints[F_LOWER], ints[F_UPPER]
    groups, share = int(schedule[S_GROUPS]), schedule[S_SHARE]
    units = schedule[S_FIRST + groups + 1 :].reshape(-1, UNIT)
    copy(y, len(q), before)
    for group in range(groups):
        first, last = int(schedule[S_FIRST + group]), int(schedule[S_FIRST + group + 1])
        for u in range(first, last):
            c = int(units[u, 0])
            if units[u, 2] >= 0.0:
                _update_cone(
                    ints, floats, q, system, c, int(units[u, 1]), int(units[u, 2]), scratch
                )
            elif a[c, c] > 0.0:
                moved = q[c] + (x[c] + _left(a, b, x, c) / a[c, c])
                y[c] = min(max(moved, floats[lower + c]), floats[upper + c])
                x[c] = y[c] - q[c]
        if share < 1.0:
            for u in range(first, last):
                for c in range(int(units[u, 0]), int(units[u, 0] + units[u, 1])):
                    landed[c], y[c], x[c] = y[c], before[c], before[c] - q[c]
    if share < 1.0:
        for u in range(int(schedule[S_UNITS])):
            for c in range(int(units[u, 0]), int(units[u, 0] + units[u, 1])):
                y[c] = before[c] + share * (landed[c] - before[c])
            if units[u, 2] >= 0.0:
                _project_cone(ints, floats, int(units[u, 2]), system, scratch)
            for c in range(int(units[u, 0]), int(units[u, 0] + units[u, 1])):
                x[c] = y[c] - q[c]


@inner
def _missing(ints, floats, system):
    """‖b − Ax‖/‖b‖, without what a range holds back."""
    a, b, x, y = system.a, system.b, system.x, system.y
    lower, upper = ints[F_LOWER], ints[F_UPPER]
    square, whole = 0.0, 0.0
    for c in range(len(x)):
        whole += b[c] * b[c]
        left = _left(a, b, x, c)
        held = (y[c] <= floats[lower + c] and left < 0.0) or (
            y[c] >= floats[upper + c] and left > 0.0
        )
        if a[c, c] > 0.0 and not held:
            square += left * left
    return math.sqrt(square / whole) if whole > 0.0 else 0.0


@kernel
def relax(ints, floats, q, system, schedule, sweeps, residual, change, same, scratch):
    """Algorithm 1 of dual_quaternion from the x in ``system``; returns the sweeps it took.

    It ends by the paper's four rules: after ``sweeps`` sweeps; at ‖Ax − b‖ ≤ residual·‖b‖; where a
    sweep changes x by ‖Δx‖ ≤ change; where that differs from the sweep before by ≤ same.  Lengths
    of x are in radians, a slide counted by the figure's lever.
    """
    system.one_cone[:] = 0
    system.one_cone[N_CONES], system.one_cone[I_CONE] = 1, HEADER
    last = math.inf
    for done in range(1, int(sweeps) + 1):
        sweep(ints, floats, q, system, schedule, scratch)
        square = 0.0
        for c in range(len(q)):
            square += (system.y[c] - system.before[c]) ** 2 / floats[ints[F_METRIC] + c]
        moved = math.sqrt(square)
        if not (moved > change and abs(moved - last) > same):
            return done
        last = moved
        if residual > 0.0 and _missing(ints, floats, system) <= residual:
            return done
    return int(sweeps)
