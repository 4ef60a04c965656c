"""Methods: the one that solves, and the one that is compared with it."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from limbik.poser.document.document import Choice
from limbik.poser.drag.method_choice import method_of
from limbik.poser.protocol.commands.registry import Reply, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

Settings = dict[str, float | int | bool | str]


def _choice(session: Session, name: str, settings: Settings) -> Choice:
    method_of(name, settings)  # refuses what there is not
    choice = Choice(name, MappingProxyType(dict(settings)))
    session.ready(choice)
    return choice


@command("method.set", "Use {name}", merges=True)
def set_method(session: Session, name: str, settings: Settings) -> Reply:
    """Solve with another method, or with other settings."""
    choice = _choice(session, name, settings)
    session.document = replace(session.document, method=choice)
    session.check()
    return None


@command("compare.set", lambda _, given: f"Compare with {given['name'] or 'nothing'}", merges=True)
def set_compare(session: Session, name: str | None, settings: Settings) -> Reply:
    """Show beside the figure what another method answers, or nothing any more."""
    choice = None if name is None else _choice(session, name, settings)
    session.document = replace(session.document, compare=choice)
    session.check()
    return None
