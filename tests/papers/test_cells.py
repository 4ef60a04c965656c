"""Numbers in tables: one format a column, nothing lost, numbers told from words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik.papers.cells import column_text, columns_of, is_numeric, typeset
from limbik.papers.contract import Table


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ([0.5, 12.0, 103.25], ["0.50", "12.00", "103.25"]),
        ([0.512345, 12.0], ["0.512", "12.000"]),
        ([1234.4, 99.0], ["1234.4", "99.0"]),
        ([100.0, 6.0], ["100", "6"]),
        ([1.25e-9, 0.5, 0.0], ["1.25×10⁻⁹", "0.500", "0"]),
        ([-3.0e12, 1.0], ["−3.00×10¹²", "1.00"]),
        ([-0.25, math.nan, math.inf, -math.inf], ["−0.25", "NaN", "∞", "−∞"]),
        ([math.nan, 0.0], ["NaN", "0"]),
        ([7, 12_345_678, -4000], ["7", "12\u202f345\u202f678", "−4\u202f000"]),
        ([np.int64(3), 0.25, "–"], ["3", "0.25", "–"]),
        ([True, np.bool_(False)], ["yes", "no"]),
        (["12 %", "a-b"], ["12 %", "a-b"]),
        ([], []),
    ],
)
def test_a_column(column: list, shown: list[str]) -> None:
    assert column_text(column) == shown


@given(st.lists(st.floats(1e-30, 1e30) | st.floats(-1e30, -1e-30), min_size=1))
def test_no_number_is_shown_less_exactly_than_to_three_digits(column: list[float]) -> None:
    powers = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
    for number, shown in zip(column, column_text(column), strict=True):
        read = float(shown.replace("×10", "e").translate(powers))
        assert read == pytest.approx(number, rel=5.1e-3)


@pytest.mark.parametrize(
    ("column", "numeric"),
    [
        ([1, 2.5], True),
        ([593, "own rule"], True),
        ([np.float64(0.5), "–"], True),
        (["1.5 mm", "–", ""], True),
        (["< 0.1", "≈ 30 µs", "12 (3 %)"], True),
        (["1.2e-5", "−3"], True),
        (["3 of 5 frames", "2"], False),
        (["–", ""], False),
        ([True, np.bool_(False)], False),
        (["REACHED"], False),
        ([], False),
    ],
)
def test_numbers_stand_to_the_right(column: list, numeric: bool) -> None:
    assert is_numeric(column) is numeric


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("below 1e-06.", "below 10⁻⁶."),
        ("(2.5e+10, 11e-3)", "(2.5×10¹⁰, 11×10⁻³)"),
        ("2e, e2, x1e5, 1e5x, 0.1", "2e, e2, x1e5, 1e5x, 0.1"),
    ],
)
def test_powers_of_ten_in_a_sentence(text: str, wanted: str) -> None:
    assert typeset(text) == wanted


def test_a_short_row_is_refused() -> None:
    with pytest.raises(ValueError, match='table "t": a row has 1 of 2 cells'):
        columns_of(Table("t", ["a", "b"], [[1, 2], [3]]))
