"""Further figures of a scene: each is parked with its own pose, effectors and keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from limbik.poser.document.prop import Hold
from limbik.poser.document.scene import Scene

if TYPE_CHECKING:
    from limbik.poser.document.document import Document

MOST_FIGURES = 8


@dataclass(frozen=True)
class Parked:
    """A figure that is not being posed just now.

    ``document`` has what is its own, and neither a scene nor further figures; ``holds`` are the
    joints that hold props of the scene, by the props' ids.
    """

    number: int
    document: Document
    holds: tuple[tuple[int, tuple[Hold, ...]], ...] = ()


SHARED = ("method", "compare", "frame", "floor", "next_id")
"""What all figures of a document have in common, besides the scene."""


def park(document: Document) -> tuple[Parked, Scene]:
    """The figure that is being posed put aside, and the scene without its hands on the props.

    Props that are held must be where the pose has them before (``prop_edits.release_prop``).
    """
    holds = tuple((prop.id, prop.holds) for prop in document.scene.props if prop.holds)
    props = tuple(replace(prop, holds=()) for prop in document.scene.props)
    own = replace(document, scene=Scene(), others=())
    return Parked(document.number, own, holds), replace(document.scene, props=props)


def unpark(parked: Parked, scene: Scene, document: Document) -> Document:
    """The document in which a parked figure is posed; ``document`` has what figures share, and
    ``scene`` is without holds."""
    holds = dict(parked.holds)
    props = tuple(replace(prop, holds=holds.get(prop.id, ())) for prop in scene.props)
    shared = {name: getattr(document, name) for name in SHARED}
    return replace(parked.document, scene=replace(scene, props=props), **shared)
