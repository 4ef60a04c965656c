"""The geoms of MJCF bodies: their sizes, what mass they have, and which shapes they are.

Masses follow MuJoCo: where a body has no <inertial>, its geoms have a density (1000 kg/m³ unless
said) or a mass.  Meshes are read when masses or shapes are first asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import FigureError
from limbik.figure.collision.mesh_hull import MeshHull
from limbik.figure.collision.shapes import (
    Box,
    Capsule,
    Cylinder,
    Quaternion,
    Shape,
    Sphere,
    between_z,
)
from limbik.figure.joints import Vector
from limbik.figure.physical.properties import Inertia, merged, moments_of
from limbik.formats.mesh_files import Triangles
from limbik.formats.mjcf.meshes import Mesh, Meshes
from limbik.formats.text_numbers import shown
from limbik.maths import solids
from limbik.maths.so3 import matrix_to_quat, quat_multiply, quat_rotate, quat_to_matrix

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
SOLID = (*_SIZES, "mesh")
"""Kinds of geoms that have a mass and a shape; planes, height fields and the like have none."""
_LEAST = 1e-14  # kg: a lighter geom has no mass, as in MuJoCo


@dataclass(frozen=True)
class Geom:
    """One geom in the frame of its body; ``mass`` is None where its density says it."""

    kind: str
    size: tuple[float, ...]
    center: Vector
    wxyz: Quaternion
    mesh: Mesh | None = None
    mass: float | None = None
    density: float = 1000.0
    shell: bool = False
    group: int = 0
    contype: int = 1
    conaffinity: int = 1
    name: str = ""


@dataclass(frozen=True)
class BodyGeoms:
    """The geoms of one body, the figure's joint that it is, and its <inertial>."""

    joint: str
    inertial: Inertia | None
    geoms: tuple[Geom, ...]


@dataclass(frozen=True)
class MassRules:
    """What <compiler> says of masses."""

    from_geoms: str = "auto"
    groups: tuple[int, int] = (0, 5)
    least_mass: float = 0.0
    total: float = -1.0

    def from_geoms_of(self, body: BodyGeoms) -> list[Geom]:
        """The geoms that a body's mass comes from; none where its <inertial> says it."""
        if self.from_geoms == "false" or (self.from_geoms == "auto" and body.inertial is not None):
            return []
        low, high = self.groups
        return [geom for geom in body.geoms if low <= geom.group <= high and geom.kind in SOLID]


@dataclass(frozen=True)
class MassesOfModel:
    """The inertias of a model's bodies, by joint."""

    path: Path
    bodies: tuple[BodyGeoms, ...]
    rules: MassRules

    @property
    def needs_meshes(self) -> bool:
        """Whether mesh files must be read for it."""
        used = (geom for body in self.bodies for geom in self.rules.from_geoms_of(body))
        return any(geom.mesh is not None for geom in used)

    def __call__(self) -> tuple[tuple[str, Inertia], ...]:
        meshes, out = Meshes(self.path), []
        for body in self.bodies:
            try:
                own = self._mass(body, meshes)
            except FigureError as error:  # below 0, or beyond all numbers
                text = f"the mass of {shown(body.joint)} is left out: {error}"
                meshes.remarks.add("mass", body.joint, text)
                continue
            if own is not None and own.mass > 0.0:
                out.append((body.joint, own))
        meshes.remarks.warn(stacklevel=4)
        total = sum(own.mass for _, own in out)
        if self.rules.total > 0.0 and total > 0.0:
            out = [(name, _times(own, self.rules.total / total)) for name, own in out]
        return tuple(out)

    def _mass(self, body: BodyGeoms, meshes: Meshes) -> Inertia | None:
        own = body.inertial
        parts = [
            part
            for geom in self.rules.from_geoms_of(body)
            if (part := _inertia(geom, meshes)) is not None and part.mass >= _LEAST
        ]
        if parts:
            own = merged(parts)
        if self.rules.least_mass > 0.0:
            own = own or Inertia(0.0)
            own = Inertia(max(own.mass, self.rules.least_mass), own.center, own.moments)
        return own


@dataclass(frozen=True)
class ShapesOfModel:
    """The shapes of those geoms that may touch something."""

    path: Path
    bodies: tuple[BodyGeoms, ...]

    @property
    def needs_meshes(self) -> bool:
        """Whether mesh files must be read for it."""
        return any(geom.mesh is not None for _, geom in self._touching())

    def _touching(self) -> list[tuple[str, Geom]]:
        return [
            (body.joint, geom)
            for body in self.bodies
            for geom in body.geoms
            if geom.kind in SOLID and (geom.contype or geom.conaffinity)
        ]

    def __call__(self) -> tuple[Shape, ...]:
        meshes = Meshes(self.path)
        out: list[Shape] = []
        for joint, geom in self._touching():
            try:
                shape = _shape(joint, geom, meshes)
            except FigureError as error:
                text = f"a shape of {shown(joint)} is left out: {error}"
                meshes.remarks.add("shape", joint, text)
                continue
            if shape is not None:
                out.append(shape)
        meshes.remarks.warn(stacklevel=4)
        return tuple(out)


def sizes_given(kind: str, numbers: tuple[float, ...], line: Vector | None) -> tuple[float, ...]:
    """The sizes of a geom, as many as its kind has; ``line`` is the way from one end of its
    ``fromto`` to the other."""
    needed = _SIZES.get(kind, 0)
    if line is None:
        return numbers[:needed]
    half = 0.5 * math.sqrt(sum(v * v for v in line))
    return (numbers[0], half) if needed == 2 else (numbers[0], numbers[0], half)[:needed]


def sizes_needed(kind: str, line: bool) -> int:
    """How many numbers of its ``size`` a geom must have."""
    return 1 if line and kind in _SIZES else _SIZES.get(kind, 0)


def turn_along(line: Vector) -> Quaternion:
    """The orientation of a geom whose ends MuJoCo lays on a line: z runs from the second to the
    first."""
    return between_z((-line[0], -line[1], -line[2]))


# ---- masses --------------------------------------------------------------------------------------


def _solid(kind: str, size: tuple[float, ...]) -> solids.Solid:
    make: dict[str, Callable[..., solids.Solid]] = {
        "sphere": solids.sphere,
        "capsule": solids.capsule,
        "cylinder": solids.cylinder,
        "box": solids.box,
        "ellipsoid": solids.ellipsoid,
    }
    return make[kind](*size)


def _mesh_solid(mesh: Mesh, triangles: Triangles, shell: bool) -> solids.Solid:
    if shell or mesh.inertia == "shell":
        return solids.shell(*triangles)
    return solids.mesh(*triangles, absolute=mesh.inertia != "exact")


def _inertia(geom: Geom, meshes: Meshes) -> Inertia | None:
    """A geom's mass in its body's frame."""
    if geom.kind == "mesh":
        triangles = None if geom.mesh is None else meshes[geom.mesh]
        if triangles is None or geom.mesh is None:
            return None
        if geom.mesh.inertia == "convex":
            text = f"the mass of the mesh {shown(geom.mesh.name)} is not that of its convex hull"
            meshes.remarks.add("convex", geom.mesh.name, text)
        solid = _mesh_solid(geom.mesh, triangles, geom.shell)
    elif geom.mesh is not None:
        fitted = _fitted(geom, meshes)
        if fitted is None:
            return None
        return _inertia(fitted, meshes)
    elif geom.shell:
        meshes.remarks.add("shell", geom.name, "the mass of a hollow geom is taken as a solid's")
        solid = _solid(geom.kind, geom.size)
    else:
        solid = _solid(geom.kind, geom.size)
    if not solid.volume > 0.0:
        return None
    mass = geom.mass if geom.mass is not None else geom.density * solid.volume
    moved = solid.moved(quat_to_matrix(np.array(geom.wxyz)), np.array(geom.center))
    x, y, z = moved.center.tolist()
    return Inertia(mass, (x, y, z), moments_of(moved.moments * (mass / solid.volume)))


def _times(inertia: Inertia, scale: float) -> Inertia:
    moments: Any = tuple(scale * value for value in inertia.moments)
    return Inertia(scale * inertia.mass, inertia.center, moments)


def _fitted(geom: Geom, meshes: Meshes) -> Geom | None:
    """A simple geom that a mesh gives its size: that of the box with the mesh's moments."""
    assert geom.mesh is not None
    triangles = meshes[geom.mesh]
    if triangles is None:
        return None
    solid = _mesh_solid(geom.mesh, triangles, False)
    if not solid.volume > 0.0:
        return None
    moments, axes = np.linalg.eigh(solid.moments)
    moments, axes = moments[::-1], axes[:, ::-1]  # the largest first, so that z is the longest side
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    half = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / solid.volume, 0.0)) / 2.0
    a, b, c = half.tolist()
    across = 0.5 * (a + b)
    size = {
        "sphere": (float(half.mean()),),
        "capsule": (across, max(0.0, c - 0.5 * across)),
        "cylinder": (across, c),
    }.get(geom.kind, (a, b, c))
    turn = np.array(geom.wxyz)
    x, y, z = (quat_rotate(turn, solid.center) + np.array(geom.center)).tolist()
    w, i, j, k = quat_multiply(turn, matrix_to_quat(axes)).tolist()
    return replace(geom, size=size, center=(x, y, z), wxyz=(w, i, j, k), mesh=None)


# ---- shapes --------------------------------------------------------------------------------------


def _shape(joint: str, geom: Geom, meshes: Meshes) -> Shape | None:
    hull: MeshHull | None = None
    if geom.mesh is not None:
        if geom.kind == "mesh":
            around = meshes.around(geom.mesh)
            if around is None:
                return None
            turn = np.array(geom.wxyz)
            x, y, z = (quat_rotate(turn, np.array(around.center)) + np.array(geom.center)).tolist()
            w, i, j, k = quat_multiply(turn, np.array(around.wxyz)).tolist()
            size, hull = (around.radius, around.half_length), around.mesh
            geom = replace(
                geom, kind="capsule", size=size, center=(x, y, z), wxyz=(w, i, j, k), mesh=None
            )
        else:
            fitted = _fitted(geom, meshes)
            if fitted is None:
                return None
            geom = fitted
    at: dict[str, Any] = {
        "center": geom.center,
        "joint": joint,
        "name": geom.name,
        "contype": geom.contype,
        "conaffinity": geom.conaffinity,
    }
    if geom.kind == "sphere":
        return Sphere(geom.size[0], **at)
    if geom.kind == "ellipsoid":
        return _around_ellipsoid(geom, at)
    at["wxyz"] = geom.wxyz
    if geom.kind == "box":
        a, b, c = geom.size
        return Box((a, b, c), **at)
    if geom.kind == "capsule":
        return Capsule(geom.size[0], geom.size[1], mesh=hull, **at)
    return Cylinder(geom.size[0], geom.size[1], **at)


def _around_ellipsoid(geom: Geom, at: dict[str, Any]) -> Shape:
    """The capsule along an ellipsoid's longest axis, as thick as its second longest, holds it."""
    long = int(np.argmax(geom.size))
    radius = sorted(geom.size)[1]
    axis = quat_rotate(np.array(geom.wxyz), np.eye(3)[long])
    return Capsule(radius, max(geom.size) - radius, wxyz=between_z(axis), **at)
