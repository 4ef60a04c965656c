"""What a solve came to: status, errors goal by goal, limits that hold back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from limbik.goals import PythonGoal, Rest
from limbik.solver.holders import ActiveLimit
from limbik.solver.problem import Problem


class Status(StrEnum):
    """How a solve ended."""

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


@dataclass(frozen=True)
class Result:
    """The answer of ``solve``; ``ok`` is true when every goal is within its tolerance."""

    status: Status
    why: str
    q: np.ndarray
    errors: tuple[Miss, ...]
    objective: float
    iterations: int
    evaluations: int
    attempts: int
    singular: int
    """Iterations in which the method's own linear system lacked rank, where it looks at that."""
    seconds: float
    limits: tuple[ActiveLimit, ...]
    history: History | None = None

    @property
    def ok(self) -> bool:
        return self.status is Status.REACHED

    def __repr__(self) -> str:
        return f"<Result {self.status}: {self.why}>"


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


def length_text(length: float, unit: str) -> str:
    """A length for people: "4.2 cm", "0.31 mm", "12 units"."""
    if unit == "m":
        if length < 1e-6:
            return "under 0.001 mm" if length > 0.0 else "0 mm"
        for factor, name in ((1.0, "m"), (1e2, "cm"), (1e3, "mm")):
            if float(f"{length * factor:.3g}") >= 1.0 or name == "mm":
                return f"{length * factor:.3g} {name}"
    return f"{length:.3g} {unit or 'units'}"
