"""The mesh of a prop from a glTF file, in a box of edge 1."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limbik.errors import FormatError
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.formats.gltf.mesh import meshes
from limbik.formats.gltf.read import read_figure

ENDINGS = (".glb", ".gltf", ".vrm")
MOST_TRIANGLES = 500_000
LARGEST = 50_000_000
"""Triangles and bytes that the file of a prop may have."""


class PropMesh(NamedTuple):
    """Pieces whose vertices lie in ±0.5, and the edges (3,) of the box around them in the file, in
    metres; y is up."""

    pieces: tuple[SkinnedMesh, ...]
    size: np.ndarray


@lru_cache(maxsize=8)
def prop_mesh(path: Path) -> PropMesh:
    """The meshes of a glTF file in its rest pose.

    Raises FormatError where it has none, too many triangles, or is no glTF file.
    """
    if path.suffix.lower() not in ENDINGS:
        raise FormatError(f"is no prop: limbik reads {', '.join(ENDINGS)}", path)
    if path.stat().st_size > LARGEST:
        raise FormatError(f"has more than the {LARGEST // 10**6} MB that a prop may have", path)
    figure = read_figure(path)
    found = [mesh for mesh in meshes(figure) if len(mesh.triangles)]
    if not found:
        raise FormatError("has no mesh", path)
    triangles = sum(len(mesh.triangles) for mesh in found)
    if triangles > MOST_TRIANGLES:
        raise FormatError(f"has {triangles:,} triangles; a prop may have {MOST_TRIANGLES:,}", path)
    frames = figure.frames(figure.rest)
    posed = [mesh.posed(frames) for mesh in found]
    least = np.min([vertices.min(axis=0) for vertices in posed], axis=0)
    size = np.max([vertices.max(axis=0) for vertices in posed], axis=0) - least
    if not (np.isfinite(size).all() and size.max() > 0.0):
        raise FormatError("its mesh has no size", path)
    edges = np.maximum(size, 1e-3 * size.max())  # of a flat thing
    middle = least + 0.5 * size
    pieces = tuple(
        _rigid(mesh, ((vertices - middle) / edges).astype(np.float32))
        for mesh, vertices in zip(found, posed, strict=True)
    )
    return PropMesh(pieces, edges)


def _rigid(mesh: SkinnedMesh, positions: np.ndarray) -> SkinnedMesh:
    """The mesh as one piece that follows nothing; its normals are made anew by the page."""
    count = len(positions)
    return replace(
        mesh,
        positions=positions,
        bones=np.zeros((count, 1), np.uint8),
        weights=np.ones((count, 1), np.float32),
        joints=np.zeros(1, int),
        bind=np.eye(4)[None],
        normals=None,
    )
