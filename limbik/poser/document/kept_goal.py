"""A goal of a program that no effector can stand for: it is shown, and kept while one drags."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from limbik import goals as kinds
from limbik.errors import LimbikError
from limbik.goals import Goal


@dataclass(frozen=True, eq=False)
class KeptGoal:
    """A goal under an id that no effector has.

    ``goal`` is None where it was a function of a program that has ended: its name is still shown.
    """

    id: int
    kind: str
    label: str
    goal: Goal | None

    @classmethod
    def of(cls, id: int, goal: Goal) -> KeptGoal:
        return cls(id, type(goal).__name__, goal.label, goal)

    def to_json(self) -> dict[str, Any]:
        """The goal as JSON; without ``values`` where a file cannot hold it."""
        out: dict[str, Any] = {"id": self.id, "kind": self.kind, "label": self.label}
        values = None if self.goal is None else _values(self.goal)
        return out if values is None else {**out, "values": values}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> KeptGoal:
        """The goal that ``to_json`` wrote."""
        goal = None
        if "values" in saved:
            if saved["kind"] not in kinds.__all__:
                raise LimbikError(f"no goal is called {str(saved['kind'])[:40]!r}")
            goal = getattr(kinds, saved["kind"])(**saved["values"])
        return cls(saved["id"], saved["kind"], saved["label"], goal)


def _values(goal: Goal) -> dict[str, Any] | None:
    """The fields of a goal as JSON; None where one of them is a function or the like."""
    if type(goal).__name__ not in kinds.__all__ or not is_dataclass(goal):
        return None
    out: dict[str, Any] = {}
    for field in fields(goal):
        if not field.init:
            continue
        value = getattr(goal, field.name)
        if value is not None and not isinstance(value, str | bool):
            array = np.asarray(value)
            if array.dtype.kind not in "if" or not np.isfinite(array).all():
                return None
            value = array.tolist()
        out[field.name] = value
    return out
