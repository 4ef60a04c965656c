"""Rows that a solve must not change, for goals of higher priority: f of the augmented Lagrangian.

A held row i enters f as ρ(rᵢ − cᵢ + sᵢ)², where cᵢ is what it was, s the multipliers and ρ a weight
(held_lm.py moves both); rows of the level that is solved for enter as they are.  Without held rows
(None) these functions are those of solver/objective.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.layout import F_REST, F_REST_OFFSET, F_REST_POSE, N_COORDS, N_ROWS
from limbik.jit import inlined_by_llvm
from limbik.solver.objective import curvature, evaluate, linearise, reached


class HeldRows(NamedTuple):
    """What becomes of each row: scale·(row + shift)."""

    scale: np.ndarray  # (rows,)
    shift: np.ndarray  # (rows,)
    keep: np.ndarray  # (rows,) c: what a held row was
    per_unit: np.ndarray  # (rows,) from a held row to its goal's own unit; 0 for others
    raw: np.ndarray  # (rows,) the rows as the goals give them, at the pose evaluated last
    other: np.ndarray  # (rows,) scratch
    tight: float  # held rows may differ from c by this, in their goals' units
    asks: bool  # whether the level has goals with a tolerance
    restores: bool  # whether only the held rows count


@inlined_by_llvm
def change(held):
    """The largest |rᵢ − cᵢ| of the held rows at the pose evaluated last, in their goals' units."""
    most = 0.0
    for i in range(len(held.raw)):
        most = max(most, abs(held.raw[i] - held.keep[i]) * held.per_unit[i])
    return most


@inlined_by_llvm
def evaluate_with(ints, floats, q, state, r, held):
    """``evaluate``, with the held rows as they count."""
    if held is None:
        return evaluate(ints, floats, q, state, r)
    evaluate(ints, floats, q, state, held.raw)
    f = floats[ints[F_REST_OFFSET]]
    for i in range(ints[N_ROWS]):
        r[i] = held.scale[i] * (held.raw[i] + held.shift[i])
        f += r[i] * r[i]
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    for c in range(ints[N_COORDS]):
        away = q[c] - floats[pose + c]
        f += floats[weight + c] * away * away
    return f


@inlined_by_llvm
def linearise_with(ints, floats, q, state, r, jt, model, held):
    """``linearise``, with the held rows as they count; they never aim around half a turn."""
    detour = linearise(ints, floats, q, state, r, jt, model)
    if held is not None:
        detour = False
        for i in range(ints[N_ROWS]):
            if held.per_unit[i] > 0.0 or held.scale[i] == 0.0:
                model[i] = r[i]
            detour = detour or model[i] != r[i]
        for c in range(ints[N_COORDS]):
            for i in range(ints[N_ROWS]):
                jt[c, i] *= held.scale[i]
    return detour


@inlined_by_llvm
def curvature_with(ints, floats, q, state, r, lam, moments, torques, columns, s, held):
    """``curvature``, with the held rows as they count."""
    if held is None:
        curvature(ints, floats, q, state, r, lam, moments, torques, columns, s)
    else:
        for i in range(ints[N_ROWS]):
            held.other[i] = held.scale[i] * r[i]
        curvature(ints, floats, q, state, held.other, lam, moments, torques, columns, s)


@inlined_by_llvm
def reached_with(ints, floats, state, held):
    """``reached``, and whether the held rows are what they were."""
    if held is None:
        return reached(ints, floats, state)
    if change(held) > held.tight or math.isnan(held.raw.sum()):
        return False
    return held.restores or (held.asks and reached(ints, floats, state))
