"""Headers and files that the page reads: a replay, a mesh, the motion of an origin."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from limbik.poser.protocol.messages.figure import FigureInfo


class Replay(Struct, frozen=True):
    """What a replay carries in ``<script type="application/json" id="replay">``; it has no server.

    ``mesh`` is the bytes that GET /mesh gives as base64, null when capsules are drawn (figure.mesh
    is then false); ``keys`` are the frames that have a key; ``poses`` is base64 of float32,
    little-endian: frames × (positions[joints × 3], wxyz[joints × 4]).
    """

    format: Literal["limbik replay 1"]
    title: str
    figure: FigureInfo
    mesh: str | None
    fps: float
    frames: int
    loop: bool
    keys: list[int]
    poses: str


class OriginHeader(Struct, frozen=True):
    """The header of GET /origin (origin_bytes.py): the figure of the motion that was retargeted,
    and the matrix, column by column, that takes its world to that of the figure in view."""

    figure: FigureInfo
    frames: int
    placement: list[float]


class MeshImage(Struct, frozen=True):
    """A picture in the bytes of a mesh."""

    offset: int
    length: int
    type: str


class MeshPieceInfo(Struct, frozen=True):
    """A piece of a mesh: counts, and the offsets of its arrays after the header."""

    name: str
    color: tuple[float, float, float, float]
    vertices: int
    triangles: int
    bones: int
    joints: list[int]
    position: int
    normal: int | None
    uv: int | None
    index: int
    bone: int
    weight: int
    bind: int
    image: MeshImage | None


class MeshHeader(Struct, frozen=True):
    """The header of GET /mesh (mesh_bytes.py)."""

    pieces: list[MeshPieceInfo]
