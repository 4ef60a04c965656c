"""FABRIK: forward and backward reaching, with limits, branches and several effectors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.errors import MethodError
from limbik.figure.layout import N_COORDS, N_FULL, N_REST, N_TERMS
from limbik.goals.terms import POSITION
from limbik.jit import inlined_by_llvm, kernel, kernel_part
from limbik.maths.linear import copy
from limbik.methods.base import (
    OUT_EVALUATIONS,
    OUT_F,
    OUT_HISTORY,
    OWN,
    REACHED,
    STATIONARY,
    STUCK,
    Method,
    record,
)
from limbik.methods.chains.chain_view import chain_view, open_chain, world_and_axes
from limbik.methods.chains.effector_points import MARK
from limbik.methods.chains.fabrik_passes import (
    carry_root,
    reach_inwards,
    reach_outwards,
    take_bones,
)
from limbik.methods.chains.joint_steps import STEP_SCRATCH
from limbik.methods.loop import GO_ON, by_gradient_when_slow, iterate, judge
from limbik.methods.settings import setting
from limbik.methods.workspace import (
    floats_taken,
    gradient_size,
    take,
    take_table,
    view_gradient,
)
from limbik.solver.objective import evaluate
from limbik.solver.problem import Problem

_PATIENCE, _PROGRESS, _CHAIN = range(OWN, OWN + 3)  # settings, then the chain's table
_NO_STEP = 1e-12  # rad or the figure's unit: a pass that changes nothing any more
_FAST = 0.9  # while f falls to this part, nobody looks whether q is stationary


class FabrikWorkspace(NamedTuple):
    """What the passes work with."""

    best: np.ndarray  # (n,) the best pose so far
    marks: np.ndarray  # (pivots + terms, MARK) points of the bones and the effectors
    local: np.ndarray  # (aims, 3) where the aims are, seen from their joints
    scratch: np.ndarray  # for the joints' steps


@kernel_part
def view_fabrik(ints, pivots, aims, work):
    """work -> FabrikWorkspace, and what is left."""
    best, work = take(work, np.int64(ints[N_COORDS]))
    marks, work = take_table(work, pivots + np.int64(ints[N_TERMS]), MARK)
    local, work = take_table(work, aims, 3)
    scratch, work = take(work, STEP_SCRATCH)
    return FabrikWorkspace(best, marks, local, scratch), work


class Memory(NamedTuple):
    """What is carried from iteration to iteration."""

    skip_stationarity_test: bool
    lowest: float  # the least f so far
    f_at_checkpoint: float  # what it was when it last fell by enough,
    slow_iterations: int  # and how many iterations ago


@inlined_by_llvm
def fabrik_step(ints, floats, options, q, here, w, own, memory, out):
    """Inwards from the targets, then outwards from the root."""
    chain, x = own
    n, trial, start = ints[N_COORDS], w.trial, here.iteration == 0
    lowest = here.f if start else memory.lowest
    world, axes = world_and_axes(ints, w.state)
    if memory.slow_iterations >= options[_PATIENCE]:
        return STUCK, here.f, memory
    copy(q, n, trial)
    if carry_root(ints, floats, chain, trial, world, axes, x.marks, x.scratch):
        evaluate(ints, floats, trial, w.state, w.trial_r)
        out[OUT_EVALUATIONS] += 1.0
    take_bones(ints, floats, chain, world, axes, x.marks, x.local)
    reach_inwards(chain, x.marks)
    reach_outwards(ints, floats, chain, trial, world, axes, x.marks, x.local, x.scratch)
    value = evaluate(ints, floats, trial, w.state, w.trial_r)
    out[OUT_EVALUATIONS] += 1.0
    moved = 0.0
    for c in range(n):
        moved = max(moved, abs(trial[c] - q[c]))
    if not moved > _NO_STEP or not math.isfinite(value):
        evaluate(ints, floats, q, w.state, w.r)
        out[OUT_EVALUATIONS] += 1.0
        return STUCK, here.f, memory
    if value < lowest:
        lowest = value
        copy(trial, n, x.best)
    checkpoint = here.f if start else memory.f_at_checkpoint
    slow = memory.slow_iterations + 1
    if lowest < options[_PROGRESS] * checkpoint:
        checkpoint, slow = lowest, 0
    return GO_ON, value, Memory(value < _FAST * here.f, lowest, checkpoint, slow)


@kernel(borrows=True)
def fabrik(ints, floats, work, options, q, out, history):
    """Aristidou & Lasenby 2011: the passes of ``fabrik_step``, in turn.

    The answer is the best pose on the way, or the first one that meets the goals.
    """
    chain = open_chain(options[_CHAIN:])
    w, work = view_gradient(ints, work)
    x, _ = view_fabrik(ints, len(chain.pivots), len(chain.aims), work)
    copy(q, len(q), x.best)
    memory = Memory(True, math.inf, math.inf, 0)
    code, memory = iterate(
        ints, floats, options, q, out, history, w, (chain, x), memory, by_gradient_when_slow,
        fabrik_step,
    )  # fmt: skip
    if code != REACHED and memory.lowest < out[OUT_F]:
        copy(x.best, len(q), q)
        out[OUT_F] = evaluate(ints, floats, q, w.state, w.r)
        out[OUT_EVALUATIONS] += 1.0
        out[OUT_HISTORY] = record(history, int(out[OUT_HISTORY]), out[OUT_F], q)
        if code == STATIONARY:
            code = STUCK
    if code == STUCK:
        code = judge(ints, floats, options, q, out[OUT_F], w, out)
    return code


@dataclass(frozen=True)
class Fabrik(Method):
    """Forward and backward reaching (Aristidou & Lasenby 2011), for position goals only.

    Between the passes the pose is always one of joint values: each joint turns as its coordinates
    and its limits let it, hinges about their axis, balls by the shortest arc, keeping their twist,
    and joints with several bones by Horn's fit.  So every iterate is inside the limits.  f may rise
    on the way; the answer is the best pose.  What nothing can move counts as one rigid bone.  Two
    things go beyond the paper: a joint followed by one that cannot turn every way (a hinge, two
    turns, a slide) also turns towards the goals beyond that, and a root that slides first takes the
    figure, stiff as it stands, to where its effectors lie best.

    Limits can deadlock it: the inward half knows nothing of them, so it can ask for the same
    forbidden pose again and again; it then ends as stalled.  A straight chain that points at its
    target stays straight.  Weights become those of branches where several meet.
    """

    name = "fabrik"
    kernel = fabrik
    descends = False
    handles = frozenset({POSITION})

    iterations: int = setting(
        200, "Pairs of an inward and an outward pass that an attempt may take."
    )
    patience: int = setting(
        25, "Give up when so many iterations lower the least f by less than ``progress`` says."
    )
    progress: float = setting(
        0.999, "The part to which ``patience`` iterations must bring the least f down."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.stationary >= 0.0:
            raise MethodError(
                f"{self.name}: stationary must not be negative, got {self.stationary:g}"
            )
        if self.patience < 1:
            raise MethodError(f"{self.name}: patience must be at least 1, got {self.patience}")
        if not 0.0 < self.progress <= 1.0:
            raise MethodError(f"{self.name}: needs 0 < progress ≤ 1, got {self.progress:g}")

    def settings(self) -> tuple[float, ...]:
        return (self.patience, self.progress)

    def tables(self, problem: Problem) -> np.ndarray:
        if problem.ints[N_FULL]:
            raise MethodError(f"{self.name} cannot solve under a full weight matrix")
        if problem.ints[N_REST]:
            raise MethodError(f"{self.name} cannot solve for a Rest goal")
        return chain_view(problem).table()

    def workspace(self, problem: Problem) -> int:
        chain = chain_view(problem)
        own = floats_taken(view_fabrik, problem.ints, len(chain.pivots), len(chain.aims))
        return gradient_size(problem) + own
