"""What it costs to place joints by matrices, by quaternions and by dual quaternions.

The same few functions are run twice: on numbers that count what is done with them, and compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba.extending import register_jitable

from limbik.jit import kernel
from limbik.papers.contract import Table
from limbik.papers.machine import thread_clock

KINDS: tuple[str, ...] = ("matrices", "quaternions", "dual quaternions")
CASES = ("hinge about any axis", "hinge about a frame's axis", "ball of three turns (ZYZ)")
"""Joints that are placed; an axis of a frame has zeros that spare operations."""

JOINTS = 31
"""Joints of the chain that is timed: as many as a body of the CMU database has."""

_ROUNDS, _TIMES = 5, 2000


@register_jitable
def matrix_product(a, b):
    """3×3 · 3×3, row-major."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@register_jitable
def matrix_apply(a, v):
    """3×3 · vector."""
    return (
        a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
        a[3] * v[0] + a[4] * v[1] + a[5] * v[2],
        a[6] * v[0] + a[7] * v[1] + a[8] * v[2],
    )


@register_jitable
def matrix_of_turn(axis, c, s):
    """Rodrigues' formula for a unit axis, given cosine and sine of the angle."""
    x, y, z = axis
    t = 1.0 - c
    tx, ty, tz = t * x, t * y, t * z
    sx, sy, sz = s * x, s * y, s * z
    txy, txz, tyz = tx * y, tx * z, ty * z
    return (tx * x + c, txy - sz, txz + sy, txy + sz, ty * y + c, tyz - sx, txz - sy, tyz + sx,
            tz * z + c)  # fmt: skip


@register_jitable
def quaternion_product(a, b):
    """wxyz · wxyz."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@register_jitable
def quaternion_apply(q, v):
    """v + w·t + u × t with t = 2u × v: the cheapest way to turn one vector by a quaternion."""
    w, x, y, z = q
    a, b, c = y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]
    a, b, c = a + a, b + b, c + c
    return (
        v[0] + w * a + (y * c - z * b),
        v[1] + w * b + (z * a - x * c),
        v[2] + w * c + (x * b - y * a),
    )


@register_jitable
def quaternion_of_turn(axis, c, s):
    """A unit quaternion, given cosine and sine of half the angle."""
    return (c, s * axis[0], s * axis[1], s * axis[2])


@register_jitable
def dual_product(a, b, c, d):
    """(a + εb)(c + εd) for quaternions: the real part and the dual part."""
    first, second = quaternion_product(a, d), quaternion_product(b, c)
    dual = (
        first[0] + second[0], first[1] + second[1], first[2] + second[2], first[3] + second[3],
    )  # fmt: skip
    return quaternion_product(a, c), dual


@register_jitable
def dual_of(q, offset):
    """The dual part ½(0, offset)·q of a turn q that is then moved by ``offset``."""
    x, y, z = 0.5 * offset[0], 0.5 * offset[1], 0.5 * offset[2]
    return (
        -x * q[1] - y * q[2] - z * q[3],
        x * q[0] + y * q[3] - z * q[2],
        y * q[0] + z * q[1] - x * q[3],
        z * q[0] + x * q[2] - y * q[1],
    )


@register_jitable
def place_of(real, dual):
    """The vector part of 2·dual·real*: where a dual quaternion moves the origin to."""
    w, x, y, z = real
    a, b, c, d = dual[0] + dual[0], dual[1] + dual[1], dual[2] + dual[2], dual[3] + dual[3]
    return (
        b * w - a * x - c * z + d * y,
        c * w - a * y + b * z - d * x,
        d * w - a * z - b * y + c * x,
    )


@dataclass
class Tally:
    """Multiplications and additions that were done."""

    multiplications: int = 0
    additions: int = 0

    @property
    def total(self) -> int:
        return self.multiplications + self.additions


@dataclass(frozen=True)
class Counted:
    """A number that counts what is done with it; a known 0 or 1 spares the operation."""

    value: float
    tally: Tally = field(repr=False)
    known: bool = False
    """Whether the value is known when the code is written, as a 0 in a frame's axis is."""

    def _with(self, other: Any) -> tuple[float, bool]:
        if isinstance(other, Counted):
            return other.value, other.known
        return float(other), True

    def __mul__(self, other: Any) -> Counted:
        value, known = self._with(other)
        plain = (self.known and self.value in (0.0, 1.0, -1.0)) or (
            known and value in (0.0, 1.0, -1.0)
        )
        if not plain and not (self.known and known):
            self.tally.multiplications += 1
        zero = (self.known and self.value == 0.0) or (known and value == 0.0)
        return Counted(self.value * value, self.tally, zero or (self.known and known))

    def _plus(self, other: Any, sign: float) -> Counted:
        value, known = self._with(other)
        plain = (self.known and self.value == 0.0) or (known and value == 0.0)
        if not plain and not (self.known and known):
            self.tally.additions += 1
        return Counted(self.value + sign * value, self.tally, self.known and known)

    def __add__(self, other: Any) -> Counted:
        return self._plus(other, 1.0)

    def __sub__(self, other: Any) -> Counted:
        return self._plus(other, -1.0)

    def __rsub__(self, other: Any) -> Counted:
        return Counted(float(other), self.tally, True)._plus(self, -1.0)

    def __neg__(self) -> Counted:
        return Counted(-self.value, self.tally, self.known)

    __rmul__, __radd__ = __mul__, __add__


def _turns(case: str) -> list[tuple[float, float, float]]:
    if case == CASES[0]:
        return [(0.48, 0.6, 0.64)]
    return [(0.0, 0.0, 1.0)] if case == CASES[1] else [(0, 0, 1), (0, 1, 0), (0, 0, 1)]


def count(kind: str, case: str, *, axes: bool) -> tuple[Tally, np.ndarray]:
    """(operations, place) of a joint below its parent; ``axes`` also turns the joint's axes.

    Sines and cosines, which all need alike, are not counted; nor is a sign.
    """
    tally = Tally()

    def number(value: float) -> Counted:
        return Counted(float(value), tally, value in (0, 1, -1))

    angles, above = (0.7, -0.4, 1.1), (0.36, 0.48, 0.8)
    offset = tuple(number(v) for v in (0.3, -0.2, 0.5))
    parent = tuple(number(v) for v in (1.1, 0.2, -0.4))
    half = tuple(map(number, quaternion_of_turn(above, math.cos(0.45), math.sin(0.45))))
    whole = tuple(map(number, matrix_of_turn(above, math.cos(0.9), math.sin(0.9))))
    axis_vectors = [tuple(map(number, axis)) for axis in _turns(case)]
    if kind == "matrices":
        turn, moved = whole, matrix_apply(whole, offset)
        place = tuple(a + b for a, b in zip(parent, moved, strict=True))
        for axis, angle in zip(axis_vectors, angles, strict=False):
            if axes:
                matrix_apply(turn, axis)
            c, s = number(math.cos(angle)), number(math.sin(angle))
            turn = matrix_product(turn, matrix_of_turn(axis, c, s))
    else:
        turn, local = half, None
        for axis, angle in zip(axis_vectors, angles, strict=False):
            if axes and kind == "dual quaternions" and local is not None:
                turn = quaternion_product(half, local)
            if axes:
                quaternion_apply(turn, axis)
            c, s = number(math.cos(angle / 2)), number(math.sin(angle / 2))
            part = quaternion_of_turn(axis, c, s)
            if kind == "quaternions":
                turn = quaternion_product(turn, part)
            else:
                local = part if local is None else quaternion_product(local, part)
        if kind == "quaternions":
            moved = quaternion_apply(half, offset)
            place = tuple(a + b for a, b in zip(parent, moved, strict=True))
        else:
            # The parent's dual part is there already, so it is made from uncounted numbers.
            plain = tuple(v.value for v in half)
            dual = tuple(map(number, dual_of(plain, tuple(v.value for v in parent))))
            assert local is not None
            place = place_of(*dual_product(half, dual, local, dual_of(local, offset)))
    return tally, np.array([v.value for v in place])


@kernel
def place_by_matrices(axes, offsets, angles, out):
    """out (joints, 3): a chain's joints, each turned about its axis, by matrices."""
    turn, at = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    for j in range(len(angles)):
        moved = matrix_apply(turn, (offsets[j, 0], offsets[j, 1], offsets[j, 2]))
        at = (at[0] + moved[0], at[1] + moved[1], at[2] + moved[2])
        axis = (axes[j, 0], axes[j, 1], axes[j, 2])
        part = matrix_of_turn(axis, math.cos(angles[j]), math.sin(angles[j]))
        turn = matrix_product(turn, part)
        out[j, 0], out[j, 1], out[j, 2] = at[0], at[1], at[2]


@kernel
def place_by_quaternions(axes, offsets, angles, out):
    """The same by quaternions."""
    turn, at = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(len(angles)):
        moved = quaternion_apply(turn, (offsets[j, 0], offsets[j, 1], offsets[j, 2]))
        at = (at[0] + moved[0], at[1] + moved[1], at[2] + moved[2])
        axis = (axes[j, 0], axes[j, 1], axes[j, 2])
        part = quaternion_of_turn(axis, math.cos(angles[j] / 2), math.sin(angles[j] / 2))
        turn = quaternion_product(turn, part)
        out[j, 0], out[j, 1], out[j, 2] = at[0], at[1], at[2]


@kernel
def place_by_dual_quaternions(axes, offsets, angles, out):
    """The same by dual quaternions."""
    real, dual = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
    for j in range(len(angles)):
        axis = (axes[j, 0], axes[j, 1], axes[j, 2])
        part = quaternion_of_turn(axis, math.cos(angles[j] / 2), math.sin(angles[j] / 2))
        move = dual_of(part, (offsets[j, 0], offsets[j, 1], offsets[j, 2]))
        real, dual = dual_product(real, dual, part, move)
        at = place_of(real, dual)
        out[j, 0], out[j, 1], out[j, 2] = at[0], at[1], at[2]


PLACED_BY: dict[str, Callable[..., None]] = dict(
    zip(KINDS, (place_by_matrices, place_by_quaternions, place_by_dual_quaternions), strict=True)
)


def timed(seed: int) -> tuple[dict[str, float], float]:
    """(seconds that a joint of a chain takes, by kind; how far apart the kinds place it)."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(JOINTS, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    offsets, angles = rng.normal(size=(JOINTS, 3)), rng.uniform(-2.0, 2.0, JOINTS)
    clock, seconds, places = thread_clock(), {}, {}
    for kind, place in PLACED_BY.items():
        out = np.empty((JOINTS, 3))
        place(axes, offsets, angles, out)  # compiles
        rounds = []
        for _ in range(_ROUNDS):
            began = clock()
            for _ in range(_TIMES):
                place(axes, offsets, angles, out)
            rounds.append((clock() - began) / (_TIMES * JOINTS))
        seconds[kind], places[kind] = min(rounds), out
    apart = max(float(np.abs(out - places[KINDS[0]]).max()) for out in places.values())
    return seconds, apart


def counts() -> dict[str, dict[str, int]]:
    """Operations a joint, by case (its places alone, or its axes too) and by kind."""
    found = {}
    for case in CASES:
        for axes, name in ((False, case), (True, f"{case}, and its axes")):
            found[name] = {kind: count(kind, case, axes=axes)[0].total for kind in KINDS}
    return found


def cost_table(found: dict[str, dict[str, int]]) -> Table:
    """The operations, for people."""
    return Table(
        "Multiplications and additions a joint",
        ["joint", *KINDS],
        [[case, *row.values()] for case, row in found.items()],
        "To place a joint below its parent. Sines, cosines and signs are not counted, nor are "
        "operations with a 0 or 1 that is known when the code is written. The axes of a joint in "
        "the world are what the Jacobian needs.",
    )
