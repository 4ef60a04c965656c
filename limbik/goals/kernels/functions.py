"""Terms that are functions: a goal kind of its own file, called by its address.

Compiled methods know six kinds of rows (rows.py).  Any other goal gives a residual and a Jacobian
as compiled functions; a term in the flat buffers holds their addresses, so that methods are
compiled once, whatever goals there are, and a call costs a few nanoseconds.  Both functions have
the C signature TERM_FUNCTION:

    function(ints, floats, q, world, axes, i, f, row, out, error)

ints and floats are the problem's buffers, q (n,) the pose, world and axes what ``forward`` made of
it (kinematics.py), i and f where the term begins in the buffers, ``row`` its first row.  A residual
writes r = w·(g − F) to out[row:row + count] and the unweighted error to error[0]; a Jacobian adds
w·∂F/∂q to out (n, rows).

Rows of an inequality h ≤ 0 are r = w·max(0, h).  Where error[0] of its Jacobian is ASKED, a method
wants to know of rows that hold too, before a step runs into them: the Jacobian may then give them
all, and write w·h < 0 to error[1 + row] (``foresees``).  A goal for which that is much work does so
only for ANY_COST, after a step has been refused.

A third function may give second derivatives, with the C signature SECOND_FUNCTION:

    function(ints, floats, q, world, axes, i, f, row, lam, moments, torques, s)

It adds Σ lam[k]·∇²r_k over its rows to S, by moments and torques (slots, 3) for points that follow
joints (second_points.py) and to s (n, n) itself, both halves.  Without it the rows count as
straight in a Newton step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from llvmlite import ir
from numba import float64, int64, types, uint32, uint64
from numba.core.types.function_type import CompileResultWAP
from numba.extending import intrinsic

from limbik.compiling.notice import compile_notice
from limbik.figure.kinematics import point_column
from limbik.figure.layout import (
    AXIS,
    F_SCALE,
    I_COORD,
    I_SLOT_IS_ROTATION,
    N_ROWS,
    T_COUNT,
    T_JACOBIAN,
    T_OWN_FLOATS,
    T_OWN_INTS,
    T_RESIDUAL,
    T_ROW,
    T_SECOND,
)
from limbik.jit import array_at, inner, kernel, table_at

_FLOATS, _INTS = types.CPointer(float64), types.CPointer(uint32)
TERM_FUNCTION = types.void(
    _INTS, _FLOATS, _FLOATS, _FLOATS, _FLOATS, int64, int64, int64, _FLOATS, _FLOATS
)
SECOND_FUNCTION = types.void(
    _INTS, _FLOATS, _FLOATS, _FLOATS, _FLOATS, int64, int64, int64, _FLOATS, _FLOATS, _FLOATS,
    _FLOATS,
)  # fmt: skip

# A term's own ints: how many joints, numbers and locked coordinates; then for each joint its index,
# where its path begins and how long that is; then the locked coordinates; then the table.
OWN_JOINTS, OWN_NUMBERS, OWN_LOCKED, OWN_FIRST = range(4)
PER_JOINT = 3

ASKED, ANY_COST = 1.0, 2.0
"""Whether the Jacobian of inequalities that hold is wanted."""


@dataclass
class TermFunctions:
    """What a term of the kind FUNCTION is made of.

    rows:      how many rows it has
    residual:  the address of its residual, a TERM_FUNCTION
    jacobian:  the address of its Jacobian
    second:    the address of its second derivatives, a SECOND_FUNCTION, or 0
    joints:    indices of the joints it looks at; their frames are placed before it is called
    numbers:   (k,) numbers that both functions read, such as a target
    direct:    whether it reads q itself, and so may feel any coordinate
    room:      how many floats its functions may write to, after the numbers
    table:     ints that its functions read
    unit:      what its error is
    tolerance: how large the error may be; None: what the problem says for its unit
    one_sided: whether its rows are 0 as long as an inequality holds
    keep:      what must live as long as the addresses are called
    spans:     where each joint's path begins and how long it is, written by the layout
    failure:   what a Python function raised while it was called from a kernel
    """

    rows: int
    residual: int
    jacobian: int
    joints: tuple[int, ...] = ()
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0))
    direct: bool = False
    room: int = 0
    table: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    unit: Literal["length", "angle", "number"] = "number"
    tolerance: float | None = None
    one_sided: bool = False
    second: int = 0
    keep: Any = None
    spans: list[int] = field(default_factory=list)
    failure: BaseException | None = None

    @property
    def layout_key(self) -> tuple[object, ...]:
        """Equal for functions that lie in a problem's buffers in the same way."""
        return (
            self.rows, self.residual, self.jacobian, self.second, self.joints, len(self.numbers),
            self.direct, self.room, self.table.tobytes(),
        )  # fmt: skip


_borrowing = partial(kernel, borrows=True)
open_ints, open_floats, open_table = array_at, array_at, table_at
"""What pointers point to: ints and floats as arrays, floats as a table (rows, columns)."""


class term_function:
    """A function that is compiled as a TERM_FUNCTION when its ``address`` is first asked for.

    It gets pointers, which ``open_ints`` and ``open_floats`` make arrays of one dimension, and
    allocates nothing.  ``out`` of a Jacobian is flat too: the entry of coordinate c and row k is
    out[c·ints[N_ROWS] + k].
    ``compile`` is how: what ``jit.kernel`` compiles is kept on disk.
    """

    signature: Any = TERM_FUNCTION

    def __init__(self, function: Callable[..., None], compile: Any = _borrowing) -> None:
        self._kernel = compile(function)

    @cached_property
    def address(self) -> int:
        """Where the compiled function can be called."""
        with compile_notice():
            self._kernel.compile(self.signature)
        (compiled,) = self._kernel.overloads.values()
        self._kept = CompileResultWAP(compiled)
        return self._kept.__wrapper_address__()


class second_function(term_function):
    """A function that is compiled as a SECOND_FUNCTION in the same way."""

    signature = SECOND_FUNCTION


def call_with_data(context, builder, signature, args):  # type: ignore[no-untyped-def]
    """The call of the function at args[0], with the data of arrays and all else as it is."""
    values, kinds = [], []
    for value, kind in zip(args[1:], signature.args[1:], strict=True):
        if isinstance(kind, types.Array):
            value = context.make_array(kind)(context, builder, value).data
        values.append(value)
        kinds.append(value.type)
    function = ir.FunctionType(ir.VoidType(), kinds)
    builder.call(builder.inttoptr(args[0], function.as_pointer()), values)
    return context.get_dummy_value()


@intrinsic
def _call_at(typingctx, address, ints, floats, q, world, axes, i, f, row, out, error):  # type: ignore[no-untyped-def]
    """Call the TERM_FUNCTION at an address with the data of these arrays."""
    signature = types.void(uint64, ints, floats, q, world, axes, int64, int64, int64, out, error)
    return signature, call_with_data


@intrinsic
def _call_second_at(  # type: ignore[no-untyped-def]
    typingctx, address, ints, floats, q, world, axes, i, f, row, lam, moments, torques, s
):
    """Call the SECOND_FUNCTION at an address with the data of these arrays."""
    signature = types.void(
        uint64, ints, floats, q, world, axes, int64, int64, int64, lam, moments, torques, s
    )
    return signature, call_with_data


# Numba gives the first argument itself
_call: Any = _call_at
_call_second: Any = _call_second_at


@inner
def address_at(ints, at):
    """The address whose halves are at ints[at:at + 2]."""
    return uint64(ints[at]) | (uint64(ints[at + 1]) << uint64(32))


@inner
def call_residual(ints, floats, q, world, axes, i, f, term, r, errors):
    """The residual of a FUNCTION term into r (rows,) and errors (terms,)."""
    _call(
        address_at(ints, i + T_RESIDUAL), ints, floats, q, world, axes, int64(i), int64(f),
        int64(ints[i + T_ROW]), r, errors[term:],
    )  # fmt: skip


@inner
def call_jacobian(ints, floats, q, world, axes, i, f, jt, ahead):
    """The Jacobian of a FUNCTION term into jt (n, rows); locked coordinates stay 0."""
    row = int64(ints[i + T_ROW])
    _call(
        address_at(ints, i + T_JACOBIAN), ints, floats, q, world, axes, int64(i), int64(f), row, jt,
        ahead,
    )  # fmt: skip
    own = ints[i + T_OWN_INTS]
    locked = own + OWN_FIRST + PER_JOINT * ints[own + OWN_JOINTS]
    for k in range(ints[own + OWN_LOCKED]):
        for row in range(ints[i + T_ROW], ints[i + T_ROW] + ints[i + T_COUNT]):
            jt[ints[locked + k], row] = 0.0


@inner
def call_second(ints, floats, q, world, axes, i, f, lam, moments, torques, s):
    """What a FUNCTION term adds to S, where it has second derivatives."""
    address = address_at(ints, i + T_SECOND)
    if address != uint64(0):
        _call_second(
            address, ints, floats, q, world, axes, int64(i), int64(f), int64(ints[i + T_ROW]), lam,
            moments, torques, s,
        )  # fmt: skip


@inner
def foresees(ahead, row, weight, short):
    """Whether the Jacobian of the row of weight·max(0, short) is wanted; where ``short``, a length,
    is negative, it is noted in ``ahead`` as well."""
    if short > 0.0:
        return True
    if ahead[0] >= ASKED:
        ahead[1 + row] = min(weight * short, -1e-300)
        return True
    return False


@inner
def own_joint(ints, i, k):
    """(index, path offset, path length) of the k-th joint of the term at i."""
    at = ints[i + T_OWN_INTS] + OWN_FIRST + PER_JOINT * k
    return ints[at], ints[at + 1], ints[at + 2]


@inner
def own_table(ints, i):
    """Where the table of the term at i begins in the ints."""
    own = ints[i + T_OWN_INTS]
    return own + OWN_FIRST + PER_JOINT * ints[own + OWN_JOINTS] + ints[own + OWN_LOCKED]


@inner
def own_numbers(ints, i):
    """(where the numbers of the term at i begin in the floats, where its room begins)."""
    first = ints[i + T_OWN_FLOATS]
    return first, first + ints[ints[i + T_OWN_INTS] + OWN_NUMBERS]


@inner
def add_motion_row(
    ints, floats, axes, path, length, px, py, pz, lx, ly, lz, tx, ty, tz, row, jt
):  # fmt: skip
    """Add to a row of jt, flat, what it feels where the point p of a body moves and the body turns.

    l·v is what the row feels of the point's velocity v, t·ω of the body's angular velocity ω.
    """
    rows = ints[N_ROWS]
    for k in range(path, path + length):
        slot = ints[k]
        x, y, z = point_column(ints, floats, axes, slot, 1.0, px, py, pz)
        felt = lx * x + ly * y + lz * z
        if ints[ints[I_SLOT_IS_ROTATION] + slot]:
            scale, a = floats[ints[F_SCALE] + slot], AXIS * slot
            ax, ay, az = axes[a] * scale, axes[a + 1] * scale, axes[a + 2] * scale
            felt += tx * ax + ty * ay + tz * az
        jt[ints[ints[I_COORD] + slot] * rows + row] += felt
