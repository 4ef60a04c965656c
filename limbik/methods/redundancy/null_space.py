"""The pseudo-inverse with a second wish: what the goals leave free goes downhill on a criterion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.jit import inlined_by_llvm, kernel
from limbik.methods.base import OUT_SINGULAR, REACHED, STUCK
from limbik.methods.least_squares.svd_step import (
    fill_svd,
    pseudo_inverse_step,
    view_svd,
)
from limbik.methods.loop import GO_ON, iterate_until, value_at_start
from limbik.methods.redundancy.criteria import (
    CRITERIA,
    gradient_of,
    value_of,
    view_criterion,
)
from limbik.methods.redundancy.criterion_method import CriterionMethod
from limbik.methods.redundancy.criterion_search import (
    BOTH,
    NOWHERE,
    O_CUTOFF,
    O_FIXED,
    O_TABLE,
    O_USUAL_RANK,
    by_gradient_unless_met,
    first_gain,
    fixed_step,
    has_settled,
    search,
    settled_or_spent,
    view_secondary,
)
from limbik.methods.redundancy.null_space_basis import (
    free_gradient,
    hold_columns,
    leave_free,
    take_vectors,
)
from limbik.methods.settings import setting
from limbik.methods.workspace import view_gradient
from limbik.solver.objective import reached


class Memory(NamedTuple):
    """What is carried from step to step."""

    alpha: float  # the last gain
    settled: bool  # the criterion is at its lowest


@inlined_by_llvm
def null_space_step(ints, floats, options, q, here, w, own, memory, out):
    """dq = J⁺dx − α(I − J⁺J)∇g, projected onto the limits.

    J⁺dx is halved until f falls, then α until g falls (criterion_search.search), unless α is fixed.
    """
    second, criterion, svd = own
    met, alpha = reached(ints, floats, w.state), memory.alpha
    leave_free(ints, floats, q, w.half_descent, options[O_TABLE:], second.free)
    fill_svd(ints, floats, q, w.jt, w.model_residual, svd)
    hold_columns(svd, second.free)
    rank = pseudo_inverse_step(svd, options[O_CUTOFF], w.step)
    take_vectors(svd, rank, second.vectors)
    gradient_of(ints, floats, q, w.state, criterion, second.gradient)
    free_gradient(second.gradient, second.vectors, rank, second.free, second.secondary)
    g_here = value_of(ints, floats, q, w.state, criterion)
    if options[O_FIXED] > 0.0:
        code, value, g = fixed_step(
            ints, floats, q, met, options[O_FIXED], criterion, g_here, w, second, out
        )
        if code != GO_ON:
            return code, value, memory
    else:
        alpha = first_gain(ints, floats, criterion, second.secondary, alpha)
        found, value, g, alpha = search(
            ints, floats, q, here.f, met, alpha, criterion, g_here, w, svd, rank, second, out
        )
        if found != BOTH:
            alpha = math.inf
            if met or found == NOWHERE:
                return (REACHED if met else STUCK), value, memory
    out[OUT_SINGULAR] += rank < options[O_USUAL_RANK]
    return GO_ON, value, Memory(alpha, met and has_settled(g_here, g))


@kernel(borrows=True)
def null_space(ints, floats, work, options, q, out, history):
    """Equation 5 of extended_jacobian, with the steps of ``null_space_step``.

    With the goals met it goes on as long as g falls and they stay met.
    """
    w, work = view_gradient(ints, work)
    second, work = view_secondary(ints, work)
    criterion, work = view_criterion(ints, options[O_TABLE + len(q) :], work)
    svd, _ = view_svd(ints, work)
    code, _ = iterate_until(
        ints, floats, options, q, out, history, w, (second, criterion, svd),
        Memory(math.inf, False), value_at_start, settled_or_spent, by_gradient_unless_met,
        null_space_step, math.inf, 0.0,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class NullSpace(CriterionMethod):
    """dq = J⁺dx − α(I − J⁺J)∇g: a criterion steers what the goals leave free (Liégeois).

    Every iterate is inside the limits.  f may rise only once the goals are met, and not beyond
    their tolerance, unless the gain is fixed.
    """

    name = "null_space"
    kernel = null_space
    descends = False

    iterations: int = setting(
        200, "Iterations an attempt may take, those that only lower the criterion included."
    )
    criterion: str = setting(
        "limits",
        'What to make small: "limits" (distance from the middle of the limits), "rest" '
        '(distance from a pose) or "manipulability" (−log √det JJᵀ, by differences: 2n '
        "Jacobians per iteration).",
        choices=CRITERIA,
    )
    pose: Sequence[float] | np.ndarray | None = setting(
        None, 'The pose of "rest", (n,); the figure\'s rest pose unless given.'
    )
    gain: float | None = setting(
        None,
        "α of equation 5, taken as it is, as is J⁺dx. None: found by a line search, which the"
        " paper misses when it says that α is difficult to obtain.",
    )
    settle: bool = setting(
        True, "Go on after the goals are met, until the criterion stops falling."
    )
    polish: bool = setting(False, "Go on also where the start meets the goals already.")
    cutoff: float = setting(1e-3, "Singular values up to this part of the largest count as 0.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gain is not None and not 0.0 < self.gain < math.inf:
            raise MethodError(f"{self.name}: gain must be positive or None, got {self.gain:g}")

    def settings(self) -> tuple[float, ...]:
        gain = 0.0 if self.gain is None else self.gain
        return (self.cutoff, gain, self.settle, self.polish)
