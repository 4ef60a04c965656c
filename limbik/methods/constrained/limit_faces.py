"""The faces of a box of limits, one after another: which coordinates are set to which limit.

A face of k coordinates is a list of k numbers, 2c for coordinate c at its lower limit and 2c + 1 at
its upper one, in rising order of c.  A box of n ranges has C(n, k)·2ᵏ of them, 3ⁿ for all k.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.figure.layout import F_LOWER, F_REST, F_UPPER, I_IN_CONE, I_RUN_FIRST, N_COORDS, NONE
from limbik.jit import kernel


@kernel
def possible_faces(ints, floats, possible):
    """possible (2n,): 1 where a coordinate that a goal feels has such a limit, else 0."""
    first = ints[I_RUN_FIRST]
    for c in range(np.int64(ints[N_COORDS])):
        low, high = floats[ints[F_LOWER] + c], floats[ints[F_UPPER] + c]
        felt = ints[first + c] < ints[first + c + 1] or floats[ints[F_REST] + c] > 0.0
        range_ = ints[ints[I_IN_CONE] + c] == NONE and low < high and felt
        possible[2 * c] = range_ and low > -math.inf
        possible[2 * c + 1] = range_ and high < math.inf


@kernel
def _fill(possible, chosen, begin, number, count):
    """The first face whose entries from ``begin`` on are at least ``number``; False if none."""
    for k in range(begin, count):
        while number < len(possible) and possible[number] == 0.0:
            number += 1
        if number >= len(possible):
            return False
        chosen[k] = number
        number = 2 * (number // 2) + 2
    return True


@kernel
def first_face(possible, chosen, count):
    """The first face of ``count`` coordinates into chosen (count or more,); False if none."""
    return _fill(possible, chosen, 0, 0, count)


@kernel
def next_face(possible, chosen, count):
    """The face that follows ``chosen``, in place; False after the last."""
    for k in range(count - 1, -1, -1):
        if _fill(possible, chosen, k, int(chosen[k]) + 1, count):
            return True
    return False
