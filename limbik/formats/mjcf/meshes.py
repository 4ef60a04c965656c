"""The meshes of an MJCF model's assets, each read once and only when it is needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from limbik.errors import FormatError
from limbik.figure.collision.capsule_fit import capsule_of_mesh
from limbik.figure.collision.shapes import Capsule, Quaternion
from limbik.figure.joints import Vector
from limbik.formats.mesh_files import Triangles, read_mesh
from limbik.formats.remarks import Remarks
from limbik.formats.solids_of_files import first_there, scaled_mesh
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import quat_to_matrix


@dataclass(frozen=True)
class Mesh:
    """A mesh of a model's assets, from a file or with its vertices in the model itself."""

    name: str
    files: tuple[Path, ...] = ()
    vertices: tuple[float, ...] = ()
    faces: tuple[int, ...] = ()
    scale: Vector = (1.0, 1.0, 1.0)
    place: Vector = (0.0, 0.0, 0.0)
    wxyz: Quaternion = (1.0, 0.0, 0.0, 0.0)
    inertia: str = "legacy"


class Meshes:
    """The meshes of a model, each read once; a fault is a remark, and there is no mesh then."""

    def __init__(self, path: Path) -> None:
        self.remarks = Remarks(path)
        self._path = path
        self._read: dict[Mesh, Triangles | None] = {}
        self._around: dict[Mesh, Capsule] = {}

    def __getitem__(self, mesh: Mesh) -> Triangles | None:
        if mesh not in self._read:
            try:
                self._read[mesh] = _triangles(mesh, self._path)
            except FormatError as error:
                file = first_there(mesh.files).name if mesh.files else mesh.name
                text = f"the mesh {shown(file)} is left out: {error.message}"
                self.remarks.add("mesh", file, text)
                self._read[mesh] = None
        return self._read[mesh]

    def around(self, mesh: Mesh) -> Capsule | None:
        """The capsule around a mesh."""
        triangles = self[mesh]
        if triangles is not None and mesh not in self._around:
            self._around[mesh] = capsule_of_mesh(triangles.vertices)
        return self._around.get(mesh)


def _triangles(mesh: Mesh, path: Path) -> Triangles:
    if mesh.files:
        raw = read_mesh(first_there(mesh.files))
    else:
        points = np.array(mesh.vertices, float).reshape(-1, 3)
        faces = np.array(mesh.faces, int).reshape(-1, 3)
        if not len(faces) or faces.min() < 0 or faces.max() >= len(points):
            raise FormatError("has no faces of its own", path)
        raw = Triangles(points, faces)
    back = quat_to_matrix(np.array(mesh.wxyz)).T
    moved = (raw.vertices - np.array(mesh.place)) @ back.T
    return scaled_mesh(Triangles(moved, raw.triangles), mesh.scale)
