"""Symmetric drags: the effector on the other side goes to the mirrored target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from limbik.figure.figure import Figure
from limbik.humanoid.hands import Hand
from limbik.humanoid.mirror_pairs import ALONE
from limbik.poser.document.document import Document
from limbik.poser.document.effector import Effector, Vec3, Vec4
from limbik.poser.drag.answer import Answer
from limbik.poser.drag.drag_goals import GIVE
from limbik.poser.editing.gestures import Dragging
from limbik.poser.editing.mirroring import Mirror


def twin_of(figure: Figure, document: Document, effector: Effector, mirror: Mirror) -> Effector:
    """The effector on the other side; the effector itself where there is none."""
    other = int(mirror.twin[figure.index(effector.joint)])
    if other == ALONE:
        return effector
    found = (e for e in document.effectors if e.joint == figure.joints[other])
    return next(found, effector)


class SymmetricDragging(Dragging):
    """An effector held by a person, and its twin at the mirrored place.

    The plane of the mirror is that of the pose in which the drag began.
    """

    def __init__(
        self,
        figure: Figure,
        before: Document,
        effector: Effector,
        twin: Effector,
        mirror: Mirror,
        hands: Sequence[Hand] = (),
        floor: float | None = None,
    ) -> None:
        # Held as the dragged one is: where both cannot follow, both give way.
        held = replace(twin, mode="pin", weight=GIVE * twin.weight)
        there = tuple(held if e.id == twin.id else e for e in before.effectors)
        super().__init__(figure, replace(before, effectors=there), effector, hands, floor)
        self.before, self.also = before, (twin.id,)
        self._twin, self._mirror, self._plane = twin, mirror, mirror.plane(before.q)
        self._joint = figure.index(twin.joint)

    def to(
        self, document: Document, position: Vec3 | None, wxyz: Vec4 | None
    ) -> tuple[Document, Answer, Answer | None]:
        """The document with the effector drawn to a target and its twin to the mirrored one."""
        aimed = replace(
            self._held, position=position or self._held.position, wxyz=wxyz or self._held.wxyz
        )
        over = self._mirror.over(aimed, self._joint, self._plane)
        self._live.move(self._twin.id, over.position, over.wxyz)
        if self._ghost is not None:
            self._ghost.move(self._twin.id, over.position, over.wxyz)
        self._twin = replace(self._twin, position=over.position, wxyz=over.wxyz)
        after, answer, ghost = super().to(document, position, wxyz)
        effectors = (self._twin if e.id == self._twin.id else e for e in after.effectors)
        return replace(after, effectors=tuple(effectors)), answer, ghost
