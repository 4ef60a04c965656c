"""Figures and motions into BVH files.

A joint whose parts BVH can spell (slides, then turns, along x, y and z, none twice, no fixed
rotation) keeps its channels and gives back the same coordinates when it is read.  Any other joint
is written with the rotation channels Z, Y, X, a root with positions before them, computed from its
transform on its parent: a fixed rotation, which BVH has no place for, goes into the channels, and
all joints stand where they stood.  Position channels hold the whole translation, OFFSET included,
as Blender reads them; read.py says why.

Blender and others refuse joints of one or two rotation channels, and take a position channel that
is missing for 0 instead of OFFSET.  So a joint that turns is given three rotations, the new ones at
0, and a joint that slides three positions: a knee is read back as a ball.  Only what was read from
a BVH file keeps the channels it had there.

Others read one root, and names up to their first space.  So several roots hang on a new one that
stands still, and names are written with underscores for spaces.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from limbik.errors import FormatError, LimbikWarning
from limbik.figure.coordinates import euler_following
from limbik.figure.figure import Figure
from limbik.figure.joints import BallPart, Joint
from limbik.figure.motion import Motion
from limbik.formats.bvh.hierarchy import Channel
from limbik.formats.bvh.read import FromBvh, collapses
from limbik.formats.common_root import free_name, under_one_root
from limbik.formats.files import write_whole
from limbik.formats.on_parents import VALUES, on_parents
from limbik.formats.text_numbers import shown

DEEPEST = 50
"""Tabs before a line at most: a long chain's file would grow as the square of its joints."""

ORDERS = ("ZYX", "ZXY", "YXZ", "YZX", "XYZ", "XZY")
"""Of a joint's three rotations, the first that has those it came with in their order."""

_EULER = (Channel(False, 2), Channel(False, 1), Channel(False, 0))
_PLACE = (Channel(True, 0), Channel(True, 1), Channel(True, 2))


class Written(NamedTuple):
    """A joint in the file: its channels, their values (frames, channels), and its OFFSET."""

    channels: tuple[Channel, ...]
    values: np.ndarray
    offset: np.ndarray


def write(thing: Figure | Motion, path: Path, precision: int = 6) -> None:
    """Write a motion, or a figure's rest pose as one frame at 30 fps, with so many decimals."""
    if not 0 <= precision <= 17:
        raise FormatError(f"precision must lie within 0 and 17 decimals, not {precision}", path)
    motion = (
        Motion(thing, thing.rest[None], 30.0, thing.name) if isinstance(thing, Figure) else thing
    )
    motion = under_one_root(motion)
    for name in motion.figure.joints:
        plain = name == name.encode("utf-8", "replace").decode().strip()
        if not plain or any(mark in name for mark in "\r\n{"):
            raise FormatError(f"a BVH file cannot hold the joint name {shown(name)}", path)
    names = _one_word_each(motion.figure.joints, path)
    joints = written(motion)

    def fill(file: BinaryIO) -> None:
        for line in _hierarchy(motion.figure, names, joints, precision):
            file.write(line.encode() + b"\n")
        file.write(b"MOTION\nFrames: %d\nFrame Time: %.15g\n" % (len(motion), 1 / motion.fps))
        order = [i for i, _, opens in _depth_first(motion.figure) if opens]
        _write_frames(file, [joints[i] for i in order], precision)

    write_whole(path, fill)


# ---- channels and their values -------------------------------------------------------------------


def spelled(joint: Joint) -> tuple[Channel, ...] | None:
    """The channels that say exactly what the joint's parts say, or None where BVH has none."""
    if np.any(np.array(joint.wxyz[1:]) != 0.0):
        return None
    channels: list[Channel] = []
    for part in joint.parts:
        if isinstance(part, BallPart) or part.coupled is not None:
            return None
        axis = next((k for k in range(3) if tuple(part.axis) == tuple(np.eye(3)[k])), None)
        if axis is None:
            return None
        channel = Channel(part.slides, axis)
        turned = bool(channels) and not channels[-1].slides
        if channel in channels or (channel.slides and turned):
            return None
        channels.append(channel)
    return tuple(channels)


def written(motion: Motion) -> list[Written]:
    """Every joint of the motion's figure as a BVH file has it, in the figure's order."""
    figure = motion.figure
    done: list[Written | None] = []
    first = np.searchsorted(figure.owner, np.arange(len(figure.joints)))
    for i, joint in enumerate(figure.definition):
        channels = spelled(joint)
        if channels is None:
            done.append(None)
            continue
        columns = slice(first[i], first[i] + len(channels))
        offset = np.array(joint.offset, float)
        values = motion.q[:, columns] * [1.0 if c.slides else 180 / np.pi for c in channels]
        for k, channel in enumerate(channels):
            if channel.slides:
                values[:, k] += joint.offset[channel.axis]
                offset[channel.axis] += figure.rest[first[i] + k]
        joint = Written(channels, values, offset)
        done.append(joint if isinstance(figure.source, FromBvh) else _padded(joint))
    others = [i for i, joint in enumerate(done) if joint is None]
    if others:
        wxyz, place = on_parents(figure, motion.q, others)
        _, resting = on_parents(figure, figure.rest[None], others)
        for k, i in enumerate(others):
            done[i] = _computed(figure, i, wxyz[:, k], place[:, k], resting[0, k])
    return _with_unambiguous_offsets([joint for joint in done if joint is not None], figure)


def _padded(joint: Written) -> Written:
    """A joint with all three rotation channels if it has one, and all three positions likewise."""
    own = {channel: joint.values[:, k] for k, channel in enumerate(joint.channels)}
    channels: list[Channel] = []
    if any(channel.slides for channel in own):
        channels += [*(c for c in own if c.slides), *(c for c in _PLACE if c not in own)]
    letters = "".join("XYZ"[channel.axis] for channel in own if not channel.slides)
    if letters:
        order = next(o for o in ORDERS if "".join(axis for axis in o if axis in letters) == letters)
        channels += [Channel(False, "XYZ".index(axis)) for axis in order]
    values = np.zeros((len(joint.values), len(channels)))
    for k, channel in enumerate(channels):
        values[:, k] = own.get(channel, joint.offset[channel.axis] if channel.slides else 0.0)
    return Written(tuple(channels), values, joint.offset)


def _computed(
    figure: Figure, i: int, wxyz: np.ndarray, place: np.ndarray, resting: np.ndarray
) -> Written:
    """A joint by its rotation (frames, 4) and place (frames, 3) on its parent."""
    joint = figure.definition[i]
    angles = np.degrees(euler_following(wxyz, "ZYX"))
    if joint.parent is None or any(joint.slides):
        return Written(_PLACE + _EULER, np.hstack([place, angles]), resting)
    return Written(_EULER, angles, np.array(joint.offset, float))


def _with_unambiguous_offsets(joints: list[Written], figure: Figure) -> list[Written]:
    """Another OFFSET for joints with position channels, where the reader would take these to add.

    Position channels replace OFFSET, so a middle frame's own will do.
    """
    slid: list[tuple[np.ndarray, list[int], np.ndarray]] = []
    for joint, parent in zip(joints, figure.parents, strict=True):
        slides = [k for k, channel in enumerate(joint.channels) if channel.slides]
        if slides and parent >= 0:
            axes = [joint.channels[k].axis for k in slides]
            slid.append((joint.offset, axes, joint.values[:, slides]))
    if collapses([(offset[axes], places) for offset, axes, places in slid]):
        for offset, axes, places in slid:
            middle = np.argsort(np.linalg.norm(places, axis=1))[len(places) // 2]
            offset[axes] = places[middle]
    return joints


# ---- text ----------------------------------------------------------------------------------------


def _depth_first(figure: Figure) -> Iterator[tuple[int, int, bool]]:
    """(joint, depth, True) where a joint opens and (joint, depth, False) where it closes."""
    children: list[list[int]] = [[] for _ in figure.joints]
    roots: list[int] = []
    for i, parent in enumerate(figure.parents.tolist()):
        (children[parent] if parent >= 0 else roots).append(i)
    stack = [(i, 0, True) for i in reversed(roots)]
    while stack:
        i, depth, opens = stack.pop()
        yield i, depth, opens
        if opens:
            stack.append((i, depth, False))
            stack += [(child, depth + 1, True) for child in reversed(children[i])]


def _one_word_each(joints: Sequence[str], path: Path) -> list[str]:
    """Names without spaces, after which many programs stop reading them."""
    taken = set(joints)
    out: list[str] = []
    changed: list[str] = []
    for joint in joints:
        name = "_".join(joint.split())
        if name != joint:
            name = free_name(name, taken)
            taken.add(name)
            changed.append(f"{shown(joint)} is now {shown(name)}")
        out.append(name)
    if changed:
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        text = f"{path.name}: joint names in BVH are one word: {', '.join(changed[:3])}{more}"
        warnings.warn(text, LimbikWarning, stacklevel=4)
    return out


def _hierarchy(
    figure: Figure, names: list[str], joints: list[Written], precision: int
) -> Iterator[str]:
    yield "HIERARCHY"
    for i, depth, opens in _depth_first(figure):
        tabs = "\t" * min(depth, DEEPEST)
        if not opens:
            yield tabs + "}"
            continue
        joint = figure.definition[i]
        channels = [channel.name for channel in joints[i].channels]
        yield f"{tabs}{'ROOT' if joint.parent is None else 'JOINT'} {names[i]}"
        yield tabs + "{"
        yield f"{tabs}\tOFFSET {_numbers(joints[i].offset, precision)}"
        yield f"{tabs}\tCHANNELS {' '.join([str(len(channels)), *channels])}"
        if joint.tip is not None:
            yield f"{tabs}\tEnd Site"
            yield tabs + "\t{"
            yield f"{tabs}\t\tOFFSET {_numbers(np.array(joint.tip, float), precision)}"
            yield tabs + "\t}"


def _numbers(values: np.ndarray, precision: int) -> str:
    """Numbers with so many decimals, spaces between, and no minus before a zero."""
    kept = np.where(np.abs(values) < 0.5 * 10.0**-precision, 0.0, values)
    return " ".join([f"%.{precision}f"] * kept.size) % tuple(kept.ravel().tolist())


def _write_frames(file: BinaryIO, joints: list[Written], precision: int) -> None:
    width = sum(len(joint.channels) for joint in joints)
    step = max(1, VALUES // max(width, 1))
    for start in range(0, len(joints[0].values), step):
        rows = np.hstack([joint.values[start : start + step] for joint in joints])
        rows[np.abs(rows) < 0.5 * 10.0**-precision] = 0.0
        line = " ".join([f"%.{precision}f"] * width) + "\n"
        file.write((line * len(rows) % tuple(rows.ravel().tolist())).encode())
