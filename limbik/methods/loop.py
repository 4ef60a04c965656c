"""The loop that methods share.

evaluate, then again and again: are the goals reached, is the budget spent, is the attempt too slow
to go on with, is the pose stationary; step; record.  A method gives what differs:

    prepare(ints, floats, options, q, f, w, own, memory, out) -> (code, gain, detour)
    step(ints, floats, options, q, here, w, own, memory, out) -> (code, value, memory)

and, where they are not the usual ones (``value_at_start``, ``reached_or_spent``),

    start(ints, floats, q, w, own) -> f
    ends(ints, floats, options, q, iteration, w, own, memory) -> code

``w`` is the GradientWorkspace (or the default's LMWorkspace, which has what the loop needs of it),
``own`` what else the method has in its workspace, ``memory`` the numbers it carries from one
iteration to the next (a named tuple, returned anew by each step), and ``out`` counts evaluations,
Jacobians and singular systems.  ``step`` leaves the next pose in w.trial, its residuals in
w.trial_r and returns its f as ``value`` with the code GO_ON.  Any other code ends the loop at q.

All are plain functions that Numba compiles into the method's kernel (``inlined_by_llvm``): no
call is indirect, and a problem with goals written in Python runs the same functions as Python.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from limbik.figure.layout import F_REST, N_COORDS, N_ROWS
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel
from limbik.maths.linear import copy
from limbik.methods.base import (
    O_DRAFT,
    O_ITERATIONS,
    O_STATIONARY,
    OUT_EVALUATIONS,
    OUT_F,
    OUT_HISTORY,
    OUT_ITERATIONS,
    OUT_JACOBIANS,
    OUT_SINGULAR,
    OUT_WORK,
    REACHED,
    SLOW,
    SPENT,
    STATIONARY,
    STUCK,
    record,
)
from limbik.solver.objective import descent, evaluate, linearise, reached

GO_ON = -1
"""What ``prepare`` and ``step`` return instead of an exit code."""

_ROUNDING = 1e-5  # where f is rounded, no step lowers it any more at a gain up to about this one


class Here(NamedTuple):
    """What is known of q before a step is made."""

    iteration: int
    f: float
    gain: float  # ``gain_left`` at q; inf where ``prepare`` did not look
    detour: bool  # the residuals to aim at are not those of q (``linearise``)


@inlined_by_llvm
def value_at_start(ints, floats, q, w, own):
    """f at the start, with its residuals in w.r."""
    return evaluate(ints, floats, q, w.state, w.r)


@inlined_by_llvm
def reached_or_spent(ints, floats, options, q, iteration, w, own, memory):
    """When a loop ends: the goals are met, or there are no iterations left."""
    if reached(ints, floats, w.state):
        return REACHED
    return SPENT if iteration >= options[O_ITERATIONS] else GO_ON


@inlined_by_llvm
def iterate(ints, floats, options, q, out, history, w, own, memory, prepare, step):
    """Solve from q, which becomes the last pose that was accepted; returns (code, memory)."""
    return iterate_until(
        ints, floats, options, q, out, history, w, own, memory, value_at_start,
        reached_or_spent, prepare, step, math.inf, 0.0,
    )  # fmt: skip


@inlined_by_llvm
def iterate_until(
    ints, floats, options, q, out, history, w, own, memory, start, ends, prepare, step, patience,
    progress,
):  # fmt: skip
    """``iterate`` for methods that have an f or an end of their own, or give up early.

    ``start`` and ``ends`` take the place of ``value_at_start`` and ``reached_or_spent``.  Where an
    attempt may be given up early (O_DRAFT), it is if f did not fall below the part ``progress`` of
    itself over ``patience`` iterations.
    """
    f = start(ints, floats, q, w, own)
    noted = record(history, 0, f, q)
    out[OUT_EVALUATIONS], out[OUT_JACOBIANS], out[OUT_SINGULAR] = 1.0, 0.0, 0.0
    iteration, checkpoint, f_at_checkpoint = 0, 0, f
    while True:
        code = ends(ints, floats, options, q, iteration, w, own, memory)
        if code != GO_ON:
            break
        if options[O_DRAFT] > 0.0 and iteration - checkpoint >= patience:
            if f > progress * f_at_checkpoint:
                code = SLOW
                break
            checkpoint, f_at_checkpoint = iteration, f
        code, gain, detour = prepare(ints, floats, options, q, f, w, own, memory, out)
        if code != GO_ON:
            break
        here = Here(iteration, f, gain, detour)
        code, value, memory = step(ints, floats, options, q, here, w, own, memory, out)
        if code != GO_ON:
            break
        f = value
        copy(w.trial, ints[N_COORDS], q)
        copy(w.trial_r, ints[N_ROWS], w.r)
        iteration += 1
        noted = record(history, noted, f, q)
    out[OUT_F], out[OUT_HISTORY] = f, noted
    out[OUT_ITERATIONS], out[OUT_WORK] = iteration, iteration
    return code, memory


# ---- what ``prepare`` may be ---------------------------------------------------------------------


@inlined_by_llvm
def slope_at(ints, floats, q, f, w, out):
    """J, the residuals to aim at and −½∇f at q, into w; returns (gain, detour)."""
    detour = linearise(ints, floats, q, w.state, w.r, w.jt, w.model_residual)
    out[OUT_JACOBIANS] += 1.0
    descent(ints, floats, q, w.jt, w.r, w.half_descent)
    return gain_left(ints, floats, q, w, f), detour


@inlined_by_llvm
def by_gradient(ints, floats, options, q, f, w, own, memory, out):
    """For steps that follow the gradient: the end where q is stationary."""
    gain, detour = slope_at(ints, floats, q, f, w, out)
    return (STATIONARY if gain <= options[O_STATIONARY] else GO_ON), gain, detour


@inlined_by_llvm
def by_finite_gradient(ints, floats, options, q, f, w, own, memory, out):
    """The same for methods that cannot go on from an f that is not finite."""
    if not math.isfinite(f):
        return STUCK, math.inf, False
    return by_gradient(ints, floats, options, q, f, w, own, memory, out)


@inlined_by_llvm
def by_model(ints, floats, options, q, f, w, own, memory, out):
    """For steps that aim at w.model_residual: a detour leads on where the gradient is 0."""
    gain, detour = slope_at(ints, floats, q, f, w, out)
    ends = gain <= options[O_STATIONARY] and not detour
    return (STATIONARY if ends else GO_ON), gain, detour


@inlined_by_llvm
def by_gradient_when_slow(ints, floats, options, q, f, w, own, memory, out):
    """For steps without a Jacobian: nobody looks whether q is stationary while f falls fast."""
    if memory.skip_stationarity_test:
        return GO_ON, math.inf, False
    return by_gradient(ints, floats, options, q, f, w, own, memory, out)


@inlined_by_llvm
def by_jacobian(ints, floats, options, q, f, w, own, memory, out):
    """For steps that do not ask whether q is stationary."""
    detour = linearise(ints, floats, q, w.state, w.r, w.jt, w.model_residual)
    out[OUT_JACOBIANS] += 1.0
    return GO_ON, math.inf, detour


# ---- what a ``step`` may end with ----------------------------------------------------------------


@inlined_by_llvm
def unchecked(ints, floats, here, w, memory, out):
    """Go to w.trial whatever f is there, as long as it is finite."""
    value = evaluate(ints, floats, w.trial, w.state, w.trial_r)
    out[OUT_EVALUATIONS] += 1.0
    return (GO_ON if math.isfinite(value) else STUCK), value, memory


@kernel
def no_way_down(options, gain):
    """The exit code where no step lowers f: STATIONARY where rounding explains it, else STUCK."""
    return STATIONARY if gain <= max(options[O_STATIONARY], _ROUNDING) else STUCK


# ---- is it stationary? ---------------------------------------------------------------------------


@kernel
def gain_left(ints, floats, q, w, f):
    """‖J‖·‖P(q − ∇f/2‖J‖²) − q‖/√f: the projected gradient in a scale of its own.

    0 exactly where q is stationary; away from the limits it is the cosine ‖Jᵀr‖/‖J‖‖r‖ between
    what is missing and what J can give, whatever the figure's unit.  J and r include the diagonal
    goals; w.jt and w.half_descent must be those of q, and w.trial is overwritten.
    """
    n, weight = ints[N_COORDS], ints[F_REST]
    jt, moved = w.jt, w.trial
    square = 0.0
    for c in range(n):
        square += floats[weight + c]
        for i in range(ints[N_ROWS]):
            square += jt[c, i] * jt[c, i]
    if square == 0.0 or f <= 1e-28 * square:
        return 0.0  # what is left is rounding
    for c in range(n):
        moved[c] = q[c] + w.half_descent[c] / square
    project(ints, floats, moved, w.scratch)
    far = 0.0
    for c in range(n):
        far += (moved[c] - q[c]) ** 2
    return math.sqrt(square * far / f)


@inlined_by_llvm
def judge(ints, floats, options, q, f, w, out):
    """The exit code of a method that stops at q of its own accord: REACHED, STATIONARY or STUCK.

    q must be inside the limits and the pose that was evaluated last, with residuals w.r.  Costs one
    Jacobian unless the goals are reached.
    """
    if reached(ints, floats, w.state):
        return REACHED
    gain, _ = slope_at(ints, floats, q, f, w, out)
    return STATIONARY if gain <= options[O_STATIONARY] else STUCK


@inlined_by_llvm
def end_inside(ints, floats, options, q, w, out, history):
    """The end of a method that leaves the limits on its way: q becomes P(q) and is judged there.

    ``out`` is that of the loop and is brought up to date; returns the exit code.  Costs one
    evaluation, and one Jacobian unless the goals are reached.
    """
    copy(q, len(q), w.trial)
    project(ints, floats, q, w.scratch)
    f = evaluate(ints, floats, q, w.state, w.r)
    out[OUT_F] = f
    out[OUT_EVALUATIONS] += 1.0
    for c in range(len(q)):
        if q[c] != w.trial[c]:
            out[OUT_HISTORY] = record(history, int(out[OUT_HISTORY]), f, q)
            break
    code = judge(ints, floats, options, q, f, w, out)
    if code == STUCK and out[OUT_ITERATIONS] >= options[O_ITERATIONS]:
        code = SPENT
    return code
