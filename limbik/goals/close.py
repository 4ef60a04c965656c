"""Close: two points of a figure are one, which closes a loop of joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.errors import GoalError
from limbik.goals.priority import Prioritized
from limbik.goals.relative import other_joint, relative_position, relative_rotation
from limbik.goals.terms import Scene, Term, Vector, joint_index, joint_name, one_weight, vector
from limbik.maths.so3 import quat_to_matrix

TIGHT = 1e-8
"""How far a loop may be open, in the figure's size (and rad)."""


@dataclass(frozen=True, eq=False, repr=False)
class Close(Prioritized):
    """Two points of a figure are one: p_other(q) − p(q), which closes a loop of joints.

    The points are ``at`` (3,) of ``joint`` and ``other_at`` (3,) of ``other``, each in its joint's
    own frame.  With ``wxyz`` (4,) the two are welded: ``joint`` is turned that way against
    ``other``.  A loop counts as closed within 1e-8 of the figure's size (and rad), whatever
    ``solve(tolerance=)``.  ``weight`` is large, so that other goals do not open it.
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
        return f"{self.joint}–{self.other}"

    def terms(self, scene: Scene) -> list[Term]:
        what = f'Close "{self.joint}", "{self.other}"'
        joint = joint_index(scene.figure, self.joint, "Close")
        other = other_joint(scene, self.other, joint, what)
        diagonal = one_weight(self.weight, what)
        at = vector(self.at, 3, f"{what}: at")
        place = vector(self.other_at, 3, f"{what}: other_at")
        weight = np.full(3, diagonal[0])
        tight = TIGHT * scene.figure.size
        terms = [relative_position(joint, at, other, place, weight, tight)]
        if self.wxyz is not None:
            turn = vector(self.wxyz, 4, f"{what}: wxyz")
            if np.linalg.norm(turn) < 1e-12:
                raise GoalError(f"{what}: wxyz has zero length")
            turned = weight * scene.lever**2
            terms.append(relative_rotation(joint, other, quat_to_matrix(turn), turned, TIGHT))
        return terms
