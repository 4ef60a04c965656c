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
    Mode,
    Vec3,
    Vec4,
)
from limbik.poser.drag.effector_targets import anchored, placed
from limbik.poser.drag.looks.look_goals import BEFORE_THE_EYES, eyes, looked_at
from limbik.poser.files.default_document import natural_axis
from limbik.poser.protocol.commands.registry import KEEP, Reply, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session


@command("grab")
def grab(session: Session, effector: int) -> Reply:
    """Begin to drag an effector."""
    session.grab(effector)
    return None


@command("drop")
def drop(session: Session) -> Reply:
    """End the drag: one step of the history."""
    session.drop()
    return None


@command("effector.add", "Add {joint}")
def add(session: Session, joint: int, at: Vec3 = (0.0, 0.0, 0.0)) -> Reply:
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
def remove(session: Session, effector: int) -> Reply:
    """An effector goes; its joint follows the others."""
    gone = session.effector(effector)
    kept = tuple(e for e in session.document.effectors if e is not gone)
    session.document = replace(session.document, effectors=kept)
    return None


_SAID = {"pin": "Pin", "free": "Free", "aim": "Aim"}


def _label(session: Session, arguments: dict[str, Any]) -> str:
    joint = session.effector(arguments["effector"]).joint
    if arguments.get("look"):
        return f"Look with {joint}"
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
    look: str = KEEP,
) -> Reply:
    """Change an effector; what is wanted of it is then solved for.

    A mode given without a position starts from where the effector is: a pin holds it there, an aim
    looks straight ahead, at a target before the eyes.  ``look`` ties the target of an aim to
    "joint:NAME", "prop:ID" or "camera" (whose place is ``position``); empty, it stays where it is.
    """
    old = session.effector(effector)
    new = old
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
        new = _in_mode(session, new, mode)
    if look is not KEEP:
        new = _tied(session, new, look)
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


def _in_mode(session: Session, old: Effector, mode: Mode) -> Effector:
    """The effector in another mode, with its target where that begins."""
    figure, body = session.figure, session.figure_cache.body(session.document.source)
    between = eyes(figure, body, old.joint, old.axis)
    at = old.at
    if mode == "aim" and at == _ORIGIN:
        at = between
    elif mode != "aim" and at == between:
        at = _ORIGIN
    new = replace(old, mode=mode, at=at, look="", placed=False)
    frame = figure.frames(session.document.q)[figure.index(old.joint)]
    return placed(new, frame, BEFORE_THE_EYES * figure.size if mode == "aim" else figure.size)


def _tied(session: Session, old: Effector, look: str) -> Effector:
    """The effector as an aim that is tied to ``look``; empty: its target stays where it is."""
    new = old if old.mode == "aim" else _in_mode(session, old, "aim")
    kind, _, name = look.partition(":")
    if kind == "joint" and (name not in session.figure.joints or name == old.joint):
        raise LimbikError(f"{old.joint} cannot look at {name[:60] or 'nothing'}.")
    if kind == "prop" and all(str(one.id) != name for one in session.document.scene.props):
        raise LimbikError("That prop is not there any more.")
    if kind not in ("", "joint", "prop", "camera"):
        raise LimbikError(f'"{look[:40]}" is nothing that can be looked at.')
    if not look:
        place = looked_at(session.figure, session.document, new)
        return replace(new, position=place, look="")
    return replace(new, look=look)


@command("look.camera")
def look_into_camera(session: Session, position: Vec3) -> Reply:
    """The camera is at another place: who looks into it follows.  No step of the history; over keys
    and clips nothing moves, so that turning the view makes no keys."""
    document = session.document
    if document.timeline.keys or document.timeline.clip is not None:
        return None
    _not_too_far(position)
    session.document = replace(
        document,
        effectors=tuple(
            replace(e, position=position) if e.mode == "aim" and e.look == "camera" else e
            for e in document.effectors
        ),
    )
    if session.document != document:
        session.solve()
    return None


_ORIGIN: Vec3 = (0.0, 0.0, 0.0)


def _not_too_far(place: Vec3) -> None:
    if max(map(abs, place)) > FURTHEST:
        raise LimbikError("That place is too far away.")


def _unit(values: tuple[float, ...], what: str) -> Any:
    length = math.hypot(*values)
    if not 1e-9 < length < math.inf:
        raise LimbikError(f"{what} has no direction.")
    return tuple(value / length for value in values)
