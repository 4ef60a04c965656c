"""A prop: a thing in the scene that is no figure, and the joints that hold it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from limbik.errors import LimbikError
from limbik.poser.document.effector import FURTHEST, LAST_ID, Vec3, Vec4
from limbik.poser.document.strict_json import Saved, vec3, vec4

PropKind = Literal["box", "ball", "chair", "mesh"]
KINDS: tuple[PropKind, ...] = get_args(PropKind)
MOST_PROPS = 32
MOST_HOLDS = 8
LARGEST = 1e6
"""The largest edge of a prop, in the figure's unit."""


@dataclass(frozen=True)
class Hold:
    """A joint that holds a prop: where the joint is in the prop's frame."""

    joint: str
    position: Vec3
    wxyz: Vec4


@dataclass(frozen=True)
class Prop:
    """A thing in the scene; it never moves by itself.

    ``position`` is the middle of the box around it and ``size`` that box's edges, in the figure's
    unit; its own y axis points up while it stands.  The first joint of ``holds`` carries it:
    ``position`` and ``wxyz`` are then where it was taken, and it is where that joint brings it.
    ``file`` is that of a mesh, below the session's folder.
    """

    id: int
    kind: PropKind
    name: str
    position: Vec3
    wxyz: Vec4
    size: Vec3
    holds: tuple[Hold, ...] = ()
    file: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, saved: object) -> Prop:
        """The prop that ``to_json`` wrote; LimbikError for anything else."""
        data = Saved(saved, "prop")
        data.only([field.name for field in fields(cls)])
        data.what = f'prop "{data.text("name")[:60]}"'
        holds = data.get("holds")
        if not isinstance(holds, list | tuple) or len(holds) > MOST_HOLDS:
            raise LimbikError(f"{data.what}: holds must be a list of at most {MOST_HOLDS}")
        return cls(
            id=data.whole_number("id", 1, LAST_ID),
            kind=data.choice("kind", KINDS),
            name=data.text("name"),
            position=_place(data),
            wxyz=vec4(data.get("wxyz"), f"{data.what}: wxyz"),
            size=_size(data),
            holds=tuple(hold_from_json(hold, data.what) for hold in holds),
            file=data.text("file"),
        )


def _place(data: Saved) -> Vec3:
    place = vec3(data.get("position"), f"{data.what}: position")
    if max(map(abs, place)) > FURTHEST:
        raise LimbikError(f"{data.what}: position is too far away")
    return place


def _size(data: Saved) -> Vec3:
    size = vec3(data.get("size"), f"{data.what}: size")
    if not 0.0 < min(size) <= max(size) <= LARGEST:
        raise LimbikError(f"{data.what}: size must be above 0, and {LARGEST:g} at most")
    return size


def hold_from_json(saved: object, what: str) -> Hold:
    """A hold as JSON has it; LimbikError, beginning with ``what``, for anything else."""
    data = Saved(saved, f"{what}: hold")
    data.only([field.name for field in fields(Hold)])
    return Hold(
        data.text("joint", longest=None),
        vec3(data.get("position"), f"{data.what}: position"),
        vec4(data.get("wxyz"), f"{data.what}: wxyz"),
    )
