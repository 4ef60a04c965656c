"""Zhao and Badler's quasi-Newton method: BFGS with an active set of limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import N_COORDS
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel
from limbik.maths.linear import copy
from limbik.methods.base import OUT_EVALUATIONS, OWN, Method
from limbik.methods.constrained.active_set import (
    bfgs_size,
    choose_step,
    forget,
    land,
    longest,
    view_bfgs,
)
from limbik.methods.gradient.inverse_hessian import (
    bfgs_update,
    curves,
    first_scale,
    gradient_change,
)
from limbik.methods.loop import GO_ON, by_finite_gradient, iterate, no_way_down
from limbik.methods.settings import setting
from limbik.methods.workspace import gradient_size, last_step_size, view_gradient, view_last_step
from limbik.solver.objective import evaluate
from limbik.solver.problem import Problem

_ALPHA = OWN  # the setting in ``options``
_TRIES = 40  # shortening a step so often takes it below rounding


class Memory(NamedTuple):
    """What is carried from step to step."""

    fresh: bool  # H has learnt nothing yet


@inlined_by_llvm
def zhao_badler_step(ints, floats, options, q, here, w, own, memory, out):
    """−H∇f kept inside the limits, shortened until equation 39 of line_search holds.

    Ranges are linear constraints with the normals ±e_c.  A step ends at the first one that blocks
    it; that one then is active, and projected out of H until its multiplier has the wrong sign.  A
    cone's edge is linearised where q is at it, and P brings back what a step takes it over.
    """
    bfgs, last = own
    n, f, fresh = np.int64(ints[N_COORDS]), here.f, memory.fresh
    half_descent, trial, step = w.half_descent, w.trial, w.step
    if here.iteration > 0:
        gradient_change(ints, floats, last, q, half_descent, w.scratch, bfgs.y)
        for c in range(n):
            step[c] = q[c] - last.q[c]
        if curves(ints, floats, step, bfgs.y):
            bfgs_update(bfgs.h, step, bfgs.y, bfgs.image)
            fresh = False
    else:
        forget(ints, floats, first_scale(ints, floats, w.jt, half_descent), bfgs)
    while True:
        choose_step(ints, floats, q, half_descent, step, bfgs, w.scratch)
        part = longest(ints, floats, q, step, bfgs)
        for _ in range(_TRIES):
            land(ints, floats, q, step, part, bfgs, trial)
            project(ints, floats, trial, w.scratch)
            slope = 0.0
            for c in range(n):
                slope += half_descent[c] * (trial[c] - q[c])
            if not slope > 1e-17 * f:
                part *= 0.25  # what P cut off outweighs the rest
                continue
            value = evaluate(ints, floats, trial, w.state, w.trial_r)
            out[OUT_EVALUATIONS] += 1.0
            if value < f and value < f - 2.0 * options[_ALPHA] * slope:
                copy(q, n, last.q)
                copy(half_descent, n, last.half_descent)
                return GO_ON, value, Memory(fresh)
            # The lowest point of the parabola through f, its slope and the trial.
            shorter = slope / (value - f + 2.0 * slope)
            part *= min(max(shorter, 0.1), 0.5) if shorter == shorter else 0.1
        if fresh:
            break
        # What H has learnt misleads: start again with the gradient.
        forget(ints, floats, first_scale(ints, floats, w.jt, half_descent), bfgs)
        fresh = True
    evaluate(ints, floats, q, w.state, w.r)
    out[OUT_EVALUATIONS] += 1.0
    return no_way_down(options, here.gain), f, memory


@kernel(borrows=True)
def zhao_badler(ints, floats, work, options, q, out, history):
    """Zhao and Badler 1994, as section 4 of line_search describes it; see ``zhao_badler_step``."""
    w, work = view_gradient(ints, work)
    bfgs, work = view_bfgs(ints, work)
    last, _ = view_last_step(ints, work)
    code, _ = iterate(
        ints, floats, options, q, out, history, w, (bfgs, last), Memory(True), by_finite_gradient,
        zhao_badler_step,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class ZhaoBadler(Method):
    """BFGS with an active set, which Zhao and Badler (1994) brought to articulated figures.

    f never rises and every iterate is inside the limits.  An iteration costs one Jacobian, a few
    evaluations, and O(n²) for each active limit.  Unlike the authors' line search this one does not
    ask for the second Wolfe condition, which would cost a Jacobian a trial: H is not updated where
    f does not curve upwards along the step.  Exactly half a turn from an Aim, or from an
    orientation by axes, the gradient is 0: it takes a restart to get away from there.
    """

    name = "zhao_badler"
    kernel = zhao_badler

    alpha: float = setting(1e-4, "Armijo constant of equation 39 of line_search.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.alpha < 0.5:
            raise MethodError(f"{self.name}: needs 0 < alpha < ½, got {self.alpha:g}")

    def settings(self) -> tuple[float, ...]:
        return (self.alpha,)

    def workspace(self, problem: Problem) -> int:
        return gradient_size(problem) + bfgs_size(problem) + last_step_size(problem)
