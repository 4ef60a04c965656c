"""Cyclic coordinate descent: joint after joint, from the tips inwards, each as well as it can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import F_REST, I_COORD, N_COORDS, N_ROWS, N_TERMS
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel, kernel_part
from limbik.maths.linear import copy
from limbik.methods.base import OUT_EVALUATIONS, OUT_JACOBIANS, OWN, Method
from limbik.methods.chains.chain_view import (
    ALONE,
    S_COUNT,
    S_FIRST,
    S_KIND,
    S_SLOT,
    chain_view,
    open_chain,
    world_and_axes,
)
from limbik.methods.chains.effector_points import MARK, take_marks
from limbik.methods.chains.joint_steps import STEP_SCRATCH, take_step
from limbik.methods.loop import (
    GO_ON,
    by_gradient_when_slow,
    iterate,
    no_way_down,
    slope_at,
)
from limbik.methods.settings import setting
from limbik.methods.workspace import (
    floats_taken,
    gradient_size,
    take,
    take_table,
    view_gradient,
)
from limbik.solver.objective import descent, evaluate, linearise
from limbik.solver.problem import Problem

_FAST = 0.5  # while a sweep lowers f to this part, nobody looks whether q is stationary
_NEWTON, _TRIES, _SHORTER = 8, 10, 0.25  # Newton steps for a coordinate alone, and their tries
_STILL = 1e-10  # rad or the figure's unit: a step that a coordinate alone does not take any more
_ROUNDED = 1.0 + 1e-15  # f is known no better; a sweep as a whole must lower it all the same


class SweepWorkspace(NamedTuple):
    """What a sweep works with."""

    marks: np.ndarray  # (terms, MARK) the effectors' points
    pose: np.ndarray  # (n,) the pose under way
    scratch: np.ndarray  # for the joints' steps


@kernel_part
def view_sweep(ints, work):
    """work -> SweepWorkspace, and what is left."""
    marks, work = take_table(work, np.int64(ints[N_TERMS]), MARK)
    pose, work = take(work, np.int64(ints[N_COORDS]))
    scratch, work = take(work, STEP_SCRATCH)
    return SweepWorkspace(marks, pose, scratch), work


class Memory(NamedTuple):
    """What is carried from sweep to sweep."""

    skip_stationarity_test: bool  # a sweep may leave a point that is stationary and no minimum


@kernel_part
def _newton_alone(ints, floats, pose, f, c, w, out):
    """Newton steps of f along coordinate c from ``pose``, evaluated last; returns f there."""
    n, trial, jt = ints[N_COORDS], w.trial, w.jt
    moved, last_slope = 0.0, 0.0
    for _ in range(_NEWTON):
        linearise(ints, floats, pose, w.state, w.r, jt, w.model_residual)
        out[OUT_JACOBIANS] += 1.0
        descent(ints, floats, pose, jt, w.model_residual, w.half_descent)
        slope = w.half_descent[c]
        # f curves as JᵀJ and D say or, after a step, as its slope has changed.
        curvature = floats[ints[F_REST] + c]
        for i in range(ints[N_ROWS]):
            curvature += jt[c, i] * jt[c, i]
        if moved != 0.0 and (last_slope - slope) / moved > 0.0:
            curvature = (last_slope - slope) / moved
        length, value = slope / curvature if curvature > 0.0 else 0.0, f
        if not abs(length) > _STILL:
            break
        for _ in range(_TRIES):
            copy(pose, n, trial)
            trial[c] += length
            project(ints, floats, trial, w.scratch)
            moved = trial[c] - pose[c]
            value = evaluate(ints, floats, trial, w.state, w.trial_r)
            out[OUT_EVALUATIONS] += 1.0
            if value <= _ROUNDED * f or moved == 0.0:
                break
            length *= _SHORTER
        if moved == 0.0 or not value <= _ROUNDED * f:
            evaluate(ints, floats, pose, w.state, w.r)
            out[OUT_EVALUATIONS] += 1.0
            break
        f, last_slope = value, slope
        copy(trial, n, pose)
        copy(w.trial_r, ints[N_ROWS], w.r)
    return f


@inlined_by_llvm
def sweep_step(ints, floats, options, q, here, w, own, memory, out):
    """One sweep over all joints, from the last to the first.

    Going inwards, a turn moves what hangs below a joint and nothing above it: so the axes found at
    the start of a sweep stay true, and only the effectors' points have to be moved along.
    """
    chain, sweep = own
    n, pose, marks = ints[N_COORDS], sweep.pose, sweep.marks
    world, axes = world_and_axes(ints, w.state)
    copy(q, n, pose)
    take_marks(ints, floats, world, 0, marks)
    now, known = here.f, True  # f at the pose, if the state is that of the pose
    for k in range(len(chain.steps)):
        step = chain.steps[k]
        if step[S_KIND] != ALONE:
            first = int(step[S_FIRST])
            which = chain.below[first : first + int(step[S_COUNT])]
            take_step(ints, floats, step, pose, world, axes, marks, which, sweep.scratch)
            known = False
            continue
        if not known:
            now = evaluate(ints, floats, pose, w.state, w.r)
            out[OUT_EVALUATIONS] += 1.0
        c = ints[ints[I_COORD] + int(step[S_SLOT])]
        now = _newton_alone(ints, floats, pose, now, c, w, out)
        known = True
        take_marks(ints, floats, world, 0, marks)
    copy(pose, n, w.trial)
    value = evaluate(ints, floats, w.trial, w.state, w.trial_r)
    out[OUT_EVALUATIONS] += 1.0
    if value < here.f:
        return GO_ON, value, Memory(value < _FAST * here.f)
    evaluate(ints, floats, q, w.state, w.r)
    out[OUT_EVALUATIONS] += 1.0
    gain, _ = slope_at(ints, floats, q, here.f, w, out)
    return no_way_down(options, gain), here.f, memory


@kernel(borrows=True)
def cyclic_descent(ints, floats, work, options, q, out, history):
    """The loop of all methods with the steps of ``sweep_step``: an iteration is one sweep."""
    w, work = view_gradient(ints, work)
    sweep, _ = view_sweep(ints, work)
    own = (open_chain(options[OWN:]), sweep)
    code, _ = iterate(
        ints, floats, options, q, out, history, w, own, Memory(True), by_gradient_when_slow,
        sweep_step,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class CyclicCoordinateDescent(Method):
    """Turn one joint after the other so that what hangs below comes nearest its targets.

    For position goals the best value of a hinge or a slide within its range is known exactly, and
    so is the best rotation of a ball (one effector: the shortest arc; several: Horn's fit); where
    its limits cut that off, its coordinates follow one by one.  Under other goals, full weights and
    for coupled joints each coordinate takes Newton steps on f.  f never rises and every iterate is
    inside the limits.  It needs no Jacobian to start and leaves straight, singular poses; near the
    end it creeps, most of all with several goals that share joints.
    """

    name = "ccd"
    kernel = cyclic_descent

    iterations: int = setting(200, "Sweeps over all joints that an attempt may take.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.stationary >= 0.0:
            raise MethodError(
                f"{self.name}: stationary must not be negative, got {self.stationary:g}"
            )

    def settings(self) -> tuple[float, ...]:
        return ()

    def tables(self, problem: Problem) -> np.ndarray:
        return chain_view(problem).table()

    def workspace(self, problem: Problem) -> int:
        return gradient_size(problem) + floats_taken(view_sweep, problem.ints)
