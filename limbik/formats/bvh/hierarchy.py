"""The HIERARCHY section of a BVH file: lines of text into a list of joints, parents first."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, NoReturn

from limbik.errors import FormatError, did_you_mean
from limbik.figure.joints import Vector
from limbik.formats.text_lines import Line, lines
from limbik.formats.text_numbers import number, shown

MAX_JOINTS = 10_000
"""A file with more joints, or End Sites, is refused; the richest rigs have some hundreds."""

MAX_CHANNELS = 12
"""A joint with more is refused; files have up to six."""

_WORD = re.compile(r"[^\s{}]+")
_GAP = re.compile(r"\s*")
_OPEN, _BRACE = re.compile(r"\{"), re.compile(r"[{}]")
_KEYWORDS = ("ROOT", "JOINT", "End Site", "OFFSET", "CHANNELS", "MOTION")


class Channel(NamedTuple):
    """One number per frame: a slide or a turn, along or about x, y or z (axis 0, 1 or 2)."""

    slides: bool
    axis: int

    @property
    def name(self) -> str:
        """As files spell it: "Xposition", "Zrotation"."""
        return "XYZ"[self.axis] + ("position" if self.slides else "rotation")


_CHANNELS = {c.name: c for c in (Channel(s, axis) for s in (True, False) for axis in range(3))}
_BY_FOLDED = {name.casefold(): channel for name, channel in _CHANNELS.items()}


@dataclass
class Node:
    """A ROOT or JOINT as the file has it, in its own order and units."""

    name: str
    line: int
    parent: Node | None = None
    offset: Vector | None = None
    channels: tuple[Channel, ...] | None = None
    tips: list[Vector] = field(default_factory=list)


@dataclass
class _End:
    """An End Site of a node."""

    node: Node
    line: int
    offset: Vector | None = None


class Hierarchy:
    """The joints of a BVH file, and where its motion starts (None where the file has none)."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.nodes: list[Node] = []
        self.motion: Line | None = None
        self._path = path
        self._open: list[Node | _End] = []
        self._waiting: Node | _End | None = None
        self._line = 1
        self._ends = 0
        start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        found = lines(data, start)
        head = next(found, None)
        if head is None or head.text.casefold() != "hierarchy":
            word = shown(head.text) if head else "nothing"
            self._line = head.number if head else 1
            self._fail(f"is not a BVH file: expected HIERARCHY, found {word}")
        for line in found:
            self._line = line.number
            if line.text.casefold() == "motion":
                self.motion = line
                break
            self._read(line.text)
        self._check_closed()
        if not self.nodes:
            self._fail("has no ROOT")
        self._make_names_unique()

    def _fail(self, message: str) -> NoReturn:
        raise FormatError(message, self._path, self._line)

    def _check_closed(self) -> None:
        if self._waiting is not None:
            self._fail(f'{self._what(self._waiting)} has no "{{"')
        if self._open:
            last = self._open[-1]
            self._fail(f'{self._what(last)} of line {last.line} has no closing "}}"')

    def _what(self, thing: Node | _End) -> str:
        if isinstance(thing, Node):
            return f"joint {shown(thing.name)}"
        return f"the End Site of joint {shown(thing.node.name)}"

    def _read(self, text: str) -> None:
        """Take in one line: braces, and at most one statement before, between or after them."""
        at = 0
        while at < len(text):
            if text[at] == "{":
                if self._waiting is None:
                    self._fail('"{" does not follow ROOT, JOINT or End Site')
                self._open.append(self._waiting)
                self._waiting = None
            elif self._waiting is not None:
                what, found = self._what(self._waiting), shown(text[at : at + 80])
                self._fail(f'expected "{{" of {what}, found {found}')
            elif text[at] == "}":
                self._close()
            else:
                at = self._statement(text, at)
                continue
            gap = _GAP.match(text, at + 1)
            assert gap is not None
            at = gap.end()

    def _statement(self, text: str, at: int) -> int:
        """Take in one statement; the place of the brace after it, or of the line's end."""
        match = _WORD.match(text, at)
        assert match is not None
        word = match.group().casefold()
        brace = (_OPEN if word in ("root", "joint", "end") else _BRACE).search(text, match.end())
        end = brace.start() if brace else len(text)
        body = text[match.end() : end]
        if word in ("root", "joint"):
            self._joint(word, body.strip())
        elif word == "end":
            self._end_site()
        elif word == "offset":
            self._offset(body.split(None, 3))
        elif word == "channels":
            self._channels(body)
        else:
            hint = did_you_mean(match.group()[:40], _KEYWORDS)
            self._fail(f"{shown(match.group())} is not a keyword{hint}")
        return end

    def _inside(self, what: str) -> Node | _End:
        if not self._open:
            self._fail(f"{what} stands outside a joint")
        return self._open[-1]

    def _joint(self, word: str, name: str) -> None:
        if not name:
            self._fail(f"{word.upper()} has no name")
        if len(self.nodes) >= MAX_JOINTS:
            self._fail(f"has more than {MAX_JOINTS:,} joints")
        parent = None
        if word == "joint":
            inside = self._inside("JOINT")
            if isinstance(inside, _End):
                self._fail(f"JOINT {shown(name)} stands in an End Site")
            parent = inside
        elif self._open:
            self._fail(f"ROOT {shown(name)} stands inside {self._what(self._open[-1])}")
        self._waiting = Node(name, self._line, parent)
        self.nodes.append(self._waiting)

    def _end_site(self) -> None:
        inside = self._inside("End Site")
        if isinstance(inside, _End):
            self._fail("an End Site stands in an End Site")
        self._ends += 1
        if self._ends > MAX_JOINTS:
            self._fail(f"has more than {MAX_JOINTS:,} End Sites")
        self._waiting = _End(inside, self._line)

    def _offset(self, words: list[str]) -> None:
        inside = self._inside("OFFSET")
        if inside.offset is not None:
            self._fail(f"{self._what(inside)} has a second OFFSET")
        values = [number(word) for word in words]
        if len(values) != 3:
            self._fail(f"OFFSET of {self._what(inside)} has {len(values)} of 3 values")
        for word, value in zip(words, values, strict=True):
            if value is None:
                self._fail(f"{shown(word)} is not a finite number")
        x, y, z = (value or 0.0 for value in values)
        inside.offset = (x, y, z)

    def _channels(self, body: str) -> None:
        inside = self._inside("CHANNELS")
        if isinstance(inside, _End):
            self._fail(f"{self._what(inside)} has CHANNELS")
        if inside.channels is not None:
            self._fail(f"{self._what(inside)} has a second CHANNELS")
        count, *rest = body.split(None, 1) or [""]
        if not (count.isascii() and count.isdigit() and len(count) < 10):
            self._fail(f"CHANNELS needs a count, found {shown(count)}")
        # One more than may be, and all others left together: words take many times their letters.
        words = rest[0].split(None, MAX_CHANNELS) if rest else []
        if int(count) != len(words) and len(words) <= MAX_CHANNELS:
            self._fail(f"CHANNELS announces {int(count)} and lists {len(words)}")
        channels: list[Channel] = []
        for word in words:
            if len(channels) == MAX_CHANNELS:
                self._fail(f"{self._what(inside)} has more than {MAX_CHANNELS} channels")
            channel = _BY_FOLDED.get(word.casefold())
            if channel is None:
                hint = did_you_mean(word[:40], _CHANNELS)
                self._fail(f"{shown(word)} is not a channel{hint}")
            # Z Y Z is an order of Euler angles too; two turns about one axis in a row are not.
            again = channels[-1:] if channel.name.endswith("rotation") else channels
            if channel in again:
                self._fail(f"{self._what(inside)} has {channel.name} twice")
            channels.append(channel)
        inside.channels = tuple(channels)

    def _close(self) -> None:
        if not self._open:
            self._fail('"}" without "{"')
        inside = self._open.pop()
        if inside.offset is None:
            self._fail(f"{self._what(inside)} has no OFFSET")
        if isinstance(inside, _End):
            inside.node.tips.append(inside.offset)

    def _make_names_unique(self) -> None:
        """Give a name that was used before a number: "Hand", "Hand_2", "Hand_3"."""
        taken = {node.name for node in self.nodes}
        uses: dict[str, int] = {}
        renamed: list[str] = []
        for node in self.nodes:
            name = node.name
            uses[name] = uses.get(name, 0) + 1
            if uses[name] == 1:
                continue
            while f"{name}_{uses[name]}" in taken:
                uses[name] += 1
            node.name = f"{name}_{uses[name]}"
            taken.add(node.name)
            renamed.append(f'"{name}" of line {node.line} is now "{node.name}"')
        if renamed:
            more = f" and {len(renamed) - 3} more" if len(renamed) > 3 else ""
            text = f"{self._path.name}: joint names are used twice: {', '.join(renamed[:3])}{more}"
            warnings.warn(text, stacklevel=4)
