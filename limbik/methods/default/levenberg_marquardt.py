"""The projected Levenberg–Marquardt iteration and its settings, with or without held rows.

projected_lm.py and held_lm.py (with the rows of held_rows.py) are made of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import F_REACH, N_COORDS, N_FULL, N_ROWS
from limbik.figure.projection import free_directions, project
from limbik.goals.kernels.functions import ANY_COST, ASKED
from limbik.jit import inlined, inlined_by_llvm
from limbik.maths.linear import copy
from limbik.methods.base import (
    O_DRAFT,
    O_GAIN,
    O_ITERATIONS,
    O_STATIONARY,
    OUT_WORK,
    OWN,
    REACHED,
    SLOW,
    SPENT,
    STATIONARY,
    Method,
    finish,
    record,
)
from limbik.methods.default.damped_step import damped_step, weigh_coordinates
from limbik.methods.default.directions import pulls, take_columns, to_gain
from limbik.methods.default.held_rows import (
    curvature_with,
    evaluate_with,
    linearise_with,
    reached_with,
)
from limbik.methods.default.hessian import assemble_hessian
from limbik.methods.default.inequalities import set_apart
from limbik.methods.default.workspace import lm_size
from limbik.methods.settings import setting
from limbik.solver.objective import descent, scratch_of
from limbik.solver.problem import Problem

_IDLE, _LOOSE = 4, 1e-4  # so many iterations that hardly lower f are the end at this cosine,
_CREEPING, _LOOSER = 16, 2e-3  # and so many at this one
_ROUNDING = 1e-15  # part of f: a promise below this is rounding
_NOTHING, _FIRM = 1e-10, 1e-3  # parts of f: an optimum is where a step with λ ≤ _FIRM·f gains less
_FEW, _MORE = 3, 100.0  # in a chain, after so many Newton steps this much more may be left to gain
_TRUSTED = 0.5  # in a chain, a Hessian whose last promise came true to this part serves again,
_PRECISE = 1e-5  # part of √f: unless the step gained less; an old one nears the optimum too slowly
_TRIES = 24  # raising the damping by 4 each time makes any step a tiny projected gradient step
_NEWTON_COORDINATES = 16.0  # a Newton step costs one more usual iteration per so many coordinates


@inlined
def _try_step(ints, floats, q, lm, count, scratch):
    """trial = P(q + Σ step_d·direction_d); returns the slope −½∇f·(trial − q)."""
    n, trial = np.int64(ints[N_COORDS]), lm.trial
    copy(q, n, trial)
    for d in range(count):
        for s in range(lm.spans[d]):
            trial[lm.starts[d] + s] += lm.coefficients[d, s] * lm.step[d]
    project(ints, floats, trial, scratch)
    slope = 0.0
    for c in range(n):
        slope += lm.half_descent[c] * (trial[c] - q[c])
    return slope


@inlined
def _gain_ratio(ints, q, lm, decrease, slope, lam):
    """How much of the promised decrease came true.

    The model promises 2·slope − δᵀHδ, and (H + λM)δ is the slope's g: that is slope + λδᵀMδ.
    """
    moved = 0.0
    for c in range(ints[N_COORDS]):
        moved += (lm.trial[c] - q[c]) ** 2 / lm.metric[c]
    return decrease / (slope + lam * moved)


@inlined_by_llvm
def _hash_of_directions(lm, count):
    """A number that differs where other coordinates are free, or other edges of cones followed."""
    code = count
    for d in range(count):
        code = (code * 31 + 4 * np.int64(lm.starts[d]) + np.int64(lm.spans[d])) % 2147483647
    return code


@inlined_by_llvm
def levenberg_marquardt(ints, floats, lm, options, q, out, history, held):
    """A damped step on the free set, projected, accepted by equation 39 of line_search.

    Gauss–Newton while f falls fast; where it falls slowly, because residuals stay large, the exact
    Hessian JᵀJ + D + S of f takes the place of JᵀJ + D (goals/kernels/curvature.py).  In a chain S
    serves again as long as it promises well, and all of it where the same directions are free; the
    last steps, which gain little, have their own, so that they end as close as Newton's do.
    The next damping follows from how much of the promised descent came true.  ``held`` is None, or
    the HeldRows that f is made with.
    """
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    state, r = lm.state, lm.r
    scratch = scratch_of(ints, state)
    alpha, damping, stationary = options[OWN], options[OWN + 1], options[O_STATIONARY]
    passes, patience, progress = int(options[OWN + 2]), options[OWN + 3], options[OWN + 4]
    settle, newton_after, slow = options[OWN + 5], options[OWN + 6], options[OWN + 7]
    least, reach = options[OWN + 8], floats[ints[F_REACH]]
    if options[O_GAIN] > 0.0 and newton_after > 1.0:
        newton_after -= 1.0  # a chain starts near its answer: what is slow there stays slow

    f = evaluate_with(ints, floats, q, state, r, held)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration, newton_steps, hessians = 1, 0, 0, 0, 0
    code = SPENT
    f_at_checkpoint, checkpoint = f, 0
    idle_iterations, slow_iterations, skip_stationarity_test = 0, 0, True
    trusted, directions, foresight = False, 0, ASKED
    while True:
        if reached_with(ints, floats, state, held):
            code = REACHED
            break
        if iteration >= options[O_ITERATIONS]:
            break
        if options[O_DRAFT] > 0.0 and iteration - checkpoint >= patience:
            if f > progress * f_at_checkpoint:
                code = SLOW
                break
            f_at_checkpoint, checkpoint = f, iteration
        # The model at q: free directions, and along them J and D, or the whole Hessian.
        if held is None:
            lm.ahead[0] = 0.0 if ints[N_FULL] else foresight
        detour = linearise_with(ints, floats, q, state, r, lm.jt, lm.model_residual, held)
        jacobians += 1
        descent(ints, floats, q, lm.jt, r, lm.half_descent)
        count = free_directions(
            ints, floats, q, lm.half_descent, lm.starts, lm.spans, lm.coefficients, scratch
        )
        count = take_columns(ints, floats, lm, count)
        ahead = set_apart(ints, lm)
        pulls(ints, floats, q, lm, count, not skip_stationarity_test)
        weigh_coordinates(ints, floats, f, lm)
        newton = slow_iterations >= newton_after
        same, directions = directions, _hash_of_directions(lm, count)
        if newton:
            newton_steps += 1
        if newton and not trusted:
            curvature_with(
                ints, floats, q, state, r, lm.y, lm.moments, lm.torques, lm.columns,
                lm.second, held,
            )  # fmt: skip
        if newton and not (trusted and same == directions):
            hessians += 1
            assemble_hessian(ints, lm, count, True)
        elif rows > n and not newton:
            assemble_hessian(ints, lm, count, False)
        # Damped steps, the damping raised until one is accepted.
        accepted, indefinite = False, False
        value, slope, lam, first = f, 0.0, 0.0, damping
        for direct in range(0 if detour else 1, 2):
            if direct and detour:
                # The way around half a turn led nowhere: try the residuals themselves.
                copy(r, rows, lm.model_residual)
                damping, skip_stationarity_test = first, False
            if not skip_stationarity_test:
                gain = to_gain(ints, floats, q, lm, count)
                if (
                    gain <= stationary
                    or (idle_iterations >= _IDLE and gain <= _LOOSE)
                    or (idle_iterations >= _CREEPING and gain <= _LOOSER)
                ):
                    continue
            for _ in range(_TRIES if direct else _TRIES // 4):
                lam = max(damping * min(f, reach), 1e-300)
                if damped_step(ints, floats, q, lm, count, lam, passes, newton, ahead > 0):
                    slope = _try_step(ints, floats, q, lm, count, scratch)
                    if newton and abs(slope) <= _ROUNDING * f:
                        break
                    value = evaluate_with(ints, floats, lm.trial, state, lm.trial_r, held)
                    evaluations += 1
                    # A way around must pay at once; equation 39 decides about all others.
                    enough = f if direct else 0.99 * f
                    if value < enough and value < f - 2.0 * alpha * slope:
                        accepted = True
                        break
                else:
                    indefinite = True
                damping, foresight = damping * 4.0, ANY_COST
                if skip_stationarity_test:
                    # Nobody has looked yet whether there is anything to gain.
                    skip_stationarity_test = False
                    if to_gain(ints, floats, q, lm, count) <= stationary:
                        break
            if accepted:
                break
        if not accepted:
            code = STATIONARY
            evaluate_with(ints, floats, q, state, r, held)
            break
        ratio = _gain_ratio(ints, q, lm, f - value, slope, lam)
        if ratio > 0.75 and not indefinite:
            damping = max(damping / (10.0 if newton else 3.0), 1e-8)
        elif ratio < 0.25:
            damping = min(damping * 4.0, 1e8)
        # Looking whether q is stationary costs time, and it is not while f falls fast.
        skip_stationarity_test = value < 0.5 * f
        slow_iterations = slow_iterations + 1 if value > slow * f else 0
        idle_iterations = idle_iterations + 1 if f - value <= settle * f else 0
        gained = math.sqrt(f) - math.sqrt(value)
        little = f - value <= least * f
        trusted = newton and options[O_GAIN] > 0.0 and abs(ratio - 1.0) < _TRUSTED
        trusted = trusted and gained > _PRECISE * math.sqrt(f)
        f = value
        copy(lm.trial, n, q)
        copy(lm.trial_r, rows, r)
        iteration += 1
        noted = record(history, noted, f, q)
        # A Newton step that gained nothing, damped or not, says that this is the optimum.
        worth = options[O_GAIN] * (1.0 if newton_steps < _FEW else _MORE)
        optimum = (slope <= _NOTHING * f and lam <= _FIRM * f) or gained <= worth or little
        if newton and ratio > 0.25 and optimum and not reached_with(ints, floats, state, held):
            code = STATIONARY
            break
    finish(out, f, iteration, evaluations, jacobians, noted)
    out[OUT_WORK] += hessians * float(n) / _NEWTON_COORDINATES
    return code


@dataclass(frozen=True)
class LevenbergMarquardt(Method):
    """The settings that every form of the iteration has."""

    alpha: float = setting(1e-4, "Armijo constant of equation 39 of line_search.")
    damping: float = setting(1.0, "The first λ/f.")
    stationary: float = setting(
        1e-6, "Cosine between what is missing and the best free direction at which it stops."
    )
    passes: int = setting(
        3, "How often a step may be solved for again with its clipped coordinates held."
    )
    patience: int = setting(
        4,
        "An attempt that may be followed by another is given up if over so many iterations f did "
        "not fall below the part ``progress`` of itself.",
    )
    progress: float = setting(0.5, "The part of f that ``patience`` asks for.")
    settle: float = setting(
        5e-6,
        "Some iterations in a row that lower f by no more than this part of it are the end, unless "
        "much is still to gain.",
    )
    newton_after: int = setting(
        2,
        "Newton steps, with the exact Hessian, are taken after so many slow iterations, in "
        "a chain one fewer: far from the answer a single one is no sign that residuals stay.",
    )
    slow: float = setting(0.7, "An iteration is slow where it leaves more than this part of f.")
    least_gain: float = setting(
        0.0,
        "A Newton step that lowers f by no more than this part of it is the last one; for solves "
        "that each start from the answer before, as in a drag.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.damping > 0 and 0 < self.alpha < 1 and self.passes >= 1):
            raise MethodError("projected_lm: needs damping > 0, 0 < alpha < 1 and passes ≥ 1")

    def settings(self) -> tuple[float, ...]:
        return (
            self.alpha,
            self.damping,
            self.passes,
            self.patience,
            self.progress,
            self.settle,
            self.newton_after,
            self.slow,
            self.least_gain,
        )

    def workspace(self, problem: Problem) -> int:
        return lm_size(problem)
