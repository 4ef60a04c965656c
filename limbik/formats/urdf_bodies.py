"""What a URDF file says of its links beyond their joints: masses, collision shapes, speeds.

A fault in any of it is a warning, and what it speaks of is left out: the robot still moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import FigureError, FormatError
from limbik.figure.collision.shapes import Box, Capsule, Cylinder, Quaternion, Shape, Sphere
from limbik.figure.joints import Joint
from limbik.figure.physical.properties import Inertia, JointNumbers, Physical, moments_of
from limbik.formats.files import read_bytes
from limbik.formats.remarks import Remarks
from limbik.formats.solids_of_files import MeshShape, ShapesOfFile, places_of_mesh
from limbik.formats.text_numbers import shown
from limbik.formats.xml import attribute, numbers, parse
from limbik.maths.so3 import euler_to_quat, quat_to_matrix

MAX_SHAPES = 100_000
"""A file with more is refused."""


def physical_of(
    links: Mapping[str, Any], moves: Mapping[str, Any], joints: list[Joint], path: Path
) -> Physical:
    """Masses, shapes, speed and effort limits of a robot, and what its SRDF file excludes.

    links, moves: the <link> and <joint> elements by name
    joints: the figure's joints, each with its link's name, and its URDF joint's as its alias
    """
    remarks = Remarks(path)
    inertias: list[tuple[str, Inertia]] = []
    shapes: list[Shape | MeshShape] = []
    for name, link in links.items():
        try:
            own = _inertia(link, path)
            if own is not None and own.mass > 0.0:
                inertias.append((name, own))
        except (FormatError, FigureError) as error:
            text = f"the <inertial> of {shown(name)} is left out: {_reason(error)}"
            remarks.add("inertial", name, text)
        for collision in link.findall("collision"):
            try:
                shapes += _shapes(collision, name, path)
            except (FormatError, FigureError) as error:
                text = f"a <collision> of {shown(name)} is left out: {_reason(error)}"
                remarks.add("collision", name, text)
            if len(shapes) > MAX_SHAPES:
                raise FormatError(f"has more than {MAX_SHAPES:,} shapes", path, link.sourceline)
    exclusions: list[tuple[str, str]] = []
    try:
        exclusions += _excluded(path, links)
    except FormatError as error:
        remarks.add("srdf", path.name, f"its SRDF file is left out: {error}")
    remarks.warn(stacklevel=6)
    meshes = any(isinstance(shape, MeshShape) for shape in shapes)
    made = ShapesOfFile(path, tuple(shapes))
    return Physical(
        inertias=tuple(inertias),
        shapes=made if meshes else made(),
        exclusions=tuple(exclusions),
        speeds=tuple(_limits(moves, joints, "velocity", path)),
        efforts=tuple(_limits(moves, joints, "effort", path)),
    )


def _reason(error: FormatError | FigureError) -> str:
    return error.message if isinstance(error, FormatError) else str(error)


def _origin(element: Any, path: Path) -> tuple[np.ndarray, Quaternion]:
    """(place, turn) of an element's <origin>."""
    origin = element.find("origin")
    if origin is None:
        return np.zeros(3), (1.0, 0.0, 0.0, 0.0)
    place = numbers(origin, "xyz", 3, path, (0.0, 0.0, 0.0))
    roll, pitch, yaw = numbers(origin, "rpy", 3, path, (0.0, 0.0, 0.0))
    w, x, y, z = euler_to_quat([yaw, pitch, roll], "ZYX").tolist()
    return np.array(place), (w, x, y, z)


def _inertia(link: Any, path: Path) -> Inertia | None:
    inertial = link.find("inertial")
    if inertial is None or inertial.find("mass") is None:
        return None
    place, turn = _origin(inertial, path)
    mass = numbers(inertial.find("mass"), "value", 1, path)[0]
    matrix = np.zeros((3, 3))
    tensor = inertial.find("inertia")
    if tensor is not None:
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            value = numbers(tensor, f"i{'xyz'[i]}{'xyz'[j]}", 1, path, (0.0,))[0]
            matrix[i, j] = matrix[j, i] = value
    rotation = quat_to_matrix(np.array(turn))
    x, y, z = place.tolist()
    return Inertia(mass, (x, y, z), moments_of(rotation @ matrix @ rotation.T))


def _shapes(collision: Any, link: str, path: Path) -> list[Shape | MeshShape]:
    """The shape of a <collision>, in a list; none where its geometry says nothing."""
    geometry = collision.find("geometry")
    kind = next(iter(geometry), None) if geometry is not None else None
    if kind is None:
        return []
    place, turn = _origin(collision, path)
    x, y, z = place.tolist()
    at: dict[str, Any] = {
        "center": (x, y, z),
        "joint": link,
        "name": collision.get("name") or "",
    }
    if kind.tag == "sphere":
        return [Sphere(numbers(kind, "radius", 1, path)[0], **at)]
    at["wxyz"] = turn
    if kind.tag == "box":
        a, b, c = numbers(kind, "size", 3, path)
        return [Box((0.5 * a, 0.5 * b, 0.5 * c), **at)]
    if kind.tag in ("cylinder", "capsule"):
        (radius,) = numbers(kind, "radius", 1, path)
        (length,) = numbers(kind, "length", 1, path)
        return [(Cylinder if kind.tag == "cylinder" else Capsule)(radius, 0.5 * length, **at)]
    if kind.tag == "mesh":
        a, b, c = numbers(kind, "scale", 3, path, (1.0, 1.0, 1.0))
        files = places_of_mesh(attribute(kind, "filename", path), path)
        return [MeshShape(files, (a, b, c), **at)]
    raise FormatError(f"<{str(kind.tag)[:40]}> is not a shape limbik reads", path)


def _limits(
    moves: Mapping[str, Any], joints: list[Joint], which: str, path: Path
) -> Iterator[JointNumbers]:
    """The numbers of a <limit> for every joint that moves in one way.  0 says nothing: a joint that
    may not move would be fixed."""
    for joint in joints:
        element = moves.get(joint.alias)
        limit = None if element is None else element.find("limit")
        if limit is None or len(joint.labels) != 1 or limit.get(which) is None:
            continue
        try:
            value = float(limit.get(which))
        except ValueError:
            value = math.nan
        if 0.0 < value < math.inf:
            yield JointNumbers(joint.name, (value,))


def _excluded(path: Path, links: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Pairs of links that the SRDF file of the same name excludes, beside the URDF file or in a
    folder "srdf" beside its folder."""
    beside = path.with_suffix(".srdf")
    for file in (beside, path.parent.parent / "srdf" / beside.name):
        if file.is_file():
            return ((a, b) for a, b in read_exclusions(file) if a in links and b in links)
    return iter(())


def read_exclusions(path: Path) -> list[tuple[str, str]]:
    """The pairs of links in an SRDF file that may touch: ``<disable_collisions link1= link2=>``."""
    root = parse(read_bytes(path), path)
    return [
        (attribute(element, "link1", path), attribute(element, "link2", path))
        for element in root.iter("disable_collisions")
    ]
