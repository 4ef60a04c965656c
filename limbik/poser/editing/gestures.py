"""Gestures: a drag of an effector or of a slider, from grab to drop one step of the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from limbik.figure.coordinates import joint_values
from limbik.figure.figure import Figure
from limbik.humanoid.hands import Hand
from limbik.maths.so3 import quat_to_matrix
from limbik.poser.document.document import Choice, Document
from limbik.poser.document.effector import Effector, Vec3, Vec4
from limbik.poser.drag.answer import Answer
from limbik.poser.drag.drag_solver import DragSolver
from limbik.poser.drag.effector_targets import anchored
from limbik.poser.drag.finger_drag import above_fingers, hand_is_held
from limbik.poser.drag.other_starts import OtherStarts
from limbik.poser.drag.posture import TILTED, Posture
from limbik.poser.drag.scene_goals import scene_goals
from limbik.posture.known_body import known_body


def drag_solver_of(
    figure: Figure,
    document: Document,
    dragged: int | None,
    *,
    choice: Choice | None = None,
    also_locked: tuple[str, ...] = (),
    floor: float | None = None,
    natural: bool = True,
) -> DragSolver:
    """The document's goals and its method (or another ``choice``) made ready to solve; ``floor`` is
    the height of the floor, for bodies that stay above it; without ``natural`` a body is solved as
    any other figure."""
    posture = None
    if natural and known_body(figure).complete:
        posture = Posture(
            figure,
            floor if document.floor else None,
            _keyed_pins(document, dragged),
        )
    method = document.method if choice is None else choice
    return DragSolver(
        figure,
        document.solved,
        dragged,
        document.q,
        locked=(*document.still, *also_locked),
        method=method.name,
        settings=dict(method.settings),
        goals=(*document.goals, *scene_goals(figure, document)),
        posture=posture,
    )


def _keyed_pins(document: Document, dragged: int | None) -> frozenset[str]:
    """The joints whose pins are where a key of another frame pins them, but for the one that is
    dragged; over a clip keys hold changes instead."""
    timeline, frame = document.timeline, round(document.frame)
    if timeline.clip is not None:
        return frozenset()
    held = [key.goals for key in timeline.keys if key.goals is not None and key.frame != frame]
    pinned = [e for e in document.effectors if e.mode == "pin" and e.id != dragged]
    return frozenset(
        e.joint
        for e in pinned
        for goals in held
        if e.id in goals
        and goals[e.id].mode == "pin"
        and np.allclose(goals[e.id].position, e.position)
    )


def after_solve(live: DragSolver, effector: Effector, q: np.ndarray) -> Effector:
    """An effector after a solve that ended in the pose q (n,): a foot whose heel rose is pinned as
    it stands, marked as placed so that the heel comes down when it can."""
    if live.posture is None or effector.id not in live.feet_on_balls:
        return effector
    risen = live.posture.tilt(effector, q) > TILTED
    return anchored(live.figure, (replace(effector, placed=risen),), q)[0]


class Dragging:
    """An effector held by a person.

    ``before`` is the document in which the drag began; ``ghost`` answers with the method that is
    compared with, from its own last pose.
    """

    def __init__(
        self,
        figure: Figure,
        before: Document,
        effector: Effector,
        hands: Sequence[Hand] = (),
        floor: float | None = None,
    ) -> None:
        """``hands`` are the figure's: a hand is held while one of its fingers is dragged; ``floor``
        is the height of its floor."""
        self.before, self.effector, self.label = before, effector.id, f"Move {effector.joint}"
        self.moved = False
        self.also: tuple[int, ...] = ()  # other effectors that it moves
        # Free effectors are where their joints are, whatever they were last dragged to.
        effectors = anchored(figure, before.effectors, before.q, modes=("free",))
        self._start = replace(before, effectors=effectors)
        holding = above_fingers(figure, hands, effector.joint)
        self._in_hand = bool(holding)
        self._figure = figure
        self._live = drag_solver_of(
            figure, self._start, effector.id, also_locked=holding, floor=floor
        )
        self.other_starts = OtherStarts(self._live)
        compare = before.compare
        self._ghost = (
            None
            if compare is None
            else drag_solver_of(
                figure, self._start, effector.id, choice=compare, also_locked=holding, floor=floor
            )
        )
        self._held = next(e for e in effectors if e.id == effector.id)

    def to(
        self, document: Document, position: Vec3 | None, wxyz: Vec4 | None
    ) -> tuple[Document, Answer, Answer | None]:
        """The document with the effector drawn to a target, the answer and that of the ghost."""
        if position is None and not self.moved:
            self.label = f"Turn {self._held.joint}"
        elif position is not None:
            self.label = f"Move {self._held.joint}"
        self.moved = True
        answer = self._with_held_hand(self.other_starts.watch(self._live.drag(position, wxyz)))
        ghost = None if self._ghost is None else self._ghost.drag(position, wxyz)
        return self._with(document, answer, position, wxyz), answer, ghost

    def end(self, document: Document) -> tuple[Document, Answer, Answer | None]:
        """The document with the last target met as well as it can be."""
        answer = self._with_held_hand(self._live.finish())
        ghost = None if self._ghost is None else self._ghost.finish()
        effectors = tuple(self._left(effector, answer.q) for effector in document.effectors)
        return replace(document, q=answer.q, effectors=effectors), answer, ghost

    def _left(self, effector: Effector, q: np.ndarray) -> Effector:
        """An effector as a drag leaves it: what was dragged is placed, and a foot whose heel rose
        is pinned as it stands, marked as placed so that the heel comes down when it can."""
        if effector.mode == "free" and effector.id in (self.effector, *self.also):
            return replace(effector, placed=True)
        left = after_solve(self._live, effector, q)
        if left is effector and effector.mode == "pin" and effector.id == self.effector:
            return replace(effector, placed=False)
        return left

    def _with_held_hand(self, answer: Answer) -> Answer:
        """The answer; where a finger is short, its sentence says that the hand is held."""
        return hand_is_held(answer) if self._in_hand else answer

    def _with(
        self, document: Document, answer: Answer, position: Vec3 | None, wxyz: Vec4 | None
    ) -> Document:
        held = self._held
        if position is not None:
            held = replace(held, position=position)
        if wxyz is not None and held.mode != "aim":
            held = replace(held, wxyz=wxyz)
        self._held = held
        effectors = (held if e.id == held.id else e for e in self._start.effectors)
        return replace(document, q=answer.q, effectors=tuple(effectors))


class Sliding:
    """A joint moved by itself, by a slider of one of its coordinates or by rings that turn it; what
    is pinned stays put as well as the others allow."""

    def __init__(self, figure: Figure, before: Document, joint: str) -> None:
        self.before, self.joint, self.label = before, joint, f"Bend {joint}"
        self._figure = figure
        # What a person sets exactly is not bettered by how bodies like to stand.
        self._live = drag_solver_of(figure, before, None, also_locked=(joint,), natural=False)

    def to(self, document: Document, coordinate: int, value: float) -> tuple[Document, Answer]:
        """The document with q[coordinate] = value, inside the limits."""
        q = document.q.copy()
        q[coordinate] = value
        return self._settled(document, q)

    def turn(self, document: Document, wxyz: Vec4) -> tuple[Document, Answer]:
        """The document with the joint turned to ``wxyz`` in the world, as near as it can."""
        figure, q = self._figure, document.q.copy()
        i, columns = figure.index(self.joint), figure.coordinates_of(self.joint)
        frames, parent = figure.frames(q), int(figure.parents[figure.index(self.joint)])
        above = np.eye(4) if parent < 0 else frames[parent]
        local = np.linalg.inv(above) @ frames[i]
        local[:3, :3] = above[:3, :3].T @ quat_to_matrix(np.array(wxyz))
        q[columns] = joint_values(figure.definition[i], local[None], q[columns])[0]
        self.label = f"Turn {self.joint}"
        return self._settled(document, q)

    def _settled(self, document: Document, q: np.ndarray) -> tuple[Document, Answer]:
        """The pose q (n,) inside the limits, with what is pinned held."""
        q = self._figure.project(q)
        self._live.begin(q)
        answer = self._live.solve()
        effectors = anchored(self._figure, document.effectors, answer.q, modes=("free",))
        return replace(document, q=np.array(answer.q), effectors=effectors), answer
