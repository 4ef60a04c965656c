"""Effectors: added, removed, set, and dragged."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from limbik.errors import LimbikError
from limbik.poser.document.effector import (
    FURTHEST,
    HEAVIEST,
    LAST_ID,
    MOST_EFFECTORS,
    Effector,
    Vec3,
    Vec4,
)
from limbik.poser.drag.effector_targets import anchored
from limbik.poser.files.default_document import natural_axis
from limbik.poser.protocol.commands.registry import KEEP, Answer, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session


@command("grab")
def grab(session: Session, effector: int) -> Answer:
    """Begin to drag an effector."""
    session.grab(effector)
    return None


@command("drop")
def drop(session: Session) -> Answer:
    """End the drag: one step of the history."""
    session.drop()
    return None


@command("effector.add", "Add {joint}")
def add(session: Session, joint: int, at: Vec3 = (0.0, 0.0, 0.0)) -> Answer:
    """A new effector on a point of a joint, free; replies with its id."""
    document, name = session.document, session.joint(joint)
    if len(document.effectors) >= MOST_EFFECTORS or document.next_id > LAST_ID:
        raise LimbikError(f"There are {MOST_EFFECTORS} effectors, and there is no room for more.")
    if any((e.joint, e.at) == (name, at) for e in document.effectors):
        raise LimbikError(f"{name} has an effector there already.")
    _not_too_far(at)
    axis = natural_axis(session.figure, session.figure_cache.body(document.source), name)
    new = Effector(document.next_id, name, at, axis=axis)
    (new,) = anchored(session.figure, (new,), document.q)
    session.document = replace(
        document, effectors=(*document.effectors, new), next_id=document.next_id + 1
    )
    return {"effector": new.id}


@command("effector.remove", "Remove {effector}")
def remove(session: Session, effector: int) -> Answer:
    """An effector goes; its joint follows the others."""
    gone = session.effector(effector)
    kept = tuple(e for e in session.document.effectors if e is not gone)
    session.document = replace(session.document, effectors=kept)
    return None


_SAID = {"pin": "Pin", "free": "Free", "aim": "Aim"}


def _label(session: Session, arguments: dict[str, Any]) -> str:
    joint = session.effector(arguments["effector"]).joint
    if "mode" in arguments:
        return f"{_SAID[arguments['mode']]} {joint}"
    if "position" in arguments:
        return f"Move {joint}"
    if "wxyz" in arguments:
        return f"Turn {joint}" if arguments["wxyz"] is not None else f"Let {joint} turn"
    return (
        f"Weigh {joint}"
        if "weight" in arguments or "rotation_weight" in arguments
        else (f"Change {joint}")
    )


@command("effector.set", _label, merges=True)
def set_effector(
    session: Session,
    effector: int,
    mode: Literal["free", "pin", "aim"] = KEEP,
    position: Vec3 = KEEP,
    wxyz: Vec4 | None = KEEP,
    weight: float = KEEP,
    rotation_weight: float = KEEP,
    axis: Vec3 = KEEP,
) -> Answer:
    """Change an effector; what is wanted of it is then solved for.

    A mode given without a position starts from where the effector is: a pin holds it there, an aim
    looks straight ahead.
    """
    old = session.effector(effector)
    new, figure, q = old, session.figure, session.document.q
    for what, value in (("weight", weight), ("rotation_weight", rotation_weight)):
        if value is not KEEP:
            if not 0.0 < value <= HEAVIEST:
                raise LimbikError(
                    f"The weight of {old.joint} must be above 0, and {HEAVIEST:,.0f} at most."
                )
            new = replace(new, **{what: value})
    if axis is not KEEP:
        new = replace(new, axis=_unit(axis, f"The axis of {old.joint}"))
    if mode is not KEEP and mode != old.mode:
        (new,) = anchored(figure, (replace(new, mode=mode, placed=False),), q, modes=(mode,))
    if position is not KEEP:
        _not_too_far(position)
        new = replace(new, position=position)
    if wxyz is not KEEP:
        new = replace(new, wxyz=None if wxyz is None else _unit(wxyz, f"The turn of {old.joint}"))
    session.document = replace(
        session.document,
        effectors=tuple(new if e is old else e for e in session.document.effectors),
    )
    moved = position is not KEEP or (wxyz is not KEEP and wxyz is not None)
    if moved or new.mode != "free":
        session.solve(effector if moved else None)
    return None


def _not_too_far(place: Vec3) -> None:
    if max(map(abs, place)) > FURTHEST:
        raise LimbikError("That place is too far away.")


def _unit(values: tuple[float, ...], what: str) -> Any:
    length = math.hypot(*values)
    if not 1e-9 < length < math.inf:
        raise LimbikError(f"{what} has no direction.")
    return tuple(value / length for value in values)
