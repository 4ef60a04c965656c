"""Numbers in tables: one format a column, so that the eye can compare down it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np

from limbik.papers.contract import Table

_DIGITS = 3  # significant ones of the smallest number in a column
_WIDEST = 8  # digits in all, before powers of ten are easier to read

_NUMBER = re.compile(r"[−+<≤>≥~≈±-]*\s?\d[\d.,\s]*(e[+-]?\d+)?\s*\S{0,4}(\s?\(.*\))?")

_E_NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?\d+)(?!\w)")

Cell = str | float | int


def columns_of(table: Table) -> tuple[list[list[str]], list[bool]]:
    """The rows as text, and for each column whether it holds numbers (to be set to the right).

    >>> columns_of(Table("t", ["method", "error"], [["a", 0.5], ["b", 12.0]]))
    ([['a', '0.5'], ['b', '12.0']], [False, True])
    """
    width = len(table.columns)
    for row in table.rows:
        if len(row) != width:
            raise ValueError(f'table "{table.title}": a row has {len(row)} of {width} cells')
    columns = [[row[k] for row in table.rows] for k in range(width)]
    texts = [column_text(column) for column in columns]
    rows = [[text[i] for text in texts] for i in range(len(table.rows))]
    return rows, [is_numeric(column) for column in columns]


def is_numeric(column: Sequence[Cell]) -> bool:
    """Whether a column is one of numbers, with a word or a dash among them at most."""
    if any(not isinstance(cell, str | bool | np.bool_) for cell in column):
        return True
    texts = [str(cell).strip() for cell in column if str(cell).strip(" –—-")]
    return bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)


def column_text(column: Sequence[Cell]) -> list[str]:
    """The cells as text; text stays as it is, numbers get the format that suits them all."""
    numbers = [
        float(c) for c in column if not isinstance(c, str | bool | np.bool_) and not _whole(c)
    ]
    shown = number_format(numbers)
    return [_cell(cell, shown) for cell in column]


def number_format(numbers: Sequence[float]) -> Callable[[float], str]:
    """How to write the numbers of one column: so many decimals, or powers of ten."""
    sizes = [abs(x) for x in numbers if math.isfinite(x) and x != 0.0]
    if not sizes:
        return lambda x: special(x) or f"{x:.0f}"
    largest = math.floor(math.log10(max(sizes)))
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(min(sizes))))
    while decimals and all(round(x, decimals - 1) == x for x in sizes):
        decimals -= 1  # a zero at the end of every number
    if max(largest, 0) + 1 + decimals > _WIDEST:
        return power_of_ten
    return lambda x: special(x) or minus(f"{x:.{decimals}f}")


def power_of_ten(x: float) -> str:
    """ "1.23×10⁻⁵"; numbers of everyday size stay without a power."""
    if not math.isfinite(x) or x == 0.0:
        return special(x) or "0"
    if 1e-3 <= abs(x) < 1e3:
        decimals = max(0, _DIGITS - 1 - math.floor(math.log10(abs(x))))
        return minus(f"{x:.{decimals}f}")
    digits, _, power = f"{x:.{_DIGITS - 1}e}".partition("e")
    return minus(f"{digits}×10{_raised(power)}")


def typeset(text: str) -> str:
    """Numbers in a sentence with their powers of ten as people write them.

    >>> typeset("within 6.2e-16 after 1e+06 steps")
    'within 6.2×10⁻¹⁶ after 10⁶ steps'
    """
    return _E_NUMBER.sub(lambda m: f"{'' if m[1] == '1' else m[1] + '×'}10{_raised(m[2])}", text)


def _raised(power: str) -> str:
    return str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def special(x: float) -> str:
    """What is not finite, in a word; nothing for other numbers."""
    if math.isnan(x):
        return "NaN"
    return "" if math.isfinite(x) else "∞" if x > 0 else "−∞"


def minus(text: str) -> str:
    """With a minus sign, which is as wide as a plus, in place of a hyphen."""
    return text.replace("-", "−")


def _whole(cell: Cell) -> bool:
    return not isinstance(cell, float) and float(cell).is_integer()


def _cell(cell: Cell, shown: Callable[[float], str]) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if _whole(cell):
        # A narrow space between thousands, which no line breaks at.
        return minus(f"{int(cell):,}").replace(",", "\u202f")
    return shown(float(cell))
