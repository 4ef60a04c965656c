"""Limits as equalities: which ones a subproblem of ``lagrange`` has, adds and gives up."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.cones import cone_normals
from limbik.figure.layout import (
    CONE_KIND,
    CONE_START,
    CONE_SWING,
    F_LOWER,
    F_METRIC,
    F_UPPER,
    I_IN_CONE,
    N_CONES,
    N_COORDS,
    NONE,
    cone_at,
)
from limbik.figure.projection import project
from limbik.jit import kernel, kernel_part
from limbik.maths.linear import copy
from limbik.methods.workspace import floats_taken, take, take_table
from limbik.solver.problem import Problem


class EqualitySet(NamedTuple):
    """Which limits are equalities in the subproblem, and the best pose so far."""

    fixed: np.ndarray  # (n,) −1 or 1: at the lower or upper limit; a cone's first: 1 at its edge
    freed: np.ndarray  # (n,) 1 where a limit has been given up once
    press: np.ndarray  # (n,) pushes into every limit that is an equality, and nowhere else
    best: np.ndarray  # (n,) the best pose inside the limits
    last: np.ndarray  # (n,) the pose that was recorded last
    start: np.ndarray  # (n,) where every subproblem of an exhaustive search begins
    possible: np.ndarray  # (2n,) 1 where coordinate c can be set to its lower (2c), upper (2c + 1)
    chosen: np.ndarray  # (n,) the face of the subproblem


@kernel_part
def view_equalities(ints, work):
    """work -> EqualitySet, and what is left."""
    n = np.int64(ints[N_COORDS])
    by_n, work = take_table(work, 7, n)
    possible, work = take(work, 2 * n)
    return EqualitySet(
        by_n[0], by_n[1], by_n[2], by_n[3], by_n[4], by_n[5], possible, by_n[6]
    ), work


def equalities_size(problem: Problem) -> int:
    """Floats that ``view_equalities`` needs."""
    return floats_taken(view_equalities, problem.ints)


@kernel
def press_equalities(ints, floats, q, equalities, scratch):
    """press (n,): outward at every limit that is an equality, so that free_directions skips it.

    Along a cone's edge the tangents stay free: one variable less, as with a range.
    """
    normals = scratch[48:54].reshape(2, 3)
    for c in range(ints[N_COORDS]):
        equalities.press[c] = equalities.fixed[c] if ints[ints[I_IN_CONE] + c] == NONE else 0.0
    for cone in range(np.int64(ints[N_CONES])):
        i, _ = cone_at(ints, cone)
        c, span = ints[i + CONE_START], 2 if ints[i + CONE_KIND] == CONE_SWING else 3
        if equalities.fixed[c] != 0.0:
            for k in range(cone_normals(ints, floats, cone, q, normals, scratch)):
                for d in range(span):
                    equalities.press[c + d] += normals[k, d]


@kernel
def is_inside(ints, floats, q, inside, scratch):
    """Whether the limits allow q; inside (n,) becomes P(q)."""
    copy(q, len(q), inside)
    project(ints, floats, inside, scratch)
    same = True
    for c in range(ints[N_COORDS]):
        same = same and q[c] == inside[c]
    return same


@kernel
def back_to_edges(ints, floats, trial, equalities, inside, scratch):
    """Bring cones whose edge is an equality back to it; inside (n,) becomes P(trial)."""
    copy(trial, len(trial), inside)
    project(ints, floats, inside, scratch)
    for cone in range(np.int64(ints[N_CONES])):
        i, _ = cone_at(ints, cone)
        c, span = ints[i + CONE_START], 2 if ints[i + CONE_KIND] == CONE_SWING else 3
        if equalities.fixed[c] != 0.0:
            for d in range(span):
                trial[c + d] = inside[c + d]


@kernel
def fix_worst(ints, floats, q, inside, equalities, cones_only):
    """Make an equality of the limit that q violates most, and meet it; False where q is inside.

    inside (n,) is P(q).  With ``cones_only`` ranges are left alone.
    """
    worst, most, of_cone = np.int64(0), 0.0, np.int64(1)
    if not cones_only:
        for c in range(np.int64(ints[N_COORDS])):
            if ints[ints[I_IN_CONE] + c] == NONE:
                over = abs(q[c] - inside[c]) / math.sqrt(floats[ints[F_METRIC] + c])
                if over > most:
                    worst, most = c, over
    for cone in range(np.int64(ints[N_CONES])):
        i, _ = cone_at(ints, cone)
        c, span = (
            np.int64(ints[i + CONE_START]),
            np.int64(2 if ints[i + CONE_KIND] == CONE_SWING else 3),
        )
        over = 0.0
        for d in range(span):
            over += (q[c + d] - inside[c + d]) ** 2
        if math.sqrt(over) > most:
            worst, most, of_cone = c, math.sqrt(over), span
    if most == 0.0:
        return False
    equalities.fixed[worst] = -1.0 if of_cone == 1 and q[worst] < inside[worst] else 1.0
    for d in range(of_cone):
        q[worst + d] = inside[worst + d]
    return True


@kernel
def free_wrong(ints, floats, q, half_descent, equalities, scratch):
    """Give up the equality whose multiplier has the wrong sign by most; False where none has.

    Each is given up once at most, so that the search ends.
    """
    worst, most = np.int64(0), 0.0
    normals = scratch[48:54].reshape(2, 3)
    for c in range(np.int64(ints[N_COORDS])):
        if ints[ints[I_IN_CONE] + c] == NONE and equalities.freed[c] == 0.0:
            inward = -equalities.fixed[c] * half_descent[c] * math.sqrt(floats[ints[F_METRIC] + c])
            if inward > most and floats[ints[F_LOWER] + c] < floats[ints[F_UPPER] + c]:
                worst, most = c, inward
    for cone in range(np.int64(ints[N_CONES])):
        i, _ = cone_at(ints, cone)
        c, span = np.int64(ints[i + CONE_START]), 2 if ints[i + CONE_KIND] == CONE_SWING else 3
        if equalities.fixed[c] != 0.0 and equalities.freed[c] == 0.0:
            for k in range(cone_normals(ints, floats, cone, q, normals, scratch)):
                inward = 0.0
                for d in range(span):
                    inward -= normals[k, d] * half_descent[c + d]
                if inward > most:
                    worst, most = c, inward
    if most == 0.0:
        return False
    equalities.fixed[worst], equalities.freed[worst] = 0.0, 1.0
    return True


@kernel
def set_face(ints, floats, count, equalities, q):
    """Begin the subproblem of a face: the start, with the chosen coordinates at their limits."""
    copy(equalities.start, len(equalities.start), q)
    equalities.fixed[:] = 0.0
    for k in range(count):
        c, upper = int(equalities.chosen[k]) // 2, int(equalities.chosen[k]) % 2
        equalities.fixed[c] = 1.0 if upper else -1.0
        q[c] = floats[ints[F_UPPER] + c] if upper else floats[ints[F_LOWER] + c]
