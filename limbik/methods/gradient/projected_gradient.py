"""The projected gradient with Armijo back-tracking, as line_search prints it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import N_COORDS
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel
from limbik.maths.linear import copy
from limbik.methods.base import OUT_EVALUATIONS, OWN, STUCK, Method
from limbik.methods.loop import GO_ON, by_gradient, iterate, no_way_down
from limbik.methods.settings import setting
from limbik.methods.workspace import gradient_size, last_step_size, view_gradient, view_last_step
from limbik.solver.objective import evaluate
from limbik.solver.problem import Problem

# Settings in the order of ``options``.
(
    _ALPHA,
    _BETA,
    _FIRST_STEP,
    _BARZILAI_BORWEIN,
    _GRADIENT,
    _RELATIVE,
    _STILL,
) = range(OWN, OWN + 7)

_LEAST = 1e-300  # the shortest step that is tried
_LONGEST, _SHORTEST = 1e10, 1e-10  # what a Barzilai–Borwein step is kept between


class Memory(NamedTuple):
    """What is carried from step to step."""

    settled: bool  # the last step changed little


@kernel
def _length(ints, floats, q, half_descent, moved, scratch):
    """‖P(q − ∇f) − q‖, the projected gradient; moved (n,) is overwritten."""
    for c in range(ints[N_COORDS]):
        moved[c] = q[c] + 2.0 * half_descent[c]
    project(ints, floats, moved, scratch)
    far = 0.0
    for c in range(ints[N_COORDS]):
        far += (moved[c] - q[c]) ** 2
    return math.sqrt(far)


@kernel
def _barzilai_borwein(q, half_descent, last, otherwise):
    """sᵀs/sᵀy with s and y the last changes of q and ∇f, or ``otherwise`` where f curves down."""
    along, curve = 0.0, 0.0
    for c in range(len(q)):
        s = q[c] - last.q[c]
        along += s * s
        curve -= 2.0 * s * (half_descent[c] - last.half_descent[c])
    if curve <= 0.0:
        return otherwise
    return min(max(along / curve, _SHORTEST), _LONGEST)


@inlined_by_llvm
def projected_gradient_step(ints, floats, options, q, here, w, last, memory, out):
    """Δθ = −∇f (26), projected (40), back-tracked (34) until (39) holds.

    (39) is strict, so where P(q − τ∇f) = q it fails, and then for every shorter τ too: limits that
    are convex make such a q stationary.  The search ends there, and where the fall that (39) asks
    for is lost in the rounding of f.
    """
    n, f = np.int64(ints[N_COORDS]), here.f
    half_descent, trial = w.half_descent, w.trial
    length = options[_GRADIENT]
    if memory.settled or (
        length > 0.0 and _length(ints, floats, q, half_descent, trial, w.scratch) <= length
    ):
        return STUCK, f, memory
    tau = options[_FIRST_STEP]
    if options[_BARZILAI_BORWEIN] > 0.0 and here.iteration > 0:
        tau = _barzilai_borwein(q, half_descent, last, tau)
    while True:
        for c in range(n):
            trial[c] = q[c] + 2.0 * tau * half_descent[c]
        project(ints, floats, trial, w.scratch)
        slope, most = 0.0, 0.0
        for c in range(n):
            slope -= 2.0 * half_descent[c] * (trial[c] - q[c])
            most = max(most, abs(trial[c] - q[c]))
        # Written so that it also ends where the target is too far for f to be finite.
        if most == 0.0 or tau < _LEAST or not abs(slope) > 1e-17 * f:
            return no_way_down(options, here.gain), f, memory
        value = evaluate(ints, floats, trial, w.state, w.trial_r)
        out[OUT_EVALUATIONS] += 1.0
        # Where P is not convex (a cone on an exponential ball) the slope may be uphill.
        if value < f and value < f + options[_ALPHA] * slope:
            break
        tau *= options[_BETA]
    copy(q, n, last.q)
    copy(half_descent, n, last.half_descent)
    settled = f - value <= options[_RELATIVE] * f or most <= options[_STILL]
    return GO_ON, value, Memory(settled)


@kernel(borrows=True)
def projected_gradient(ints, floats, work, options, q, out, history):
    """Section 4 of line_search, with the steps of ``projected_gradient_step``."""
    w, work = view_gradient(ints, work)
    last, _ = view_last_step(ints, work)
    code, _ = iterate(
        ints, floats, options, q, out, history, w, last, Memory(False), by_gradient,
        projected_gradient_step,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class ProjectedGradient(Method):
    """Steepest descent with the projected Armijo line search of line_search, equations 26–40.

    f never rises and every iterate is inside the limits.  A first step of 1 suits a figure that
    measures about 1 in its unit: larger ones back-track to what they need, on smaller ones every
    step is too short.  Limits that are not convex (a cone on an exponential ball) may stop it short
    of a minimum, which it then reports as stalled.  Exactly half a turn from an Aim, or from an
    orientation by axes, the gradient is 0: it takes a restart to get away from there.
    """

    name = "projected_gradient"
    kernel = projected_gradient

    iterations: int = setting(
        100, "Iterations an attempt may take; each costs one Jacobian and a few evaluations."
    )
    alpha: float = setting(
        1e-4, "Armijo constant of equation 39: the part of the promised fall that must come true."
    )
    beta: float = setting(0.5, "Back-tracking factor of equation 34, α ≤ β < 1.")
    first_step: float = setting(1.0, "τ¹, the step that every search starts with.")
    barzilai_borwein: bool = setting(
        False,
        "Start each search but the first with the step sᵀs/sᵀy instead, s and y the last "
        "changes of q and ∇f. It is not in the paper, and converges many times faster.",
    )
    gradient: float = setting(
        0.0, "Give up at this ‖P(q − ∇f) − q‖, which depends on the figure's unit. 0: never."
    )
    relative: float = setting(
        0.0, "Give up when f falls by no more than this part of itself. 0: never."
    )
    still: float = setting(
        0.0,
        "Give up when no coordinate moves further than this (rad or the figure's unit). 0: never.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.alpha <= self.beta < 1.0:
            raise MethodError(
                f"{self.name}: needs 0 < alpha ≤ beta < 1, got {self.alpha:g} and {self.beta:g}"
            )
        if not 0.0 < self.first_step < math.inf:
            raise MethodError(f"{self.name}: first_step must be positive, got {self.first_step:g}")

    @classmethod
    def as_released(cls) -> Self:
        """The settings of the authors' own release of line_search: 10 iterations, three tolerances.

        1e-3 for the gradient, 1e-5 for the relative change of f, 1e-5 for the change of any
        coordinate.  They end a solve; only ``stationary`` decides whether it ended at a minimum.
        """
        return cls(iterations=10, gradient=1e-3, relative=1e-5, still=1e-5)

    def settings(self) -> tuple[float, ...]:
        return (
            self.alpha,
            self.beta,
            self.first_step,
            self.barzilai_borwein,
            self.gradient,
            self.relative,
            self.still,
        )

    def workspace(self, problem: Problem) -> int:
        return gradient_size(problem) + last_step_size(problem)
