"""Gauss–Seidel sweeps in threads, for linear systems with box limits that are large enough for it.

A parallel sweep is what dual_quaternion leaves to others (section XI).  Within a solve of a figure
it does not pay: threads meet after every colour, or after every sweep, and a meeting takes longer
than a whole sweep over a hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from limbik.errors import MethodError
from limbik.jit import kernel
from limbik.maths.linear import copy, dot
from limbik.methods.gauss_seidel.schedule import colors


@kernel
def sweep_members(a, b, x, lower, upper, members):
    """Algorithm 1 of dual_quaternion over some coordinates, clamped by equation 31, in place."""
    for k in range(len(members)):
        i = members[k]
        moved = x[i] + (b[i] - dot(a[i], x, len(x))) / a[i, i]
        x[i] = min(max(moved, lower[i]), upper[i])


@kernel
def sweep_blocks(a, b, x, own, lower, upper, members, first, landed):
    """One sweep over each of some blocks, all from x (n,): where they end, into landed (n,).

    Block k is members[first[k] : first[k + 1]]; ``own`` (n,) is for this thread alone.
    """
    copy(x, len(x), own)
    for block in range(len(first) - 1):
        some = members[first[block] : first[block + 1]]
        sweep_members(a, b, own, lower, upper, some)
        for k in range(len(some)):
            landed[some[k]], own[some[k]] = own[some[k]], x[some[k]]


def threaded_sweeps(
    a: np.ndarray,
    b: np.ndarray,
    *,
    lower: np.ndarray,
    upper: np.ndarray,
    groups: Sequence[np.ndarray],
    blocked: bool = False,
    threads: int = 2,
    sweeps: int = 100,
    change: float = 0.0,
) -> tuple[np.ndarray, int]:
    """Solve Ax = b, lower ≤ x ≤ upper, from 0: (x, sweeps done).

    ``a`` (n, n) is symmetric positive definite.  ``groups`` are indices of coordinates.  Unless
    ``blocked`` they are colours: no two coordinates of a group have A_ij ≠ 0, a group is shared out
    among the threads, and one group follows another; the answer is that of a sequential sweep, to
    the bit, for any number of threads.  With ``blocked`` they are blocks: all run at once from the
    same x, Gauss–Seidel within and Jacobi between, and 1/χ of their updates is taken, where χ
    colours keep coupled blocks apart (schedule.groups_of), so that it converges.  Ends after
    ``sweeps``, or where a sweep moves no coordinate by more than ``change``.

    >>> colours = [np.array([0, 2]), np.array([1])]
    >>> a = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> far = np.full(3, np.inf)
    >>> x, _ = threaded_sweeps(a, np.ones(3), lower=-far, upper=far, groups=colours)
    >>> x.round(6)
    array([1.5, 2. , 1.5])
    """
    if threads < 1:
        raise MethodError(f"threads must be at least 1, got {threads}")
    n = len(b)
    if sorted(int(i) for group in groups for i in group) != list(range(n)):
        raise MethodError(f"groups: each of the {n} coordinates must stand in one of them")
    a, b = np.ascontiguousarray(a, float), np.ascontiguousarray(b, float)
    low, high = np.ascontiguousarray(lower, float), np.ascontiguousarray(upper, float)
    x, before = np.zeros(n), np.empty(n)
    indices = [np.ascontiguousarray(group, np.int64) for group in groups]
    if not blocked:
        for group in indices:
            if np.count_nonzero(a[np.ix_(group, group)]) > len(group):
                raise MethodError("groups: two coordinates of one colour are coupled")
    parts = _blocks(indices, threads) if blocked else []
    share = _share(a, indices) if blocked else 1.0
    landed, own = np.empty(n), np.empty((threads, n))
    with ThreadPoolExecutor(threads) as pool:
        for done in range(1, sweeps + 1):
            before[:] = x
            if blocked:
                _all(pool, sweep_blocks, [
                    (a, b, x, own[k], low, high, *part, landed) for k, part in enumerate(parts)
                ])  # fmt: skip
                x += share * (landed - x)
            else:
                for group in indices:
                    chunks = [part for part in np.array_split(group, threads) if len(part)]
                    _all(pool, sweep_members, [(a, b, x, low, high, part) for part in chunks])
            if np.abs(x - before).max() <= change:
                return x, done
    return x, sweeps


def _all(pool: ThreadPoolExecutor, run: Any, calls: list[tuple]) -> None:
    """Run all calls at once, the first of them here, and wait for the others."""
    others = [pool.submit(run, *call) for call in calls[1:]]
    run(*calls[0])
    for other in others:
        other.result()


def _blocks(groups: list[np.ndarray], threads: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """(members, first of each block) for each thread, about as many coordinates for each."""
    ends = np.cumsum([len(group) for group in groups])
    thread = np.minimum((ends - 1) * threads // ends[-1], threads - 1)
    parts = [[g for g, k in zip(groups, thread, strict=True) if k == t] for t in range(threads)]
    return [
        (np.concatenate(part), np.cumsum([0, *map(len, part)]).astype(np.int64))
        for part in parts
        if part
    ]


def _share(a: np.ndarray, groups: list[np.ndarray]) -> float:
    """1/χ, χ colours being enough for blocks of one colour not to be coupled."""
    member = np.zeros((len(groups), len(a)))
    for k, group in enumerate(groups):
        member[k, group] = 1.0
    return 1.0 / (1 + int(colors(member @ (a != 0.0).astype(float) @ member.T > 0.0).max()))
