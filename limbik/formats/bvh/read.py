"""BVH files: the skeleton into a Figure, its channels frame by frame into a Motion.

A joint's transform from its parent is translate · rotate.  The rotation channels apply in the
order the file lists them, the first leftmost: "Zrotation Yrotation Xrotation" is Rz·Ry·Rx.  The
position channels translate along the parent's axes, before the rotations, wherever in the list they
stand.  Every channel is one coordinate of the figure, slides before turns; angles are in radians.

Do position channels replace OFFSET or add to it?  No specification says, and readers differ:
Blender's importer and Holden's ``BVH.py`` replace, three.js adds.  Files decide:

- ROOT: they replace.  Where a root has an OFFSET its channels repeat it: 103.511 and 103.511
  (bvhtoolbox_walk01), 94 and 87.7 in a dance (animdraw_rokoko), 0.6394 and 0.6394
  (makehuman_tpose); adding would hang the body a hip's height in the air.  Two others have 0 there
  (akjava_tpose, makehuman_walk1) and stand lower for it.  So the root's slides are its place in the
  world and its OFFSET is the rest pose.
- JOINT: they replace as well (Blender's exporter writes the bone's rest offset plus its movement),
  except where that would collapse the skeleton: makehuman_tpose has position channels on most
  joints, all 0, beside the OFFSETs of a whole body.  Where most such joints would sit within a
  tenth of their bone's length of their parents, the channels are taken to add.  Either way the
  figure is the same: the joint's offset is OFFSET and its slides are what is added to it.

Bones do not stretch: a JOINT's slides are fixed at 0, or at what the motion has in the middle where
that steadily differs, so that nothing is solved by them.  A motion keeps its values, frame by
frame.  Free are the slides of a root, and of a joint that carries the whole figure ("Root > Hips").
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from limbik.errors import FigureError, FormatError, LimbikWarning, NoMotionError
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Slide, Turn, Vector, unit_axis
from limbik.figure.limits import Range
from limbik.figure.motion import Motion
from limbik.formats.bvh.hierarchy import Channel, Hierarchy, Node
from limbik.formats.files import read_bytes
from limbik.formats.text_lines import Line, lines
from limbik.formats.text_numbers import number, read_frames, shown

COLLAPSED = 0.1
"""The share of its bone's length within which a joint counts as sitting on its parent."""

_STRETCHED = 0.01  # of a bone's length, by which a motion may differ from OFFSET
_ROWS = 10_000  # frames whose values are put in order at a time


@dataclass(frozen=True)
class FromBvh:
    """The ``source`` of a figure from a BVH file: written again, its joints keep their channels."""


_HEADER = re.compile(r"(frames|frame\s*time)\s*:?\s*(.*)", re.IGNORECASE)


def read_figure(path: Path) -> Figure:
    """The skeleton of a BVH file, at rest in its OFFSETs; its motion is not looked at."""
    return _figure(Hierarchy(read_bytes(path), path).nodes, path)


def stretching(figure: Figure) -> Figure:
    """The figure with those slides free that ``read_figure`` fixed."""
    free = {
        f"{joint.name}.{joint.labels[k]}": None
        for joint in figure.definition
        if joint.slide_limit is not None and _is_fixed(joint.slide_limit)
        for k in joint.slide_columns
    }
    return figure.with_limits(free)


def _is_fixed(limit: Range) -> bool:
    return bool((limit.lower == limit.upper).all())


def read_motion(path: Path, figure: Figure | None = None) -> Motion:
    """The motion of a BVH file, on its own skeleton or on a ``figure`` with the same coordinates
    (the same skeleton with limits, say)."""
    data = read_bytes(path)
    hierarchy = Hierarchy(data, path)
    nodes = hierarchy.nodes
    own = _figure(nodes, path)
    if figure is not None and figure.coordinates != own.coordinates:
        pairs = zip_longest(own.coordinates, figure.coordinates, fillvalue="nothing")
        here, there = next(pair for pair in pairs if pair[0] != pair[1])
        raise FormatError(f"does not fit the figure: has {here} where that has {there}", path)
    if hierarchy.motion is None:
        raise NoMotionError("has no MOTION section", path)
    header = _header(data, hierarchy.motion, path)
    channels = [channel for node in nodes for channel in node.channels or ()]
    if not channels:
        raise NoMotionError("has no channels, so nothing moves", path, hierarchy.motion.number)
    values = read_frames(data, header.start, header.line, len(channels), header.frames, path)
    if len(values) == 0:
        raise NoMotionError("has no frames", path, header.line)
    if len(values) != header.frames:
        text = f"{path.name}: announces {header.frames} frames and has {len(values)}"
        warnings.warn(text, LimbikWarning, stacklevel=3)
    try:
        q = _poses(nodes, values)
        return Motion(figure or _as_long_as_in(own, q), q, header.fps, path.stem)
    except FigureError as error:
        raise FormatError(str(error), path, hierarchy.motion.number) from error


# ---- the figure ----------------------------------------------------------------------------------


def in_q(channels: Sequence[Channel]) -> list[int]:
    """The order of a joint's channels in q: slides, then turns, each in the file's order."""
    return sorted(range(len(channels)), key=lambda k: not channels[k].slides)


def _figure(nodes: list[Node], path: Path) -> Figure:
    joints: list[Joint] = []
    rest: list[float] = []
    carrier = _carrier(nodes)
    for node in nodes:
        channels = node.channels or ()
        offset = list(node.offset or (0.0, 0.0, 0.0))
        parts: list[Slide | Turn] = []
        for channel in (channels[k] for k in in_q(channels)):
            axis = unit_axis("xyz"[channel.axis])
            parts.append(Slide(axis) if channel.slides else Turn(axis))
            rest.append(0.0)
            if channel.slides and node.parent is None:
                rest[-1], offset[channel.axis] = offset[channel.axis], 0.0
        parent = None if node.parent is None else node.parent.name
        place: Vector = (offset[0], offset[1], offset[2])
        tip = node.tips[0] if node.tips else None
        slides = any(part.slides for part in parts)
        fixed = Range(0.0, 0.0) if slides and parent is not None and node is not carrier else None
        joints.append(Joint(node.name, parent, tuple(parts), place, tip=tip, slide_limit=fixed))
    spare = [node.name for node in nodes if len(node.tips) > 1]
    if spare:
        more = f" and {len(spare) - 1} more joints" if len(spare) > 1 else ""
        text = f'{path.name}: only the first End Site of "{spare[0]}"{more} is kept'
        warnings.warn(text, LimbikWarning, stacklevel=4)
    try:
        return Figure(joints, rest=rest, name=path.stem, source=FromBvh())
    except FigureError as error:
        raise FormatError(str(error), path, nodes[0].line) from error


def _carrier(nodes: list[Node]) -> Node | None:
    """The joint that carries the whole figure: the first that more than one hang on."""
    children: dict[int, int] = {}
    for node in nodes:
        if node.parent is not None:
            children[id(node.parent)] = children.get(id(node.parent), 0) + 1
    at = next((node for node in nodes if children.get(id(node), 0) != 1), None)
    roots = sum(node.parent is None for node in nodes)
    return at if at is not None and roots == 1 and children.get(id(at), 0) > 1 else None


def _as_long_as_in(figure: Figure, q: np.ndarray) -> Figure:
    """The figure with its fixed slides where they are in the middle of a motion q (frames, n),
    for joints whose bones are steadily longer or shorter there than OFFSET says."""
    joints, changed, first = [], False, 0
    for joint in figure.definition:
        width = len(joint.labels)
        fixed = joint.slide_limit
        if fixed is not None and _is_fixed(fixed):
            values = q[:, [first + k for k in joint.slide_columns]]
            middle = np.median(values, axis=0)
            away = float(np.abs(middle).max())
            steady = float(np.median(np.abs(values - middle), axis=0).max()) <= 0.1 * away
            if steady and away > _STRETCHED * math.hypot(*joint.offset):
                joint, changed = (
                    replace(joint, slide_limit=Range(middle, middle, degrees=False)),
                    True,
                )
        joints.append(joint)
        first += width
    if not changed:
        return figure
    return Figure(
        joints,
        rest=figure.rest,
        name=figure.name,
        source=figure.source,
        physical=figure.physical,
    )


# ---- the motion ----------------------------------------------------------------------------------


class _Header(NamedTuple):
    frames: int
    fps: float
    start: int
    line: int


def _header(data: bytes, motion: Line, path: Path) -> _Header:
    """What stands between MOTION and the first frame, and where that frame starts."""
    found: set[str] = set()
    last = motion

    def fail(message: str) -> NoReturn:
        raise FormatError(message, path, last.number)

    frames, fps = 0, 0.0
    for line in lines(data, motion.end, motion.number + 1):
        last = line
        match = _HEADER.fullmatch(line.text)
        if match is None:
            fail(f'expected "Frames:" and "Frame Time:", found {shown(line.text)}')
        word = "frames" if match.group(1).casefold() == "frames" else "frame time"
        text = match.group(2).strip()
        if word in found:
            fail(f'says "{word}" twice')
        found.add(word)
        if word == "frames":
            if not (text.isascii() and text.isdigit() and len(text) < 16):
                fail(f"Frames: needs a count, found {shown(text)}")
            frames = int(text)
        else:
            seconds = number(text)
            if seconds is None or seconds <= 0 or not math.isfinite(1 / seconds):
                fail(f"Frame Time: needs seconds above 0, found {shown(text)}")
            fps = _rate(seconds, text)
        if len(found) == 2:
            return _Header(frames, fps, line.end, line.number + 1)
    return fail("MOTION ends before Frames: and Frame Time:")


def _rate(seconds: float, text: str) -> float:
    """Frames per second.  A whole number whose inverse, with as many decimals, is what the file
    says is meant where it has at least five of them: 0.033333 is 30 and not 30.0003."""
    decimals = len(text.partition(".")[2]) if text.replace(".", "", 1).isdigit() else 0
    whole = round(1 / seconds)
    exact = (
        5 <= decimals <= 20
        and whole > 0
        and f"{1 / whole:.{decimals}f}" == f"{seconds:.{decimals}f}"
    )
    return float(whole) if exact else 1 / seconds


def _poses(nodes: list[Node], values: np.ndarray) -> np.ndarray:
    """(frames, n) q from the values as the file lists them; ``values`` is overwritten."""
    order: list[int] = []
    scale: list[float] = []
    added: list[tuple[int, float]] = []
    bones: list[tuple[np.ndarray, np.ndarray]] = []
    for node in nodes:
        channels = node.channels or ()
        first = len(order)
        order += [first + k for k in in_q(channels)]
        scale += [1.0 if channel.slides else math.pi / 180 for channel in channels]
        slides = [k for k, channel in enumerate(channels) if channel.slides]
        if slides and node.parent is not None and node.offset is not None:
            offset = np.array([node.offset[channels[k].axis] for k in slides])
            columns = [first + k for k in slides]
            added += zip(columns, offset.tolist(), strict=True)
            bones.append((offset, values[:, columns]))
    values *= np.array(scale)
    if not collapses(bones):
        with np.errstate(over="ignore"):
            for column, offset in added:
                values[:, column] -= offset
    if order != sorted(order):
        for start in range(0, len(values), _ROWS):  # not all at once, which would take a copy
            values[start : start + _ROWS] = values[start : start + _ROWS, order]
    return values


def collapses(bones: Sequence[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Whether most joints would sit on their parents if position channels replaced OFFSET.

    ``bones`` has for each joint its OFFSET (k,) along the axes that have channels, and the
    channels (frames, k).
    """
    votes: list[bool] = []
    for offset, channels in bones:
        length = math.hypot(*offset.tolist())  # no overflow below the largest number
        if length > 0:
            votes.append(float(np.median(_lengths(channels))) < COLLAPSED * length)
    return 2 * sum(votes) > len(votes)


def _lengths(vectors: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.linalg.norm(vectors, axis=1)
