"""Selectively damped least squares of Buss and Kim (2005): a clamp for each singular vector."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import F_METRIC, F_REST, N_COORDS
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel, kernel_part
from limbik.methods.base import OUT_SINGULAR, OWN, STUCK, Method
from limbik.methods.least_squares.goal_blocks import (
    block_ends,
    block_lengths,
    clamp_reach,
    reach_limits,
)
from limbik.methods.least_squares.svd_step import (
    add_along,
    decompose,
    fill_svd,
    share_of,
    svd_height,
    svd_size,
    view_svd,
)
from limbik.methods.loop import by_model, iterate, unchecked
from limbik.methods.settings import setting
from limbik.methods.workspace import floats_taken, gradient_size, take, view_gradient
from limbik.solver.problem import Problem

_ZERO = 1e-12  # part of the largest singular value that rounding makes of a 0
_NO_STEP = 1e-12  # rad: a step that changes nothing any more


# Settings in the order of ``options``; the table of blocks follows.
_MOST, _BLOCKS, _TABLE = range(OWN, OWN + 3)


@kernel_part
def view_room(ints, work):
    """work -> arrays for ``selectively_damped_step``, and what is left: ρ, a turn, what it moves.

    The first two have an entry per coordinate, the third one per row of J and diagonal goal.
    """
    n = np.int64(ints[N_COORDS])
    rho, work = take(work, n)
    turn, work = take(work, n)
    moved, work = take(work, svd_height(ints))
    return (rho, turn, moved), work


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
def selectively_damped_step(ints, floats, q, jt, model_residual, ends, most, svd, room, step):
    """The step of Buss and Kim (2005) into step (n,); returns the rank of J.

    Singular vector i would turn the joints by σᵢ⁻¹αᵢvᵢ, αᵢ = uᵢᵀe.  It moves the effectors by Nᵢ =
    Σ_l ‖u_l,i‖ per unit, the sum of what its joints do one by one is Mᵢ = σᵢ⁻¹ Σ_l Σ_j |v_ji| ρ_lj
    with ρ_lj = ‖∂s_l/∂θ_j‖; where the joints work against each other (M > N) it may turn each by
    γᵢ = min(1, Nᵢ/Mᵢ)·γ_max only, and all together by γ_max.  An effector s_l is a block of rows
    here, a slide the angle that moves as far at the lever, a diagonal goal a block of one row.
    """
    n, metric = np.int64(ints[N_COORDS]), ints[F_METRIC]
    height = len(svd.missing)
    rho, turn, moved = room
    fill_svd(ints, floats, q, jt, model_residual, svd)
    for c in range(n):
        scale = math.sqrt(floats[metric + c])
        rest = math.sqrt(floats[ints[F_REST] + c])
        rho[c] = scale * (block_lengths(ints, ends, jt[c]) + rest)
        for k in range(len(svd.a) if svd.wide else height):
            if svd.wide:
                svd.a[k, c] *= scale
            else:
                svd.a[c, k] *= scale
    rank = decompose(svd, _ZERO)
    step[:] = 0.0
    for i in range(rank):
        sigma = svd.sigma[i]
        for k in range(height):
            moved[k] = svd.u[k, i] if svd.wide else svd.a[i, k] / sigma
        turn[:] = 0.0
        add_along(svd, i, 1.0, turn)
        singly = 0.0
        for c in range(n):
            singly += abs(turn[c]) * rho[c] / sigma
        together = block_lengths(ints, ends, moved)
        amount = share_of(svd, i) / sigma
        for c in range(n):
            turn[c] *= amount
        clamp_largest(turn, min(1.0, together / singly) * most)
        for c in range(n):
            step[c] += turn[c]
    clamp_largest(step, most)
    for c in range(n):
        step[c] *= math.sqrt(floats[metric + c])
    return rank


@inlined_by_llvm
def selectively_damped_trial(ints, floats, options, q, here, w, own, memory, out):
    """θ ← P(θ + Δθ) with the Δθ of ``selectively_damped_step``."""
    svd, room = own
    blocks, largest = int(options[_BLOCKS]), 0.0
    ends = options[_TABLE : _TABLE + blocks]
    limits = options[_TABLE + blocks : _TABLE + 2 * blocks]
    clamp_reach(ints, w.state, ends, limits, w.model_residual)
    rank = selectively_damped_step(
        ints, floats, q, w.jt, w.model_residual, ends, options[_MOST], svd, room, w.step
    )
    out[OUT_SINGULAR] += rank < len(svd.sigma)
    for c in range(ints[N_COORDS]):
        w.trial[c] = q[c] + w.step[c]
        largest = max(largest, abs(w.step[c]))
    if not _NO_STEP < largest < math.inf:
        return STUCK, here.f, memory
    project(ints, floats, w.trial, w.scratch)
    return unchecked(ints, floats, here, w, memory, out)


@kernel(borrows=True)
def selectively_damped(ints, floats, work, options, q, out, history):
    """The steps of ``selectively_damped_trial``.

    Where a step leads to numbers that are not finite, the last finite pose stays.
    """
    w, work = view_gradient(ints, work)
    svd, work = view_svd(ints, work)
    room, _ = view_room(ints, work)
    code, _ = iterate(
        ints, floats, options, q, out, history, w, (svd, room), (), by_model,
        selectively_damped_trial,
    )  # fmt: skip
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
        super().__post_init__()
        if not 0.0 < self.most < math.inf:
            raise MethodError(f"{self.name}: most must be positive, got {self.most:g}")
        if self.reach_clamp is not None and not self.reach_clamp > 0.0:
            raise MethodError(
                f"{self.name}: reach_clamp must be positive or None, got {self.reach_clamp:g}"
            )

    def settings(self) -> tuple[float, ...]:
        return (self.most,)

    def tables(self, problem: Problem) -> list[float]:
        ends = block_ends(problem)
        return [len(ends), *ends, *reach_limits(problem, self.reach_clamp, self.name)]

    def workspace(self, problem: Problem) -> int:
        return gradient_size(problem) + svd_size(problem) + floats_taken(view_room, problem.ints)
