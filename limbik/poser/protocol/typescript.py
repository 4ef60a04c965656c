"""The page's types, made from the structs, the commands and the binary layout.

``python -m limbik.poser.protocol.typescript`` writes ``web/src/net/messages.gen.ts``; a test fails
where that file is not what this makes.
"""

from __future__ import annotations

import inspect
import json
import types
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from limbik.poser.document.effector import Mode, Vec3, Vec4
from limbik.poser.document.prop import PropKind
from limbik.poser.document.timeline.ease import Ease, KeyEase
from limbik.poser.protocol import binary_layout as layout
from limbik.poser.protocol import messages as msg
from limbik.poser.protocol.commands import COMMANDS

FILE = Path(__file__).parents[1] / "web" / "src" / "net" / "messages.gen.ts"

_NAMED: dict[str, Any] = {
    "Vec3": Vec3, "Vec4": Vec4, "Mode": Mode, "PropKind": PropKind, "Ease": Ease,
    "KeyEase": KeyEase, "Value": msg.Value, "Part": msg.Part,
    "Limit": msg.Limit, "Reply": msg.Reply, "Message": msg.Message,
}  # fmt: skip
"""Types that are no structs and have a name of their own in the page."""

_PLAIN = {
    int: "number", float: "number", str: "string", bool: "boolean", type(None): "null",
    Any: "unknown",
}  # fmt: skip
_HEADS = {"DRAG": layout.DRAG, "SCRUB": layout.SCRUB, "POSE": layout.POSE, "FRAMES": layout.FRAMES}
_FLAGS = ("HAS_POSITION", "HAS_ROTATION", "IS_PLAYING", "IS_FOLLOWING", "IS_STUCK")


def generated() -> str:
    """The whole file."""
    structs = [
        one
        for one in vars(msg).values()
        if isinstance(one, type) and issubclass(one, msgspec.Struct) and one is not msgspec.Struct
    ]
    parts = [
        "// Made by limbik/poser/protocol/typescript.py; do not edit.\n",
        *(f"export type {name} = {_spelled(one)};" for name, one in _NAMED.items()),
        *(_interface(struct) for struct in structs),
        _commands(),
        *_binary(),
    ]
    return "\n".join(parts) + "\n"


def type_of(wanted: Any) -> str:
    """A Python type as TypeScript, by its name where it has one.

    >>> type_of(list[int | None])
    '(number | null)[]'
    """
    for name, one in _NAMED.items():
        if wanted == one:
            return name
    return _spelled(wanted)


def _spelled(wanted: Any) -> str:
    if wanted in _PLAIN:
        return _PLAIN[wanted]
    if isinstance(wanted, type) and issubclass(wanted, msgspec.Struct):
        return wanted.__name__
    origin, inside = get_origin(wanted), get_args(wanted)
    if origin is Annotated:
        return type_of(inside[0])
    if origin is Literal:
        return " | ".join(json.dumps(one) for one in inside)
    if origin in (Union, types.UnionType):
        return _union(inside)
    if origin is list:
        item = type_of(inside[0])
        return f"({item})[]" if " " in item else f"{item}[]"
    if origin is tuple:
        return f"[{', '.join(type_of(one) for one in inside)}]"
    if origin is dict:
        return f"Record<{type_of(inside[0])}, {type_of(inside[1])}>"
    raise TypeError(f"{wanted} has no TypeScript type here")


def _union(inside: tuple[Any, ...]) -> str:
    without = tuple(one for one in inside if one is not type(None))
    for name, one in _NAMED.items():  # "Value | null" of a union that has a name
        named = get_origin(one) in (Union, types.UnionType)
        if named and len(without) < len(inside) and set(without) == set(get_args(one)):
            return f"{name} | null"
    return " | ".join(dict.fromkeys(type_of(one) for one in inside))


def _interface(struct: type[msgspec.Struct]) -> str:
    hints = get_type_hints(struct, include_extras=True)
    config = struct.__struct_config__
    lines = []
    if config.tag_field is not None:
        lines.append(f"  {config.tag_field}: {json.dumps(config.tag)};")
    for field in msgspec.structs.fields(struct):
        wanted, mark = hints[field.name], ""
        if config.omit_defaults and not field.required:
            wanted, mark = _without_none(wanted), "?"
        lines.append(f"  {field.encode_name}{mark}: {type_of(wanted)};")
    words = inspect.getdoc(struct) if struct.__doc__ else None
    return "\n".join([_comment(words), f"export interface {struct.__name__} {{", *lines, "}"])


def _without_none(wanted: Any) -> Any:
    kept = [one for one in get_args(wanted) if one is not type(None)]
    return kept[0] if len(kept) == 1 else wanted


def _comment(words: str | None) -> str:
    if not words:
        return ""
    rows = [f" * {line}".rstrip() for line in words.replace("``", "`").split("\n")]
    return "\n" + (
        "/** " + rows[0][3:] + " */" if len(rows) == 1 else "\n".join(["/**", *rows, " */"])
    )


def _commands() -> str:
    lines = []
    for command in COMMANDS.values():
        marks = {name: "" if name in command.required else "?" for name in command.types}
        given = [f"{name}{marks[name]}: {type_of(one)}" for name, one in command.types.items()]
        inside = f"{{ {'; '.join(given)} }}" if given else "Record<never, never>"
        lines.append(f"  {json.dumps(command.name)}: {inside};")
    words = "The commands by their names, with their arguments."
    return "\n".join([_comment(words), "export interface Commands {", *lines, "}"])


def _binary() -> list[str]:
    out = [
        "\n/** Binary messages: the first byte, the bytes of the head, where its fields begin. */"
    ]
    for name, head in _HEADS.items():
        fields = {"kind": head.kind, "size": head.struct.size, **head.offsets}
        out.append(f"export const {name} = {_object(fields)} as const;")
    for name in _FLAGS:
        out.append(f"export const {name} = {getattr(layout, name)};")
    out.append("\n/** Where the numbers of a row are that a goal has, or a limit that holds. */")
    for name, row in (("GOAL_ROW", layout.GOAL_ROW), ("LIMIT_ROW", layout.LIMIT_ROW)):
        columns = {column: k for k, column in enumerate(row)}
        out.append(f"export const {name} = {_object({'size': len(row), **columns})} as const;")
    words = {number: status.lower().replace("_", " ") for status, number in layout.STATUSES.items()}
    words[layout.UNSOLVED] = "unsolved"
    names = " | ".join(json.dumps(word) for word in words.values())
    out.append(f"\nexport type Status = {names};")
    out.append(f"export const STATUSES: Record<number, Status> = {_object(words)};")
    return out


def _object(values: dict[Any, Any]) -> str:
    return f"{{ {', '.join(f'{key}: {json.dumps(value)}' for key, value in values.items())} }}"


if __name__ == "__main__":
    FILE.write_text(generated(), encoding="utf-8")
