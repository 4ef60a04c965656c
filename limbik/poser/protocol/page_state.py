"""The document as the page needs it: State and FigureInfo of the page's messages."""

from __future__ import annotations

from typing import Any

from limbik.figure.figure import Figure
from limbik.humanoid import Body
from limbik.poser.document.document import Choice, Document
from limbik.poser.document.effector import Effector
from limbik.poser.files.open import Opened
from limbik.poser.protocol.figure_info import figure_info, limits_info


def state_of(
    document: Document,
    figure: Figure,
    *,
    figure_id: int,
    revision: int,
    undo: str | None,
    redo: str | None,
    advice: dict[str, Any] | None,
) -> dict[str, Any]:
    """State of messages.ts."""
    return {
        "revision": revision,
        "figure": figure_id,
        "effectors": [_effector(effector, figure) for effector in document.effectors],
        "locked": [figure.index(joint) for joint in document.locked],
        "limits": limits_info(figure),
        "edited": sorted(figure.index(joint) for joint in document.limits),
        "method": _choice(document.method),
        "compare": None if document.compare is None else _choice(document.compare),
        "timeline": document.timeline.message(document.frame),
        "poses": [{"id": pose.id, "name": pose.name} for pose in document.poses],
        "undo": undo,
        "redo": redo,
        "advice": advice,
    }


def _effector(effector: Effector, figure: Figure) -> dict[str, Any]:
    return {**effector.to_json(), "joint": figure.index(effector.joint), "name": effector.joint}


def _choice(choice: Choice) -> dict[str, Any]:
    return {"name": choice.name, "settings": dict(choice.settings)}


def advice_for(document: Document, figure: Figure, body: Body) -> dict[str, Any] | None:
    """What helps a body whose file has no limits: those of people."""
    if document.limits or not body.complete:
        return None
    limited = any(j.limit is not None and j.parent is not None for j in figure.definition)
    if limited:
        return None
    return {
        "sentence": "This file has no joint limits, so that every joint bends any way.",
        "button": "Use anatomical limits",
        "command": "limits.humanoid",
        "args": {},
    }


def figure_of(figure: Figure, opened: Opened, *, figure_id: int, mirrors: bool) -> dict[str, Any]:
    """FigureInfo of messages.ts."""
    return figure_info(
        figure,
        id=figure_id,
        up=opened.up,
        floor=opened.floor,
        mesh=bool(opened.meshes),
        clips=[clip.name for clip in opened.clips],
        file=opened.file,
        builtin=opened.builtin,
        mirrors=mirrors,
    )
