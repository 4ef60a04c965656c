"""Goals of a program that are kept without an effector."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from limbik.poser.protocol.commands.registry import Reply, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session


@command("goal.remove", lambda session, given: f"Remove {session.goal(given['goal']).label}")
def remove(session: Session, goal: int) -> Reply:
    """A goal is no longer kept."""
    gone = session.goal(goal)
    kept = tuple(other for other in session.document.goals if other is not gone)
    session.document = replace(session.document, goals=kept)
    return None
