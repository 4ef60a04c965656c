"""Skinned meshes as bytes that a page can hand to its graphics card as they are.

u32 length of a JSON header, the header, padded with spaces to a multiple of 4, then the arrays it
points to, little-endian, by offsets from the end of the header.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.poser.protocol.messages import MeshHeader, MeshImage, MeshPieceInfo
from limbik.poser.protocol.text import json_of

INFLUENCES = 4
"""Bones a vertex may follow in the page; of more, the strongest are kept."""


def mesh_bytes(meshes: Sequence[SkinnedMesh]) -> bytes:
    """The meshes, for the page's skin; matrices are column by column."""
    data = bytearray()

    def put(array: np.ndarray, kind: str) -> int:
        return append(np.ascontiguousarray(array, kind).tobytes())

    def append(raw: bytes) -> int:
        offset = len(data)
        data.extend(raw + bytes(-len(raw) % 4))
        return offset

    pieces: list[MeshPieceInfo] = []
    for mesh in meshes:
        if len(mesh.joints) > 0xFFFF:
            raise LimbikError(f'mesh "{mesh.name}": {len(mesh.joints)} bones are too many to draw')
        bones, weights = strongest(mesh.bones, mesh.weights)
        image = None
        if mesh.image is not None:
            kind = "image/png" if mesh.image.startswith(b"\x89PNG") else "image/jpeg"
            image = MeshImage(append(mesh.image), len(mesh.image), kind)
        red, green, blue, alpha = map(float, mesh.color)
        pieces.append(
            MeshPieceInfo(
                name=mesh.name,
                color=(red, green, blue, alpha),
                vertices=len(mesh.positions),
                triangles=len(mesh.triangles),
                bones=len(mesh.joints),
                joints=[int(joint) for joint in mesh.joints],
                position=put(mesh.positions, "<f4"),
                normal=None if mesh.normals is None else put(mesh.normals, "<f4"),
                uv=None if mesh.texcoords is None else put(mesh.texcoords, "<f4"),
                index=put(mesh.triangles, "<u4"),
                bone=put(bones, "<u2"),
                weight=put(weights, "<f4"),
                bind=put(mesh.bind.transpose(0, 2, 1), "<f4"),
                image=image,
            )
        )
    header = json_of(MeshHeader(pieces), ascii=True).encode()
    header += b" " * (-len(header) % 4)
    return b"".join((struct.pack("<I", len(header)), header, data))


def strongest(bones: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The four strongest influences of every vertex (vertices, k), their weights summing to 1."""
    count, width = weights.shape
    if width > INFLUENCES:
        order = np.argsort(-weights, axis=1, kind="stable")[:, :INFLUENCES]
        bones, weights = (np.take_along_axis(a, order, axis=1) for a in (bones, weights))
    elif width < INFLUENCES:
        rest = np.zeros((count, INFLUENCES - width))
        bones, weights = np.hstack([bones, rest.astype(int)]), np.hstack([weights, rest])
    total = weights.sum(axis=1, keepdims=True)
    return bones, np.divide(weights, total, out=np.zeros(weights.shape), where=total > 0.0)
