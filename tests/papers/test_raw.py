"""Raw numbers in files: exact, readable by strict readers, and nothing that could change."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik.papers.contract import Verdict
from limbik.papers.raw import json_text, plain

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)  # fmt: skip


def refuse(text: str) -> None:
    raise AssertionError(f"{text} is not JSON")


@dataclass(frozen=True)
class Setting:
    damping: float
    steps: tuple[int, ...]


@given(VALUES)
def test_what_is_written_is_what_is_read(value: Any) -> None:
    text = json_text(plain(value, "here"))
    assert json.loads(text, parse_constant=refuse) == value


def test_arrays_keep_every_digit() -> None:
    array = np.random.default_rng(0).normal(size=(3, 4))
    back = json.loads(json_text(plain({"a": array, "b": array[0, 0]}, "here")))
    assert np.array_equal(back["a"], array)
    assert back["b"] == array[0, 0]


def test_what_is_not_finite_is_text() -> None:
    text = json_text(plain([np.nan, np.array([np.inf, -np.inf, 1.0])], "here"))
    assert json.loads(text, parse_constant=refuse) == ["NaN", ["Infinity", "-Infinity", 1.0]]


def test_a_list_of_numbers_is_a_line() -> None:
    text = json_text({"a": [1, 2, 3], "b": {"c": [[1.5, 2], []]}, "d": {}})
    assert (
        text == '{\n "a": [1, 2, 3],\n "b": {\n  "c": [\n   [1.5, 2],\n   []\n  ]\n },\n "d": {}\n}'
    )


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (Setting(0.5, (1, 2)), {"kind": "Setting", "damping": 0.5, "steps": [1, 2]}),
        (Verdict.FAILS, "does not hold"),
        (PurePosixPath("clips/walk.bvh"), "clips/walk.bvh"),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.bool_(True), True),
        ({1: 2, 0.05: "x"}, {"1": 2, "0.05": "x"}),
        (range(3), [0, 1, 2]),
    ],
)
def test_kinds(value: Any, wanted: Any) -> None:
    got = plain(value, "here")
    assert got == wanted
    assert json.loads(json_text(got)) == wanted


@pytest.mark.parametrize("value", [object(), {1, 2}, 1j, np.array([1j]), len, Setting, b"x"])
def test_what_could_change_from_run_to_run_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="flip: numbers, poses"):
        plain({"poses": [value]}, "flip: numbers")
