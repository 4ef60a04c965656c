"""Errors say what is wrong and where."""

from __future__ import annotations

import doctest
import pickle
from pathlib import Path

import pytest

from limbik import errors


def test_a_format_error_names_file_and_line() -> None:
    error = errors.FormatError('joint "LeftHand" has 2 of 3 rotation values', "a/walk.bvh", 214)
    assert str(error) == 'walk.bvh line 214: joint "LeftHand" has 2 of 3 rotation values'
    assert error.file == Path("a/walk.bvh")
    assert error.line == 214


def test_a_format_error_leaves_out_what_is_not_known() -> None:
    assert str(errors.FormatError("no joints", "walk.bvh")) == "walk.bvh: no joints"
    assert str(errors.FormatError("no joints")) == "no joints"


def test_a_format_error_survives_a_process_boundary() -> None:
    error = pickle.loads(pickle.dumps(errors.FormatError("no joints", Path("walk.bvh"), 3)))
    assert str(error) == "walk.bvh line 3: no joints"


@pytest.mark.parametrize(
    "kind", [errors.FigureError, errors.GoalError, errors.MethodError, errors.FormatError]
)
def test_every_kind_is_a_limbik_error(kind: type[errors.LimbikError]) -> None:
    with pytest.raises(errors.LimbikError, match="what is wrong"):
        raise kind("what is wrong")


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(errors).failed == 0
