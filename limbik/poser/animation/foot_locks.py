"""Foot locks: joints held where they are when a contact of the timeline begins, until it ends.

Before and after a contact the joint goes to its place and leaves it smoothly, within a fifth of a
second or half of the time that there is between two contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from limbik.figure.figure import Figure
from limbik.humanoid.recognise import SIDES, recognise
from limbik.maths.so3 import matrix_to_quat, slerp
from limbik.poser.animation.timeline_pose import Holding, Moment
from limbik.poser.document.effector import Effector, as_vec3, as_vec4
from limbik.poser.document.timeline.contact_span import Contacts, ContactSpan
from limbik.poser.document.timeline.keys import Target

FADE = 0.2
"""Seconds in which a joint goes to its place and leaves it."""


class Player(Protocol):
    """Poses of a timeline."""

    def at(self, frame: float) -> Moment: ...
    def poses(self) -> np.ndarray: ...


class Locked:
    """The poses of a timeline with the joints of its held contacts in their places."""

    def __init__(
        self, figure: Figure, inner: Player, contacts: Contacts, fps: float, locked: Sequence[str]
    ) -> None:
        self._figure, self._inner = figure, inner
        self._holding = Holding(figure, locked)
        self._spans = _faded([c for c in contacts if c.joint in figure.joints], FADE * fps)
        self._places: dict[int, np.ndarray] = {}
        body = recognise(figure)
        self._feet = {body[role] for role in (f"{s}Foot" for s in SIDES) if role in body}

    def at(self, frame: float) -> Moment:
        """The pose at a frame; what the timeline itself holds stays held beside the locks."""
        moment = self._inner.at(frame)
        active = [(contact, share) for contact, share in self._weights(frame) if share > 0.0]
        if not active:
            return moment
        frames = self._figure.frames(moment.q)
        joints = {contact.joint for contact, _ in active}
        held = [(e, target) for e, target in moment.held if e.joint not in joints]
        for contact, share in active:
            target = self._target(contact, share, frames)
            held.append((Effector(-contact.id, contact.joint, mode="pin"), target))
        answer = self._holding.settle(moment.q, held)
        own = answer.goals[:, 0] > 0 if len(answer.goals) else slice(None)
        return moment._replace(answer=replace(answer, goals=answer.goals[own]))

    def poses(self) -> np.ndarray:
        """(frames, n) all frames."""
        out = self._inner.poses()
        for frame in range(len(out)):
            if any(share > 0.0 for _, share in self._weights(float(frame))):
                out[frame] = self.at(float(frame)).q
        return out

    def _target(self, contact: ContactSpan, share: float, frames: np.ndarray) -> Target:
        """Where a joint has to be: on its way to its place by a share."""
        if contact.id not in self._places:
            whole = self._figure.frames(self._inner.at(float(contact.start)).q)
            self._places[contact.id] = whole[self._figure.index(contact.joint)]
        place, here = self._places[contact.id], frames[self._figure.index(contact.joint)]
        at = here[:3, 3] + share * (place[:3, 3] - here[:3, 3])
        wxyz = None
        if contact.joint in self._feet:  # a sole stays flat; toes and hands may turn
            turns = [matrix_to_quat(frame[:3, :3]) for frame in (here, place)]
            wxyz = as_vec4(slerp(turns[0], turns[1], share))
        return Target(as_vec3(at), wxyz, "pin")

    def _weights(self, frame: float) -> list[tuple[ContactSpan, float]]:
        return [(c, _weight(c, frame, before, after)) for c, before, after in self._spans]


def _faded(contacts: Sequence[ContactSpan], fade: float) -> list[tuple[ContactSpan, float, float]]:
    """(contact, frames in which it fades in, frames in which it fades out) of those held."""
    out = []
    for contact in (c for c in contacts if c.held):
        others = [c for c in contacts if c.held and c.joint == contact.joint and c is not contact]
        before = [contact.start - c.end for c in others if c.end <= contact.start]
        after = [c.start - contact.end for c in others if c.start >= contact.end]
        out.append(
            (
                contact,
                min([fade, *(0.5 * gap for gap in before)]),
                min([fade, *(0.5 * gap for gap in after)]),
            )
        )
    return out


def _weight(contact: ContactSpan, frame: float, before: float, after: float) -> float:
    """1 in the contact, falling to 0 smoothly on both sides."""
    away = max(contact.start - frame, frame - (contact.end - 1), 0.0)
    width = (before if frame < contact.start else after) + 1.0
    x = min(away / width, 1.0)
    return (1.0 - x) ** 2 * (1.0 + 2.0 * x)
