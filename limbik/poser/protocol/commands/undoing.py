"""Undo and redo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbik.errors import LimbikError
from limbik.poser.protocol.commands.registry import Answer, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session


@command("undo")
def undo(session: Session) -> Answer:
    """Take the last step back."""
    document = session.history.undo(session.document)
    if document is None:
        raise LimbikError("There is nothing to undo.")
    session.document = document
    return None


@command("redo")
def redo(session: Session) -> Answer:
    """Do again what was undone last."""
    document = session.history.redo(session.document)
    if document is None:
        raise LimbikError("There is nothing to redo.")
    session.document = document
    return None
