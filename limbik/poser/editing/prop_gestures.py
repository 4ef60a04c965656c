"""Props under a person's hand: one that is dragged, and one that joints take hold of.

A prop that nobody holds goes where the mouse puts it, and eyes that look at it follow.  One that is
held is in the hands: these follow the mouse as well as the body allows, and the prop is where they
bring it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.collision.shapes import Capsule, Cylinder, Sphere
from limbik.figure.figure import Figure
from limbik.goals.masses.contacts import up_axis
from limbik.poser.document.document import Document
from limbik.poser.document.effector import Effector, Vec3, Vec4
from limbik.poser.document.prop import Hold, Prop
from limbik.poser.drag.answer import Answer, unheld
from limbik.poser.drag.drag_solver import DragSolver
from limbik.poser.drag.effector_targets import anchored
from limbik.poser.drag.limbs import beside_limbs
from limbik.poser.drag.prop_edits import put_prop, release_prop, with_prop
from limbik.poser.drag.prop_shapes import (
    frame_of,
    hold_frame,
    inverse,
    place_of,
    position_of,
    surface_point,
    wxyz_of,
)
from limbik.poser.editing.gestures import after_solve, drag_solver_of

TURN = 0.3
"""Weight of a held prop's turn beside its place, while it is dragged."""

FACES = 0.02
"""Weight with which palms turn to the prop that they take."""

REACHES = 0.005
"""Of the figure's size: where limbs alone come as near to a prop, the rest of the body stays."""

TOUCHES = 0.03
"""Of the figure's size: a joint that ends no further from a prop holds it."""


class PropDragging:
    """A prop held by a person; ``effector`` is its id."""

    def __init__(
        self, figure: Figure, before: Document, prop: Prop, floor: float | None = None
    ) -> None:
        self.before, self.effector, self.label = before, prop.id, f"Move {prop.name}"
        self.moved = False
        self._figure, self._prop, self._floor = figure, prop, floor
        self._place = place_of(prop, figure, figure.frames(before.q))
        self._live: DragSolver | None = None
        self._eyes: tuple[int, ...] = ()  # effectors that look at the prop, which nobody holds
        if not prop.holds:
            self._eyes = tuple(e.id for e in before.effectors if _looks_at(before, e, prop))
        if self._eyes:
            untied = (replace(e, look="") if e.id in self._eyes else e for e in before.effectors)
            start = replace(before, effectors=tuple(untied))
            self._live = drag_solver_of(figure, start, None, floor=floor)
            self._look()
        elif prop.holds:
            joint = prop.holds[0].joint
            target = self._place @ hold_frame(prop.holds[0])
            carrier = Effector(
                prop.id, joint, mode="free", position=position_of(target), wxyz=wxyz_of(target),
                rotation_weight=TURN,
            )  # fmt: skip
            start = replace(before, effectors=(*before.effectors, carrier))
            self._live = drag_solver_of(figure, start, prop.id, floor=floor)

    def to(
        self, document: Document, position: Vec3 | None, wxyz: Vec4 | None
    ) -> tuple[Document, Answer, Answer | None]:
        """The document with the prop drawn to a place and a turn."""
        if position is None and not self.moved:
            self.label = f"Turn {self._prop.name}"
        elif position is not None:
            self.label = f"Move {self._prop.name}"
        self.moved = True
        place = frame_of(position or position_of(self._place), wxyz or wxyz_of(self._place))
        self._place = place
        if not self._prop.holds:
            document = with_prop(document, put_prop(self._prop, place))
        if self._live is None:
            return document, unheld(document.q), None
        if self._eyes:
            self._look()
            answer = self._live.solve()
            return self._posed(document, answer), answer, None
        target = place @ hold_frame(self._prop.holds[0])
        answer = self._live.drag(position_of(target), wxyz_of(target))
        return self._posed(document, answer), answer, None

    def end(self, document: Document) -> tuple[Document, Answer, Answer | None]:
        """The document with the last target met as well as it can be; what a prop was put into
        makes room for it where collisions are kept."""
        if self._live is not None and not (self._eyes and document.scene.collisions):
            answer = self._live.finish()
            feet = tuple(after_solve(self._live, e, answer.q) for e in document.effectors)
            document = replace(document, effectors=feet)
        elif document.scene.collisions:
            solver = drag_solver_of(self._figure, document, None, floor=self._floor)
            answer = solver.solve()
            answer = solver.finish() if answer.status is not None else answer
        else:
            return document, unheld(document.q), None
        return self._posed(document, answer), answer, None

    def _look(self) -> None:
        """Turn the eyes to where the prop is."""
        assert self._live is not None
        for eye in self._eyes:
            self._live.move(eye, position_of(self._place))

    def _posed(self, document: Document, answer: Answer) -> Document:
        effectors = anchored(self._figure, document.effectors, answer.q, modes=("free",))
        return replace(document, q=answer.q, effectors=effectors)


def _looks_at(document: Document, effector: Effector, prop: Prop) -> bool:
    return effector.look == f"prop:{prop.id}" and effector.joint not in document.fk


def taken(
    figure: Figure,
    document: Document,
    prop: Prop,
    joints: Sequence[str],
    floor: float | None = None,
) -> tuple[Document, Answer]:
    """The document in which ``joints`` hold the prop where it is: each goes to its surface, and
    keeps the place and turn that it has there.

    Raises LimbikError where one of them cannot get there.
    """
    prop = release_prop(figure, document, prop)
    document = with_prop(document, prop)
    frames = figure.frames(document.q)
    place = frame_of(prop.position, prop.wxyz)
    palms = [palm_of(figure, joint) for joint in joints]
    at = [
        frames[figure.index(joint)][:3, :3] @ palm.middle + frames[figure.index(joint)][:3, 3]
        for joint, palm in zip(joints, palms, strict=True)
    ]
    grips = _opposite(prop, place, at) if len(joints) == 2 else at
    reach: list[Effector] = []
    facing: list[Effector] = []
    for joint, palm, grip in zip(joints, palms, grips, strict=True):
        near = surface_point(prop, place, grip)
        out = grip - near if np.linalg.norm(grip - near) > 1e-9 else near - place[:3, 3]
        length = float(np.linalg.norm(out))
        away = min(palm.thick, length) if length > 0.0 else 0.0
        target = near + out * (away / length) if length > 0.0 else near
        id = document.next_id + 2 * len(reach)
        reach.append(Effector(id, joint, _vec3(palm.middle), "pin", _vec3(target)))
        facing.append(
            Effector(
                id + 1, joint, _vec3(palm.middle), "aim", position_of(place), weight=FACES,
                axis=_vec3(palm.normal),
            )
        )  # fmt: skip
    # Hands that were pinned elsewhere hold the prop now.
    effectors = tuple(
        replace(e, mode="free") if e.joint in joints and e.mode == "pin" else e
        for e in document.effectors
    )
    start = replace(document, effectors=(*effectors, *reach, *facing))
    answer = None
    for still in (beside_limbs(figure, joints), ()):
        if answer is not None and _worst(answer, reach) <= REACHES * figure.size:
            break  # the limbs alone can do it
        solver = drag_solver_of(figure, start, None, also_locked=still, floor=floor)
        solver.solve()
        answer = solver.finish()
    assert answer is not None
    for effector in reach:
        short = answer.error_of(effector.id)[0]
        if short > TOUCHES * figure.size:
            raise LimbikError(
                f"{effector.joint} cannot reach {prop.name}: {short:.3g} {figure.unit} are "
                "missing. Move the prop nearer."
            )
    frames = figure.frames(answer.q)
    holds = []
    for joint in joints:
        there = inverse(place) @ frames[figure.index(joint)]
        holds.append(Hold(joint, position_of(there), wxyz_of(there)))
    effectors = anchored(figure, effectors, answer.q, modes=("free",))
    document = replace(document, q=answer.q, effectors=effectors)
    return with_prop(document, replace(prop, holds=tuple(holds))), answer


def _worst(answer: Answer, reach: Sequence[Effector]) -> float:
    """The length by which the worst of some effectors misses its target."""
    return max(answer.error_of(effector.id)[0] for effector in reach)


class Palm(NamedTuple):
    """The side of a joint that takes hold, in the joint's frame: its middle (3,), the direction
    (3,) that it faces, and how thick it is."""

    middle: np.ndarray
    normal: np.ndarray
    thick: float


def palm_of(figure: Figure, joint: str) -> Palm:
    """The palm of a hand: what follows the joint itself.  At rest it faces down, or the middle of
    the body where the arm hangs."""
    frame = figure.frames(figure.rest)[figure.index(joint)]
    shapes = [shape for shape in figure.shapes if shape.joint == joint]
    middle = np.mean([s.center for s in shapes], axis=0) if shapes else np.zeros(3)
    thick = [s.radius for s in shapes if isinstance(s, Sphere | Capsule | Cylinder)]
    up = np.eye(3)[up_axis(figure)]
    inward = figure.positions(figure.rest).mean(axis=0) - frame[:3, 3]
    inward -= (inward @ up) * up
    normal = 0.5 * inward / max(float(np.linalg.norm(inward)), 1e-9) - up
    along = frame[:3, :3] @ middle
    along /= max(float(np.linalg.norm(along)), 1e-9)
    normal -= (normal @ along) * along
    normal = frame[:3, :3].T @ normal
    return Palm(middle, normal / np.linalg.norm(normal), float(max(thick, default=0.0)))


def _opposite(prop: Prop, place: np.ndarray, hands: list[np.ndarray]) -> list[np.ndarray]:
    """Places beside two opposite sides of a prop, for two hands: along that of its axes which runs
    most from one hand to the other."""
    between = place[:3, :3].T @ (hands[1] - hands[0])
    axis = int(np.argmax(np.abs(between) / np.array(prop.size) ** 0.5))
    half = place[:3, axis] * np.copysign(prop.size[axis], between[axis])
    return [place[:3, 3] - half, place[:3, 3] + half]


def _vec3(values: np.ndarray) -> Vec3:
    x, y, z = values.tolist()
    return x, y, z
