"""What is around the figure: its props, and whether balance and collisions are kept."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from limbik.errors import LimbikError
from limbik.poser.document.prop import MOST_PROPS, Prop
from limbik.poser.document.strict_json import Saved


@dataclass(frozen=True)
class Scene:
    """``balance`` keeps the centre of mass above what the figure stands on, ``collisions`` its
    parts out of each other and out of the props."""

    balance: bool = False
    collisions: bool = False
    props: tuple[Prop, ...] = ()

    def prop(self, id: int) -> Prop | None:
        """The prop with that id, or None."""
        return next((prop for prop in self.props if prop.id == id), None)

    def without_holds(self) -> Scene:
        """The props alone, where they were put: for another figure."""
        return Scene(props=tuple(replace(prop, holds=()) for prop in self.props))

    def to_json(self) -> dict[str, Any]:
        return {
            "balance": self.balance,
            "collisions": self.collisions,
            "props": [prop.to_json() for prop in self.props],
        }

    @classmethod
    def from_json(cls, saved: object) -> Scene:
        """The scene that ``to_json`` wrote; LimbikError for anything else."""
        data = Saved(saved, "scene")
        data.only([field.name for field in fields(cls)])
        props = data.get("props")
        if not isinstance(props, list) or len(props) > MOST_PROPS:
            raise LimbikError(f"scene: props must be a list of at most {MOST_PROPS}")
        return cls(
            data.flag("balance"),
            data.flag("collisions"),
            tuple(Prop.from_json(prop) for prop in props),
        )
