"""The document: limits, effectors, goals, and the state that holds all that can be edited."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from limbik.poser.document.effector import Mode, Vec3, Vec4
from limbik.poser.protocol.messages.methods import ChoiceInfo
from limbik.poser.protocol.messages.scene import SceneInfo
from limbik.poser.protocol.messages.timeline import OriginInfo, TimelineInfo


class RangeLimit(Struct, frozen=True, tag_field="kind", tag="range", forbid_unknown_fields=True):
    """A range for each of a joint's own coordinates; null is "no end"."""

    lower: list[float | None]
    upper: list[float | None]


class ConeLimit(Struct, frozen=True, tag_field="kind", tag="cone", forbid_unknown_fields=True):
    """A cone about ``center`` with the half angles ``swing``, and a range of twist; null is "no
    end", or any swing."""

    swing: tuple[float, float] | None
    center: tuple[float, float]
    twist: tuple[float | None, float | None]


Limit = RangeLimit | ConeLimit


class EffectorInfo(Struct, frozen=True):
    """An effector; ``name`` is its joint's, ``placed`` whether a person put it where it is."""

    id: int
    joint: int
    name: str
    at: Vec3
    mode: Mode
    position: Vec3
    wxyz: Vec4 | None
    weight: float
    rotation_weight: float
    axis: Vec3
    placed: bool


class GoalInfo(Struct, frozen=True):
    """A goal of the program that is kept beside the effectors: its kind ("Plane"), what it is about
    and a sentence of what it asks; ``lost`` where it was a function of a program that has ended."""

    id: int
    kind: str
    label: str
    sentence: str
    lost: bool


class PoseInfo(Struct, frozen=True):
    """A stored pose."""

    id: int
    name: str


class AdviceInfo(Struct, frozen=True):
    """Something worth telling, with a command that helps."""

    sentence: str
    button: str
    command: Literal["limits.humanoid", "limits.file"]
    args: dict[str, Any]


class HandInfo(Struct, frozen=True):
    """A hand whose fingers can be curled: its joint, the fingers that it has ("Index"), how far
    each is curled (0 straight, 1 as in a fist), how far they are spread, and the names of the
    shapes that it can be put into."""

    side: Literal["left", "right"]
    joint: int
    fingers: list[str]
    curls: list[float]
    spread: float
    shapes: list[str]


class OfferInfo(Struct, frozen=True):
    """A better pose after a drag that ended short: the ghost of the pose message, once ``sentence``
    is not empty.  ``searching`` where the command "offer.search" may still find a better one."""

    searching: bool
    sentence: str


class State(Struct, frozen=True):
    """The document as the page needs it; sent after every command.

    ``limits`` has one entry for each joint, ``edited`` names the joints whose limits differ from
    the file's, ``undo`` and ``redo`` are labels.
    """

    revision: int
    figure: int
    effectors: list[EffectorInfo]
    goals: list[GoalInfo]
    locked: list[int]
    limits: list[Limit | None]
    edited: list[int]
    method: ChoiceInfo
    compare: ChoiceInfo | None
    timeline: TimelineInfo
    poses: list[PoseInfo]
    scene: SceneInfo
    undo: str | None
    redo: str | None
    advice: AdviceInfo | None
    origin: OriginInfo | None
    symmetric: bool
    offer: OfferInfo | None = None
    hands: list[HandInfo] = field(default_factory=list)
