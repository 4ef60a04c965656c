"""Contacts on the timeline: a joint rests from a frame to another, and may be held there."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from limbik.errors import LimbikError
from limbik.poser.document.clip import MOST_FRAMES
from limbik.poser.document.strict_json import Saved

MOST_CONTACTS = 10_000


@dataclass(frozen=True)
class ContactSpan:
    """``joint`` rests in frames ``start`` … ``end`` − 1.

    Where it is ``held`` (a foot lock), every pose of the timeline has it where it is at ``start``.
    """

    id: int
    joint: str
    start: int
    end: int
    held: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "joint": self.joint,
            "start": self.start,
            "end": self.end,
            "held": self.held,
        }

    @classmethod
    def from_json(cls, saved: object) -> ContactSpan:
        data = Saved(saved, "contact")
        start = data.whole_number("start", 0, MOST_FRAMES)
        return cls(
            data.whole_number("id", 1),
            data.text("joint"),
            start,
            data.whole_number("end", start + 1, MOST_FRAMES),
            data.flag("held"),
        )


Contacts = tuple[ContactSpan, ...]


def in_order(contacts: Iterable[ContactSpan]) -> Contacts:
    """Contacts by their start and then by joint."""
    return tuple(sorted(contacts, key=lambda contact: (contact.start, contact.joint)))


def contact_of(contacts: Contacts, id: int) -> ContactSpan:
    """The contact with an id."""
    for contact in contacts:
        if contact.id == id:
            return contact
    raise LimbikError(f"There is no contact {id} any more.")


def with_contact(contacts: Contacts, contact: ContactSpan, frames: int) -> Contacts:
    """One contact more, or in the place of the one with its id, on a timeline of ``frames``.

    Two contacts of one joint may touch but not overlap.
    """
    if not 0 <= contact.start < contact.end <= frames:
        raise LimbikError(
            f"A contact from frame {contact.start} to {contact.end - 1} does not fit the "
            f"timeline (0 to {frames - 1})."
        )
    kept = [other for other in contacts if other.id != contact.id]
    for other in kept:
        if other.joint == contact.joint and overlap(contact, other) > 0:
            raise LimbikError(
                f"{contact.joint} has a contact from frame {other.start} to {other.end - 1} "
                "already."
            )
    if len(kept) >= MOST_CONTACTS:
        raise LimbikError(f"There are {MOST_CONTACTS:,} contacts, and there is no room for more.")
    return in_order([*kept, contact])


def overlap(one: ContactSpan, other: ContactSpan) -> int:
    """Frames that two contacts have in common."""
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def room_at(contacts: Contacts, joint: str, frame: int, frames: int) -> tuple[int, int]:
    """(start, end) of the frames around one in which a joint has no contact."""
    own = [contact for contact in contacts if contact.joint == joint]
    for contact in own:
        if contact.start <= frame < contact.end:
            raise LimbikError(f"{joint} has a contact at frame {frame} already.")
    start = max((contact.end for contact in own if contact.end <= frame), default=0)
    end = min((contact.start for contact in own if contact.start > frame), default=frames)
    return start, end


def without_contacts(contacts: Contacts, ids: Collection[int]) -> Contacts:
    """Without some contacts."""
    gone = {contact_of(contacts, id).id for id in ids}
    return tuple(contact for contact in contacts if contact.id not in gone)


def cut_to(contacts: Contacts, frames: int) -> Contacts:
    """The contacts of a timeline that has ``frames`` frames from now on."""
    return tuple(
        replace(contact, end=min(contact.end, frames))
        for contact in contacts
        if contact.start < frames
    )


def contacts_from_json(saved: object, frames: int) -> Contacts:
    """Contacts out of a saved timeline; anything else is refused."""
    if not isinstance(saved, list) or len(saved) > MOST_CONTACTS:
        raise LimbikError(f"timeline: contacts must be a list of at most {MOST_CONTACTS:,}")
    out: Contacts = ()
    for one in saved:
        contact = ContactSpan.from_json(one)
        if any(other.id == contact.id for other in out):
            raise LimbikError(f"timeline: two contacts with id {contact.id}")
        out = with_contact(out, contact, frames)
    return out
