"""The methods a person can choose from, what can be set on each, and how well each is ready."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

from limbik.errors import MethodError
from limbik.methods import Method
from limbik.methods.settings import Setting, settings_of
from limbik.solver import frames
from limbik.solver.compiled_frames import compiled
from limbik.solver.runner import find_method

COMPILING = "Getting the method {} ready; the first time takes about 20 s."

MOST_ITERATIONS = 5000
"""Iterations that may be asked for: more would keep a page waiting for seconds."""

MOST = {"iterations": MOST_ITERATIONS, "sweeps": 1000, "rounds": 100, "halvings": 100, "pairs": 100}
"""The largest values of settings that cost time or memory."""

SOON = 1.0
"""Seconds in which a method is there that Numba has in its cache, by and large."""

_begun: dict[str, float] = {}  # when methods began to be made ready


def method_of(name: str, settings: Mapping[str, Any] | None = None) -> Method:
    """The method called ``name`` with these settings; MethodError with a sentence where there is no
    such method or setting, or a value that cannot be."""
    default = find_method(name)
    known = {s.name: s for s in settings_of(type(default)) if s.kind}
    values: dict[str, Any] = {}
    for key, value in (settings or {}).items():
        if key not in known:
            raise MethodError(f'{name} has no setting "{key}" (it has {", ".join(known)})')
        values[key] = _checked(known[key], value, f"{name}: {key}")
    return type(default)(**values)


def _checked(setting: Setting, value: Any, what: str) -> Any:
    """The value of a setting as its method wants it."""
    if value is None and setting.optional:
        return None
    match setting.kind:
        case "bool" if not isinstance(value, bool):
            raise MethodError(f"{what} must be on or off")
        case "choice" if value not in setting.choices:
            raise MethodError(f"{what} must be one of {', '.join(setting.choices)}")
        case "text" if not isinstance(value, str):
            raise MethodError(f"{what} must be a text")
        case "float":
            return _number(value, what)
        case "int":
            number, most = _number(value, what), MOST.get(setting.name, 2**31)
            least = 1 if setting.name == "iterations" else 0
            if number != int(number) or not least <= number <= most:
                raise MethodError(f"{what} must be a whole number from {least} to {most}")
            return int(number)
    return value


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise MethodError(f"{what} must be a number")
    return float(value)


def is_ready(name: str) -> bool:
    """Whether a method is compiled in this process; if not, ``prepare`` may take a minute."""
    kernel: Any = find_method(name).kernel
    return bool(kernel.signatures) and bool(frames.one.signatures)


def preparing(name: str) -> str:
    """What a person should know while a method is being made ready: "" where none is."""
    if name not in _begun or is_ready(name):
        return ""
    late = time.monotonic() - _begun[name] > SOON
    return COMPILING.format(name) if late else "Getting ready…"


def begin(name: str) -> None:
    """Count from now how long a method takes to become ready."""
    _begun.setdefault(name, time.monotonic())


def prepare(name: str) -> None:
    """Compile a method, or load it from Numba's cache; returns when it is ready."""
    begin(name)
    compiled(frames.one, find_method(name).kernel)
