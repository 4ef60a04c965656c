"""Cyclic coordinate descent: joint after joint, from the tips inwards, each as well as it can."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import I_COORD, N_COORDS
from limbik.figure.projection import project
from limbik.goals.terms import N_ROWS, N_TERMS
from limbik.jit import kernel
from limbik.maths.linear import copy
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
from limbik.methods.chains.chain_view import (
    ALONE,
    S_COUNT,
    S_FIRST,
    S_KIND,
    S_SLOT,
    chain_view,
    open_chain,
    places,
)
from limbik.methods.chains.effector_points import MARK, take_marks
from limbik.methods.chains.joint_steps import STEP_SCRATCH, take_step
from limbik.methods.settings import setting
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import F_REST, descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_SETTINGS = 1
_BRISK = 0.5  # while a sweep lowers f to this part, nobody looks whether q is stationary
_NEWTON, _TRIES, _SHORTER = 8, 10, 0.25  # Newton steps for a coordinate alone, and their tries
_STILL = 1e-10  # rad or the figure's unit: a step that a coordinate alone does not take any more
_ROUNDED = 1.0 + 1e-15  # f is known no better; a sweep as a whole must lower it all the same
_ROUNDING = 1e-5  # where f is rounded, no sweep lowers it any more at a gain up to about this one


@kernel
def cyclic_descent(ints, floats, work, options, q, out, history):
    """One iteration is one sweep over all joints, from the last to the first.

    Going inwards, a turn moves what hangs below a joint and nothing above it: so the axes found at
    the start of a sweep stay true, and only the effectors' points have to be moved along.
    """
    n, rows, terms = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS]), np.int64(ints[N_TERMS])
    sheet = open_sheet(ints, work)
    state, r, push, trial, jt = sheet.state, sheet.r, sheet.push, sheet.trial, sheet.jt
    world, axes = places(ints, state)
    chain = open_chain(options[OWN + _SETTINGS :])
    marks = sheet.spare[: MARK * terms].reshape(terms, MARK)
    before = sheet.spare[MARK * terms : MARK * terms + n]
    scratch = sheet.spare[MARK * terms + n :]
    stationary = options[OWN]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration = 1, 0, 0
    code = SPENT
    brisk = True  # a sweep may leave a point that is stationary and no minimum
    while True:
        if reached(ints, floats, state):
            code = REACHED
            break
        if iteration >= options[O_ITERATIONS]:
            break
        if not brisk:
            linearise(ints, floats, q, state, r, jt, sheet.target)
            jacobians += 1
            descent(ints, floats, q, jt, r, push)
            if gain_left(ints, floats, q, sheet, f) <= stationary:
                code = STATIONARY
                break
        copy(q, n, before)
        take_marks(ints, floats, world, 0, marks)
        now, known = f, True  # f at q, if the state is that of q
        for k in range(len(chain.steps)):
            step = chain.steps[k]
            if step[S_KIND] != ALONE:
                first = int(step[S_FIRST])
                which = chain.below[first : first + int(step[S_COUNT])]
                take_step(ints, floats, step, q, world, axes, marks, which, scratch)
                known = False
                continue
            c = ints[ints[I_COORD] + int(step[S_SLOT])]
            if not known:
                now = evaluate(ints, floats, q, state, r)
                evaluations += 1
            moved, pushed = 0.0, 0.0
            for _ in range(_NEWTON):
                linearise(ints, floats, q, state, r, jt, sheet.target)
                jacobians += 1
                descent(ints, floats, q, jt, sheet.target, push)
                # f bends as JᵀJ and D say or, after a step, as its slope has changed.
                bend = floats[ints[F_REST] + c]
                for i in range(rows):
                    bend += jt[c, i] * jt[c, i]
                if moved != 0.0 and (pushed - push[c]) / moved > 0.0:
                    bend = (pushed - push[c]) / moved
                length, value = push[c] / bend if bend > 0.0 else 0.0, now
                if not abs(length) > _STILL:
                    break
                for _ in range(_TRIES):
                    copy(q, n, trial)
                    trial[c] += length
                    project(ints, floats, trial, sheet.scratch)
                    moved = trial[c] - q[c]
                    value = evaluate(ints, floats, trial, state, sheet.trial_r)
                    evaluations += 1
                    if value <= _ROUNDED * now or moved == 0.0:
                        break
                    length *= _SHORTER
                if moved == 0.0 or not value <= _ROUNDED * now:
                    evaluate(ints, floats, q, state, r)
                    evaluations += 1
                    break
                now, pushed = value, push[c]
                copy(trial, n, q)
                copy(sheet.trial_r, rows, r)
            known = True
            take_marks(ints, floats, world, 0, marks)
        value = evaluate(ints, floats, q, state, r)
        evaluations += 1
        if not value < f:
            copy(before, n, q)
            evaluate(ints, floats, q, state, r)
            linearise(ints, floats, q, state, r, jt, sheet.target)
            evaluations, jacobians = evaluations + 1, jacobians + 1
            descent(ints, floats, q, jt, r, push)
            gain = gain_left(ints, floats, q, sheet, f)
            code = STATIONARY if gain <= max(stationary, _ROUNDING) else STUCK
            break
        brisk = value < _BRISK * f
        f = value
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted)
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
        if not self.stationary >= 0.0:
            raise MethodError(
                f"{self.name}: stationary must not be negative, got {self.stationary:g}"
            )

    def settings(self) -> tuple[float, ...]:
        return (self.stationary,)

    def tables(self, problem: Problem) -> np.ndarray:
        return chain_view(problem).table()

    def workspace(self, problem: Problem) -> int:
        return sheet_size(problem) + MARK * len(problem.terms) + problem.figure.n + STEP_SCRATCH
