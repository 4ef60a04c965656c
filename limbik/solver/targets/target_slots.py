"""Where what may be changed after a problem is made stands in its floats: targets and ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from limbik.errors import GoalError
from limbik.figure import layout as lay
from limbik.figure.figure import Figure
from limbik.goals import Goal, Rest
from limbik.goals import terms as tm


class Laid(Protocol):
    """What must be known of a problem: its goals, their terms, and where sections begin."""

    figure: Figure
    goals: tuple[Goal, ...]
    terms: list[tm.Term]
    terms_of: list[list[int]]
    ints: np.ndarray


def term_floats(ints: np.ndarray, term: int) -> int:
    """Where the floats of a term begin."""
    return lay.record_at(ints, lay.F_TERM, term)


def own_floats(ints: np.ndarray, term: int) -> int:
    """Where the numbers of a term that is a function begin."""
    return int(ints[lay.record_at(ints, lay.I_TERM, term) + lay.T_OWN_FLOATS])


def target_writes(
    problem: Laid, number: int, tables: Mapping[str, np.ndarray]
) -> list[tuple[int, np.ndarray]]:
    """(first place in the floats, numbers (problems, k)) of tables of a goal's targets."""
    goal, ints = problem.goals[number], problem.ints
    if isinstance(goal, Rest):
        if sum(isinstance(other, Rest) for other in problem.goals) > 1:
            raise GoalError("Rest: the pose of one of several Rest goals cannot be moved")
        if not tables:
            return []
        poses = problem.figure.pose(tables["pose"], "Rest: pose")
        return [(int(ints[lay.F_REST_POSE]), poses)]
    writes: list[tuple[int, np.ndarray]] = []
    if not problem.terms_of[number]:  # such as an Avoid with nothing to test
        return writes
    for term, at, values in goal.target_writes(tables) if tables else ():  # type: ignore[attr-defined]
        k = problem.terms_of[number][term]
        if at <= tm.NUMBERS:
            first = own_floats(ints, k) + tm.NUMBERS - at
        else:
            first = term_floats(ints, k) + at
        writes.append((first, values))
    return writes


def shared_floats(part: Laid, full: Laid, numbers: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """(places in the floats of a part, places in those of the full problem) of targets
    and ranges: what may be changed after a problem is made."""
    n = part.figure.n
    pairs = [(int(part.ints[at]), int(full.ints[at]), n) for at in (lay.F_LOWER, lay.F_UPPER)]
    for k, number in enumerate(numbers):
        for own, theirs in zip(part.terms_of[k], full.terms_of[number], strict=True):
            ends = (term_floats(part.ints, own), term_floats(full.ints, theirs), lay.TERM_FLOATS)
            pairs.append(ends)
            functions = part.terms[own].functions
            if functions is not None:
                count = len(functions.numbers)
                pairs.append((own_floats(part.ints, own), own_floats(full.ints, theirs), count))
    rests = [k for k, goal in enumerate(full.goals) if isinstance(goal, Rest)]
    if len(rests) == 1 and rests[0] in numbers:  # the poses of several cannot be moved
        pairs.append((int(part.ints[lay.F_REST_POSE]), int(full.ints[lay.F_REST_POSE]), n))
    spans = [(np.arange(a, a + k), np.arange(b, b + k)) for a, b, k in pairs]
    return np.concatenate([a for a, _ in spans]), np.concatenate([b for _, b in spans])
