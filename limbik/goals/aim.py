"""Aim: an axis of a joint points at a place."""

from __future__ import annotations

from dataclasses import dataclass

from limbik.errors import FigureError, GoalError
from limbik.figure.joints import unit_axis
from limbik.goals.terms import AIM, Scene, Term, Vector, joint_index, vector, weights


@dataclass(frozen=True)
class Aim:
    """d − R·axis, d the direction from the joint's point ``origin`` to the target ``at``.

    ``axis`` is "x", "-z", ... or three numbers in the joint's own frame; ``at`` (3,) is a place in
    the world.  The error is the angle between the two, in radians.

    >>> Aim("Head", axis="z", at=[0, 1.6, 3]).label
    'Head'
    """

    joint: str
    axis: str | Vector = "z"
    at: Vector | None = None
    origin: Vector = (0.0, 0.0, 0.0)
    weight: float | Vector = 1.0

    @property
    def label(self) -> str:
        return self.joint

    def terms(self, scene: Scene) -> list[Term]:
        what = f'Aim "{self.joint}"'
        joint = joint_index(scene.figure, self.joint, "Aim")
        if self.at is None:
            raise GoalError(f"{what}: no target: give at=")
        try:
            axis = unit_axis(self.axis, "axis")
        except FigureError as error:
            raise GoalError(f"{what}: {error}") from None
        diagonal, full = weights(self.weight, 3, what)
        if full is not None:
            raise GoalError(f"{what}: weight takes one number or three")
        return [
            Term(
                AIM,
                joint,
                vector(self.origin, 3, f"{what}: origin"),
                at2=vector(axis, 3, f"{what}: axis"),
                point=vector(self.at, 3, f"{what}: at"),
                weight=diagonal * scene.lever**2,
            )
        ]
