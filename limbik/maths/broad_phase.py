"""Which pairs of solids can be near each other at all: quick tests before exact distances.

Arrays as in distance.py; nothing is allocated.
"""

from __future__ import annotations

import math

from limbik.jit import kernel
from limbik.maths.cores import CYLINDER, HALF_SPACE


@kernel
def bounding_radii(kinds, sizes, out):
    """The radius of the ball around each solid into ``out`` (shapes,); inf for a half-space."""
    for i in range(kinds.shape[0]):
        x, y, z = sizes[i, 0], sizes[i, 1], sizes[i, 2]
        if kinds[i] == CYLINDER:
            y = 0.0
        core = math.sqrt(x * x + y * y + z * z)
        out[i] = math.inf if kinds[i] == HALF_SPACE else core + sizes[i, 3]


@kernel
def near_pairs(pairs, poses, radii, margin, found):
    """Of ``pairs`` (k, 2) those whose bounding balls come nearer than ``margin``, into ``found``
    (k, 2); returns how many.  For a figure, whose pairs are known beforehand."""
    count = 0
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        dx = poses[i, 9] - poses[j, 9]
        dy = poses[i, 10] - poses[j, 10]
        dz = poses[i, 11] - poses[j, 11]
        reach = radii[i] + radii[j] + margin
        if dx * dx + dy * dy + dz * dz < reach * reach:
            found[count, 0], found[count, 1] = i, j
            count += 1
    return count


@kernel
def bounds(kinds, sizes, poses, margin, low, high):
    """The box along the world's axes around each solid, wider by half the margin, into ``low`` and
    ``high`` (shapes, 3)."""
    for i in range(kinds.shape[0]):
        for k in range(3):
            reach = sizes[i, 3] + 0.5 * margin
            for m in range(3):
                reach += abs(poses[i, 3 * k + m]) * sizes[i, m]
            if kinds[i] == HALF_SPACE:
                reach = math.inf
            low[i, k], high[i, k] = poses[i, 9 + k] - reach, poses[i, 9 + k] + reach


@kernel
def sweep_and_prune(low, high, order, axis, found):
    """The pairs whose boxes overlap, into ``found`` (most, 2); returns how many there are.

    That may be more than fit.

    order: (shapes,) indices, sorted here by ``low`` along ``axis``.  From one pose to the next they
    are nearly sorted already, and an insertion sort takes about one step for each.
    """
    n, most = order.shape[0], found.shape[0]
    for k in range(1, n):
        own = order[k]
        m = k
        while m > 0 and low[order[m - 1], axis] > low[own, axis]:
            order[m] = order[m - 1]
            m -= 1
        order[m] = own
    second, third = (axis + 1) % 3, (axis + 2) % 3
    count = 0
    for k in range(n):
        i = order[k]
        for m in range(k + 1, n):
            j = order[m]
            if low[j, axis] > high[i, axis]:
                break
            if low[j, second] > high[i, second] or low[i, second] > high[j, second]:
                continue
            if low[j, third] > high[i, third] or low[i, third] > high[j, third]:
                continue
            if count < most:
                found[count, 0], found[count, 1] = min(i, j), max(i, j)
            count += 1
    return count
