"""How a body behaves while it is dragged: what holds it beside its effectors, and what it keeps.

Feet that are pinned on the floor stay there; where a drag is held back by that they stand on their
balls, so that the heel rises, and comes down again when it can.  While the pull is on, soles stay
flat, the hips keep their turn, and effectors that a person placed stay where they are.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from limbik.figure.figure import Figure
from limbik.goals import Goal, Plane, Reach
from limbik.humanoid.at_ease import at_ease
from limbik.humanoid.recognise import SIDES
from limbik.maths.so3 import matrix_to_quat
from limbik.poser.document.effector import LAST_ID, Effector
from limbik.poser.document.kept_goal import KeptGoal
from limbik.posture.feet import Foot, feet_of
from limbik.posture.floor import Floor
from limbik.posture.floor_points import FloorPoint, floor_points
from limbik.posture.joint_weights import ARM, NECK, PLACE, TRUNK, joint_weights
from limbik.posture.known_body import known_body, known_up
from limbik.solver.problem import Problem

FLOOR = LAST_ID + 3
"""The id of the floor's goal, which no effector has."""

PULL = 4e-7
"""Weight of the pull to the pose in which the drag began, for an arm's coordinates."""

FLAT, GIVING, HEADING, HIPS, PLACED = 8e-6, 1.6e-6, 1.2e-4, 1.2e-4, 1.2e-5
"""Weights with which soles stay flat, the same while the hips are dragged, with which feet that
stand point where they do, the hips keep their turn while they are dragged, and effectors stay where
a person placed them; the dragged goal has 1e-3."""

KNEES = 5e-6
"""Weight with which knees stay above their pinned feet, seen from ahead, while something else is
dragged: they do not go inwards to spare an ankle at its limit."""

LEVEL = 3.2e-7
"""Weight with which other pins keep their turn."""

HANGING = 2e-7
"""Weight with which the upper arm of a free hand keeps its turn in the world while the other hand
is dragged, for an arm that hangs on a chest that leans: little beside the chest's own, and more
than that of the arm's joints."""

SWINGING = 8e-7
"""The same in figures without a posture, whose pull is another (drag_goals.PULL)."""

TILTED = math.radians(2.0)
"""From this angle on a sole is not flat."""

STRAIN = math.radians(4.0)
"""See Posture.strained."""

ENOUGH, ENOUGH_AFTER_NATURAL = 0.25, 0.1
"""Where a target cannot be met, the natural pose is shown unless another has less than this part
of its objective; the second where the natural one was shown last, so that the body does not go to
and fro between them."""

_ON_THE_FLOOR = 0.02  # of the figure's size: as high a ball that stands may be
_LOW = 0.2  # of the figure's size: points as high above the floor are held from the beginning
_HELD = 0.01  # of the figure's size: as far from its target a pin that holds may be
_STRAIGHT = 0.99  # cosine of the angle between two bones that are straight: 8 degrees
_NUDGE = 0.08  # of the way to the middle of the limits: about 6 degrees of an elbow
_BENT = 0.4
_ORIGIN = (0.0, 0.0, 0.0)
_AS_IT_IS = (1.0, 0.0, 0.0, 0.0)  # stands in for a rotation that is written where a drag begins


class Kept(NamedTuple):
    """What is kept while the pull is on: a goal whose target is taken from the pose in which a drag
    begins.  ``kind`` says what the target is: where the point is, how the joint is turned, that
    with the sole made flat, the upright plane through heel and ball, or the one beside it in which
    the knee is."""

    goal: Goal
    joint: int
    kind: Literal["place", "turn", "flat", "heading", "knee"]
    at: tuple[float, float, float] = _ORIGIN


class Points(NamedTuple):
    """Points of a body that the floor holds, and others that are looked at after each step."""

    held: tuple[FloorPoint, ...]
    others: tuple[FloorPoint, ...]


class Watched(NamedTuple):
    """Points that are looked at after each step, as arrays."""

    points: tuple[FloorPoint, ...]
    joints: np.ndarray  # (points,) indices
    at: np.ndarray  # (points, 4) x, y, z, 1 in the joint's frame
    clearance: np.ndarray  # (points,)


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

    @property
    def _bounded(self) -> np.ndarray:
        return np.isfinite(self.figure.lower) & np.isfinite(self.figure.upper)

    def weights(self, dragged: str | None) -> np.ndarray:
        """(n,) the weights of the pull; what carries the body is free to move where it is
        dragged itself."""
        weights = joint_weights(self.figure)
        if dragged is not None and dragged == known_body(self.figure).roles.get("hips"):
            weights[self.figure.slides & (weights == PLACE)] = ARM
        return PULL * weights

    def low_points(self, q: np.ndarray, dragged: str | None, left_out: Collection[str]) -> Points:
        """The points that the floor holds while ``dragged`` is moved from the pose q (n,), and the
        others.  What is high above the floor and is not moved itself needs no goal, nor do those
        of the joints ``left_out``: balls that are held on the floor."""
        if self.floor is None:
            return Points((), ())
        frames, near, far = self.figure.frames(q), [], []
        moved = -1 if dragged is None else self.figure.index(dragged)
        stands = {self.figure.index(joint) for joint in left_out}
        balls = [
            (foot.joint, float(frames[foot.joint, self.up] @ [*foot.ball, 1.0]) - self.floor)
            for foot in feet_of(self.figure)
            if foot.joint in stands
        ]
        for point in floor_points(self.figure):
            joint = self.figure.index(point.joint)
            if any(self._carried(joint, self.figure.index(firm)) for firm in self.firm):
                continue
            high = self._height(frames, point) - self.floor
            # What is below the floor already sinks no further, and a heel no further than its ball.
            low = min([high, *(h for foot, h in balls if self._carried(joint, foot))])
            point = FloorPoint(point.joint, point.at, min(point.clearance, low))
            ball = point.joint in left_out and point.at == self._ball(joint)
            close = high < _LOW * self.figure.size or self._carried(joint, moved)
            (near if close and not ball else far).append(point)
        return Points(tuple(near), tuple(far))

    def floor_goal(self, points: Sequence[FloorPoint]) -> KeptGoal:
        """The floor for these points."""
        assert self.floor is not None
        return KeptGoal.of(FLOOR, Floor(self.floor, tuple(points)))

    def floor_below(self, turning: Collection[int], q: np.ndarray) -> list[Goal]:
        """The floor for what hangs on some joints, by their indices, in the pose q (n,); none where
        nothing of it is low."""
        low = self.low_points(q, None, ()).held
        below = [
            point
            for point in low
            if any(self._carried(self.figure.index(point.joint), joint) for joint in turning)
        ]
        goal = self.floor_goal(below).goal if below else None
        return [] if goal is None else [goal]

    def sunk(self, watched: Watched, q: np.ndarray) -> list[FloorPoint]:
        """Those of some points that are below the floor in the pose q (n,)."""
        if self.floor is None or not watched.points:
            return []
        rows = self.figure.frames(q)[watched.joints, self.up]
        high = np.einsum("ij,ij->i", rows, watched.at) - watched.clearance
        below = high < self.floor - 1e-4 * self.figure.size
        return [watched.points[k] for k in np.flatnonzero(below)]

    def watched(self, points: Iterable[FloorPoint]) -> Watched:
        """Points made ready for ``sunk``."""
        points = tuple(points)
        return Watched(
            points,
            np.array([self.figure.index(point.joint) for point in points], int),
            np.array([[*point.at, 1.0] for point in points]),
            np.array([point.clearance for point in points]),
        )

    def _height(self, frames: np.ndarray, point: FloorPoint) -> float:
        frame = frames[self.figure.index(point.joint), self.up]
        x, y, z = point.at
        return float(frame[0] * x + frame[1] * y + frame[2] * z + frame[3])

    def _ball(self, joint: int) -> tuple[float, ...] | None:
        """Where the ball of a foot is in its frame, None for other joints."""
        return next((tuple(f.ball) for f in feet_of(self.figure) if f.joint == joint), None)

    def _carried(self, joint: int, by: int) -> bool:
        """Whether a joint is another one or hangs on it."""
        return by in self.figure.tree.ancestors(joint)

    def standing(self, held: Sequence[Effector], dragged: int | None, q: np.ndarray) -> set[int]:
        """Ids of the effectors that are feet standing on their balls in the pose q (n,)."""
        return {
            effector.id
            for effector in held
            if effector.id != dragged
            and effector.mode == "pin"
            and self._on_the_floor(effector, q) is not None
            and self._at_its_target(effector, q)
        }

    def ball_goal(self, effector: Effector, q: np.ndarray) -> Goal:
        """The goal of a foot that stands: its ball stays where it is in the pose q (n,)."""
        foot = self._foot(effector)
        assert foot is not None
        frame = self.figure.frames(q)[foot.joint]
        place = frame[:3, :3] @ foot.ball + frame[:3, 3]
        return Reach(effector.joint, position=place, at=foot.ball, weight=effector.weight)

    def strained(self, problem: Problem) -> float:
        """The objective with the pull from which on a pose is strained: that of a trunk whose
        joints are bent by STRAIN each."""
        lever, n = problem.scene.lever, self.figure.n
        return 3.0 * PULL * TRUNK * lever**2 / n * STRAIN**2

    def bent(self, joint: str, q: np.ndarray) -> np.ndarray | None:
        """(n,) the pose q with the limb that a drag of ``joint`` moves bent a little, where it is
        straight: there, no first derivative says that it could bend.  None where it is not.

        Dragging the hips moves both legs.
        """
        frames, out = self.figure.frames(q), None
        for upper, lower, end in self._limbs(joint):
            one = frames[lower, :3, 3] - frames[upper, :3, 3]
            two = frames[end, :3, 3] - frames[lower, :3, 3]
            lengths = float(np.linalg.norm(one) * np.linalg.norm(two))
            if float(one @ two) < _STRAIGHT * lengths:
                continue
            own = (self.figure.owner == lower) & self._bounded
            middle = 0.5 * (self.figure.lower[own] + self.figure.upper[own])
            out = q.copy() if out is None else out
            out[own] += _NUDGE * (middle - q[own])
        return None if out is None else self.figure.project(out)

    def starts(self, joint: str, q: np.ndarray) -> list[np.ndarray]:
        """Poses (n,) from which a drag of ``joint`` may come to a better one than from q (n,): its
        limb clearly bent, as it is in a body at ease, and in the middle of its limits."""
        limbs = self._limbs(joint)
        if not limbs:
            return []
        bounded, middle = self._bounded, q.copy()
        middle[bounded] = 0.5 * (self.figure.lower[bounded] + self.figure.upper[bounded])
        hinges = np.isin(self.figure.owner, [limb[1] for limb in limbs])
        whole = np.isin(self.figure.owner, [i for limb in limbs for i in limb])
        found = [np.where(hinges, q + _BENT * (middle - q), q), np.where(whole, middle, q)]
        ease = at_ease(self.figure, q)
        if ease is not None:
            found.append(np.where(whole, ease, q))
        return [self.figure.project(pose) for pose in found]

    def beside_limb(self, joint: str) -> list[str]:
        """All joints but those of the limb that carries ``joint``; none where no limb does."""
        limbs = self._limbs(joint)
        if len(limbs) != 1 or joint == known_body(self.figure).roles.get("hips"):
            return []
        own = {*limbs[0][:2], self.figure.index(joint)}
        body = known_body(self.figure)
        for side in SIDES:  # the collarbone is part of the arm
            collar = body.roles.get(side + "Shoulder")
            if collar is not None and self.figure.index(body[side + "UpperArm"]) in own:
                own.add(self.figure.index(collar))
        i = self.figure.index(joint)
        while i >= 0 and i not in limbs[0][:2]:
            own.add(i)
            i = int(self.figure.parents[i])
        return [name for i, name in enumerate(self.figure.joints) if i not in own]

    def _limbs(self, joint: str) -> list[tuple[int, int, int]]:
        """(upper, lower, end) joints of the limbs that a drag of a joint moves first."""
        if joint not in self._known_limbs:
            self._known_limbs[joint] = self._found_limbs(joint)
        return self._known_limbs[joint]

    @cached_property
    def _known_limbs(self) -> dict[str, list[tuple[int, int, int]]]:
        return {}

    def _found_limbs(self, joint: str) -> list[tuple[int, int, int]]:
        body = known_body(self.figure)
        out = []
        for side in SIDES:
            for parts in (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot")):
                chain = [self.figure.index(body[side + part]) for part in parts]
                below = self._carried(self.figure.index(joint), chain[1])
                if below or (joint == body["hips"] and parts[0] == "UpperLeg"):
                    out.append((chain[0], chain[1], chain[2]))
        return out

    def kept(
        self,
        effectors: Sequence[Effector],
        dragged: int | None,
        q: np.ndarray,
        standing: Collection[int] = (),
    ) -> list[Kept]:
        """What is kept while the pull is on in a drag that begins in the pose q (n,); ``standing``
        are ids of feet that stand on their balls."""
        out: list[Kept] = []
        hips = known_body(self.figure).roles.get("hips", "")
        lowered = any(e.joint == hips and e.id == dragged for e in effectors)
        for effector in effectors:
            joint = self.figure.index(effector.joint)
            turns = effector.wxyz is None and effector.mode != "aim"
            if effector.id != dragged and effector.mode == "free" and effector.placed:
                goal = Reach(effector.joint, position=_ORIGIN, at=effector.at, weight=PLACED)
                out.append(Kept(goal, joint, "place", effector.at))
            if turns and self._on_the_floor(effector, q) is not None:
                if effector.mode == "pin" or effector.id == dragged:
                    weight = GIVING if lowered else FLAT
                    tilted = effector.id != dragged and effector.id not in standing
                    tilted = tilted and self.tilt(effector, q) > TILTED
                    kind: Literal["turn", "flat"] = "turn" if tilted else "flat"
                    out.append(Kept(_turned(effector.joint, weight), joint, kind))
                foot = self._foot(effector)
                if effector.id != dragged and effector.mode == "pin" and foot is not None:
                    plane = Plane(effector.joint, (1.0, 0.0, 0.0), 0.0, foot.heel, weight=HEADING)
                    out.append(Kept(plane, joint, "heading"))
                    if dragged is not None:
                        knee = _knee(self.figure, joint)
                        plane = Plane(self.figure.joints[knee], (1.0, 0.0, 0.0), 0.0, weight=KNEES)
                        out.append(Kept(plane, knee, "knee"))
            elif (
                turns
                and effector.mode == "pin"
                and effector.id != dragged
                and effector.at == _ORIGIN
                and effector.joint != hips
            ):
                out.append(Kept(_turned(effector.joint, LEVEL), joint, "turn"))
        for arm in self._free_arms(effectors, dragged):
            out.append(Kept(_turned(arm, HANGING), self.figure.index(arm), "turn"))
        if lowered and all(e.wxyz is None for e in effectors if e.id == dragged):
            out.append(Kept(_turned(hips, HIPS), self.figure.index(hips), "turn"))
        return out

    def _free_arms(self, effectors: Sequence[Effector], dragged: int | None) -> list[str]:
        """The upper arms that nothing holds while a hand is dragged: nothing below them is dragged,
        pinned or placed.  Where the head or the hips are dragged, arms go along with the chest: to
        turn them against it at every step would make them tremble."""
        body = known_body(self.figure)
        arms = [body[side + "UpperArm"] for side in SIDES]
        moved = next((e.joint for e in effectors if e.id == dragged), None)
        if moved is None or not any(
            self._carried(self.figure.index(moved), self.figure.index(arm)) for arm in arms
        ):
            return []
        asked = [
            self.figure.index(effector.joint)
            for effector in effectors
            if effector.id == dragged or effector.mode != "free" or effector.placed
        ]
        return [
            arm
            for arm in arms
            if not any(self._carried(joint, self.figure.index(arm)) for joint in asked)
        ]

    def tilt(self, effector: Effector, q: np.ndarray) -> float:
        """By which angle the sole of a foot is tilted in the pose q (n,); 0 where it is no foot."""
        foot = self._foot(effector)
        if foot is None:
            return 0.0
        above = self.figure.frames(q)[foot.joint, self.up, :3] @ foot.normal
        return math.acos(min(max(float(above), -1.0), 1.0))

    def _foot(self, effector: Effector) -> Foot | None:
        joint = self.figure.index(effector.joint)
        return next((foot for foot in feet_of(self.figure) if foot.joint == joint), None)

    def _on_the_floor(self, effector: Effector, q: np.ndarray) -> Foot | None:
        """The foot of an effector, where its ball is on the floor in the pose q (n,)."""
        foot = None if effector.joint in self.firm else self._foot(effector)
        if foot is None or self.floor is None or effector.wxyz is not None:
            return None
        if effector.at != _ORIGIN:
            return None
        frame = self.figure.frames(q)[foot.joint]
        high = float(frame[self.up, :3] @ foot.ball + frame[self.up, 3]) - self.floor
        return foot if high < _ON_THE_FLOOR * self.figure.size else None

    def _at_its_target(self, effector: Effector, q: np.ndarray) -> bool:
        here = self.figure.positions(q)[self.figure.index(effector.joint)]
        away = float(np.linalg.norm(here - np.array(effector.position)))
        return away < _HELD * self.figure.size


def beside_limbs(figure: Figure, joints: Iterable[str]) -> tuple[str, ...]:
    """All joints of a body but those of the limbs that carry ``joints``, and but its neck; none
    where one of them is on no limb."""
    if not known_body(figure).complete:
        return ()
    posture = Posture(figure)
    others = [set(posture.beside_limb(joint)) for joint in joints]
    neck = {figure.joints[i] for i in figure.owner[joint_weights(figure) == NECK]}
    still = set.intersection(*others) - neck if all(others) else set()
    return tuple(joint for joint in figure.joints if joint in still)


def _turned(joint: str, weight: float) -> Reach:
    return Reach(joint, wxyz=_AS_IT_IS, rotation_weight=weight)


def swinging(figure: Figure, held: Sequence[Effector], dragged: int | None) -> list[Kept]:
    """Pins that leave what hangs on their joint free to swing, as toes on an ankle: they keep their
    turn while the pull is on, in figures without a posture."""
    return [
        Kept(_turned(e.joint, SWINGING), figure.index(e.joint), "turn")
        for e in held
        if e.id != dragged and e.mode == "pin" and e.wxyz is None and e.at == _ORIGIN
    ]


def put_kept(
    figure: Figure, problem: Problem, first: int, kept: Sequence[Kept], q: np.ndarray
) -> None:
    """Write the targets of what is kept, goals from number ``first`` on, from a pose q (n,)."""
    frames = figure.frames(q)
    for k, (_, joint, kind, at) in enumerate(kept, start=first):
        frame = frames[joint]
        if kind == "place":
            problem.set_target(k, position=frame[:3, :3] @ np.array(at) + frame[:3, 3])
            continue
        if kind == "heading":
            foot = next(foot for foot in feet_of(figure) if foot.joint == joint)
            ball = frame[:3, :3] @ foot.ball + frame[:3, 3]
            across = _across(figure, frame, foot)
            problem.set_target(k, normal=across, offset=float(ball @ across))
            continue
        if kind == "knee":
            foot = next(foot for foot in feet_of(figure) if _knee(figure, foot.joint) == joint)
            across = _across(figure, frames[foot.joint], foot)
            problem.set_target(k, normal=across, offset=float(frame[:3, 3] @ across))
            continue
        turn = frame[:3, :3]
        if kind == "flat":
            foot = next(foot for foot in feet_of(figure) if foot.joint == joint)
            turn = flat_turn(turn, foot.normal, np.eye(3)[known_up(figure)])
        problem.set_target(k, wxyz=matrix_to_quat(turn))


def _knee(figure: Figure, foot: int) -> int:
    """The joint of the lower leg above a foot."""
    body = known_body(figure)
    side = next(side for side in SIDES if figure.index(body[side + "Foot"]) == foot)
    return figure.index(body[side + "LowerLeg"])


def _across(figure: Figure, frame: np.ndarray, foot: Foot) -> np.ndarray:
    """(3,) the level direction across a foot whose world transform is ``frame`` (4, 4)."""
    across = np.cross(np.eye(3)[known_up(figure)], frame[:3, :3] @ (foot.ball - foot.heel))
    return across / np.linalg.norm(across)


def flat_turn(turn: np.ndarray, normal: np.ndarray, up: np.ndarray) -> np.ndarray:
    """(3, 3) a foot's rotation with its sole brought down to the floor by the shortest turn;
    ``normal`` (3,) is the sole's in the foot's frame."""
    above = turn @ normal
    x, y, z = np.cross(above, up)
    cosine = float(above @ up)
    if cosine < 0.0:
        return turn
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return (np.eye(3) + skew + skew @ skew / (1.0 + cosine)) @ turn
