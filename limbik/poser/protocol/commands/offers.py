"""A better pose after a drag that ended short: looked for, taken, or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbik.poser.protocol.commands.registry import Reply, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session


@command("offer.search")
def search(session: Session) -> Reply:
    """Try other starts for a moment; the state says whether to ask again."""
    if session.offer is not None:
        session.offer.search()
    return None


@command("offer.take", "Take the other pose")
def take(session: Session) -> Reply:
    """The pose that is offered."""
    session.take_offer()
    return None


@command("offer.refuse")
def refuse(session: Session) -> Reply:
    """Show it no longer."""
    session.refuse_offer()
    return None
