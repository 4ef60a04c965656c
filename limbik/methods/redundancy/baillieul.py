"""Baillieul's extended Jacobian: rows below J that keep a criterion least among the free poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import N_COORDS
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
from limbik.methods.least_squares.svd_step import decompose, fill_stack, lay_stack, stack_size
from limbik.methods.redundancy.criteria import (
    CRITERIA,
    check_criterion,
    criterion_size,
    criterion_table,
    gradient_of,
    hessian_of,
    lay_criterion,
    value_of,
)
from limbik.methods.redundancy.criterion_search import (
    BOTH,
    NOWHERE,
    first_gain,
    go,
    has_settled,
    search,
)
from limbik.methods.redundancy.normal_equations import lay_normal, normal_size
from limbik.methods.redundancy.null_space_basis import (
    complete,
    free_gradient,
    hold_columns,
    leave_free,
    take_vectors,
    usual_rank,
)
from limbik.methods.redundancy.square_system import (
    bend_by_goals,
    fill_square,
    multipliers,
    solve_square,
)
from limbik.methods.settings import setting
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_NO_STEP = 1e-12  # rad or the figure's unit: a step that changes nothing any more


@kernel
def baillieul(ints, floats, work, options, q, out, history):
    """Equation 6 of extended_jacobian: θ ← P(θ + dq), dq from a square system by LU.

    The rows below J ask for −κ·ηᵢ·∇g, which the paper has as 0; without a fixed κ it is found by
    two_wishes.search.  Where ∇²g bends the wrong way, so that this leads up, the second term of
    equation 5 takes its place.  With the goals met it goes on as long as g falls and they stay met.
    """
    n = np.int64(ints[N_COORDS])
    sheet = open_sheet(ints, work)
    state, r, trial, step, jt = sheet.state, sheet.r, sheet.trial, sheet.step, sheet.jt
    cutoff, fixed, stationary = options[OWN], options[OWN + 1], options[OWN + 2]
    settle, usual = options[OWN + 3], options[OWN + 4]
    moves, table = options[OWN + 5 : OWN + 5 + n], options[OWN + 5 + n :]
    spare = sheet.spare
    by_n, at = spare[: 6 * n].reshape(6, n), 6 * n
    free, gradient, secondary, base = by_n[0], by_n[1], by_n[2], by_n[3]
    b, back = by_n[4], by_n[5]
    squares = spare[at : at + 3 * n * n].reshape(3, n, n)
    vectors, hessian, a = squares[0], squares[1], squares[2]
    at += 3 * n * n
    y = spare[at : at + len(r) + n]
    at += len(r) + n
    normal = lay_normal(n, spare[at:])
    at += 2 * n * n + 2 * n
    criterion = lay_criterion(ints, table, spare[at:])
    at += n + 2 * len(r) + jt.size + criterion.gram.size
    stack = lay_stack(ints, spare[at:])
    y = y[: len(stack.missing)]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration, singular = 1, 0, 0, 0
    settled, code = False, SPENT
    while True:
        met = reached(ints, floats, state)
        if met and (settled or settle == 0.0 or iteration == 0):
            code = REACHED
            break
        if iteration >= options[O_ITERATIONS]:
            code = REACHED if met else SPENT
            break
        linearise(ints, floats, q, state, r, jt, sheet.target)
        jacobians += 1
        descent(ints, floats, q, jt, r, sheet.push)
        if not met and gain_left(ints, floats, q, sheet, f) <= stationary:
            code = STATIONARY
            break
        leave_free(ints, floats, q, sheet.push, moves, free)
        fill_stack(ints, floats, q, jt, sheet.target, stack)
        hold_columns(stack, free)
        rank = decompose(stack, cutoff)
        take_vectors(stack, rank, vectors)
        total = complete(vectors, rank, free, base)
        gradient_of(ints, floats, q, state, criterion, gradient)
        g_here = value_of(ints, floats, q, state, criterion)
        if total > rank:
            hessian_of(ints, floats, q, state, criterion, hessian)
            multipliers(stack, rank, gradient, y)
            bend_by_goals(ints, floats, q, state, criterion, y, hessian)
        fill_square(stack, rank, vectors, total, gradient, hessian, free, a, b, back)
        full = solve_square(a, b, back, normal, cutoff, step, secondary)
        if fixed >= 0.0:
            most = go(ints, floats, q, step, 1.0, secondary, fixed, sheet.scratch, trial)
            value, g = math.inf, g_here
            if _NO_STEP < most < math.inf:
                value = evaluate(ints, floats, trial, state, sheet.trial_r)
                evaluations += 1
            if not math.isfinite(value):
                code = REACHED if met else STUCK
                break
            kept = reached(ints, floats, state)
            g = value_of(ints, floats, trial, state, criterion)
            if met and not (kept and g < g_here):
                code = REACHED
                break
        else:
            alpha, slope = 1.0, 0.0
            for c in range(n):
                slope += gradient[c] * secondary[c]
            if not slope < 0.0:
                free_gradient(gradient, vectors, rank, free, secondary)
                alpha = first_gain(ints, floats, criterion, secondary, math.inf)
            found, value, g, alpha, tried = search(
                ints,
                floats,
                q,
                f,
                met,
                secondary,
                gradient,
                alpha,
                criterion,
                g_here,
                sheet,
                stack,
                rank,
                base,
            )
            evaluations += tried
            if found == NOWHERE or (met and found != BOTH):
                code = REACHED if met else STUCK
                break
        settled = met and has_settled(g_here, g)
        singular += rank < usual or not full
        f = value
        q[:] = trial
        r[:] = sheet.trial_r
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted, singular)
    return code


@dataclass(frozen=True)
class Baillieul(Method):
    """J with rows that zero a criterion's gradient in its null space: the first extended Jacobian.

    Near the pose that meets the goals and has the criterion least among all that do, it converges
    as Newton's method.  Every iterate is inside the limits.  f may rise only once the goals are
    met, and not beyond their tolerance, unless the correction is fixed.
    """

    name = "baillieul"
    kernel = baillieul
    descends = False

    iterations: int = setting(
        100,
        "Iterations an attempt may take; each costs 2n Jacobians, and 2n² where the criterion"
        " is the manipulability.",
    )
    criterion: str = setting(
        "rest",
        'What to make small: "rest" (distance from a pose), "limits" (distance from the '
        "middle of the limits, for figures whose coordinates all have some) or "
        '"manipulability" (−log √det JJᵀ).',
        choices=CRITERIA,
    )
    pose: Sequence[float] | np.ndarray | None = setting(
        None, 'The pose of "rest", (n,); the figure\'s rest pose unless given.'
    )
    correction: float | None = setting(
        None,
        "κ: the part of the criterion's gradient in the null space that a step takes away, "
        "the whole step taken as it is. 0 is equation 6 as printed, which keeps that gradient"
        " as it is at the start. None: both parts of the step are shortened until f and the "
        "criterion fall.",
    )
    settle: bool = setting(
        True, "Go on after the goals are met, as long as the criterion falls and they stay met."
    )
    cutoff: float = setting(1e-3, "Singular values up to this part of the largest count as 0.")

    def __post_init__(self) -> None:
        check_criterion(self.name, self.criterion)
        if self.pose is not None and self.criterion != "rest":
            raise MethodError(f'{self.name}: a pose is for the criterion "rest"')
        if self.correction is not None and not 0.0 <= self.correction <= 1.0:
            raise MethodError(
                f"{self.name}: needs 0 ≤ correction ≤ 1 or None, got {self.correction:g}"
            )
        if not 0.0 <= self.cutoff < 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ cutoff < 1, got {self.cutoff:g}")

    def settings(self) -> tuple[float, ...]:
        correction = -1.0 if self.correction is None else self.correction
        return (self.cutoff, correction, self.stationary, self.settle)

    def tables(self, problem: Problem) -> list[float]:
        return [
            usual_rank(problem, self.cutoff),
            *problem.moves,
            *criterion_table(self.name, self.criterion, self.pose, problem),
        ]

    def workspace(self, problem: Problem) -> int:
        n, rows = problem.figure.n, problem.rows
        own = 6 * n + 3 * n * n + rows + n + normal_size(n)
        return sheet_size(problem) + stack_size(problem) + criterion_size(problem) + own
