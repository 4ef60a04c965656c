"""What a person makes in the poser: one immutable document.

A command makes a new document out of the old one (``dataclasses.replace``).  What did not change is
shared between the two, so that a history of two hundred costs little, in memory and on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from limbik.figure.joints import Limit
from limbik.poser.document.effector import Effector, Mode, Vec3, Vec4
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.document.origin import Origin
from limbik.poser.document.parked import Parked
from limbik.poser.document.scene import Scene
from limbik.poser.document.source import Source
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.document.timeline.unkeyed import UnkeyedPose

__all__ = [
    "Choice", "Document", "Effector", "Mode", "Source", "StoredPose", "Vec3", "Vec4",
]  # fmt: skip

Setting = float | int | bool | str


CHAIN_OF_EIGHT = "chain of 8"
"""What "chain" was in the poser once; sessions that were saved then open with it."""


@dataclass(frozen=True)
class Choice:
    """A method by name, and the settings in which it differs from its defaults."""

    name: str = "projected_lm"
    settings: Mapping[str, Setting] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, eq=False)
class StoredPose:
    """A pose that was put aside under a name; q (n,)."""

    id: int
    name: str
    q: np.ndarray

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StoredPose)
            and (self.id, self.name) == (other.id, other.name)
            and np.array_equal(self.q, other.q)
        )

    def __hash__(self) -> int:
        return hash((self.id, self.name))


@dataclass(frozen=True, eq=False)
class Document:
    """Everything that undo brings back.

    q:         (n,) the pose, read-only, inside the limits
    balls:     coordinates of the balls, "" as the source has them, else "swing-twist" (and so on,
               ``Figure.with_balls``) or "body" (natural_limits.py)
    limits:    joints whose limits differ from the source's, None where there is no limit
    locked:    joints that keep their values while others are solved for
    fk:        joints of limbs that are turned joint by joint: they keep their values as well, and
               nothing is asked of the effectors on them
    frame:     where the timeline stands; q is the pose there, with what was changed since
    unkeyed:   poses that were made at frames and not keyed
    goals:     goals of a program that are kept while one drags, and that no effector stands for
    floor:     whether the feet, hands and knees of a body stay above the floor while one drags
    origin:    the motion that the timeline's clip was retargeted from
    scene:     props, and whether balance and collisions are kept while one drags
    number:    which figure of the scene this is, counted from 1
    others:    the other figures of the scene, in the order of their numbers
    next_id:   the id that the next effector, goal, prop or stored pose gets
    """

    source: Source
    q: np.ndarray
    balls: str = ""
    limits: Mapping[str, Limit | None] = field(default_factory=lambda: MappingProxyType({}))
    effectors: tuple[Effector, ...] = ()
    locked: tuple[str, ...] = ()
    fk: tuple[str, ...] = ()
    method: Choice = Choice()
    compare: Choice | None = None
    timeline: Timeline = field(default_factory=Timeline)
    frame: float = 0.0
    poses: tuple[StoredPose, ...] = ()
    goals: tuple[KeptGoal, ...] = ()
    unkeyed: tuple[UnkeyedPose, ...] = ()
    floor: bool = True
    origin: Origin | None = None
    scene: Scene = field(default_factory=Scene)
    number: int = 1
    others: tuple[Parked, ...] = ()
    next_id: int = 1

    def __post_init__(self) -> None:
        if self.q.flags.writeable:
            fixed = self.q.copy()
            fixed.setflags(write=False)
            object.__setattr__(self, "q", fixed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Document):
            return NotImplemented
        return all(
            _same(getattr(self, name), getattr(other, name)) for name in Document.__match_args__
        )

    def __hash__(self) -> int:
        return hash((self.source, self.next_id, len(self.effectors)))

    @property
    def solved(self) -> tuple[Effector, ...]:
        """The effectors whose own targets count in a solve: not those on a limb in ``fk``, nor aims
        that are tied to a joint or a prop."""
        return tuple(e for e in self.effectors if e.joint not in self.fk and not e.tied)

    @property
    def still(self) -> tuple[str, ...]:
        """The joints that a solve leaves as they are."""
        return (*self.locked, *self.fk)

    def effector(self, id: int) -> Effector | None:
        """The effector with that id, or None."""
        return next((effector for effector in self.effectors if effector.id == id), None)


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)
