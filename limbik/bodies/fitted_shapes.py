"""Capsules for figures whose files have no collision shapes, fitted to the skin or the bones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from limbik.figure.appearance.capsules import capsules
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.collision.capsule_fit import capsule_around
from limbik.figure.collision.shapes import Capsule, Shape, Sphere
from limbik.figure.figure import Figure
from limbik.formats.gltf.mesh import meshes
from limbik.formats.gltf.rig import Rig
from limbik.humanoid import recognise

_WEIGHT = 0.5  # of a vertex's weights: what a joint holds more of than of all others together
_FEWEST = 8  # vertices that a capsule is fitted to
_INSIDE = 0.95  # of the vertices; the others are folds, buttons and strands
_LIMBS = ("UpperArm", "LowerArm", "UpperLeg", "LowerLeg")


def fitted_shapes(figure: Figure) -> tuple[Shape, ...]:
    """Capsules that follow a figure's joints.

    Where the figure's file has a skinned mesh, a capsule for each joint holds 95 % of the vertices
    that follow it; on a body only for joints that are bones or lie between bones, not for hair and
    clothes.  Otherwise a capsule for each bone, as thick as that part of a body is (capsules.py).

    >>> import limbik
    >>> len(fitted_shapes(limbik.figures.human())) > 15
    True
    """
    body = recognise(figure)
    roles = body.roles if not body.missing else {}
    skin = meshes(figure) if isinstance(figure.source, Rig) else ()
    return shapes_of_skin(figure, skin, roles) or shapes_of_bones(figure, roles)


def shapes_of_bones(figure: Figure, roles: Mapping[str, str]) -> tuple[Shape, ...]:
    """A capsule for each bone, on a body not for its hair, clothes and face.

    A bone without length gets a ball.
    """
    found = capsules(figure, roles)
    frames = figure.frames(figure.rest)
    wanted = _bones(figure, roles) if roles else range(len(figure.joints))
    out: list[Shape] = []
    for joint, start, end, radius in zip(*found, strict=True):
        if joint not in wanted:
            continue
        back, place = frames[joint, :3, :3].T, frames[joint, :3, 3]
        a, b = back @ (start - place), back @ (end - place)
        name = figure.joints[joint]
        if np.linalg.norm(b - a) <= 1e-9 * figure.size:
            x, y, z = a.tolist()
            out.append(Sphere(float(radius), (x, y, z), joint=name))
        else:
            out.append(Capsule.between(a, b, float(radius), joint=name))
    return tuple(out)


def shapes_of_skin(
    figure: Figure, skin: Sequence[SkinnedMesh], roles: Mapping[str, str]
) -> tuple[Shape, ...]:
    """A capsule for each joint that vertices follow."""
    points = _points(figure, skin)
    if roles:
        points = _of_bones(figure, roles, points)
    out = []
    for joint, own in sorted(points.items()):
        if len(own) < _FEWEST:
            continue
        around = capsule_around(own)
        start, end = around.ends
        away = _from_segment(own, start, end)
        inside = own[away <= np.quantile(away, _INSIDE)]
        out.append(capsule_around(inside, joint=figure.joints[joint]))
    return tuple(out)


def _points(figure: Figure, skin: Sequence[SkinnedMesh]) -> dict[int, np.ndarray]:
    """The vertices that follow each joint, in its frame."""
    gathered: dict[int, list[np.ndarray]] = {}
    for mesh in skin:
        strongest = np.argmax(mesh.weights, axis=1)
        rows = np.arange(len(strongest))
        bone = mesh.bones[rows, strongest]
        held = mesh.weights[rows, strongest] >= _WEIGHT
        for k in np.unique(bone[held]).tolist():
            own = mesh.positions[held & (bone == k)].astype(float)
            bind = mesh.bind[k]
            moved = own @ bind[:3, :3].T + bind[:3, 3]
            gathered.setdefault(int(mesh.joints[k]), []).append(moved)
    return {joint: np.concatenate(parts) for joint, parts in gathered.items()}


def _of_bones(
    figure: Figure, roles: Mapping[str, str], points: dict[int, np.ndarray]
) -> dict[int, np.ndarray]:
    """The points of joints that are bones or lie between bones.

    Those of joints without a role at the end of a limb, which twist its skin, go to the limb.
    """
    bone = {figure.index(joint): role for role, joint in roles.items()}
    between = _bones(figure, roles)
    frames = figure.frames(figure.rest)
    out = {joint: own for joint, own in points.items() if joint in between}
    for joint in points.keys() - between:
        parent = int(figure.parents[joint])
        limb = bone.get(parent, "").endswith(_LIMBS)
        if limb and not (figure.parents == joint).any():
            carried = np.linalg.inv(frames[parent]) @ frames[joint]
            moved = points[joint] @ carried[:3, :3].T + carried[:3, 3]
            out[parent] = np.concatenate([out[parent], moved]) if parent in out else moved
    return out


def _bones(figure: Figure, roles: Mapping[str, str]) -> set[int]:
    """The joints that have a role, and those above them."""
    out: set[int] = set()
    for joint in roles.values():
        at = figure.index(joint)
        while at >= 0 and at not in out:
            out.add(at)
            at = int(figure.parents[at])
    return out


def _from_segment(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(k,) how far points (k, 3) are from a segment."""
    along = end - start
    square = float(along @ along)
    s = np.clip((points - start) @ along / (square or 1.0), 0.0, 1.0)
    return np.linalg.norm(points - start - np.outer(s, along), axis=1)
