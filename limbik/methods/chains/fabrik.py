"""FABRIK: forward and backward reaching, with limits, branches and several effectors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import N_COORDS
from limbik.goals.terms import N_TERMS, POSITION
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
from limbik.methods.chains.chain_view import chain_view, open_chain, places
from limbik.methods.chains.effector_points import MARK
from limbik.methods.chains.fabrik_passes import (
    carry_root,
    reach_inwards,
    reach_outwards,
    take_bones,
)
from limbik.methods.chains.joint_steps import STEP_SCRATCH
from limbik.methods.settings import setting
from limbik.methods.workspace import gain_left, judge, open_sheet, sheet_size
from limbik.solver.objective import N_FULL, N_REST, descent, evaluate, linearise, reached
from limbik.solver.problem import Problem

_SETTINGS = 3
_NO_STEP = 1e-12  # rad or the figure's unit: a pass that changes nothing any more
_BRISK = 0.9  # while f falls to this part, nobody looks whether q is stationary


@kernel
def fabrik(ints, floats, work, options, q, out, history):
    """Aristidou & Lasenby 2011: inwards from the targets, then outwards from the root, in turn.

    The answer is the best pose on the way, or the first one that meets the goals.
    """
    n, terms = np.int64(ints[N_COORDS]), np.int64(ints[N_TERMS])
    sheet = open_sheet(ints, work)
    state, r = sheet.state, sheet.r
    world, axes = places(ints, state)
    stationary, patience, progress = options[OWN], options[OWN + 1], options[OWN + 2]
    chain = open_chain(options[OWN + _SETTINGS :])
    count, spare = len(chain.pivots) + terms, sheet.spare
    before, best = spare[:n], spare[n : 2 * n]
    a = 2 * n + MARK * count
    b = a + 3 * len(chain.aims)
    marks, local = spare[2 * n : a].reshape(count, MARK), spare[a:b].reshape(len(chain.aims), 3)
    scratch = spare[b:]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration, idle = 1, 0, 0, 0
    lowest, mark, brisk = f, f, True
    copy(q, n, best)
    code = SPENT
    while True:
        if reached(ints, floats, state):
            code = REACHED
            break
        if iteration >= options[O_ITERATIONS]:
            break
        if not brisk:
            linearise(ints, floats, q, state, r, sheet.jt, sheet.target)
            jacobians += 1
            descent(ints, floats, q, sheet.jt, r, sheet.push)
            if gain_left(ints, floats, q, sheet, f) <= stationary:
                code = STATIONARY
                break
        if idle >= patience:
            code = STUCK
            break
        copy(q, n, before)
        if carry_root(ints, floats, chain, q, world, axes, marks, scratch):
            evaluate(ints, floats, q, state, r)
            evaluations += 1
        take_bones(ints, floats, chain, world, axes, marks, local)
        reach_inwards(chain, marks)
        reach_outwards(ints, floats, chain, q, world, axes, marks, local, scratch)
        value = evaluate(ints, floats, q, state, r)
        evaluations += 1
        moved = 0.0
        for c in range(n):
            moved = max(moved, abs(q[c] - before[c]))
        if not moved > _NO_STEP or not math.isfinite(value):
            copy(before, n, q)
            f = evaluate(ints, floats, q, state, r)
            evaluations += 1
            code = STUCK
            break
        brisk = value < _BRISK * f
        f = value
        iteration += 1
        noted = record(history, noted, f, q)
        if f < lowest:
            lowest = f
            copy(q, n, best)
        idle += 1
        if lowest < progress * mark:
            mark, idle = lowest, 0
    if code != REACHED and lowest < f:
        copy(best, n, q)
        f = evaluate(ints, floats, q, state, r)
        evaluations += 1
        noted = record(history, noted, f, q)
        if code == STATIONARY:
            code = STUCK
    if code == STUCK:
        code = judge(ints, floats, q, sheet, f, stationary)
        jacobians += code != REACHED
    finish(out, f, iteration, evaluations, jacobians, noted)
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
        if not self.stationary >= 0.0:
            raise MethodError(
                f"{self.name}: stationary must not be negative, got {self.stationary:g}"
            )
        if self.patience < 1:
            raise MethodError(f"{self.name}: patience must be at least 1, got {self.patience}")
        if not 0.0 < self.progress <= 1.0:
            raise MethodError(f"{self.name}: needs 0 < progress ≤ 1, got {self.progress:g}")

    def settings(self) -> tuple[float, ...]:
        return (self.stationary, self.patience, self.progress)

    def tables(self, problem: Problem) -> np.ndarray:
        if problem.ints[N_FULL]:
            raise MethodError(f"{self.name} cannot solve under a full weight matrix")
        if problem.ints[N_REST]:
            raise MethodError(f"{self.name} cannot solve for a Rest goal")
        return chain_view(problem).table()

    def workspace(self, problem: Problem) -> int:
        chain = chain_view(problem)
        marks = MARK * (len(chain.pivots) + len(problem.terms)) + 3 * len(chain.aims)
        return sheet_size(problem) + 2 * problem.figure.n + marks + STEP_SCRATCH
