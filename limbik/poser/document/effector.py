"""An effector: a point of a joint that a person holds, pins or aims."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

import numpy as np

from limbik.errors import LimbikError
from limbik.poser.document.strict_json import Saved, vec3, vec4

Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]
Mode = Literal["free", "pin", "aim"]
MODES: tuple[Mode, ...] = get_args(Mode)

MOST_EFFECTORS = 100
LAST_ID = 0xFFFF
"""The largest id that a drag can name."""
HEAVIEST = 1e6
"""The largest weight."""
FURTHEST = 1e30
"""Targets beyond this (in the figure's unit) are refused: they would not fit the page's floats."""


def as_vec3(values: np.ndarray) -> Vec3:
    """Three numbers of an array as plain ones."""
    x, y, z = values.tolist()
    return x, y, z


def as_vec4(values: np.ndarray) -> Vec4:
    """Four numbers of an array as plain ones."""
    w, x, y, z = values.tolist()
    return w, x, y, z


@dataclass(frozen=True)
class Effector:
    """A point of a joint and what is wanted of it.

    "pin" holds ``position`` (and ``wxyz`` where it is not None) whatever else moves; "aim" keeps
    the joint's ``axis`` pointing at ``position``; "free" holds only while it is dragged;
    one that a person ``placed`` by dragging it stays where it is unless another drag needs it
    (a pinned foot that is ``placed`` has a heel that rose in a drag, and comes down when it can).
    What an aim is tied to is ``look``: "joint:NAME", "prop:ID" or "camera", empty where its target
    stays where it was put.  ``at`` and ``axis`` are in the joint's own frame, ``position`` and
    ``wxyz`` in the world, all in the figure's unit.
    """

    id: int
    joint: str
    at: Vec3 = (0.0, 0.0, 0.0)
    mode: Mode = "free"
    position: Vec3 = (0.0, 0.0, 0.0)
    wxyz: Vec4 | None = None
    weight: float = 1.0
    rotation_weight: float = 1.0
    axis: Vec3 = (0.0, 0.0, 1.0)
    look: str = ""
    placed: bool = False

    @property
    def tied(self) -> bool:
        """Whether it is an aim whose target moves by itself: with a joint or a prop."""
        return self.mode == "aim" and self.look.startswith(("joint:", "prop:"))

    def to_json(self) -> dict[str, Any]:
        """The effector as JSON; the joint by its name."""
        return asdict(self)

    @classmethod
    def from_json(cls, saved: object, what: str = "effector") -> Effector:
        """The effector that ``to_json`` wrote; LimbikError, beginning with ``what``, for anything
        else."""
        data = Saved(saved, what)
        data.only([field.name for field in fields(cls)])
        joint = data.text("joint", longest=None)
        data.what = f'{what} "{joint[:60]}"'
        axis, wxyz = vec3(data.get("axis"), f"{data.what}: axis"), data.get("wxyz")
        if not math.hypot(*axis) > 1e-9:
            raise LimbikError(f"{data.what}: axis has no direction")
        return cls(
            id=data.whole_number("id", 1, LAST_ID),
            joint=joint,
            at=_place(data, "at"),
            mode=data.choice("mode", MODES),
            position=_place(data, "position"),
            wxyz=None if wxyz is None else vec4(wxyz, f"{data.what}: wxyz"),
            weight=data.number("weight", above=0.0, most=HEAVIEST),
            rotation_weight=data.number("rotation_weight", above=0.0, most=HEAVIEST),
            axis=axis,
            look=data.text("look") if "look" in data.names else "",  # not in older files
            placed="placed" in data.names and data.flag("placed"),
        )


def _place(data: Saved, name: str) -> Vec3:
    place = vec3(data.get(name), f"{data.what}: {name}")
    if max(map(abs, place)) > FURTHEST:
        raise LimbikError(f"{data.what}: {name} is too far away")
    return place
