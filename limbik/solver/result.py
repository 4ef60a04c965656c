"""What a solve came to: status, errors goal by goal, limits that hold back."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from limbik.equality import ByValue
from limbik.errors import LimbikError
from limbik.figure.appearance.drawing import svg
from limbik.goals import Goal, Rest
from limbik.solver.explanation.holders import ActiveLimit
from limbik.solver.explanation.sensitivity import sensitivity
from limbik.solver.problem import Problem


class Status(StrEnum):
    """How a solve ended.

    REACHED:      every goal is within its tolerance
    LIMITED:      no small movement is better, and joint limits hold it back
    HELD:         the same, and no limit but a lock, another goal or Rest holds it back
    OUT_OF_REACH: the same, and nothing holds it back, or the bones are too short
    STALLED:      the budget is spent, or the method finds no way on
    """

    REACHED = "REACHED"
    """Every goal is within its tolerance."""
    LIMITED = "LIMITED"
    """Stationary, and joint limits hold it back."""
    HELD = "HELD"
    """Stationary, and no limit but a lock, another goal or Rest holds it back."""
    OUT_OF_REACH = "OUT_OF_REACH"
    """Stationary, and nothing holds it back, or the bones are too short for the goals together."""
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


class History(NamedTuple):
    """f (k,) and q (k, n) of every accepted iterate of the attempt that gave the answer."""

    f: np.ndarray
    q: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Result(ByValue):
    """The answer of ``solve``.

    ok:          True when every goal is within its tolerance
    status:      how it ended: REACHED, LIMITED, HELD, OUT_OF_REACH or STALLED (Status)
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
    history: History | None
    problem: Problem | None = field(compare=False)

    @classmethod
    def late(cls, report: Any, q: np.ndarray, seconds: float) -> Result:
        """A result whose other fields are asked of ``report`` when they are read.

        The report is that of explanation/report.py.

        Args:
            report: what works out errors, limits and why.
            q: (n,) the answer.
            seconds: how long the solve took.

        Returns:
            The result.
        """
        self = object.__new__(cls)
        fields = self.__dict__
        fields["_report"], fields["q"], fields["seconds"] = report, q, seconds
        return self

    def __getattr__(self, name: str) -> Any:
        # Reached only for a field that is not there yet.
        report = self.__dict__.get("_report")
        if report is None or name not in _FIELDS:
            raise AttributeError(f"a Result has no {name!r}", name=name, obj=self)
        value = self.__dict__[name] = getattr(report, name)
        return value

    @property
    def ok(self) -> bool:
        """Whether every goal is within its tolerance."""
        return self.status is Status.REACHED

    def sensitivity(self, goal: Goal | int | str) -> np.ndarray:
        """dq/dtarget (n, k): how the answer moves with the target of one of its goals.

        ``goal`` is the goal, its place among the goals, or its label.  The columns are those of
        its target: x, y, z of a position, then a rotation of the target about the world's x, y, z
        (rad); the length of a Distance; the offset of a Plane; the n numbers of a Rest pose.
        Coordinates that are locked or held by a limit do not move (explanation/sensitivity.py has
        the theory).

        Args:
            goal: the goal, its place among the goals, or its label.

        Returns:
            (n, k) for a target of k numbers.

        Raises:
            GoalError: there is no such goal, it has no target, or goals have several priorities.

        Example:
            >>> r = limbik.solve(fig, limbik.Reach("LeftHand", position=[0.4, 1.2, 0.3]))
            >>> (r.q + r.sensitivity("LeftHand") @ [0.01, 0, 0]).shape
            (74,)
        """
        if self.problem is None:
            raise LimbikError("sensitivity: this result is without its problem; solve again")
        return sensitivity(self.problem, self.q, goal)

    def _repr_html_(self) -> str:
        figure = None if self.problem is None else self.problem.figure
        text = f"{self.status}: {self.why}"
        return f"<p>{html.escape(text)}</p>" if figure is None else svg(figure, [self.q], text)

    def __getstate__(self) -> dict[str, Any]:
        # Goals may hold functions, which cannot be pickled.
        return {name: getattr(self, name) for name in _FIELDS} | {"problem": None}

    def __repr__(self) -> str:
        return f"<Result {self.status}: {self.why}>"


_FIELDS = tuple(f.name for f in fields(Result))


def misses(problem: Problem, q: np.ndarray) -> tuple[Miss, ...]:
    """The error of every goal at q, in its own unit, in the order of the goals."""
    found = problem.term_errors(q)
    # Plain numbers: a drag asks for this at every step, and goals have few terms each.
    errors, within = found.tolist(), (found <= problem.tolerances).tolist()
    out: list[Miss] = []
    for goal, terms in zip(problem.goals, problem.terms_of, strict=True):
        if isinstance(goal, Rest):
            weight, pose = goal.diagonal(problem.scene)
            away = float(np.linalg.norm((q - pose) * (weight > 0)) / math.sqrt(max(1, len(q))))
            out.append(Miss(goal.label, None, away, True))
        else:
            lengths = [errors[t] for t in terms if not problem.terms[t].is_angle]
            angles = [errors[t] for t in terms if problem.terms[t].is_angle]
            out.append(
                Miss(
                    goal.label,
                    max(lengths) if lengths else None,
                    max(angles) if angles else None,
                    all(within[t] for t in terms),
                )
            )
    return tuple(out)
