"""One moment of the timeline: its pose, and the effectors held where they have to be then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from limbik.figure.figure import Figure
from limbik.goals import Rest
from limbik.maths.so3 import matrix_to_quat
from limbik.poser.document.effector import Effector, Vec4
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.document.timeline.keys import Target
from limbik.poser.drag.answer import Answer, unheld
from limbik.poser.drag.drag_solver import DragSolver
from limbik.poser.drag.effector_targets import placed

PULL = 1e-3
"""How much it counts for a moment to stay near its pose.  With the weaker pull of a drag the goals
are met before the pull has done its work, more in one frame and less in the next, and it jerks."""


class Moment(NamedTuple):
    """A pose of the timeline.

    ``answer`` has the pose, inside the limits, and how far the effectors that are held are from
    their targets.  ``targets`` are those of all effectors that have goals in keys, by their ids,
    with the mode they have at that time; one that is not held then is free and where it is.
    ``held`` are the effectors that the pose was settled to.
    """

    answer: Answer
    targets: Mapping[int, Target]
    held: tuple[tuple[Effector, Target], ...] = ()

    @property
    def q(self) -> np.ndarray:
        """(n,) the pose."""
        return self.answer.q


class Holding:
    """Settles poses so that effectors are at their targets, changing the poses little.

    What it made ready for a set of effectors serves again for other frames.
    """

    def __init__(
        self, figure: Figure, locked: Sequence[str], goals: Sequence[KeptGoal] = ()
    ) -> None:
        self._figure = figure
        # The pose to stay near is that of the timeline: a Rest would pull every frame off it.
        self._goals = [kept for kept in goals if not isinstance(kept.goal, Rest | None)]
        self._locked = [joint for joint in locked if joint in figure.joints]
        self._ready: dict[tuple[object, ...], DragSolver] = {}

    def settle(self, q: np.ndarray, held: Sequence[tuple[Effector, Target]]) -> Answer:
        """The pose near q (n,) in which each effector is at its target, and goals without an
        effector are met, if the limits allow."""
        if not held and not self._goals:
            return unheld(self._figure.project(q))
        kind = tuple((e.id, t.mode == "aim", t.wxyz is None) for e, t in held)
        live = self._ready.get(kind)
        if live is None:
            effectors = [_held(*one) for one in held]
            live = DragSolver(
                self._figure, effectors, None, q,
                locked=self._locked, pull=PULL, goals=self._goals,
            )  # fmt: skip
            self._ready[kind] = live
        live.begin(q)
        for effector, target in held:
            live.move(effector.id, target.position, target.wxyz)
        return live.solve()


def _held(effector: Effector, target: Target) -> Effector:
    mode = "aim" if target.mode == "aim" else "pin"
    return replace(effector, mode=mode, position=target.position, wxyz=target.wxyz)


def where(figure: Figure, frames: np.ndarray, effector: Effector, wxyz: Vec4 | None) -> Target:
    """The target of an effector that is free: where it is, with the figure's ``frames`` (joints, 4,
    4); its orientation too, where there is one to follow."""
    loose = replace(effector, mode="free", wxyz=wxyz)
    there = placed(loose, frames[figure.index(effector.joint)], figure.size)
    return Target(there.position, there.wxyz, "free")


def place_of(figure: Figure, frames: np.ndarray, effector: Effector) -> np.ndarray:
    """(3,) where an effector's point is, with the figure's ``frames`` (joints, 4, 4)."""
    frame = frames[figure.index(effector.joint)]
    return frame[:3, :3] @ np.array(effector.at) + frame[:3, 3]


def turn_of(figure: Figure, frames: np.ndarray, effector: Effector) -> np.ndarray:
    """(4,) wxyz, how an effector's joint is turned."""
    return matrix_to_quat(frames[figure.index(effector.joint), :3, :3])
