"""The commands that a page may send: their names, their labels in the history, their arguments.

A command is a function of the session and of named arguments.  Its annotations are the contract:
what a page sends is checked against them, strictly, before the function runs.  A message that our
page would never send raises ProtocolError; what a person can do wrong raises LimbikError inside
the function.

    @command("effector.add", "Add {joint}")
    def add(session: Session, joint: int, at: Vec3 = (0.0, 0.0, 0.0)) -> dict | None: ...
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from limbik.poser.protocol.messages import ProtocolError

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

LONGEST_TEXT = 4096
LARGEST_WHOLE = 2**53  # beyond it a page's numbers are no longer whole

KEEP: Any = type("Keep", (), {"__repr__": lambda self: "KEEP"})()
"""Default of an argument whose absence means "as it is", where null means something else."""

Answer = dict[str, Any] | None
Label = str | Callable[["Session", dict[str, Any]], str]
F = TypeVar("F", bound=Callable[..., Answer])


@dataclass(frozen=True)
class Command:
    """One command: what it is called on the wire and in the history, and what it does."""

    name: str
    label: Label
    merges: bool
    run: Callable[..., Answer]
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
            types={parameter.name: hints[parameter.name] for parameter in parameters}
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
    origin = get_origin(wanted)
    if origin in (Union, types.UnionType):
        return _one_of(value, get_args(wanted), what)
    if wanted is type(None):
        return _expect(value is None, None, f"{what} is not null")
    if origin is Literal:
        allowed = ", ".join(map(str, get_args(wanted)))
        right = isinstance(value, str) and value in get_args(wanted)
        return _expect(right, value, f"{what} is none of {allowed}")
    if wanted is bool:
        return _expect(isinstance(value, bool), value, f"{what} is neither true nor false")
    if wanted is int:
        whole = isinstance(value, int) and not isinstance(value, bool)
        return _expect(
            whole and abs(value) <= LARGEST_WHOLE, value, f"{what} is not a whole number"
        )
    if wanted is float:
        return _number(value, what)
    if wanted is str:
        short = isinstance(value, str) and len(value) <= LONGEST_TEXT
        return _expect(short, value, f"{what} is not a text of at most {LONGEST_TEXT} letters")
    if origin is list:
        _expect(isinstance(value, list), value, f"{what} is not a list")
        return [checked(item, get_args(wanted)[0], what) for item in value]
    if origin is tuple:
        parts = get_args(wanted)
        right = isinstance(value, list) and len(value) == len(parts)
        _expect(right, value, f"{what} is not a list of {len(parts)}")
        return tuple(checked(item, part, what) for item, part in zip(value, parts, strict=True))
    if origin is dict or wanted is dict:
        _expect(isinstance(value, dict), value, f"{what} is not an object")
        inside = get_args(wanted)[1] if get_args(wanted) else Any
        return {key: checked(item, inside, f"{what}.{key[:40]}") for key, item in value.items()}
    if wanted is Any:
        return value
    raise TypeError(f"{what}: commands take no {wanted}")


def _one_of(value: Any, choices: tuple[Any, ...], what: str) -> Any:
    """The first choice that ``value`` fits; whole numbers stay whole where both are allowed."""
    ordered = sorted(choices, key=lambda choice: choice is float)
    problems = []
    for choice in ordered:
        try:
            return checked(value, choice, what)
        except ProtocolError as problem:
            problems.append(str(problem).removeprefix(f"{what} "))
    raise ProtocolError(f"{what} " + ", ".join(problems))


def _number(value: Any, what: str) -> float:
    right = isinstance(value, int | float) and not isinstance(value, bool)
    if right and isinstance(value, int):
        right = abs(value) <= LARGEST_WHOLE
    return float(_expect(right and math.isfinite(value), value, f"{what} is not a finite number"))


def _expect(right: bool, value: Any, sentence: str) -> Any:
    if not right:
        raise ProtocolError(sentence)
    return value
