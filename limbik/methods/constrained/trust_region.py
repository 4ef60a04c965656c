"""A trust-region method for limits, which line_search names among its future work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import (
    CONE_A,
    CONE_B,
    CONE_X,
    CONE_Y,
    F_METRIC,
    I_IN_CONE,
    N_COORDS,
    cone_at,
)
from limbik.figure.projection import free_directions, project
from limbik.jit import inlined_by_llvm, kernel
from limbik.maths.linear import copy
from limbik.methods.base import O_STATIONARY, OUT_EVALUATIONS, OWN, Method
from limbik.methods.constrained.complementarity import normal_and_curvature
from limbik.methods.constrained.reduced import (
    add_step,
    promised_by,
    reduce_model,
    reduce_vector,
    reduced_size,
    view_reduced,
)
from limbik.methods.constrained.trust_box import (
    box_size,
    cauchy_point,
    fill_box,
    step_in_box,
    view_box,
)
from limbik.methods.loop import GO_ON, by_model, iterate, no_way_down
from limbik.methods.settings import setting
from limbik.methods.workspace import gradient_size, view_gradient
from limbik.solver.objective import descent, evaluate
from limbik.solver.problem import Problem

# Settings in the order of ``options``.
_RADIUS, _LARGEST, _ACCEPT, _PASSES = range(OWN, OWN + 4)

_SHRINK, _GROW = 0.25, 2.0  # what becomes of the radius below and above these ratios:
_POOR, _GOOD = 0.25, 0.75


@kernel
def add_curvature(ints, floats, q, half_descent, count, z):
    """What a cone's edge adds to H along its tangent: −½∇f into the edge times its curvature.

    A step along the tangent is projected back onto the edge, and so goes against −∇f.
    """
    for d in range(count):
        if z.spans[d] == 2:
            c = z.starts[d]
            _, f = cone_at(ints, ints[ints[I_IN_CONE] + c])
            x, y = q[c] - floats[f + CONE_X], q[c + 1] - floats[f + CONE_Y]
            nx, ny, edge_curvature = normal_and_curvature(
                x, y, floats[f + CONE_A], floats[f + CONE_B]
            )
            z.hessian[d, d] += edge_curvature * max(
                0.0, nx * half_descent[c] + ny * half_descent[c + 1]
            )


@kernel
def _furthest(ints, floats, q, trial):
    """The largest change of a coordinate, a slide counted as in ``fill_box``."""
    most = 0.0
    for c in range(ints[N_COORDS]):
        most = max(most, abs(trial[c] - q[c]) / math.sqrt(floats[ints[F_METRIC] + c]))
    return most


class Memory(NamedTuple):
    """What is carried from step to step."""

    radius: float


@inlined_by_llvm
def trust_region_step(ints, floats, options, q, here, w, own, memory, out):
    """The minimum of a Gauss–Newton model in a box; how true it was decides about the next box.

    Near half a turn the model aims at what ``linearise`` says instead of r; a step of it must pay
    at once, or the residuals themselves are tried.
    """
    z, box = own
    n, f, aim, trial = np.int64(ints[N_COORDS]), here.f, w.step, w.trial
    radius, detour, passes = memory.radius, here.detour, int(options[_PASSES])
    count = free_directions(
        ints, floats, q, w.half_descent, z.starts, z.spans, z.coefficients, w.scratch
    )
    reduce_model(ints, floats, w.jt, count, z)
    add_curvature(ints, floats, q, w.half_descent, count, z)
    descent(ints, floats, q, w.jt, w.model_residual, aim)
    reduce_vector(z, count, aim, z.gradient)
    accepted, value = False, f
    while True:
        fill_box(ints, floats, q, z, count, radius, box)
        cauchy_point(ints, floats, z, count, box)
        step_in_box(z, count, passes, box)
        copy(q, n, trial)
        add_step(z, count, 1.0, trial)
        project(ints, floats, trial, w.scratch)
        most = _furthest(ints, floats, q, trial)
        fall = promised_by(ints, floats, w.jt, aim, q, trial)
        gain_ratio = -1.0
        # Written so that it also ends where the target is too far for f to be finite.
        lost = most == 0.0 or not fall > 1e-17 * f
        if not lost:
            value = evaluate(ints, floats, trial, w.state, w.trial_r)
            out[OUT_EVALUATIONS] += 1.0
            gain_ratio = (f - value) / fall
            if value < (0.99 * f if detour else f) and gain_ratio >= options[_ACCEPT]:
                accepted = True
        if detour and not accepted:
            detour, radius = False, memory.radius
            if here.gain <= options[O_STATIONARY]:
                break
            copy(w.half_descent, n, aim)
            reduce_vector(z, count, aim, z.gradient)
            continue
        if not gain_ratio >= _POOR:
            radius = _SHRINK * min(radius, most)
        elif gain_ratio > _GOOD and most >= 0.9 * radius:
            radius = min(_GROW * radius, options[_LARGEST])
        if accepted or not radius > 1e-15 or (lost and not fall <= 0.0):
            break
    if accepted:
        return GO_ON, value, Memory(radius)
    evaluate(ints, floats, q, w.state, w.r)
    return no_way_down(options, here.gain), f, memory


@kernel(borrows=True)
def trust_region(ints, floats, work, options, q, out, history):
    """The loop of all methods with the steps of ``trust_region_step``."""
    w, work = view_gradient(ints, work)
    z, work = view_reduced(ints, work)
    box, _ = view_box(ints, work)
    z.extra[:] = 0.0
    code, _ = iterate(
        ints, floats, options, q, out, history, w, (z, box), Memory(options[_RADIUS]), by_model,
        trust_region_step,
    )  # fmt: skip
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
        super().__post_init__()
        if not 0.0 < self.radius <= self.largest < math.inf:
            raise MethodError(
                f"{self.name}: needs 0 < radius ≤ largest, got {self.radius:g} and {self.largest:g}"
            )
        if not 0.0 < self.accept < _POOR:
            raise MethodError(f"{self.name}: needs 0 < accept < {_POOR}, got {self.accept:g}")
        if self.passes < 1:
            raise MethodError(f"{self.name}: passes must be at least 1, got {self.passes}")

    def settings(self) -> tuple[float, ...]:
        return (self.radius, self.largest, self.accept, self.passes)

    def workspace(self, problem: Problem) -> int:
        return gradient_size(problem) + reduced_size(problem) + box_size(problem)
