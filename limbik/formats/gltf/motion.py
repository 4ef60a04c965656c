"""Clips of a glTF file as motions: channels sampled at a steady rate into poses of its figure."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from limbik.errors import FigureError, FormatError, LimbikWarning
from limbik.figure.coordinates import joint_values
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.gltf.animation import Clip, frame_times
from limbik.formats.gltf.rig import Bound, Rig, rig_of, stretches
from limbik.formats.gltf.scale import linears, scaled
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import quat_to_matrix

_NOTED = 1e-3  # of the figure's size: a shift that is left out and larger than this is said
_VALUES = 6_000_000  # numbers that a clip may become beyond those in its file
_CLIPS = 10  # times as much for all clips of a file together
_CLIP = 10  # frames whose time a clip takes even if it has one
_CHUNK = 50_000  # joints over several frames that are taken at a time


def moving_clips(figure: Figure) -> list[str]:
    """The names of the clips in a figure's file that move its joints."""
    rig = rig_of(figure)
    return [
        name
        for name, clip in rig.clips.items()
        if any(_moves(rig, clip, node, path) for node, path in clip.channels)
    ]


def motion_of(figure: Figure, name: str) -> Motion:
    """A clip of the file behind a figure, as a motion of it at a steady frame rate.

    From the first key to the last, at the rate that ``frame_times`` finds.
    """
    rig = rig_of(figure)
    clip = _of_joints(rig, name)
    start, fps, frames = frame_times(clip)
    if frames * len(rig.bound) * 7 > _VALUES + rig.document.size:
        rig.document.fail(
            f"clip {shown(name)}: {(frames - 1) / fps:g} seconds are too long for "
            f"{len(rig.bound)} joints at {fps:g} frames per second"
        )
    _warn_of_left_out(figure, name)
    q = np.empty((frames, figure.n))
    last = figure.rest
    step = max(1, _CHUNK // len(rig.bound))
    for low in range(0, frames, step):
        times = start + np.arange(low, min(low + step, frames)) / fps
        q[low : low + step] = _poses(figure, clip, times, last, linears(rig, clip, times))
        last = q[low : low + step][-1]
    try:
        return Motion(figure, q, fps, name)
    except FigureError as error:
        raise FormatError(str(error), rig.document.path) from error


def check_size(figure: Figure, names: Sequence[str]) -> None:
    """Refuse clips that would together become much larger than their file: keys of a few bytes may
    stand for hours, and each clip poses every joint."""
    rig = rig_of(figure)
    total = 0
    for name in names:
        clip = _of_joints(rig, name)
        arrays = {id(channel.times): len(channel.times) for channel in clip.channels.values()}
        rig.document.spend(8 * sum(arrays.values()), f"clip {shown(name)}")
        _, _, frames = frame_times(clip)
        total += (frames + _CLIP) * len(rig.bound) * 7
        if total > _CLIPS * (_VALUES + rig.document.size):
            rig.document.fail(
                f"its {len(names):,} clips of {len(rig.bound):,} joints are too much to read at "
                "once; read one at a time"
            )


def refuse_scales(figure: Figure, name: str) -> None:
    """Refuse a clip that changes the scale of joints."""
    rig = rig_of(figure)
    nodes = scaled(rig.nodes, rig.clips[name])
    joints = [joint for joint, bound in rig.bound.items() if bound.node in nodes]
    if joints:
        more = f" and {len(joints) - 1} more" if len(joints) > 1 else ""
        rig.document.fail(f"clip {shown(name)} changes the scale of {shown(joints[0])}{more}")


def _moves(rig: Rig, clip: Clip, node: int, path: str) -> bool:
    """Whether a channel is one of a joint; scales that stay what they are do not count."""
    return node in rig.joint_nodes and (path != "scale" or stretches(rig.nodes, clip, node))


def _of_joints(rig: Rig, name: str) -> Clip:
    """What a clip does to joints."""
    clip = rig.clips[name]
    channels = {
        (node, path): channel
        for (node, path), channel in clip.channels.items()
        if _moves(rig, clip, node, path)
    }
    return Clip(name, channels, clip.fps)


def _poses(
    figure: Figure,
    clip: Clip,
    times: np.ndarray,
    last: np.ndarray,
    scaled: Mapping[str, np.ndarray],
) -> np.ndarray:
    """(frames, n) the poses of a clip at times; angles follow on from the pose ``last``.

    ``scaled`` has (frames, 3, 3) for joints below others whose scale the clip changes.
    """
    rig = rig_of(figure)
    q = np.empty((len(times), figure.n))
    world: dict[str, np.ndarray] = {}
    first = 0
    for joint in figure.definition:
        bound = rig.bound[joint.name]
        placed = _placed(rig, bound, clip, times, scaled.get(joint.name, bound.linear))
        if rig.flat:
            if bound.anchor is not None:
                placed = world[bound.anchor] @ placed
            world[joint.name] = placed
            if joint.parent is not None:
                placed = np.linalg.inv(world[joint.parent]) @ placed
        columns = slice(first, first + joint.width)
        q[:, columns] = joint_values(joint, placed, last[columns])
        first += joint.width
    return q


def _placed(
    rig: Rig, bound: Bound, clip: Clip, times: np.ndarray, linear: np.ndarray
) -> np.ndarray:
    """(frames, 4, 4) a joint's frame on that of the joint whose node is its node's parent."""
    local = rig.nodes.local(bound.node)
    turning = clip.channels.get((bound.node, "rotation"))
    shifting = clip.channels.get((bound.node, "translation"))
    turn = local.turn if turning is None else quat_to_matrix(turning.at(times))
    place = local.place if shifting is None else shifting.at(times)
    out = np.zeros((len(times), 4, 4))
    out[:, :3, :3] = bound.turn @ turn
    out[:, :3, 3] = bound.at + (linear @ place[..., None])[..., 0]
    out[:, 3, 3] = 1.0
    return out


def _warn_of_left_out(figure: Figure, name: str) -> None:
    """Warn of shifts in a clip that the figure cannot follow."""
    rig, clip = rig_of(figure), rig_of(figure).clips[name]
    shifted = []
    for joint in figure.definition:
        bound = rig.bound[joint.name]
        local = rig.nodes.local(bound.node)
        shifting = clip.channels.get((bound.node, "translation"))
        if shifting is not None and not any(joint.slides) and not rig.flat:
            ends = np.array(shifting.hull) - local.place
            far = float(np.abs(bound.linear).max() * np.abs(ends).max())
            if far > _NOTED * figure.size:
                shifted.append((far, joint.name))
    title = f"{rig.document.path.name}: clip {shown(name)}"
    if shifted:
        far, joint = max(shifted)
        text = f"moves {len(shifted)} joints along their bones, by {far:.3g} m at most"
        warnings.warn(
            f"{title} {text} ({shown(joint)}); that is left out", LimbikWarning, stacklevel=4
        )
