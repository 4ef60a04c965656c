"""Clips of a glTF file as motions: channels sampled at a steady rate into poses of its figure."""

from __future__ import annotations

import warnings

import numpy as np

from limbik.errors import FigureError, FormatError, LimbikWarning
from limbik.figure.coordinates import joint_values, width_of
from limbik.figure.figure import Figure
from limbik.figure.joints import Slide
from limbik.figure.motion import Motion
from limbik.formats.gltf.animation import Clip, frame_times
from limbik.formats.gltf.rig import Bound, Rig, rig_of
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import quat_to_matrix

_NOTED = 1e-3  # of the figure's size: a shift that is left out and larger than this is said
_VALUES = 6_000_000  # numbers that a clip may become beyond those in its file
_CHUNK = 50_000  # joints over several frames that are taken at a time


def moving_clips(figure: Figure) -> list[str]:
    """The names of the clips in a figure's file that move its joints."""
    rig = rig_of(figure)
    nodes = {bound.node for bound in rig.bound.values()}
    return [
        name
        for name, clip in rig.clips.items()
        if any(node in nodes and path != "scale" for node, path in clip.channels)
    ]


def motion_of(figure: Figure, name: str) -> Motion:
    """A clip of the file behind a figure, as a motion of it at a steady frame rate.

    From the first key to the last, at the rate that ``frame_times`` finds.
    """
    rig = rig_of(figure)
    nodes = {bound.node for bound in rig.bound.values()}
    channels = {key: c for key, c in rig.clips[name].channels.items() if key[0] in nodes}
    clip = Clip(name, {key: c for key, c in channels.items() if key[1] != "scale"})
    start, fps, frames = frame_times(clip)
    if frames * len(rig.bound) * 7 > _VALUES + rig.document.size:
        rig.document.fail(
            f"clip {shown(name)}: {(frames - 1) / fps:g} seconds are too long for "
            f"{len(rig.bound)} joints at {fps:g} frames a second"
        )
    _say_left_out(figure, name)
    q = np.empty((frames, figure.n))
    last = figure.rest
    step = max(1, _CHUNK // len(rig.bound))
    for low in range(0, frames, step):
        times = start + np.arange(low, min(low + step, frames)) / fps
        q[low : low + step] = _poses(figure, clip, times, last)
        last = q[low : low + step][-1]
    try:
        return Motion(figure, q, fps, name)
    except FigureError as error:
        raise FormatError(str(error), rig.document.path) from error


def _poses(figure: Figure, clip: Clip, times: np.ndarray, last: np.ndarray) -> np.ndarray:
    """(frames, n) the poses of a clip at times; angles follow on from the pose ``last``."""
    rig = rig_of(figure)
    q = np.empty((len(times), figure.n))
    world: dict[str, np.ndarray] = {}
    first = 0
    for joint in figure.definition:
        bound = rig.bound[joint.name]
        placed = _placed(rig, bound, clip, times)
        if rig.flat:
            if bound.anchor is not None:
                placed = world[bound.anchor] @ placed
            world[joint.name] = placed
            if joint.parent is not None:
                placed = np.linalg.inv(world[joint.parent]) @ placed
        columns = slice(first, first + width_of(joint))
        q[:, columns] = joint_values(joint, placed, last[columns])
        first += width_of(joint)
    return q


def _placed(rig: Rig, bound: Bound, clip: Clip, times: np.ndarray) -> np.ndarray:
    """(frames, 4, 4) a joint's frame on that of the joint whose node is its node's parent."""
    local = rig.nodes.local(bound.node)
    turning = clip.channels.get((bound.node, "rotation"))
    shifting = clip.channels.get((bound.node, "translation"))
    turn = local.turn if turning is None else quat_to_matrix(turning.at(times))
    place = local.place if shifting is None else shifting.at(times)
    out = np.zeros((len(times), 4, 4))
    out[:, :3, :3] = bound.turn @ turn
    out[:, :3, 3] = bound.at + place @ bound.linear.T
    out[:, 3, 3] = 1.0
    return out


def _say_left_out(figure: Figure, name: str) -> None:
    """Warn of shifts and scales in a clip that the figure cannot follow."""
    rig, clip = rig_of(figure), rig_of(figure).clips[name]
    shifted, scaled = [], []
    for joint in figure.definition:
        bound = rig.bound[joint.name]
        local = rig.nodes.local(bound.node)
        shifting = clip.channels.get((bound.node, "translation"))
        slides = any(isinstance(part, Slide) for part in joint.parts)
        if shifting is not None and not slides and not rig.flat:
            ends = np.array(shifting.hull) - local.place
            far = float(np.abs(bound.linear).max() * np.abs(ends).max())
            if far > _NOTED * figure.size:
                shifted.append((far, joint.name))
        scaling = clip.channels.get((bound.node, "scale"))
        if scaling is not None:
            ends = np.array(scaling.hull) - np.diagonal(local.stretch)
            if np.abs(ends).max() > 1e-3 * np.abs(local.stretch).max():
                scaled.append(joint.name)
    title = f"{rig.document.path.name}: clip {shown(name)}"
    if shifted:
        far, joint = max(shifted)
        text = f"moves {len(shifted)} joints along their bones, by {far:.3g} m at most"
        warnings.warn(
            f"{title} {text} ({shown(joint)}); that is left out", LimbikWarning, stacklevel=4
        )
    if scaled:
        text = f"changes the scale of {len(scaled)} joints ({shown(scaled[0])}, ...)"
        warnings.warn(f"{title} {text}; that is left out", LimbikWarning, stacklevel=4)
