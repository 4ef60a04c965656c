"""The timeline: keys, contacts, and the motion that a clip came from."""

from __future__ import annotations

from msgspec import Struct

from limbik.poser.document.timeline.ease import FIRST_HANDLES, Handles, KeyEase
from limbik.poser.document.timeline.timeline import Ease


class KeyInfo(Struct, frozen=True):
    """A key of the timeline, and whether it holds a pose and goals; ``ease`` is how it goes on from
    there, null as the timeline has it, ``handles`` those of "bezier"."""

    id: int
    frame: int
    pose: bool
    goals: bool
    ease: KeyEase | None = None
    handles: Handles = FIRST_HANDLES


class ContactInfo(Struct, frozen=True):
    """A joint rests in frames start … end − 1; ``held`` where it is locked to its place there."""

    id: int
    joint: int
    start: int
    end: int
    held: bool


class TimelineInfo(Struct, frozen=True):
    """The timeline, frames 0 … frames − 1.

    ``span`` is how many frames an edit of a clip blends to either side, ``clip`` the name of the
    clip that is edited, ``auto_key`` whether a pose changed by hand becomes a key where there are
    keys or a clip, ``unkeyed`` the frames whose pose was changed and is not keyed, ``contacts``
    where joints rest.
    """

    fps: float
    frames: int
    frame: float
    loop: bool
    span: int
    ease: Ease
    auto_key: bool
    keys: list[KeyInfo]
    clip: str | None
    unkeyed: list[int]
    contacts: list[ContactInfo]


class OriginInfo(Struct, frozen=True):
    """The motion that the clip was retargeted from: its name, and the id to fetch it by."""

    id: int
    name: str
