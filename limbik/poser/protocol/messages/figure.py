"""The figure as the page draws it: joints with their parts, coordinates, bones."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from limbik.poser.document.effector import Vec3, Vec4


class TurnPart(Struct, frozen=True, tag_field="kind", tag="turn"):
    """Turns about ``axis`` by scale · q[driver] + shift; ``coordinate`` is its own entry of q, −1
    where it follows another's."""

    axis: Vec3
    coordinate: int
    scale: float
    shift: float
    driver: int


class SlidePart(Struct, frozen=True, tag_field="kind", tag="slide"):
    """Slides along ``axis`` by scale · q[driver] + shift; ``coordinate`` as for TurnPart."""

    axis: Vec3
    coordinate: int
    scale: float
    shift: float
    driver: int


class ExponentialPart(Struct, frozen=True, tag_field="kind", tag="exponential"):
    """A ball whose three coordinates, from ``coordinate`` on, are a rotation vector."""

    coordinate: int
    twist: Vec3
    swing: Vec3


class SwingTwistPart(Struct, frozen=True, tag_field="kind", tag="swing-twist"):
    """A ball whose three coordinates, from ``coordinate`` on, are two of swing and one of twist."""

    coordinate: int
    twist: Vec3
    swing: Vec3


Part = TurnPart | SlidePart | ExponentialPart | SwingTwistPart


class JointInfo(Struct, frozen=True):
    """A joint: its placement on the parent is translate(offset) · rotate(wxyz) · parts.

    ``parent`` is −1 for a root, ``role`` "left hand" and so on or empty; its coordinates are
    first … first + count − 1.
    """

    name: str
    parent: int
    kind: str
    role: str
    first: int
    count: int
    offset: Vec3
    wxyz: Vec4
    parts: list[Part]


class CoordinateInfo(Struct, frozen=True):
    """A coordinate, and the joint that owns it."""

    name: str
    joint: int
    slides: bool
    rest: float


class Bone(Struct, frozen=True):
    """A capsule in the frame of a joint."""

    joint: int
    start: Vec3 = field(name="from")
    end: Vec3 = field(name="to")
    radius: float


class FigureInfo(Struct, frozen=True):
    """What is drawn; sent again when it changes.

    ``floor`` is the height of the floor along ``up`` at rest, ``mesh`` whether there are meshes to
    fetch, ``clips`` the names of the clips in the file, ``mirrors`` whether left and right are
    known, so that poses can be mirrored.
    """

    id: int
    name: str
    unit: str
    up: Literal["x", "y", "z"]
    size: float
    floor: float
    joints: list[JointInfo]
    coordinates: list[CoordinateInfo]
    bones: list[Bone]
    mesh: bool
    clips: list[str]
    file: str
    builtin: str
    mirrors: bool
