"""Damped least squares: the pseudo-inverse made safe near singular poses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from limbik.jit import inlined_by_llvm, kernel
from limbik.methods.base import OWN
from limbik.methods.least_squares.damped_solve import (
    DampedMethod,
    damped_search,
    damped_trial,
    less_damping,
    view_damped,
)
from limbik.methods.loop import GO_ON, by_model, iterate, no_way_down
from limbik.methods.settings import setting
from limbik.methods.workspace import view_gradient

# Settings in the order of ``options``, and the scale of λ.
_DAMPING, _ADAPTIVE, _SCALE = range(OWN, OWN + 3)


class Memory(NamedTuple):
    """What is carried from step to step."""

    damping: float


@inlined_by_llvm
def damped_least_squares_step(ints, floats, options, q, here, w, system, memory, out):
    """θ ← P(θ + Δθ) with the Δθ of equation 15 of line_search.

    Adaptive, a step that does not lower f is not taken but solved for again with a larger λ, until
    it is as short and as steep as it takes.
    """
    damping, scale = memory.damping, options[_SCALE]
    if options[_ADAPTIVE] > 0.0:
        value, damping = damped_search(ints, floats, q, here, w, system, damping, scale, out)
        damping = less_damping(damping)
    else:
        value = damped_trial(ints, floats, q, w, system, (damping * scale) ** 2, out)
    if not math.isfinite(value):
        return no_way_down(options, here.gain), value, memory
    return GO_ON, value, Memory(damping)


@kernel(borrows=True)
def damped_least_squares(ints, floats, work, options, q, out, history):
    """The steps of ``damped_least_squares_step``.

    Where a step leads to numbers that are not finite, the last finite pose stays.
    """
    w, work = view_gradient(ints, work)
    system, _ = view_damped(ints, work)
    code, _ = iterate(
        ints, floats, options, q, out, history, w, system, Memory(options[_DAMPING]), by_model,
        damped_least_squares_step,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class DampedLeastSquares(DampedMethod):
    """θ ← P(θ + (JᵀJ + λ²I)⁻¹Jᵀe), equation 15 of line_search, projected after every step.

    Every iterate is inside the limits.  With a fixed λ f may rise; adaptive, it never does.  Limits
    are no part of the system: what they cut off a step is lost, so that near them an adaptive λ
    grows and the method creeps.
    """

    name = "damped_least_squares"
    kernel = damped_least_squares
    descends = False

    iterations: int = setting(
        200,
        "Iterations an attempt may take; each costs one Jacobian and one Cholesky factorisation.",
    )
    damping: float = setting(
        0.1,
        "λ in units of √w·lever, with the largest weight w of a row and a lever of a quarter "
        "of the figure's size: the same in metres and centimetres. Adaptive, it is the first "
        "λ.",
    )
    adaptive: bool = setting(
        False,
        "As Levenberg and Marquardt: λ falls to a third after a step that lowers f and grows "
        "fourfold after one that does not, which is then not taken.",
    )

    def settings(self) -> tuple[float, ...]:
        return (self.damping, self.adaptive)
