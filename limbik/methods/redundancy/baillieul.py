"""Baillieul's extended Jacobian: rows below J that keep a criterion least among the free poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import N_COORDS
from limbik.jit import inlined_by_llvm, kernel, kernel_part
from limbik.methods.base import OUT_SINGULAR, REACHED, STUCK
from limbik.methods.least_squares.svd_step import (
    decompose,
    fill_svd,
    svd_height,
    view_svd,
)
from limbik.methods.loop import GO_ON, iterate_until, value_at_start
from limbik.methods.redundancy.criteria import (
    CRITERIA,
    gradient_of,
    hessian_of,
    value_of,
    view_criterion,
)
from limbik.methods.redundancy.criterion_method import CriterionMethod
from limbik.methods.redundancy.criterion_search import (
    BOTH,
    NOWHERE,
    O_CUTOFF,
    O_FIXED,
    O_TABLE,
    O_USUAL_RANK,
    by_gradient_unless_met,
    first_gain,
    fixed_step,
    has_settled,
    search,
    settled_or_spent,
    view_secondary,
)
from limbik.methods.redundancy.normal_equations import Normal, view_normal
from limbik.methods.redundancy.null_space_basis import (
    complete,
    free_gradient,
    hold_columns,
    leave_free,
    take_vectors,
)
from limbik.methods.redundancy.square_system import (
    fill_square,
    multipliers,
    solve_square,
    subtract_goal_curvature,
)
from limbik.methods.settings import setting
from limbik.methods.workspace import (
    floats_taken,
    take,
    take_table,
    view_gradient,
)
from limbik.solver.objective import reached
from limbik.solver.problem import Problem


class SquareWorkspace(NamedTuple):
    """The square system of equation 6."""

    a: np.ndarray  # (n, n) its matrix
    b: np.ndarray  # (n,) its right-hand side for the goals,
    back: np.ndarray  # (n,) and for the criterion
    hessian: np.ndarray  # (n, n) of the Lagrangian
    y: np.ndarray  # its multipliers, one a row of J and diagonal goal
    normal: Normal


@kernel_part
def view_square(ints, work):
    """work -> SquareWorkspace, and what is left."""
    n = np.int64(ints[N_COORDS])
    a, work = take_table(work, n, n)
    by_n, work = take_table(work, 2, n)
    hessian, work = take_table(work, n, n)
    y, work = take(work, svd_height(ints))
    normal, work = view_normal(n, work)
    return SquareWorkspace(a, by_n[0], by_n[1], hessian, y, normal), work


class Memory(NamedTuple):
    """What is carried from step to step."""

    settled: bool  # the criterion is at its lowest


@inlined_by_llvm
def baillieul_step(ints, floats, options, q, here, w, own, memory, out):
    """θ ← P(θ + dq), dq from a square system by LU.

    The rows below J ask for −κ·ηᵢ·∇g, which the paper has as 0; without a fixed κ it is found by
    criterion_search.search.  Where ∇²g curves the wrong way, so that this leads up, the second term
    of equation 5 takes its place.
    """
    second, criterion, svd, square = own
    gradient, vectors, secondary = second.gradient, second.vectors, second.secondary
    met, cutoff, fixed = reached(ints, floats, w.state), options[O_CUTOFF], options[O_FIXED]
    leave_free(ints, floats, q, w.half_descent, options[O_TABLE:], second.free)
    fill_svd(ints, floats, q, w.jt, w.model_residual, svd)
    hold_columns(svd, second.free)
    rank = decompose(svd, cutoff)
    take_vectors(svd, rank, vectors)
    total = complete(vectors, rank, second.free, second.base)
    gradient_of(ints, floats, q, w.state, criterion, gradient)
    g_here = value_of(ints, floats, q, w.state, criterion)
    if total > rank:
        hessian_of(ints, floats, q, w.state, criterion, square.hessian)
        multipliers(svd, rank, gradient, square.y)
        subtract_goal_curvature(ints, floats, q, w.state, criterion, square.y, square.hessian)
    fill_square(
        svd, rank, vectors, total, gradient, square.hessian, second.free, square.a, square.b,
        square.back,
    )  # fmt: skip
    full = solve_square(square.a, square.b, square.back, square.normal, cutoff, w.step, secondary)
    if fixed >= 0.0:
        code, value, g = fixed_step(ints, floats, q, met, fixed, criterion, g_here, w, second, out)
        if code != GO_ON:
            return code, value, memory
    else:
        alpha, slope = 1.0, 0.0
        for c in range(len(q)):
            slope += gradient[c] * secondary[c]
        if not slope < 0.0:
            free_gradient(gradient, vectors, rank, second.free, secondary)
            alpha = first_gain(ints, floats, criterion, secondary, math.inf)
        found, value, g, alpha = search(
            ints, floats, q, here.f, met, alpha, criterion, g_here, w, svd, rank, second, out
        )
        if found == NOWHERE or (met and found != BOTH):
            return (REACHED if met else STUCK), value, memory
    out[OUT_SINGULAR] += rank < options[O_USUAL_RANK] or not full
    return GO_ON, value, Memory(met and has_settled(g_here, g))


@kernel(borrows=True)
def baillieul(ints, floats, work, options, q, out, history):
    """Equation 6 of extended_jacobian, with the steps of ``baillieul_step``.

    With the goals met it goes on as long as g falls and they stay met.
    """
    w, work = view_gradient(ints, work)
    second, work = view_secondary(ints, work)
    criterion, work = view_criterion(ints, options[O_TABLE + len(q) :], work)
    svd, work = view_svd(ints, work)
    square, _ = view_square(ints, work)
    code, _ = iterate_until(
        ints, floats, options, q, out, history, w, (second, criterion, svd, square),
        Memory(False), value_at_start, settled_or_spent, by_gradient_unless_met,
        baillieul_step, math.inf, 0.0,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class Baillieul(CriterionMethod):
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
        super().__post_init__()
        if self.correction is not None and not 0.0 <= self.correction <= 1.0:
            raise MethodError(
                f"{self.name}: needs 0 ≤ correction ≤ 1 or None, got {self.correction:g}"
            )

    def settings(self) -> tuple[float, ...]:
        correction = -1.0 if self.correction is None else self.correction
        return (self.cutoff, correction, self.settle, False)

    def workspace(self, problem: Problem) -> int:
        return super().workspace(problem) + floats_taken(view_square, problem.ints)
