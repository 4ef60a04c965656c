"""Targets that move: tables of them, one row per problem or frame, and one goal to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from limbik.errors import GoalError, did_you_mean
from limbik.goals.terms import LARGEST, Goal


def targets_of(goal: Goal) -> Mapping[str, int | None]:
    """How many numbers each target of a goal has by name; empty where it has none to move."""
    return getattr(goal, "TARGETS", {})


def target_table(goal: Goal, name: str, values: Any, *, single: bool = False) -> np.ndarray:
    """(problems, k) the targets ``name`` of a goal, checked; ``single``: values is one of them."""
    known = targets_of(goal)
    what = f"{type(goal).__name__} {goal.label}"
    if name not in known:
        hint = did_you_mean(name, known) or (f" (it has {', '.join(known)})" if known else "")
        raise GoalError(f"{what}: has no target {name!r} that can be moved{hint}")
    present = getattr(goal, name)
    flat = getattr(goal, "flat_target", None)
    if flat is not None:
        values, present = flat(name, values), None
    elif present is None and name != "pose":
        raise GoalError(f"{what}: was made without {name}=, so there is none to move")
    try:
        table = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise GoalError(f"{what}: {name} needs numbers, got {values!r}") from None
    width = known[name]
    table = table[None] if single else table
    if width == 0:
        table = table[:, None] if table.ndim == 1 else np.empty((0, 0, 0))
        width = 1
    elif width is None:
        width = table.shape[-1] if present is None else np.shape(present)[-1]
    if table.ndim != 2 or table.shape[1] != width:
        raise GoalError(f"{what}: {name} needs {width} numbers, got {values!r}")
    if not (np.abs(table) <= LARGEST).all():
        bad = np.flatnonzero(~(np.abs(table) <= LARGEST).all(axis=1))[0]
        where = "" if single else f" number {bad}"
        raise GoalError(f"{what}: {name}{where} is not finite, or too large")
    return table


def first_of(goal: Goal) -> tuple[Goal, dict[str, np.ndarray]]:
    """(the goal with the first of its targets, tables of those that vary).

    A target varies where it has one dimension more than usual: ``Reach(position=(frames, 3))``.
    """
    tables: dict[str, np.ndarray] = {}
    first: dict[str, Any] = {}
    for name, width in targets_of(goal).items():
        value = getattr(goal, name)
        if isinstance(value, Mapping | str) or value is None:
            continue
        try:
            dimensions = np.ndim(value)
        except ValueError:
            raise GoalError(f"{goal.label}: {name} needs numbers, got {value!r}") from None
        if dimensions == (1 if width == 0 else 2):
            tables[name] = table = target_table(goal, name, value)
            begin = table[0] if len(table) else np.eye(1, table.shape[1])[0]
            first[name] = float(begin[0]) if width == 0 else begin
    return (replace(goal, **first) if first else goal), tables  # type: ignore[type-var]
