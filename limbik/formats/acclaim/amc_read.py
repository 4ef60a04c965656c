"""AMC motions (Acclaim) for the skeletons of ASF files.

A frame is its number on a line of its own, then a line per bone: its name and a value for every
degree of freedom, in the order the ASF file lists them.
"""

from __future__ import annotations

import contextlib
import math
import re
from array import array
from pathlib import Path
from typing import NoReturn

import numpy as np

from limbik.errors import FigureError, FormatError, NoMotionError, did_you_mean
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.acclaim.asf_read import figure_of
from limbik.formats.acclaim.asf_sections import Bone, Skeleton, read_skeleton, slides
from limbik.formats.files import read_bytes
from limbik.formats.text_numbers import number, shown

FPS = 120.0
"""Frames per second: the format does not say, and CMU recorded at 120.  What limbik writes says it
in a comment before the first frame."""

BLOCK = 20_000
"""Lines that wait to be taken apart together; it bounds the memory beside file and values."""

_LINE, _WORD = re.compile(rb"[^\r\n]+"), re.compile(rb"\S+")
_END = re.compile(rb"\r\n|\r|\n")
_RATE = re.compile(rb"([0-9.e+-]{1,25}) frames (?:per|a) second")


def read_motion(path: Path, figure: Figure | None = None) -> Motion:
    """The motion of an AMC file, on a ``figure`` read from its ASF file.

    Without one, the only ASF file in its folder is used, or the one that its name begins with
    (02_01.amc belongs to 02.asf).
    """
    data = read_bytes(path)
    if figure is None:
        skeleton = read_skeleton(skeleton_beside(path))
    elif isinstance(figure.source, Skeleton):
        skeleton = figure.source
    else:
        raise FormatError("needs a figure that was read from an ASF file", path)
    own = figure_of(skeleton, path)
    reader = _Reader(data, skeleton, path)
    values = reader.values()
    moving = [skeleton.bones[name] for name in own.joints if name in values]
    columns = [values[bone.name][:, bone.in_q] for bone in moving]
    try:
        motion = Motion(own, np.hstack(columns), reader.fps, path.stem)
        return motion if figure is None else motion.onto(figure)
    except FigureError as error:
        raise FormatError(str(error), path) from error


def skeleton_beside(path: Path) -> Path:
    """The ASF file in an AMC file's folder that it belongs to."""
    try:
        found = sorted(file for file in path.parent.iterdir() if file.suffix.lower() == ".asf")
    except OSError:
        found = []
    named = [file for file in found if path.stem.startswith(file.stem)]
    if named:
        return max(named, key=lambda file: len(file.stem))
    if len(found) == 1:
        return found[0]
    raise FormatError(
        "needs its skeleton: load_motion(path, figure=limbik.load(asf)), or the ASF file beside it",
        path,
    )


class _Reader:
    """Frames of an AMC file, gathered bone by bone."""

    def __init__(self, data: bytes, skeleton: Skeleton, path: Path) -> None:
        self._path, self._skeleton, self._data = path, skeleton, data
        self._angle, self.fps = skeleton.angle, FPS
        moving = [bone for bone in skeleton.bones.values() if bone.dof]
        if not moving:
            raise NoMotionError("its skeleton has no degree of freedom, so nothing moves", path)
        self._bones = {bone.name.encode(): bone for bone in skeleton.bones.values()}
        # Of every bone the values so far, and the lines that wait with the places they stand at.
        self._values: dict[bytes, array[float]] = {b.name.encode(): array("d") for b in moving}
        self._texts: dict[bytes, list[bytes]] = {name: [] for name in self._values}
        self._starts: dict[bytes, list[int]] = {name: [] for name in self._values}
        self._frames = self._waiting = 0
        self._read()
        if self._frames == 0:
            raise NoMotionError("has no frames", path)
        self._check_frame(len(data))
        self._take_in()

    def _fail(self, message: str, at: int) -> NoReturn:
        line = 1 + len(_END.findall(self._data, 0, at))
        raise FormatError(message, self._path, line)

    def _read(self) -> None:
        """Take in every line: a few dictionary look-ups each, and no look at the values yet."""
        texts, starts = self._texts, self._starts
        for match in _LINE.finditer(self._data):
            words = match.group().split(None, 1)
            if not words:
                continue
            if len(words) == 2 and words[0] in texts:
                texts[words[0]].append(words[1])
                starts[words[0]].append(match.start())
                if len(texts[words[0]]) != self._waiting:
                    self._out_of_step(words[0], match.start())
            elif len(words) == 1 and words[0].isdigit():
                self._check_frame(match.start())
                if self._waiting * len(texts) >= BLOCK:
                    self._take_in()
                self._frames += 1
                self._waiting += 1
            else:
                self._other(words, match.start())

    def _check_frame(self, at: int) -> None:
        """Every bone must have its values before the next frame begins."""
        for name, texts in self._texts.items():
            if len(texts) != self._waiting:
                self._fail(f"frame {self._frames} has no values for bone {shown(name)}", at)

    def _out_of_step(self, name: bytes, at: int) -> NoReturn:
        if self._frames == 0:
            self._fail(f"expected the number of a frame, found bone {shown(name)}", at)
        self._fail(f"frame {self._frames} has bone {shown(name)} twice", at)

    def _other(self, words: list[bytes], at: int) -> None:
        """Comments, settings, bones that do not move; anything else is refused."""
        first = words[0]
        if self._frames == 0 and first == b"#" and len(words) == 2:
            found = _RATE.search(words[1])
            rate = None if found is None else number(found.group(1))
            self.fps = rate if rate is not None and rate > 0.0 else self.fps
        if first.startswith(b"#") or (self._frames == 0 and at < 3):
            return
        if first.startswith(b":"):
            if first.lower() in (b":degrees", b":radians"):
                degrees = first.lower() == b":degrees"
                self._angle = math.pi / 180.0 if degrees else 1.0
            return
        if first in self._texts:
            self._fail(f"bone {shown(first)} has no values", at)
        if first in self._bones:
            if len(words) == 2:
                self._fail(f"bone {shown(first)} has values and no degree of freedom", at)
            return
        if number(first) is not None:
            self._fail(f"expected a frame's number or a bone, found {shown(first)}", at)
        names = [bone.name for bone in self._bones.values()]
        hint = did_you_mean(first[:40].decode("utf-8", "replace"), names)
        self._fail(f"the skeleton has no bone {shown(first)}{hint}", at)

    def values(self) -> dict[str, np.ndarray]:
        """(frames, dof) of every bone that moves, in radians and the file's unit of length."""
        out: dict[str, np.ndarray] = {}
        for name in list(self._values):
            bone = self._bones[name]
            scale = np.array([1.0 if slides(dof) else self._angle for dof in bone.dof])
            out[bone.name] = np.array(self._values.pop(name)).reshape(-1, len(bone.dof)) * scale
        return out

    def _take_in(self) -> None:
        """Make numbers of the lines that wait."""
        for name, texts in self._texts.items():
            self._values[name].extend(self._numbers(self._bones[name], texts, self._starts[name]))
            texts.clear()
            self._starts[name].clear()
        self._waiting = 0

    def _numbers(self, bone: Bone, texts: list[bytes], starts: list[int]) -> list[float]:
        width = len(bone.dof)
        # Lines are split no further than needed: words take many times their letters.
        if all(len(text.split(None, width)) == width for text in texts):
            with contextlib.suppress(ValueError):
                values = list(map(float, b" ".join(texts).split()))
                if np.isfinite(values).all() and not any(b"_" in text for text in texts):
                    return values
        for text, at in zip(texts, starts, strict=True):
            parts = text.split(None, width)
            if len(parts) != width:
                count = sum(1 for _ in _WORD.finditer(text))
                self._fail(f"bone {shown(bone.name)} has {count} of {width} values", at)
            for part in parts:
                if number(part) is None:
                    self._fail(f"{shown(part)} is not a finite number", at)
        raise AssertionError("a fault that no line has")
