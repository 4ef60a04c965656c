"""Broyden's method: a Jacobian that learns from the steps instead of being computed again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from limbik.errors import MethodError
from limbik.figure.layout import F_METRIC, N_COORDS, N_ROWS
from limbik.jit import inlined_by_llvm, kernel
from limbik.maths.linear import copy
from limbik.methods.base import OUT_EVALUATIONS, OWN
from limbik.methods.least_squares.damped_solve import (
    DampedMethod,
    damped_search,
    damped_trial,
    less_damping,
    view_damped,
)
from limbik.methods.loop import GO_ON, Here, by_model, iterate, no_way_down
from limbik.methods.settings import setting
from limbik.methods.workspace import view_gradient
from limbik.solver.objective import evaluate

# Settings in the order of ``options``, and the scale of λ.
_DAMPING, _PROGRESS, _SCALE = range(OWN, OWN + 3)


class Memory(NamedTuple):
    """What is carried from step to step."""

    damping: float
    outdated: bool  # J is to be computed anew


@kernel
def broyden_update(ints, floats, r, moved_r, step, jt):
    """B ← B + (Δy − BΔq)Δqᵀ/ΔqᵀΔq, Broyden's "good" update (1965), of jt = Bᵀ (n, rows).

    Δy = r − r(q + Δq) is what the step did to the rows.  ΔqᵀΔq counts a slide as the angle that
    moves as far at the lever.  Coordinates that did not move keep their columns.
    """
    n, metric = ints[N_COORDS], ints[F_METRIC]
    length = 0.0
    for c in range(n):
        length += step[c] * step[c] / floats[metric + c]
    if length == 0.0:
        return
    for i in range(ints[N_ROWS]):
        missed = r[i] - moved_r[i]
        for c in range(n):
            missed -= jt[c, i] * step[c]
        for c in range(n):
            jt[c, i] += missed * step[c] / (floats[metric + c] * length)


@inlined_by_llvm
def unless_up_to_date(ints, floats, options, q, f, w, own, memory, out):
    """Prepares a step: J where B is outdated, and then whether q is stationary."""
    if memory.outdated:
        return by_model(ints, floats, options, q, f, w, own, memory, out)
    copy(w.r, ints[N_ROWS], w.model_residual)
    return GO_ON, math.inf, False


@inlined_by_llvm
def broyden_step(ints, floats, options, q, here, w, system, memory, out):
    """θ ← P(θ + Δθ), Δθ the damped least-squares step (equation 15 of line_search) of B for J.

    Where the step of an updated B does not lower f, J is computed anew; with it, λ grows until one
    does.
    """
    damping, scale, detour, gain = memory.damping, options[_SCALE], here.detour, here.gain
    value = math.inf
    if not memory.outdated:
        value = damped_trial(ints, floats, q, w, system, (damping * scale) ** 2, out)
    if memory.outdated or not value < here.f:
        if not memory.outdated:
            evaluate(ints, floats, q, w.state, w.r)
            out[OUT_EVALUATIONS] += 1.0
            code, gain, detour = by_model(ints, floats, options, q, here.f, w, (), memory, out)
            if code != GO_ON:
                return code, here.f, memory
        true = Here(here.iteration, here.f, gain, detour)
        value, damping = damped_search(ints, floats, q, true, w, system, damping, scale, out)
        if not value < here.f:
            return no_way_down(options, gain), here.f, memory
    for c in range(ints[N_COORDS]):
        w.step[c] = w.trial[c] - q[c]
    broyden_update(ints, floats, w.r, w.trial_r, w.step, w.jt)
    return GO_ON, value, Memory(less_damping(damping), value > options[_PROGRESS] * here.f)


@kernel(borrows=True)
def broyden(ints, floats, work, options, q, out, history):
    """The steps of ``broyden_step``.

    B starts as J and is updated by every step.  It is computed anew after a step that lowered f too
    little and where a step of it does not lower f at all.
    """
    w, work = view_gradient(ints, work)
    system, _ = view_damped(ints, work)
    memory = Memory(options[_DAMPING], True)
    code, _ = iterate(
        ints, floats, options, q, out, history, w, system, memory, unless_up_to_date,
        broyden_step,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class Broyden(DampedMethod):
    """Damped least squares with a Jacobian kept up to date by rank-one updates.

    dual_quaternion names it as a comparison and leaves it open.  f never rises and every iterate is
    inside the limits.  It needs fewer Jacobians than Gauss–Newton and more iterations; a figure's
    Jacobian costs about as much as evaluating it, so little is saved here.
    """

    name = "broyden"
    kernel = broyden

    iterations: int = setting(
        200, "Iterations an attempt may take; each costs a Cholesky factorisation, few a Jacobian."
    )
    damping: float = setting(
        0.1,
        "The first λ in units of √w·lever, with the largest weight w of a row and a lever of "
        "a quarter of the figure's size; it falls to a third after each step.",
    )
    progress: float = setting(
        0.5,
        "The Jacobian is computed anew after a step that leaves more than this part of f. 0: "
        "after every step, which is Levenberg–Marquardt.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.progress <= 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ progress ≤ 1, got {self.progress:g}")

    def settings(self) -> tuple[float, ...]:
        return (self.damping, self.progress)
