"""Projected Gauss–Seidel: damped Gauss–Newton by sweeps that clamp joint by joint (Kenwright)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import F_METRIC
from limbik.figure.projection import project
from limbik.jit import inlined_by_llvm, kernel
from limbik.maths.linear import copy
from limbik.methods.base import (
    O_STATIONARY,
    OUT_EVALUATIONS,
    OUT_JACOBIANS,
    OWN,
    STATIONARY,
    STUCK,
    Method,
)
from limbik.methods.gauss_seidel.dual_quaternion_jacobian import (
    chains_size,
    dual_quaternion_rows,
    view_chains,
)
from limbik.methods.gauss_seidel.jacobians import JACOBIANS, check_jacobian, difference_rows
from limbik.methods.gauss_seidel.schedule import SWEEPS, schedule
from limbik.methods.gauss_seidel.sweeps import (
    S_FIRST,
    S_GROUPS,
    UNIT,
    fill_system,
    relax,
    system_size,
    view_system,
)
from limbik.methods.loop import GO_ON, gain_left, iterate
from limbik.methods.settings import setting
from limbik.methods.workspace import gradient_size, take, view_gradient
from limbik.solver.objective import descent, evaluate, linearise
from limbik.solver.problem import Problem

_GEOMETRIC, _DUAL_QUATERNION, _DIFFERENCES = range(len(JACOBIANS))

# Settings in the order of ``options``; the schedule follows.
(
    _SWEEPS,
    _DAMPING,
    _RESIDUAL,
    _CHANGE,
    _SAME,
    _WARM,
    _JACOBIAN,
    _SHIFT,
    _HALVINGS,
    _SCHEDULE,
) = range(OWN, OWN + 10)

_NO_STEP = 1e-12  # rad: a step that changes nothing any more


@kernel
def shift_balls(q, table, x):
    """(1 − 2π/‖w‖)w for balls turned by more than π, section VII.A.2 of dual_quaternion.

    The warm start x of such a ball is forgotten: it was a change of the other vector.  True where
    there was one.
    """
    shifted = False
    groups = int(table[S_GROUPS])
    units = table[S_FIRST + groups + 1 :].reshape(-1, UNIT)
    for u in range(len(units)):
        if units[u, 3] > 0.0:
            c = int(units[u, 0])
            size = math.sqrt(q[c] ** 2 + q[c + 1] ** 2 + q[c + 2] ** 2)
            if size > math.pi:
                shifted = True
                for k in range(c, c + 3):
                    q[k] *= 1.0 - 2.0 * math.pi / size
                    x[k] = 0.0
    return shifted


@kernel
def set_off(ints, floats, q, x, y, warm, scratch):
    """Where the sweeps start: x = 0, or the x of the last iteration as far as the limits allow."""
    for c in range(len(q)):
        y[c] = q[c] + (x[c] if warm else 0.0)
    project(ints, floats, y, scratch)
    for c in range(len(q)):
        x[c] = y[c] - q[c]


@kernel
def length_of(ints, floats, x):
    """‖x‖ in radians, a slide counted by the figure's lever."""
    square = 0.0
    for c in range(len(x)):
        square += x[c] * x[c] / floats[ints[F_METRIC] + c]
    return math.sqrt(square)


@inlined_by_llvm
def by_chosen_jacobian(ints, floats, options, q, f, w, own, memory, out):
    """Prepares a step: J as the settings say, and whether q is stationary."""
    _, _, chains = own
    kind = int(options[_JACOBIAN])
    detour = linearise(ints, floats, q, w.state, w.r, w.jt, w.model_residual)
    out[OUT_JACOBIANS] += 1.0
    if kind == _DUAL_QUATERNION:
        dual_quaternion_rows(ints, floats, q, w.jt, chains)
    elif kind == _DIFFERENCES:
        tried = difference_rows(ints, floats, q, w.state, w.r, w.trial, w.trial_r, w.jt)
        out[OUT_EVALUATIONS] += tried
    descent(ints, floats, q, w.jt, w.r, w.half_descent)
    gain = gain_left(ints, floats, q, w, f)
    ends = gain <= options[O_STATIONARY] and not detour
    return (STATIONARY if ends else GO_ON), gain, detour


@inlined_by_llvm
def gauss_seidel_step(ints, floats, options, q, here, w, own, memory, out):
    """w ← w + Δw, (JᵀJ + δI)Δw = JᵀΔe by clamped sweeps."""
    count, system, _ = own
    n, trial, table, halvings = len(q), w.trial, options[_SCHEDULE:], options[_HALVINGS]
    fill_system(ints, floats, q, w.jt, w.model_residual, options[_DAMPING], system)
    set_off(ints, floats, q, system.x, system.y, options[_WARM] > 0.0, w.scratch)
    count[0] += relax(
        ints, floats, q, system, table, options[_SWEEPS], options[_RESIDUAL],
        options[_CHANGE], options[_SAME], w.scratch,
    )  # fmt: skip
    length = length_of(ints, floats, system.x)
    if not _NO_STEP < length < math.inf:
        return STUCK, here.f, memory
    copy(system.y, n, trial)
    project(ints, floats, trial, w.scratch)
    value = evaluate(ints, floats, trial, w.state, w.trial_r)
    out[OUT_EVALUATIONS] += 1.0
    halved = 0
    while not value <= here.f and halved < halvings:
        halved += 1
        for c in range(n):
            trial[c] = q[c] + (system.y[c] - q[c]) * 0.5**halved
        project(ints, floats, trial, w.scratch)
        value = evaluate(ints, floats, trial, w.state, w.trial_r)
        out[OUT_EVALUATIONS] += 1.0
    if not math.isfinite(value) or (halvings > 0.0 and value > here.f):
        return STUCK, here.f, memory
    if options[_SHIFT] > 0.0 and shift_balls(trial, table, system.x):
        project(ints, floats, trial, w.scratch)
        value = evaluate(ints, floats, trial, w.state, w.trial_r)
        out[OUT_EVALUATIONS] += 1.0
    return GO_ON, value, memory


@kernel(borrows=True)
def gauss_seidel(ints, floats, work, options, q, out, history):
    """Section VII of dual_quaternion, with the steps of ``gauss_seidel_step``.

    The first float of the method's own workspace counts the sweeps.
    """
    w, work = view_gradient(ints, work)
    count, work = take(work, 1)
    system, work = view_system(ints, work)
    chains, _ = view_chains(ints, int(options[_JACOBIAN]) == _DUAL_QUATERNION, work)
    count[0] = 0.0
    system.x[:] = 0.0
    code, _ = iterate(
        ints, floats, options, q, out, history, w, (count, system, chains), (),
        by_chosen_jacobian, gauss_seidel_step,
    )  # fmt: skip
    return code


@dataclass(frozen=True)
class ProjectedGaussSeidel(Method):
    """w ← w + Δw, where sweeps over (JᵀJ + δI)Δw = JᵀΔe clamp each joint in turn (Kenwright).

    Every iterate is inside the limits.  Steps are taken whole, so f may rise, and the answer is the
    last iterate, not the best one; ``halvings`` makes it descend.
    """

    name = "gauss_seidel"
    kernel = gauss_seidel
    descends = False

    iterations: int = setting(
        100, "Iterations an attempt may take; each costs one Jacobian and up to ``sweeps`` sweeps."
    )
    sweeps: int = setting(
        20, "Sweeps an iteration may take: the first of the four rules that end Algorithm 1."
    )
    damping: float = setting(
        1e-4,
        "δ of equation 30, times the mean diagonal of JᵀJ (for a slide in units of the "
        "figure's lever, a quarter of its size): a plain number, whatever the figure's unit "
        "and the goals' weights.",
    )
    residual: float = setting(
        1e-3,
        "The second rule: sweeps end at ‖Ax − b‖ ≤ this · ‖b‖, what limits hold back not counted.",
    )
    change: float = setting(
        1e-6, "The third rule: sweeps end where one changes x by this much or less, in rad."
    )
    same: float = setting(
        1e-9,
        "The fourth rule: sweeps end where one changes x as much as the one before, within this.",
    )
    warm: bool = setting(False, "Sweeps start from the x of the last iteration, not from 0.")
    jacobian: Literal["geometric", "dual_quaternion", "differences"] = setting(
        "geometric",
        "How J is found: from the joints' axes; by Figure 8 (positions and rotation vectors; "
        "rows of other goals from the axes); or by equation 47, with δ = 1e-7 rad.",
    )
    sweep: Literal["sequential", "colored", "blocked"] = setting(
        "sequential", "The order of a sweep (schedule.groups_of); all three solve the same system."
    )
    shift: bool = setting(
        True,
        "Exponential balls beyond π are shifted to (1 − 2π/‖w‖)w, the same rotation. Not "
        "where a Rest or a coupled joint reads w itself.",
    )
    halvings: int = setting(
        0, "How often a step that would raise f is halved; with 0 it is taken as it is."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sweeps < 1:
            raise MethodError(f"{self.name}: sweeps must be at least 1, got {self.sweeps}")
        if not 0.0 <= self.damping < math.inf:
            raise MethodError(f"{self.name}: damping must not be negative, got {self.damping:g}")
        for what in ("residual", "change", "same"):
            value = getattr(self, what)
            if not value >= 0.0:
                raise MethodError(f"{self.name}: {what} must not be negative, got {value:g}")
        if self.halvings < 0:
            raise MethodError(f"{self.name}: halvings must not be negative, got {self.halvings}")
        for what, known in (("jacobian", JACOBIANS), ("sweep", SWEEPS)):
            value = getattr(self, what)
            if value not in known:
                raise MethodError(f"{self.name}: {what} must be {_one_of(known)}, got {value!r}")

    def settings(self) -> tuple[float, ...]:
        return (
            self.sweeps, self.damping, self.residual, self.change, self.same, self.warm,
            JACOBIANS.index(self.jacobian), self.shift, self.halvings,
        )  # fmt: skip

    def tables(self, problem: Problem) -> np.ndarray:
        check_jacobian(problem, self.jacobian, self.name)
        return schedule(problem, self.sweep)

    def workspace(self, problem: Problem) -> int:
        chains = chains_size(problem, self.jacobian == "dual_quaternion")
        return gradient_size(problem) + 1 + system_size(problem) + chains


def _one_of(names: tuple[str, ...]) -> str:
    return " or ".join(f'"{name}"' for name in names)
