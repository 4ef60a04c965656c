"""The methods that can be chosen, and their settings."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Value = float | int | bool | str


class SettingInfo(Struct, frozen=True):
    """A setting of a method; ``value`` is its default."""

    name: str
    kind: Literal["float", "int", "bool", "choice", "text"]
    value: Value | None
    choices: list[str] | None
    help: str


class MethodInfo(Struct, frozen=True):
    """A method that can be chosen."""

    name: str
    title: str
    settings: list[SettingInfo]


class ChoiceInfo(Struct, frozen=True):
    """A method and the settings in which it differs from its defaults."""

    name: str
    settings: dict[str, Value]
