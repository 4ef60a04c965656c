"""Aim: an axis of a joint points at a place."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from limbik.errors import FigureError, GoalError, LimbikDeprecationWarning
from limbik.figure import layout as lay
from limbik.figure.joints import unit_axis
from limbik.goals import terms as tm
from limbik.goals.kernels.aim_at_joint import aim_at_joint
from limbik.goals.kernels.relative import other_joint
from limbik.goals.priority import Prioritized


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Aim(Prioritized):
    """An axis of a joint points at a place: d − R·axis, d the direction to the target.

    ``axis`` is "x", "-z", ... or three numbers in the joint's own frame; ``target`` (3,) is a place
    in the world, or the name of a joint, which may then move too and of which the point
    ``target_at`` (3,), in its own frame, is meant.  d begins at the point ``at`` (3,) of the joint,
    in its own frame as in every other goal.  The error is the angle between the two, in radians.

    The target was called ``at`` and the point ``origin`` once: ``at`` without a ``target``, and
    ``origin``, still mean that, with a DeprecationWarning.

    >>> Aim("Head", axis="z", target=[0, 1.6, 3])
    Aim(joint='Head', target=[0, 1.6, 3])
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"target": 3}

    joint: str
    axis: str | tm.Vector = "z"
    target: tm.Vector | str | None = None
    at: tm.Vector = (0.0, 0.0, 0.0)
    weight: float | tm.Vector = 1.0
    target_at: tm.Vector = (0.0, 0.0, 0.0)

    def __init__(
        self,
        joint: str,
        axis: str | tm.Vector = "z",
        target: tm.Vector | str | None = None,
        at: tm.Vector | str | None = None,
        weight: float | tm.Vector = 1.0,
        *,
        origin: tm.Vector | None = None,
        priority: int = 0,
        target_at: tm.Vector = (0.0, 0.0, 0.0),
    ) -> None:
        tm.joint_name(joint, "Aim")
        what = f'Aim "{joint}"'
        if isinstance(at, str):  # a name cannot be a point
            if target is not None:
                raise GoalError(f"{what}: at= is a point on the joint, got {at!r}")
            target, at = at, None
        if target is None and at is not None:
            _deprecated(f"{what}: at= is the point on the joint; give the place as target=")
            target, at = at, None
        if origin is not None:
            if at is not None:
                raise GoalError(f"{what}: origin= and at= both say which point of the joint")
            _deprecated(f"{what}: origin= is called at= now")
            at = origin
        at = (0.0, 0.0, 0.0) if at is None else at
        values = (joint, axis, target, at, weight, priority, target_at)
        names = ("joint", "axis", "target", "at", "weight", "priority", "target_at")
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def label(self) -> str:
        return self.joint

    def terms(self, scene: tm.Scene) -> list[tm.Term]:
        what = f'Aim "{self.joint}"'
        joint = tm.joint_index(scene.figure, self.joint, "Aim")
        if self.target is None:
            raise GoalError(f"{what}: no target: give target=")
        try:
            axis = unit_axis(self.axis, "axis")
        except FigureError as error:
            raise GoalError(f"{what}: {error}") from None
        diagonal, full = tm.weights(self.weight, 3, what)
        if full is not None:
            raise GoalError(f"{what}: weight takes one number or three")
        if isinstance(self.target, str):
            other = other_joint(scene, self.target, joint, what)
            at = tm.vector(self.at, 3, f"{what}: at")
            there = tm.vector(self.target_at, 3, f"{what}: target_at")
            weight = diagonal * scene.lever**2
            return [aim_at_joint(joint, at, np.array(axis), other, weight, there)]
        return [
            tm.Term(
                tm.AIM,
                joint,
                tm.vector(self.at, 3, f"{what}: at"),
                at2=tm.vector(axis, 3, f"{what}: axis"),
                point=tm.vector(self.target, 3, f"{what}: target"),
                weight=diagonal * scene.lever**2,
            )
        ]

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[tm.TargetWrite]:
        if isinstance(self.target, str):
            raise GoalError(f'Aim "{self.joint}": its target is a joint and moves by itself')
        return [tm.TargetWrite(0, lay.T_POINT, tables["target"])]


def _deprecated(message: str) -> None:
    warnings.warn(message, LimbikDeprecationWarning, stacklevel=3)
