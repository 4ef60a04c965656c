"""An active set of limits: their normals projected out of an inverse Hessian."""

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
from limbik.jit import kernel, kernel_part
from limbik.maths.linear import copy
from limbik.methods.gradient.inverse_hessian import hold_coordinate, hold_normal
from limbik.methods.workspace import floats_taken, take_table
from limbik.solver.problem import Problem

FREE, AT_LOWER, AT_UPPER = 0.0, 1.0, 2.0


class BFGSWorkspace(NamedTuple):
    """An inverse Hessian, and the limits that are active."""

    h: np.ndarray  # (n, n) the inverse of ∇²f, as far as it is known
    held: np.ndarray  # (n, n) the same with the normals of the active limits projected out
    active: np.ndarray  # (n,) FREE, AT_LOWER or AT_UPPER
    y: np.ndarray  # (n,) change of the gradient
    image: np.ndarray  # (n,) for anyone


@kernel_part
def view_bfgs(ints, work):
    """work -> BFGSWorkspace, and what is left."""
    n = np.int64(ints[N_COORDS])
    h, work = take_table(work, n, n)
    held, work = take_table(work, n, n)
    by_n, work = take_table(work, 3, n)
    return BFGSWorkspace(h, held, by_n[0], by_n[1], by_n[2]), work


def bfgs_size(problem: Problem) -> int:
    """Floats that ``view_bfgs`` needs."""
    return floats_taken(view_bfgs, problem.ints)


@kernel
def forget(ints, floats, scale, bfgs):
    """H = scale·M, and no limit is active."""
    bfgs.h[:, :] = 0.0
    for c in range(ints[N_COORDS]):
        bfgs.h[c, c] = scale * floats[ints[F_METRIC] + c]
        bfgs.active[c] = FREE


@kernel
def _along(bfgs, half_descent, step):
    """step = −H∇f for the H in bfgs.held; returns −½∇fᵀ·step."""
    slope = 0.0
    for c in range(len(half_descent)):
        total = 0.0
        for e in range(len(half_descent)):
            total += bfgs.held[c, e] * half_descent[e]
        step[c] = 2.0 * total
        slope += half_descent[c] * step[c]
    return slope


@kernel
def _hold_active(bfgs):
    """bfgs.held = H with the normals of the active ranges projected out."""
    for c in range(len(bfgs.h)):
        copy(bfgs.h[c], len(bfgs.h), bfgs.held[c])
    for c in range(len(bfgs.active)):
        if bfgs.active[c] != FREE:
            hold_coordinate(bfgs.held, c, bfgs.image)


@kernel
def _release(ints, floats, half_descent, slope, bfgs):
    """Take one range whose multiplier has the wrong sign out of the active set; True if done.

    It is the one whose limit costs most, ½H_cc·ν², and it leaves only where that is more than the
    descent that the active set allows, slope = ½∇fᵀH∇f: otherwise limits would come and go at every
    iteration.
    """
    worst, most = -1, 0.0
    for c in range(np.int64(ints[N_COORDS])):
        if bfgs.active[c] == FREE or floats[ints[F_LOWER] + c] == floats[ints[F_UPPER] + c]:
            continue
        inward = half_descent[c] if bfgs.active[c] == AT_LOWER else -half_descent[c]
        if inward > 0.0 and bfgs.h[c, c] * half_descent[c] * half_descent[c] > most:
            worst, most = c, bfgs.h[c, c] * half_descent[c] * half_descent[c]
    if worst >= 0 and 2.0 * most >= slope:
        bfgs.active[worst] = FREE
        return True
    return False


@kernel
def _blocked(ints, floats, q, step, bfgs, scratch):
    """Project out of bfgs.held each limit that q is at and ``step`` would cross; True if any."""
    lower, upper, in_cone = ints[F_LOWER], ints[F_UPPER], ints[I_IN_CONE]
    any_blocked = False
    for c in range(ints[N_COORDS]):
        if ints[in_cone + c] != NONE or bfgs.active[c] != FREE:
            continue
        if step[c] < 0.0 and q[c] <= floats[lower + c]:
            bfgs.active[c] = AT_LOWER
        elif step[c] > 0.0 and q[c] >= floats[upper + c]:
            bfgs.active[c] = AT_UPPER
        else:
            continue
        hold_coordinate(bfgs.held, c, bfgs.image)
        any_blocked = True
    normals = scratch[48:54].reshape(2, 3)
    for cone in range(np.int64(ints[N_CONES])):
        i, _ = cone_at(ints, cone)
        c, span = ints[i + CONE_START], 2 if ints[i + CONE_KIND] == CONE_SWING else 3
        for k in range(cone_normals(ints, floats, cone, q, normals, scratch)):
            across, size = 0.0, 0.0
            for d in range(span):
                across += normals[k, d] * step[c + d]
                size += step[c + d] * step[c + d]
            if across > 1e-9 * math.sqrt(size):
                hold_normal(bfgs.held, normals[k], c, span, bfgs.image)
                any_blocked = True
    return any_blocked


@kernel
def choose_step(ints, floats, q, half_descent, step, bfgs, scratch):
    """The quasi-Newton step that the limits at q allow, −H∇f with their normals projected out.

    Limits that the step would cross at once join the active set, one with a multiplier of the wrong
    sign may leave it.  Returns −½∇fᵀ·step, 0 where no way is left.
    """
    _hold_active(bfgs)
    slope = _along(bfgs, half_descent, step)
    if _release(ints, floats, half_descent, slope, bfgs):
        _hold_active(bfgs)
        slope = _along(bfgs, half_descent, step)
    for _ in range(len(step) + 2):
        if not _blocked(ints, floats, q, step, bfgs, scratch):
            break
        slope = _along(bfgs, half_descent, step)
    return slope


@kernel
def longest(ints, floats, q, step, bfgs):
    """The part of ``step`` up to the first range that blocks it, at most 1."""
    part = 1.0
    for c in range(ints[N_COORDS]):
        if ints[ints[I_IN_CONE] + c] != NONE or bfgs.active[c] != FREE:
            continue
        if step[c] < 0.0:
            part = min(part, (floats[ints[F_LOWER] + c] - q[c]) / step[c])
        elif step[c] > 0.0:
            part = min(part, (floats[ints[F_UPPER] + c] - q[c]) / step[c])
    return max(part, 0.0)


@kernel
def land(ints, floats, q, step, part, bfgs, trial):
    """trial = q + part·step; ranges that end it there are met exactly."""
    for c in range(ints[N_COORDS]):
        trial[c] = q[c] + part * step[c]
        if ints[ints[I_IN_CONE] + c] != NONE or bfgs.active[c] != FREE:
            continue
        low, high = floats[ints[F_LOWER] + c], floats[ints[F_UPPER] + c]
        near = 1e-14 * (abs(q[c]) + abs(trial[c]))
        if step[c] < 0.0 and trial[c] <= low + near:
            trial[c] = low
        elif step[c] > 0.0 and trial[c] >= high - near:
            trial[c] = high
