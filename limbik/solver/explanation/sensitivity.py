"""How an answer moves with a target: the implicit function theorem on the free set.

At an answer q of min f(q, t) inside the limits, the gradient vanishes along the free directions Z
(coordinates that no limit holds, and tangents of the cones that do): Zᵀ∇f(q, t) = 0.  While the
same limits hold, differentiating that gives

    dq/dt = −Z (Zᵀ(∇²f + Σₖ μₖ∇²cₖ)Z)⁺ Zᵀ ∂∇f/∂t

with the multipliers μₖ of the cones cₖ(q) ≤ 0 that q presses against.  Where many poses meet the
goals the matrix is singular, and its pseudo-inverse moves the joints least.  A solve that ends
within its tolerance does not end where the gradient vanishes; there the residual counts as 0, which
leaves the Gauss–Newton matrix 2(JᵀJ + D).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np

from limbik.errors import GoalError
from limbik.figure import layout as lay
from limbik.figure.cones import SCRATCH, cone_normals
from limbik.figure.projection import free_directions
from limbik.goals import Goal, Rest
from limbik.goals import terms as tm
from limbik.maths.so3 import exp_map, exp_matrix, quat_to_matrix, swing_twist_vector
from limbik.solver.problem import Problem

_STEP = 1e-5  # of the target, in sizes of the figure or radians, for ∂∇f/∂t
_PROBE = 1e-3  # rad, for the second derivatives of a cone on an exponential ball
_RANK = 1e-9  # eigenvalues below this share of the largest count as 0
_STATIONARY = 1e-2  # of ‖J‖·‖r‖: a larger gradient is that of an answer within its tolerance


def sensitivity(problem: Problem, q: np.ndarray, goal: Goal | int | str) -> np.ndarray:
    """dq/dtarget (n, k) at an answer q (n,) of the problem, for one of its goals.

    ``goal`` is the goal, its place among the goals, or its label.  Columns as in
    ``Result.sensitivity``.
    """
    number = _number(problem, goal)
    if max(problem.levels):
        raise GoalError("sensitivity: is not known for goals of several priorities")
    q = problem.figure.single_pose(q, "q")
    gradient, free = problem.gradient(q), _free(problem, q)
    mixed = np.column_stack([*_mixed(problem, number, q)])
    jacobian, residual = problem.jacobian(q), problem.residual(q)
    scale = 2.0 * float(np.linalg.norm(jacobian @ free)) * float(np.linalg.norm(residual))
    if float(np.linalg.norm(free.T @ gradient)) <= _STATIONARY * scale:
        hessian = problem.hessian(q) + _cone_curvature(problem, q, gradient)
    else:
        hessian = 2.0 * (jacobian.T @ jacobian + np.diag(_rest_weights(problem)))
    # In units in which a radian counts as the length that it moves.
    unit = np.where(problem.figure.slides, 1.0, problem.scene.lever)
    basis = np.linalg.qr(free * unit[:, None])[0] / unit[:, None]
    inverse = np.linalg.pinv(basis.T @ hessian @ basis, rcond=_RANK, hermitian=True)
    return -basis @ (inverse @ (basis.T @ mixed))


def _number(problem: Problem, goal: Goal | int | str) -> int:
    """Which of the problem's goals is meant; one without a target is refused."""
    try:
        number = problem.number_of(goal)
    except GoalError as error:
        raise GoalError(f"sensitivity: {error}") from None
    if any(problem.terms[term].functions is not None for term in problem.terms_of[number]):
        known = problem.goals[number]
        kind = type(known).__name__
        raise GoalError(f"sensitivity: {known.label}: a {kind} has no target")
    return number


def _free(problem: Problem, q: np.ndarray) -> np.ndarray:
    """Z (n, directions): where the limits and locks let q go."""
    n = problem.figure.n
    starts, spans = np.zeros(n, np.int64), np.zeros(n, np.int64)
    coefficients = np.zeros((n, 3))
    count = free_directions(
        problem.ints, problem.floats, q, -problem.gradient(q), starts, spans, coefficients,
        np.empty(SCRATCH),
    )  # fmt: skip
    free = np.zeros((n, count))
    for d in range(count):
        span = slice(starts[d], starts[d] + spans[d])
        free[span, d] = coefficients[d, : spans[d]]
    return free[:, problem.moves[starts[:count]]]


def _rest_weights(problem: Problem) -> np.ndarray:
    """D (n,): the weights of the Rest goals, without locked coordinates."""
    given = [g.diagonal(problem.scene)[0] for g in problem.goals if isinstance(g, Rest)]
    return np.sum([np.zeros(problem.figure.n), *given], axis=0) * problem.moves


def _mixed(problem: Problem, number: int, q: np.ndarray) -> Iterator[np.ndarray]:
    """Columns of ∂∇f/∂t (n,): exact for a Rest, else the gradient at two targets near by.

    ∇f is linear in positions, lengths and offsets, so that their difference quotients are exact.
    """
    goal = problem.goals[number]
    if isinstance(goal, Rest):
        yield from np.diag(-2.0 * goal.diagonal(problem.scene)[0] * problem.moves)
        return
    moved = copy.copy(problem)
    moved.floats = problem.floats.copy()
    size = problem.figure.size
    for term in problem.terms_of[number]:
        first = lay.record_at(problem.ints, lay.F_TERM, term)
        kind = problem.terms[term].kind
        if kind in (tm.POSITION, tm.AIM):
            place = slice(first + lay.T_POINT, first + lay.T_POINT + 3)
            for axis in np.eye(3):
                yield _quotient(moved, q, place, problem.floats[place], axis, size * _STEP)
        elif kind in (tm.ROTATION, tm.AXES):
            where = slice(first + lay.T_MATRIX, first + lay.T_MATRIX + 9)
            matrix = problem.floats[where].reshape(3, 3)
            for axis in np.eye(3):
                ends = []
                for sign in (1.0, -1.0):
                    turn = quat_to_matrix(exp_map(sign * _STEP * axis))
                    moved.floats[where] = (turn @ matrix).ravel()
                    ends.append(moved.gradient(q))
                moved.floats[where] = problem.floats[where]
                yield (ends[0] - ends[1]) / (2.0 * _STEP)
        else:
            where = slice(first + lay.T_VALUE, first + lay.T_VALUE + 1)
            yield _quotient(moved, q, where, problem.floats[where], np.ones(1), size * _STEP)


def _quotient(
    moved: Problem, q: np.ndarray, where: slice, at: np.ndarray, along: np.ndarray, step: float
) -> np.ndarray:
    """(∇f(t + h·along) − ∇f(t − h·along)) / 2h, h the step and t = ``at`` the target ``where``."""
    ends = []
    for sign in (1.0, -1.0):
        moved.floats[where] = at + sign * step * along
        ends.append(moved.gradient(q))
    moved.floats[where] = at
    return (ends[0] - ends[1]) / (2.0 * step)


# ---- cones --------------------------------------------------------------------------------------


def _cone_curvature(problem: Problem, q: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Σₖ μₖ∇²cₖ (n, n) of the cones that q presses against."""
    ints, floats, n = problem.ints, problem.floats, problem.figure.n
    out = np.zeros((n, n))
    normals, scratch = np.empty((2, 3)), np.empty(SCRATCH)
    for cone in range(int(ints[lay.N_CONES])):
        entry = lay.record_at(ints, lay.I_CONE, cone)
        kind, c = int(ints[entry + lay.CONE_KIND]), int(ints[entry + lay.CONE_START])
        span = slice(c, c + (2 if kind == lay.CONE_SWING else 3))
        edges = cone_normals(ints, floats, cone, q, normals, scratch)
        if not edges:
            continue
        first = lay.record_at(ints, lay.F_CONE, cone)
        bounds = _bounds(kind, floats[first : first + lay.CONE_FLOATS], q[span])
        active = [(slope, curvature) for value, slope, curvature in bounds if value > -1e-6]
        if not active:
            continue
        slopes = np.array([slope for slope, _ in active])
        multipliers = np.linalg.lstsq(slopes.T, -gradient[span], rcond=None)[0]
        for multiplier, (_, curvature) in zip(multipliers, active, strict=True):
            out[span, span] += max(0.0, float(multiplier)) * curvature
    return out


def _bounds(
    kind: int, numbers: np.ndarray, x: np.ndarray
) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """(c(x), ∇c, ∇²c) of the bounds c(x) ≤ 0 of a cone, in its own coordinates."""
    if kind == lay.CHART:
        return [(float(x @ x / numbers[0] ** 2) - 1.0, 2.0 * x, 2.0 * np.eye(3))]
    axes, centre = numbers[:2], numbers[2:4]
    if kind == lay.CONE_SWING:
        away = (x - centre) / axes
        return [(float(away @ away) - 1.0, 2.0 * away / axes, np.diag(2.0 / axes**2))]

    low, high = np.clip(numbers[4:6], -10.0, 10.0)  # a twist is within ±π: no end is far enough

    def values(w: np.ndarray) -> np.ndarray:
        turn, parts = np.empty(9), np.empty(3)
        exp_matrix(w[0], w[1], w[2], turn)
        swing_twist_vector(turn, np.ascontiguousarray(numbers[6:15]), parts)
        away = (parts[:2] - centre) / axes
        return np.array([away @ away - 1.0, parts[2] - high, low - parts[2]])

    here, steps = values(x), _PROBE * np.eye(3)
    slopes = np.array([(values(x + s) - values(x - s)) / (2 * _PROBE) for s in steps])
    bends = np.array(
        [
            [
                values(x + s + t) - values(x + s - t) - values(x - s + t) + values(x - s - t)
                for t in steps
            ]
            for s in steps
        ]
    ) / (4 * _PROBE**2)
    return [(float(here[k]), slopes[:, k], bends[:, :, k]) for k in range(3)]
