"""Joints: locked, and moved one coordinate at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from limbik.poser.protocol.commands.registry import Answer, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session


def _label(session: Session, arguments: dict[str, Any]) -> str:
    return f"{'Lock' if arguments['on'] else 'Unlock'} {session.joint(arguments['joint'])}"


@command("lock", _label)
def lock(session: Session, joint: int, on: bool) -> Answer:
    """A locked joint keeps its values while others are solved for."""
    name = session.joint(joint)
    kept = tuple(other for other in session.document.locked if other != name)
    session.document = replace(session.document, locked=(*kept, name) if on else kept)
    return None


@command("coordinate.set")
def set_coordinate(session: Session, coordinate: int, value: float) -> Answer:
    """Move one coordinate; values outside its limits go to the nearest inside.

    What is pinned stays put as well as the other joints allow.  Until ``coordinates.drop`` it is
    all one step of the history.
    """
    session.coordinate(coordinate)
    session.slide(coordinate, value)
    return None


@command("coordinates.drop")
def drop_coordinates(session: Session) -> Answer:
    """A slider was let go."""
    session.drop()
    return None
