"""The messages themselves, and the replies to commands."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from limbik.poser.protocol.messages.document import State
from limbik.poser.protocol.messages.figure import FigureInfo
from limbik.poser.protocol.messages.methods import MethodInfo
from limbik.poser.protocol.messages.scene import BodyInfo


class Hello(Struct, frozen=True):
    """Sent first, when the connection stands, and again when something has become ready.

    ``largest`` is how many bytes one upload may have, ``opens`` the endings of files that can be
    opened (".bvh" and so on), ``preparing`` a sentence about what is being prepared, empty when
    everything is ready.
    """

    session: str
    version: str
    builtin: list[str]
    methods: list[MethodInfo]
    largest: int
    opens: list[str]
    preparing: str


class HelloMessage(Struct, frozen=True):
    hello: Hello


class FigureMessage(Struct, frozen=True):
    figure: FigureInfo


class StateMessage(Struct, frozen=True):
    state: State


class BodyMessage(Struct, frozen=True):
    body: BodyInfo


class NoteMessage(Struct, frozen=True):
    """A sentence to show for a moment."""

    note: str


class ProgressInfo(Struct, frozen=True):
    """Work in the background, and the share of it that is done, 0 to 1."""

    label: str
    share: float


class ProgressMessage(Struct, frozen=True):
    """How far the work in the background is; null when there is none any more."""

    progress: ProgressInfo | None


class LibraryPose(Struct, frozen=True):
    """A pose of the library on disk: ``figure`` names what it was stored from, ``fit`` says how it
    goes onto the figure that is open."""

    id: str
    name: str
    figure: str
    picture: bool
    fit: Literal["exact", "roles", "none"]


class LibraryMessage(Struct, frozen=True):
    """What is in the pose library, the newest first."""

    library: list[LibraryPose]


class Refusal(Struct, frozen=True):
    """The reply to a command that was refused, with a sentence why."""

    id: int
    error: str


class Done(Struct, frozen=True, omit_defaults=True):
    """The reply to a command that was done: ids of what it made, or the joints whose edited limits
    it cost (``dropped``)."""

    id: int
    ok: bool
    effector: int | None = None
    pose: int | None = None
    prop: int | None = None
    key: int | None = None
    keys: list[int] | None = None
    contact: int | None = None
    points: list[list[float]] | None = None
    values: list[list[float]] | None = None
    dropped: list[str] | None = None


Reply = Done | Refusal
Message = (
    HelloMessage
    | FigureMessage
    | StateMessage
    | BodyMessage
    | NoteMessage
    | LibraryMessage
    | ProgressMessage
    | Done
    | Refusal
)
