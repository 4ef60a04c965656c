"""What can be set on a method: how a setting is declared, and how people are told about it.

A method is a dataclass, and each of its settings a field that carries its own text.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from limbik.errors import MethodError

_KINDS: dict[Any, str] = {bool: "bool", int: "int", float: "float", str: "text"}
_TAKES = {
    "bool": "True or False",
    "int": "a whole number",
    "float": "a number",
    "text": "a text",
}


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


def check_settings(method: Any) -> None:
    """Refuse a value of another type than its setting takes, and NaN, by the setting's name.

    What range a setting has, and which of them go together, each method checks itself.
    """
    for setting in settings_of(type(method)):
        value = getattr(method, setting.name)
        if value is setting.default or not setting.kind or (value is None and setting.optional):
            continue
        if _fits(setting, value):
            continue
        choices = " or ".join(f'"{choice}"' for choice in setting.choices)
        takes = (choices or _TAKES[setting.kind]) + (" or None" if setting.optional else "")
        raise MethodError(f"{method.name}: {setting.name} must be {takes}, got {value!r}")


def _fits(setting: Setting, value: object) -> bool:
    boolean = isinstance(value, bool | np.bool_)
    match setting.kind:
        case "bool":
            return boolean
        case "int":
            return isinstance(value, Integral) and not boolean
        case "float":
            return isinstance(value, Real) and not boolean and value == value
    return isinstance(value, str) and (not setting.choices or value in setting.choices)
