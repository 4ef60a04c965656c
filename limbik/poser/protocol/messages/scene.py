"""What is around the figure and what it weighs: props, masses, soles, collision shapes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from limbik.poser.document.effector import Vec3, Vec4
from limbik.poser.document.prop import PropKind


class PropPartInfo(Struct, frozen=True):
    """A box or a ball in a prop's frame, with half its edges."""

    ball: bool
    center: Vec3
    half: Vec3


class HoldInfo(Struct, frozen=True):
    """A joint that holds a prop: where the joint is in the prop's frame."""

    joint: int
    position: Vec3
    wxyz: Vec4


class PropInfo(Struct, frozen=True):
    """A prop: where it is, the edges of the box around it, what it is made of, and who holds it.

    The first of ``holds`` carries it, wherever the pose is.  ``mesh`` names the mesh to fetch,
    empty where its parts are drawn.
    """

    id: int
    kind: PropKind
    name: str
    position: Vec3
    wxyz: Vec4
    size: Vec3
    parts: list[PropPartInfo]
    holds: list[HoldInfo]
    mesh: str


class SceneInfo(Struct, frozen=True):
    """What is around the figure, and what is kept while one drags."""

    floor: bool
    balance: bool
    collisions: bool
    props: list[PropInfo]


class MassInfo(Struct, frozen=True):
    """A mass (kg) that follows a joint, and its centre in the joint's frame."""

    joint: int
    mass: float
    center: Vec3


class PointInfo(Struct, frozen=True):
    """A point in the frame of a joint."""

    joint: int
    at: Vec3


class SoleInfo(Struct, frozen=True):
    """The points on which a joint stands."""

    joint: int
    points: list[PointInfo]


class ShapeInfo(Struct, frozen=True):
    """A collision shape in the frame of a joint.

    ``sizes`` are half the edges of a box, or the radius and half the length along z of what is
    round.
    """

    kind: Literal["sphere", "capsule", "cylinder", "box"]
    joint: int
    center: Vec3
    wxyz: Vec4
    sizes: Vec3


class BodyInfo(Struct, frozen=True):
    """Masses, soles and collision shapes of the figure with the id ``figure``; ``feet`` are the
    joints that a body stands on where nothing is pinned."""

    figure: int
    feet: list[int]
    masses: list[MassInfo]
    soles: list[SoleInfo]
    shapes: list[ShapeInfo]
