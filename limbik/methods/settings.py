"""What can be set on a method: how a setting is declared, and how people are told about it.

A method is a dataclass, and each of its settings a field that carries its own text.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

_KINDS: dict[Any, str] = {bool: "bool", int: "int", float: "float", str: "text"}


def setting(default: Any, meaning: str, *, choices: tuple[str, ...] = ()) -> Any:
    """A field of a method with its default and what it means; a text may be one of ``choices``."""
    return dataclasses.field(default=default, metadata={"meaning": meaning, "choices": choices})


class Setting(NamedTuple):
    """One setting of a method.

    ``kind`` is "float", "int", "bool", "choice" (one of ``choices``), "text", or empty where it is
    no plain value: another method, a pose.  ``optional`` where None is a value too.
    """

    name: str
    kind: str
    default: Any
    choices: tuple[str, ...]
    optional: bool
    meaning: str


@cache
def settings_of(method: type[Any]) -> tuple[Setting, ...]:
    """The settings of a method, in the order in which its class has them."""
    hints = get_type_hints(method)
    found = []
    for field in dataclasses.fields(method):
        options = get_args(hints[field.name])
        literal = get_origin(hints[field.name]) is Literal
        optional = not literal and type(None) in options
        rest = [option for option in options if option is not type(None)]
        kind = _KINDS.get(rest[0] if len(rest) == 1 else hints[field.name], "")
        choices = tuple(map(str, options)) if literal else field.metadata.get("choices", ())
        if choices:
            kind = "choice"
        meaning = field.metadata.get("meaning", "")
        found.append(Setting(field.name, kind, field.default, choices, optional, meaning))
    return tuple(found)
