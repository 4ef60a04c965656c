"""Contacts on the timeline: found, added, moved, held, deleted, and feet planted by them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from limbik.animate.plant_feet import plant_feet
from limbik.errors import LimbikError
from limbik.figure.motion import Motion
from limbik.poser.animation.carrying import found_contacts, placed_contacts
from limbik.poser.document.clip import Clip
from limbik.poser.document.timeline.contact_span import (
    Contacts,
    ContactSpan,
    contact_of,
    in_order,
    overlap,
    room_at,
    with_contact,
    without_contacts,
)
from limbik.poser.files.save import baked
from limbik.poser.protocol.commands.registry import Reply, command

if TYPE_CHECKING:
    from limbik.poser.editing.background import Progress
    from limbik.poser.editing.session import Session


def use_contacts(session: Session, contacts: Contacts) -> None:
    """Take other contacts, and the pose that the timeline has with them."""
    timeline = session.document.timeline
    ids = [contact.id + 1 for contact in contacts]
    timeline = replace(timeline, contacts=contacts, next_id=max([timeline.next_id, *ids]))
    poses = any(c.held for c in (*contacts, *session.document.timeline.contacts))
    session.document = replace(session.document, timeline=timeline)
    if poses:
        session.show(session.document.frame)


@command("contacts.find", "Find contacts")
def find(session: Session) -> Reply:
    """The contacts of feet, toes and hands with the ground; those that are held stay."""
    timeline = session.document.timeline
    if timeline.clip is None and not timeline.keys:
        raise LimbikError("Contacts are found in a motion: open a clip or set keys first.")
    kept = tuple(contact for contact in timeline.contacts if contact.held)
    found = [
        contact
        for contact in found_contacts(baked(session), timeline.next_id)
        if not any(c.joint == contact.joint and overlap(c, contact) for c in kept)
    ]
    use_contacts(session, in_order([*kept, *found]))
    return None


@command("contact.add", "Add a contact of {joint}")
def add(session: Session, joint: int, start: int, end: int, held: bool = False) -> Reply:
    """A contact of a joint in frames start … end − 1, cut to where it has none yet."""
    name, timeline = session.joint(joint), session.document.timeline
    low, high = room_at(timeline.contacts, name, start, timeline.frames)
    made = ContactSpan(timeline.next_id, name, max(start, low), min(end, high), held)
    use_contacts(session, with_contact(timeline.contacts, made, timeline.frames))
    return {"contact": made.id}


def _change(session: Session, arguments: dict[str, Any]) -> str:
    contact = contact_of(session.document.timeline.contacts, arguments["contact"])
    if "held" in arguments:
        return f"{'Lock' if arguments['held'] else 'Unlock'} {contact.joint}"
    return f"Move the contact of {contact.joint}"


@command("contact.set", _change)
def change(
    session: Session,
    contact: int,
    start: int | None = None,
    end: int | None = None,
    held: bool | None = None,
) -> Reply:
    """Other frames for a contact, or whether its joint is held in it."""
    timeline = session.document.timeline
    old = contact_of(timeline.contacts, contact)
    new = replace(
        old,
        start=old.start if start is None else start,
        end=old.end if end is None else end,
        held=old.held if held is None else held,
    )
    use_contacts(session, with_contact(timeline.contacts, new, timeline.frames))
    return None


@command("contact.delete", "Delete contacts")
def delete(session: Session, contacts: list[int]) -> Reply:
    """Delete contacts."""
    use_contacts(session, without_contacts(session.document.timeline.contacts, contacts))
    return None


@command("contacts.hold", "Lock all contacts")
def hold(session: Session, on: bool) -> Reply:
    """Hold the joints of all contacts in their places, or let go of them."""
    contacts = session.document.timeline.contacts
    use_contacts(session, tuple(replace(contact, held=on) for contact in contacts))
    return None


@command("contacts.plant")
def plant(session: Session) -> Reply:
    """The clip with its feet still in every contact; edits stay on top of it."""
    document, figure = session.document, session.figure
    timeline = document.timeline
    clip = timeline.clip
    if clip is None:
        raise LimbikError("Feet are planted in a clip; between keys, lock a contact instead.")
    if not timeline.contacts:
        raise LimbikError("There are no contacts; find them first, or add some.")
    found = [(c.joint, c.start, c.end) for c in timeline.contacts]
    joints = list(dict.fromkeys(joint for joint, _, _ in found))

    def work(progress: Progress) -> Clip:
        progress(0.05)
        motion = Motion(figure, figure.project(clip.q), clip.fps, clip.name)
        planted = plant_feet(motion, joints, contacts=placed_contacts(motion, found))
        progress(0.95)
        return Clip(planted.q, clip.fps, clip.name)

    def take(planted: Clip) -> None:
        now = session.document
        if now.timeline.clip is not clip:
            raise LimbikError("Another clip was opened meanwhile; nothing was planted.")
        session.document = replace(now, timeline=replace(now.timeline, clip=planted))
        session.show(now.frame)

    session.begin_task("Plant feet", work, take)
    return None
