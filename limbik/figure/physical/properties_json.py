"""Masses, shapes, speed limits and loops as JSON and back."""

from __future__ import annotations

import math
from dataclasses import asdict, fields
from typing import Any

from limbik.figure.collision.shapes import SHAPES, Shape
from limbik.figure.physical.properties import Inertia, JointNumbers, Loop, Physical, resolved

_KINDS = {kind.__name__: kind for kind in SHAPES}


def physical_to_json(physical: Physical) -> dict[str, Any]:
    """What a figure is made of, for files; meshes behind it are read now."""
    inertias, shapes = resolved(physical.inertias), resolved(physical.shapes)
    return {
        "inertias": None if inertias is None else [[name, asdict(own)] for name, own in inertias],
        "shapes": None if shapes is None else [shape_to_json(shape) for shape in shapes],
        "exclusions": [list(pair) for pair in physical.exclusions],
        "speeds": [_numbers_to_json(each) for each in physical.speeds],
        "efforts": [_numbers_to_json(each) for each in physical.efforts],
        "loops": [asdict(loop) for loop in physical.loops],
    }


def physical_from_json(saved: dict[str, Any]) -> Physical:
    """What ``physical_to_json`` wrote."""
    inertias, shapes = saved["inertias"], saved["shapes"]
    return Physical(
        None if inertias is None else tuple((name, Inertia(**own)) for name, own in inertias),
        None if shapes is None else tuple(_shape_from_json(shape) for shape in shapes),
        tuple((str(a), str(b)) for a, b in saved["exclusions"]),
        tuple(_numbers_from_json(each) for each in saved["speeds"]),
        tuple(_numbers_from_json(each) for each in saved["efforts"]),
        tuple(_loop_from_json(loop) for loop in saved["loops"]),
    )


def shape_to_json(shape: Shape) -> dict[str, Any]:
    """A shape with the name of its kind, without the mesh that it stands for."""
    own = {field.name: getattr(shape, field.name) for field in fields(shape)}
    own.pop("mesh", None)
    return {"kind": type(shape).__name__, **own}


def _shape_from_json(saved: dict[str, Any]) -> Shape:
    values = dict(saved)
    return _KINDS[values.pop("kind")](**values)


def _numbers_to_json(each: JointNumbers) -> list[Any]:
    return [each.joint, [value if math.isfinite(value) else None for value in each.values]]


def _numbers_from_json(saved: list[Any]) -> JointNumbers:
    joint, values = saved
    return JointNumbers(joint, tuple(math.inf if v is None else float(v) for v in values))


def _loop_from_json(saved: dict[str, Any]) -> Loop:
    vectors: dict[str, Any] = {
        key: None if saved[key] is None else tuple(map(float, saved[key]))
        for key in ("at_a", "at_b", "wxyz")
    }
    return Loop(**{**saved, **vectors})
