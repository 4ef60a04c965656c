"""Units of length and the axis that points up: known or stated by a person, never guessed.

A figure's ``unit`` and ``up`` are what its file says: glTF and VRM are in metres with y up, URDF
and MJCF in metres with z up, BVH and ASF say nothing.  A change of conventions x → s·T·x scales
every length by s and turns the roots by T, so that all coordinates keep their names, angles their
values, and lengths are multiplied by s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Real
from typing import NamedTuple

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure.joints import Coupling, Joint, Part, Vector
from limbik.figure.limits import Range
from limbik.maths.quaternions import quat_multiply, quat_rotate

METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
"""How many metres a unit has."""

AXES = ("x", "y", "z")


class Change(NamedTuple):
    """x → scale·T·x, with T as a quaternion ``wxyz``, and what the figure is in afterwards."""

    scale: float
    wxyz: tuple[float, float, float, float]
    unit: str
    up: str

    @property
    def nothing(self) -> bool:
        """Whether every number stays as it is."""
        return self.scale == 1.0 and self.wxyz == (1.0, 0.0, 0.0, 0.0)


def change(
    known: tuple[str, str], unit: str, up: str, from_unit: str | float, from_up: str
) -> Change:
    """The change from what is ``known`` (unit and up, empty where they are not) to what is wanted.

    ``from_unit`` and ``from_up`` are what a person states; they come before what is known.
    """
    for what, value in (("unit", unit), ("up", up), ("from_up", from_up)):
        if not isinstance(value, str):
            raise FigureError(f"{what} must be text, got {value!r}")
    if isinstance(from_unit, bool) or not isinstance(from_unit, str | Real):
        raise FigureError(f"from_unit must be a unit or a number of metres, got {from_unit!r}")
    scale = 1.0
    if from_unit != "" and not unit:
        if not isinstance(from_unit, str):
            raise FigureError(
                "from_unit as a number needs the unit to convert to, such as unit='m'"
            )
        unit = from_unit
    if unit:
        source = from_unit if from_unit != "" else known[0]
        if source == "":
            raise FigureError(
                f"its unit is not known, so it cannot be converted to {_unit(unit)}: "
                f'state it with from_unit="cm" or another of {", ".join(METRES)}, or as a number '
                "of metres"
            )
        scale = _metres(source) / METRES[_unit(unit)]
    if from_up and not up:
        up = from_up
    wxyz = (1.0, 0.0, 0.0, 0.0)
    if up:
        upwards = from_up or known[1]
        if not upwards:
            raise FigureError(
                f"which of its axes points up is not known, so it cannot be turned to {_axis(up)}: "
                'state it with from_up="y" or "z"'
            )
        wxyz = _turn(_axis(upwards), _axis(up))
    return Change(scale, wxyz, unit or known[0], up or known[1])


def changed(joints: Sequence[Joint], by: Change) -> list[Joint]:
    """The joints of a figure in other conventions."""
    slides = _slides(joints)
    out = []
    for joint in joints:
        offset, wxyz = by.scale * np.array(joint.offset), np.array(joint.wxyz)
        if joint.parent is None:
            offset = quat_rotate(np.array(by.wxyz), offset)
            wxyz = quat_multiply(np.array(by.wxyz), wxyz)
        tip = None if joint.tip is None else _vector(by.scale * np.array(joint.tip))
        limit = joint.limit
        if isinstance(limit, Range) and any(joint.slides):
            scale = np.where(joint.slides, by.scale, 1.0)
            limit = Range(limit.lower * scale, limit.upper * scale, degrees=False)
        sliding = joint.slide_limit
        if sliding is not None:
            sliding = Range(by.scale * sliding.lower, by.scale * sliding.upper, degrees=False)
        parts = tuple(_part(part, slides, by.scale) for part in joint.parts)
        w, x, y, z = (float(v) for v in wxyz)
        out.append(
            replace(
                joint,
                parts=parts,
                offset=_vector(offset),
                wxyz=(w, x, y, z),
                limit=limit,
                tip=tip,
                slide_limit=sliding,
            )
        )
    return out


def length_text(length: float, unit: str) -> str:
    """A length for people: "4.2 cm", "0.31 mm", "12 units"."""
    if unit == "m":
        if length < 1e-6:
            return "under 0.001 mm" if length > 0.0 else "0 mm"
        for factor, name in ((1.0, "m"), (1e2, "cm"), (1e3, "mm")):
            if float(f"{length * factor:.3g}") >= 1.0 or name == "mm":
                return f"{length * factor:.3g} {name}"
    return f"{length:.3g} {unit or 'units'}"


def _slides(joints: Iterable[Joint]) -> dict[str, bool]:
    """Whether each coordinate, by name, is a length."""
    out: dict[str, bool] = {}
    for joint in joints:
        for label, slides in zip(joint.labels, joint.slides, strict=True):
            for name in {joint.name, joint.alias or joint.name}:
                out[name if len(joint.slides) == 1 else f"{name}.{label}"] = slides
    return out


def _part(part: Part, slides: dict[str, bool], scale: float) -> Part:
    """A part whose coupling q_i = a·q_j + b holds for the scaled lengths."""
    rule = part.coupled
    if rule is None:
        return part
    own = scale if part.slides else 1.0
    driver = scale if slides.get(rule.coordinate, False) else 1.0
    return replace(
        part, coupled=Coupling(rule.coordinate, rule.scale * own / driver, rule.offset * own)
    )


def _unit(name: str) -> str:
    if name not in METRES:
        hint = did_you_mean(str(name), METRES)
        raise FigureError(f'"{name}" is not a unit limbik knows: {", ".join(METRES)}{hint}')
    return name


def _metres(unit: str | float) -> float:
    if isinstance(unit, str):
        return METRES[_unit(unit)]
    if not 1e-15 <= unit <= 1e15:  # beyond, lengths overflow in files
        raise FigureError(f"from_unit must be a unit, or metres from 1e-15 to 1e15, got {unit!r}")
    return float(unit)


def _axis(name: str) -> str:
    if name not in AXES:
        raise FigureError(f'up must be "x", "y" or "z", not "{name}"')
    return name


def _turn(here: str, there: str) -> tuple[float, float, float, float]:
    """The quarter turn that brings axis ``here`` to axis ``there``."""
    if here == there:
        return (1.0, 0.0, 0.0, 0.0)
    axis = np.cross(np.eye(3)[AXES.index(here)], np.eye(3)[AXES.index(there)])
    half = 0.5**0.5
    x, y, z = (half * axis).tolist()
    return (half, x, y, z)


def _vector(values: np.ndarray) -> Vector:
    return (float(values[0]), float(values[1]), float(values[2]))
