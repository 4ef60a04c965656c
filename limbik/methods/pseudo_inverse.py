"""The pseudo-inverse: Gauss–Newton by SVD without a look at the limits, applied once at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass

from limbik.compiling import kernel
from limbik.errors import MethodError
from limbik.goals.terms import N_ROWS
from limbik.kinematics import N_COORDS
from limbik.linear import svd_rows
from limbik.methods.contract import (
    O_ITERATIONS,
    OWN,
    REACHED,
    SPENT,
    STATIONARY,
    Method,
    finish,
    record,
)
from limbik.methods.projected_gradient import gain_left
from limbik.objective import (
    F_METRIC,
    F_REST,
    F_REST_POSE,
    descent,
    evaluate,
    linearise,
    reached,
    scratch_of,
    state_size,
)
from limbik.projection import project

_NO_STEP = 1e-12  # rad or the figure's unit: a step that changes nothing any more


@kernel
def pseudo_inverse_step(a, wide, missing, cutoff, u, sigma, step):
    """Δθ = J⁺e (equation 14 of line_search with the Moore–Penrose inverse) into step (n,).

    a is J where ``wide``, else Jᵀ, so that it has no more rows than columns; it is overwritten, and
    u (side, side) and sigma (side,) are workspace.  Singular values up to cutoff·σ₁ count as 0.
    """
    svd_rows(a, u, sigma)
    step[:] = 0.0
    for k in range(len(sigma)):
        if sigma[k] <= max(cutoff * sigma[0], 1e-150):
            break
        # Row k of a is σ times one singular vector, column k of u the other; hence the σ².
        along = 0.0
        for i in range(len(missing)):
            along += (u[i, k] if wide else a[k, i]) * missing[i]
        along /= sigma[k] * sigma[k]
        for c in range(len(step)):
            step[c] += along * (a[k, c] if wide else u[c, k])


@kernel
def _stack(ints, floats, q, jt, wide, a, missing):
    """J, and the diagonal goals as rows √D(pose − q) below it where a has room for them."""
    rows, n = ints[N_ROWS], ints[N_COORDS]
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    a[:, :] = 0.0
    for c in range(n):
        for i in range(rows):
            if wide:
                a[i, c] = jt[c, i]
            else:
                a[c, i] = jt[c, i]
        if len(missing) > rows:
            root = math.sqrt(floats[weight + c])
            missing[rows + c] = root * (floats[pose + c] - q[c])
            if wide:
                a[rows + c, c] = root
            else:
                a[c, rows + c] = root


@kernel
def pseudo_inverse(ints, floats, work, options, q, out, history):
    """Section 2 of line_search, the way it says Blender goes: θ ← θ + J⁺e, and P(θ) at the end.

    The exit code is judged after P.  Where a step leads to numbers that are not finite, the last
    finite pose is projected.
    """
    n, rows = ints[N_COORDS], ints[N_ROWS]
    stack = rows
    for c in range(n):
        if floats[ints[F_REST] + c] > 0.0:
            stack = rows + n
    wide, side = stack <= n, min(n, stack)
    at = state_size(ints)
    state = work[:at]
    r, missing = work[at : at + rows], work[at + rows : at + rows + stack]
    at += rows + stack
    by_coordinate = work[at : at + 3 * n].reshape(3, n)
    push, trial, step = by_coordinate[0], by_coordinate[1], by_coordinate[2]
    at += 3 * n
    jt = work[at : at + n * rows].reshape(n, rows)
    at += n * rows
    a = work[at : at + n * stack].reshape(side, max(n, stack))
    at += n * stack
    u = work[at : at + side * side].reshape(side, side)
    sigma = work[at + side * side : at + side * side + side]
    scratch = scratch_of(ints, state)
    cutoff, scale = options[OWN], options[OWN + 1]
    clamp, stationary = options[OWN + 2], options[OWN + 3]

    f = evaluate(ints, floats, q, state, r)
    noted = record(history, 0, f, q)
    evaluations, jacobians, iteration = 1, 0, 0
    while iteration < options[O_ITERATIONS] and not reached(ints, floats, state):
        linearise(ints, floats, q, state, r, jt, missing[:rows])
        jacobians += 1
        _stack(ints, floats, q, jt, wide, a, missing)
        pseudo_inverse_step(a, wide, missing, cutoff, u, sigma, step)
        most = 0.0
        for c in range(n):
            most = max(most, abs(scale * step[c]) / math.sqrt(floats[ints[F_METRIC] + c]))
        if not _NO_STEP < most < math.inf:
            break
        length = scale * min(1.0, clamp / most)
        for c in range(n):
            trial[c] = q[c] + length * step[c]
        value = evaluate(ints, floats, trial, state, r)
        evaluations += 1
        if not math.isfinite(value):
            break
        f = value
        q[:] = trial
        iteration += 1
        noted = record(history, noted, f, q)
    trial[:] = q
    project(ints, floats, q, scratch)
    f = evaluate(ints, floats, q, state, r)
    evaluations += 1
    for c in range(n):
        if q[c] != trial[c]:
            noted = record(history, noted, f, q)
            break
    code = REACHED
    if not reached(ints, floats, state):
        linearise(ints, floats, q, state, r, jt, missing[:rows])
        jacobians += 1
        descent(ints, floats, q, jt, r, push)
        gain = gain_left(ints, floats, q, jt, push, f, trial, scratch)
        code = STATIONARY if gain <= stationary else SPENT
    finish(out, f, iteration, evaluations, jacobians, noted)
    return code


@dataclass(frozen=True)
class PseudoInverse(Method):
    """θ ← θ + J⁺e, blind to the limits, which are applied to the answer: line_search's rival.

    Only the answer is inside the limits, and f may rise on the way.  What the limits then cut off
    is lost: such an answer counts as reached or stationary only if it still is.
    """

    name = "pseudo_inverse"
    kernel = pseudo_inverse
    descends = False
    feasible = False

    iterations: int = 100
    """Iterations an attempt may take; each costs one SVD of J."""
    cutoff: float = 1e-3
    """Singular values up to this part of the largest count as 0."""
    step: float = 1.0
    """The part of J⁺e that is taken."""
    clamp: float | None = None
    """The most that a coordinate may turn in an iteration, in rad; the whole step shrinks to it.  A
    slide counts as the angle that moves as far at a quarter of the figure's size.  None: any."""
    stationary: float = 1e-6
    """The answer is stationary at this ‖J‖·‖P(q − ∇f/2‖J‖²) − q‖/√f, a cosine inside the limits."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.cutoff < 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ cutoff < 1, got {self.cutoff:g}")
        if not 0.0 < self.step < math.inf:
            raise MethodError(f"{self.name}: step must be positive, got {self.step:g}")
        if self.clamp is not None and not self.clamp > 0.0:
            raise MethodError(f"{self.name}: clamp must be positive or None, got {self.clamp:g}")

    def settings(self) -> tuple[float, ...]:
        clamp = math.inf if self.clamp is None else self.clamp
        return (self.cutoff, self.step, clamp, self.stationary)

    def workspace(self, n: int, rows: int) -> int:
        # As if there were a Rest goal: rows + n rows in all.
        return 2 * rows + n + 3 * n + n * rows + n * (rows + n) + n * n + n
