"""Close: two points of a figure are one, which closes a loop of joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.figure.physical.properties import Loop
from limbik.goals.kernels.relative import other_joint, relative_position, relative_rotation
from limbik.goals.priority import FIRST, Prioritized
from limbik.goals.terms import (
    POSITION,
    ROTATION,
    Scene,
    Term,
    Vector,
    joint_index,
    joint_name,
    one_weight,
    vector,
)
from limbik.maths.so3 import quat_to_matrix

LIGHT = 100.0
"""The weight of a figure's own loops: they come first, so that a large one would only slow down."""
TIGHT = 5e-9
"""How far a loop may be open, in the figure's size (and rad)."""


@dataclass(frozen=True, eq=False, repr=False)
class Close(Prioritized):
    """Two points of a figure are one: p_other(q) − p(q), which closes a loop of joints.

    The points are ``at`` (3,) of ``joint`` and ``other_at`` (3,) of ``other``, each in its joint's
    own frame; an empty ``other`` is the world.  With ``wxyz`` (4,) the two are welded: ``joint`` is
    turned that way against ``other``.  A loop counts as closed within 5e-9 of the figure's size
    (and rad), whatever ``solve(tolerance=)``.  ``weight`` is large, so that other goals of its
    priority hardly open it; those of lower priority do not.  The loops of a figure
    (``figure.loops``) are closed in this way without being asked for, before anything else
    (``solve(loops=True)``).
    """

    joint: str
    other: str
    at: Vector = (0.0, 0.0, 0.0)
    other_at: Vector = (0.0, 0.0, 0.0)
    wxyz: Vector | None = None
    weight: float = 1e4

    def __post_init__(self) -> None:
        joint_name(self.joint, "Close")
        joint_name(self.other, "Close")

    @property
    def label(self) -> str:
        return f"{self.joint}–{self.other or 'the world'}"

    def terms(self, scene: Scene) -> list[Term]:
        what = f'Close "{self.joint}", "{self.other}"'
        joint = joint_index(scene.figure, self.joint, "Close")
        other = other_joint(scene, self.other, joint, what) if self.other else None
        at = vector(self.at, 3, f"{what}: at")
        place = vector(self.other_at, 3, f"{what}: other_at")
        weight, tight = np.full(3, one_weight(self.weight, what)[0]), TIGHT * scene.figure.size
        turned, matrix = weight * scene.lever**2, None
        if self.wxyz is not None:
            turn = vector(self.wxyz, 4, f"{what}: wxyz")
            if np.linalg.norm(turn) < 1e-12:
                raise GoalError(f"{what}: wxyz has zero length")
            matrix = quat_to_matrix(turn)
        if other is None:
            terms = [Term(POSITION, joint, at, point=place, weight=weight, tolerance=tight)]
            if matrix is not None:
                terms.append(Term(ROTATION, joint, matrix=matrix, weight=turned, tolerance=TIGHT))
            return terms
        terms = [relative_position(joint, at, other, place, weight, tight)]
        if matrix is not None:
            terms.append(relative_rotation(joint, other, matrix, turned, TIGHT))
        return terms


def with_loops(figure: Any, goals: Any, loops: object, *, priority: int = FIRST) -> Any:
    """The goals, and one for each loop of the figure, where ``loops`` is True.

    A loop that a Close among the goals speaks of is left to that.  Anything that is no figure or no
    goals comes back as it is, for others to refuse.
    """
    if not isinstance(loops, bool | np.bool_):
        raise GoalError(f"loops is True or False, got {loops!r}")
    if not loops or not isinstance(figure, Figure) or not figure.loops:
        return goals
    if hasattr(goals, "terms"):
        goals = (goals,)
    if isinstance(goals, str) or not isinstance(goals, Iterable):
        return goals
    given = tuple(goals)
    if not given:
        return given
    closed = {frozenset((g.joint, g.other)) for g in given if isinstance(g, Close)}
    own = [
        close_of(loop, priority)
        for loop in figure.loops
        if frozenset((loop.joint_a, loop.joint_b)) not in closed
    ]
    return (*given, *own)


def close_of(loop: Loop, priority: int = FIRST) -> Close:
    """The goal that closes a loop: the second joint against the first, which may be the world.

    Among goals of its own priority it weighs as much as any Close.
    """
    weight = LIGHT if priority == FIRST else Close.weight
    if not loop.joint_b:
        w, x, y, z = loop.wxyz or (1.0, 0.0, 0.0, 0.0)
        turn = None if loop.wxyz is None else (w, -x, -y, -z)
        return Close(loop.joint_a, "", loop.at_a, loop.at_b, turn, weight, priority=priority)
    ends = (loop.joint_b, loop.joint_a, loop.at_b, loop.at_a)
    return Close(*ends, loop.wxyz, weight, priority=priority)
