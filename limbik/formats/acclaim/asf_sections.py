"""The sections of an ASF file: lines of text into a skeleton of bones.

``asf_read.py`` says what the numbers of a bone mean.  Everything behind a "#" is a comment.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy as np

from limbik.errors import FormatError, did_you_mean
from limbik.formats.files import read_bytes
from limbik.formats.text_lines import Line, lines
from limbik.formats.text_numbers import number, shown
from limbik.maths.euler import ORDERS, euler_to_quat

MAX_BONES, MAX_LINES = 10_000, 500_000
"""A file with more is refused."""

_SECTIONS = ("version", "name", "units", "documentation", "root", "bonedata", "hierarchy", "skin")
_DOF = {kind + axis: (kind == "t", k) for kind in "tr" for k, axis in enumerate("xyz")}
_WORD = re.compile(r"[()\s,]+")
_COMMENT = re.compile(r"(?:^|\s)#.*")

LARGEST = 1e50
"""Beyond it products of two values and their squares are no longer finite."""


def slides(dof: str) -> bool:
    """Whether a degree of freedom ("tx", "rz") is a length; otherwise it is an angle."""
    return _DOF[dof][0]


def axis_of(dof: str) -> int:
    """Which axis a degree of freedom goes along or turns about: 0 is x."""
    return _DOF[dof][1]


@dataclass
class Bone:
    """A bone, or the root, as the file has it; ``dof`` in the file's order, angles in radians."""

    name: str
    line: int
    direction: tuple[float, ...] = (0.0, 0.0, 0.0)
    length: float = 0.0
    axis: tuple[float, ...] = (0.0, 0.0, 0.0)
    order: str = "XYZ"
    dof: tuple[str, ...] = ()
    limits: list[tuple[float, float]] = field(default_factory=list)
    parent: str | None = None

    @property
    def turn(self) -> np.ndarray:
        """C as a quaternion wxyz."""
        return euler_to_quat(np.array(self.axis[::-1]), self.order[::-1])

    @property
    def in_q(self) -> list[int]:
        """Which entry of ``dof`` each coordinate of the joint is: slides, then turns backwards."""
        sliding = [k for k, dof in enumerate(self.dof) if slides(dof)]
        return sliding + [k for k in reversed(range(len(self.dof))) if not slides(self.dof[k])]


@dataclass
class Skeleton:
    """What an ASF file says: its bones by name, the root first, and its unit of angles."""

    bones: dict[str, Bone]
    angle: float = math.pi / 180.0
    length: float = 1.0


def read_skeleton(path: Path) -> Skeleton:
    """What an ASF file says."""
    return _Reader(read_bytes(path), path).skeleton


class _Reader:
    """The sections of an ASF file, line by line."""

    def __init__(self, data: bytes, path: Path) -> None:
        self._path, self._line = path, 1
        self.skeleton = Skeleton({"root": Bone("root", 1)})
        self._section = ""
        self._seen: set[str] = set()
        self._bone: Bone | None = None
        self._inside = False
        self._limits: list[float] | None = None
        start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        for line in lines(data, start):
            self._line = line.number
            if self._line > MAX_LINES:
                self._fail(f"has more than {MAX_LINES:,} lines")
            self._read(line)
        if not self._seen & set(_SECTIONS):
            self._fail("is not an ASF file: it has none of its sections")
        if self._inside:
            self._fail(f":{self._section} ends without its last end")
        self._check_tree()
        self._in_radians()

    def _fail(self, message: str) -> NoReturn:
        raise FormatError(message, self._path, self._line)

    def _read(self, line: Line) -> None:
        text = _COMMENT.sub("", line.text)
        if not text:
            return
        if text.startswith(":"):
            words = text[1:].split(None, 1)
            name = words[0].casefold() if words else ""
            if name not in _SECTIONS:
                self._fail(f"{shown(text)} is not a section of ASF{did_you_mean(name, _SECTIONS)}")
            if self._inside:
                self._fail(f":{self._section} ends without its last end")
            if name in self._seen:
                self._fail(f"has two sections :{name}")
            self._seen.add(name)
            self._section = name
            return
        if self._section == "":
            self._fail(f"is not an ASF file: expected a section, found {shown(text)}")
        if self._section in ("units", "root", "bonedata", "hierarchy"):
            # No statement has 20 words; splitting a long line takes many times its letters.
            words = [word for word in _WORD.split(text, 20) if word]
            if words:
                getattr(self, "_" + self._section)(words[0].casefold(), words[1:], text)

    # ---- sections ----------------------------------------------------------------------------

    def _units(self, word: str, rest: list[str], _: str) -> None:
        if word == "angle":
            kind = rest[0].casefold() if rest else ""
            if kind[:3] not in ("deg", "rad"):
                self._fail(f"angle must be deg or rad, found {shown(kind)}")
            self.skeleton.angle = math.pi / 180.0 if kind.startswith("deg") else 1.0
        elif word == "length":
            self.skeleton.length = self._numbers("length", rest, 1)[0]

    def _root(self, word: str, rest: list[str], _: str) -> None:
        root = self.skeleton.bones["root"]
        if word == "order":
            self._set_dof(root, rest)
        elif word == "axis":
            root.order = self._order(rest[0] if rest else "")
        elif word == "position":
            root.direction = self._numbers("position", rest, 3)
        elif word == "orientation":
            root.axis = self._numbers("orientation", rest, 3)
        else:
            self._fail(f"{shown(word)} does not belong into :root")

    def _bonedata(self, word: str, rest: list[str], text: str) -> None:
        if word == "begin":
            if self._inside:
                self._fail("begin inside a bone: the one before has no end")
            self._bone, self._inside, self._limits = Bone("", self._line), True, None
            return
        bone = self._bone
        if bone is None or not self._inside:
            self._fail(f"expected begin, found {shown(text)}")
        if word == "end":
            self._finish(bone)
        elif word == "id":
            pass
        elif word == "name":
            bone.name = " ".join(rest)
        elif word == "direction":
            bone.direction = self._numbers("direction", rest, 3)
        elif word == "length":
            bone.length = self._numbers("length", rest, 1)[0]
        elif word == "axis":
            bone.axis = self._numbers("axis", rest[:3], 3)
            if len(rest) > 3:
                bone.order = self._order(rest[3])
        elif word == "dof":
            self._set_dof(bone, rest)
        elif word == "limits" or (self._limits is not None and _limit(word) is not None):
            if word == "limits":
                self._limits = []
            else:
                rest = [word, *rest]
            assert self._limits is not None
            for one in rest:
                value = _limit(one)
                if value is None:
                    self._fail(f"limits: {shown(one)} is not a number")
                self._limits.append(value)
            if len(self._limits) > 12:
                self._fail(f"bone {shown(bone.name)} has more than six limits")
        elif word not in ("bodymass", "cofmass"):
            self._fail(f"{shown(word)} does not belong into a bone")

    def _hierarchy(self, word: str, rest: list[str], text: str) -> None:
        if word in ("begin", "end") and not rest:
            self._inside = word == "begin"
            return
        if not self._inside:
            self._fail(f"expected begin, found {shown(text)}")
        words = text.split(None, MAX_BONES)
        for name in words:
            if name not in self.skeleton.bones:
                hint = did_you_mean(name[:40], self.skeleton.bones)
                self._fail(f"there is no bone {shown(name)}{hint}")
        for name in words[1:]:
            bone = self.skeleton.bones[name]
            if name == "root" or bone.parent is not None:
                self._fail(f"bone {shown(name)} has two parents, or is the root")
            bone.parent = words[0]

    # ---- pieces --------------------------------------------------------------------------------

    def _finish(self, bone: Bone) -> None:
        self._inside = False
        if not bone.name:
            self._fail("a bone has no name")
        if bone.name in self.skeleton.bones:
            self._fail(f"there are two bones {shown(bone.name)}")
        if len(self.skeleton.bones) >= MAX_BONES:
            self._fail(f"has more than {MAX_BONES} bones")
        values = self._limits or []
        if values:
            if len(values) != 2 * len(bone.dof):
                self._fail(
                    f"bone {shown(bone.name)} has {len(values)} limits for {len(bone.dof)} dof"
                )
            bone.limits = list(zip(values[::2], values[1::2], strict=True))
            for low, high in bone.limits:
                if low > high:
                    self._fail(f"bone {shown(bone.name)}: lower limit {low:g} is above {high:g}")
                if low == math.inf or high == -math.inf:
                    self._fail(f"bone {shown(bone.name)}: limits {low:g} {high:g} allow nothing")
        self.skeleton.bones[bone.name] = bone

    def _set_dof(self, bone: Bone, words: list[str]) -> None:
        dof = tuple(word.casefold() for word in words)
        for word in dof:
            if word not in _DOF:
                stretch = " (bones that stretch are not supported)" if word == "l" else ""
                self._fail(f"{shown(word)} is not a degree of freedom{stretch}")
        if len(set(dof)) != len(dof):
            self._fail(f"names a degree of freedom twice: {shown(' '.join(words))}")
        bone.dof = dof

    def _order(self, text: str) -> str:
        order = text.upper()
        if order not in ORDERS:
            self._fail(f"{shown(text)} is not an order of axes such as XYZ")
        return order

    def _numbers(self, what: str, words: list[str], count: int) -> tuple[float, ...]:
        values = [number(word) for word in words]
        if len(values) != count or any(value is None for value in values):
            self._fail(f"{what} needs {count} numbers, found {shown(' '.join(words))}")
        found = tuple(value for value in values if value is not None)
        if any(abs(value) > LARGEST for value in found):
            self._fail(f"{what} {shown(' '.join(words))} is beyond {LARGEST:g}")
        return found

    def _in_radians(self) -> None:
        """Angles were read as they stand: :units may come after what they count for."""
        angle = self.skeleton.angle
        for bone in self.skeleton.bones.values():
            bone.axis = tuple(value * angle for value in bone.axis)
            scales = [1.0 if slides(dof) else angle for dof in bone.dof] if bone.limits else []
            bone.limits = [
                (low * scale, high * scale)
                for scale, (low, high) in zip(scales, bone.limits, strict=True)
            ]

    def _check_tree(self) -> None:
        bones = self.skeleton.bones
        loose = [bone for bone in bones.values() if bone.parent is None and bone.name != "root"]
        if loose:
            self._line = loose[0].line
            self._fail(f"bone {shown(loose[0].name)} has no place in :hierarchy")


def _limit(word: str) -> float | None:
    """A number, or inf as files spell it; None for anything else."""
    infinite = {"inf": math.inf, "-inf": -math.inf, "+inf": math.inf}
    return infinite.get(word.casefold(), number(word))
