"""A hybrid: a few projected gradient steps, then the default method."""

from __future__ import annotations

from dataclasses import dataclass, replace

from limbik.errors import MethodError
from limbik.jit import ExternalKernel, kernel
from limbik.maths.linear import copy
from limbik.methods.base import (
    KERNEL,
    O_DRAFT,
    O_GAIN,
    O_ITERATIONS,
    O_STATIONARY,
    OUT_EVALUATIONS,
    OUT_F,
    OUT_HISTORY,
    OUT_ITERATIONS,
    OUT_JACOBIANS,
    OWN,
    REACHED,
    STATIONARY,
    Method,
    finish,
)
from limbik.methods.default.projected_lm import ProjectedLevenbergMarquardt, projected_lm
from limbik.methods.gradient.projected_gradient import ProjectedGradient, projected_gradient
from limbik.methods.settings import setting
from limbik.solver.problem import Problem

_FIRST = len(ProjectedGradient().settings())
_THEN = len(ProjectedLevenbergMarquardt().settings())
_first = ExternalKernel(projected_gradient, KERNEL.signature)
_then = ExternalKernel(projected_lm, KERNEL.signature)
_MOST = OWN + max(_FIRST, _THEN)


@kernel(borrows=True)
def hybrid(ints, floats, work, options, q, out, history):
    """The kernel of projected_gradient, then that of projected_lm from where it ended.

    The first phase ends with its own iterations, or when one of them lowers f by no more than the
    part ``relative``.  Both share the workspace; its end holds the options of the phase.
    """
    own = work[len(work) - _MOST :]
    own[O_ITERATIONS] = min(options[OWN], options[O_ITERATIONS])
    own[O_DRAFT], own[O_GAIN], own[O_STATIONARY] = 0.0, 0.0, options[O_STATIONARY]
    copy(options[OWN + 1 :], _FIRST, own[OWN:])
    code = _first(ints, floats, work, own, q, out, history)
    iterations, evaluations = out[OUT_ITERATIONS], out[OUT_EVALUATIONS]
    jacobians, noted = out[OUT_JACOBIANS], int(out[OUT_HISTORY])
    if code in (REACHED, STATIONARY):
        return code
    own[O_ITERATIONS] = options[O_ITERATIONS] - iterations
    own[O_DRAFT], own[O_GAIN] = options[O_DRAFT], options[O_GAIN]
    copy(options[OWN + 1 + _FIRST :], _THEN, own[OWN:])
    # The second phase notes its start, which is the first's end, once more: in the same row.
    seam = max(noted - 1, 0)
    code = _then(ints, floats, work, own, q, out, history[seam:])
    finish(
        out,
        out[OUT_F],
        iterations + out[OUT_ITERATIONS],
        evaluations + out[OUT_EVALUATIONS],
        jacobians + out[OUT_JACOBIANS],
        seam + int(out[OUT_HISTORY]),
    )
    return code


@dataclass(frozen=True)
class Hybrid(Method):
    """Projected gradient first, the default method last: the hybrid in section 7 of line_search.

    From far away the first long Gauss–Newton steps often press joints against limits that then hold
    them; a few gradient steps first may spare that, and near the end Gauss–Newton is faster.  f
    never rises and every iterate is inside the limits, as both promise.

    >>> Hybrid(first=ProjectedGradient(iterations=3)).first.iterations
    3
    """

    name = "hybrid"
    kernel = hybrid

    first: ProjectedGradient = setting(
        ProjectedGradient(iterations=3, barzilai_borwein=True, relative=0.05),
        "What it starts with: at most ``first.iterations``, and no more once one of them "
        "lowers f by no more than the part ``first.relative``.",
    )
    then: ProjectedLevenbergMarquardt = setting(
        ProjectedLevenbergMarquardt(),
        "What it ends with. Only the hybrid's own ``iterations`` count for it, and for both its "
        "own ``stationary``.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, kind in (("first", ProjectedGradient), ("then", ProjectedLevenbergMarquardt)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise MethodError(f"{self.name}: {name} must be a {kind.__name__}, got {value!r}")

    def settings(self) -> tuple[float, ...]:
        first = replace(self.first, stationary=self.stationary)
        then = replace(self.then, stationary=self.stationary)
        return (first.iterations, *first.settings(), *then.settings())

    def workspace(self, problem: Problem) -> int:
        return max(self.first.workspace(problem), self.then.workspace(problem)) + _MOST
