"""Secondary criteria g(q) for what the goals leave free: manipulability, limits, a pose.

Functions here that evaluate the problem are no kernels of their own but become part of the kernel
that calls them: run as plain Python they reach goals that are written in Python.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limbik.errors import FigureError, MethodError
from limbik.figure.layout import N_COORDS, N_ROWS
from limbik.jit import kernel, kernel_part
from limbik.maths.linear import cholesky, copy, dot
from limbik.methods.workspace import floats_taken, take, take_table
from limbik.solver.objective import evaluate, linearise
from limbik.solver.problem import Problem

CRITERIA = ("manipulability", "limits", "rest")

_FLOOR = 1e-4  # δ of ``spread``, a part of ‖J‖: how flat g is where J lacks rank
_APART = 1e-4  # rad, or that part of the lever: how far apart differences are taken


class Criterion(NamedTuple):
    """A criterion and room to work it out; ``view_criterion`` makes it."""

    pose: bool  # g = Σ w(q − centre)²; otherwise the manipulability
    floor: float  # δ², where J is weighed
    centre: np.ndarray  # (n,)
    weight: np.ndarray  # (n,) w
    apart: np.ndarray  # (n,) how far apart differences are taken; 0 where q must stay
    probe: np.ndarray  # (n,) a pose nearby
    r: np.ndarray  # (rows,)
    model: np.ndarray  # (rows,)
    jt: np.ndarray  # (n, rows)
    gram: np.ndarray  # (side, side) of the smaller of JJᵀ and JᵀJ


def criterion_table(
    name: str, criterion: str, pose: Sequence[float] | np.ndarray | None, problem: Problem
) -> list[float]:
    """2 + 3n numbers for ``view_criterion``.

    "limits": Σ((q − mid)/range)², without coordinates that have no range on both sides (a cone
    counts as its bounding range).  "rest": Σ(q − pose)², the figure's rest pose unless given,
    slides in units of a quarter of the figure's size.  "manipulability": −log √det(JJᵀ + δ²I), the
    logarithm of Yoshikawa's measure, with δ so small that it matters at a singular pose only.
    """
    figure, lever = problem.figure, problem.scene.lever
    centre, weight = np.zeros(figure.n), np.zeros(figure.n)
    if criterion == "limits":
        bounded = np.isfinite(figure.upper) & np.isfinite(figure.lower)
        bounded &= (figure.upper > figure.lower) & problem.moves
        lower, upper = figure.lower[bounded], figure.upper[bounded]
        weight[bounded] = 1.0 / (upper - lower) ** 2
        centre[bounded] = 0.5 * (lower + upper)
    elif criterion == "rest":
        try:
            centre = figure.rest.copy() if pose is None else figure.single_pose(pose, "pose")
        except FigureError as error:
            raise MethodError(f"{name}: {error}") from None
        weight = np.where(figure.slides, 1.0 / lever**2, 1.0) * problem.moves
    floor = float((problem.jacobian(problem.start) ** 2).sum()) if problem.rows else 1.0
    apart = np.where(figure.slides, lever, 1.0) * problem.moves * _APART
    return [
        criterion != "manipulability",
        _FLOOR**2 * (floor if floor > 0.0 else 1.0),
        *centre,
        *weight,
        *apart,
    ]


@kernel_part
def view_criterion(ints, table, work):
    """table (2 + 3n,) of ``criterion_table`` and work -> Criterion, and what is left."""
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    side, by_n = min(n, rows), table[2 : 2 + 3 * n].reshape(3, n)
    probe, work = take(work, n)
    by_row, work = take_table(work, 2, rows)
    jt, work = take_table(work, n, rows)
    gram, work = take_table(work, side, side)
    return Criterion(
        table[0] > 0.0, table[1], by_n[0], by_n[1], by_n[2], probe, by_row[0], by_row[1], jt, gram
    ), work


def criterion_size(problem: Problem) -> int:
    """Floats of work that ``view_criterion`` needs."""
    return floats_taken(view_criterion, problem.ints, np.zeros(2 + 3 * problem.figure.n))


@kernel
def spread(jt, floor, gram):
    """−log √det(JJᵀ + δ²I) from jt (n, rows) and floor = δ²: how near J is to lacking rank.

    With more rows than coordinates JᵀJ takes the place of JJᵀ, which differs by a constant only.
    """
    n, rows = jt.shape
    side = len(gram)
    for i in range(side):
        for k in range(i + 1):
            total = 0.0
            if rows <= n:
                for c in range(n):
                    total += jt[c, i] * jt[c, k]
            else:
                total = dot(jt[i], jt[k], rows)
            gram[i, k] = total
        gram[i, i] += floor
    if not cholesky(gram, side):
        return math.inf
    g = 0.0
    for i in range(side):
        g += math.log(gram[i, i])  # the diagonal keeps 1/Lᵢᵢ
    return g


@kernel
def distance(criterion, q):
    """g = Σ w(q − centre)², without a unit; q (n,)."""
    total = 0.0
    for c in range(len(q)):
        away = q[c] - criterion.centre[c]
        total += criterion.weight[c] * away * away
    return total


@kernel_part
def value_of(ints, floats, q, state, criterion):
    """g(q); state is overwritten unless it is that of q."""
    if criterion.pose:
        return distance(criterion, q)
    evaluate(ints, floats, q, state, criterion.r)
    linearise(ints, floats, q, state, criterion.r, criterion.jt, criterion.model)
    return spread(criterion.jt, criterion.floor, criterion.gram)


@kernel_part
def gradient_of(ints, floats, q, state, criterion, out):
    """∇g(q) into out (n,), by central differences where g is the manipulability."""
    probe, apart = criterion.probe, criterion.apart
    copy(q, len(q), probe)
    for c in range(len(q)):
        if criterion.pose:
            out[c] = 2.0 * criterion.weight[c] * (q[c] - criterion.centre[c])
        elif apart[c] > 0.0:
            probe[c] = q[c] + apart[c]
            above = value_of(ints, floats, probe, state, criterion)
            probe[c] = q[c] - apart[c]
            below = value_of(ints, floats, probe, state, criterion)
            out[c] = (above - below) / (2.0 * apart[c])
            probe[c] = q[c]
        else:
            out[c] = 0.0


@kernel_part
def hessian_of(ints, floats, q, state, criterion, out):
    """∇²g(q) into out (n, n), by central differences where g is the manipulability."""
    probe, apart = criterion.probe, criterion.apart
    out[:, :] = 0.0
    copy(q, len(q), probe)
    for a in range(len(q)):
        if criterion.pose:
            out[a, a] = 2.0 * criterion.weight[a]
            continue
        for b in range(a + 1):
            if apart[a] == 0.0 or apart[b] == 0.0:
                continue
            total = 0.0
            for corner in range(4):
                up, right = 1.0 - 2.0 * (corner // 2), 1.0 - 2.0 * (corner % 2)
                probe[a] += up * apart[a]
                probe[b] += right * apart[b]
                total += up * right * value_of(ints, floats, probe, state, criterion)
                probe[a], probe[b] = q[a], q[b]
            out[a, b] = total / (4.0 * apart[a] * apart[b])
            out[b, a] = out[a, b]
