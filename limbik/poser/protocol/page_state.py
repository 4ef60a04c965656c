"""The document as the page needs it: State and FigureInfo of the page's messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from limbik.figure.figure import Figure
from limbik.humanoid import Body, unlimited
from limbik.poser.document.document import Choice, Document, Source
from limbik.poser.document.effector import Effector
from limbik.poser.files.natural_limits import Natural
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


def advice_for(
    document: Document, figure: Figure, body: Body, natural: Callable[[Source], Natural]
) -> dict[str, Any] | None:
    """What helps a body whose file's ``figure`` has no limits: those of people; where it has them
    already, that it has, and how to do without.

    ``natural`` gives a source's anatomical limits.
    """
    if not body.complete or not unlimited(figure):
        return None
    if not document.limits:
        return {
            "sentence": "This file has no joint limits, so that every joint bends any way.",
            "button": "Use anatomical limits",
            "command": "limits.humanoid",
            "args": {},
        }
    if document.source.kind == "files" and document.limits == natural(document.source).limits:
        return {
            "sentence": "This file has no joint limits: those of a human body are used.",
            "button": "No limits",
            "command": "limits.file",
            "args": {},
        }
    return None


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
