"""Lines of text in bytes: whatever ends them, with their numbers, and none that is blank."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_BLANK = re.compile(rb"[ \t\n\r\v\f]*")
_LINE = re.compile(rb"[^\r\n]*(\r\n|\r|\n)?")


class Line(NamedTuple):
    """A line of the file: its number, the byte after it, its text without spaces around it."""

    number: int
    end: int
    text: str


def lines(data: bytes, start: int = 0, first: int = 1) -> Iterator[Line]:
    """The lines from byte ``start`` on that are not blank, ended by LF, CRLF or CR."""
    number = first
    while True:
        blank = _BLANK.match(data, start)
        assert blank is not None
        run, start = blank.group(), blank.end()
        number += run.count(b"\n") + run.count(b"\r") - run.count(b"\r\n")
        if start == len(data):
            return
        match = _LINE.match(data, start)
        assert match is not None
        start = match.end()
        try:
            text = match.group().decode("utf-8").strip()
        except UnicodeDecodeError:
            text = match.group().decode("latin-1").strip()
        if text:
            yield Line(number, start, text)
        number += 1
