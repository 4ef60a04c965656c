"""The projected Levenberg–Marquardt step, and the loop of methods/loop.py with it.

projected_lm.py and held_lm.py (with the rows of held_rows.py) are made of it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure.layout import F_REACH, N_COORDS, N_FULL, N_ROWS
from limbik.figure.projection import free_directions
from limbik.goals.kernels.functions import ANY_COST, ASKED
from limbik.jit import inlined, inlined_by_llvm
from limbik.maths.linear import copy, dot_between, square_between
from limbik.methods.base import (
    O_GAIN,
    O_ITERATIONS,
    O_STATIONARY,
    OUT_EVALUATIONS,
    OUT_JACOBIANS,
    OUT_WORK,
    REACHED,
    SPENT,
    STATIONARY,
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
from limbik.methods.default.limits_on_step import project_step
from limbik.methods.default.settings import (
    O_ALPHA,
    O_DAMPING,
    O_LEAST_GAIN,
    O_NEWTON_AFTER,
    O_PASSES,
    O_PATIENCE,
    O_PROGRESS,
    O_SETTLE,
    O_SLOW,
)
from limbik.methods.loop import GO_ON, iterate_until
from limbik.solver.objective import descent, scratch_of

_IDLE, _LOOSE = 4, 1e-4  # so many iterations that hardly lower f are the end at this cosine,
_CREEPING, _LOOSER = 16, 2e-3  # and so many at this one
_ROUNDING = 1e-15  # part of f: a promise below this is rounding
_NOTHING, _FIRM = 1e-10, 1e-3  # parts of f: an optimum is where a step with λ ≤ _FIRM·f gains less
_FEW, _MORE = 3, 100.0  # in a chain, after so many Newton steps this much more may be left to gain
_TRUSTED = 0.5  # in a chain, a Hessian whose last promise came true to this part serves again,
_PRECISE = 1e-5  # part of √f: unless the step gained less; an old one nears the optimum too slowly
_TRIES = 24  # raising the damping by 4 each time makes any step a tiny projected gradient step
_NEWTON_COORDINATES = 16.0  # a Newton step costs one more usual iteration per so many coordinates


class Memory(NamedTuple):
    """What is carried from step to step."""

    damping: float  # λ/f
    foresight: float  # which inequalities that hold join the model, goals/kernels/functions.py
    skip_stationarity_test: bool  # f falls fast
    slow_iterations: int  # so many iterations in a row that left most of f
    idle_iterations: int  # and so many that hardly lowered it
    newton_steps: int  # so many in all,
    hessians: int  # for which so many Hessians were assembled
    trusted: bool  # the Hessian promised well
    directions: int  # ``_hash_of_directions`` of the directions that it is along
    optimum: bool  # nothing is left to gain


class Model(NamedTuple):
    """f around q: what ``damped_step`` is asked to minimise."""

    free: int  # how many directions are free
    directions: int  # ``_hash_of_directions`` where there is a Hessian, else 0
    ahead: bool  # whether there are inequalities that a step may break
    newton: bool  # with the exact Hessian
    anew: bool  # which was assembled for this step


class Step(NamedTuple):
    """The last damped step that was tried."""

    accepted: bool
    value: float  # f at w.trial
    slope: float  # −½∇f·(trial − q)
    lam: float  # λ
    damping: float  # λ/f
    foresight: float
    indefinite: bool  # with some λ the Hessian was not positive definite


@inlined
def _try_step(ints, floats, q, w, count):
    """trial = P(q + Σ step_d·direction_d); returns the slope −½∇f·(trial − q)."""
    project_step(ints, floats, q, w, count)
    return dot_between(w.half_descent, q, w.trial, np.int64(ints[N_COORDS]))


@inlined
def _gain_ratio(ints, q, w, decrease, slope, lam):
    """How much of the promised decrease came true.

    The model promises 2·slope − δᵀHδ, and (H + λM)δ is the slope's g: that is slope + λδᵀMδ.
    """
    moved = square_between(q, w.trial, w.metric, np.int64(ints[N_COORDS]))
    return decrease / (slope + lam * moved)


@inlined_by_llvm
def _hash_of_directions(w, count):
    """A number that differs where other coordinates are free, or other edges of cones followed."""
    code = count
    for d in range(count):
        code = (code * 31 + 4 * np.int64(w.starts[d]) + np.int64(w.spans[d])) % 2147483647
    return code


@inlined_by_llvm
def _start(ints, floats, q, w, held):
    """f at the start, with its residuals in w.r."""
    return evaluate_with(ints, floats, q, w.state, w.r, held)


@inlined_by_llvm
def _ends(ints, floats, options, q, iteration, w, held, memory):
    """The goals are met, the last step found the optimum, or no iterations are left."""
    if reached_with(ints, floats, w.state, held):
        return REACHED
    if memory.optimum:
        return STATIONARY
    return SPENT if iteration >= options[O_ITERATIONS] else GO_ON


@inlined_by_llvm
def _prepare(ints, floats, options, q, f, w, held, memory, out):
    """J, the residuals to aim at and −½∇f at q, into w."""
    if held is None:
        w.ahead[0] = 0.0 if ints[N_FULL] else memory.foresight
    detour = linearise_with(ints, floats, q, w.state, w.r, w.jt, w.model_residual, held)
    out[OUT_JACOBIANS] += 1.0
    descent(ints, floats, q, w.jt, w.r, w.half_descent)
    return GO_ON, math.inf, detour


@inlined_by_llvm
def _model(ints, floats, options, q, f, w, held, memory):
    """The free directions at q, and along them J and D, or where f falls slowly ½∇²f."""
    count = free_directions(
        ints, floats, q, w.half_descent, w.starts, w.spans, w.coefficients,
        scratch_of(ints, w.state),
    )  # fmt: skip
    count = take_columns(ints, floats, w, count)
    ahead = set_apart(ints, w)
    pulls(ints, floats, q, w, count, not memory.skip_stationarity_test)
    weigh_coordinates(ints, floats, f, w)
    newton_after = options[O_NEWTON_AFTER]
    if options[O_GAIN] > 0.0 and newton_after > 1.0:
        newton_after -= 1.0  # a chain starts near its answer: what is slow there stays slow
    newton = memory.slow_iterations >= newton_after
    directions = _hash_of_directions(w, count) if newton else 0
    anew = newton and not (memory.trusted and memory.directions == directions)
    if newton and not memory.trusted:
        curvature_with(
            ints, floats, q, w.state, w.r, w.y, w.moments, w.torques, w.columns, w.second, held
        )
    if anew:
        assemble_hessian(ints, w, count, True)
    elif ints[N_ROWS] > ints[N_COORDS] and not newton:
        assemble_hessian(ints, w, count, False)
    return Model(count, directions, ahead > 0, newton, anew)


@inlined_by_llvm
def _descend(ints, floats, options, q, here, w, held, memory, model, out):
    """Damped steps of the model, the damping raised until equation 39 accepts one.

    Where the residuals to aim at lead around half a turn, such a step must pay at once; if none
    does, the residuals themselves are tried.
    """
    f, reach = here.f, floats[ints[F_REACH]]
    damping, foresight, indefinite = memory.damping, memory.foresight, False
    skip_stationarity_test = memory.skip_stationarity_test
    value, slope, lam = f, 0.0, 0.0
    for direct in range(0 if here.detour else 1, 2):
        if direct and here.detour:
            copy(w.r, ints[N_ROWS], w.model_residual)
            damping, skip_stationarity_test = memory.damping, False
        if not skip_stationarity_test:
            gain = to_gain(ints, floats, q, w, model.free)
            if (
                gain <= options[O_STATIONARY]
                or (memory.idle_iterations >= _IDLE and gain <= _LOOSE)
                or (memory.idle_iterations >= _CREEPING and gain <= _LOOSER)
            ):
                continue
        for _ in range(_TRIES if direct else _TRIES // 4):
            lam = max(damping * min(f, reach), 1e-300)
            if damped_step(
                ints, floats, q, w, model.free, lam, int(options[O_PASSES]), model.newton,
                model.ahead,
            ):  # fmt: skip
                slope = _try_step(ints, floats, q, w, model.free)
                if model.newton and abs(slope) <= _ROUNDING * f:
                    break
                value = evaluate_with(ints, floats, w.trial, w.state, w.trial_r, held)
                out[OUT_EVALUATIONS] += 1.0
                enough = f if direct else 0.99 * f
                if value < enough and value < f - 2.0 * options[O_ALPHA] * slope:
                    return Step(True, value, slope, lam, damping, foresight, indefinite)
            else:
                indefinite = True
            damping, foresight = damping * 4.0, ANY_COST
            if skip_stationarity_test:
                # Nobody has looked yet whether there is anything to gain.
                skip_stationarity_test = False
                if to_gain(ints, floats, q, w, model.free) <= options[O_STATIONARY]:
                    break
    return Step(False, value, slope, lam, damping, foresight, indefinite)


@inlined_by_llvm
def _next_memory(ints, options, q, f, w, memory, model, step):
    """What the step that was accepted says of the next: its damping, its model, the end."""
    value = step.value
    ratio = _gain_ratio(ints, q, w, f - value, step.slope, step.lam)
    damping = step.damping
    if ratio > 0.75 and not step.indefinite:
        damping = max(damping / (10.0 if model.newton else 3.0), 1e-8)
    elif ratio < 0.25:
        damping = min(damping * 4.0, 1e8)
    gained = math.sqrt(f) - math.sqrt(value)
    trusted = model.newton and options[O_GAIN] > 0.0 and abs(ratio - 1.0) < _TRUSTED
    newton_steps = memory.newton_steps + model.newton
    # A Newton step that gained nothing, damped or not, says that this is the optimum.
    worth = options[O_GAIN] * (1.0 if newton_steps < _FEW else _MORE)
    nothing = step.slope <= _NOTHING * value and step.lam <= _FIRM * value
    little = f - value <= options[O_LEAST_GAIN] * f
    return Memory(
        damping,
        step.foresight,
        value < 0.5 * f,  # looking whether q is stationary costs time: not while f falls fast
        memory.slow_iterations + 1 if value > options[O_SLOW] * f else 0,
        memory.idle_iterations + 1 if f - value <= options[O_SETTLE] * f else 0,
        newton_steps,
        memory.hessians + model.anew,
        trusted and gained > _PRECISE * math.sqrt(f),
        model.directions,
        model.newton and ratio > 0.25 and (nothing or gained <= worth or little),
    )


@inlined_by_llvm
def levenberg_marquardt_step(ints, floats, options, q, here, w, held, memory, out):
    """A damped step on the free set, projected, accepted by equation 39 of the
    paper line_search (docs/papers.md)."""
    model = _model(ints, floats, options, q, here.f, w, held, memory)
    step = _descend(ints, floats, options, q, here, w, held, memory, model, out)
    if not step.accepted:
        evaluate_with(ints, floats, q, w.state, w.r, held)
        return STATIONARY, here.f, memory
    return GO_ON, step.value, _next_memory(ints, options, q, here.f, w, memory, model, step)


@inlined_by_llvm
def levenberg_marquardt(ints, floats, w, options, q, out, history, held):
    """The loop of all methods, with the steps of ``levenberg_marquardt_step``.

    Gauss–Newton while f falls fast; where it falls slowly, because residuals stay large, the exact
    Hessian JᵀJ + D + S of f takes the place of JᵀJ + D (goals/kernels/curvature.py).  In a chain S
    serves again as long as it promises well, and all of it where the same directions are free; the
    last steps, which gain little, have their own, so that they end as close as Newton's do.
    The next damping follows from how much of the promised descent came true.  ``held`` is None, or
    the HeldRows that f is made with.
    """
    first = Memory(options[O_DAMPING], ASKED, True, 0, 0, 0, 0, False, 0, False)
    code, last = iterate_until(
        ints, floats, options, q, out, history, w, held, first, _start, _ends, _prepare,
        levenberg_marquardt_step, options[O_PATIENCE], options[O_PROGRESS],
    )  # fmt: skip
    out[OUT_WORK] += last.hessians * float(ints[N_COORDS]) / _NEWTON_COORDINATES
    return code
