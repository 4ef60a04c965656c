"""The extended Jacobian of Šoch & Lórencz: rows for every pair of segments below those of J."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import (
    AXIS,
    F_METRIC,
    F_REST,
    F_REST_POSE,
    N_COORDS,
    N_JOINTS,
    N_REST,
    N_ROWS,
    N_SLOTS,
    WORLD,
)
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel, kernel_part
from limbik.methods.base import OUT_SINGULAR, OWN, STUCK, Method
from limbik.methods.loop import GO_ON, by_model, iterate, unchecked
from limbik.methods.redundancy.normal_equations import Normal, least_squares, view_normal
from limbik.methods.redundancy.null_space_basis import leave_free
from limbik.methods.redundancy.segment_pairs import (
    ELEMENT,
    basic_elements,
    element_rows,
    place_all,
    that_count,
    turns_with_others,
)
from limbik.methods.redundancy.stiffness import Stiffness, stiffness_at, stiffness_table
from limbik.methods.settings import setting
from limbik.methods.workspace import (
    floats_taken,
    gradient_size,
    take,
    take_table,
    view_gradient,
)
from limbik.solver.problem import Problem

# Settings in the order of ``options``, and the number of elements; their tables follow.
_WEIGHT, _CUTOFF, _CLAMP, _COUNT, _TABLE = range(OWN, OWN + 5)

_NO_STEP = 1e-12  # rad or the figure's unit: a step that changes nothing any more


@kernel
def _extend(ints, floats, q, jt, model_residual, weight, stiffness, own, first, last, at, wanted):
    """The goals and the diagonal goals into at[:, :first], and dx of section 2.3.1 into ``wanted``.

    at (n, height) is transposed.  The rows of the elements, first … last − 1, are there already;
    below them stands a row for each coordinate with own[c] > 0.  Here all of these get their weight
    and each coordinate's stiffness.
    """
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    for i in range(len(wanted)):
        wanted[i] = model_residual[i] if i < rows else 0.0
    row = last
    for c in range(n):
        for i in range(first):
            at[c, i] = jt[c, i] if i < rows else 0.0
        if first > rows:
            root = math.sqrt(floats[ints[F_REST] + c])
            at[c, rows + c] = root
            wanted[rows + c] = root * (floats[ints[F_REST_POSE] + c] - q[c])
        scale = weight * stiffness_at(stiffness, n, c, q[c])
        for i in range(first, last):
            at[c, i] *= scale
        for i in range(last, at.shape[1]):
            at[c, i] = 0.0
        if own[c] > 0.0:
            at[c, row] = scale * own[c]
            row += 1


class ExtendedWorkspace(NamedTuple):
    """The extended system, and where all joints are."""

    world: np.ndarray  # the joints' transforms
    axes: np.ndarray  # the slots' axes
    free: np.ndarray  # (n,) 1 where a coordinate may move
    wanted: np.ndarray  # (height,) right-hand side
    at: np.ndarray  # (n, height) the transposed matrix
    normal: Normal


@kernel_part
def view_extended(ints, height, work):
    """work -> ExtendedWorkspace for ``height`` rows, and what is left."""
    n = np.int64(ints[N_COORDS])
    world, work = take(work, np.int64(ints[N_JOINTS]) * WORLD)
    axes, work = take(work, (np.int64(ints[N_SLOTS]) + 1) * AXIS)
    free, work = take(work, n)
    wanted, work = take(work, height)
    at, work = take_table(work, n, height)
    normal, work = view_normal(n, work)
    return ExtendedWorkspace(world, axes, free, wanted, at, normal), work


class Rows(NamedTuple):
    """What the options say of the added rows."""

    counted: np.ndarray  # (n,) 0 where a coordinate has no part in them
    own: np.ndarray  # (n,) > 0 where a coordinate has a row of its own
    elements: np.ndarray
    stiffness: np.ndarray
    first: np.int64  # the first row of the elements,
    last: np.int64  # the row after their last one
    height: np.int64  # all rows


@kernel_part
def view_rows(ints, options):
    """options -> Rows."""
    n, count = np.int64(ints[N_COORDS]), int(options[_COUNT])
    counted, rest = take(options[_TABLE:], n)
    own, rest = take(rest, n)
    elements, stiffness = take(rest, ELEMENT * count)
    first = np.int64(ints[N_ROWS]) + (n if ints[N_REST] else 0)
    last = first + 3 * count
    height = last
    for c in range(n):
        if own[c] != 0.0:
            height += 1
    return Rows(counted, own, elements, stiffness, first, last, height)


@inlined_by_llvm
def extended_jacobian_step(ints, floats, options, q, here, w, own, memory, out):
    """θ ← P(θ + dq), dq from equations 9 and 10 with dxᵢ = 0."""
    rows, x = own
    n, clamp = ints[N_COORDS], options[_CLAMP]
    place_all(ints, floats, q, x.world, x.axes, w.scratch)
    element_rows(ints, floats, rows.elements, x.world, x.axes, rows.first, x.at)
    _extend(
        ints, floats, q, w.jt, w.model_residual, options[_WEIGHT], rows.stiffness, rows.own,
        rows.first, rows.last, x.at, x.wanted,
    )  # fmt: skip
    leave_free(ints, floats, q, w.half_descent, rows.counted, x.free)
    full = least_squares(x.at, x.wanted, x.free, x.normal, options[_CUTOFF], w.step)
    most = 0.0
    for c in range(n):
        most = max(most, abs(w.step[c]) / math.sqrt(floats[ints[F_METRIC] + c]))
    if not math.isfinite(most):
        return STUCK, here.f, memory
    length = 1.0 if most <= clamp else clamp / most
    for c in range(n):
        w.trial[c] = q[c] + length * w.step[c]
    project(ints, floats, w.trial, w.scratch)
    moved = 0.0
    for c in range(n):
        moved = max(moved, abs(w.trial[c] - q[c]))
    if moved <= _NO_STEP:
        return STUCK, here.f, memory
    code, value, memory = unchecked(ints, floats, here, w, memory, out)
    if code == GO_ON:
        out[OUT_SINGULAR] += not full
    return code, value, memory


@kernel(borrows=True)
def extended_jacobian(ints, floats, work, options, q, out, history):
    """Section 2 of extended_jacobian, with the steps of ``extended_jacobian_step``.

    Where a step leads to numbers that are not finite, the last finite pose stays.
    """
    rows = view_rows(ints, options)
    w, work = view_gradient(ints, work)
    x, _ = view_extended(ints, rows.height, work)
    code, _ = iterate(
        ints, floats, options, q, out, history, w, (rows, x), (), by_model,
        extended_jacobian_step,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class ExtendedJacobian(Method):
    """θ ← P(θ + dq), where the goals pull and every pair of segments resists: extended_jacobian.

    Each element, two segments in a row, adds rows that ask it to stay as it is, so a step of least
    squares is a compromise, and the end-effector goes a part of the way in each.  In the plane with
    a stiffness of 1 these are equations 9 and 10 of the paper.  Limits, which it does not have, are
    projected onto after each step, and what one holds back is left out.  f may rise.  The paper
    holds that its system cannot lack rank; where it does, the shortest step is taken and counted in
    ``Result.singular``.
    """

    name = "extended_jacobian"
    kernel = extended_jacobian
    descends = False

    iterations: int = setting(
        200, "Iterations an attempt may take; each costs one LU decomposition."
    )
    weight: float = setting(
        1.0, "w of section 3, which multiplies every added row: how much the elements resist."
    )
    stiffness: Stiffness | None = setting(
        None,
        "By the name of a joint or a coordinate, a number or a function of the coordinate's "
        "value (rad or the figure's unit): what the coordinate's entries in the added rows "
        "are multiplied by. 1 for those not named; stiffer ones move less.",
    )
    twist: float = setting(
        0.2,
        "A turn about a bone moves no element. So every turn of a joint that has several, a "
        "ball for instance, adds a row of its own: as if it moved something this part of a "
        "quarter of the figure's size away. 0: none, as for hinges anyway.",
    )
    cutoff: float = setting(1e-7, "Singular values up to this part of the largest count as 0.")
    clamp: float | None = setting(
        0.5,
        "The most that a coordinate may turn in an iteration, in rad; the whole step shrinks "
        "to it. A slide counts as the angle that moves as far at a quarter of the figure's "
        "size. None: any, as in the paper, whose targets are near.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.stiffness, Mapping | None):
            raise MethodError(
                f"{self.name}: stiffness must be values by joint or None, got {self.stiffness!r}"
            )
        if not 0.0 < self.weight < math.inf:
            raise MethodError(f"{self.name}: weight must be positive, got {self.weight:g}")
        if not 0.0 <= self.twist < math.inf:
            raise MethodError(f"{self.name}: twist must not be negative, got {self.twist:g}")
        if not 0.0 <= self.cutoff < 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ cutoff < 1, got {self.cutoff:g}")
        if self.clamp is not None and not self.clamp > 0.0:
            raise MethodError(f"{self.name}: clamp must be positive or None, got {self.clamp:g}")

    def settings(self) -> tuple[float, ...]:
        clamp = math.inf if self.clamp is None else self.clamp
        return (self.weight, self.cutoff, clamp)

    def tables(self, problem: Problem) -> list[float]:
        elements = basic_elements(problem)
        return [
            len(elements),
            *that_count(problem, elements),
            *(self.twist * problem.scene.lever * turns_with_others(problem)),
            *np.ravel(elements),
            *stiffness_table(problem.figure, self.stiffness, self.name),
        ]

    def workspace(self, problem: Problem) -> int:
        height = view_rows(problem.ints, self.options(problem)).height
        return gradient_size(problem) + floats_taken(view_extended, problem.ints, height)
