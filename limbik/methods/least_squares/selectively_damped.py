"""Selectively damped least squares of Buss and Kim (2005): a clamp for each singular vector."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import N_COORDS
from limbik.figure.projection import project
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
from limbik.methods.least_squares.goal_blocks import (
    block_ends,
    block_lengths,
    clamp_reach,
    reach_limits,
)
from limbik.methods.least_squares.svd_step import (
    add_along,
    decompose,
    fill_stack,
    lay_stack,
    share_of,
    stack_size,
)
from limbik.methods.settings import setting
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import F_METRIC, F_REST, descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_ZERO = 1e-12  # part of the largest singular value that rounding makes of a 0
_NO_STEP = 1e-12  # rad: a step that changes nothing any more


@kernel
def clamp_largest(step, most):
    """ClampMaxAbs: shorten step (n,) until no entry is larger than ``most``."""
    largest = 0.0
    for c in range(len(step)):
        largest = max(largest, abs(step[c]))
    if largest > most:
        for c in range(len(step)):
            step[c] *= most / largest


@kernel
def selectively_damped_step(ints, floats, q, jt, target, ends, most, stack, spare, step):
    """The step of Buss and Kim (2005) into step (n,); returns the rank of J.

    Singular vector i would turn the joints by σᵢ⁻¹αᵢvᵢ, αᵢ = uᵢᵀe.  It moves the effectors by Nᵢ =
    Σ_l ‖u_l,i‖ per unit, the sum of what its joints do one by one is Mᵢ = σᵢ⁻¹ Σ_l Σ_j |v_ji| ρ_lj
    with ρ_lj = ‖∂s_l/∂θ_j‖; where the joints work against each other (M > N) it may turn each by
    γᵢ = min(1, Nᵢ/Mᵢ)·γ_max only, and all together by γ_max.  An effector s_l is a block of rows
    here, a slide the angle that moves as far at the lever, a diagonal goal a block of one row.
    """
    n, metric = np.int64(ints[N_COORDS]), ints[F_METRIC]
    height = len(stack.missing)
    rho, turn, moved = spare[:n], spare[n : 2 * n], spare[2 * n : 2 * n + height]
    fill_stack(ints, floats, q, jt, target, stack)
    for c in range(n):
        scale = math.sqrt(floats[metric + c])
        rest = math.sqrt(floats[ints[F_REST] + c])
        rho[c] = scale * (block_lengths(ints, ends, jt[c]) + rest)
        for k in range(len(stack.a) if stack.wide else height):
            if stack.wide:
                stack.a[k, c] *= scale
            else:
                stack.a[c, k] *= scale
    rank = decompose(stack, _ZERO)
    step[:] = 0.0
    for i in range(rank):
        sigma = stack.sigma[i]
        for k in range(height):
            moved[k] = stack.u[k, i] if stack.wide else stack.a[i, k] / sigma
        turn[:] = 0.0
        add_along(stack, i, 1.0, turn)
        singly = 0.0
        for c in range(n):
            singly += abs(turn[c]) * rho[c] / sigma
        together = block_lengths(ints, ends, moved)
        amount = share_of(stack, i) / sigma
        for c in range(n):
            turn[c] *= amount
        clamp_largest(turn, min(1.0, together / singly) * most)
        for c in range(n):
            step[c] += turn[c]
    clamp_largest(step, most)
    for c in range(n):
        step[c] *= math.sqrt(floats[metric + c])
    return rank


@kernel
def selectively_damped(ints, floats, work, options, q, out, history):
    """θ ← P(θ + Δθ) with the Δθ of ``selectively_damped_step``.

    Where a step leads to numbers that are not finite, the last finite pose stays.
    """
    n = np.int64(ints[N_COORDS])
    sheet = open_sheet(ints, work)
    state, r, trial, step, jt = sheet.state, sheet.r, sheet.trial, sheet.step, sheet.jt
    stack = lay_stack(ints, sheet.spare)
    used = len(stack.missing) + stack.a.size + stack.u.size + len(stack.sigma)
    spare = sheet.spare[used:]
    most, stationary, blocks = options[OWN], options[OWN + 1], int(options[OWN + 2])
    ends = options[OWN + 3 : OWN + 3 + blocks]
    limits = options[OWN + 3 + blocks : OWN + 3 + 2 * blocks]

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
        if gain_left(ints, floats, q, sheet, f) <= stationary and not bent:
            code = STATIONARY
            break
        clamp_reach(ints, state, ends, limits, sheet.target)
        rank = selectively_damped_step(
            ints, floats, q, jt, sheet.target, ends, most, stack, spare, step
        )
        singular += rank < len(stack.sigma)
        largest = 0.0
        for c in range(n):
            trial[c] = q[c] + step[c]
            largest = max(largest, abs(step[c]))
        if not _NO_STEP < largest < math.inf:
            code = STUCK
            break
        project(ints, floats, trial, sheet.scratch)
        value = evaluate(ints, floats, trial, state, r)
        evaluations += 1
        if not math.isfinite(value):
            code = STUCK
            break
        f = value
        q[:] = trial
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted, singular)
    return code


@dataclass(frozen=True)
class SelectivelyDamped(Method):
    """J⁺e with a clamp for each singular vector, by how much the effectors gain from it.

    Every iterate is inside the limits, which are applied after each step; f may rise.  Directions
    that only fight singular values get little way, others take the whole step of the
    pseudo-inverse: there is no damping constant to choose.
    """

    name = "selectively_damped"
    kernel = selectively_damped
    descends = False

    iterations: int = setting(200, "Iterations an attempt may take; each costs one SVD of J.")
    most: float = setting(
        math.pi / 4,
        "γ_max, the most that a coordinate may turn in an iteration, in rad; a slide counts "
        "as the angle that moves as far at a quarter of the figure's size.",
    )
    reach_clamp: float | None = setting(
        None,
        "D_max: ask an effector to move by at most this part of the figure's size in an "
        "iteration, and to turn by the angle that moves as far at a quarter of it. None: any.",
    )

    def __post_init__(self) -> None:
        if not 0.0 < self.most < math.inf:
            raise MethodError(f"{self.name}: most must be positive, got {self.most:g}")
        if self.reach_clamp is not None and not self.reach_clamp > 0.0:
            raise MethodError(
                f"{self.name}: reach_clamp must be positive or None, got {self.reach_clamp:g}"
            )

    def settings(self) -> tuple[float, ...]:
        return (self.most, self.stationary)

    def tables(self, problem: Problem) -> list[float]:
        ends = block_ends(problem)
        return [len(ends), *ends, *reach_limits(problem, self.reach_clamp, self.name)]

    def workspace(self, problem: Problem) -> int:
        n, rows = problem.figure.n, problem.rows
        return sheet_size(problem) + stack_size(problem) + 3 * n + rows
