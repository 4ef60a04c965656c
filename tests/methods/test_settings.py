"""Settings of methods: declared once, with their text, and read without a look at the source."""

from __future__ import annotations

import dataclasses
import math
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pytest

from helpers.common_problems import problem_of
from limbik import MethodError
from limbik.methods import METHODS, Method
from limbik.methods.settings import Setting, setting, settings_of


@dataclass(frozen=True)
class Example:
    count: int = setting(3, "How many.")
    share: float | None = setting(None, "How much; None: all.")
    order: Literal["up", "down"] = setting("up", "Which way.")
    word: str = setting("a", "Which word.", choices=("a", "b"))
    other: object = setting(None, "No plain value.")
    bare: bool = False


def test_a_setting_is_told_as_it_was_declared() -> None:
    assert settings_of(Example) == (
        Setting("count", "int", 3, (), False, "How many."),
        Setting("share", "float", None, (), True, "How much; None: all."),
        Setting("order", "choice", "up", ("up", "down"), False, "Which way."),
        Setting("word", "choice", "a", ("a", "b"), False, "Which word."),
        Setting("other", "", None, (), False, "No plain value."),
        Setting("bare", "bool", False, (), False, ""),
    )
    assert Example(count=4).count == 4
    assert Example().share is None


def test_what_every_method_has_is_declared_once() -> None:
    common = [field.name for field in dataclasses.fields(Method)]
    assert common == ["iterations", "stationary"]
    own = {name: method.__annotations__ for name, method in METHODS.items()}
    # These two say what else it means to them.
    redeclared = {name for name, annotations in own.items() if "stationary" in annotations}
    assert redeclared <= {"lagrange", "projected_lm"}


@pytest.mark.parametrize("name", METHODS)
def test_many_threads_ask_for_the_settings_at_once(name: str) -> None:
    # Reading the source in two threads at once ended in a SystemError.
    settings_of.cache_clear()
    start, answers = threading.Barrier(8), []

    def ask() -> None:
        start.wait()
        answers.append(settings_of(METHODS[name]))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    assert set(map(str, answers)) == {str(settings_of(METHODS[name]))}


def test_no_source_is_parsed_at_run_time() -> None:
    code = (
        "import ast, inspect\n"
        "def refuse(*args, **kwargs): raise AssertionError('source is read')\n"
        "from limbik.methods import METHODS\n"
        "from limbik.methods.settings import settings_of\n"
        "ast.parse = inspect.getsource = refuse\n"
        "print(sum(len(settings_of(method)) for method in METHODS.values()))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(ran.stdout) > 80


WRONG: dict[str, list[Any]] = {
    "float": ["x", None, True, math.nan, [1.0], 1j],
    "int": ["x", None, True, 2.5, math.nan, [1]],
    "bool": ["x", None, 1, []],
    "choice": ["x", 3, ["rest"], {}],
    "text": [3, []],
}


@pytest.mark.parametrize("name", METHODS)
def test_a_value_of_a_wrong_type_is_refused_by_name(name: str) -> None:
    method = METHODS[name]
    for each in settings_of(method):
        for value in WRONG.get(each.kind, []):
            if value is None and each.optional:
                continue
            with pytest.raises(MethodError, match=f"{name}: {each.name} must be .*got "):
                method(**{each.name: value})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", METHODS)
def test_no_method_takes_negative_iterations(name: str) -> None:
    with pytest.raises(MethodError, match=f"{name}: iterations must .*got -1"):
        METHODS[name](iterations=-1)


def test_numbers_of_numpy_are_taken() -> None:
    numbers: dict[str, Any] = {"iterations": np.int64(7), "damping": np.float32(0.5)}
    method = METHODS["projected_lm"](**numbers)
    assert (method.iterations, method.options(problem_of("planar reachable").problem)[0]) == (7, 7)


@pytest.mark.parametrize(
    ("name", "settings", "says"),
    [
        ("penalty", {"kind": 3}, 'penalty: kind must be "exterior" or "approach", got 3'),
        ("pseudo_inverse", {"clamp": "x"}, "clamp must be a number or None, got 'x'"),
        ("extended_jacobian", {"stiffness": 3}, "stiffness must be values by joint or None, got 3"),
    ],
)
def test_a_refusal_says_what_is_taken(name: str, settings: dict[str, Any], says: str) -> None:
    with pytest.raises(MethodError, match=says):
        METHODS[name](**settings)
