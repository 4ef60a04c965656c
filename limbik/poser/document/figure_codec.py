"""Figures in memory as files, so that what ``limbik.view`` was given survives a restart.

Joints are JSON; clips and meshes are arrays in an .npz beside it.
"""

from __future__ import annotations

import json
import math
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from limbik.errors import FormatError
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.figure import Figure
from limbik.figure.joints import (
    BallPart,
    Coupling,
    ExponentialBall,
    Joint,
    Limit,
    Part,
    Slide,
    SwingTwistBall,
    Turn,
)
from limbik.figure.limits import Range, SwingTwist
from limbik.figure.motion import Motion
from limbik.figure.physical.properties import NOTHING
from limbik.figure.physical.properties_json import physical_from_json, physical_to_json
from limbik.formats.files import read_bytes, write_whole

_BALLS = {"exponential": ExponentialBall, "swing-twist": SwingTwistBall}
_ARRAYS = (
    "positions", "triangles", "bones", "weights", "joints", "bind", "normals", "texcoords", "image",
)  # fmt: skip


@dataclass(frozen=True)
class Remembered:
    """What a file said of a figure that its joints do not say: which joint has which role."""

    roles: dict[str, str]


@dataclass(frozen=True, eq=False)
class Kept:
    """A figure, its clips and its meshes, as they were kept."""

    figure: Figure
    motions: tuple[Motion, ...] = ()
    meshes: tuple[SkinnedMesh, ...] = ()


def write(path: Path, kept: Kept) -> None:
    """Write a figure as JSON to ``path``, its clips and meshes to an .npz of the same name."""
    figure = kept.figure
    roles = getattr(figure.source, "roles", None)
    saved = {
        "name": figure.name,
        "unit": figure.unit,
        "up": figure.up,
        "rest": figure.rest.tolist(),
        "joints": [joint_to_json(joint) for joint in figure.definition],
        "roles": dict(roles) if isinstance(roles, dict) else {},
        "physical": physical_to_json(figure.physical),
        "motions": [{"name": motion.name, "fps": motion.fps} for motion in kept.motions],
        "meshes": [{"name": mesh.name, "color": list(mesh.color)} for mesh in kept.meshes],
    }
    arrays: dict[str, Any] = {f"motion{k}": motion.q for k, motion in enumerate(kept.motions)}
    for k, mesh in enumerate(kept.meshes):
        for what in _ARRAYS:
            value = getattr(mesh, what)
            if isinstance(value, bytes):
                value = np.frombuffer(value, np.uint8)
            if value is not None:
                arrays[f"mesh{k}.{what}"] = value
    text = json.dumps(saved, allow_nan=False).encode()

    def pack(file: BinaryIO) -> None:
        np.savez_compressed(file, **arrays)

    def write_text(file: BinaryIO) -> None:
        file.write(text)

    if arrays:
        write_whole(path.with_suffix(".npz"), pack)
    write_whole(path, write_text)


def read(path: Path) -> Kept:
    """What ``write`` wrote."""
    try:
        saved = json.loads(read_bytes(path))
        figure = Figure(
            [joint_from_json(joint) for joint in saved["joints"]],
            rest=saved["rest"],
            name=saved["name"],
            unit=saved["unit"],
            up=saved["up"],
            source=Remembered(dict(saved["roles"])) if saved["roles"] else None,
            physical=physical_from_json(saved["physical"]) if "physical" in saved else NOTHING,
        )
        if not saved["motions"] and not saved["meshes"]:
            return Kept(figure)
        with np.load(path.with_suffix(".npz"), allow_pickle=False) as arrays:
            motions = [
                Motion(figure, arrays[f"motion{k}"], motion["fps"], motion["name"])
                for k, motion in enumerate(saved["motions"])
            ]
            meshes = [_mesh(k, mesh, arrays) for k, mesh in enumerate(saved["meshes"])]
    except (KeyError, TypeError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise FormatError(f"is not a kept figure: {error}", path) from error
    return Kept(figure, tuple(motions), tuple(meshes))


def _mesh(k: int, saved: dict[str, Any], arrays: Any) -> SkinnedMesh:
    found = {
        what: arrays[f"mesh{k}.{what}"] for what in _ARRAYS if f"mesh{k}.{what}" in arrays.files
    }
    if "image" in found:
        found["image"] = found["image"].tobytes()
    red, green, blue, alpha = map(float, saved["color"])
    return SkinnedMesh(name=saved["name"], color=(red, green, blue, alpha), **found)


def joint_to_json(joint: Joint) -> dict[str, Any]:
    """A joint as JSON, with its parts and its limit."""
    return {
        "name": joint.name,
        "parent": joint.parent,
        "parts": [_part_to_json(part) for part in joint.parts],
        "offset": list(joint.offset),
        "wxyz": list(joint.wxyz),
        "limit": limit_to_json(joint.limit),
        "slide_limit": limit_to_json(joint.slide_limit),
        "tip": None if joint.tip is None else list(joint.tip),
        "alias": joint.alias,
    }


def joint_from_json(saved: dict[str, Any]) -> Joint:
    """The joint that ``joint_to_json`` wrote."""
    x, y, z = map(float, saved["offset"])
    w, i, j, k = map(float, saved["wxyz"])
    tip, sliding = saved["tip"], limit_from_json(saved["slide_limit"])
    if not isinstance(sliding, Range | None):
        raise ValueError(f"{saved['name']}: the limit of its slides is no range")
    return Joint(
        name=saved["name"],
        parent=saved["parent"],
        parts=tuple(_part_from_json(part) for part in saved["parts"]),
        offset=(x, y, z),
        wxyz=(w, i, j, k),
        limit=limit_from_json(saved["limit"]),
        tip=None if tip is None else (float(tip[0]), float(tip[1]), float(tip[2])),
        alias=saved["alias"],
        slide_limit=sliding,
    )


def _part_to_json(part: Part) -> dict[str, Any]:
    if isinstance(part, BallPart):
        return {"kind": part.kind, "twist": list(part.twist), "swing": list(part.swing)}
    coupled = part.coupled
    return {
        "kind": part.kind,
        "axis": list(part.axis),
        "label": part.label,
        "coupled": coupled and [coupled.coordinate, coupled.scale, coupled.offset],
    }


def _part_from_json(saved: dict[str, Any]) -> Part:
    if saved["kind"] in _BALLS:
        t, s = saved["twist"], saved["swing"]
        return _BALLS[saved["kind"]]((t[0], t[1], t[2]), (s[0], s[1], s[2]))
    make = {"turn": Turn, "slide": Slide}[saved["kind"]]
    x, y, z = saved["axis"]
    coupled = saved["coupled"]
    return make((x, y, z), saved["label"], None if coupled is None else Coupling(*coupled))


def limit_to_json(limit: Limit | None) -> dict[str, Any] | None:
    """A limit as it was given, infinite ends as null; in files and in messages."""
    if limit is None:
        return None
    if isinstance(limit, Range):
        return {"kind": "range", "lower": _ends(limit.lower), "upper": _ends(limit.upper)}
    return {
        "kind": "cone",
        "swing": None if limit.swing is None else list(limit.swing),
        "center": list(limit.center),
        "twist": _ends(np.array(limit.twist)),
    }


def limit_from_json(saved: dict[str, Any] | None) -> Limit | None:
    """The limit that ``limit_to_json`` wrote."""
    if saved is None:
        return None
    if saved["kind"] == "range":
        return Range(
            _array(saved["lower"], -math.inf), _array(saved["upper"], math.inf), degrees=False
        )
    low, high = saved["twist"]
    swing, center = saved["swing"], saved["center"]
    return SwingTwist(
        swing=None if swing is None else (swing[0], swing[1]),
        twist=(-math.inf if low is None else low, math.inf if high is None else high),
        center=(center[0], center[1]),
    )


def _ends(values: np.ndarray) -> Any:
    """Numbers with null for what is not finite, nested as the array is."""
    if values.ndim == 0:
        return float(values) if math.isfinite(values) else None
    return [_ends(value) for value in values]


def _array(saved: Any, endless: float) -> np.ndarray:
    if isinstance(saved, list):
        return np.array([endless if value is None else float(value) for value in saved])
    return np.array(endless if saved is None else float(saved))
