"""Undo and redo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbik.errors import LimbikError
from limbik.poser.protocol.commands.registry import Reply, command

if TYPE_CHECKING:
    from limbik.poser.document.document import Document
    from limbik.poser.editing.session import Session


@command("undo")
def undo(session: Session) -> Reply:
    """Take the last step back."""
    _take(session, session.history.undo(session.document), "undo")


@command("redo")
def redo(session: Session) -> Reply:
    """Do again what was undone last."""
    _take(session, session.history.redo(session.document), "redo")


def _take(session: Session, document: Document | None, verb: str) -> None:
    if document is None:
        raise LimbikError(f"There is nothing to {verb}.")
    session.document = document
