"""How a body behaves while it is dragged: what is unwilling to move, and how its feet stand.

Feet that are pinned on the floor stay there; where a drag is held back by that they stand on their
balls, so that the heel rises, and comes down again when it can.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limbik.figure.figure import Figure
from limbik.goals import Above, Goal, Plane, Reach
from limbik.humanoid.recognise import SIDES
from limbik.poser.document.effector import LAST_ID, Effector
from limbik.poser.document.kept_goal import KeptGoal
from limbik.posture.feet import Foot, feet_of
from limbik.posture.joint_weights import ARM, PLACE, TRUNK, joint_weights
from limbik.posture.known_body import known_body, known_up
from limbik.posture.standing import Standing
from limbik.solver.problem import Problem

STANDING = LAST_ID + 4
"""The id of the goal that a body does not fall, which no effector has."""

STANDING_HEADING = 1.0
"""Weight with which pinned feet point where they do while a hand is dragged, where they alone hold
the body: that of a pin; the hand has 1e-3."""

_LEVEL = 0.01
"""Of a foot's length, seen from above: one that is shorter points nowhere."""

_BEHIND = 0.5
"""Of its distance from the ball, seen from above: a heel does not come nearer."""

PULL = 4e-7
"""Weight of the pull to the pose in which the drag began, for an arm's coordinates."""

TILTED = math.radians(2.0)
"""From this angle on a sole is not flat."""

STRAIN = math.radians(4.0)
"""See Posture.strained."""

ENOUGH, ENOUGH_AFTER_NATURAL = 0.25, 0.1
"""Where a target cannot be met, the natural pose is shown unless another has less than this part
of its objective; the second where the natural one was shown last, so that the body does not go to
and fro between them."""

_ON_THE_FLOOR = 0.02  # of the figure's size: as high a ball that stands may be
_HELD = 0.01  # of the figure's size: as far from its target a pin that holds may be
_ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Posture:
    """The behaviour of a body; ``floor`` is the height of its floor, None where none is kept.  Pins
    of ``firm`` joints stay where they are, whatever the floor and the heels would like: keys hold
    them, and a foot that is pinned in two keys does not move between them."""

    figure: Figure
    floor: float | None = None
    firm: frozenset[str] = frozenset()

    @property
    def up(self) -> int:
        """The number of the axis that is up."""
        return known_up(self.figure)

    @property
    def hips(self) -> str | None:
        """The joint that carries the legs and the trunk."""
        return known_body(self.figure).roles.get("hips")

    def weights(self, dragged: str | None) -> np.ndarray:
        """(n,) the weights of the pull; what carries the body is free to move where it is
        dragged itself."""
        weights = joint_weights(self.figure)
        if dragged is not None and dragged == known_body(self.figure).roles.get("hips"):
            weights[self.figure.slides & (weights == PLACE)] = ARM
        return PULL * weights

    def standing(self, held: Sequence[Effector], dragged: int | None, q: np.ndarray) -> set[int]:
        """Ids of the effectors that are feet standing on their balls in the pose q (n,)."""
        return {
            effector.id
            for effector in held
            if effector.id != dragged
            and effector.mode == "pin"
            and self.on_the_floor(effector, q) is not None
            and self._at_its_target(effector, q)
        }

    def standing_goals(
        self, held: Sequence[Effector], dragged: int | None, q: np.ndarray
    ) -> list[KeptGoal]:
        """The weight stays above the feet while a hand is dragged, where they are all that holds
        the body in the pose q (n,)."""
        moved = next((e.joint for e in held if e.id == dragged), None)
        pins = [e for e in held if e.id != dragged and e.mode == "pin"]
        feet = [e for e in pins if self.foot(e) is not None]
        if moved is None or not self.is_on_an_arm(moved) or not feet or len(feet) < len(pins):
            return []
        high = [self._ball_height(e, q) for e in feet]
        lowest = min(high) + _ON_THE_FLOOR * self.figure.size
        low = [e.joint for e, height in zip(feet, high, strict=True) if height <= lowest]
        goals: list[Goal] = [Standing(q, low)]
        for effector in feet:
            goals += self._headings(effector.joint, q)
        return [KeptGoal.of(STANDING, goal) for goal in goals]

    def _headings(self, joint: str, q: np.ndarray) -> list[Goal]:
        """A foot points where it does in the pose q (n,): heel and ball stay in the upright plane
        through both, and the heel stays behind the ball, so that the foot does not tip over."""
        foot = next(f for f in feet_of(self.figure) if f.joint == self.figure.index(joint))
        frame = self.figure.frames(q)[foot.joint]
        heel, ball = (frame[:3, :3] @ at + frame[:3, 3] for at in (foot.heel, foot.ball))
        up = np.eye(3)[self.up]
        across = np.cross(up, ball - heel)
        length = float(np.linalg.norm(across))
        if length < _LEVEL * np.linalg.norm(ball - heel):
            return []  # upright: it points nowhere
        across /= length
        back = np.cross(up, across)
        behind = float((_BEHIND * heel + (1.0 - _BEHIND) * ball) @ back)
        return [
            Plane(joint, across, float(ball @ across), foot.heel, weight=STANDING_HEADING),
            Plane(joint, across, float(ball @ across), foot.ball, weight=STANDING_HEADING),
            Above(joint, back, behind, foot.heel, weight=STANDING_HEADING),
        ]

    def ball_goal(self, effector: Effector, q: np.ndarray) -> Goal:
        """The goal of a foot that stands: its ball stays where it is in the pose q (n,)."""
        foot = self.foot(effector)
        assert foot is not None
        frame = self.figure.frames(q)[foot.joint]
        place = frame[:3, :3] @ foot.ball + frame[:3, 3]
        return Reach(effector.joint, position=place, at=foot.ball, weight=effector.weight)

    def strained(self, problem: Problem) -> float:
        """The objective with the pull from which on a pose is strained: that of a trunk whose
        joints are bent by STRAIN each."""
        lever, n = problem.scene.lever, self.figure.n
        return 3.0 * PULL * TRUNK * lever**2 / n * STRAIN**2

    def tilt(self, effector: Effector, q: np.ndarray) -> float:
        """By which angle the sole of a foot is tilted in the pose q (n,); 0 where it is no foot."""
        foot = self.foot(effector)
        if foot is None:
            return 0.0
        above = self.figure.frames(q)[foot.joint, self.up, :3] @ foot.normal
        return math.acos(min(max(float(above), -1.0), 1.0))

    def foot(self, effector: Effector) -> Foot | None:
        """The foot that an effector moves; None where it is none."""
        joint = self.figure.index(effector.joint)
        return next((foot for foot in feet_of(self.figure) if foot.joint == joint), None)

    def on_the_floor(self, effector: Effector, q: np.ndarray) -> Foot | None:
        """The foot of an effector, where its ball is on the floor in the pose q (n,)."""
        foot = None if effector.joint in self.firm else self.foot(effector)
        if foot is None or self.floor is None or effector.wxyz is not None:
            return None
        if effector.at != _ORIGIN:
            return None
        high = self._ball_height(effector, q) - self.floor
        return foot if high < _ON_THE_FLOOR * self.figure.size else None

    def is_on_an_arm(self, joint: str) -> bool:
        """Whether a joint is an upper arm or hangs on one."""
        body = known_body(self.figure)
        arms = [self.figure.index(body[side + "UpperArm"]) for side in SIDES]
        return any(self.carried(self.figure.index(joint), arm) for arm in arms)

    def carried(self, joint: int, by: int) -> bool:
        """Whether a joint is another one or hangs on it."""
        return by in self.figure.tree.ancestors(joint)

    def _ball_height(self, effector: Effector, q: np.ndarray) -> float:
        foot = self.foot(effector)
        assert foot is not None
        frame = self.figure.frames(q)[foot.joint]
        return float(frame[self.up, :3] @ foot.ball + frame[self.up, 3])

    def _at_its_target(self, effector: Effector, q: np.ndarray) -> bool:
        here = self.figure.positions(q)[self.figure.index(effector.joint)]
        away = float(np.linalg.norm(here - np.array(effector.position)))
        return away < _HELD * self.figure.size
