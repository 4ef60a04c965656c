"""What a solve came to, as the page is told: errors a goal, limits that hold back, one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limbik.figure.figure import Figure
from limbik.goals.terms import Answered, Goal
from limbik.methods.base import REACHED, SPENT, STATIONARY, STUCK
from limbik.poser.document.effector import Effector
from limbik.posture.standing import Standing
from limbik.solver.explanation.explain import explain, status_of, what_is_short
from limbik.solver.explanation.holders import (
    ActiveLimit,
    Holders,
    active_limits,
    is_held,
    worst_goal,
)
from limbik.solver.problem import Problem
from limbik.solver.result import Miss, Status, misses

GOAL_ROW = ("effector", "length", "angle", "ok", "x", "y", "z", "qw", "qx", "qy", "qz")
LIMIT_ROW = ("joint", "coordinate", "side", "share")
"""Names of the numbers in a row of ``Answer.goals`` and of ``Answer.limits``."""

GOAL, LIMIT = len(GOAL_ROW), len(LIMIT_ROW)

_HOLDS = 0.5  # of a goal's pull: standing that takes so much of it holds it back
_FAINT = 0.02  # limits that hold less than this part of the strongest are not told
_NAN = float("nan")
_NOT = (_NAN,) * 4
_SIDES = {"lower": -1.0, "upper": 1.0, "cone": 0.0}


@dataclass(frozen=True, eq=False)
class Answer:
    """A pose and how the goals stand in it.

    q:      (n,) inside the limits, finite
    status: None where nothing was solved
    goals:  (goals, 11) a row for each effector that is held and for each goal without one: its id,
            error as a length and as an angle (NaN where that is not asked), 1 when within
            tolerance, target x y z, target w x y z (NaN without)
    limits: (limits, 4) joint's index, coordinate's index (−1 for a cone), side (−1 lower, 1 upper,
            0 cone), and how strongly it holds back compared with the strongest, which comes first;
            empty where every goal is met
    ms:     of the solve alone

    ``is_following``: a step of a drag ended before the goals were met, and the next one goes on;
    ``is_stuck``: another pose is known that meets the goals clearly better.
    """

    q: np.ndarray
    status: Status | None
    why: str
    goals: np.ndarray
    limits: np.ndarray
    ms: float = 0.0
    iterations: int = 0
    is_following: bool = False
    is_stuck: bool = False

    @property
    def ok(self) -> bool:
        """Whether every goal is within its tolerance."""
        return bool((self.goals[:, 3] > 0.0).all())

    def error_of(self, effector: int) -> tuple[float, float]:
        """(length, angle) by which an effector misses its target; NaN where that is not asked."""
        row = self.goals[self.goals[:, 0] == effector]
        return (float(row[0, 1]), float(row[0, 2])) if len(row) else (_NAN, _NAN)


def unheld(q: np.ndarray) -> Answer:
    """The answer where no effector is held: the pose as it is."""
    return Answer(q, None, "", np.empty((0, GOAL)), np.empty((0, LIMIT)))


def build_answer(
    problem: Problem,
    held: Sequence[Effector],
    q: np.ndarray,
    code: int | None,
    ms: float = 0.0,
    iterations: int = 0,
    *,
    kept: Sequence[int] = (),
    errors: tuple[Miss, ...] | None = None,
    is_last: bool = False,
    by_limits: bool = False,
) -> Answer:
    """The answer q to a problem whose goals are those of ``held``, in their order, and then goals
    without an effector, whose ids are ``kept``.

    ``code`` is the method's exit code, None where nothing was solved; ``errors`` are those of the
    goals at q where they are known.  After the last step of a drag (``is_last``) none goes on.
    ``by_limits``: where goals are short, it is for limits and nothing else.
    """
    errors = misses(problem, q) if errors is None else errors
    goals = np.full((len(held) + len(kept), GOAL), _NAN)
    for row, id, miss in zip(goals[len(held) :], kept, errors[len(held) :], strict=True):
        row[:4] = id, _or_nan(miss.length), _or_nan(miss.angle), miss.ok
    for row, effector, miss in zip(goals, held, errors, strict=False):
        row[:] = (
            effector.id,
            _or_nan(miss.length),
            _or_nan(miss.angle),
            miss.ok,
            *effector.position,
            *(_NOT if effector.mode == "aim" or effector.wxyz is None else effector.wxyz),
        )
    limits = np.empty((0, LIMIT))
    if code is None:
        return Answer(q, None, "", goals, limits)
    if all(miss.ok for miss in errors):
        why = explain(problem, q, Status.REACHED, None, errors, 0)
        return Answer(q, Status.REACHED, why, goals, limits, ms, iterations)
    pressed = active_limits(problem, q)
    if code == SPENT and is_last and is_held(problem, q):
        code = STATIONARY  # as on a surface, along which the last steps are many and small
    goal = worst_goal(problem, q) if by_limits and pressed else None
    if goal is None:
        status, holders = status_of(problem, STUCK if code == REACHED else code, q)
    else:
        status, holders = Status.LIMITED, Holders(goal, tuple(pressed))
    ended = code in (STUCK, REACHED)
    short = None
    if status is Status.STALLED and not ended:
        short = _short_so_far(problem, q, errors, is_last)
    # A drag never restarts, so that nothing is said of attempts.
    why = short or explain(problem, q, status, holders, errors, 0, ended)
    active = _limits(problem.figure, pressed)
    follows = short is not None and not is_last
    return Answer(q, status, why, goals, active, ms, iterations, is_following=follows)


def _short_so_far(
    problem: Problem, q: np.ndarray, errors: tuple[Miss, ...], is_last: bool
) -> str | None:
    """What is said of a step of a drag that ends with its budget: others follow unless it is the
    last, whose body may be as far out as it stands.  None where no goal is missed most."""
    goal = worst_goal(problem, q)
    if goal is None:
        return None
    short = what_is_short(problem, goal, q, errors)
    if is_last:
        missing = _force(problem.goals[goal], errors[goal])
        for other, miss in zip(problem.goals, errors, strict=True):
            if isinstance(other, Standing) and _force(other, miss) > _HOLDS * missing:
                why = other.describe(Answered(problem.figure, q, True, np.empty(0)))
                return f"{short}: {why}"
        return f"{short}; no nearer pose was found from here"
    return f"{short} so far; the next movement goes on"


def _force(goal: Goal, miss: Miss) -> float:
    """How strongly a goal pulls at its place: its weight times the length that is missing."""
    return float(np.max(getattr(goal, "weight", 0.0))) * (miss.length or 0.0)


def _or_nan(error: float | None) -> float:
    return _NAN if error is None else error


def _limits(figure: Figure, active: Sequence[ActiveLimit]) -> np.ndarray:
    """(limits, 4) of the limits that count, the strongest first."""
    most = active[0].multiplier if active else 0.0
    counts = [limit for limit in active if limit.multiplier > _FAINT * most]
    out = np.empty((len(counts), LIMIT))
    for row, limit in zip(out, counts, strict=True):
        cone = limit.side == "cone"
        row[:] = (
            figure.index(limit.joint),
            -1 if cone else figure.coordinates.index(limit.coordinate),
            _SIDES[limit.side],
            limit.multiplier / most,
        )
    return out
