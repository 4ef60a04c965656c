"""``limbik info --json``: what is in a file, for programs."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from limbik.cli.contents import Contents
from limbik.figure.figure import Figure
from limbik.figure.limits import SwingTwist
from limbik.figure.physical.properties_json import shape_to_json
from limbik.humanoid import Body


def as_json(found: Contents, body: Body | None) -> dict[str, Any]:
    """Angles are in rad and lengths in the figure's unit; an end that is not limited is null."""
    figure = found.figure
    bones = {} if body is None else {joint: role for role, joint in body.roles.items()}
    return {
        "figure": figure.name,
        "n": figure.n,
        "size": figure.size,
        "unit": figure.unit,
        "up": figure.up,
        "joints": [_joint(figure, i, bones) for i in range(len(figure.joints))],
        "coordinates": [
            {
                "name": name,
                "joint": figure.joints[figure.owner[c]],
                "slides": bool(figure.slides[c]),
                "lower": _finite(figure.lower[c]),
                "upper": _finite(figure.upper[c]),
                "rest": float(figure.rest[c]),
                "speed_limit": _finite(figure.speed_limits[c]),
                "effort_limit": _finite(figure.effort_limits[c]),
            }
            for c, name in enumerate(figure.coordinates)
        ],
        "mass": figure.mass,
        "masses": {name: own.mass for name, own in figure.inertias.items()},
        "shapes": [shape_to_json(shape) for shape in figure.shapes],
        "exclusions": [list(pair) for pair in figure.exclusions],
        "loops": [asdict(loop) for loop in figure.loops],
        "meshes": [
            {"vertices": len(mesh.positions), "triangles": len(mesh.triangles)}
            for mesh in found.meshes
        ],
        "clips": [
            {"name": name, "frames": clip.frames, "fps": clip.fps, "seconds": clip.duration}
            for name, clip in found.clips.items()
        ],
    }


def _joint(figure: Figure, i: int, bones: dict[str, str]) -> dict[str, Any]:
    joint = figure.definition[i]
    out: dict[str, Any] = {
        "name": joint.name,
        "joint_name": joint.alias or joint.name,
        "parent": joint.parent,
        "kind": joint.kind,
        "bone": bones.get(joint.name),
    }
    if isinstance(joint.limit, SwingTwist):
        limit = joint.limit
        out["cone"] = {
            "swing": None if limit.swing is None else [_finite(value) for value in limit.swing],
            "center": [_finite(value) for value in limit.center],
            "twist": [_finite(value) for value in limit.twist],
        }
    return out


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
