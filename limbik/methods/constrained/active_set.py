"""An active set of limits: their normals projected out of an inverse Hessian."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.kinematics import F_LOWER, F_UPPER, I_CONE, I_IN_CONE, N_CONES, N_COORDS, NONE
from limbik.figure.projection import CONE_INTS, CONE_SWING, cone_normals
from limbik.jit import kernel
from limbik.methods.gradient.inverse_hessian import hold_coordinate, hold_normal
from limbik.solver.objective import F_METRIC

FREE, AT_LOWER, AT_UPPER = 0.0, 1.0, 2.0


class Book(NamedTuple):
    """The method's own arrays."""

    h: np.ndarray  # (n, n) the inverse of ∇²f, as far as it is known
    held: np.ndarray  # (n, n) the same with the normals of the active limits projected out
    active: np.ndarray  # (n,) FREE, AT_LOWER or AT_UPPER
    pushed: np.ndarray  # (n,) −½∇f at the pose before
    before: np.ndarray  # (n,) that pose
    y: np.ndarray  # (n,) change of the gradient
    image: np.ndarray  # (n,) for anyone


@kernel
def open_book(n, spare):
    """spare (2n² + 5n,) -> Book."""
    square = n * n
    rest = spare[2 * square : 2 * square + 5 * n].reshape(5, n)
    return Book(
        spare[:square].reshape(n, n), spare[square : 2 * square].reshape(n, n), rest[0], rest[1],
        rest[2], rest[3], rest[4],
    )  # fmt: skip


@kernel
def forget(ints, floats, scale, book):
    """H = scale·M, and no limit is active."""
    book.h[:, :] = 0.0
    for c in range(ints[N_COORDS]):
        book.h[c, c] = scale * floats[ints[F_METRIC] + c]
        book.active[c] = FREE


@kernel
def _along(book, push, step):
    """step = −H∇f for the H in book.held; returns −½∇fᵀ·step."""
    slope = 0.0
    for c in range(len(push)):
        total = 0.0
        for e in range(len(push)):
            total += book.held[c, e] * push[e]
        step[c] = 2.0 * total
        slope += push[c] * step[c]
    return slope


@kernel
def _hold_active(book):
    """book.held = H with the normals of the active ranges projected out."""
    book.held[:, :] = book.h
    for c in range(len(book.active)):
        if book.active[c] != FREE:
            hold_coordinate(book.held, c, book.image)


@kernel
def _release(ints, floats, push, slope, book):
    """Take one range whose multiplier has the wrong sign out of the active set; True if done.

    It is the one whose limit costs most, ½H_cc·ν², and it leaves only where that is more than the
    descent that the active set allows, slope = ½∇fᵀH∇f: otherwise limits would come and go at every
    iteration.
    """
    worst, most = -1, 0.0
    for c in range(np.int64(ints[N_COORDS])):
        if book.active[c] == FREE or floats[ints[F_LOWER] + c] == floats[ints[F_UPPER] + c]:
            continue
        inward = push[c] if book.active[c] == AT_LOWER else -push[c]
        if inward > 0.0 and book.h[c, c] * push[c] * push[c] > most:
            worst, most = c, book.h[c, c] * push[c] * push[c]
    if worst >= 0 and 2.0 * most >= slope:
        book.active[worst] = FREE
        return True
    return False


@kernel
def _blocked(ints, floats, q, step, book, scratch):
    """Project out of book.held each limit that q is at and ``step`` would cross; True if any."""
    lower, upper, in_cone = ints[F_LOWER], ints[F_UPPER], ints[I_IN_CONE]
    any_blocked = False
    for c in range(ints[N_COORDS]):
        if ints[in_cone + c] != NONE or book.active[c] != FREE:
            continue
        if step[c] < 0.0 and q[c] <= floats[lower + c]:
            book.active[c] = AT_LOWER
        elif step[c] > 0.0 and q[c] >= floats[upper + c]:
            book.active[c] = AT_UPPER
        else:
            continue
        hold_coordinate(book.held, c, book.image)
        any_blocked = True
    normals = scratch[48:54].reshape(2, 3)
    for cone in range(np.int64(ints[N_CONES])):
        i = ints[I_CONE] + CONE_INTS * cone
        c, span = ints[i + 1], 2 if ints[i] == CONE_SWING else 3
        for k in range(cone_normals(ints, floats, cone, q, normals, scratch)):
            across, size = 0.0, 0.0
            for d in range(span):
                across += normals[k, d] * step[c + d]
                size += step[c + d] * step[c + d]
            if across > 1e-9 * math.sqrt(size):
                hold_normal(book.held, normals[k], c, span, book.image)
                any_blocked = True
    return any_blocked


@kernel
def choose_step(ints, floats, q, push, step, book, scratch):
    """The quasi-Newton step that the limits at q allow, −H∇f with their normals projected out.

    Limits that the step would cross at once join the active set, one with a multiplier of the wrong
    sign may leave it.  Returns −½∇fᵀ·step, 0 where no way is left.
    """
    _hold_active(book)
    slope = _along(book, push, step)
    if _release(ints, floats, push, slope, book):
        _hold_active(book)
        slope = _along(book, push, step)
    for _ in range(len(step) + 2):
        if not _blocked(ints, floats, q, step, book, scratch):
            break
        slope = _along(book, push, step)
    return slope


@kernel
def longest(ints, floats, q, step, book):
    """The part of ``step`` up to the first range that blocks it, at most 1."""
    part = 1.0
    for c in range(ints[N_COORDS]):
        if ints[ints[I_IN_CONE] + c] != NONE or book.active[c] != FREE:
            continue
        if step[c] < 0.0:
            part = min(part, (floats[ints[F_LOWER] + c] - q[c]) / step[c])
        elif step[c] > 0.0:
            part = min(part, (floats[ints[F_UPPER] + c] - q[c]) / step[c])
    return max(part, 0.0)


@kernel
def land(ints, floats, q, step, part, book, trial):
    """trial = q + part·step; ranges that end it there are met exactly."""
    for c in range(ints[N_COORDS]):
        trial[c] = q[c] + part * step[c]
        if ints[ints[I_IN_CONE] + c] != NONE or book.active[c] != FREE:
            continue
        low, high = floats[ints[F_LOWER] + c], floats[ints[F_UPPER] + c]
        near = 1e-14 * (abs(q[c]) + abs(trial[c]))
        if step[c] < 0.0 and trial[c] <= low + near:
            trial[c] = low
        elif step[c] > 0.0 and trial[c] >= high - near:
            trial[c] = high
