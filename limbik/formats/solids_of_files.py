"""Collision shapes that name mesh files, read when they are first asked for.

Loading a robot stays quick, and a robot whose meshes are missing loads without a word; whoever asks
for its shapes is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from limbik.errors import FormatError
from limbik.figure.collision.capsule_fit import capsule_of_mesh
from limbik.figure.collision.shapes import Capsule, Quaternion, Shape
from limbik.figure.joints import Vector
from limbik.formats.mesh_files import Triangles, read_mesh
from limbik.formats.remarks import Remarks
from limbik.maths.so3 import quat_multiply, quat_rotate

_ANCESTORS = 6  # folders above a file in which its packages are looked for


@dataclass(frozen=True)
class MeshShape:
    """A shape whose size a mesh file says.

    files: where the mesh may be, the first that is there counts
    """

    files: tuple[Path, ...]
    scale: Vector = (1.0, 1.0, 1.0)
    center: Vector = (0.0, 0.0, 0.0)
    wxyz: Quaternion = (1.0, 0.0, 0.0, 0.0)
    joint: str = ""
    name: str = ""
    contype: int = 1
    conaffinity: int = 1


@dataclass(frozen=True)
class ShapesOfFile:
    """The shapes of a robot's file in their order, with capsules in the place of meshes."""

    path: Path
    entries: tuple[Shape | MeshShape, ...]

    def __call__(self) -> tuple[Shape, ...]:
        remarks = Remarks(self.path)
        fits: dict[tuple[Path, Vector], Capsule] = {}
        out: list[Shape] = []
        for entry in self.entries:
            if not isinstance(entry, MeshShape):
                out.append(entry)
                continue
            file = first_there(entry.files)
            try:
                if (file, entry.scale) not in fits:
                    mesh = scaled_mesh(read_mesh(file), entry.scale)
                    fits[file, entry.scale] = capsule_of_mesh(mesh.vertices)
            except FormatError as error:
                text = f"the mesh {file.name} is left out: {error.message}"
                remarks.add("mesh", file.name, text)
                continue
            out.append(_placed(fits[file, entry.scale], entry))
        remarks.warn(stacklevel=4)
        return tuple(out)


def first_there(files: tuple[Path, ...]) -> Path:
    """The first of several places where there is a file, or the first of all."""
    for file in files:
        try:
            if file.is_file():
                return file
        except (OSError, ValueError):  # too long a name, a zero byte in it
            continue
    return files[0]


def scaled_mesh(mesh: Triangles, scale: Vector) -> Triangles:
    """A mesh with its axes multiplied; a mirror image has its triangles turned round."""
    triangles = mesh.triangles if np.prod(scale) > 0.0 else mesh.triangles[:, ::-1]
    return Triangles(mesh.vertices * np.array(scale), triangles)


def places_of_mesh(name: str, path: Path) -> tuple[Path, ...]:
    """Where the mesh that a URDF file calls ``name`` may be: "package://arm/meshes/link.stl",
    "file:///…" or a path beside the file."""
    scheme, found, rest = name.partition("://")
    if not found:
        return (path.parent / name,)
    if scheme == "file":
        return (Path(rest),)
    package, _, inside = rest.partition("/")
    places = []
    for folder in path.resolve().parents[:_ANCESTORS]:
        if folder.name == package:
            places.append(folder / inside)
        places.append(folder / package / inside)
    return (*places, path.parent / inside)


def _placed(capsule: Capsule, entry: MeshShape) -> Capsule:
    turn = np.array(entry.wxyz)
    x, y, z = (quat_rotate(turn, np.array(capsule.center)) + np.array(entry.center)).tolist()
    w, i, j, k = quat_multiply(turn, np.array(capsule.wxyz)).tolist()
    return replace(
        capsule,
        center=(x, y, z),
        wxyz=(w, i, j, k),
        joint=entry.joint,
        name=entry.name,
        contype=entry.contype,
        conaffinity=entry.conaffinity,
    )
