"""Goals taken from the pose in which a drag begins: what a body keeps while the pull is on.

Soles stay flat, feet point where they do, knees stay above them, the hips keep their turn, and
effectors that a person placed stay where they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

import numpy as np

from limbik.figure.figure import Figure
from limbik.goals import Goal, Plane, Reach
from limbik.humanoid.recognise import SIDES
from limbik.maths.so3 import matrix_to_quat
from limbik.poser.document.effector import Effector
from limbik.poser.drag.posture import TILTED, Posture
from limbik.posture.ankles import Ankle, apart, knee_above
from limbik.posture.feet import Foot, feet_of
from limbik.posture.known_body import known_body, known_up
from limbik.solver.problem import Problem

FLAT, GIVING, HEADING, HIPS, PLACED = 8e-6, 1.6e-6, 1.2e-4, 1.2e-4, 1.2e-5
"""Weights with which soles stay flat, the same while the hips are dragged, with which feet that
stand point where they do, the hips keep their turn while they are dragged, and effectors stay where
a person placed them; the dragged goal has 1e-3."""

FLAT_FOR_HANDS = 3e-5
"""FLAT for pinned feet while a hand is dragged: for what is far away, no foot turns."""

KNEES, KNEES_FOR_HANDS = 2e-5, 5e-6
"""Weights with which knees stay above their pinned feet, seen from ahead, while something else, or
a hand, is dragged: they do not go inwards to spare an ankle at its limit."""

ANKLES = 1.2e-4
"""Weight with which a foot on the floor, or one that is dragged from there, bends up no further
than ankles like to: the heel rises instead."""

LEVEL = 3.2e-7
"""Weight with which other pins keep their turn."""

HANGING = 1e-6
"""Weight with which the upper arm of a free hand keeps its turn in the world while the other hand
or the head is dragged, for an arm that hangs on a chest that leans: little beside the chest's own,
and more than that of the arm's joints."""

LOOKING, CARRIED = 3e-7, 1e-6
"""Weights with which the head keeps its turn in the world while a hand is dragged, and while it is
dragged itself: where the trunk bends, the neck takes back what it easily can."""

SWINGING = 8e-7
"""Weight with which pins keep their turn in figures without a posture, whose pull is another
(drag_goals.PULL)."""

_LEVEL = 0.01  # of a foot's length, seen from above: one that is shorter points nowhere
_ORIGIN = (0.0, 0.0, 0.0)
_AS_IT_IS = (1.0, 0.0, 0.0, 0.0)  # stands in for a rotation that is written where a drag begins


class StartGoal(NamedTuple):
    """What is kept while the pull is on: a goal whose target is taken from the pose in which a drag
    begins.  ``kind`` says what the target is: where the point is, how the joint is turned, that
    with the sole made flat, the upright plane through heel and ball, the one beside it in which the
    knee is, or how near the knee may come to the ball."""

    goal: Goal
    joint: int
    kind: Literal["place", "turn", "flat", "heading", "knee", "ankle"]
    at: tuple[float, float, float] = _ORIGIN


def start_goals(
    posture: Posture,
    effectors: Sequence[Effector],
    dragged: int | None,
    q: np.ndarray,
    standing: Collection[int] = (),
) -> list[StartGoal]:
    """What is kept while the pull is on in a drag that begins in the pose q (n,); ``standing``
    are ids of feet that stand on their balls."""
    out: list[StartGoal] = []
    hips = known_body(posture.figure).roles.get("hips", "")
    lowered = any(e.joint == hips and e.id == dragged for e in effectors)
    moved = next((e.joint for e in effectors if e.id == dragged), None)
    reaching = moved is not None and posture.is_on_an_arm(moved)
    for effector in effectors:
        joint = posture.figure.index(effector.joint)
        turns = effector.wxyz is None and effector.mode != "aim"
        if effector.id != dragged and effector.mode == "free" and effector.placed:
            goal = Reach(effector.joint, position=_ORIGIN, at=effector.at, weight=PLACED)
            out.append(StartGoal(goal, joint, "place", effector.at))
        if turns and posture.on_the_floor(effector, q) is not None:
            if effector.mode == "pin" or effector.id == dragged:
                pinned = FLAT_FOR_HANDS if reaching and effector.id != dragged else FLAT
                weight = GIVING if lowered else pinned
                tilted = effector.id != dragged and effector.id not in standing
                tilted = tilted and posture.tilt(effector, q) > TILTED
                kind: Literal["turn", "flat"] = "turn" if tilted else "flat"
                out.append(StartGoal(_turned(effector.joint, weight), joint, kind))
                goal = Ankle(effector.joint, 0.0, weight=ANKLES)
                out.append(StartGoal(goal, joint, "ankle"))
            foot = posture.foot(effector)
            if effector.id != dragged and effector.mode == "pin" and foot is not None:
                plane = Plane(effector.joint, (1.0, 0.0, 0.0), 0.0, foot.heel, weight=HEADING)
                out.append(StartGoal(plane, joint, "heading"))
                if dragged is not None:
                    knee = knee_above(posture.figure, joint)
                    above = KNEES_FOR_HANDS if reaching else KNEES
                    plane = Plane(posture.figure.joints[knee], (1.0, 0.0, 0.0), 0.0, weight=above)
                    out.append(StartGoal(plane, knee, "knee"))
        elif (
            turns
            and effector.mode == "pin"
            and effector.id != dragged
            and effector.at == _ORIGIN
            and effector.joint != hips
        ):
            out.append(StartGoal(_turned(effector.joint, LEVEL), joint, "turn"))
    for part, weight in _free_parts(posture, effectors, dragged):
        out.append(StartGoal(_turned(part, weight), posture.figure.index(part), "turn"))
    if lowered and all(e.wxyz is None for e in effectors if e.id == dragged):
        out.append(StartGoal(_turned(hips, HIPS), posture.figure.index(hips), "turn"))
    return out


def _free_parts(
    posture: Posture, effectors: Sequence[Effector], dragged: int | None
) -> list[tuple[str, float]]:
    """(joint, weight) of the upper arms and the head, where nothing holds them while a hand or the
    head is dragged: nothing on them is dragged, pinned or placed.  The head that is dragged keeps
    its turn unless its effector asks for one."""
    body, index = known_body(posture.figure), posture.figure.index
    moved = next((e for e in effectors if e.id == dragged), None)
    is_head = moved is not None and moved.joint == body["head"]
    if moved is None or not (is_head or posture.is_on_an_arm(moved.joint)):
        return []
    arms = [(body[side + "UpperArm"], HANGING) for side in SIDES]
    follows = is_head and moved.wxyz is None and moved.mode != "aim"
    asked = [
        index(effector.joint)
        for effector in effectors
        if not (effector is moved and follows)
        and (effector is moved or effector.mode != "free" or effector.placed)
    ]
    return [
        (part, weight)
        for part, weight in (*arms, (body["head"], CARRIED if is_head else LOOKING))
        if not any(posture.carried(joint, index(part)) for joint in asked)
    ]


def _turned(joint: str, weight: float) -> Reach:
    return Reach(joint, wxyz=_AS_IT_IS, rotation_weight=weight)


def swinging(figure: Figure, held: Sequence[Effector], dragged: int | None) -> list[StartGoal]:
    """Pins that leave what hangs on their joint free to swing, as toes on an ankle: they keep their
    turn while the pull is on, in figures without a posture."""
    return [
        StartGoal(_turned(e.joint, SWINGING), figure.index(e.joint), "turn")
        for e in held
        if e.id != dragged and e.mode == "pin" and e.wxyz is None and e.at == _ORIGIN
    ]


def put_start_goals(
    figure: Figure, problem: Problem, first: int, kept: Sequence[StartGoal], q: np.ndarray
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
            foot = next(foot for foot in feet_of(figure) if knee_above(figure, foot.joint) == joint)
            across = _across(figure, frames[foot.joint], foot)
            problem.set_target(k, normal=across, offset=float(frame[:3, 3] @ across))
            continue
        if kind == "ankle":  # a foot that is bent up further already may stay so
            foot = next(foot for foot in feet_of(figure) if foot.joint == joint)
            problem.set_target(k, distance=min(apart(figure, foot), apart(figure, foot, q)))
            continue
        turn = frame[:3, :3]
        if kind == "flat":
            foot = next(foot for foot in feet_of(figure) if foot.joint == joint)
            turn = flat_turn(turn, foot.normal, np.eye(3)[known_up(figure)])
        problem.set_target(k, wxyz=matrix_to_quat(turn))


def _across(figure: Figure, frame: np.ndarray, foot: Foot) -> np.ndarray:
    """(3,) the level direction across a foot whose world transform is ``frame`` (4, 4)."""
    up, ahead = np.eye(3)[known_up(figure)], frame[:3, :3] @ (foot.ball - foot.heel)
    across = np.cross(up, ahead)
    if np.linalg.norm(across) < _LEVEL * np.linalg.norm(ahead):  # it is upright
        across = np.cross(frame[:3, :3] @ foot.normal, ahead)
        across -= (across @ up) * up
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
