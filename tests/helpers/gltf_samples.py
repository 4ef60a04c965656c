"""Small glTF files made by hand, and a plain reading of any: 4 × 4 matrices down the node tree."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib
from scipy.spatial.transform import Rotation, Slerp

FLOAT = 5126
DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", FLOAT: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Sample:
    """A file in the making: ``json`` and ``blob`` may be spoilt before it is packed."""

    def __init__(self) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, "nodes": []}
        self.blob = bytearray()

    def put(self, kind: str, entry: dict[str, Any]) -> int:
        self.json.setdefault(kind, []).append(entry)
        return len(self.json[kind]) - 1

    def node(self, name: str | None = None, parent: int | None = None, **fields: Any) -> int:
        at = self.put("nodes", fields if name is None else {"name": name, **fields})
        if parent is not None:
            self.json["nodes"][parent].setdefault("children", []).append(at)
        return at

    def view(self, data: bytes, **fields: Any) -> int:
        self.blob += b"\0" * (-len(self.blob) % 4)
        entry = {"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data), **fields}
        self.blob += data
        return self.put("bufferViews", entry)

    def add(self, values: Any, kind: str, component: int = FLOAT, **fields: Any) -> int:
        raw = np.array(values).astype(DTYPES[component]).reshape(-1, WIDTHS[kind])
        entry = {"bufferView": self.view(raw.tobytes()), "componentType": component}
        return self.put("accessors", {**entry, "count": len(raw), "type": kind, **fields})

    def animate(
        self, channels: Sequence[tuple[int, str, Any, Any]], name: str = "", way: str = "LINEAR"
    ) -> int:
        """Add an animation of (node, path, times, values)."""
        entry: dict[str, Any] = {"channels": [], "samplers": []}
        if name:
            entry["name"] = name
        for node, path, times, values in channels:
            kind = "VEC4" if path == "rotation" else "VEC3"
            target = {"node": node, "path": path}
            entry["channels"].append({"sampler": len(entry["samplers"]), "target": target})
            sampler = {"input": self.add(times, "SCALAR"), "output": self.add(values, kind)}
            entry["samplers"].append({**sampler, "interpolation": way})
        return self.put("animations", entry)

    def glb(self) -> bytes:
        whole = dict(self.json)
        if self.blob and "buffers" not in whole:
            whole["buffers"] = [{"byteLength": len(self.blob)}]
        return packed(json.dumps(whole).encode(), bytes(self.blob))

    def gltf(self, uri: str | None = None) -> bytes:
        data = base64.b64encode(self.blob).decode()
        where = f"data:application/octet-stream;base64,{data}" if uri is None else uri
        buffers = [{"byteLength": len(self.blob), "uri": where}]
        return json.dumps({**self.json, "buffers": buffers} if self.blob else self.json).encode()

    def save(self, folder: Path, name: str = "sample.glb") -> Path:
        path = folder / name
        path.write_bytes(self.gltf() if path.suffix == ".gltf" else self.glb())
        return path


def packed(text: bytes, blob: bytes) -> bytes:
    """JSON and bytes as a GLB."""
    text += b" " * (-len(text) % 4)
    blob += b"\0" * (-len(blob) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    if blob:
        body += struct.pack("<II", len(blob), 0x004E4942) + blob
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def unpacked(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The JSON and the BIN chunk of a GLB."""
    length = struct.unpack_from("<I", data, 12)[0]
    blob = b""
    if len(data) > 20 + length:
        size = struct.unpack_from("<I", data, 20 + length)[0]
        blob = data[28 + length : 28 + length + size]
    return json.loads(data[20 : 20 + length]), blob


def leg(**armature: Any) -> Sample:
    """A skinned leg on a node "Armature": hip, knee and foot, two triangles, and its inverse bind
    matrices for this very pose."""
    sample = Sample()
    root = sample.node("Armature", **armature)
    hip = sample.node("hip", root, translation=[0, 1, 0.5], rotation=xyzw("x", 20))
    knee = sample.node("knee", hip, translation=[0, -0.5, 0.1], rotation=xyzw("z", 30))
    foot = sample.node("foot", knee, translation=[0.02, -0.4, 0], rotation=xyzw("y", -50))
    joints = [hip, knee, foot]
    worlds = world_matrices(sample.json["nodes"])
    inverse = np.linalg.inv(worlds[joints])
    skin = {"joints": joints, "inverseBindMatrices": sample.add(inverse.swapaxes(1, 2), "MAT4")}
    sample.put("skins", skin)
    attributes = {
        "POSITION": sample.add(CORNERS, "VEC3"),
        "JOINTS_0": sample.add(
            [[0, 1, 0, 0], [1, 0, 0, 0], [1, 2, 0, 0], [2, 0, 0, 0]], "VEC4", 5121
        ),
        "WEIGHTS_0": sample.add(
            [[0.75, 0.25, 0, 0], [1, 0, 0, 0], [0.5, 0.5, 0, 0], [1, 0, 0, 0]], "VEC4"
        ),
    }
    piece = {"attributes": attributes, "indices": sample.add([0, 1, 2, 0, 2, 3], "SCALAR", 5123)}
    sample.put("meshes", {"primitives": [piece]})
    sample.node("skin of the leg", mesh=0, skin=0)
    return sample


CORNERS = [[0.0, 1.0, 0.5], [0.3, 0.6, 0.4], [0.1, 0.2, 0.2], [-0.2, 0.1, 0.1]]


def xyzw(axis: str, degrees: float) -> list[float]:
    return Rotation.from_euler(axis, degrees, degrees=True).as_quat().tolist()


def local_matrix(node: Mapping[str, Any]) -> np.ndarray:
    if node.get("matrix"):
        return np.array(node["matrix"], float).reshape(4, 4).T
    out = np.eye(4)
    turn = Rotation.from_quat(node.get("rotation") or [0, 0, 0, 1]).as_matrix()
    out[:3, :3] = turn * np.array(node.get("scale") or [1, 1, 1])
    out[:3, 3] = node.get("translation") or [0, 0, 0]
    return out


def world_matrices(nodes: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """(nodes, 4, 4) from the JSON of nodes."""
    out = np.full((len(nodes), 4, 4), np.nan)
    below = {k for node in nodes for k in node.get("children") or ()}
    waiting = [(i, np.eye(4)) for i in range(len(nodes)) if i not in below]
    while waiting:
        i, parent = waiting.pop()
        out[i] = parent @ local_matrix(nodes[i])
        waiting += [(k, out[i]) for k in nodes[i].get("children") or ()]
    return out


class Plain:
    """A file read by pygltflib: node matrices at rest and in its linear animations."""

    def __init__(self, path: Path) -> None:
        plain = pygltflib.GLTF2()
        text = path.suffix == ".gltf"
        reader = plain.load_json(str(path)) if text else plain.load_binary(str(path))
        assert reader is not None
        self.reader = reader
        self.nodes = [
            {key: getattr(node, key) for key in ("name", "children", "matrix", *PATHS)}
            for node in reader.nodes
        ]

    def values(self, index: int) -> np.ndarray:
        accessor = self.reader.accessors[index]
        view = self.reader.bufferViews[accessor.bufferView]
        buffer = self.reader.buffers[view.buffer]
        # pygltflib itself knows data URIs of one media type only.
        text = (buffer.uri or "").partition(",")[2]
        data = base64.b64decode(text) if text else self.reader.binary_blob()
        dtype, width = np.dtype(DTYPES[accessor.componentType]), WIDTHS[accessor.type]
        start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        stride = view.byteStride or dtype.itemsize * width
        rows = [
            np.frombuffer(data, dtype, width, start + k * stride) for k in range(accessor.count)
        ]
        return np.array(rows)

    def index(self, name: str) -> int:
        return [node["name"] for node in self.nodes].index(name)

    def at(self, animation: int, seconds: float) -> np.ndarray:
        """(nodes, 4, 4) in an animation."""
        nodes = [dict(node) for node in self.nodes]
        found = self.reader.animations[animation]
        for channel in found.channels:
            path = channel.target.path
            sampler = found.samplers[channel.sampler]
            assert sampler.interpolation in (None, "LINEAR")
            times = self.values(sampler.input)[:, 0].astype(float)
            values = self.values(sampler.output).astype(float)
            now = np.clip(seconds, times[0], times[-1])
            if path in ("translation", "scale"):
                moved = [np.interp(now, times, values[:, k]) for k in range(3)]
            elif len(times) == 1:
                moved = values[0].tolist()
            else:
                moved = Slerp(times, Rotation.from_quat(values))(now).as_quat().tolist()
            nodes[channel.target.node][path] = moved
        return world_matrices(nodes)

    def start(self, animation: int) -> float:
        samplers = self.reader.animations[animation].samplers
        return min(float(self.values(sampler.input)[0, 0]) for sampler in samplers)


PATHS = ("translation", "rotation", "scale")
