"""A trust-region method for limits, which line_search names among its future work."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import F_CONE, I_IN_CONE, N_COORDS
from limbik.figure.projection import CONE_FLOATS, free_directions, project
from limbik.goals.terms import N_ROWS
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
from limbik.methods.constrained.complementarity import normal_and_curvature
from limbik.methods.constrained.reduced import (
    add_step,
    lay_reduced,
    promised_by,
    reduce_model,
    reduce_vector,
    reduced_size,
)
from limbik.methods.constrained.trust_box import cauchy_point, fill_box, lay_box, step_in_box
from limbik.methods.settings import setting
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import F_METRIC, descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_ROUNDING = 1e-5  # where f is rounded, every step fails at a gain up to about this one
_SHRINK, _GROW = 0.25, 2.0  # what becomes of the radius below and above these ratios:
_POOR, _GOOD = 0.25, 0.75


@kernel
def add_curvature(ints, floats, q, push, count, z):
    """What a cone's edge adds to H along its tangent: the push into the edge times its curvature.

    A step along the tangent is projected back onto the edge, and so goes against the push.
    """
    for d in range(count):
        if z.spans[d] == 2:
            c = z.starts[d]
            f = ints[F_CONE] + CONE_FLOATS * ints[ints[I_IN_CONE] + c]
            x, y = q[c] - floats[f + 2], q[c + 1] - floats[f + 3]
            nx, ny, curvature = normal_and_curvature(x, y, floats[f], floats[f + 1])
            z.hessian[d, d] += curvature * max(0.0, nx * push[c] + ny * push[c + 1])


@kernel
def _furthest(ints, floats, q, trial):
    """The largest change of a coordinate, a slide counted as in ``fill_box``."""
    most = 0.0
    for c in range(ints[N_COORDS]):
        most = max(most, abs(trial[c] - q[c]) / math.sqrt(floats[ints[F_METRIC] + c]))
    return most


@kernel
def trust_region(ints, floats, work, options, q, out, history):
    """A Gauss–Newton model in a box; the next box follows from how much of its promise came true.

    Near half a turn the model aims at what ``linearise`` says instead of r; a step of it must pay
    at once, or the residuals themselves are tried.
    """
    n, rows = np.int64(ints[N_COORDS]), np.int64(ints[N_ROWS])
    sheet = open_sheet(ints, work)
    state, r, trial_r, scratch = sheet.state, sheet.r, sheet.trial_r, sheet.scratch
    push, aim, trial, jt = sheet.push, sheet.step, sheet.trial, sheet.jt
    z, spare = lay_reduced(ints, sheet.spare)
    box = lay_box(ints, spare)
    radius, largest, least = options[OWN], options[OWN + 1], options[OWN + 2]
    passes, stationary = int(options[OWN + 3]), options[OWN + 4]

    z.extra[:] = 0.0
    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration = 1, 0, 0
    code = SPENT
    while True:
        if reached(ints, floats, state):
            code = REACHED
            break
        if iteration >= options[O_ITERATIONS]:
            break
        bent = linearise(ints, floats, q, state, r, jt, sheet.target)
        jacobians += 1
        descent(ints, floats, q, jt, r, push)
        gain = gain_left(ints, floats, q, sheet, f)
        if gain <= stationary and not bent:
            code = STATIONARY
            break
        count = free_directions(ints, floats, q, push, z.starts, z.spans, z.coefficients, scratch)
        reduce_model(ints, floats, jt, count, z)
        add_curvature(ints, floats, q, push, count, z)
        descent(ints, floats, q, jt, sheet.target, aim)
        reduce_vector(z, count, aim, z.gradient)
        accepted = False
        value, first = f, radius
        while True:
            fill_box(ints, floats, q, z, count, radius, box)
            cauchy_point(ints, floats, z, count, box)
            step_in_box(z, count, passes, box)
            copy(q, n, trial)
            add_step(z, count, 1.0, trial)
            project(ints, floats, trial, scratch)
            most = _furthest(ints, floats, q, trial)
            fall = promised_by(ints, floats, jt, aim, q, trial)
            ratio = -1.0
            # Written so that it also ends where the target is too far for f to be finite.
            lost = most == 0.0 or not fall > 1e-17 * f
            if not lost:
                value = evaluate(ints, floats, trial, state, trial_r)
                evaluations += 1
                ratio = (f - value) / fall
                if value < (0.99 * f if bent else f) and ratio >= least:
                    accepted = True
            if bent and not accepted:
                bent, radius = False, first
                if gain <= stationary:
                    break
                copy(push, n, aim)
                reduce_vector(z, count, aim, z.gradient)
                continue
            if not ratio >= _POOR:
                radius = _SHRINK * min(radius, most)
            elif ratio > _GOOD and most >= 0.9 * radius:
                radius = min(_GROW * radius, largest)
            if accepted or not radius > 1e-15 or (lost and not fall <= 0.0):
                break
        if not accepted:
            code = STATIONARY if gain <= max(stationary, _ROUNDING) else STUCK
            evaluate(ints, floats, q, state, r)
            break
        f = value
        copy(trial, n, q)
        copy(trial_r, rows, r)
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted)
    return code


@dataclass(frozen=True)
class TrustRegion(Method):
    """Gauss–Newton in a trust region, for limits: section 7 of line_search leaves it open.

    The trust region is a box, so that box and ranges together are a box again, in which the model
    is minimised (Voglis and Lagaris's dogbox, with a generalised Cauchy point as in Conn, Gould
    and Toint); cones keep their tangents, with the edge's curvature in the model, and are projected
    onto.  A step is taken when f falls by enough of what the model promised.  f never rises and
    every iterate is inside the limits.
    """

    name = "trust_region"
    kernel = trust_region

    radius: float = setting(1.0, "How far any coordinate may turn in the first step, in rad.")
    largest: float = setting(6.0, "The radius grows no further than this.")
    accept: float = setting(
        1e-3, "The part of the model's promise that must come true, 0 < accept < ¼."
    )
    passes: int = setting(
        6, "How often a step may be solved for again with what it carried out of the box held."
    )

    def __post_init__(self) -> None:
        if not 0.0 < self.radius <= self.largest < math.inf:
            raise MethodError(
                f"{self.name}: needs 0 < radius ≤ largest, got {self.radius:g} and {self.largest:g}"
            )
        if not 0.0 < self.accept < _POOR:
            raise MethodError(f"{self.name}: needs 0 < accept < {_POOR}, got {self.accept:g}")
        if self.passes < 1:
            raise MethodError(f"{self.name}: passes must be at least 1, got {self.passes}")

    def settings(self) -> tuple[float, ...]:
        return (self.radius, self.largest, self.accept, self.passes, self.stationary)

    def workspace(self, problem: Problem) -> int:
        return sheet_size(problem) + reduced_size(problem) + 4 * problem.figure.n
