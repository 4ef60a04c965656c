"""CompiledGoal: a goal that a user writes as Numba functions, as fast as the built-in ones."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from limbik.errors import GoalError
from limbik.figure.kinematics import N_COORDS, WORLD
from limbik.goals.kernels.functions import (
    OWN_JOINTS,
    OWN_NUMBERS,
    TermFunctions,
    add_motion_row,
    open_floats,
    open_ints,
    own_joint,
    own_numbers,
    term_function,
)
from limbik.goals.priority import Prioritized
from limbik.goals.terms import (
    FUNCTION,
    N_ROWS,
    NUMBERS,
    T_COUNT,
    T_OWN_INTS,
    T_WEIGHT,
    Scene,
    TargetWrite,
    Term,
    joint_index,
    joint_name,
    one_weight,
)
from limbik.jit import inner

_STEP = 1e-6  # of a difference: rad, or this part of a length of 1


@dataclass(frozen=True, eq=False, repr=False)
class CompiledGoal(Prioritized):
    """A goal of your own in Numba: f gains weight·‖residual‖², and 0 means that the goal is met.

    ``residual(q, frames, data, r)`` writes ``rows`` numbers to r (rows,).  q (n,) is the pose,
    frames (k, 3, 4) the world frames [R | p] of the joints named in ``joints``, in their order, and
    data (m,) your own numbers, which may differ by problem or frame (``solve_many``, ``track``).
    ``jacobian(q, frames, data, by_frame, by_q)`` adds the derivatives to arrays that hold zeros:
    by_frame (rows, k, 6) with respect to a motion of each joint's origin along the world's x, y, z
    and a turn of the joint about them (rad), and by_q (rows, n) with respect to q itself; limbik
    takes the derivatives on to the joint values.  Without it they are made by differences.

    Both are Numba functions (plain ones are compiled) that must not raise.  The goal counts as
    reached when no entry is larger than ``tolerance``.  Compiling takes about a second the first
    time in a process; after that a call costs what its arithmetic costs.

    >>> def level(q, frames, data, r):  # both hands at one height
    ...     r[0] = frames[0, 1, 3] - frames[1, 1, 3]
    >>> hands = CompiledGoal(level, joints=["LeftHand", "RightHand"], name="level hands")
    >>> lift = limbik.Reach("LeftHand", position=[0.4, 1.5, 0.2])
    >>> limbik.solve(fig, [lift, hands]).ok
    True
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"data": None}

    residual: Callable[..., Any]
    jacobian: Callable[..., Any] | None = None
    joints: Sequence[str] = field(default=(), kw_only=True)
    data: Any = field(default=(), kw_only=True)
    rows: int = field(default=1, kw_only=True)
    weight: float = field(default=1.0, kw_only=True)
    tolerance: float = field(default=1e-4, kw_only=True)
    name: str = field(default="goal", kw_only=True)

    def __post_init__(self) -> None:
        for what, function in (("residual", self.residual), ("jacobian", self.jacobian)):
            if function is not None and not callable(function):
                raise GoalError(f"{self.name}: {what} must be a function, got {function!r}")
        if isinstance(self.joints, str):
            object.__setattr__(self, "joints", (self.joints,))
        for joint in self.joints:
            joint_name(joint, self.name)
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or self.rows < 1:
            raise GoalError(f"{self.name}: rows must be a whole number above 0, got {self.rows!r}")
        if not isinstance(self.tolerance, int | float) or not self.tolerance >= 0:
            raise GoalError(f"{self.name}: tolerance {self.tolerance!r} is negative or NaN")

    @property
    def label(self) -> str:
        return self.name

    def terms(self, scene: Scene) -> list[Term]:
        figure = scene.figure
        joints = tuple(joint_index(figure, joint, self.name) for joint in self.joints)
        try:
            numbers = np.array(self.data, dtype=float)
        except (TypeError, ValueError):
            raise GoalError(f"{self.name}: data needs numbers, got {self.data!r}") from None
        if numbers.ndim != 1 or not np.isfinite(numbers).all():
            raise GoalError(f"{self.name}: data needs a row of finite numbers, got {self.data!r}")
        diagonal = one_weight(self.weight, self.name)
        residual, jacobian = compiled_pair(self.residual, self.jacobian)
        try:
            addresses = residual.address, jacobian.address
        except NumbaError as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            said = lines[0] if lines else "no reason is given"
            raise GoalError(f"{self.name}: Numba cannot compile it: {said}") from error
        functions = TermFunctions(
            self.rows,
            *addresses,
            joints,
            numbers,
            direct=True,
            room=12 * len(joints) + (1 + 6 * len(joints) + figure.n) * self.rows + figure.n,
            tolerance=float(self.tolerance),
            keep=(residual, jacobian),
        )
        return [Term(FUNCTION, -1, weight=diagonal, functions=functions)]

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[TargetWrite]:
        return [TargetWrite(0, NUMBERS, tables["data"])]


_compiled: weakref.WeakKeyDictionary[Any, dict[int, tuple[Any, Any]]] = weakref.WeakKeyDictionary()


def compiled_pair(residual: Any, jacobian: Any) -> tuple[Any, Any]:
    """(residual, Jacobian) of a user as TERM_FUNCTIONs, compiled once per pair of functions."""
    known = _compiled.setdefault(residual, {})
    if id(jacobian) not in known:
        compiled = residual if isinstance(residual, Dispatcher) else njit(residual)
        if jacobian is None:
            derivative = _by_differences(compiled)
        else:
            derivative = jacobian if isinstance(jacobian, Dispatcher) else njit(jacobian)
        known[id(jacobian)] = (_as_residual(compiled), _as_jacobian(derivative))
    return known[id(jacobian)]


@inner
def _gather(ints, floats, world, i, room):
    """Write the world frames [R | p] of the term's joints to floats[room:], 12 numbers each."""
    for k in range(ints[ints[i + T_OWN_INTS] + OWN_JOINTS]):
        joint, _, _ = own_joint(ints, i, k)
        w, at = WORLD * joint, room + 12 * k
        for row in range(3):
            for column in range(3):
                floats[at + 4 * row + column] = world[w + 3 * row + column]
            floats[at + 4 * row + 3] = world[w + 9 + row]


@inner
def _copy_pose(q, n, floats, at):
    """A copy of q (n,) in floats[at:], so that a user's function cannot change the solver's."""
    for c in range(n):
        floats[at + c] = q[c]
    return floats[at : at + n]


def _as_residual(residual: Any) -> Any:
    @partial(term_function, compile=njit)
    def call(ints_at, floats_at, q_at, world_at, axes_at, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
        ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
        out, error = open_floats(out_at), open_floats(error_at)
        numbers, room = own_numbers(ints, i)
        k, count = np.int64(ints[ints[i + T_OWN_INTS] + OWN_JOINTS]), np.int64(ints[i + T_COUNT])
        n, m = np.int64(ints[N_COORDS]), np.int64(ints[ints[i + T_OWN_INTS] + OWN_NUMBERS])
        _gather(ints, floats, world, i, room)
        q = _copy_pose(open_floats(q_at), n, floats, room + 12 * k + count)
        values = floats[room + 12 * k : room + 12 * k + count]
        values[:] = 0.0
        frames = floats[room : room + 12 * k].reshape((k, 3, 4))
        residual(q, frames, floats[numbers : numbers + m], values)
        largest = 0.0
        for c in range(count):
            out[row + c] = -floats[f + T_WEIGHT] * values[c]
            away = abs(values[c])
            if not away <= largest:
                largest = away if away == away else math.inf
        error[0] = largest

    return call


def _as_jacobian(jacobian: Any) -> Any:
    @partial(term_function, compile=njit)
    def call(ints_at, floats_at, q_at, world_at, axes_at, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
        ints, floats, world = open_ints(ints_at), open_floats(floats_at), open_floats(world_at)
        axes, jt = open_floats(axes_at), open_floats(out_at)
        numbers, room = own_numbers(ints, i)
        k, count = np.int64(ints[ints[i + T_OWN_INTS] + OWN_JOINTS]), np.int64(ints[i + T_COUNT])
        n, m = np.int64(ints[N_COORDS]), np.int64(ints[ints[i + T_OWN_INTS] + OWN_NUMBERS])
        _gather(ints, floats, world, i, room)
        at = room + 12 * k + count
        q = _copy_pose(open_floats(q_at), n, floats, at)
        at += n
        floats[at : at + (6 * k + n) * count] = 0.0
        by_frame = floats[at : at + 6 * k * count].reshape((count, k, 6))
        at += 6 * k * count
        by_q = floats[at : at + n * count].reshape((count, n))
        frames = floats[room : room + 12 * k].reshape((k, 3, 4))
        jacobian(q, frames, floats[numbers : numbers + m], by_frame, by_q)
        w, rows = floats[f + T_WEIGHT], np.int64(ints[N_ROWS])
        for c in range(count):
            for j in range(k):
                joint, path, length = own_joint(ints, i, j)
                p, d = WORLD * joint + 9, by_frame[c, j]
                add_motion_row(
                    ints, floats, axes, path, length, world[p], world[p + 1], world[p + 2],
                    w * d[0], w * d[1], w * d[2], w * d[3], w * d[4], w * d[5], row + c, jt,
                )  # fmt: skip
            for coordinate in range(n):
                jt[coordinate * rows + row + c] += w * by_q[c, coordinate]

    return call


def _by_differences(residual: Any) -> Any:
    """A Jacobian of central differences of the residual, frame by frame and number by number."""

    @njit
    def jacobian(q, frames, data, by_frame, by_q):  # type: ignore[no-untyped-def]
        ahead, behind, kept = np.zeros(len(by_q)), np.zeros(len(by_q)), np.empty((3, 4))
        for k in range(len(frames)):
            kept[:, :] = frames[k]
            for axis in range(6):
                for side in range(2):
                    h = _STEP if side == 0 else -_STEP
                    if axis < 3:
                        frames[k, axis, 3] = kept[axis, 3] + h
                    else:
                        one, two = (axis - 2) % 3, (axis - 1) % 3
                        cosine, sine = math.cos(h), math.sin(h)
                        for column in range(3):
                            x, y = kept[one, column], kept[two, column]
                            frames[k, one, column] = cosine * x - sine * y
                            frames[k, two, column] = sine * x + cosine * y
                    residual(q, frames, data, ahead if side == 0 else behind)
                    frames[k] = kept
                by_frame[:, k, axis] = (ahead - behind) / (2.0 * _STEP)
        for c in range(len(q)):
            at = q[c]
            q[c] = at + _STEP
            residual(q, frames, data, ahead)
            q[c] = at - _STEP
            residual(q, frames, data, behind)
            q[c] = at
            by_q[:, c] = (ahead - behind) / (2.0 * _STEP)

    return jacobian
