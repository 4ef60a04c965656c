"""The commands that a page may send: their names, their labels in the history, their arguments.

A command is a function of the session and of named arguments.  Its annotations are the contract:
what a page sends is checked against them, strictly, before the function runs.  A message that our
page would never send raises ProtocolError; what a person can do wrong raises LimbikError inside
the function.

    @command("effector.add", "Add {joint}")
    def add(session: Session, joint: int, at: Vec3 = (0.0, 0.0, 0.0)) -> dict | None: ...
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)  # fmt: skip

import msgspec
from msgspec import Meta

from limbik.poser.protocol.text import LARGEST_WHOLE, ProtocolError

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

LONGEST_TEXT = 4096

KEEP: Any = type("Keep", (), {"__repr__": lambda self: "KEEP"})()
"""Default of an argument whose absence means "as it is", where null means something else."""

Reply = dict[str, Any] | None
Label = str | Callable[["Session", dict[str, Any]], str]
F = TypeVar("F", bound=Callable[..., Reply])


@dataclass(frozen=True)
class Command:
    """One command: what it is called on the wire and in the history, and what it does."""

    name: str
    label: Label
    merges: bool
    run: Callable[..., Reply]
    types: dict[str, Any]
    required: frozenset[str]

    def arguments(self, message: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a message {"id", "do", ...}, each checked and made what the annotation
        says."""
        given = {key: value for key, value in message.items() if key not in ("id", "do")}
        for key in given:
            if key not in self.types:
                raise ProtocolError(f'{self.name}: no argument "{key[:40]}"')
        for key in self.required:
            if key not in given:
                raise ProtocolError(f'{self.name}: needs the argument "{key}"')
        return {
            key: checked(value, self.types[key], f"{self.name}: {key}")
            for key, value in given.items()
        }


COMMANDS: dict[str, Command] = {}


def command(name: str, label: Label = "", *, merges: bool = False) -> Callable[[F], F]:
    """Make a function a command called ``name``.

    ``label`` is what the undo button says; the names of arguments in braces become words (a joint's
    index its name).  An empty label: the command is no step of the history.  ``merges``: the same
    command on the same thing, sent again at once, extends the step; it may be sent with ``held``,
    which is true as long as the gesture that sends it (a slider being dragged) goes on.
    """

    def register(function: F) -> F:
        parameters = list(inspect.signature(function).parameters.values())[1:]
        hints = get_type_hints(function, localns={"Session": object})
        if name in COMMANDS and COMMANDS[name].run.__module__ != function.__module__:
            raise ValueError(f'two commands are called "{name}"')
        COMMANDS[name] = Command(
            name=name,
            label=label,
            merges=merges,
            run=function,
            types={parameter.name: bounded(hints[parameter.name]) for parameter in parameters}
            | ({"held": bool} if merges else {}),
            required=frozenset(
                parameter.name
                for parameter in parameters
                if parameter.default is inspect.Parameter.empty
            ),
        )
        return function

    return register


def find(name: object) -> Command:
    """The command of that name; ProtocolError where there is none."""
    if not isinstance(name, str) or name not in COMMANDS:
        raise ProtocolError(f"no command {str(name)[:40]!r}")
    return COMMANDS[name]


def checked(value: Any, wanted: Any, what: str) -> Any:
    """``value`` from JSON as the type ``wanted``; ProtocolError, beginning with ``what``, where it
    is something else."""
    try:
        return msgspec.convert(value, wanted)
    except (msgspec.ValidationError, OverflowError) as error:
        raise ProtocolError(f"{what} is not as it must be: {error}") from None


def bounded(wanted: Any) -> Any:
    """A type of a command's argument with bounds on its texts and whole numbers."""
    if wanted is int:
        return Annotated[int, Meta(ge=-LARGEST_WHOLE, le=LARGEST_WHOLE)]
    if wanted is str:
        return Annotated[str, Meta(max_length=LONGEST_TEXT)]
    origin: Any = get_origin(wanted)
    inside = tuple(bounded(one) for one in get_args(wanted))
    if origin in (Union, types.UnionType):
        return functools.reduce(operator.or_, inside)
    return types.GenericAlias(origin, inside) if origin in (list, tuple, dict) else wanted
