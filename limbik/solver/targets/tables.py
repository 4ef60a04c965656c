"""Goals whose targets differ by problem or frame: one problem, and a table of its targets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure, Pose
from limbik.goals import Goal, Reach
from limbik.goals import terms as tm
from limbik.goals.close import with_loops
from limbik.goals.moving import first_of
from limbik.goals.priority import FIRST
from limbik.solver.problem import Problem
from limbik.solver.targets.target_slots import target_writes

Goals = Goal | str | Iterable[Goal | str]
"""Goals, one or several, or names of joints whose targets are given beside them."""


def batch_problem(
    figure: Figure,
    goals: Goals | None,
    positions: np.ndarray | None = None,
    wxyz: np.ndarray | None = None,
    *,
    start: Pose | None = None,
    tolerance: float | tuple[float, float] | None = None,
    lock: Iterable[str] = (),
    count: int = 1,
    loops: bool = False,
    priority: int = FIRST,
) -> tuple[np.ndarray, np.ndarray, Problem]:
    """(targets (problems, k), their offsets in the problem's floats (k,), the problem).

    ``count`` is how many problems there are where no target varies; ``loops`` closes those of the
    figure, with that ``priority``.
    """
    wanted = with_loops(figure, goals_of(goals, positions, wxyz), loops, priority=priority)
    pairs = [first_of(goal) for goal in wanted]
    problem = Problem(
        figure, [goal for goal, _ in pairs], start=start, tolerance=tolerance, lock=lock
    )
    columns: list[np.ndarray] = []
    target_offsets: list[int] = []
    lengths: dict[int, str] = {}
    for number, (goal, tables) in enumerate(pairs):
        for name, table in tables.items():
            lengths.setdefault(len(table), f"{goal.label}: {name}")
        for first, values in target_writes(problem, number, tables):
            columns.append(values)
            target_offsets += range(first, first + values.shape[1])
    if len(lengths) > 1:
        text = " and ".join(f"{what} has {length}" for length, what in lengths.items())
        raise GoalError(f"targets are not equally many: {text}")
    if not columns:
        columns.append(np.zeros((count, 0)))
    targets = np.ascontiguousarray(np.concatenate(columns, axis=1))
    return targets, np.array(target_offsets, np.int64), problem


def goals_of(
    goals: Goals | None,
    positions: np.ndarray | None = None,
    wxyz: np.ndarray | None = None,
) -> list[Goal]:
    """Goals as they are, or one Reach for each named joint with its column of the targets."""
    if not isinstance(goals, Iterable) and not hasattr(goals, "terms"):
        raise GoalError(f"goals (or effectors): needs goals or names of joints, got {goals!r}")
    one = isinstance(goals, str) or hasattr(goals, "terms")
    given: list[Any] = [goals] if one else list(goals)  # type: ignore[arg-type]
    names = [goal for goal in given if isinstance(goal, str)]
    if not names and given:
        if positions is not None or wxyz is not None:
            raise GoalError("positions= and wxyz= go with names of joints; goals hold their own")
        return given
    if len(names) < len(given):
        raise GoalError("goals: give goals, or names of joints with positions=, not both")
    if not names:
        raise GoalError("no effectors: there is nothing to solve for")
    if positions is None and wxyz is None:
        raise GoalError("no targets: give positions=, wxyz= or both")
    tables: dict[str, np.ndarray] = {}
    for what, values, width in (("positions", positions, 3), ("wxyz", wxyz, 4)):
        if values is not None:
            tables[what] = _table(what, values, width, names)
    if len({len(table) for table in tables.values()}) != 1:
        raise GoalError("positions and wxyz are not equally many")
    if wxyz is not None and (np.linalg.norm(tables["wxyz"], axis=-1) < 1e-12).any():
        raise GoalError("wxyz: a target has zero length")
    return [
        Reach(
            name,
            position=None if positions is None else tables["positions"][:, k],
            wxyz=None if wxyz is None else tables["wxyz"][:, k],
        )
        for k, name in enumerate(names)
    ]


def _table(what: str, values: object, width: int, names: list[str]) -> np.ndarray:
    """(problems, names, width) targets, checked."""
    try:
        table = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise GoalError(f"{what}: needs numbers, got {type(values).__name__}") from None
    if table.ndim == 2 and len(names) == 1:
        table = table[:, None]
    if table.ndim != 3 or table.shape[1:] != (len(names), width):
        raise GoalError(f"{what}: needs shape (problems, {len(names)}, {width}), got {table.shape}")
    if not (np.abs(table) <= tm.LARGEST).all():
        bad = np.argwhere(~(np.abs(table) <= tm.LARGEST))[0]
        raise GoalError(f'{what}: target {bad[0]} of "{names[bad[1]]}" is not finite, or too large')
    return table
