"""Numbers in text: a single one, and frames of them by the million, with the line of any fault."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from limbik.errors import FormatError

BLOCK = 1 << 20
"""Bytes that are taken apart at a time; it bounds the memory beside the file and its values."""

_WHITE = np.zeros(256, bool)
_WHITE[list(b" \t\n\r\v\f")] = True
_SPACE = re.compile(rb"[ \t\n\r\v\f]")


def number(text: str | bytes) -> float | None:
    """The finite number a word spells, correctly rounded, or None.

    >>> number("-.5"), number("1e-5"), number("1.#QNAN"), number("nan"), number("1_0")
    (-0.5, 1e-05, None, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    grouped = b"_" in text if isinstance(text, bytes) else "_" in text  # Python's own 1_000
    return value if math.isfinite(value) and not grouped else None


def shown(text: str | bytes) -> str:
    """A word of a file in quotes, short enough for a message, without control characters."""
    if isinstance(text, bytes):
        text = text[:80].decode("utf-8", "replace")
    text = "".join(letter if letter.isprintable() else "?" for letter in text[:80])
    return f'"{text[:40]}..."' if len(text) > 40 else f'"{text}"'


def read_frames(
    data: bytes, start: int, line: int, width: int, announced: int, path: Path
) -> np.ndarray:
    """(frames, width) the numbers in ``data`` from byte ``start``, a frame of ``width`` a line.

    ``line`` is the number of the line at ``start``.  Blank lines are skipped.  Frames that wrap
    over several lines, or share one, are accepted when there are as many as ``announced`` and no
    line holds the end of one and the beginning of another; any other line with too few or too many
    values is refused.
    """
    values = np.empty(min(announced * width, (len(data) - start) // 2 + 1))
    layout, first = _Layout(width, announced, path), start
    while start < len(data):
        end = _cut(data, start)
        block = data[start:end]
        lines, line = _lines_of_words(block, line)
        start = end
        if len(lines) == 0:
            continue
        numbers = _floats(block, lines, path)
        done = layout.words + len(lines)
        if done > len(values):
            # As many as there will be if the rest of the file is like what came before it.
            likely = int(1.02 * done * (len(data) - first) / (end - first)) + 1
            values.resize(max(done, min(likely, (len(data) - first) // 2 + 1)), refcheck=False)
        values[layout.words : done] = numbers
        layout.add(lines)
    layout.finish()
    return values[: layout.words].reshape(-1, width)


def _cut(data: bytes, start: int) -> int:
    """Where a block from ``start`` ends: at a space or line end, not between CR and LF."""
    end = start + BLOCK
    if end >= len(data):
        return len(data)
    space = _SPACE.search(data, end)
    end = space.start() if space else len(data)
    return end + 1 if data[end - 1 : end + 1] == b"\r\n" else end


def _lines_of_words(block: bytes, line: int) -> tuple[np.ndarray, int]:
    """The line number of every word in the block, and that of the block's end."""
    codes = np.frombuffer(block, np.uint8)
    inside = ~_WHITE[codes]
    starts = inside.copy()
    starts[1:] &= ~inside[:-1]
    breaks = codes == 10
    if b"\r" in block:
        alone = codes == 13
        alone[:-1] &= ~breaks[1:]
        breaks |= alone
    ends = np.flatnonzero(breaks)
    return line + np.searchsorted(ends, np.flatnonzero(starts)), line + len(ends)


def _floats(block: bytes, lines: np.ndarray, path: Path) -> np.ndarray:
    """The block's words as float64; the first that is not a finite number is refused by line."""
    words = block.split()
    try:
        numbers = np.array(list(map(float, words)))
        good = b"_" not in block and bool(np.isfinite(numbers).all())
    except ValueError:
        numbers, good = np.empty(0), False
    if good:
        return numbers
    bad = next(i for i, word in enumerate(words) if number(word) is None)
    raise FormatError(f"{shown(words[bad])} is not a finite number", path, int(lines[bad]))


class _Layout:
    """Whether the words met so far, line by line, make up whole frames."""

    def __init__(self, width: int, announced: int, path: Path) -> None:
        self.width, self.announced, self.path = width, announced, path
        self.words = 0
        self._line = -1
        self._wrapped = self._shared = True
        self._fault: FormatError | None = None

    def add(self, lines: np.ndarray) -> None:
        """Take in the line numbers of the next words."""
        first = np.diff(lines, prepend=self._line) != 0
        due = np.arange(self.words, self.words + len(lines)) % self.width == 0
        wrong = first != due
        if wrong.any():
            if self._fault is None:
                k = int(np.argmax(wrong))
                before = int(lines[k - 1]) if k else self._line
                what = self._short if first[k] else self._long
                self._fault = what(self.words + k, before)
            self._wrapped = self._wrapped and bool(first[due].all())
            self._shared = self._shared and bool(due[first].all())
            if not (self._wrapped or self._shared):
                raise self._fault
        self.words += len(lines)
        self._line = int(lines[-1])

    def finish(self) -> None:
        """Raise what is wrong, now that there are no more words."""
        if self._fault is not None and self.words != self.announced * self.width:
            raise self._fault
        if self.words % self.width:
            raise self._short(self.words, self._line)

    def _short(self, words: int, line: int) -> FormatError:
        frame, has = words // self.width + 1, words % self.width
        return FormatError(f"frame {frame} has {has} of {self.width} values", self.path, line)

    def _long(self, words: int, line: int) -> FormatError:
        frame = words // self.width
        return FormatError(f"frame {frame} has more than {self.width} values", self.path, line)
