"""New glTF files for figures that come from elsewhere: a skeleton, capsules, and an animation."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figure.units import METRES
from limbik.formats.common_root import free_name
from limbik.formats.gltf.accessors import FLOAT, UBYTE, UINT, USHORT
from limbik.formats.gltf.capsules import body
from limbik.formats.gltf.draft import ARRAY, INDICES, Draft
from limbik.formats.gltf.poses import Tracks, add_animation, turned
from limbik.version import __version__

COLOR = (0.62, 0.65, 0.7, 1.0)


def write_new(thing: Figure | Motion, path: Path) -> None:
    """Write a figure in its rest pose, or a motion, with capsules for bones.

    Joints are nodes of the same names and the same frames.  A figure in another unit than metres,
    or with z up, hangs on a node that scales and turns it.  Lengths in a unit that is not known
    stay as they are, with a warning.
    """
    figure = thing.figure if isinstance(thing, Motion) else thing
    if figure.unit not in METRES:
        warnings.warn(
            f"{path.name}: glTF is in metres, and the figure's unit is not known; its lengths are "
            "written as they are",
            stacklevel=4,
        )
    draft = Draft(path)
    draft.json["asset"] = {"version": "2.0", "generator": f"limbik {__version__}"}
    rest = _tracks(figure, figure.rest[None])
    nodes = draft.own("nodes")
    for i, name in enumerate(figure.joints):
        w, x, y, z = rest.wxyz[0, i].tolist()
        node: dict[str, Any] = {"name": name, "translation": rest.place[0, i].tolist()}
        node["rotation"] = [x, y, z, w]
        children = np.flatnonzero(figure.parents == i).tolist()
        if children:
            node["children"] = children
        nodes.append(node)
    roots = np.flatnonzero(figure.parents < 0).tolist()
    turn = _to_y_up_metres(figure)
    if turn:
        nodes.append({"name": f"{figure.name or 'figure'} in metres", **turn, "children": roots})
        roots = [len(nodes) - 1]
    elif len(roots) > 1:  # the joints of a skin must have a node above them all
        nodes.append({"name": free_name("root", figure.joints), "children": roots})
        roots = [len(nodes) - 1]
    _add_body(draft, figure)
    nodes.append({"name": figure.name or "body", "mesh": 0, "skin": 0})
    draft.json |= {"scene": 0, "scenes": [{"nodes": [*roots, len(nodes) - 1]}]}
    if isinstance(thing, Motion):
        tracks = _tracks(figure, thing.q)
        channels = []
        for i in range(len(figure.joints)):
            if i == 0 or turned(tracks.wxyz[:, i], rest.wxyz[0, i]):
                channels.append((i, "rotation", tracks.wxyz[:, i]))
            if np.abs(tracks.place[:, i] - rest.place[0, i]).max() > 1e-9 * figure.size:
                channels.append((i, "translation", tracks.place[:, i]))
        name = thing.name or figure.name or "motion"
        draft.own("animations").append(add_animation(draft, name, thing.fps, channels))
    draft.write()


def _tracks(figure: Figure, q: np.ndarray) -> Tracks:
    same = np.tile(np.eye(3), (len(figure.joints), 1, 1))
    return Tracks(figure, q, figure.parents.tolist(), same, same, np.zeros(3))


def _to_y_up_metres(figure: Figure) -> dict[str, Any]:
    """The scale and rotation of a node that makes metres and y up of a figure's own."""
    out: dict[str, Any] = {}
    scale = METRES.get(figure.unit, 1.0)
    if scale != 1.0:
        out["scale"] = [scale] * 3
    if figure.up == "z":
        out["rotation"] = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
    return out


def _add_body(draft: Draft, figure: Figure) -> None:
    """A mesh of capsules and the skin that lets it follow the joints."""
    shape = body(figure)
    count = len(shape.positions)
    bones, weights = np.zeros((count, 4)), np.zeros((count, 4))
    bones[:, 0], weights[:, 0] = shape.joints, 1.0
    attributes = {
        "POSITION": draft.add(shape.positions, FLOAT, "VEC3", target=ARRAY, ends=True),
        "NORMAL": draft.add(shape.normals, FLOAT, "VEC3", target=ARRAY),
        "JOINTS_0": draft.add(
            bones, UBYTE if len(figure.joints) <= 256 else USHORT, "VEC4", target=ARRAY
        ),
        "WEIGHTS_0": draft.add(weights, FLOAT, "VEC4", target=ARRAY),
    }
    triangles = draft.add(shape.triangles, UINT, "SCALAR", target=INDICES)
    piece = {"attributes": attributes, "indices": triangles, "material": 0}
    look = {"baseColorFactor": list(COLOR), "metallicFactor": 0.0, "roughnessFactor": 0.8}
    inverse = np.linalg.inv(figure.frames(figure.rest))
    # The columns of a matrix stand one after the other, and its last row must be exact.
    inverse[:, 3] = [0.0, 0.0, 0.0, 1.0]
    matrices = draft.add(np.swapaxes(inverse, 1, 2), FLOAT, "MAT4")
    draft.json |= {
        "materials": [{"name": "bones", "pbrMetallicRoughness": look}],
        "meshes": [{"name": figure.name or "body", "primitives": [piece]}],
        "skins": [{"joints": list(range(len(figure.joints))), "inverseBindMatrices": matrices}],
    }
