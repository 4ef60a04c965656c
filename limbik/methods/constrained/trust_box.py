"""A trust region that is a box, and the Gauss–Newton model's minimum in it.

Box and ranges together are a box again, so that neither needs a treatment of its own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.layout import F_LOWER, F_METRIC, F_UPPER, I_IN_CONE, N_COORDS, NONE
from limbik.jit import kernel, kernel_part
from limbik.maths.linear import copy, dot
from limbik.methods.constrained.reduced import promised, solve_reduced
from limbik.methods.workspace import floats_taken, take_table
from limbik.solver.problem import Problem

_RIDGE = 1e-10  # part of the largest curvature that a singular J is given everywhere


class Box(NamedTuple):
    """low ≤ x ≤ high for every direction: the limits and the trust region in one."""

    low: np.ndarray
    high: np.ndarray
    best: np.ndarray  # the best step so far
    other: np.ndarray  # one to compare it with


@kernel_part
def view_box(ints, work):
    """work -> Box, empty, and what is left."""
    by_n, work = take_table(work, 4, np.int64(ints[N_COORDS]))
    return Box(by_n[0], by_n[1], by_n[2], by_n[3]), work


def box_size(problem: Problem) -> int:
    """Floats that ``view_box`` needs."""
    return floats_taken(view_box, problem.ints)


@kernel
def fill_box(ints, floats, q, z, count, radius, box):
    """How far each direction may go: to its range's ends, and no further than the radius.

    A slide counts as the angle that moves as far at a quarter of the figure's size.  Cones have
    only the radius here; the step is projected onto them.
    """
    for d in range(count):
        c = z.starts[d]
        far = radius * math.sqrt(floats[ints[F_METRIC] + c])
        box.low[d], box.high[d] = -far, far
        if ints[ints[I_IN_CONE] + c] == NONE:
            box.low[d] = max(-far, floats[ints[F_LOWER] + c] - q[c])
            box.high[d] = min(far, floats[ints[F_UPPER] + c] - q[c])


@kernel
def cauchy_point(ints, floats, z, count, box):
    """The path of steepest descent clipped to the box, followed to about its lowest point.

    x(t) = clip(tMg); t starts at the lowest point of the straight path and halves until the model
    falls by a tenth of what its slope says, as in Conn, Gould and Toint's generalised Cauchy point.
    """
    metric, along, curve = ints[F_METRIC], 0.0, 0.0
    for d in range(count):
        box.other[d] = floats[metric + z.starts[d]] * z.gradient[d]
    for d in range(count):
        along += box.other[d] * z.gradient[d]
        curve += box.other[d] * dot(z.hessian[d], box.other, count)
    t = along / curve if curve > 0.0 else 0.0
    for _ in range(60):
        slope = 0.0
        for d in range(count):
            box.best[d] = min(max(t * box.other[d], box.low[d]), box.high[d])
            slope += z.gradient[d] * box.best[d]
        if promised(z, count, box.best) >= 0.2 * slope:
            break
        t *= 0.5


@kernel
def step_in_box(z, count, passes, box):
    """From the Cauchy point in box.best down to a minimum of the model, which z.step becomes.

    What stands at an end of the box and presses on is held, the others make a Gauss–Newton step.
    Where that leaves the box, it is either clipped or ends where it meets the box, whichever the
    model likes better: so every pass is at least a dogleg's second leg.
    """
    low, high, best, other = box.low, box.high, box.best, box.other
    value, inside, blocked = promised(z, count, best), False, False
    for _ in range(passes):
        same = True
        for d in range(count):
            left = z.gradient[d] - dot(z.hessian[d], best, count)
            down, up = best[d] <= low[d], best[d] >= high[d]
            hold = (down and left <= 0.0) or (up and left >= 0.0)
            hold = hold or (blocked and z.held[d] != 0)
            same = same and hold == (z.held[d] != 0)
            z.held[d] = hold
        if inside and same:
            break
        copy(best, count, z.step)
        if not solve_reduced(z, count, _RIDGE):
            break
        part, inside, blocked = 1.0, True, False
        for d in range(count):
            away = z.step[d] - best[d]
            other[d] = min(max(z.step[d], low[d]), high[d])
            if other[d] != z.step[d]:
                part, inside = min(part, (other[d] - best[d]) / away), False
                if best[d] == other[d]:
                    # It stands at an end, not pressed there by g alone but by the others' steps.
                    z.held[d], blocked = 1, True
        after = promised(z, count, other)
        if part > 0.0 and not inside:
            for d in range(count):
                away = z.step[d] - best[d]
                # What ends the step must stand at its end exactly, whatever the rounding.
                ends = other[d] != z.step[d] and (other[d] - best[d]) / away <= part
                z.step[d] = other[d] if ends else best[d] + part * away
            met = promised(z, count, z.step)
            if met > after:
                copy(z.step, count, other)
                after = met
        if after > value:
            value, blocked = after, False
            copy(other, count, best)
        elif not blocked:
            break
    copy(best, count, z.step)
