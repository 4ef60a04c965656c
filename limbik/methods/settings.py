"""What can be set on a method, for people: names, kinds, defaults, and what each means."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from functools import cache
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from limbik.methods.base import Method
from limbik.methods.redundancy.criteria import CRITERIA

_WORDS = {"criterion": CRITERIA}  # texts that stand for one of a few names
_KINDS: dict[Any, str] = {bool: "bool", int: "int", float: "float", str: "text"}


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
def settings_of(method: type[Method]) -> tuple[Setting, ...]:
    """The settings of a method, in the order in which its class has them."""
    hints, meaning = get_type_hints(method), meanings(method)
    found = []
    for field in dataclasses.fields(method):
        options = get_args(hints[field.name])
        literal = get_origin(hints[field.name]) is Literal
        optional = not literal and type(None) in options
        rest = [option for option in options if option is not type(None)]
        kind = "choice" if literal else _KINDS.get(rest[0] if len(rest) == 1 else hints[field.name])
        choices = tuple(map(str, options)) if literal else ()
        if kind == "text" and field.name in _WORDS:
            kind, choices = "choice", _WORDS[field.name]
        found.append(
            Setting(
                field.name,
                kind or "",
                field.default,
                choices,
                optional,
                meaning.get(field.name, ""),
            )
        )
    return tuple(found)


def meanings(method: type[Method]) -> dict[str, str]:
    """What stands below each setting in the source of the method and of ``Method``."""
    found: dict[str, str] = {}
    for source in (Method, method):
        (owner,) = ast.parse(textwrap.dedent(inspect.getsource(source))).body
        assert isinstance(owner, ast.ClassDef)
        for setting, below in zip(owner.body, owner.body[1:], strict=False):
            if (
                isinstance(setting, ast.AnnAssign)
                and isinstance(setting.target, ast.Name)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
                and isinstance(below.value.value, str)
            ):
                found[setting.target.id] = " ".join(below.value.value.split())
    return found
