"""Small glTF models to start from: a leg with a mesh and clips, a flat hand, and avatars."""

from __future__ import annotations

import base64
import copy
import io
import json
from typing import Any

import numpy as np

FLOAT, SHORT, BYTE = 5126, 5123, 5121
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class _Model:
    """A glTF file in the making."""

    def __init__(self) -> None:
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "nodes": [],
            "bufferViews": [],
            "accessors": [],
        }
        self.bytes = io.BytesIO()

    def add(self, values: Any, kind: str, component: int = FLOAT, **more: Any) -> int:
        """The number of an accessor that has these values."""
        dtype = {FLOAT: "<f4", SHORT: "<u2", BYTE: "<u1"}[component]
        raw = np.array(values, dtype).reshape(-1, WIDTHS[kind])
        view = {"buffer": 0, "byteOffset": self.bytes.tell(), "byteLength": raw.nbytes}
        self.bytes.write(raw.tobytes() + b"\0" * (-raw.nbytes % 4))
        self.json["bufferViews"].append(view)
        entry = {"bufferView": len(self.json["bufferViews"]) - 1, "componentType": component}
        self.json["accessors"].append({**entry, "count": len(raw), "type": kind, **more})
        return len(self.json["accessors"]) - 1

    def done(self) -> tuple[dict[str, Any], bytes]:
        self.json["buffers"] = [{"byteLength": self.bytes.tell()}]
        return self.json, self.bytes.getvalue()


def _leg() -> _Model:
    """Three joints with a mesh and a clip of every interpolation."""
    model = _Model()
    model.json["nodes"] = [
        {"name": "Armature", "children": [1, 4], "scale": [0.01, 0.01, 0.01]},
        {"name": "hips", "children": [2], "translation": [0, 100, 0]},
        {"name": "knee", "children": [3], "rotation": [0, 0, 0.6, 0.8]},
        {"name": "foot", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -40, 5, 1]},
        {"name": "skin", "mesh": 0, "skin": 0},
        {"mesh": 0},
    ]
    model.json |= {"scene": 0, "scenes": [{"nodes": [0, 5]}]}
    inverse = model.add(np.tile(np.eye(4), (3, 1, 1)), "MAT4")
    model.json["skins"] = [{"joints": [1, 2, 3], "inverseBindMatrices": inverse, "skeleton": 1}]
    corners = np.arange(12.0).reshape(4, 3)
    sparse_rows = model.add([0, 2], "SCALAR", SHORT)
    sparse_values = model.add([[1, 1, 1], [2, 2, 2]], "VEC3")
    piece = {
        "attributes": {
            "POSITION": model.add(
                corners,
                "VEC3",
                sparse={
                    "count": 2,
                    "indices": {"bufferView": sparse_rows, "componentType": SHORT},
                    "values": {"bufferView": sparse_values},
                },
            ),
            "NORMAL": model.add(np.ones((4, 3)), "VEC3"),
            "JOINTS_0": model.add(np.tile([0, 1, 2, 0], (4, 1)), "VEC4", BYTE),
            "WEIGHTS_0": model.add(np.tile([255, 0, 0, 0], (4, 1)), "VEC4", BYTE, normalized=True),
        },
        "indices": model.add([0, 1, 2, 3], "SCALAR", SHORT),
        "mode": 5,
        "material": 0,
    }
    model.json["meshes"] = [{"primitives": [piece, {**piece, "mode": 4}]}]
    model.json["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0, 1]}}]
    times = model.add([0, 0.5, 1], "SCALAR")
    turns = [[0, 0, 0, 1], [0, 0, 0.6, 0.8], [0.6, 0, 0, 0.8]]
    spline = [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0.1, 0, 0]] * 3
    outputs = {
        "LINEAR": ("rotation", 2, model.add(turns, "VEC4")),
        "STEP": ("translation", 1, model.add(corners[:3], "VEC3")),
        "CUBICSPLINE": ("rotation", 3, model.add(spline, "VEC4")),
    }
    samplers = [
        {"input": times, "output": output, "interpolation": way}
        for way, (_, _, output) in outputs.items()
    ]
    channels = [
        {"sampler": k, "target": {"node": node, "path": path}}
        for k, (path, node, _) in enumerate(outputs.values())
    ]
    model.json["animations"] = [
        {"name": "walk", "samplers": samplers, "channels": channels},
        {"samplers": samplers[:1], "channels": channels[:1]},
    ]
    return model


def _hand() -> _Model:
    """A flat hand: all joints on one node, as WebXR has them."""
    model = _Model()
    bones = ["wrist"]
    parts = ("metacarpal", "phalanx-proximal", "phalanx-distal", "tip")
    bones += [f"{finger}-{part}" for finger in ("thumb", "index-finger") for part in parts]
    model.json["nodes"] = [
        {"name": "hand", "children": list(range(1, len(bones) + 1))},
        *({"name": name, "translation": [0, 0, -0.1 * k]} for k, name in enumerate(bones)),
    ]
    model.json["skins"] = [{"joints": list(range(1, len(bones) + 1))}]
    model.add([0], "SCALAR")
    return model


def models() -> list[tuple[dict[str, Any], bytes]]:
    return [_leg().done(), _hand().done()]


def avatar(key: str) -> tuple[dict[str, Any], bytes]:
    """The leg as a VRM of either version, or as a VRM animation."""
    model, data = copy.deepcopy(_leg().done())
    roles = {"hips": 1, "leftLowerLeg": 2, "leftFoot": 3}
    if key == "VRM":
        bones: Any = [{"bone": role, "node": node} for role, node in roles.items()]
    else:
        bones = {role: {"node": node} for role, node in roles.items()}
    extension: dict[str, Any] = {"humanoid": {"humanBones": bones}, "specVersion": "1.0"}
    if key == "VRMC_vrm_animation":
        del model["skins"], model["meshes"]
        del model["nodes"][4]["mesh"], model["nodes"][4]["skin"], model["nodes"][5]["mesh"]
        extension["expressions"] = {"preset": {"happy": {"node": 5}}}
        extension["lookAt"] = {"node": 4}
    model |= {"extensions": {key: extension}, "extensionsUsed": [key]}
    return model, data


def with_data(model: dict[str, Any], data: bytes) -> bytes:
    """The model as a text file with its bytes in it."""
    text = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    buffers = [{"byteLength": len(data), "uri": text}]
    return json.dumps({**model, "buffers": buffers}).encode()
