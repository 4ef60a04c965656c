"""The pseudo-inverse with a second wish: what the goals leave free goes downhill on a criterion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limbik.errors import MethodError
from limbik.figure.kinematics import N_COORDS
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
from limbik.methods.least_squares.svd_step import (
    fill_stack,
    lay_stack,
    pseudo_inverse_step,
    stack_size,
)
from limbik.methods.redundancy.criteria import (
    check_criterion,
    criterion_size,
    criterion_table,
    gradient_of,
    lay_criterion,
    value_of,
)
from limbik.methods.redundancy.criterion_search import (
    BOTH,
    NOWHERE,
    first_gain,
    go,
    has_settled,
    search,
)
from limbik.methods.redundancy.null_space_basis import (
    free_gradient,
    hold_columns,
    leave_free,
    take_vectors,
    usual_rank,
)
from limbik.methods.workspace import gain_left, open_sheet, sheet_size
from limbik.solver.objective import descent, evaluate, linearise, reached
from limbik.solver.problem import Problem


@kernel
def null_space(ints, floats, work, options, q, out, history):
    """Equation 5 of extended_jacobian: dq = J⁺dx − α(I − J⁺J)∇g, projected onto the limits.

    J⁺dx is halved until f falls, then α until g falls (two_wishes.search).  With the goals met it
    goes on as long as g falls and they stay met.
    """
    n = np.int64(ints[N_COORDS])
    sheet = open_sheet(ints, work)
    state, r, trial, step, jt = sheet.state, sheet.r, sheet.trial, sheet.step, sheet.jt
    cutoff, fixed, stationary = options[OWN], options[OWN + 1], options[OWN + 2]
    settle, polish, usual = options[OWN + 3], options[OWN + 4], options[OWN + 5]
    moves, table = options[OWN + 6 : OWN + 6 + n], options[OWN + 6 + n :]
    spare = sheet.spare
    by_n, vectors = spare[: 4 * n].reshape(4, n), spare[4 * n : 4 * n + n * n].reshape(n, n)
    free, gradient, secondary, base = by_n[0], by_n[1], by_n[2], by_n[3]
    at = 4 * n + n * n
    criterion = lay_criterion(ints, table, spare[at:])
    at += len(criterion.probe) + 2 * len(r) + jt.size + criterion.gram.size
    stack = lay_stack(ints, spare[at:])

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration, singular = 1, 0, 0, 0
    alpha, settled = math.inf, False
    code = SPENT
    while True:
        met = reached(ints, floats, state)
        if met and (settled or settle == 0.0 or (iteration == 0 and polish == 0.0)):
            code = REACHED
            break
        if iteration >= options[O_ITERATIONS]:
            code = REACHED if met else SPENT
            break
        linearise(ints, floats, q, state, r, jt, sheet.target)
        jacobians += 1
        descent(ints, floats, q, jt, r, sheet.push)
        if not met and gain_left(ints, floats, q, sheet, f) <= stationary:
            code = STATIONARY
            break
        leave_free(ints, floats, q, sheet.push, moves, free)
        fill_stack(ints, floats, q, jt, sheet.target, stack)
        hold_columns(stack, free)
        rank = pseudo_inverse_step(stack, cutoff, step)
        take_vectors(stack, rank, vectors)
        gradient_of(ints, floats, q, state, criterion, gradient)
        free_gradient(gradient, vectors, rank, free, secondary)
        g_here = value_of(ints, floats, q, state, criterion)

        if fixed > 0.0:
            # Equation 5 as it stands.
            most = go(ints, floats, q, step, 1.0, secondary, fixed, sheet.scratch, trial)
            value, g = math.inf, g_here
            if 1e-12 < most < math.inf:
                value = evaluate(ints, floats, trial, state, sheet.trial_r)
                evaluations += 1
            if not math.isfinite(value):
                code = REACHED if met else STUCK
                break
            kept = reached(ints, floats, state)
            g = value_of(ints, floats, trial, state, criterion)
            if met and not (kept and g < g_here):
                code = REACHED
                break
        else:
            alpha = first_gain(ints, floats, criterion, secondary, alpha)
            found, value, g, alpha, tried = search(
                ints,
                floats,
                q,
                f,
                met,
                secondary,
                gradient,
                alpha,
                criterion,
                g_here,
                sheet,
                stack,
                rank,
                base,
            )
            evaluations += tried
            if found != BOTH:
                alpha = math.inf
                if met or found == NOWHERE:
                    code = REACHED if met else STUCK
                    break
        settled = met and has_settled(g_here, g)
        singular += rank < usual
        f = value
        q[:] = trial
        r[:] = sheet.trial_r
        iteration += 1
        noted = record(history, noted, f, q)
    finish(out, f, iteration, evaluations, jacobians, noted, singular)
    return code


@dataclass(frozen=True)
class NullSpace(Method):
    """dq = J⁺dx − α(I − J⁺J)∇g: a criterion steers what the goals leave free (Liégeois).

    Every iterate is inside the limits.  f may rise only once the goals are met, and not beyond
    their tolerance, unless the gain is fixed.
    """

    name = "null_space"
    kernel = null_space
    descends = False

    iterations: int = 200
    """Iterations an attempt may take, those that only lower the criterion included."""
    criterion: str = "limits"
    """What to make small: "limits" (distance from the middle of the limits), "rest" (distance from
    a pose) or "manipulability" (−log √det JJᵀ, by differences: 2n Jacobians per iteration)."""
    pose: Sequence[float] | np.ndarray | None = None
    """The pose of "rest", (n,); the figure's rest pose unless given."""
    gain: float | None = None
    """α of equation 5, taken as it is, as is J⁺dx.  None: found by a line search, which the paper
    misses when it says that α is difficult to obtain."""
    settle: bool = True
    """Go on after the goals are met, until the criterion stops falling."""
    polish: bool = False
    """Go on also where the start meets the goals already."""
    cutoff: float = 1e-3
    """Singular values up to this part of the largest count as 0."""
    stationary: float = 1e-6
    """Stop as stationary at this ‖J‖·‖P(q − ∇f/2‖J‖²) − q‖/√f, a cosine away from the limits."""

    def __post_init__(self) -> None:
        check_criterion(self.name, self.criterion)
        if self.pose is not None and self.criterion != "rest":
            raise MethodError(f'{self.name}: a pose is for the criterion "rest"')
        if self.gain is not None and not 0.0 < self.gain < math.inf:
            raise MethodError(f"{self.name}: gain must be positive or None, got {self.gain:g}")
        if not 0.0 <= self.cutoff < 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ cutoff < 1, got {self.cutoff:g}")

    def settings(self) -> tuple[float, ...]:
        gain = 0.0 if self.gain is None else self.gain
        return (self.cutoff, gain, self.stationary, self.settle, self.polish)

    def tables(self, problem: Problem) -> list[float]:
        return [
            usual_rank(problem, self.cutoff),
            *problem.moves,
            *criterion_table(self.name, self.criterion, self.pose, problem),
        ]

    def workspace(self, problem: Problem) -> int:
        n = problem.figure.n
        return sheet_size(problem) + stack_size(problem) + criterion_size(problem) + 4 * n + n * n
