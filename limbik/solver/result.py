"""What a solve came to, told honestly: status, sentence, errors, limits that hold back."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from limbik.equality import ByValue
from limbik.errors import LimbikError
from limbik.figure import kinematics as kin
from limbik.figure.drawing import svg
from limbik.figure.figure import Figure
from limbik.figure.limits import SwingTwist
from limbik.figure.projection import CONE_INTS, CONE_SWING, SCRATCH, cone_normals
from limbik.goals import Goal, PythonGoal, Rest
from limbik.methods.base import REACHED, STATIONARY
from limbik.solver.problem import Problem
from limbik.solver.sensitivity import sensitivity


class Status(StrEnum):
    """How a solve ended.

    REACHED:      every goal is within its tolerance
    LIMITED:      no small movement is better, and joint limits hold it back
    OUT_OF_REACH: no small movement is better, and no limit holds it back
    STALLED:      the budget is spent, or the method finds no way on
    """

    REACHED = "REACHED"
    """Every goal is within its tolerance."""
    LIMITED = "LIMITED"
    """Stationary, and joint limits hold it back."""
    OUT_OF_REACH = "OUT_OF_REACH"
    """Stationary, and no limit holds it back."""
    STALLED = "STALLED"
    """The budget is spent, or the method finds no way on."""


class Miss(float):
    """How far a goal is from being met: a number with its parts.

    As a float it is the distance (figure's unit) or, for a goal that only turns, the angle (rad).

    label:  what the goal is about, such as its joint
    length: the distance in the figure's unit, None for a goal that only turns
    angle:  the angle in radians, None for a goal without one
    ok:     whether it is within its tolerance
    """

    label: str
    length: float | None
    angle: float | None
    ok: bool

    def __new__(cls, label: str, length: float | None, angle: float | None, ok: bool) -> Miss:
        self = super().__new__(cls, length if length is not None else angle or 0.0)
        self.label, self.length, self.angle, self.ok = label, length, angle, ok
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Miss, (self.label, self.length, self.angle, self.ok)


class ActiveLimit(NamedTuple):
    """A limit that the answer presses against.

    joint:      the joint's name
    coordinate: the coordinate's name; that of the joint for a cone
    side:       "lower", "upper" or "cone"
    value:      where the coordinate is (rad or the figure's unit); for a cone, how far from 0
    multiplier: how much f would fall per radian (or unit of length) of slack
    """

    joint: str
    coordinate: str
    side: str
    value: float
    multiplier: float


class History(NamedTuple):
    """f (k,) and q (k, n) of every accepted iterate of the attempt that gave the answer."""

    f: np.ndarray
    q: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Result(ByValue):
    """The answer of ``solve``.

    ok:          True when every goal is within its tolerance
    status:      how it ended: REACHED, LIMITED, OUT_OF_REACH or STALLED (limbik.Status)
    why:         a sentence that says what falls short and what holds it back
    q:           (n,) the pose, inside the limits
    errors:      how far each goal is from being met, in the order of the goals (limbik.Miss)
    objective:   f at the answer: the weighted squared errors, summed
    iterations:  iterations of all attempts
    evaluations: how often f was evaluated
    attempts:    1, and one more for each restart
    singular:    iterations in which the method's own linear system lacked rank, where it looks
    seconds:     time of the call; two results are equal whatever it was
    limits:      the limits that the answer presses against, the strongest first
    history:     f and q of every accepted iterate, where ``solve(history=True)`` asked for it
    problem:     what was solved, which ``sensitivity`` needs; a pickled result is without it
    """

    status: Status
    why: str
    q: np.ndarray
    errors: tuple[Miss, ...]
    objective: float
    iterations: int
    evaluations: int
    attempts: int
    singular: int
    seconds: float = field(compare=False)
    limits: tuple[ActiveLimit, ...]
    history: History | None = None
    problem: Problem | None = field(default=None, compare=False)

    @property
    def ok(self) -> bool:
        """Whether every goal is within its tolerance."""
        return self.status is Status.REACHED

    def sensitivity(self, goal: Goal | int | str) -> np.ndarray:
        """dq/dtarget (n, k): how the answer moves with the target of one of its goals.

        ``goal`` is the goal, its place among the goals, or its label.  The columns are those of
        its target: x, y, z of a position, then a rotation of the target about the world's x, y, z
        (rad); the length of a Distance; the offset of a Plane; the n numbers of a Rest pose.
        Coordinates that are locked or held by a limit do not move (sensitivity.py has the theory).

        >>> r.q + r.sensitivity("LeftHand") @ [0.01, 0, 0]  # doctest: +SKIP
        """
        if self.problem is None:
            raise LimbikError("sensitivity: this result is without its problem; solve again")
        return sensitivity(self.problem, self.q, goal)

    def _repr_html_(self) -> str:
        figure = None if self.problem is None else self.problem.figure
        said = f"{self.status}: {self.why}"
        return f"<p>{html.escape(said)}</p>" if figure is None else svg(figure, [self.q], said)

    def __getstate__(self) -> dict[str, Any]:
        # Goals may hold functions, which cannot be pickled.
        return {**self.__dict__, "problem": None}

    def __repr__(self) -> str:
        return f"<Result {self.status}: {self.why}>"


def active_limits(
    problem: Problem, q: np.ndarray, push: np.ndarray | None = None
) -> tuple[ActiveLimit, ...]:
    """Limits that q presses against, the strongest first, with their multipliers.

    ``push`` (n,) is what presses: −∇f unless given.
    """
    figure, ints, floats = problem.figure, problem.ints, problem.floats
    if push is None:
        push = -problem.gradient(q)
    found: list[ActiveLimit] = []

    def add(c: int, side: str, value: float, multiplier: float) -> None:
        joint = figure.definition[figure.owner[c]].name
        name = joint if side == "cone" else figure.coordinates[c]
        found.append(ActiveLimit(joint, name, side, value, multiplier))

    lower = floats[ints[kin.F_LOWER] :][: figure.n]
    upper = floats[ints[kin.F_UPPER] :][: figure.n]
    in_cone = ints[ints[kin.I_IN_CONE] :][: figure.n]
    ranged = in_cone == kin.NONE
    below, above = (push < 0.0) & (q <= lower), (push > 0.0) & (q >= upper)
    for c in np.flatnonzero(ranged & (below | above)).tolist():
        add(c, "lower" if below[c] else "upper", float(q[c]), abs(float(push[c])))
    normals, scratch = np.empty((2, 3)), np.empty(SCRATCH)
    for cone in range(int(ints[kin.N_CONES])):
        entry = int(ints[kin.I_CONE]) + CONE_INTS * cone
        kind, c = int(ints[entry]), int(ints[entry + 1])
        span = 2 if kind == CONE_SWING else 3
        if not isinstance(figure.definition[figure.owner[c]].limit, SwingTwist):
            continue  # the end of its coordinates, not a limit that anybody set
        for k in range(cone_normals(ints, floats, cone, q, normals, scratch)):
            multiplier = float(normals[k, :span] @ push[c : c + span])
            if multiplier > 0.0:
                add(c, "cone", float(np.linalg.norm(q[c : c + span])), multiplier)
    return tuple(sorted(found, key=lambda limit: -limit.multiplier))


def misses(problem: Problem, q: np.ndarray) -> tuple[Miss, ...]:
    """The error of every goal at q, in its own unit, in the order of the goals."""
    errors = problem.term_errors(q)
    within = errors <= problem.tolerances
    out: list[Miss] = []
    python = len(problem.terms)
    for goal, terms in zip(problem.goals, problem.terms_of, strict=True):
        if isinstance(goal, Rest):
            weight, pose = goal.diagonal(problem.scene)
            away = float(np.linalg.norm((q - pose) * (weight > 0)) / math.sqrt(max(1, len(q))))
            out.append(Miss(goal.label, None, away, True))
        elif isinstance(goal, PythonGoal):
            out.append(Miss(goal.label, float(errors[python]), None, bool(within[python])))
            python += 1
        else:
            lengths = [errors[t] for t in terms if not problem.terms[t].is_angle]
            angles = [errors[t] for t in terms if problem.terms[t].is_angle]
            out.append(
                Miss(
                    goal.label,
                    float(max(lengths)) if lengths else None,
                    float(max(angles)) if angles else None,
                    bool(within[terms].all()),
                )
            )
    return tuple(out)


def status_of(problem: Problem, code: int, q: np.ndarray) -> tuple[Status, tuple[ActiveLimit, ...]]:
    """Status and active limits from a method's exit code and answer."""
    limits = active_limits(problem, q)
    if code == REACHED or (code == STATIONARY and not len(problem.tolerances)):
        return Status.REACHED, limits
    if code != STATIONARY:
        return Status.STALLED, limits
    f = problem.objective(q)
    # A limit counts where a tenth of a radian of slack would lower f by a thousandth of itself.
    held = any(0.1 * limit.multiplier > 1e-3 * f for limit in limits)
    return (Status.LIMITED if held else Status.OUT_OF_REACH), limits


def explain(
    problem: Problem,
    q: np.ndarray,
    status: Status,
    errors: tuple[Miss, ...],
    attempts: int,
    stuck: bool = False,
) -> str:
    """A sentence that a person can act on: the goal that is furthest off, and what holds it.

    ``stuck`` where the method gave up before its budget was spent.
    """
    figure = problem.figure
    if status is Status.REACHED:
        return "every goal is within its tolerance"
    short = [k for k, miss in enumerate(errors) if not miss.ok]
    if not short:
        ended = "the method found no way on" if stuck else "the budget was spent"
        return f"{ended} before the answer settled"
    goal = max(short, key=lambda k: _times_over(problem, q, k))
    worst = errors[goal]
    what = f"{worst.label} is {_amount(problem, goal, worst)}"
    others = len(short) - 1
    if others:
        what += f" (and {others} other goal{'s' if others > 1 else ''} short)"
    if status is Status.LIMITED:
        # Limits that other goals press against are not to blame for this one.
        limits = active_limits(problem, q, problem.push_of(goal, q)) or active_limits(problem, q)
        limits = tuple(m for m in limits if m.multiplier > 0.02 * limits[0].multiplier)
        names = [_describe(figure, limit) for limit in limits[:3]]
        more = len(limits) - len(names)
        if more > 0:
            names.append(f"{more} more")
        listed = names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"
        verb = "holds" if len(names) == 1 else "hold"
        return f"{what}: {listed} {verb} it back"
    if status is Status.OUT_OF_REACH:
        if any(isinstance(goal, Rest) for goal in problem.goals):
            return f"{what}: no limit holds it; it is out of reach, or Rest pulls too hard"
        if len(problem.goals) > 1:
            return f"{what}: no limit holds it; the goals are out of reach or contradict each other"
        if attempts == 1:
            return f"{what}: no limit holds it and no small movement helps; allow restarts"
        return f"{what}: no limit holds it; the target is out of reach"
    if stuck:
        return f"{what} and the method finds no way on; choose another method or allow restarts"
    return f"{what} when the budget was spent; allow more iterations, seconds or restarts"


def _times_over(problem: Problem, q: np.ndarray, goal: int) -> float:
    """How many times its tolerance a goal is off; lengths and angles compare by this."""
    over = problem.term_errors(q) / problem.tolerances
    asked = problem.goals[goal]
    if isinstance(asked, PythonGoal):
        return float(over[len(problem.terms) + problem.python.index(asked)])
    return float(over[problem.terms_of[goal]].max(initial=0.0))


def _amount(problem: Problem, goal: int, miss: Miss) -> str:
    if isinstance(problem.goals[goal], PythonGoal):
        return f"off by {float(miss):.3g}"
    tolerance = [problem.tolerances[t] for t in problem.terms_of[goal]]
    angle = "" if miss.angle is None else f"{math.degrees(miss.angle):.3g}° off"
    if miss.length is None:
        return angle
    length = f"{length_text(miss.length, problem.figure.unit)} short"
    if miss.angle is None:
        return length
    if miss.length <= tolerance[0]:
        return angle
    return length if miss.angle <= tolerance[-1] else f"{length} and {angle}"


def length_text(length: float, unit: str) -> str:
    """A length for people: "4.2 cm", "0.31 mm", "12 units"."""
    if unit == "m":
        if length < 1e-6:
            return "under 0.001 mm" if length > 0.0 else "0 mm"
        for factor, name in ((1.0, "m"), (1e2, "cm"), (1e3, "mm")):
            if length * factor >= 1.0 or name == "mm":
                return f"{length * factor:.3g} {name}"
    return f"{length:.3g} {unit or 'units'}"


def _describe(figure: Figure, limit: ActiveLimit) -> str:
    if limit.side == "cone":
        return f"{limit.joint} at the edge of its cone"
    c = figure.coordinates.index(limit.coordinate)
    slides = bool(figure.slides[c])
    value = length_text(limit.value, figure.unit) if slides else f"{math.degrees(limit.value):.0f}°"
    return f"{limit.coordinate} at its {limit.side} limit ({value})"
