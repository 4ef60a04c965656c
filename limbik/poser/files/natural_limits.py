"""Anatomical limits for a body whose file has none: what a document starts with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from limbik.errors import FigureError
from limbik.figure.coordinates import ball_of
from limbik.figure.figure import Figure
from limbik.figure.joints import Limit
from limbik.humanoid import Body, unlimited
from limbik.humanoid.natural import body_limits, carriers, in_balls, stands
from limbik.poser.document.document import Document
from limbik.poser.files.open import Opened

BODY = "body"
"""Coordinates of the balls of a body that does not stand in its rest pose, or whose hips are not
its root (``humanoid.natural.in_balls``); else "swing-twist" says the same."""


class Natural(NamedTuple):
    """Coordinates of the balls (as in ``Document.balls``) and limits; or why there are none."""

    balls: str
    limits: Mapping[str, Limit]
    reason: str = ""


def natural_limits(opened: Opened, body: Body) -> Natural:
    """Anatomical limits of an opened figure, widened where its first clip goes further."""
    if not body.complete:
        return Natural("", {}, f"missing: {', '.join(body.missing[:4])}")
    figure = opened.figure
    try:
        poses = opened.clips[0].read().q if opened.clips else None
        _, found = body_limits(figure, body, poses, hold=True)
    except FigureError as error:
        return Natural("", {}, str(error))
    moved = bool(stands(figure, body, figure.rest))
    roots = {joint.name for joint in figure.definition if joint.parent is None}
    if moved or set(carriers(figure, body)) != roots:
        return Natural(BODY, found)
    return Natural("swing-twist" if _has_euler_balls(figure) else "", found)


def body_balls(opened: Opened, body: Body) -> Figure:
    """The opened figure in the coordinates that are called ``BODY``."""
    poses = opened.clips[0].read().q if opened.clips else None
    return in_balls(opened.figure, body, poses)[0]


def starts_limited(document: Document, opened: Opened) -> bool:
    """Whether a document that was just made gets them: a file's, in which no joint is limited."""
    return document.source.kind == "files" and unlimited(opened.figure)


def _has_euler_balls(figure: Figure) -> bool:
    found = (ball_of(joint) for joint in figure.definition if joint.parent is not None)
    return any(ball is not None and isinstance(ball[0], tuple) for ball in found)
