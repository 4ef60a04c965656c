"""A projected quasi-Newton method of limited memory, in the manner of L-BFGS-B."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import F_LOWER, F_UPPER, I_IN_CONE, N_COORDS, NONE
from limbik.figure.projection import free_directions, project
from limbik.jit import kernel
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
from limbik.methods.gradient.inverse_hessian import curves, first_scale, gradient_change
from limbik.methods.settings import setting
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import F_METRIC, descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_ROUNDING = 1e-5  # where f is rounded, the line search fails at a gain up to about this one
_TRIES = 40  # shortening a step so often takes it below rounding
_NEAR = 1e-3  # rad: how near a limit counts as at it, where ∇f presses into it


class Memory(NamedTuple):
    """The last pairs (s, y), and arrays in the coordinates of the free directions."""

    starts: np.ndarray  # first coordinate of direction d,
    spans: np.ndarray  # how many it moves,
    coefficients: np.ndarray  # (n, 3) and by how much each
    s: np.ndarray  # (pairs, n) changes of q
    y: np.ndarray  # (pairs, n) changes of ∇f
    share: np.ndarray  # (pairs,) of the two loops
    along: np.ndarray  # (n,) the step along the free directions
    near: np.ndarray  # (n,) q with nearly active limits met
    pushed: np.ndarray  # (n,) −½∇f at the pose before
    before: np.ndarray  # (n,) that pose


@kernel
def open_memory(n, pairs, spare):
    """spare (8n + pairs(2n + 1),) -> Memory."""
    marks = spare[:n].view(np.uint32).reshape(2, n)
    coefficients, at = spare[n : 4 * n].reshape(n, 3), 4 * n
    s = spare[at : at + pairs * n].reshape(pairs, n)
    at += pairs * n
    y = spare[at : at + pairs * n].reshape(pairs, n)
    at += pairs * n
    share = spare[at : at + pairs]
    at += pairs
    rest = spare[at : at + 4 * n].reshape(4, n)
    return Memory(marks[0], marks[1], coefficients, s, y, share, rest[0], rest[1], rest[2], rest[3])


@kernel
def _free(ints, floats, q, push, memory, scratch):
    """The directions that are not at a limit, or nearly, that ``push`` presses into; how many.

    Bertsekas' condition: without the nearly, a limit that q comes ever closer to would make steps
    ever shorter.  How near counts as at it shrinks with the step that is left to make.
    """
    near, left = memory.near, 0.0
    for c in range(ints[N_COORDS]):
        near[c] = q[c] + push[c]
    project(ints, floats, near, scratch)
    for c in range(ints[N_COORDS]):
        left = max(left, abs(near[c] - q[c]))
        near[c] = q[c]
    for c in range(ints[N_COORDS]):
        if ints[ints[I_IN_CONE] + c] == NONE:
            margin = min(_NEAR * math.sqrt(floats[ints[F_METRIC] + c]), left)
            low, high = floats[ints[F_LOWER] + c], floats[ints[F_UPPER] + c]
            if push[c] < 0.0 and q[c] <= low + margin:
                near[c] = low
            elif push[c] > 0.0 and q[c] >= high - margin:
                near[c] = high
    return free_directions(
        ints, floats, near, push, memory.starts, memory.spans, memory.coefficients, scratch
    )


@kernel
def _reduced(memory, d, v):
    """The component of v (n,) along free direction d."""
    total = 0.0
    for k in range(memory.spans[d]):
        total += memory.coefficients[d, k] * v[memory.starts[d] + k]
    return total


@kernel
def two_loops(ints, floats, push, memory, count, kept, newest, scale):
    """memory.along = −H∇f along the free directions, H the L-BFGS matrix of the kept pairs.

    Pairs are cut down to the free directions first, and left out where f is not curved along what
    remains.  ``scale`` of the metric is the first guess of H, replaced by sᵀy/yᵀMy of the newest
    pair in use; returns what was used.
    """
    along, pairs = memory.along, len(memory.share)
    for d in range(count):
        along[d] = 2.0 * _reduced(memory, d, push)
    found = False
    for k in range(kept):
        p = (newest - k + pairs) % pairs
        curve, forward, square, moved = 0.0, 0.0, 0.0, 0.0
        for d in range(count):
            s, y = _reduced(memory, d, memory.s[p]), _reduced(memory, d, memory.y[p])
            metric = floats[ints[F_METRIC] + memory.starts[d]]
            curve += s * y
            forward += s * along[d]
            square += metric * y * y
            moved += s * s / metric
        memory.share[p] = 0.0
        if curve > 1e-8 * math.sqrt(moved * square):
            memory.share[p] = forward / curve
            for d in range(count):
                along[d] -= memory.share[p] * _reduced(memory, d, memory.y[p])
            if not found:
                scale, found = curve / square, True
    for d in range(count):
        along[d] *= scale * floats[ints[F_METRIC] + memory.starts[d]]
    for k in range(kept - 1, -1, -1):
        p = (newest - k + pairs) % pairs
        curve, square, moved, back = 0.0, 0.0, 0.0, 0.0
        for d in range(count):
            s, y = _reduced(memory, d, memory.s[p]), _reduced(memory, d, memory.y[p])
            metric = floats[ints[F_METRIC] + memory.starts[d]]
            curve += s * y
            square += metric * y * y
            moved += s * s / metric
            back += y * along[d]
        if curve > 1e-8 * math.sqrt(moved * square):
            for d in range(count):
                along[d] += (memory.share[p] - back / curve) * _reduced(memory, d, memory.s[p])
    return scale


@kernel
def _spread(ints, floats, q, push, memory, count, scale, step):
    """The step in q: ``along`` on the free directions, a scaled gradient on ranges at a limit."""
    for c in range(ints[N_COORDS]):
        step[c] = 0.0
        if memory.near[c] != q[c]:
            step[c] = 2.0 * scale * floats[ints[F_METRIC] + c] * push[c]
    for d in range(count):
        for k in range(memory.spans[d]):
            step[memory.starts[d] + k] += memory.coefficients[d, k] * memory.along[d]


@kernel
def projected_quasi_newton(ints, floats, work, options, q, out, history):
    """Bertsekas' two-metric projection: q ← P(q − τD∇f), with equation 39 of line_search for τ.

    D is the L-BFGS matrix on the directions that limits leave free and diagonal on the others.  For
    a D that is full everywhere P(q − τD∇f) need not lower f for any τ, which is why line_search
    (section 4) gives quasi-Newton up; with this D it does.
    """
    n, pairs = np.int64(ints[N_COORDS]), int(options[OWN + 2])
    sheet = open_sheet(ints, work)
    state, r, push, trial, step = sheet.state, sheet.r, sheet.push, sheet.trial, sheet.step
    memory, scratch = open_memory(n, pairs, sheet.spare), sheet.scratch
    alpha, stationary = options[OWN], options[OWN + 1]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration = 1, 0, 0
    code, kept, newest = SPENT, 0, pairs - 1
    while True:
        if reached(ints, floats, state):
            code = REACHED
            break
        if not math.isfinite(f):
            code = STUCK
            break
        if iteration >= options[O_ITERATIONS]:
            break
        linearise(ints, floats, q, state, r, sheet.jt, sheet.target)
        jacobians += 1
        descent(ints, floats, q, sheet.jt, r, push)
        gain = gain_left(ints, floats, q, sheet, f)
        if gain <= stationary:
            code = STATIONARY
            break
        if iteration > 0:
            place = (newest + 1) % pairs
            s, y = memory.s[place], memory.y[place]
            gradient_change(ints, floats, memory.before, memory.pushed, q, push, scratch, y)
            for c in range(n):
                s[c] = q[c] - memory.before[c]
            if curves(ints, floats, s, y):
                newest, kept = place, min(kept + 1, pairs)
            elif kept == pairs:
                kept -= 1  # the oldest has been written over
        count = _free(ints, floats, q, push, memory, scratch)
        accepted, value = False, f
        while True:
            scale = first_scale(ints, floats, sheet.jt, push)
            scale = two_loops(ints, floats, push, memory, count, kept, newest, scale)
            _spread(ints, floats, q, push, memory, count, scale, step)
            tau = 1.0
            for _ in range(_TRIES):
                for c in range(n):
                    trial[c] = q[c] + tau * step[c]
                project(ints, floats, trial, scratch)
                slope = 0.0
                for c in range(n):
                    slope += push[c] * (trial[c] - q[c])
                if slope > 1e-17 * f:
                    value = evaluate(ints, floats, trial, state, sheet.trial_r)
                    evaluations += 1
                    if value < f and value < f - 2.0 * alpha * slope:
                        accepted = True
                        break
                tau *= 0.5 if slope > 0.0 else 0.25
            if accepted or kept == 0:
                break
            # What the pairs say misleads: start again with the gradient.
            kept = 0
        if not accepted:
            evaluate(ints, floats, q, state, r)
            evaluations += 1
            code = STATIONARY if gain <= max(stationary, _ROUNDING) else STUCK
            break
        f = value
        memory.before[:] = q
        memory.pushed[:] = push
        q[:] = trial
        r[:] = sheet.trial_r
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted)
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
        if not 0.0 < self.alpha < 0.5:
            raise MethodError(f"{self.name}: needs 0 < alpha < ½, got {self.alpha:g}")
        if self.pairs < 1:
            raise MethodError(f"{self.name}: pairs must be at least 1, got {self.pairs}")

    def settings(self) -> tuple[float, ...]:
        return (self.alpha, self.stationary, self.pairs)

    def workspace(self, problem: Problem) -> int:
        n = problem.figure.n
        return sheet_size(problem) + 8 * n + self.pairs * (2 * n + 1)
