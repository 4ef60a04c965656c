"""The meshes of a glTF file that follow its joints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.figure import Figure
from limbik.formats.gltf.accessors import (
    FLOAT,
    FRACTIONS,
    UBYTE,
    USHORT,
    WHOLE,
    Values,
    bytes_of_view,
    read_values,
)
from limbik.formats.gltf.read import read_figure
from limbik.formats.gltf.rig import rig_of

TRIANGLES, STRIP, FAN = 4, 5, 6

_PIECES = 10_000  # a file with more pieces of meshes is refused
_PARTS = (FLOAT, UBYTE, USHORT)


def read_meshes(path: Path | str) -> tuple[SkinnedMesh, ...]:
    """The meshes of a glTF file that follow the joints of ``limbik.load(path)``, one a material."""
    return meshes(read_figure(Path(path)))


def meshes(figure: Figure) -> tuple[SkinnedMesh, ...]:
    """The meshes in the file behind a figure, none where it has none.

    A mesh with a skin follows the skin's joints; one without, on a node below a joint, follows that
    joint.  Morph targets stay at 0, and meshes that follow no joint are left out.
    """
    return _Meshes(figure).found()


class _Meshes:
    def __init__(self, figure: Figure) -> None:
        self._figure, self._rig = figure, rig_of(figure)
        self._document, self._nodes = self._rig.document, self._rig.nodes
        self._joint_of = {bound.node: figure.index(k) for k, bound in self._rig.bound.items()}
        self._holder = {-1: -1}
        for i in self._nodes.order:
            self._holder[i] = i if i in self._joint_of else self._holder[self._nodes.parents[i]]
        # Pieces of one mesh often share their vertices.
        self._values: dict[tuple[int, str], Values] = {}
        self._skins: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._images: dict[int, bytes | None] = {}

    def found(self) -> tuple[SkinnedMesh, ...]:
        out: list[SkinnedMesh] = []
        for i in range(len(self._nodes)):
            entry = self._document.entry("nodes", i)
            if entry.get("mesh") is None:
                continue
            mesh = self._document.entry("meshes", entry["mesh"])
            pieces = self._document.listed(mesh, "primitives", f"mesh {entry['mesh']}")
            for k, piece in enumerate(pieces):
                what = f"mesh {entry['mesh']} piece {k}"
                made = self._piece(self._document.object(piece, what), entry, i, what)
                if made is not None:
                    out.append(made)
                if len(out) > _PIECES:
                    self._document.fail(f"has more than {_PIECES:,} pieces of meshes")
        return tuple(out)

    def _piece(
        self, piece: dict[str, Any], node: dict[str, Any], i: int, what: str
    ) -> SkinnedMesh | None:
        document = self._document
        extensions = piece.get("extensions")
        if isinstance(extensions, dict) and "KHR_draco_mesh_compression" in extensions:
            document.fail(f"{what}: is packed by KHR_draco_mesh_compression, not unpacked here")
        mode = piece.get("mode", TRIANGLES)
        attributes = document.object(piece.get("attributes"), f"{what}: its attributes")
        if mode not in (TRIANGLES, STRIP, FAN) or attributes.get("POSITION") is None:
            return None
        positions = self._floats(attributes["POSITION"], f"{what}: its positions", "VEC3")
        count = len(positions)
        document.spend(positions.nbytes, what)  # many nodes may show one mesh
        skinned = node.get("skin") is not None and attributes.get("JOINTS_0") is not None
        if skinned:
            joints, bind = self._skin(node["skin"])
            bones, weights = self._weights(attributes, count, len(joints), what)
        else:
            rigid = self._rigid(i)
            if rigid is None:
                return None
            joints, bind = rigid
            bones, weights = np.zeros((count, 1), np.uint8), np.ones((count, 1), np.float32)
        normals, texcoords = (
            self._floats(attributes[key], f"{what}: its {key}", kind)
            if attributes.get(key) is not None
            else None
            for key, kind in (("NORMAL", "VEC3"), ("TEXCOORD_0", "VEC2"))
        )
        for values in (normals, texcoords):
            if values is not None and len(values) != count:
                document.fail(f"{what}: has {len(values):,} attributes for {count:,} vertices")
        color, image = self._look(piece.get("material"), what)
        triangles = self._triangles(piece.get("indices"), mode, count, what)
        name = document.name(document.entry("meshes", node["mesh"])) or document.name(node)
        return SkinnedMesh(
            name,
            positions,
            triangles,
            bones,
            weights,
            joints,
            bind,
            normals,
            texcoords,
            color,
            image,
        )

    def _read(self, index: Any, what: str, kind: str, components: tuple[int, ...]) -> Values:
        at = self._document.whole_number(index, what)
        if (at, kind) not in self._values:
            self._values[at, kind] = read_values(self._document, at, what, kind, components)
        return self._values[at, kind]

    def _floats(self, index: Any, what: str, kind: str) -> np.ndarray:
        values = self._read(index, what, kind, FRACTIONS)
        return values.raw if values.raw.dtype == np.float32 else values.floats().astype(np.float32)

    def _skin(self, index: Any) -> tuple[np.ndarray, np.ndarray]:
        at = self._document.whole_number(index, "skins", 0, self._document.count("skins") - 1)
        if at not in self._skins:
            entry = self._document.entry("skins", at)
            nodes = entry["joints"]  # checked when the figure was read
            bind = np.tile(np.eye(4), (len(nodes), 1, 1))
            if entry.get("inverseBindMatrices") is not None:
                what = f"skin {at}: its inverseBindMatrices"
                values = self._read(entry["inverseBindMatrices"], what, "MAT4", (FLOAT,))
                if len(values.raw) < len(nodes):
                    self._document.fail(f"{what}: {len(values.raw)} for {len(nodes)} joints")
                bind = values.floats(slice(len(nodes))).reshape(-1, 4, 4).transpose(0, 2, 1)
            own = np.tile(np.eye(4), (len(nodes), 1, 1))
            for k, node in enumerate(nodes):
                world = self._nodes.world(int(node))
                own[k, :3, :3] = world.frame.T @ world.linear
            joints = np.array([self._joint_of[int(node)] for node in nodes])
            with np.errstate(all="ignore"):
                self._skins[at] = joints, own @ bind
        return self._skins[at]

    def _rigid(self, i: int) -> tuple[np.ndarray, np.ndarray] | None:
        """The joint a mesh without a skin hangs on, and where it hangs there."""
        holder = self._holder[i]
        if holder < 0:
            return None
        joint, world = self._nodes.world(holder), self._nodes.world(i)
        bind = np.eye(4)
        bind[:3, :3] = joint.frame.T @ world.linear
        bind[:3, 3] = joint.frame.T @ (world.place - joint.place)
        return np.array([self._joint_of[holder]]), bind[None]

    def _weights(
        self, attributes: dict[str, Any], count: int, joints: int, what: str
    ) -> tuple[np.ndarray, np.ndarray]:
        bones, weights = [], []
        for k in range(8):
            if attributes.get(f"JOINTS_{k}") is None:
                break
            which = self._read(
                attributes[f"JOINTS_{k}"], f"{what}: its joints", "VEC4", (UBYTE, USHORT)
            )
            share = self._read(
                attributes.get(f"WEIGHTS_{k}"), f"{what}: its weights", "VEC4", _PARTS
            )
            if len(which.raw) != count or len(share.raw) != count:
                self._document.fail(f"{what}: has too few weights for {count:,} vertices")
            bones.append(which.raw)
            weights.append(
                share.raw if share.raw.dtype == np.float32 else share.floats().astype(np.float32)
            )
        bone = bones[0] if len(bones) == 1 else np.hstack(bones)
        weight = weights[0] if len(weights) == 1 else np.hstack(weights)
        # Some exporters point unused slots anywhere.
        if int(bone.max()) >= joints:
            if (weight[bone >= joints] != 0.0).any():
                self._document.fail(f"{what}: a vertex follows joint {bone.max()} of {joints}")
            bone = np.where(bone < joints, bone, 0)
        sums = weight.sum(axis=1, keepdims=True)
        if (sums <= 0.0).any() or not np.isfinite(sums).all():
            self._document.fail(f"{what}: a vertex has no weights")
        if np.abs(sums - 1.0).max() > 1e-6:
            weight = weight / sums
        return bone, weight

    def _triangles(self, index: Any, mode: int, count: int, what: str) -> np.ndarray:
        if index is None:
            corners = np.arange(count, dtype=np.uint32)
        else:
            corners = self._read(index, f"{what}: its indices", "SCALAR", WHOLE).raw[:, 0]
        if int(corners.max()) >= count:
            self._document.fail(f"{what}: a triangle uses vertex {corners.max()} of {count:,}")
        if mode == TRIANGLES:
            return corners[: len(corners) // 3 * 3].reshape(-1, 3)
        last = np.arange(2, len(corners))
        if mode == FAN:
            return corners[np.stack([np.zeros_like(last), last - 1, last], axis=1)]
        # Every second triangle of a strip runs the other way round.
        odd = last % 2
        return corners[np.stack([last - 2, last - 1 + odd, last - odd], axis=1)]

    def _look(
        self, index: Any, what: str
    ) -> tuple[tuple[float, float, float, float], bytes | None]:
        """Colour and picture of a material."""
        document = self._document
        white = (1.0, 1.0, 1.0, 1.0)
        if index is None:
            return white, None
        material = document.entry("materials", index)
        look = document.object(material.get("pbrMetallicRoughness", {}), f"{what}: its material")
        r, g, b, a = document.numbers(look, "baseColorFactor", white, f"{what}: its material")
        texture = look.get("baseColorTexture")
        if not isinstance(texture, dict):
            return (r, g, b, a), None
        source = document.entry("textures", texture.get("index")).get("source")
        if source is None:
            return (r, g, b, a), None
        at = document.whole_number(source, f"{what}: its image")
        if at not in self._images:
            self._images[at] = self._image(at)
        return (r, g, b, a), self._images[at]

    def _image(self, index: int) -> bytes | None:
        entry = self._document.entry("images", index)
        if entry.get("bufferView") is not None:
            data = bytes_of_view(self._document, entry["bufferView"])
        elif isinstance(entry.get("uri"), str) and entry["uri"].startswith("data:"):
            data = self._document.resource(entry["uri"], f"image {index}")
        else:
            return None  # a picture of its own beside the file
        self._document.spend(len(data), f"image {index}")
        return bytes(data)
