"""Motion carried from one body to another, and contacts between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from limbik.animate.contacts import Contact, find_contacts
from limbik.animate.retargeting.retarget import retarget
from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.figure.joints import Slide
from limbik.figure.motion import Motion
from limbik.humanoid.ground import AXES, Axis
from limbik.humanoid.recognise import SIDES, recognise
from limbik.maths.so3 import quat_to_matrix
from limbik.poser.document.clip import Clip
from limbik.poser.document.origin import Origin
from limbik.poser.document.source import Source
from limbik.poser.document.timeline.contact_span import Contacts, ContactSpan, in_order

RESTS = tuple(side + part for side in SIDES for part in ("Foot", "Toes", "Hand"))
"""Roles whose contacts hold something: those of ``retarget`` and ``plant_feet``."""


class Carried(NamedTuple):
    """What retargeting gave: the clip on the target's figure, contacts there, and their origin."""

    figure: Figure
    clip: Clip
    contacts: Contacts
    origin: Origin


def carry(
    motion: Motion,
    source: Source,
    onto: Figure,
    *,
    up: Axis,
    floor: float,
    contacts: Sequence[Contact] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Carried:
    """``motion`` on another figure, which stands on its own ``floor`` (a height along ``up``).

    ``source`` is where the motion's figure comes from; ``contacts`` are the motion's, found unless
    given.
    """
    held = find_contacts(motion) if contacts is None else tuple(contacts)
    out = retarget(motion, onto, contacts=held, progress=progress)
    figure, q = out.motion.figure, out.motion.q
    based = len(figure.joints) != len(onto.joints)  # it got a base, and stands at 0
    height = np.zeros(3)
    height[AXES.index(up)] = 0.0 if based else floor
    placement = out.placement.copy()
    placement[:3, 3] += height
    joints = {
        target: joint
        for role, (joint, target) in out.roles.items()
        if role in RESTS or role.endswith("LowerLeg")
    }
    name = motion.name or motion.figure.name
    clip = Clip(lifted(figure, q, height), motion.fps, name)
    origin = Origin(
        source,
        Clip.of(motion),
        MappingProxyType(joints),
        tuple(float(value) for value in placement.ravel()),
    )
    return Carried(figure, clip, spans(held, joints), origin)


def lifted(figure: Figure, q: np.ndarray, by: np.ndarray) -> np.ndarray:
    """(frames, n) poses with the root moved by a vector (3,) of the world."""
    if not by.any():
        return q
    root = next(
        i for i in range(len(figure.joints)) if figure.parents[i] < 0 and (figure.owner == i).any()
    )
    joint, out = figure.definition[root], q.copy()
    along = quat_to_matrix(np.array(joint.wxyz)).T @ by
    column = int(np.flatnonzero(figure.owner == root)[0])
    for part in joint.parts:
        if isinstance(part, Slide) and part.coupled is None:
            out[:, column] += along @ np.array(part.axis)
        column += len(part.labels)
    return figure.project(out)


def spans(contacts: Sequence[Contact], joints: Mapping[str, str]) -> Contacts:
    """Contacts of a source as those of the target's joints; ``joints`` has the source's by the
    target's."""
    target = {joint: name for name, joint in joints.items()}
    known = [contact for contact in contacts if contact.joint in target]
    return in_order(
        ContactSpan(id, target[contact.joint], contact.start, contact.end)
        for id, contact in enumerate(known, start=1)
    )


def source_contacts(origin: Origin, contacts: Contacts, figure: Figure) -> list[Contact]:
    """Contacts of the timeline as those of the motion it comes from, on its ``figure``."""
    found = [(origin.joints[c.joint], c.start, c.end) for c in contacts if c.joint in origin.joints]
    return placed_contacts(origin.clip.motion(figure), found)


def placed_contacts(motion: Motion, found: Sequence[tuple[str, int, int]]) -> list[Contact]:
    """Contacts (joint, start, end) of a motion, each at the joint's mean place meanwhile."""
    out = []
    for joint, start, end in found:
        end = min(end, motion.frames)
        if start < end:
            at = motion.figure.positions(motion.q[start:end], [joint])[:, 0].mean(axis=0)
            x, y, z = at.tolist()
            out.append(Contact(joint, start, end, (x, y, z)))
    return out


def found_contacts(motion: Motion, first_id: int) -> Contacts:
    """The contacts of a body's feet, toes and hands with the ground, as they are found."""
    figure = motion.figure
    body = recognise(figure)
    joints = [body[role] for role in RESTS if role in body]
    if not joints:
        raise LimbikError("This figure has no feet or hands that are known, so no contacts.")
    return in_order(
        ContactSpan(first_id + k, contact.joint, contact.start, contact.end)
        for k, contact in enumerate(find_contacts(motion, joints))
    )
