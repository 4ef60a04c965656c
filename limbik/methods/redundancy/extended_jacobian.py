"""The extended Jacobian of Šoch & Lórencz: rows for every pair of segments below those of J."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import AXIS, N_COORDS, N_JOINTS, N_SLOTS, WORLD
from limbik.figure.projection import project
from limbik.goals.terms import N_ROWS
from limbik.jit import kernel
from limbik.methods.base import (
    O_ITERATIONS,
    OWN,
    REACHED,
    SPENT,
    STATIONARY,
    STUCK,
    Method,
    finish,
    record,
)
from limbik.methods.redundancy.normal_equations import lay_normal, least_squares, normal_size
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
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import (
    F_METRIC,
    F_REST,
    F_REST_POSE,
    N_REST,
    descent,
    evaluate,
    linearise,
    reached,
)
from limbik.solver.problem import Problem

_NO_STEP = 1e-12  # rad or the figure's unit: a step that changes nothing any more


@kernel
def _extend(ints, floats, q, jt, target, weight, stiffness, own, first, last, at, wanted):
    """The goals and the diagonal goals into at[:, :first], and dx of section 2.3.1 into ``wanted``.

    at (n, height) is transposed.  The rows of the elements, first … last − 1, are there already;
    below them stands a row for each coordinate with own[c] > 0.  Here all of these get their weight
    and each coordinate's stiffness.
    """
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    for i in range(len(wanted)):
        wanted[i] = target[i] if i < rows else 0.0
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


@kernel
def extended_jacobian(ints, floats, work, options, q, out, history):
    """Section 2 of extended_jacobian: θ ← P(θ + dq), dq from equations 9 and 10 with dxᵢ = 0.

    Where a step leads to numbers that are not finite, the last finite pose stays.
    """
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    sheet = open_sheet(ints, work)
    state, r, trial, step, jt = sheet.state, sheet.r, sheet.trial, sheet.step, sheet.jt
    weight, cutoff, clamp = options[OWN], options[OWN + 1], options[OWN + 2]
    stationary, count = options[OWN + 3], int(options[OWN + 4])
    begin = OWN + 5
    counted, own = options[begin : begin + n], options[begin + n : begin + 2 * n]
    begin += 2 * n
    elements, begin = options[begin : begin + ELEMENT * count], begin + ELEMENT * count
    stiffness = options[begin:]
    first = rows + (n if ints[N_REST] else 0)
    last = first + 3 * count
    height = last + np.count_nonzero(own)
    spare, begin = sheet.spare, np.int64(ints[N_JOINTS]) * WORLD
    world, end = spare[:begin], begin + (np.int64(ints[N_SLOTS]) + 1) * AXIS
    axes, free, begin = spare[begin:end], spare[end : end + n], end + n
    wanted, begin = spare[begin : begin + height], begin + height
    at = spare[begin : begin + n * height].reshape(n, height)
    normal = lay_normal(n, spare[begin + n * height :])

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration, singular = 1, 0, 0, 0
    code = SPENT
    while True:
        if reached(ints, floats, state):
            code = REACHED
            break
        if iteration >= options[O_ITERATIONS]:
            break
        bent = linearise(ints, floats, q, state, r, jt, sheet.target)
        jacobians += 1
        descent(ints, floats, q, jt, r, sheet.push)
        if not bent and gain_left(ints, floats, q, sheet, f) <= stationary:
            code = STATIONARY
            break
        place_all(ints, floats, q, world, axes, sheet.scratch)
        element_rows(ints, floats, elements, world, axes, first, at)
        _extend(ints, floats, q, jt, sheet.target, weight, stiffness, own, first, last, at, wanted)
        leave_free(ints, floats, q, sheet.push, counted, free)
        full = least_squares(at, wanted, free, normal, cutoff, step)
        most = 0.0
        for c in range(n):
            most = max(most, abs(step[c]) / math.sqrt(floats[ints[F_METRIC] + c]))
        if not math.isfinite(most):
            code = STUCK
            break
        length = 1.0 if most <= clamp else clamp / most
        for c in range(n):
            trial[c] = q[c] + length * step[c]
        project(ints, floats, trial, sheet.scratch)
        moved = 0.0
        for c in range(n):
            moved = max(moved, abs(trial[c] - q[c]))
        if moved <= _NO_STEP:
            code = STUCK
            break
        value = evaluate(ints, floats, trial, state, r)
        evaluations += 1
        if not math.isfinite(value):
            code = STUCK
            break
        singular += not full
        f = value
        q[:] = trial
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted, singular)
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
        return (self.weight, self.cutoff, clamp, self.stationary)

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
        n, tree = problem.figure.n, problem.figure.tree
        height = problem.rows + 2 * n + 3 * len(basic_elements(problem))
        places = len(tree.joints) * WORLD + (len(tree.slots) + 1) * AXIS
        return sheet_size(problem) + places + n + height * (n + 1) + normal_size(n)
