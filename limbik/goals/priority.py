"""The priority that every goal has: which goals give way to which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral

from limbik.equality import ByValue
from limbik.errors import GoalError

FIRST = -1
"""The priority of a figure's own loops, which are closed before anything else."""


@dataclass(frozen=True, eq=False, repr=False)
class Prioritized(ByValue):
    """A goal with a priority: 0 is the highest.

    Goals of one priority are weighed against each other (``weight=``).  Those of a lower one (1,
    2, …) take what the higher ones leave free and do not move them by more than 1e-6 of their
    units.
    """

    priority: int = field(default=0, kw_only=True)


def levels_of(goals: Sequence[object]) -> tuple[int, ...]:
    """The level of each goal: 0 for the highest priority, 1 for the next one that there is.

    A goal whose priority is None, such as a Rest that does not say, has the last level.
    """
    given = [getattr(goal, "priority", 0) for goal in goals]
    if all(type(priority) is int and priority == 0 for priority in given):
        return (0,) * len(given)
    for goal, priority in zip(goals, given, strict=True):
        if priority is None:
            continue
        whole = isinstance(priority, Integral) and not isinstance(priority, bool)
        if not whole or priority < FIRST:
            label = getattr(goal, "label", type(goal).__name__)
            raise GoalError(f"{label}: priority is 0, 1, 2, …, got {priority!r}")
    last = max((int(priority) for priority in given if priority is not None), default=0)
    filled = [max(last, 0) if priority is None else int(priority) for priority in given]
    known = sorted(set(filled))
    return tuple(known.index(priority) for priority in filled)
