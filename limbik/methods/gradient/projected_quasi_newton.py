"""A projected quasi-Newton method of limited memory, in the manner of L-BFGS-B."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import F_LOWER, F_METRIC, F_UPPER, I_IN_CONE, N_COORDS, NONE
from limbik.figure.projection import free_directions, project
from limbik.jit import inlined_by_llvm, inner, kernel, kernel_part
from limbik.maths.linear import copy
from limbik.methods.base import OUT_EVALUATIONS, OWN, Method
from limbik.methods.gradient.inverse_hessian import curves, first_scale, gradient_change
from limbik.methods.loop import GO_ON, by_finite_gradient, iterate, no_way_down
from limbik.methods.settings import setting
from limbik.methods.workspace import (
    floats_taken,
    gradient_size,
    last_step_size,
    take,
    take_integers,
    take_table,
    view_gradient,
    view_last_step,
)
from limbik.solver.objective import evaluate
from limbik.solver.problem import Problem

_ALPHA, _PAIRS = range(OWN, OWN + 2)  # settings in the order of ``options``

_TRIES = 40  # shortening a step so often takes it below rounding
_NEAR = 1e-3  # rad: how near a limit counts as at it, where ∇f presses into it


class LBFGSWorkspace(NamedTuple):
    """The last pairs (s, y), and arrays in the coordinates of the free directions."""

    starts: np.ndarray  # first coordinate of direction d,
    spans: np.ndarray  # how many it moves,
    coefficients: np.ndarray  # (n, 3) and by how much each
    s: np.ndarray  # (pairs, n) changes of q
    y: np.ndarray  # (pairs, n) changes of ∇f
    share: np.ndarray  # (pairs,) of the two loops
    along: np.ndarray  # (n,) the step along the free directions
    near: np.ndarray  # (n,) q with nearly active limits met


@kernel_part
def view_lbfgs(ints, pairs, work):
    """work -> LBFGSWorkspace, and what is left."""
    n = np.int64(ints[N_COORDS])
    directions, work = take_integers(work, 2, n)
    coefficients, work = take_table(work, n, 3)
    s, work = take_table(work, pairs, n)
    y, work = take_table(work, pairs, n)
    share, work = take(work, pairs)
    by_n, work = take_table(work, 2, n)
    return LBFGSWorkspace(
        directions[0], directions[1], coefficients, s, y, share, by_n[0], by_n[1]
    ), work


class Memory(NamedTuple):
    """What is carried from step to step."""

    kept: int  # how many pairs count
    newest: int  # the row of the last one


@kernel
def _free(ints, floats, q, half_descent, lbfgs, scratch):
    """How many directions are not at a limit, or nearly, that −∇f presses into; they go to lbfgs.

    Bertsekas' condition: without the nearly, a limit that q comes ever closer to would make steps
    ever shorter.  How near counts as at it shrinks with the step that is left to make.
    """
    near, left = lbfgs.near, 0.0
    for c in range(ints[N_COORDS]):
        near[c] = q[c] + half_descent[c]
    project(ints, floats, near, scratch)
    for c in range(ints[N_COORDS]):
        left = max(left, abs(near[c] - q[c]))
        near[c] = q[c]
    for c in range(ints[N_COORDS]):
        if ints[ints[I_IN_CONE] + c] == NONE:
            margin = min(_NEAR * math.sqrt(floats[ints[F_METRIC] + c]), left)
            low, high = floats[ints[F_LOWER] + c], floats[ints[F_UPPER] + c]
            if half_descent[c] < 0.0 and q[c] <= low + margin:
                near[c] = low
            elif half_descent[c] > 0.0 and q[c] >= high - margin:
                near[c] = high
    return free_directions(
        ints, floats, near, half_descent, lbfgs.starts, lbfgs.spans, lbfgs.coefficients, scratch
    )


@kernel
def _reduced(lbfgs, d, v):
    """The component of v (n,) along free direction d."""
    total = 0.0
    for k in range(lbfgs.spans[d]):
        total += lbfgs.coefficients[d, k] * v[lbfgs.starts[d] + k]
    return total


@inner
def _along(lbfgs, count, v):
    """Σ v·along over the free directions, for a v (n,)."""
    total = 0.0
    for d in range(count):
        total += _reduced(lbfgs, d, v) * lbfgs.along[d]
    return total


@inner
def _curve_of_pair(ints, floats, lbfgs, count, p):
    """(sᵀy, yᵀMy) of pair p along the free directions; sᵀy is 0 where f is not curved along s."""
    curve, square, moved = 0.0, 0.0, 0.0
    for d in range(count):
        s, y = _reduced(lbfgs, d, lbfgs.s[p]), _reduced(lbfgs, d, lbfgs.y[p])
        metric = floats[ints[F_METRIC] + lbfgs.starts[d]]
        curve += s * y
        square += metric * y * y
        moved += s * s / metric
    return (curve if curve > 1e-8 * math.sqrt(moved * square) else 0.0), square


@kernel
def two_loops(ints, floats, half_descent, lbfgs, count, kept, newest, scale):
    """lbfgs.along = −H∇f along the free directions, H the L-BFGS matrix of the kept pairs.

    Pairs are cut down to the free directions first, and left out where f is not curved along what
    remains.  ``scale`` of the metric is the first guess of H, replaced by sᵀy/yᵀMy of the newest
    pair in use; returns what was used.
    """
    along, pairs = lbfgs.along, len(lbfgs.share)
    for d in range(count):
        along[d] = 2.0 * _reduced(lbfgs, d, half_descent)
    found = False
    for k in range(kept):
        p = (newest - k + pairs) % pairs
        curve, square = _curve_of_pair(ints, floats, lbfgs, count, p)
        lbfgs.share[p] = 0.0
        if curve > 0.0:
            lbfgs.share[p] = _along(lbfgs, count, lbfgs.s[p]) / curve
            for d in range(count):
                along[d] -= lbfgs.share[p] * _reduced(lbfgs, d, lbfgs.y[p])
            if not found:
                scale, found = curve / square, True
    for d in range(count):
        along[d] *= scale * floats[ints[F_METRIC] + lbfgs.starts[d]]
    for k in range(kept - 1, -1, -1):
        p = (newest - k + pairs) % pairs
        curve, _ = _curve_of_pair(ints, floats, lbfgs, count, p)
        if curve > 0.0:
            back = lbfgs.share[p] - _along(lbfgs, count, lbfgs.y[p]) / curve
            for d in range(count):
                along[d] += back * _reduced(lbfgs, d, lbfgs.s[p])
    return scale


@kernel
def _spread(ints, floats, q, half_descent, lbfgs, count, scale, step):
    """The step in q: ``along`` on the free directions, a scaled gradient on ranges at a limit."""
    for c in range(ints[N_COORDS]):
        step[c] = 0.0
        if lbfgs.near[c] != q[c]:
            step[c] = 2.0 * scale * floats[ints[F_METRIC] + c] * half_descent[c]
    for d in range(count):
        for k in range(lbfgs.spans[d]):
            step[lbfgs.starts[d] + k] += lbfgs.coefficients[d, k] * lbfgs.along[d]


@inlined_by_llvm
def quasi_newton_step(ints, floats, options, q, here, w, own, memory, out):
    """q ← P(q − τD∇f), with equation 39 of line_search for τ.

    D is the L-BFGS matrix on the directions that limits leave free and diagonal on the others.
    """
    lbfgs, last = own
    n, pairs, f = np.int64(ints[N_COORDS]), len(lbfgs.share), here.f
    half_descent, trial, step = w.half_descent, w.trial, w.step
    kept, newest = memory.kept, memory.newest
    if here.iteration > 0:
        place = (newest + 1) % pairs
        s, y = lbfgs.s[place], lbfgs.y[place]
        gradient_change(ints, floats, last, q, half_descent, w.scratch, y)
        for c in range(n):
            s[c] = q[c] - last.q[c]
        if curves(ints, floats, s, y):
            newest, kept = place, min(kept + 1, pairs)
        elif kept == pairs:
            kept -= 1  # the oldest has been written over
    count = _free(ints, floats, q, half_descent, lbfgs, w.scratch)
    while True:
        scale = first_scale(ints, floats, w.jt, half_descent)
        scale = two_loops(ints, floats, half_descent, lbfgs, count, kept, newest, scale)
        _spread(ints, floats, q, half_descent, lbfgs, count, scale, step)
        tau = 1.0
        for _ in range(_TRIES):
            for c in range(n):
                trial[c] = q[c] + tau * step[c]
            project(ints, floats, trial, w.scratch)
            slope = 0.0
            for c in range(n):
                slope += half_descent[c] * (trial[c] - q[c])
            if slope > 1e-17 * f:
                value = evaluate(ints, floats, trial, w.state, w.trial_r)
                out[OUT_EVALUATIONS] += 1.0
                if value < f and value < f - 2.0 * options[_ALPHA] * slope:
                    copy(q, n, last.q)
                    copy(half_descent, n, last.half_descent)
                    return GO_ON, value, Memory(kept, newest)
            tau *= 0.5 if slope > 0.0 else 0.25
        if kept == 0:
            break
        # What the pairs say misleads: start again with the gradient.
        kept = 0
    evaluate(ints, floats, q, w.state, w.r)
    out[OUT_EVALUATIONS] += 1.0
    return no_way_down(options, here.gain), f, memory


@kernel(borrows=True)
def projected_quasi_newton(ints, floats, work, options, q, out, history):
    """Bertsekas' two-metric projection, with the steps of ``quasi_newton_step``.

    For a D that is full everywhere P(q − τD∇f) need not lower f for any τ, which is why line_search
    (section 4) gives quasi-Newton up; with one that is diagonal where limits hold it does.
    """
    pairs = int(options[_PAIRS])
    w, work = view_gradient(ints, work)
    lbfgs, work = view_lbfgs(ints, pairs, work)
    last, _ = view_last_step(ints, work)
    code, _ = iterate(
        ints, floats, options, q, out, history, w, (lbfgs, last), Memory(0, pairs - 1),
        by_finite_gradient, quasi_newton_step,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class ProjectedQuasiNewton(Method):
    """L-BFGS on what the limits leave free, projected: second-order behaviour at first-order cost.

    f never rises and every iterate is inside the limits.  An iteration costs one Jacobian, a few
    evaluations and O(n·pairs).  Limits that are not convex (a cone on an exponential ball) may stop
    it short of a minimum, which it then reports as stalled.  Exactly half a turn from an Aim, or
    from an orientation by axes, the gradient is 0: it takes a restart to get away from there.
    """

    name = "projected_quasi_newton"
    kernel = projected_quasi_newton

    alpha: float = setting(1e-4, "Armijo constant of equation 39 of line_search.")
    pairs: int = setting(10, "How many of the last steps are remembered.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.alpha < 0.5:
            raise MethodError(f"{self.name}: needs 0 < alpha < ½, got {self.alpha:g}")
        if self.pairs < 1:
            raise MethodError(f"{self.name}: pairs must be at least 1, got {self.pairs}")

    def settings(self) -> tuple[float, ...]:
        return (self.alpha, self.pairs)

    def workspace(self, problem: Problem) -> int:
        own = floats_taken(view_lbfgs, problem.ints, self.pairs)
        return gradient_size(problem) + own + last_step_size(problem)
