"""From a method's exit code and answer to a status, and a sentence that a person can act on."""

from __future__ import annotations

import math

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.units import length_text
from limbik.goals import Close, Goal, Manipulability, Pin, Rest
from limbik.goals.terms import Answered
from limbik.methods.base import REACHED, STATIONARY
from limbik.solver.explanation.holders import (
    ActiveLimit,
    Holders,
    holders_of,
    too_short,
    worst_goal,
)
from limbik.solver.problem import Problem
from limbik.solver.result import Miss, Status

_SLIGHT = 0.01  # part of the worst error: what misses by less is not counted in a sentence
_NAMED = 3  # so many limits, locks or goals are named, the others counted


def status_of(
    problem: Problem, code: int, q: np.ndarray, *, brief: bool = False
) -> tuple[Status, Holders | None]:
    """Status from a method's exit code and answer, and what holds the worst goal back.

    None where that is not known: where every goal is met, or q is not stationary.  ``brief`` looks
    for no more holders than the status needs.
    """
    if code == REACHED or (code == STATIONARY and not np.isfinite(problem.tolerances).any()):
        return Status.REACHED, None
    goal = worst_goal(problem, q) if code == STATIONARY else None
    if goal is None:
        return Status.STALLED, None
    with np.errstate(over="ignore", invalid="ignore"):  # far targets: squares may be infinite
        holders = holders_of(problem, q, goal, brief=brief)
    if holders.limits:
        return Status.LIMITED, holders
    rest = any(isinstance(problem.goals[k], Rest) for k in holders.goals)
    if holders.locks or rest:
        return Status.HELD, holders
    # Goals that the bones do not let be met together are out of reach, whoever holds whom.
    apart = too_short(problem, goal) is not None
    return (Status.HELD if holders.goals and not apart else Status.OUT_OF_REACH), holders


def explain(
    problem: Problem,
    q: np.ndarray,
    status: Status,
    holders: Holders | None,
    errors: tuple[Miss, ...],
    attempts: int,
    stuck: bool = False,
) -> str:
    """The goal that is furthest off, and what holds it.

    ``attempts`` is how many were made, 0 where restarts are not to be spoken of; ``stuck`` where
    the method gave up before its budget was spent.
    """
    if status is Status.REACHED:
        return "every goal is within its tolerance"
    goal = worst_goal(problem, q) if holders is None else holders.goal
    if goal is None:
        ended = "the method found no way on" if stuck else "the budget was spent"
        return f"{ended} before the answer settled"
    what = what_is_short(problem, goal, q, errors)
    if holders is not None:
        return f"{what}: {_reason(problem, q, holders, attempts)}"
    missed = [k for k, miss in enumerate(errors) if not miss.ok and k != goal]
    texts = [text for k in missed if (text := _description(problem, k, q, holds=True))]
    near = f": {' and '.join(texts)}" if texts else ""
    if stuck:
        advice = "choose another method or allow restarts" if attempts else "choose another method"
        return f"{what} and the method finds no way on{near}; {advice}"
    advice = "allow more iterations, seconds or restarts"
    return f"{what} when the budget was spent{near}; {advice}"


def what_is_short(problem: Problem, goal: int, q: np.ndarray, errors: tuple[Miss, ...]) -> str:
    """By how much a goal is short, and how many others are, but for those that give way slightly
    beside it."""
    what = _description(problem, goal, q, holds=False)
    what = what or f"{errors[goal].label} is {_amount(problem, goal, errors[goal])}"
    short = [miss for k, miss in enumerate(errors) if k != goal and not miss.ok]
    others = sum(not _is_slight(miss, errors[goal]) for miss in short)
    return what + (f" (and {others} other goal{'s' if others > 1 else ''} short)" if others else "")


def _is_slight(miss: Miss, worst: Miss) -> bool:
    """Whether a goal misses by next to nothing beside the worst one."""
    pairs = ((miss.length, worst.length), (miss.angle, worst.angle))
    return all(one is None or (other is not None and one < _SLIGHT * other) for one, other in pairs)


def _reason(problem: Problem, q: np.ndarray, holders: Holders, attempts: int) -> str:
    """What holds a goal back, or that nothing does, and whether the bones are long enough."""
    bones = ""
    if (short := too_short(problem, holders.goal)) is not None:
        length = length_text(short[2], problem.figure.unit)
        bones = f"the bones between {short[0]} and {short[1]} are {length} too short"
        if short[0] == short[1]:
            bones = f"{short[0]} can only turn where it is, {length} too far away"
    named = [_describe(problem.figure, limit) for limit in holders.limits[:_NAMED]]
    if (more := len(holders.limits) - len(named)) > 0:
        named.append(f"{more} more limit{'s' if more > 1 else ''}")
    several = len(named) > 1
    texts = {k: _description(problem, k, q, holds=True) for k in holders.goals}
    also = [text for text in texts.values() if text]
    level = problem.levels[holders.goal]
    above = [k for k in holders.goals if not texts[k] and problem.levels[k] < level]
    beside = [k for k in holders.goals if not texts[k] and k not in above]
    for one, many, names, higher in (
        ("the lock of", "the locks of", holders.locks, False),
        *((*kind, False) for kind in _by_kind([problem.goals[k] for k in beside])),
        *((*kind, True) for kind in _by_kind([problem.goals[k] for k in above])),
    ):
        if names:
            text = f"{many if len(names) > 1 else one} {_listed(list(names))}".strip()
            if higher and not one.startswith("the loop"):
                text += f" ({'goals' if len(names) > 1 else 'a goal'} of higher priority)"
            named.append(text)
            several = several or len(named) > 1 or len(names) > 1
    if named:
        also.insert(0, f"{_listed(named, len(named))} {'hold' if several else 'holds'} it back")
    if bones:
        also.append(bones)
    if also:
        return ", and ".join(also)
    terms = problem.terms_of[holders.goal]
    if len(terms) > 1:
        nothing = "no limit holds it; its position and its rotation are out of reach together"
    else:
        nothing = "no limit holds it; the target is out of reach"
    if attempts > 1:
        return f"{nothing}, as far as {attempts} attempts can tell"
    nothing = "no limit holds it and no small movement helps"
    return f"{nothing}; allow restarts" if attempts else nothing


def _description(problem: Problem, goal: int, q: np.ndarray, *, holds: bool) -> str:
    """A goal's own words, where it has some: what is missing, or why it ``holds`` another one."""
    describe = getattr(problem.goals[goal], "describe", None)
    if describe is None or not problem.terms_of[goal]:
        return ""
    numbers = problem.own_numbers(problem.terms_of[goal][0])
    return describe(Answered(problem.figure, q, holds, numbers))


def _by_kind(goals: list[Goal]) -> list[tuple[str, str, list[str]]]:
    """(one, many, labels) of other goals, pins, loops and Rest, each where there are any."""
    pins = [goal.label for goal in goals if isinstance(goal, Pin)]
    rest = [goal.label for goal in goals if isinstance(goal, Rest | Manipulability)]
    loops = [goal.label for goal in goals if isinstance(goal, Close)]
    named = Pin | Rest | Manipulability | Close
    other = [goal.label for goal in goals if not isinstance(goal, named)]
    return [
        ("the goal of", "the goals of", list(dict.fromkeys(other))),
        ("the pin of", "the pins of", list(dict.fromkeys(pins))),
        ("the loop", "the loops", list(dict.fromkeys(loops))),
        ("", "", rest),
    ]


def _listed(names: list[str], most: int = _NAMED) -> str:
    """ "A", "A and B", "A, B and C", "A, B, C and 2 more"."""
    if len(names) > most:
        names = [*names[:most], f"{len(names) - most} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _amount(problem: Problem, goal: int, miss: Miss) -> str:
    """By how much a goal is missed: "4.2 cm short and 12° off"."""
    if any(problem.terms[term].unit == "number" for term in problem.terms_of[goal]):
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


def _describe(figure: Figure, limit: ActiveLimit) -> str:
    if limit.side == "cone":
        return f"{limit.joint} at the edge of its cone"
    c = figure.coordinates.index(limit.coordinate)
    slides = bool(figure.slides[c])
    value = length_text(limit.value, figure.unit) if slides else f"{math.degrees(limit.value):.0f}°"
    return f"{limit.coordinate} at its {limit.side} limit ({value})"
