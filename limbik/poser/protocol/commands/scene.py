"""What is kept while one drags (floor, balance, collisions), and what the page draws it with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from limbik.errors import LimbikError
from limbik.poser.drag.scene_goals import balance_support
from limbik.poser.protocol.body_info import body_info
from limbik.poser.protocol.commands.registry import Reply, command
from limbik.poser.protocol.messages import BodyMessage
from limbik.poser.protocol.text import text

if TYPE_CHECKING:
    from limbik.poser.document.document import Document
    from limbik.poser.editing.session import Session


@command("floor", lambda _, given: f"Floor {'on' if given['on'] else 'off'}")
def floor(session: Session, on: bool) -> Reply:
    """Keep feet, hands and knees of a body above the floor, or do not."""
    _take(session, replace(session.document, floor=on), solves=on)


@command("balance", lambda _, given: f"Auto-balance {'on' if given['on'] else 'off'}")
def balance(session: Session, on: bool) -> Reply:
    """Keep the centre of mass above what the figure stands on, or do not."""
    document, figure = session.document, session.figure
    if on:
        if not figure.mass:
            raise LimbikError(
                f"{figure.name or 'This figure'} has no masses, so it has no balance."
            )
        if not balance_support(figure, document.effectors, document.q):
            raise LimbikError("The figure stands on nothing: pin a foot first.")
    _take(session, replace(document, scene=replace(document.scene, balance=on)), solves=on)


@command("collisions", lambda _, given: f"Collisions {'on' if given['on'] else 'off'}")
def collisions(session: Session, on: bool) -> Reply:
    """Keep the parts of the figure out of each other and out of the props, or do not."""
    document, figure = session.document, session.figure
    if on and not figure.shapes:
        name = figure.name or "This figure"
        raise LimbikError(f"{name} has no collision shapes.")
    _take(session, replace(document, scene=replace(document.scene, collisions=on)), solves=on)


def _take(session: Session, document: Document, *, solves: bool) -> None:
    session.document = document
    if solves:
        session.solve()


@command("body")
def body(session: Session) -> Reply:
    """Masses, soles and collision shapes of the figure, for the page to draw."""
    session.also(text(BodyMessage(body_info(session.figure, session.figure_id))))
    return None
