"""Meshes that follow a figure: vertices bound to joints by weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class SkinnedMesh:
    """Triangles whose vertices follow joints; one piece of one material.

    A vertex v of ``positions`` is drawn at Σₖ wₖ·F_j·B_b·v over its bones b = ``bones[v, k]``, with
    F_j the frame of joint j = ``joints[b]`` in the figure's pose, B_b = ``bind[b]`` and
    wₖ = ``weights[v, k]``.

    positions: (vertices, 3) float32, where the file has them, which is nowhere in particular
    triangles: (triangles, 3) indices of vertices, counter-clockwise seen from outside
    bones:     (vertices, k) indices into ``joints`` and ``bind``
    weights:   (vertices, k) float32, summing to 1 for each vertex
    joints:    (bones,) indices of the figure's joints
    bind:      (bones, 4, 4) from a vertex's space to its joint's frame
    normals:   (vertices, 3) unit vectors or None, in the same space as the positions
    texcoords: (vertices, 2) or None
    color:     red, green, blue and alpha, each 0 to 1, linear
    image:     the picture the colour is multiplied with, as the PNG or JPEG in the file, or None
    """

    name: str
    positions: np.ndarray
    triangles: np.ndarray
    bones: np.ndarray
    weights: np.ndarray
    joints: np.ndarray
    bind: np.ndarray
    normals: np.ndarray | None = None
    texcoords: np.ndarray | None = None
    color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    image: bytes | None = None

    def posed(self, frames: np.ndarray) -> np.ndarray:
        """(vertices, 3) the vertices in the world, for ``figure.frames(q)`` (joints, 4, 4)."""
        moved = frames[self.joints] @ self.bind
        out = np.zeros((len(self.positions), 3))
        for k in range(self.bones.shape[1]):
            each = moved[self.bones[:, k]]
            at = np.einsum("vij,vj->vi", each[:, :3, :3], self.positions) + each[:, :3, 3]
            out += self.weights[:, k, None] * at
        return out
