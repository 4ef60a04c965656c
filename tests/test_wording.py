"""Plain English in the package: words that readers stumbled over do not come back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "limbik"

REFUSED = {
    r"\b(frames|iterations|seconds|metres|µs|ms|sweeps) an? (frame|iteration|second|step)\b"
    r"(?! (may|takes|needs))": "per",
    r"\bif left\b": "default: ...",
    r"\bknows? no limits\b": "has no limits",
    r"\bNobody broke\b": "no limit was violated",
    r"\bthe door to\b": "say what it is",
    r"\bis there already\b": "already exists",
    r"\bkeep the figures\b": "numbers",
}
"""What is not written, and what is written instead."""

# The page of the poser and its messages have tests of their own.
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if "poser" not in path.parts]


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings, messages and other strings of a module, with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, " ".join(node.value.split())


def wrong(source: str) -> list[str]:
    return [
        f'line {line}: "{found[0]}" (write: {instead})'
        for line, text in texts(source)
        for pattern, instead in REFUSED.items()
        if (found := re.search(pattern, text, re.IGNORECASE))
    ]


def test_the_package_says_it_plainly() -> None:
    told = {
        str(path.relative_to(PACKAGE)): found
        for path in MODULES
        if (found := wrong(path.read_text(encoding="utf-8")))
    }
    assert not told


@pytest.mark.parametrize(
    "text",
    ["takes 50 µs a frame", "all if left", "120 frames a second", "The notes know no limits"],
)
def test_such_words_are_found(text: str) -> None:
    assert wrong(f'"""{text}."""')


def test_others_are_not() -> None:
    assert not wrong('"""Iterations a frame may take; on the left; 120 frames per second."""')
