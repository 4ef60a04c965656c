"""CompiledGoal: a goal that a user writes as Numba functions, as fast as the built-in ones."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numba.np.numpy_support import carray

from limbik.errors import GoalError
from limbik.goals.kernels.functions import TermFunctions
from limbik.goals.priority import Prioritized
from limbik.goals.terms import (
    FUNCTION,
    NUMBERS,
    Scene,
    TargetWrite,
    Term,
    joint_index,
    joint_name,
    one_weight,
)
from limbik.goals.user.user_functions import (
    USER_TABLE,
    room_of,
    user_function,
    user_jacobian,
    user_residual,
)


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
    reached when no entry is larger than ``tolerance``.  Compiling takes about 0.3 s the first
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
        users = [as_user_function(self.residual, is_jacobian=False)]
        if self.jacobian is not None:
            users.append(as_user_function(self.jacobian, is_jacobian=True))
        table = np.zeros(USER_TABLE, np.int64)
        try:
            for k, user in enumerate(users):
                table[2 * k : 2 * k + 2] = user.address & 0xFFFFFFFF, user.address >> 32
        except NumbaError as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            reason = lines[0] if lines else "no reason is given"
            raise GoalError(f"{self.name}: Numba cannot compile it: {reason}") from error
        functions = TermFunctions(
            self.rows,
            user_residual.address,
            user_jacobian.address,
            joints,
            numbers,
            direct=True,
            room=room_of(self.rows, len(joints), figure.n),
            table=table,
            tolerance=float(self.tolerance),
            keep=users,
        )
        return [Term(FUNCTION, -1, weight=diagonal, functions=functions)]

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[TargetWrite]:
        return [TargetWrite(0, NUMBERS, tables["data"])]


_compiled: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def as_user_function(function: Any, is_jacobian: bool) -> Any:
    """A user's residual or Jacobian as a USER_FUNCTION, compiled once in a process."""
    known = _compiled.setdefault(function, {})
    if is_jacobian not in known:
        compiled = function if isinstance(function, Dispatcher) else njit(function)
        known[is_jacobian] = _jacobian_call(compiled) if is_jacobian else _residual_call(compiled)
    return known[is_jacobian]


def _residual_call(residual: Any) -> Any:
    @partial(user_function, compile=njit)
    def call(q, n, frames, k, data, m, rows, out, by_q):  # type: ignore[no-untyped-def]
        residual(
            carray(q, (n,)), carray(frames, (k, 3, 4)), carray(data, (m,)), carray(out, (rows,))
        )

    return call


def _jacobian_call(jacobian: Any) -> Any:
    @partial(user_function, compile=njit)
    def call(q, n, frames, k, data, m, rows, out, by_q):  # type: ignore[no-untyped-def]
        jacobian(
            carray(q, (n,)), carray(frames, (k, 3, 4)), carray(data, (m,)),
            carray(out, (rows, k, 6)), carray(by_q, (rows, n)),
        )  # fmt: skip

    return call
